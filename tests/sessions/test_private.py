from __future__ import annotations

from pathlib import Path

import pytest

from sessions.errors import UsageError
from sessions.events import SessionChanged, TurnFailed
from sessions.memory.fact import By, Draft
from sessions.store.log import read_log
from tests.servers.chat_server import ChatServer, Pause, calls, error, event, text
from tests.servers.chat_server import Reply as Answer
from tests.sessions.hub_home import hub_of
from tests.sessions.test_off import ASKED, CANARY, TOLD, Talk
from tests.sessions.wire_home import contents_of, holding, offered, system, text_of, wire_home
from tests.waiting import until

pytestmark = pytest.mark.timeout(60)


async def test_a_private_session_reads_memory_and_leaves_no_byte_of_itself_under_the_home(tmp_path: Path) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server, distill="auto")
        home.facts.save(Draft("likes-oolong", "Likes oolong", "preference"), by=By("user"))
        rested: list[bool] = []

        async def rest() -> None:
            rested.append(True)

        async with hub_of(home, private=True, rest=rest) as (hub, heard):
            talk = Talk(hub, heard, (await hub.new(tmp_path)).id)
            save = {"name": CANARY, "summary": f"Has the code word {CANARY}", "kind": "user", "quote": TOLD}
            server.script(
                calls(("save_memory", save), ("delete_memory", {"fact": 1, "quote": TOLD}), ("recall_memory", ASKED)),
                calls(("search_history", {"query": CANARY})),
                text(f"I will not keep {CANARY}."),
            )
            await talk.say(TOLD)
            body = server.requests[0]
            assert offered(body) == ["recall_memory", "get_weather", "search_history"]
            assert "Likes oolong" in system(body) and "likes-oolong" in contents_of(body)
            assert "This session is private: nothing said in it is kept. Folder: " in text_of(body)
            server.script(*[error(400, f"never {CANARY}")])
            assert isinstance(await talk.say(f"{CANARY} again"), TurnFailed)
            await hub.rename(talk.id, f"All about {CANARY}")
            await hub.set_memory(talk.id, "off")
            server.script(text(CANARY))
            await talk.say(f"And off, {CANARY}")
            assert offered(server.requests[-1]) == ["get_weather"] and "oolong" not in text_of(server.requests[-1])
            assert (await hub.state(talk.id)).private
            told = len(server.requests)
            other = Talk(hub, heard, (await hub.new(tmp_path, private=False)).id)
            server.script(calls(("search_history", ASKED), ("recall_memory", ASKED)), text("Nothing."))
            await other.say("What do you know about the vault?")
            await hub.run(home.index.catch_up)
            assert "session is private" not in text_of(server.requests[-1])
            assert len(server.requests) == told + 2 and CANARY not in text_of(server.requests[told:])
        home.close()
        assert holding(home.paths.root, [CANARY, talk.id]) == []
        assert [f.name for f in home.facts.snapshot().facts] == ["likes-oolong"] and home.facts.proposals() == []


async def test_a_private_session_is_kept_only_when_the_person_says_so_and_is_then_like_any_other(
    tmp_path: Path,
) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        async with hub_of(home, private=True) as (hub, heard):
            talk = Talk(hub, heard, (await hub.new(tmp_path)).id)
            pause = Pause()
            server.script(Answer([event({"role": "assistant", "content": "One"}), pause]), text("Two."))
            await hub.send(talk.id, TOLD)
            await until(pause.reached.is_set, "it answers")
            with pytest.raises(UsageError, match="turn is running"):
                await hub.keep(talk.id)
            pause.release()
            await heard.over(talk.id, 1)
            await until(lambda: not hub.running(talk.id), "it rests")
            talk.turns = 1
            await hub.set_memory(talk.id, "read-only")
            assert holding(home.paths.root, CANARY) == []
            await hub.keep(talk.id)
            assert {"private": False} in [e.what for e in heard.of(SessionChanged)]
            log = read_log(home.paths.session_log(talk.id))
            assert [getattr(r, "content", r.data if hasattr(r, "data") else "") for r in log.records][1] == TOLD
            assert (
                (meta := home.catalog.get(talk.id)) and (meta.turns, meta.memory) == (1, "read-only") and meta.private
            )
            await hub.set_memory(talk.id, "on")
            await talk.say("and now?")
            assert "save_memory" in offered(server.requests[-1]) and TOLD in text_of(server.requests[-1])
            await hub.run(home.index.catch_up)
            assert [hit.session for hit in home.index.search("secret code word")] == [talk.id]
            assert hub.home.catalog.get(await hub.fork(talk.id)).private, "a copy is no way out"  # type: ignore[union-attr]
        assert not log.problems and len(read_log(home.paths.session_log(talk.id)).records) > len(log.records)
        home.close()
