from __future__ import annotations

import asyncio
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sessions.errors import LockedError, StoreError, UsageError
from sessions.events import (
    FactWritten,
    Notice,
    SessionChanged,
    TextDelta,
    ToolCallFinished,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from sessions.hub.shared import Outgoing
from sessions.memory.fact import By, Draft
from sessions.messages import Marker, UserMessage
from sessions.providers.base import TextPiece
from sessions.settings import AgentSettings, Profile, Settings
from sessions.store.log import LogWriter, read_log
from tests.sessions.agent.scripted import NOW, Scripted, calls, says, tool
from tests.sessions.hub_home import ScriptedHome, hub_of, scripted_home
from tests.waiting import until


def files(home: ScriptedHome) -> set[str]:
    return {p.name for p in home.paths.sessions.rglob("*") if p.is_file()}


async def test_an_empty_session_leaves_no_file_and_the_first_message_makes_it(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, says("Hi."))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.set_memory(state.id, "read-only")
        assert files(home) == set()
        assert (state.title, state.writable, state.profile, state.place) == ("", True, "guide", "this machine")
        await hub.send(state.id, "Plan the trip to Oslo", typed=[(0, 4)])
        await heard.over(state.id)
        assert heard.of(TurnFinished)[0].text == "Hi."
        await until(lambda: [e.what for e in heard.of(SessionChanged) if "title" in e.what], "the title")
        assert heard.of(SessionChanged)[-1].what == {"title": "Plan the trip to Oslo"}
        first, said, *_ = read_log(home.paths.session_log(state.id)).records
        assert isinstance(first, Marker) and first.data["memory"] == "read-only"
        assert first.data["cwd"] == str(tmp_path) and first.data["profile"] == "guide"
        assert isinstance(said, UserMessage) and said.typed == ((0, 4),)
    again = await _state(home, state.id)
    assert (again.title, again.memory, again.cwd) == ("Plan the trip to Oslo", "read-only", tmp_path)


async def _state(home: ScriptedHome, session: str, **options: Any) -> Any:
    async with hub_of(home, **options) as (hub, _):
        return await hub.open(session)


async def test_a_session_goes_on_after_a_restart_with_the_same_events(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("One."), says("Two."))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "first")
        await heard.over(state.id)
        live = [e for e in heard if not isinstance(e, SessionChanged)]
    async with hub_of(home) as (hub, heard):
        opened = await hub.open(state.id)
        assert opened.events == live
        assert hub.context_use(state.id).window == 100_000 and hub.context_use(state.id).tokens > 0
        await hub.send(state.id, "second")
        assert (await heard.over(state.id)).turn == 2
    assert [m.content for m in model.requests[1].messages] == ["first", "One.", "second"]


async def test_messages_sent_during_a_turn_wait_and_the_newest_can_be_taken_back(tmp_path: Path) -> None:
    gate = asyncio.Event()
    home, _ = scripted_home(tmp_path, [TextPiece("1"), gate], says("2"))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "a")
        await until(lambda: heard.of(TextDelta), "the first answer begins")
        for text in ("b", "c"):
            await hub.send(state.id, text)
        assert hub.queued(state.id) == ["b", "c"] and hub.unqueue(state.id) == Outgoing("c", None)
        during = await hub.state(state.id)
        assert during.running and during.queued == ("b",)
        assert [type(e).__name__ for e in during.events] == ["TurnStarted", "StepStarted", "TextDelta"]
        gate.set()
        await heard.over(state.id, 2)
        assert [e.text for e in heard.of(TurnStarted)] == ["a", "b"]
        assert [e.what["queued"] for e in heard.of(SessionChanged) if "queued" in e.what] == [
            *(["b"], ["b", "c"], ["b"], [])
        ]


