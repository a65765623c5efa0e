from __future__ import annotations

import pytest

from sessions.messages import AssistantMessage, UserMessage
from sessions.typed import typed_parts, typed_words

AT = "2026-11-29T17:14:08.123Z"


@pytest.mark.parametrize(
    ("content", "spans", "parts"),
    [
        ("I live in Tokyo", None, ("I live in Tokyo",)),
        ("I live in Tokyo", (), ()),
        ("see PASTED, ok?", ((0, 4), (10, 15)), ("see ", ", ok?")),
        ("one two", ((0, 3), (3, 7)), ("one two",)),
        ("abc", ((-5, 2), (2, 99)), ("abc",)),
        ("a\n```py\nb\n```\nc", None, ("a\n", "\nc")),
        ("a\n~~~\nb", None, ("a\n",)),
        ("> quoted\nmine", None, ("\nmine",)),
        ("mine\nOn Monday, Bob wrote:\nhis", None, ("mine\n",)),
        ("mine\nFrom: bob@x.org\nSubject: y\n\nhis", None, ("mine\n",)),
        ("mine\n-----Original Message-----\nhis", None, ("mine\n",)),
        ("To: me it is fine", None, ("To: me it is fine",)),
    ],
)
def test_only_the_persons_own_words_count(
    content: str, spans: tuple[tuple[int, int], ...] | None, parts: object
) -> None:
    assert typed_parts(content, spans) == parts


def test_words_of_a_session_are_those_of_the_persons_messages() -> None:
    records = [
        UserMessage("u1", AT, 1, "first"),
        AssistantMessage("a1", AT, 1, "not the person"),
        UserMessage("u2", AT, 2, "piped", typed=()),
        UserMessage("u3", AT, 3, "said with memory off", memory="off"),
        UserMessage("u4", AT, 3, "a sub-agent's order", parent="call-1"),
    ]
    found = typed_words(records)
    assert [(t.message, t.text, t.off) for t in found] == [("u1", "first", False), ("u3", "said with memory off", True)]
