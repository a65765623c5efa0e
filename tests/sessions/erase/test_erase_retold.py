"""What a model found or wrote of something that is erased goes with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.erase import of_message, of_session
from sessions.events import TurnStarted
from tests.servers.chat_server import ChatServer, calls, text
from tests.sessions.hub_home import hub_of
from tests.sessions.wire_home import holding, text_of, wire_home

LONG = "We sat in the old harbour hall again. " * 9
SAID = f"{LONG}The codeword for the launch of Kestrel is zebraquartz today. {LONG}"


@pytest.mark.parametrize("what", ["session", "message"])
async def test_what_a_search_showed_in_another_session_goes_with_its_answer(tmp_path: Path, what: str) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        async with hub_of(home) as (hub, heard):
            first = (await hub.new(tmp_path)).id
            server.script(text("Noted."))
            await hub.send(first, SAID)
            await heard.over(first)
            await hub.run(home.index.catch_up)
            second = (await hub.new(tmp_path)).id
            search = calls(("search_history", {"query": "codeword launch Kestrel"}))
            server.script(search, text("You said that it is zebraquartz."), text("Nothing."))
            await hub.send(second, "What was the word of the launch?")
            await heard.over(second)
            await hub.send(second, "And tomorrow?")
            await heard.over(second, 2)
            assert len([f for f in holding(home.paths.root, "zebraquartz") if f.endswith(".jsonl")]) == 2
            message = next(e.message for e in heard.of(TurnStarted, first))
            wanted = of_session if what == "session" else lambda home, session: of_message(home, session, message)
            found = await hub.keeping.survey(lambda home: wanted(home, first))
            assert ("answer", "You said that it is zebraquartz.") in [s for log in found.logs for s in log.shown]
            result = await hub.keeping.erase(found)
            assert result.traces == 0
            server.script(text("No."))
            await hub.send(second, "Once more?")
            await heard.over(second, 3)
            assert "zebraquartz" not in text_of(server.requests[-1]) and "tomorrow" in text_of(server.requests[-1])
        assert holding(home.paths.root, "zebraquartz") == []
