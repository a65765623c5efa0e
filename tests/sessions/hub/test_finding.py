from __future__ import annotations

import asyncio
from pathlib import Path

from sessions.home import Home
from sessions.hub import SessionHub
from sessions.store.trash import delete
from tests.bench.sessions import long_session
from tests.sessions.agent.scripted import Scripted
from tests.sessions.hub_home import ScriptedHome, hub_of
from tests.sessions.store.records import home as store_home


async def test_of_a_session_opened_by_its_tail_all_is_found_and_of_one_that_is_not_open_too(tmp_path: Path) -> None:
    paths = store_home(tmp_path / "home")
    turns = long_session(paths, 1.0)
    session = next(paths.sessions.glob("*.jsonl")).stem
    async with SessionHub(Home(paths)) as hub:
        closed = await hub.finding.find(session, "question 1")
        state = await hub.open(session)
        assert state.above, "its beginning is not in memory"
        found = await hub.finding.find(session, "question 1")
        assert found is not None and closed is not None
        same = {n for n in range(1, turns + 1) if str(n).startswith("1")}
        assert [spot.turn for spot in found.spots] == sorted(same)
        assert [s.message for s in found.spots] == [s.message for s in closed.spots] == [f"u{n}" for n in sorted(same)]
        tail = await hub.finding.find(session, f"question {turns}")
        assert tail is not None and [spot.message for spot in tail.spots] == [f"u{turns}"]


async def test_what_was_taken_back_is_not_found_and_what_is_private_is(tmp_path: Path) -> None:
    async with hub_of(ScriptedHome(tmp_path, Scripted())) as (hub, heard):
        session = (await hub.new(tmp_path, private=True)).id
        await hub.send(session, "The importer is late")
        await heard.over(session)
        await hub.send(session, "Importer, again")
        await heard.over(session, 2)
        found = await hub.finding.find(session, "importer")
        assert found is not None and [spot.turn for spot in found.spots] == [1, 2]
        await hub.rewind(session)
        found = await hub.finding.find(session, "importer")
        assert found is not None and [spot.turn for spot in found.spots] == [1]


async def test_a_newer_question_drops_the_older_and_the_trash_is_looked_through_too(tmp_path: Path) -> None:
    paths = store_home(tmp_path / "home")
    long_session(paths, 0.3)
    session = next(paths.sessions.glob("*.jsonl")).stem
    async with SessionHub(Home(paths)) as hub:
        old, new = await asyncio.gather(hub.finding.find(session, "word"), hub.finding.find(session, "question 2"))
        assert old is None and new is not None and new.count
        delete(paths, session)
        found = await hub.finding.find(session, "question 2:", texts=True, trashed=True)
        assert found is not None and found.count == 1 and found.spots[0].text.startswith("Question 2:")
