from __future__ import annotations

import pytest

from sessions.messages import Marker
from sessions.store.recap import one_line, rule_recap, rule_title
from tests.sessions.store.records import AT, answer, first, result, user


def fact(op: str, name: str) -> Marker:
    return Marker("f", AT, "fact", {"op": op, "name": name, "number": 1})


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("What's the weather?", "What's the weather?"),
        ("\n\n## Plan for  Q3\nmore", "Plan for Q3"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("- [ ] buy milk", "[ ] buy milk"),
        ("one two " * 20, "one two one two one two one two one two one two one two one…"),
        ("x" * 100, "x" * 59 + "…"),
        ("東京の天気" * 20, "東京の天気" * 11 + "東京の天" + "…"),
        ("bad \x1b]0;x\x07 \u202e title", "bad ]0;x title"),
        ("***", "***"),
        ("   ", ""),
    ],
)
def test_a_title_is_the_first_request_in_one_short_line(text, title):
    assert rule_title([first(), user("u", text)]) == title
    assert len(title) <= 60


def test_a_recap_names_request_work_tools_facts_and_answer():
    records = [
        first(),
        user("u1", "Plan the offsite"),
        result("t1", "…", name="get_weather"),
        result("t2", "…", name="get_weather"),
        result("t3", "…", name="recall_memory"),
        fact("created", "prefers-trains"),
        fact("created", "wrong"),
        answer("a1", "Kyoto."),
        user("u2", "And Hakone?", turn=2),
        user("u3", "How far?", turn=3),
        fact("forgotten", "wrong"),
        answer("a2", "85 minutes\nby train.", turn=3),
        answer("a3", "", turn=3),
    ]
    assert rule_recap(records).split("\n") == [
        "Asked: Plan the offsite",
        "Then: How far? (and 1 more)",
        "Used: get_weather 2×, recall_memory",
        "Learned: prefers-trains",
        "Answer: 85 minutes by train.",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- Sarah Chen is your manager\n- Waiting on Sarah", "Sarah Chen is your manager (and 1 more)"),
        (
            "You `know` **two** people:\n\n1. Sarah\n2. Kenji\n\nAsk me more.",
            "You know two people: Sarah (and 1 more)",
        ),
        (
            "Here is the weather information for Tokyo, Japan:\n\n🌡️ 19°C\n💨 wind 11 km/h\n☁️ cloud coverage 40%",
            "Here is the weather information for Tokyo, Japan: 19°C, wind 11 km/h, cloud coverage 40%",
        ),
        ("## Plan\n\nSee [the page](https://x.y/z).", "Plan: See the page."),
        ("🎉\nDone", "Done"),
        ("***", ""),
        ("🎉", ""),
        ("2 * 3 * 4 is 24", "2 * 3 * 4 is 24"),
        ("東京は晴れ\n- 大阪", "東京は晴れ 大阪"),
    ],
)
def test_of_an_answer_a_recap_keeps_the_words(text, told):
    assert rule_recap([first(), answer("a", text)]) == (f"Answer: {told}" if told else "")


def test_nothing_said_with_memory_off_is_in_title_or_recap():
    records = [
        first(),
        user("u1", "A private matter", memory="off"),
        result("t1", "private result", name="private_tool"),
        answer("a1", "A private answer"),
        user("u2", "Hello", turn=2),
        answer("a2", "Hi", turn=2),
    ]
    assert rule_title(records) == "Hello"
    assert rule_recap(records) == "Asked: Hello\nAnswer: Hi"
    assert (rule_title(records[:4]), rule_recap(records[:4])) == ("", "")


def test_lines_of_sub_agents_are_left_out():
    records = [first(), user("u1", "Hello"), answer("a1", "Hi"), answer("s1", "inner words", parent="call-1")]
    assert rule_recap(records) == "Asked: Hello\nAnswer: Hi"


def test_a_line_is_cut_between_words():
    assert one_line("alpha beta, gamma", 12) == "alpha beta…"
