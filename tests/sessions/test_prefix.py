from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessions.clock import FixedClock
from sessions.memory.contents import CHARS_PER_TOKEN
from sessions.memory.fact import By, Draft
from sessions.memory.guard import Guard, Wish
from sessions.memory.store import FactStore
from tests.servers.chat_server import ChatServer, calls, text
from tests.sessions.agent.scripted import NOW
from tests.sessions.hub_home import hub_of
from tests.sessions.wire_home import contents_of, newest, system, text_of, wire_home
from tests.waiting import until

PERSON = By("user")
pytestmark = pytest.mark.timeout(60)
CELLO = {"name": "plays-cello", "summary": "Plays the cello", "kind": "user", "body": "Since school.", "quote": ""}


def before_newest(raw: bytes) -> str:
    """What stands before the newest message of the person."""
    whole = raw.decode()
    return whole[: [m.start() for m in re.finditer(r'\{"role": ?"user"', whole)][-1]]


async def test_ten_turns_with_a_save_in_the_fifth_keep_every_byte_before_the_newest_turn(tmp_path: Path) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        home.facts.save(Draft("likes-oolong", "Likes oolong", "preference"), by=PERSON)
        home.facts.save(Draft("dana-reyes", "Dana Reyes audits the ledger", "contact"), by=PERSON)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            for turn in range(1, 11):
                said = f"Question {turn}"
                if turn == 5:
                    said = "I play the cello since school"
                    server.script(calls(("save_memory", CELLO | {"quote": said})))
                server.script(text(f"Answer {turn}"))
                await hub.send(session, said)
                await heard.over(session, turn)
                # What the watching of files does after a save.
                await hub.run(home.facts.reconcile)
        assert len(server.requests) == 11 and server.problems == []
        for earlier, later in zip(server.raw, server.raw[1:], strict=False):
            assert later.decode().startswith(before_newest(earlier))
        assert len({json.dumps(body["tools"]) for body in server.requests}) == 1
        assert len({system(body) for body in server.requests}) == 1
        told = "Facts changed since the list was made: #3 plays-cello (user): Plays the cello — Since school."
        assert [told in newest(body) for body in server.requests] == [False] * 6 + [True] * 5
        assert all("Question" not in newest(b) or newest(b).count("<environment>") == 1 for b in server.requests)


def accepted(store: FactStore) -> None:
    Guard(store).save(Draft("rows-a-boat", "Rows a boat", "preference"), Wish(By("model", "s", "m"), at_once="never"))
    store.review.accept(store.proposals()[0].number, by=PERSON)


def undone(store: FactStore) -> None:
    store.undo(by=PERSON, ref="plays-cello")


ACTS: dict[str, tuple[Callable[[FactStore], Any], list[str], list[str]]] = {
    "edit": (lambda s: s.edit("likes-oolong", by=PERSON, summary="Likes sencha"), ["Likes sencha"], ["oolong:"]),
    "accept": (accepted, ["Rows a boat"], []),
    "undo": (undone, [], ["Plays the cello"]),
    "forget": (lambda s: s.forget("likes-oolong", by=PERSON), [], ["Likes oolong"]),
    "off": (lambda s: s.edit("likes-oolong", by=PERSON, status="off"), [], ["Likes oolong"]),
    "pin": (lambda s: s.edit("dana-reyes", by=PERSON, pinned=True), ["#2 dana-reyes"], []),
}


@pytest.mark.parametrize("elsewhere", [False, True], ids=["here", "by another program"])
@pytest.mark.parametrize("act", ACTS)
async def test_what_a_person_does_to_a_fact_makes_block_and_contents_anew_at_once(
    tmp_path: Path, act: str, elsewhere: bool
) -> None:
    do, there, gone = ACTS[act]
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        home.facts.save(Draft("likes-oolong", "Likes oolong", "preference"), by=PERSON)
        home.facts.save(Draft("dana-reyes", "Dana Reyes audits the ledger", "contact"), by=PERSON)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            said = "I play the cello since school"
            server.script(calls(("save_memory", CELLO | {"quote": said, "kind": "preference"})), text("1"), text("2"))
            await hub.send(session, said)
            await heard.over(session, 1)
            await until(lambda: not hub.running(session), "it rests")
            if elsewhere:
                do(FactStore(home.paths, FixedClock(NOW)))
            else:
                await hub.run(do, home.facts)
                hub.facts_changed()
            await hub.send(session, "and now?")
            await heard.over(session, 2)
        body = server.requests[-1]
        fixed = system(body) + contents_of(body)
        assert "Facts changed" not in text_of(body)
        assert [words for words in there if words not in system(body)] == []
        assert [words for words in gone if words in fixed] == []
        assert ("Plays the cello" in system(body)) == (act != "undo"), "what the model saved is in its place by now"


_MANY = 220
"""Facts that do not fit into a quarter of the larger window."""


@pytest.mark.parametrize("window", [8_000, 32_000])
async def test_tools_prompt_and_facts_take_a_quarter_of_the_window_at_most_and_the_contents_give_way_first(
    tmp_path: Path, window: int
) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server, window=window, inject="all")
        for n in range(_MANY):
            kind = "self" if n < 3 else "preference" if n < 10 else "project"
            summary = f"The heron number {n} nests by pond {n * 7}, {'and not by another one ' * 3}"
            home.facts.save(Draft(f"fact-no-{n}", summary, kind), by=PERSON)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            view = await hub.context(session, "hello")
            server.script(text("1", tokens=None), text("2", tokens=None))
            for turn, said in enumerate(("hello", "again"), 1):
                await hub.send(session, said)
                await heard.over(session, turn)
        body = server.requests[0]
        fixed = [part.tokens for part in view.parts if part.kind in {"tools", "system", "self", "facts"}]
        assert sum(fixed) <= window // 4
        sent = [
            system(body),
            *(t["function"]["description"] + json.dumps(t["function"]["parameters"]) for t in body["tools"]),
        ]
        assert sum(map(len, sent)) / CHARS_PER_TOKEN == pytest.approx(sum(fixed), rel=0.03), (
            "the estimate is of what is sent"
        )
        assert [n for n in range(3) if f"fact-no-{n} (self)" not in system(body)] == [], "about the agent stays"
        assert f"(and {view.block.left_out} more: recall_memory finds them)" in system(body)
        assert f"and {view.block.unlisted} more: use query" in contents_of(body)
        assert view.block.count + view.block.left_out == view.block.listed + view.block.unlisted == _MANY
        assert (view.block.listed, system(body).count("heron")) == (0, view.block.count)
        assert body["tools"] == server.requests[1]["tools"] and system(body) == system(server.requests[1])
