from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sessions.erase import of_message
from sessions.errors import UsageError
from sessions.events import CompactionFinished, TurnStarted
from sessions.home import Home
from sessions.settings import HistorySettings, MemorySettings, Profile, Settings
from tests.servers.chat_server import ChatServer, error, text
from tests.sessions.hub_home import hub_of
from tests.sessions.wire_home import holding, system, text_of, wire_home
from tests.waiting import until

RECAP = "Done: moved the ledger.\nDecided: SQLite, one file.\nOpen: the import."


def purpose(body: dict[str, Any]) -> str:
    return (
        "recap" if "You write the recap" in system(body) else "title" if "You name a conv" in system(body) else "chat"
    )


def meta_of(home: Home, session: str) -> Any:
    return home.catalog.refresh(session)


async def test_the_models_recap_and_title_take_the_place_of_the_ruled_ones_until_more_is_said(tmp_path: Path) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            await hub.send(session, "Move the ledger to /srv/atlas, please")
            await heard.over(session)
            server.script(text(RECAP + "\n" + "more " * 200), text('"The ledger moves to atlas."'))
            said = await hub.recaps.make(session)
            meta = meta_of(home, session)
            assert meta.recap["text"] == said and len(said) <= 400 and said.startswith("Done: moved the ledger.\nDec")
            assert (meta.recap["by"], meta.title) == ("scripted", "The ledger moves to atlas")
            assert [purpose(body) for body in server.requests] == ["chat", "recap", "title"]
            assert "/srv/atlas" in text_of(server.requests[1]) and server.problems == []
            again = Home(home.paths.root, settings=home.settings, clock=home.clock, env={})
            home.paths.session_meta(session).unlink()
            assert again.catalog.refresh(session).recap == meta.recap, "it is derived from the log alone"
            await hub.send(session, "And the import?")
            await heard.over(session, 2)
            await until(lambda: meta_of(home, session).turns == 2, "the second turn is in the list")
            later = meta_of(home, session)
            assert later.recap["by"] == "rule" and later.title == "The ledger moves to atlas"
            await hub.rename(session, "Mine")
            server.script(text("Short."))
            await hub.recaps.make(session)
            assert meta_of(home, session).title == "Mine" and purpose(server.requests[-1]) == "recap"


async def test_nothing_said_with_memory_off_or_in_private_is_told_and_nothing_is_made_of_nothing(
    tmp_path: Path,
) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path, memory="off")).id
            await hub.send(session, "My canary is vermilion")
            await heard.over(session)
            with pytest.raises(UsageError, match="nothing to make a recap of"):
                await hub.recaps.make(session)
            await hub.set_memory(session, "on")
            await hub.send(session, "And the ledger?")
            await heard.over(session, 2)
            server.script(text("The ledger."), text("Ledger"))
            await hub.recaps.make(session)
            assert all("vermilion" not in text_of(body) for body in server.requests[-2:])
            hidden = (await hub.new(tmp_path, private=True)).id
            await hub.send(hidden, "Nothing of this")
            await heard.over(hidden)
            count = len(server.requests)
            with pytest.raises(Exception, match="no session"):
                await hub.recaps.make(hidden)
            assert len(server.requests) == count


async def test_on_leaving_it_is_written_in_the_background_when_the_settings_ask_and_a_failure_is_no_news(
    tmp_path: Path,
) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        home.settings = Settings(
            agent=home.settings.agent,
            profiles=home.settings.profiles,
            memory=MemorySettings(distill="off"),
            history=HistorySettings(recap="leave"),
        )

        async def never() -> None:
            await asyncio.Event().wait()

        async with hub_of(home, rest=never) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            await hub.send(session, "Move the ledger")
            await heard.over(session)
            server.script(error(400, "no"))
            await hub.leave(session)
            await until(lambda: len(server.requests) == 2 and not hub.work.busy, "it was tried")
            assert meta_of(home, session).recap["by"] == "rule"
            await hub.open(session)
            server.script(text("The ledger moved."), text("Ledger"))
            await hub.leave(session)
            await until(lambda: meta_of(home, session).recap["by"] == "scripted", "the recap")
            await until(lambda: not hub.work.busy, "it is over")
            count = len(server.requests)
            await hub.open(session)
            await hub.leave(session)
            await until(lambda: not hub.work.busy, "looked at")
            assert len(server.requests) == count, "one that reaches to the end is not written again"


async def test_what_was_told_to_this_machine_is_not_told_to_another(tmp_path: Path) -> None:
    with ChatServer() as local, ChatServer() as other:
        home = wire_home(tmp_path, local)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            await hub.send(session, "The canary is vermilion")
            await heard.over(session)
        lines = home.paths.session_log(session).read_text("utf-8").split("\n")
        moved = [json.loads(line) for line in lines if line]
        for line in moved:
            if line["role"] == "assistant":
                line["place"] = "models.example.org"
        home.paths.session_log(session).write_text("".join(json.dumps(line) + "\n" for line in moved), "utf-8")
        profile = Profile("wire", base_url=other.url.replace("127.0.0.1", "127.1"), model="scripted")
        settings = Settings(agent=home.settings.agent, profiles={"wire": profile})
        again = Home(home.paths.root, settings=settings, clock=home.clock, env={})
        async with hub_of(again) as (hub, _):
            await hub.recaps.make(session)
        assert meta_of(again, session).recap["by"] == "guide" and other.requests == []


async def test_what_a_model_wrote_of_an_erased_message_goes_with_it(tmp_path: Path) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            for turn, said in enumerate(("I hid the key under the heron statue", "Second", "Third"), 1):
                server.script(text("Noted."))
                await hub.send(session, said)
                await heard.over(session, turn)
            server.script(text("A key lies below a wading bird."))
            hub.compact(session)
            await until(lambda: heard.of(CompactionFinished, session), "the summary")
            await until(lambda: not hub.running(session), "it is over")
            server.script(text("Where the bird's key lies."), text("The bird's key"))
            await hub.recaps.make(session)
            first = next(e.message for e in heard.of(TurnStarted, session))
            found = await hub.keeping.survey(lambda home: of_message(home, session, first))
            await hub.keeping.erase(found)
            await hub.send(session, "Fourth")
            await heard.over(session, 4)
            assert "bird" not in text_of(server.requests[-1]) and "Second" in text_of(server.requests[-1])
        assert holding(home.paths.root, ("bird", "heron")) == []