async def test_two_sessions_run_at_once_each_with_a_provider_of_its_own(tmp_path: Path) -> None:
    gate = asyncio.Event()
    made: list[Scripted] = []

    def models(profile: str, model: str) -> Scripted:
        made.append(Scripted([TextPiece("a"), gate], profile=profile))
        return made[-1]

    home = ScriptedHome(tmp_path / "home", models)
    async with hub_of(home) as (hub, heard):
        one, two = await hub.new(tmp_path), await hub.new(tmp_path)
        await hub.send(one.id, "x")
        await hub.send(two.id, "y")
        await until(lambda: sum(m.streaming for m in made) == 2, "both answer")
        assert [m.streaming for m in made] == [1, 1]
        gate.set()
        await heard.over(one.id)
        await heard.over(two.id)
    assert all(m.closed for m in made)


async def test_cancel_ends_within_a_tenth_of_a_second_while_a_tool_blocks_a_thread(tmp_path: Path) -> None:
    free, entered = threading.Event(), threading.Event()

    def block() -> str:
        entered.set()
        free.wait(20)
        return "late"

    home, _ = scripted_home(tmp_path, *[[calls(("block", {}))]] * 3, says("Next."))
    home.more_tools = [tool("block", lambda *_: asyncio.to_thread(block))]
    took_s: list[float] = []
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        for turn in (1, 2, 3):
            entered.clear()
            await hub.send(state.id, "go")
            await until(entered.is_set, "the tool is in its thread")
            start = time.monotonic()
            hub.cancel(state.id)
            assert (await heard.over(state.id, turn)).stop == "cancelled"
            took_s.append(time.monotonic() - start)
        await hub.send(state.id, "again")
        assert (await heard.over(state.id, 4)).text == "Next."
        free.set()
    assert min(took_s) < 0.1, "the best of three: others may use the machine as well"


async def test_a_session_held_by_another_program_is_followed_and_taken_over_when_it_lets_go(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, says("One."))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "first")
        await heard.over(state.id)
    writer = LogWriter.open(home.paths, state.id)
    async with hub_of(home) as (hub, heard):
        opened = await hub.open(state.id)
        assert not opened.writable and "another program" in opened.holder_note
        assert len(opened.events) == 5
        with pytest.raises(LockedError):
            await hub.send(state.id, "me too")
        await hub.rename(state.id, "Named from outside")
        writer.append(UserMessage("m9", "2026-11-29T17:20:00.000Z", 2, "from the other"))
        await until(lambda: heard.of(TurnStarted), "the other's message")
        assert heard.of(TurnStarted)[0].text == "from the other"
        writer.close()
        await until(lambda: [e for e in heard.of(SessionChanged) if e.what.get("writable")], "it can be written")
        assert heard.of(TurnFinished)[-1].stop == "cancelled"
        await hub.send(state.id, "mine")
        assert (await heard.over(state.id, 2)).turn == 3
        assert (await hub.state(state.id)).title == "Named from outside"


async def test_leaving_a_session_gives_it_free(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, says("One."))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "first")
        await heard.over(state.id)
        await until(lambda: not hub.running(state.id), "it rests")
        await hub.leave(state.id)
        LogWriter.open(home.paths, state.id, wait_s=0).close()
        assert (await hub.open(state.id)).writable


async def test_a_private_session_keeps_nothing_and_still_talks(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("One."), says("Two."))
    async with hub_of(home, private=True) as (hub, heard):
        state = await hub.new(tmp_path)
        assert state.private
        for turn, text in enumerate(("a secret", "another"), 1):
            await hub.send(state.id, text)
            await heard.over(state.id, turn)
        await until(lambda: heard.of(SessionChanged), "the title")
        kept = [p for p in home.paths.root.rglob("*") if p.is_file()]
        assert not [p for p in kept if b"secret" in p.read_bytes() or state.id in p.name] and files(home) == set()
        assert {t.name for t in model.requests[0].tools} & {"save_memory", "delete_memory"} == set()
        assert [m.content for m in model.requests[1].messages] == ["a secret", "One.", "another"]
        assert len((await hub.state(state.id)).events) == 10


