from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sessions.hub import SessionHub
from sessions.settings import ContextSettings
from sessions.store.catalog import derive
from sessions.store.log import read_log
from tests.servers.chat_server import calls, text
from tests.sessions.hub.test_where_words_go import CANARY, PLAIN, Two, two
from tests.sessions.hub_home import Heard

__all__ = ["two"]
OTHER = "I keep parakeets next to the boiler, too."


async def talk(two: Two, hub: SessionHub, heard: Heard, session: str, *words: str, turn: int = 1) -> None:
    for n, one in enumerate(words, turn):
        await hub.send(session, one)
        await heard.over(session, n)


async def test_turns_told_to_a_model_here_are_left_out_for_one_elsewhere_until_the_person_agrees(two: Two) -> None:
    async with two.day("local") as (hub, heard):
        session = (await hub.new(two.home.paths.root)).id
        two.local.script(text("Nice birds, parakeets."), text("Yes."))
        await talk(two, hub, heard, session, CANARY)
        await hub.set_profile(session, "remote")
        assert (await hub.state(session)).stays == 1
        two.remote.script(text("Good."), text("Fine."), text("I see."))
        await talk(two, hub, heard, session, PLAIN, turn=2)
        view = await hub.context(session, "And?")
        assert view.left_out.here == 1 and "parakeet" not in str(view)
        # What is told to the local model in between stays here, too, and that one sees all.
        await hub.set_profile(session, "local")
        await talk(two, hub, heard, session, OTHER, turn=3)
        assert "attic" in json.dumps(two.local.requests[-1]) and "chess" in json.dumps(two.local.requests[-1])
        await hub.set_profile(session, "remote")
        await talk(two, hub, heard, session, "And now?", turn=4)
        assert "parakeet" not in two.wire() and "boiler" not in two.wire()
        assert [m["role"] for m in two.remote.requests[-1]["messages"]] == ["system", "user", "assistant", "user"]
        await hub.set_share(session, "any")
        assert (await hub.state(session)).stays == 0
        await talk(two, hub, heard, session, "Tell me all.", turn=5)
        assert "attic" in two.wire() and "boiler" in two.wire()
    meta = derive(session, read_log(two.home.paths.session_log(session)).records)
    assert (meta.share, meta.here) == ("any", True)


async def test_a_session_taken_up_with_a_model_elsewhere_gives_it_nothing_of_what_was_told_here(two: Two) -> None:
    async with two.day("local") as (hub, heard):
        session = (await hub.new(two.home.paths.root)).id
        two.local.script(text("Nice."), text("Yes."))
        await talk(two, hub, heard, session, CANARY, OTHER)
    async with two.day("remote") as (hub, heard):
        state = await hub.open(session)
        assert (state.place, state.stays, state.share) == ("127.1", 2, "")
        two.remote.script(text("Good."), text("Sure."))
        await talk(two, hub, heard, session, PLAIN)
        hub.compact(session)
        await hub.idle(session)
        await hub.retry(session)
        await hub.idle(session)
    assert len(two.remote.requests) == 2 and "parakeet" not in two.wire()


async def test_a_summary_made_here_is_not_sent_elsewhere_and_one_made_elsewhere_hides_nothing_here(two: Two) -> None:
    two.home.settings = replace(two.home.settings, context=ContextSettings(compact_at=0.82))
    async with two.day("local") as (hub, heard):
        session = (await hub.new(two.home.paths.root)).id
        two.local.script(text("Nice."), text("Yes."), text("In short: parakeets in the attic."), text("Well."))
        await talk(two, hub, heard, session, CANARY, OTHER)
        hub.compact(session)
        await hub.idle(session)
        await hub.set_profile(session, "remote")
        two.remote.script(text("Good."), text("Great."), text("In short: chess."), text("Hm."))
        await talk(two, hub, heard, session, PLAIN, "I play it well.", turn=3)
        hub.compact(session)
        await hub.idle(session)
        await talk(two, hub, heard, session, "And?", turn=5)
        assert "parakeet" not in two.wire() and "In short: chess." in json.dumps(two.remote.requests[-1])
        await hub.set_profile(session, "local")
        await talk(two, hub, heard, session, "What do I keep?", turn=6)
        sent = json.dumps(two.local.requests[-1])
        assert "parakeets in the attic" in sent and "In short: chess." not in sent and "chess on Fridays" in sent
    assert two.remote.problems == two.local.problems == []


@pytest.mark.parametrize("share", [None, "local", "any"])
async def test_a_model_elsewhere_finds_nothing_in_past_sessions_with_models_here_unless_they_are_shared(
    two: Two, share: str | None
) -> None:
    history = replace(two.home.settings.history, share=share)  # type: ignore[arg-type]
    two.home.settings = replace(two.home.settings, history=history)
    async with two.day("local") as (hub, heard):
        told, shared = [(await hub.new(two.home.paths.root)).id for _ in range(2)]
        two.local.script(text("Nice."), text("Good bird."))
        await talk(two, hub, heard, told, CANARY)
        await talk(two, hub, heard, shared, "My canary sings in the kitchen all day.")
        await hub.set_share(shared, "any")
    async with two.day("remote") as (hub, heard):
        past = (await hub.new(two.home.paths.root)).id
        asked = {"query": "parakeets canary sing attic kitchen chess"}
        two.remote.script(text("Good."), calls(("search_history", asked)), text("Found."))
        await talk(two, hub, heard, past, PLAIN)
        mine = (await hub.new(two.home.paths.root)).id
        await talk(two, hub, heard, mine, "What did I say of birds?")
        result = next(m["content"] for m in two.remote.requests[-1]["messages"] if m["role"] == "tool")
        assert "kitchen all day" in result and "chess on Fridays" in result
        assert ("in the attic" in result) is (share == "any")
        assert ("was not searched" in result) is (share != "any")
        two.local.script(calls(("search_history", asked)), text("Found."))
        await hub.set_profile(mine, "local")
        await talk(two, hub, heard, mine, "And you?", turn=2)
        assert "in the attic" in json.dumps(two.local.requests[-1])


def test_a_session_is_known_by_its_answers_to_stay_or_else_by_its_profile(two: Two, tmp_path: Path) -> None:
    from sessions.store.meta import Meta

    stays = two.home.stays_here
    assert (
        stays(Meta("a", here=True))
        and not stays(Meta("a", here=False))
        and not stays(Meta("a", here=True, share="any"))
    )
    assert stays(Meta("a", profile="local")) and stays(Meta("a", profile="gone")) and stays(Meta("a", profile="guide"))
    assert not stays(Meta("a", profile="remote")) and not stays(Meta("a", source={"kind": "codex"}))
