from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.erase import of_message
from sessions.errors import StoreError, UsageError
from sessions.events import Rewound, SessionChanged, TurnStarted
from sessions.hub import SessionHub
from sessions.memory.fact import By, Draft
from sessions.messages import AssistantMessage, Marker, Usage, UserMessage
from sessions.providers.base import Finished, TextPiece
from sessions.store.log import read_log
from tests.sessions.agent.scripted import calls, echo, says
from tests.sessions.hub_home import Heard, ScriptedHome, hub_of, scripted_home
from tui.chat.document import Document


def lines(home: ScriptedHome, session: str) -> list[bytes]:
    return home.paths.session_log(session).read_bytes().splitlines()


def contents(request: Any) -> list[str]:
    return [m.content for m in request.messages]


async def talk(hub: SessionHub, heard: Heard, session: str, *texts: str) -> None:
    for text in texts:
        over = len(heard.of(TurnStarted, session))
        await hub.send(session, text)
        await heard.over(session, over + 1)


async def same_as_reopened(home: ScriptedHome, heard: Heard, session: str) -> None:
    live = Document()
    live.load(e for e in heard if e.session == session and not isinstance(e, SessionChanged))
    async with hub_of(home) as (hub, _):
        state = await hub.open(session)
    again = Document()
    again.load(e for e in state.events if not isinstance(e, SessionChanged))
    assert again == live


