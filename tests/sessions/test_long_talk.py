from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from sessions.events import CompactionFinished, TurnFailed, TurnFinished
from sessions.home import Home
from sessions.messages import Marker, UserMessage
from sessions.settings import ContextSettings
from sessions.store.log import read_log
from tests.bench.homes import WORDS
from tests.servers.chat_server import ChatServer, Reply, calls, stream, text, tokens_of, usage
from tests.sessions.hub_home import hub_of
from tests.sessions.wire_home import newest, system, text_of, wire_home

WINDOW = 32_000
TURNS = 300
TOLD = ("Ms. Okonkwo-Brandt", "4,711,083", "/srv/atlas/ledger-7.db")
pytestmark = pytest.mark.timeout(120)


def model(body: dict[str, Any], told: tuple[str, ...] = TOLD) -> Reply:
    """Writes long answers, and summaries that hold what of the told words it is given."""
    counted = (tokens_of(body), 400)
    if "You shorten a conversation" in system(body):
        kept = [word for word in told if word in newest(body)]
        return text(f"Kept: {'; '.join(kept)}.", tokens=counted)
    n = len(body["messages"])
    return stream({"content": " ".join(random.Random(n).choices(WORDS, k=220))}, tokens=counted)


def home_of(folder: Path, server: ChatServer, **context: Any) -> Home:
    home = wire_home(folder, server, window=WINDOW)
    home.settings = home.settings.__class__(
        agent=home.settings.agent,
        profiles=home.settings.profiles,
        memory=home.settings.memory,
        context=ContextSettings(**context),
    )
    return home


def summaries(server: ChatServer) -> list[dict[str, Any]]:
    return [body for body in server.requests if "You shorten a conversation" in system(body)]


async def test_three_hundred_turns_in_a_small_window_never_fail_and_the_first_is_not_forgotten(tmp_path: Path) -> None:
    random_ = random.Random(7)
    with ChatServer() as server:
        server.window, server.answer = WINDOW, model
        home = home_of(tmp_path, server)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            for turn in range(1, TURNS + 1):
                said = " ".join(random_.choices(WORDS, k=120))
                if turn == 1:
                    said = f"Ask {TOLD[0]} about invoice {TOLD[1]} in {TOLD[2]}. {said}"
                await hub.send(session, said)
                await heard.over(session, turn)
            path = home.paths.session_log(session)
            found = [e for e in heard if isinstance(e, CompactionFinished)]
            context = await hub.context(session)
        assert not [e for e in heard if isinstance(e, TurnFailed)]
        assert {e.stop for e in heard if isinstance(e, TurnFinished)} == {"stop"}
        assert server.refused == 0 and server.problems == []
        assert 3 <= len(found) <= 15 and all(e.tokens_after and e.tokens_after < WINDOW / 2 for e in found)
        first, *_, last = summaries(server)
        assert all(word in text_of(first) and word in text_of(last) for word in TOLD)
        assert all(word in context.request.summary for word in TOLD)
        assert max(map(tokens_of, server.requests)) < WINDOW
        read = read_log(path)
        assert read.problems == [] and sum(isinstance(r, UserMessage) for r in read.records) == TURNS
        assert len([r for r in read.records if isinstance(r, Marker) and r.kind == "compaction"]) == len(found)


async def test_what_the_summary_forgot_is_found_by_recall_of_the_history(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.window, server.answer = WINDOW, lambda body: model(body, ())
        home = home_of(tmp_path, server)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            for turn in range(1, 60):
                said = f"Ask {TOLD[0]}." if turn == 1 else " ".join(random.Random(turn).choices(WORDS, k=120))
                await hub.send(session, said)
                await heard.over(session, turn)
            assert summaries(server) and TOLD[0] not in text_of(server.requests[-1])
            other = (await hub.new(tmp_path)).id
            server.script(calls(("search_history", {"query": "Okonkwo-Brandt"})), text("Her."))
            await hub.send(other, "Whom was I to ask?")
            await heard.over(other)
            assert TOLD[0] in text_of(server.requests[-1])


async def test_a_refusal_before_the_estimate_says_so_is_answered_by_a_summary_and_not_by_an_error(
    tmp_path: Path,
) -> None:
    with ChatServer() as server:
        server.answer = lambda body: text(" ".join(random.Random(1).choices(WORDS, k=400)), tokens=None)
        home = home_of(tmp_path, server)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            for turn in range(1, 9):
                await hub.send(session, f"Question {turn}")
                await heard.over(session, turn)
            server.window = 7_000  # far less than the profile says
            await hub.send(session, "And now?")
            over = await heard.over(session, 9)
            assert isinstance(over, TurnFinished) and server.refused >= 1 and server.problems == []
            assert len(summaries(server)) >= 1


async def test_with_compaction_off_it_never_happens_and_the_refusal_is_explained(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.window, server.answer = WINDOW, model
        home = home_of(tmp_path, server, compact_at=0)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            for turn in range(1, 100):
                await hub.send(session, " ".join(random.Random(turn).choices(WORDS, k=120)))
                over = await heard.over(session, turn)
                if isinstance(over, TurnFailed):
                    break
            assert isinstance(over, TurnFailed) and "32,000 tokens" in over.error and "compact_at is 0" in over.advice
            assert summaries(server) == [] and server.refused == 1


async def test_a_long_session_taken_up_is_put_in_short_before_its_first_request(tmp_path: Path) -> None:
    with ChatServer() as server:
        server.answer = lambda body: model(body) if tokens_of(body) < 10**6 else Reply([usage(1, 1)])
        home = home_of(tmp_path, server, compact_at=0)
        async with hub_of(home) as (hub, heard):
            session = (await hub.new(tmp_path)).id
            for turn in range(1, 90):
                said = f"See {TOLD[2]}." if turn == 1 else " ".join(random.Random(turn).choices(WORDS, k=120))
                await hub.send(session, said)
                await heard.over(session, turn)
        server.window, sent = WINDOW, len(server.requests)
        home = home_of(tmp_path, server)
        async with hub_of(home) as (hub, heard):
            await hub.open(session)
            await hub.send(session, "Where were we?")
            assert isinstance(await heard.over(session), TurnFinished)
        later = server.requests[sent:]
        assert server.refused == 0 and len(later) == 2
        assert "You shorten a conversation" in system(later[0]) and TOLD[2] in system(later[1])
