from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sessions.events import DistillFinished, TextDelta, TurnStarted
from sessions.memory.fact import By, Draft
from sessions.messages import UserMessage
from sessions.store.log import read_log
from tests.servers.chat_server import ChatServer, Pause, calls, event, text
from tests.servers.chat_server import Reply as Answer
from tests.sessions.hub_home import hub_of
from tests.sessions.wire_home import contents_of, offered, system, text_of, wire_home
from tests.waiting import until

CANARY = "zebrafish4711"
TOLD = f"My secret code word for the vault is {CANARY}"
ASKED = {"query": "secret code word vault"}
PERSON = By("user")
pytestmark = pytest.mark.timeout(60)


class Talk:
    """A session of a hub, talked to turn by turn."""

    def __init__(self, hub: Any, heard: Any, session: str) -> None:
        self.hub, self.heard, self.id, self.turns = hub, heard, session, 0

    async def say(self, words: str) -> Any:
        self.turns += 1
        await self.hub.send(self.id, words)
        over = await self.heard.over(self.id, self.turns)
        await until(lambda: not self.hub.running(self.id), "it rests")
        return over


async def test_what_is_said_while_memory_is_off_comes_back_in_no_later_request_search_recap_or_title(
    tmp_path: Path,
) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        async with hub_of(home) as (hub, heard):
            talk = Talk(hub, heard, (await hub.new(tmp_path)).id)
            server.script(text("Noted."), text(f"{CANARY} it is."), text(f"Yes, {CANARY}."))
            await talk.say("Let us talk about the vault")
            await hub.set_memory(talk.id, "off")
            await talk.say(TOLD)
            await talk.say("Which word was it?")
            assert TOLD in text_of(server.requests[-1]), "while it is off the conversation goes on"
            told = len(server.requests)
            await hub.set_memory(talk.id, "on")
            search = calls(("search_history", ASKED), ("recall_memory", ASKED))
            server.script(search, text("Nothing."))
            await talk.say("What do you know about the vault?")
            await hub.run(home.index.catch_up)
            other = Talk(hub, heard, (await hub.new(tmp_path)).id)
            server.script(
                search, text("Nothing."), calls(("search_history", {"query": "vault", "limit": 30})), text(".")
            )
            await other.say("And in the other conversation?")
            await other.say("Really nothing?")
            later = server.requests[told:]
            assert len(later) == 6 and CANARY not in text_of(later)
            assert "Let us talk about the vault" in text_of(later[-1]), "what was said on is found"
            assert [CANARY in hit.text for hit in home.index.search(CANARY)] == []
            assert home.index.search(CANARY, include_off=True), "the person finds it"
            meta = home.catalog.get(talk.id)
            assert CANARY not in text_of(meta.as_json() if meta else {})
        assert server.problems == []


async def test_off_in_the_middle_of_a_session_leaves_no_fact_text_in_the_next_request(tmp_path: Path) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        store = home.facts
        store.save(Draft("likes-oolong", "Likes oolong", "preference", "Every morning, from Taiwan"), by=PERSON)
        store.save(Draft("dana-reyes", "Dana Reyes audits the ledger", "contact"), by=PERSON)
        async with hub_of(home) as (hub, heard):
            past = Talk(hub, heard, (await hub.new(tmp_path)).id)
            server.script(text("Fine."))
            await past.say("The heron nests by the pond")
            await hub.run(home.index.catch_up)
            talk = Talk(hub, heard, (await hub.new(tmp_path)).id)
            save = {"name": "plays-cello", "summary": "Plays the cello", "kind": "user", "quote": "I play the cello"}
            server.script(
                calls(("recall_memory", {"query": "ledger"}), ("search_history", {"query": "heron"})),
                calls(("save_memory", save)),
                text("Done."),
                text("Still here."),
                text("Off."),
            )
            await talk.say("I play the cello. Who audits?")
            await talk.say("go on")
            on, words = text_of(server.requests[-1]), ("oolong", "Taiwan", "Dana", "ledger", "heron", "Plays the cello")
            assert [word for word in words if word not in on] == []
            await hub.set_memory(talk.id, "off")
            await talk.say("and now?")
            body = server.requests[-1]
            assert [word for word in words if word in text_of(body)] == []
            assert offered(body) == ["get_weather"] and contents_of(body) == ""
            assert not any(word in system(body) for word in ("memory", "remember", "recall"))
            assert "I play the cello" in text_of(body), "the conversation itself goes on"
            await hub.set_memory(talk.id, "on")
            server.script(text("On."))
            await talk.say("and again?")
            assert [word for word in words if word not in text_of(server.requests[-1])] == []
        assert server.problems == []


async def test_a_message_sent_while_memory_is_off_stays_off_though_it_waited_until_it_was_on_again(
    tmp_path: Path,
) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server)
        pause = Pause()
        server.script(Answer([event({"role": "assistant", "content": "One"}), pause]), text("Two."), text("Three."))
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            await hub.send(session, "first")
            await until(lambda: heard.of(TextDelta), "the first answer begins")
            await hub.set_memory(session, "off")
            await hub.send(session, TOLD)
            await hub.set_memory(session, "on")
            await hub.send(session, "third")
            pause.release()
            await heard.over(session, 3)
            await until(lambda: not hub.running(session), "it rests")
        records = [r for r in read_log(home.paths.session_log(session)).records if isinstance(r, UserMessage)]
        assert [r.memory for r in records] == [None, "off", None]
        assert offered(server.requests[1]) == ["get_weather"] and "recall_memory" in offered(server.requests[2])
        assert CANARY not in text_of(server.requests[2])
    assert [e.text for e in heard.of(TurnStarted)] == ["first", TOLD, "third"]


async def test_work_in_the_background_never_reads_what_was_said_off_or_in_private(tmp_path: Path) -> None:
    with ChatServer() as server:
        home = wire_home(tmp_path, server, distill="auto")
        rested = asyncio.Event()
        async with hub_of(home, rest=rested.wait) as (hub, heard):
            private = Talk(hub, heard, (await hub.new(tmp_path, private=True)).id)
            await private.say(f"I live at {CANARY} street in private")
            talk = Talk(hub, heard, (await hub.new(tmp_path)).id)
            await talk.say("I play the cello since school")
            await hub.set_memory(talk.id, "off")
            await talk.say(f"I live at {CANARY} street")
            await hub.set_memory(talk.id, "on")
            told = len(server.requests)
            rested.set()
            await until(lambda: heard.of(DistillFinished), "it was looked through")
            home.facts.save(Draft("likes-oolong", "Likes oolong", "preference"), by=PERSON)
            await hub.work.reflect("reflect", tmp_path)
            later = server.requests[told:]
            assert len(later) == 2 and all("I play the cello" in text_of(body) for body in later)
            assert CANARY not in text_of(later)
            assert {e.session for e in heard.of(DistillFinished)} == {talk.id}


async def test_another_loop_that_keeps_its_conversation_here_marks_what_is_said_off_and_is_not_given_it_on(
    tmp_path: Path,
) -> None:
    with ChatServer() as server:
        off = wire_home(tmp_path, server, mode="off")
        with off.sessions.new(tmp_path) as session:
            session.add("user", TOLD)
            session.add("assistant", "I see.")
            assert [item["content"] for item in session.items()] == [TOLD, "I see."]
            ref = session.id
        on = wire_home(tmp_path, server)
        on.index.catch_up()
        assert on.index.search("secret code word") == []
        with on.sessions.open(ref) as session:
            session.add("user", "And now?")
            assert [item["content"] for item in session.items()] == ["And now?"]
        off.close()
        on.close()
    await asyncio.sleep(0)
