from __future__ import annotations

import threading
from pathlib import Path

import pytest

from sessions.agent.replay import replay
from sessions.agent.trace import Trace
from sessions.erase.target import of_message
from sessions.errors import StoreError
from sessions.events import Event, SessionChanged, TurnFinished, TurnStarted
from sessions.messages import Marker, UserMessage
from sessions.store import catalog
from sessions.store.catalog import Meta
from sessions.store.log import LogWriter, read_log
from tests.sessions.agent.scripted import Scripted, calls, says
from tests.sessions.hub_home import ScriptedHome, hub_of, scripted_home
from tests.sessions.store.records import AT, SESSION, answer, first, user
from tests.waiting import until

TURNS = 60
SECRET = "My codeword is xylocarp, remember that."


def long_home(tmp_path: Path, *steps: object, window: int = 2_000) -> tuple[ScriptedHome, Scripted]:
    """A session of 60 turns of 10 KB."""
    home, model = scripted_home(tmp_path, *steps)
    model.context_window = window
    log = LogWriter.create(home.paths, SESSION, first(cwd=str(tmp_path)))
    for n in range(1, TURNS + 1):
        log.append(user(f"u{n}", SECRET if n == 2 else f"question {n}", n))
        log.append(answer(f"a{n}", f"answer {n} " + "word " * 2000, n))
        log.append(Marker(f"e{n}", AT, "turn_end", {"turn": n, "stop": "stop", "ms": 7}))
    log.close()
    return home, model


def begun(events: list[Event]) -> list[int]:
    return [event.turn for event in events if isinstance(event, TurnStarted)]


def log_of(home: ScriptedHome) -> Path:
    return home.paths.session_log(SESSION)


async def test_a_long_session_opens_at_its_end_and_gives_the_rest_part_by_part(tmp_path: Path) -> None:
    home, _ = long_home(tmp_path)
    async with hub_of(home) as (hub, _):
        state = await hub.open(SESSION)
        assert begun(state.events)[-1] == TURNS and 5 < len(begun(state.events)) < 20
        end, events = state.above, state.events
        while end:
            page = await hub.past.before(SESSION, 0, end)
            assert page is not None and page.end == end and page.start < end
            end, events = page.start, [*page.events, *events]
        assert events == list(replay(read_log(log_of(home)).records, SESSION))
        head = await hub.past.after(SESSION, 0, state.above)
        assert head is not None and begun(head.events)[0] == 1 and begun(head.events)[-1] < TURNS
        found = await hub.past.around(SESSION, "a7", state.above)
        assert found is not None and begun(found.events) == [7]
        assert await hub.past.around(SESSION, "nowhere", state.above) is None


async def test_the_turns_above_are_those_of_the_whole_log_and_have_their_steps_on_demand(tmp_path: Path) -> None:
    home, _ = long_home(tmp_path)
    whole = Trace(replay(read_log(log_of(home)).records, SESSION))
    async with hub_of(home) as (hub, _):
        for _ in range(2):
            state = await hub.open(SESSION)
            earlier = await hub.past.turns(SESSION, state.above)
            trace = Trace(state.events)
            trace.put_above(earlier.turns, earlier.taken_back)
            assert [t.number for t in trace.turns] == [t.number for t in whole.turns] and trace.usage == whole.usage
            turn = await hub.past.turn(SESSION, *(trace.turns[4].part or (0, 0)))
            assert turn is not None and trace.put_steps(turn) and trace.turns[4] == whole.turns[4]


async def test_the_model_gets_what_fits_and_the_words_typed_long_ago_still_ground_a_save(tmp_path: Path) -> None:
    fact = {"name": "codeword", "summary": "Codeword is xylocarp", "kind": "user", "quote": "My codeword is xylocarp"}
    home, _ = long_home(tmp_path, says("In short."), [calls(("save_memory", fact))], says("Saved."))
    async with hub_of(home) as (hub, heard):
        await hub.open(SESSION)
        view = await hub.context(SESSION, "and now?")
        assert view.left_out.older > TURNS - 10
        await hub.send(SESSION, "what was my codeword again?")
        await heard.over(SESSION)
        assert [f.summary for f in home.facts.snapshot().facts] == ["Codeword is xylocarp"]
        assert len(hub._live[SESSION].records) < TURNS * 3
        assert begun((await hub.state(SESSION)).events)[-1] == TURNS + 1