async def test_a_private_session_writes_no_trace_of_a_failure(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, [KeyError("secret words")])
    async with hub_of(home, private=True) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "x")
        assert isinstance(await heard.over(state.id), TurnFailed)
    assert not home.paths.log_file.exists()


async def test_memory_modes_follow_option_then_session_then_settings(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("1"), says("2"), overrides={"memory.mode": "read-only"})
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        assert state.memory == "read-only"
        await hub.send(state.id, "a")
        await heard.over(state.id)
        assert [t.name for t in model.requests[0].tools] == ["recall_memory", "get_weather", "search_history"]
        await hub.set_memory(state.id, "off")
        await hub.send(state.id, "b")
        await heard.over(state.id, 2)
        assert [t.name for t in model.requests[1].tools] == ["get_weather"]
        assert {"memory": "off"} in [e.what for e in heard.of(SessionChanged)]
    assert (await _state(home, state.id)).memory == "off"
    assert (await _state(home, state.id, memory="on")).memory == "on"
    said = [r.memory for r in read_log(home.paths.session_log(state.id)).records if isinstance(r, UserMessage)]
    assert said == ["read-only", "off"]


async def test_a_persons_change_of_the_facts_reaches_the_next_turn(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("1"), says("2"))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "a")
        await heard.over(state.id)
        draft = Draft("lives-in-tokyo", "Lives in Tokyo", "preference")
        change = await hub.run(home.facts.save, draft, by=By("user"))
        hub.facts_changed()
        event = FactWritten(session="", names=(change.fact.name,), numbers=(change.fact.number,), op="created")
        await hub.tell(state.id, event)
        await until(lambda: heard.of(FactWritten), "the fact is told")
        await hub.send(state.id, "b")
        assert (await heard.over(state.id, 2)).always_sent == 1
    assert "Tokyo" not in model.requests[0].system and "Tokyo" in model.requests[1].system
    markers = [r for r in read_log(home.paths.session_log(state.id)).records if isinstance(r, Marker)]
    assert [m.data["name"] for m in markers if m.kind == "fact"] == ["lives-in-tokyo"]


async def test_a_profile_that_cannot_be_used_fails_the_turn_and_keeps_the_message(tmp_path: Path) -> None:
    def models(profile: str, model: str) -> Scripted:
        raise UsageError("The key FOO_KEY is not set", "export FOO_KEY=…")

    home = ScriptedHome(tmp_path / "home", models)
    async with hub_of(home) as (hub, heard):
        with pytest.raises(UsageError, match="nothere"):
            await hub.new(tmp_path, profile="nothere")
        state = await hub.new(tmp_path)
        await hub.send(state.id, "hello")
        failed = await heard.over(state.id)
        assert (failed.error, failed.advice) == ("The key FOO_KEY is not set", "export FOO_KEY=…")
    assert isinstance(read_log(home.paths.session_log(state.id)).records[1], UserMessage)


async def test_another_profile_answers_from_the_next_turn_on_and_after_a_restart(tmp_path: Path) -> None:
    profiles = {name: Profile(name, model=f"{name}-m") for name in ("a", "b")}
    settings = Settings(agent=AgentSettings(profile="a"), profiles=profiles)
    home = ScriptedHome(tmp_path / "home", lambda p, m: Scripted(says(p), says(p), profile=p), settings=settings)
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        for turn, profile in enumerate(("a", "b"), 1):
            await hub.set_profile(state.id, profile)
            await hub.send(state.id, "who?")
            assert (await heard.over(state.id, turn)).text == profile
    assert (await _state(home, state.id)).profile == "b"
    home.settings = Settings()
    opened = await _state(home, state.id)
    assert opened.profile == "guide"
    assert "answers now" in next(e for e in opened.events if isinstance(e, Notice)).text


