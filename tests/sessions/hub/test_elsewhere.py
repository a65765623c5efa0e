from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from sessions.errors import LockedError
from sessions.events import SessionChanged
from sessions.hub import SessionHub
from tests.sessions.agent.scripted import Scripted, says
from tests.sessions.hub_home import Heard, ScriptedHome, hub_of
from tests.waiting import until


def home_in(folder: Path) -> ScriptedHome:
    return ScriptedHome(folder, lambda profile, model: Scripted(says("Ok."), profile=profile, model=model or "m"))


async def talk(hub: SessionHub, heard: Heard, folder: Path) -> str:
    state = await hub.new(folder)
    await hub.send(state.id, "hello")
    await heard.over(state.id)
    await hub.idle(state.id)
    return state.id


def told(heard: Heard, key: str) -> list[object]:
    return [event.what[key] for event in heard.of(SessionChanged) if key in event.what]


async def test_who_reads_a_session_is_told_when_it_goes_to_the_trash_and_takes_it_up_when_it_is_back(
    tmp_path: Path,
) -> None:
    home = home_in(tmp_path)
    async with hub_of(home) as (writer, heard), hub_of(home_in(tmp_path)) as (reader, read):
        session = await talk(writer, heard, tmp_path)
        assert not (await reader.open(session)).writable
        await writer.keeping.delete(session)
        await until(lambda: told(read, "deleted") == [True], "told")
        assert "trash" in (await reader.state(session)).holder_note
        assert not home.paths.session_log(session).exists()
        await writer.keeping.restore(session)
        await until(lambda: told(read, "deleted") == [True, False], "told, too")
        await until(lambda: told(read, "writable"), "it goes on there")
        assert (await reader.state(session)).holder_note == ""
        with pytest.raises(LockedError, match="open in another window"):
            await writer.keeping.delete(session)


async def test_a_title_that_another_program_gives_comes_to_who_writes_the_session(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    async with hub_of(home) as (writer, heard), hub_of(home_in(tmp_path)) as (other, _):
        session = await talk(writer, heard, tmp_path)

        seen: set[str] = set()

        async def watch() -> None:
            async for one in writer.outside():
                seen.update(one.sessions)

        def awake() -> bool:
            (home.paths.sessions / "awake.meta.json").write_text(str(time.monotonic()))
            return "awake" in seen

        watching = asyncio.create_task(watch())
        try:
            await until(awake, "the watch is on")
            await other.rename(session, "Greetings")
            await until(lambda: "Greetings" in told(heard, "title"), "the title")
            assert (await writer.state(session)).title == "Greetings"
        finally:
            watching.cancel()
            await asyncio.wait({watching})


async def test_what_is_chosen_in_the_program_that_writes_holds_where_it_is_taken_over_unless_an_option_says_otherwise(
    tmp_path: Path,
) -> None:
    (tmp_path / "config.toml").write_text('[profiles.far]\nbase_url = "http://far.test/v1"\nmodel = "large"\n')
    follows, by_option = home_in(tmp_path), home_in(tmp_path)
    async with hub_of(home_in(tmp_path)) as (writer, heard):
        session = await talk(writer, heard, tmp_path)
        async with (
            hub_of(follows) as (one, read),
            hub_of(by_option, memory="read-only", profile="guide") as (two, optional),
        ):
            await one.open(session)
            await two.open(session)
            await writer.set_memory(session, "off")
            await writer.set_profile(session, "far")
            for other in (read, optional):
                await until(lambda other=other: "far" in told(other, "profile"), "followed")  # type: ignore[misc]
            await until(lambda: told(read, "place"), "answers with that")
            state = await one.state(session)
            assert (state.memory, state.profile, state.model) == ("off", "far", "large")
            state = await two.state(session)
            assert (state.memory, state.profile) == ("read-only", "guide")
