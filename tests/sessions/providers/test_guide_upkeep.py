from __future__ import annotations

import json
from typing import Any

import pytest

from sessions.clock import FixedClock
from sessions.messages import UserMessage
from sessions.providers.base import Request, TextPiece
from sessions.providers.guide import make
from sessions.settings import Profile
from tests.sessions.agent.scripted import NOW

FACTS = """Data.
<remembered-facts>
#1 tea (preference): Likes green tea
#2 green-tea (preference): Likes green tea a lot
  From Uji.
#3 no-tea (preference): Dislikes green tea
#4 q3 (open-thread, due 2026-11-20): Waiting on Sarah about Q3
#5 q4 (open-thread, due 2026-12-20): Waiting on Sarah about Q4
#6 sarah (contact): Likes green tea
</remembered-facts>"""


async def asked(purpose: Any, content: str, system: str = "") -> list[dict[str, Any]]:
    guide = make(Profile("guide", type="guide"), FixedClock(NOW))
    request = Request(system, (UserMessage("1", "", 1, content),), purpose=purpose)
    text = "".join([p.text async for p in guide.stream(request) if isinstance(p, TextPiece)])
    return json.loads(text)


async def test_the_guide_finds_what_typed_words_state_with_their_quote_and_dates_from_their_day() -> None:
    content = (
        '<typed at="2026-11-02">\nI live in Tokyo, what is the weather? My favourite colour is green.\n</typed>\n'
        '<typed at="2026-11-03">\nI\'m waiting on Sarah about the plan, she needs my answer by Friday.\n</typed>'
    )
    found = await asked("distill", content)
    assert [f["summary"] for f in found[:2]] == ["Lives in Tokyo", "Favourite colour is green"]
    assert found[0]["quote"] == "I live in Tokyo"
    assert (found[2]["kind"], found[2]["due"]) == ("open-thread", "2026-11-06")
    assert await asked("distill", content) == found


@pytest.mark.parametrize(
    "text", ["What is the weather?", "Don't remember this: I live in Tokyo", "My password is hunter2horse99", "Hello"]
)
async def test_the_guide_finds_nothing_in_questions_secrets_and_what_is_not_to_be_kept(text: str) -> None:
    assert await asked("distill", f'<typed at="2026-11-02">\n{text}\n</typed>') == []


async def test_the_guide_closes_what_is_overdue_and_merges_what_says_nearly_the_same() -> None:
    found = await asked("reflect", FACTS, "Task: reflect. And so on")
    assert [(f["do"], f["facts"]) for f in found] == [("close", [4]), ("merge", [1, 2])]
    merged = found[1]
    assert merged["body"] == "From Uji." and merged["why"]
    assert [f["do"] for f in await asked("reflect", FACTS, "Task: defragment.")] == ["merge"]
    assert await asked("reflect", "nothing", "Task: reflect.") == []
