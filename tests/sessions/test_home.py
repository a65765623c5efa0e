from __future__ import annotations

from pathlib import Path

import pytest

from sessions import Home
from sessions.clock import FixedClock
from sessions.errors import LockedError, StoreError, UsageError
from sessions.memory.fact import By, Draft
from tests.sessions.agent.scripted import NOW


def home_in(tmp_path: Path, **more: object) -> Home:
    return Home(tmp_path / "home", clock=FixedClock(NOW), env={}, **more)  # type: ignore[arg-type]


def test_a_home_is_made_with_its_folders_and_its_settings(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "config.toml").write_text('[memory]\nmode = "off"\n[profiles.q]\nmodel = "m"\nbase_url = "http://x/v1"\n')
    home = Home(folder, env={"MEMAGENT_PROFILE": "q"}, overrides={"memory.inject": "all"})
    assert (home.settings.memory.mode, home.settings.memory.inject) == ("off", "all")
    assert home.profile().name == "q" and home.profile("guide", "other").model == "other"
    assert home.paths.sessions.is_dir()
    with pytest.raises(UsageError, match="q, guide"):
        home.profile("nothere")
    (folder / "config.toml").write_text('[memory]\nmode = "read-only"\n')
    assert home.reload_settings().memory.mode == "read-only"


def test_the_guide_answers_without_any_settings(tmp_path: Path) -> None:
    provider = home_in(tmp_path).provider()
    assert (provider.profile, provider.place) == ("guide", "this machine")


async def test_another_loop_can_use_prompt_and_tools_alone(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    assert home.memory.prompt() == ""
    typed = ["I live in Tokyo"]
    tools = {tool.name: tool for tool in home.memory.tools(typed=lambda: typed)}
    assert set(tools) == {"recall_memory", "save_memory", "delete_memory"}
    assert tools["save_memory"].schema()["function"]["name"] == "save_memory"
    said = await tools["save_memory"](
        name="lives-in-tokyo", summary="Lives in Tokyo", kind="preference", quote="I live in Tokyo"
    )
    assert "Tokyo" in said or "lives-in-tokyo" in said
    assert "Lives in Tokyo" in home.memory.prompt()
    assert "Tokyo" in await tools["recall_memory"](query="Tokyo")
    assert "needs 'fact'" in await tools["delete_memory"]()
    assert "Waits for the user's review" in await tools["delete_memory"](fact="lives-in-tokyo")
    typed.append("Please forget that I live in Tokyo")
    await tools["delete_memory"](fact="lives-in-tokyo", quote="forget that I live in Tokyo")
    assert home.memory.prompt() == ""


def test_the_settings_mode_decides_which_tools_another_loop_gets(tmp_path: Path) -> None:
    home = home_in(tmp_path, overrides={"memory.mode": "read-only"})
    home.facts.save(Draft("a", "Likes tea", "preference"), by=By("user"))
    assert [tool.name for tool in home.memory.tools()] == ["recall_memory"]
    assert "Likes tea" in home.memory.prompt(tmp_path)
    off = home_in(tmp_path, overrides={"memory.mode": "off"})
    assert (off.memory.tools(), off.memory.prompt()) == ([], "")


def test_sessions_are_created_taken_up_windowed_and_cleared(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    assert home.sessions.newest() is None
    session = home.sessions.new(tmp_path)
    assert not session.path.exists()
    for n in range(3):
        session.add("user", f"q{n}")
        session.add("assistant", f"a{n}")
    with pytest.raises(LockedError):
        home.sessions.open(session.id)
    session.close()
    with home.sessions.open(session.id) as again:
        assert [item["content"] for item in again.items(max_turns=2)] == ["q1", "a1", "q2", "a2"]
        assert [item["role"] for item in again.items()] == ["user", "assistant"] * 3
    home.sessions.clear()
    newest = home.sessions.newest(tmp_path)
    assert newest is not None and newest.id == session.id and newest.items() == []
    newest.add("user", "fresh")
    assert [item["content"] for item in newest.items()] == ["fresh"]
    newest.close()
    with pytest.raises(StoreError):
        home.sessions.open("../x")


def test_all_that_is_made_is_only_for_the_person(tmp_path: Path) -> None:
    root = home_in(tmp_path).paths.root
    modes = {p.name: p.stat().st_mode & 0o777 for p in [root, *root.rglob("*")]}
    assert {".gitignore", ".stignore", "sessions", "memory"} <= modes.keys()
    assert set(modes.values()) == {0o700, 0o600}


def test_a_report_is_a_traceback_in_a_file_that_only_the_person_reads(tmp_path: Path) -> None:
    home = home_in(tmp_path)
    try:
        raise ValueError("what happened")
    except ValueError as e:
        home.report(e)
    assert "ValueError: what happened" in home.paths.log_file.read_text()
    assert home.paths.log_file.stat().st_mode & 0o777 == 0o600