async def test_one_goes_back_to_any_message_and_never_further(tmp_path: Path) -> None:
    home, _ = long_home(tmp_path, says("Again."))
    async with hub_of(home) as (hub, heard):
        state = await hub.open(SESSION)
        oldest = begun(state.events)[0]
        await hub.edit(SESSION, f"u{oldest}", "at the seam")
        await heard.over(SESSION)
        marker = next(r for r in read_log(log_of(home)).records if isinstance(r, Marker) and r.kind == "rewound")
        assert marker.data == {"to": f"e{oldest - 1}"}
        await hub.edit(SESSION, "u9", "far up")
        await heard.over(SESSION, 2)
        rewound = [r for r in read_log(log_of(home)).records if isinstance(r, Marker) and r.kind == "rewound"]
        assert rewound[-1].data == {"to": "e8"}
        state = await hub.state(SESSION)
        assert state.above == 0 or begun(state.events)[0] <= 8
    async with hub_of(home) as (hub, _):
        opened = await hub.open(SESSION)
        assert Trace(opened.events).turns[-1].text == "far up" and begun(opened.events)[0] <= 9


async def test_what_another_program_takes_back_far_up_is_followed(tmp_path: Path) -> None:
    home, _ = long_home(tmp_path)
    writer = LogWriter.open(home.paths, SESSION)
    async with hub_of(home) as (hub, heard):
        state = await hub.open(SESSION)
        assert state.above and not state.writable
        writer.append(Marker("back", AT, "rewound", {"to": "e5"}))
        writer.append(UserMessage("new", AT, TURNS + 1, "from there"))
        await until(lambda: heard.of(TurnStarted), "the other's message")
        trace = Trace((await hub.state(SESSION)).events)
        assert [t.text for t in trace.turns][-2:] == ["question 5", "from there"]
        writer.close()
        await until(lambda: heard.of(TurnFinished), "it is taken over")


async def test_after_an_erasing_the_rest_is_where_it_is_now(tmp_path: Path) -> None:
    home, _ = long_home(tmp_path)
    async with hub_of(home) as (hub, heard):
        before = await hub.open(SESSION)
        earlier = await hub.past.turns(SESSION, before.above)
        await hub.keeping.erase(await hub.keeping.survey(lambda h: of_message(h, SESSION, "u2")))
        await until(lambda: [e for e in heard.of(SessionChanged) if e.what.get("erased")], "it is told")
        state = await hub.state(SESSION)
        assert state.above < before.above and begun(state.events) == begun(before.events)
        again = await hub.past.turns(SESSION, state.above)
        assert [t.number for t in again.turns] == [t.number for t in earlier.turns] and again.turns[1].text == ""
        page = await hub.past.before(SESSION, 0, state.above)
        assert page is not None and begun(page.events)[-1] == begun(state.events)[0] - 1


async def test_a_log_that_is_gone_is_said_and_takes_nothing_along(tmp_path: Path) -> None:
    home, _ = long_home(tmp_path)
    async with hub_of(home) as (hub, _):
        state = await hub.open(SESSION)
        log_of(home).unlink()
        try:
            await hub.past.before(SESSION, 0, state.above)
        except StoreError as error:
            assert "cannot be read" in str(error)
        else:
            raise AssertionError("nothing was said")
        assert begun((await hub.state(SESSION)).events)[-1] == TURNS


async def test_a_large_log_that_grew_unnoticed_opens_without_being_read_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "_LARGE", 100_000)
    home, _ = long_home(tmp_path)
    home.catalog.refresh(SESSION)
    log = LogWriter.open(home.paths, SESSION)
    log.append(Marker("named", AT, "meta", {"title": "Named since", "memory": "read-only"}))
    log.append(user("last", "and this", TURNS + 1))
    log.close()
    read = threading.Event()
    refresh = home.catalog.refresh

    def later(session: str) -> Meta:
        read.wait(10)
        return refresh(session)

    monkeypatch.setattr(home.catalog, "refresh", later)
    for file in (None, home.paths.session_meta(SESSION)):
        if file is not None:
            # Not even what was known before is there.
            file.unlink()
            home.catalog._folds.clear()
        async with hub_of(home) as (hub, _):
            state = await hub.open(SESSION)
            assert (state.title, state.memory) == ("Named since", "read-only") and state.cwd == tmp_path
            read.set()
            live = hub._live[SESSION]
            await until(lambda live=live: live.known.meta and live.known.meta.turns == TURNS + 1, "it was read")
        read.clear()