async def test_a_missing_folder_and_a_missing_session_are_said(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, says("1"))
    gone = tmp_path / "gone"
    gone.mkdir()
    async with hub_of(home) as (hub, heard):
        state = await hub.new(gone)
        await hub.send(state.id, "a")
        await heard.over(state.id)
    gone.rmdir()
    opened = await _state(home, state.id)
    assert opened.cwd_missing and "no longer there" in opened.events[-1].text
    async with hub_of(home) as (hub, _):
        for wrong in ("20200101-000000-abcdef", "../../etc/passwd"):
            with pytest.raises(StoreError):
                await hub.open(wrong)


async def test_a_log_with_bad_lines_opens_and_says_how_many(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, says("1"))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "a")
        await heard.over(state.id)
    with home.paths.session_log(state.id).open("ab") as file:
        file.write(b"not json\n")
    opened = await _state(home, state.id)
    assert isinstance(opened.events[0], Notice) and "1 line" in opened.events[0].text


async def test_closing_during_a_turn_keeps_what_came(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, [TextPiece("Half"), asyncio.Event()])
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "a")
        await until(lambda: heard.of(TextDelta), "it answers")
    assert heard.of(TurnFinished)[0].stop == "cancelled"
    opened = await _state(home, state.id)
    assert [e.text for e in opened.events if isinstance(e, TextDelta)] == ["Half"]


async def test_the_start_lines_know_what_to_continue_and_what_waits(tmp_path: Path) -> None:
    home, _ = scripted_home(tmp_path, *[says(str(i)) for i in range(4)])
    here, there = tmp_path / "here", tmp_path / "there"
    made = []
    async with hub_of(home) as (hub, heard):
        for i, cwd in enumerate((there, here, there, there)):
            cwd.mkdir(exist_ok=True)
            home.at(NOW + timedelta(minutes=i))
            state = await hub.new(cwd)
            await hub.send(state.id, f"talk {i}")
            await heard.over(state.id)
            await until(lambda s=state: not hub.running(s.id), "it is in the list")
            made.append(state.id)
        for name, days in (("soon", 3), ("late", -1), ("far", 4), ("undated", None)):
            due = (home.clock.now().astimezone() + timedelta(days=days)).date() if days is not None else None
            draft = Draft(name, f"Waits {name}", "open-thread", due=due)
            await hub.run(home.facts.save, draft, by=By("user"))
        info = await hub.start_info(here)
        assert info.newest is not None and (info.newest.id, info.newest_here) == (made[1], True)
        assert info.newest.title == "talk 1" and info.newest.recap is not None
        assert [m.id for m in info.more] == [made[3], made[2]]
        assert [(w.name, w.days) for w in info.waiting] == [("late", -1), ("soon", 3)]
        assert (info.facts, info.sessions, info.to_review) == (4, 4, 0)
        elsewhere = await hub.start_info(tmp_path)
        assert elsewhere.newest is not None and (elsewhere.newest.id, elsewhere.newest_here) == (made[3], False)


async def test_the_context_begins_anew_after_clear_and_nothing_is_lost(tmp_path: Path) -> None:
    home, model = scripted_home(tmp_path, says("1"), says("2"))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "before")
        await heard.over(state.id)
        await hub.clear(state.id)
        assert (await hub.context(state.id, "next?")).request.messages[-1].content == "next?"
        await hub.send(state.id, "after")
        await heard.over(state.id, 2)
    assert [m.content for m in model.requests[1].messages] == ["after"]
    assert b"before" in home.paths.session_log(state.id).read_bytes()


async def test_a_failing_background_job_is_a_notice_and_a_traceback_in_the_log_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _ = scripted_home(tmp_path, says("1"))

    class Broken:
        def catch_up(self, progress: Any = None, *, only: Any = None) -> None:
            raise OSError("disk on fire")

        def close(self) -> None:
            pass

    home.__dict__["index"] = Broken()
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        await hub.send(state.id, "a")
        await until(lambda: heard.of(Notice), "the notice")
        assert "disk on fire" in heard.of(Notice)[0].text
    assert "disk on fire" in home.paths.log_file.read_text()
    assert not heard.of(ToolCallFinished)
