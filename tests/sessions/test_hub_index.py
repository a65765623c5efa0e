from __future__ import annotations

from pathlib import Path

from sessions.messages import Marker, UserMessage
from sessions.store.log import LogWriter
from tests.sessions.agent.scripted import says
from tests.sessions.hub_home import ScriptedHome, hub_of, scripted_home
from tests.waiting import until

OTHER = "20261128-101112-0a0b0c"


def written_before(home: ScriptedHome) -> None:
    at = "2026-11-28T10:11:12.000Z"
    log = LogWriter.create(home.paths, OTHER, Marker("m0", at, "session", {"cwd": "/"}))
    log.append(UserMessage("u1", at, 1, "the harbour of Bergen"))
    log.close()


def found(home: ScriptedHome, query: str) -> set[str]:
    return {hit.session for hit in home.index.search(query)}


async def test_after_a_turn_its_session_is_searched_and_the_others_are_not_looked_at(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, says("Whales."))
    async with hub_of(home) as (hub, _):
        written_before(home)
        state = await hub.new(tmp_path)
        await hub.send(state.id, "what swims by?")
        await until(lambda: found(home, "whales") == {state.id}, "the turn is in the index")
        assert found(home, "Bergen") == set()
        hub.index_soon()
        await until(lambda: found(home, "Bergen") == {OTHER}, "the other one too")


async def test_sessions_named_while_the_index_is_at_work_are_taken_in_too(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path)
    async with hub_of(home) as (hub, _):
        written_before(home)
        hub.index_soon("20261129-000000-ffffff")
        hub.index_soon(OTHER)
        await until(lambda: found(home, "Bergen") == {OTHER}, "the second one is in the index")