async def test_a_retry_says_the_newest_message_again_and_the_old_answer_is_not_sent(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("One."), says("Wrong."), says("Right."), says("Then."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await talk(hub, heard, session, "first")
        await hub.send(session, "second", typed=[(0, 3)])
        await heard.over(session, 2)
        before = lines(home, session)
        await hub.retry(session)
        await heard.over(session, 3)
        await talk(hub, heard, session, "third")
    assert contents(model.requests[2]) == ["first", "One.", "second"]
    assert contents(model.requests[3]) == ["first", "One.", "second", "Right.", "third"]
    after = lines(home, session)
    assert after[: len(before)] == before, "the log only grew"
    said = [r for r in read_log(home.paths.session_log(session)).records if isinstance(r, UserMessage)]
    assert [m.typed for m in said] == [None, ((0, 3),), ((0, 3),), None]
    await same_as_reopened(home, heard, session)


async def test_the_first_message_of_a_session_can_be_said_again(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("Wrong."), says("Right."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await talk(hub, heard, session, "only")
        await hub.retry(session)
        await heard.over(session, 2)
        await hub.rename(session, "Mine")
        new = await hub.fork(session)
        state = await hub.open(new)
        assert state.title == "Mine · fork at turn 1"
        await talk(hub, heard, new, "more")
    assert contents(model.requests[1]) == ["only"]
    assert contents(model.requests[2]) == ["only", "Right.", "more"], "also in a copy of the log"
    await same_as_reopened(home, heard, session)


async def test_a_retry_answers_with_memory_as_it_is_now(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("Tokyo."), says("Osaka."))
    by = By(origin="user")
    home.facts.save(Draft("city", "Lives in Tokyo", "preference"), by=by)
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await talk(hub, heard, session, "Where do I live?")
        home.facts.edit("city", by=by, summary="Lives in Osaka")
        await hub.retry(session)
        await heard.over(session, 2)
    assert "Lives in Tokyo" in model.requests[0].system and "Lives in Osaka" not in model.requests[0].system
    assert "Lives in Osaka" in model.requests[1].system and "Lives in Tokyo" not in model.requests[1].system


async def test_an_earlier_message_is_said_otherwise_and_all_after_it_leaves_the_context(tmp_path: Path) -> None:
    steps = [says("A."), [calls(("echo", {"text": "x"}))], says("B."), says("C."), says("D."), says("E.")]
    home, model = scripted_home(tmp_path, *steps)
    home.more_tools.append(echo())
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await talk(hub, heard, session, "one", "two", "three")
        two = heard.of(TurnStarted)[1].message
        await hub.edit(session, two, "zwei", typed=[(0, 4)])
        await heard.over(session, 4)
        with pytest.raises(UsageError, match="not in this conversation"):
            await hub.edit(session, two, "deux")
        await talk(hub, heard, session, "drei")
    assert contents(model.requests[-1]) == ["one", "A.", "zwei", "D.", "drei"]
    records = read_log(home.paths.session_log(session)).records
    assert [r.content for r in records if isinstance(r, AssistantMessage) and r.content] == [
        "A.",
        "B.",
        "C.",
        "D.",
        "E.",
    ]
    await same_as_reopened(home, heard, session)


async def test_a_rewind_takes_back_the_last_turn_and_gives_its_message(tmp_path: Path) -> None:
    told = [TextPiece("A."), Finished("stop", usage=Usage(10, 5))]
    home, model = scripted_home(tmp_path, told, [TextPiece("B."), Finished("stop", usage=Usage(30, 5))], says("C."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        with pytest.raises(UsageError, match="Nothing was said"):
            await hub.rewind(session)
        await talk(hub, heard, session, "one", "two")
        assert (await hub.rewind(session)).content == "two"
        assert hub.context_use(session).tokens == 15, "what the model reported for the turn that is left"
        await same_events(hub, heard, session)
        assert (await hub.rewind(session)).content == "one"
        with pytest.raises(UsageError, match="Nothing was said"):
            await hub.retry(session)
        await talk(hub, heard, session, "new")
        assert len(heard.of(Rewound)) == 2
    assert contents(model.requests[2]) == ["new"]
    await same_as_reopened(home, heard, session)


async def same_events(hub: SessionHub, heard: Heard, session: str) -> None:
    state = await hub.state(session)
    assert [e for e in state.events if isinstance(e, Rewound)] == heard.of(Rewound)


async def test_while_a_turn_runs_nothing_is_taken_back(tmp_path: Path) -> None:
    gate = asyncio.Event()
    home, _ = scripted_home(tmp_path, [TextPiece("1"), gate])
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await hub.send(session, "one")
        for change in (hub.retry(session), hub.rewind(session), hub.edit(session, "m", "x")):
            with pytest.raises(UsageError, match="A turn is running"):
                await change
        gate.set()
        await heard.over(session)
    assert not any(
        isinstance(r, Marker) and r.kind == "rewound" for r in read_log(home.paths.session_log(session)).records
    )


async def test_a_retry_right_at_the_end_of_a_turn_is_not_lost(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("A."), says("B."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        async with hub.subscribe(session) as events:
            await hub.send(session, "one")
            async for event in events:
                if type(event).__name__ == "TurnFinished":
                    await hub.retry(session)
                    break
        await heard.over(session, 2)
    assert contents(model.requests[1]) == ["one"]


async def test_going_back_before_a_compaction_or_a_clear_undoes_its_effect(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("A."), says("B."), says("C."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await talk(hub, heard, session, "one", "two")
        await hub.clear(session)
        await hub.edit(session, heard.of(TurnStarted)[1].message, "zwei")
        await heard.over(session, 3)
    assert contents(model.requests[2]) == ["one", "A.", "zwei"]


async def test_a_fork_goes_on_by_itself_from_the_end_of_the_named_turn(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("A."), says("B."), says("C."), says("D."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await talk(hub, heard, session, "one", "two")
        whole = await hub.fork(session)
        part = await hub.fork(session, heard.of(TurnStarted)[0].message)
        before = lines(home, session)
        for new in (whole, part):
            await hub.open(new)
            await hub.send(new, "three")
            await heard.over(new)
        assert lines(home, session) == before
        with pytest.raises(StoreError, match="no message"):
            await hub.fork(session, "nothing")
        metas = {m.id: m for m in home.catalog.list()}
    assert contents(model.requests[2]) == ["one", "A.", "two", "B.", "three"]
    assert contents(model.requests[3]) == ["one", "A.", "three"]
    assert metas[whole].forked_from == metas[part].forked_from == session
    assert [metas[s].title for s in (session, whole, part)] == ["one", "one · fork at turn 2", "one · fork at turn 1"]
    assert [metas[s].turns for s in (session, whole, part)] == [2, 1, 1]


async def test_forks_of_one_place_and_forks_of_forks_have_titles_of_their_own(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, says("A."), says("B."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await talk(hub, heard, session, "one")
        await hub.rename(session, "Ferries")
        first = await hub.fork(session)
        second = await hub.fork(session)
        await hub.open(second)
        await hub.send(second, "two")
        await heard.over(second)
        await hub.idle(second)
        third = await hub.fork(second)
        titles = [(await hub.open(s)).title for s in (first, second, third)]
    assert titles == ["Ferries · fork at turn 1", "Ferries · fork at turn 1 (2)", "Ferries · fork at turn 2"]


async def test_when_what_a_fork_is_named_after_is_erased_so_is_its_title(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, says("A."), says("B."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await talk(hub, heard, session, "my zebra codeword", "two")
        new = await hub.fork(session)
        message = heard.of(TurnStarted)[0].message
        found = await hub.keeping.survey(lambda h: of_message(h, session, message))
        await hub.keeping.erase(found)
    assert b"zebra" not in home.paths.session_log(new).read_bytes()
    assert "zebra" not in home.catalog.refresh(new).title


async def test_a_fork_can_begin_in_a_way_that_was_left(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("A."), says("B."), says("C."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path)).id
        await talk(hub, heard, session, "one")
        await hub.retry(session)
        await heard.over(session, 2)
        new = await hub.fork(session, heard.of(TurnStarted)[0].message)
        await hub.open(new)
        await talk(hub, heard, new, "more")
    assert contents(model.requests[2]) == ["one", "A.", "more"]


@pytest.mark.parametrize("private", [True, False])
async def test_a_session_without_a_file_is_not_forked_and_a_private_one_goes_back(
    tmp_path: Path, private: bool
) -> None:
    home, model = scripted_home(tmp_path, says("A."), says("B."))
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(tmp_path, private=private)).id
        with pytest.raises(StoreError, match="no session"):
            await hub.fork(session)
        if private:
            await talk(hub, heard, session, "one")
            await hub.retry(session)
            await heard.over(session, 2)
            assert contents(model.requests[1]) == ["one"]
            assert not home.paths.session_log(session).exists()


STEPS = st.lists(
    st.one_of(
        st.just(("send", 0)),
        st.just(("retry", 0)),
        st.just(("rewind", 0)),
        st.tuples(st.sampled_from(["edit", "fork", "fork-at"]), st.integers(0, 5)),
    ),
    max_size=12,
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=STEPS)
def test_any_sequence_keeps_requests_well_formed_and_loses_no_line(
    steps: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    asyncio.run(_any_sequence(steps, tmp_path_factory.mktemp("any")))


async def _any_sequence(steps: list[tuple[str, int]], folder: Path) -> None:
    script = [
        [calls(("echo", {"text": "x"}))] if i % 3 else [TextPiece(f"answer {i}"), Finished("stop")] for i in range(99)
    ]
    home, model = scripted_home(folder, *script)
    home.more_tools.append(echo())
    known: dict[str, list[bytes]] = {}
    line: list[str] = []
    """What the person said, as far as it was not taken back."""
    async with hub_of(home) as (hub, heard):
        session = (await hub.new(folder)).id
        for number, (what, at) in enumerate(steps):
            turns = len(heard.of(TurnStarted, session))
            ids = [e.message for e in heard.of(TurnStarted)]
            asked = len(model.requests)
            with contextlib.suppress(UsageError, StoreError):
                if what == "send":
                    await hub.send(session, f"said {number}")
                    line.append(f"said {number}")
                elif what == "retry":
                    await hub.retry(session)
                elif what == "rewind":
                    await hub.rewind(session)
                    line.pop()
                elif what == "edit" and ids:
                    wanted = ids[at % len(ids)]
                    text = next(e.text for e in heard.of(TurnStarted) if e.message == wanted)
                    await hub.edit(session, wanted, f"said {number}")
                    line[line.index(text) :] = [f"said {number}"]
                elif what == "fork":
                    session = await hub.fork(session)
                    await hub.open(session)
                    turns = 0
                elif what == "fork-at" and ids:
                    await hub.fork(session, ids[at % len(ids)])
            if hub.running(session) or hub.queued(session):
                await heard.over(session, turns + 1)
            if len(model.requests) > asked:
                users = [m.content for m in model.requests[-1].messages if isinstance(m, UserMessage)]
                assert users == line
            for path in home.paths.sessions.glob("*.jsonl"):
                now = path.read_bytes().splitlines()
                assert now[: len(known.get(path.stem, []))] == known.get(path.stem, []), "the log only grew"
                known[path.stem] = now
        left = list(known)
    async with hub_of(home) as (hub, _):
        for session in left:
            state = await hub.open(session)
            shown = Document()
            shown.load(state.events)
            assert len({e.message for e in state.events if isinstance(e, TurnStarted)}) == _prompts(shown)


def _prompts(document: Document) -> int:
    """All prompts that can be reached, in whichever way."""

    def count(blocks: Any) -> int:
        found = 0
        for block in blocks:
            found += type(block).__name__ == "Prompt"
            found += sum(count(way) for way in getattr(block, "older", ()))
        return found

    return count(document.blocks)
