from __future__ import annotations

from pathlib import Path

import pytest

from sessions.clock import SystemClock
from sessions.importers.registry import reader
from sessions.importers.taking import Taking
from sessions.paths import HomePaths, make_home
from tests.bench import foreign


@pytest.mark.parametrize("codex", [False, True])
def test_one_more_line_is_one_more_message(tmp_path: Path, codex: bool) -> None:
    name = f"rollout-2026-03-02T08-00-00-{foreign.SESSION}.jsonl" if codex else f"{foreign.SESSION}.jsonl"
    path, one = tmp_path / name, reader("codex" if codex else "claude-code")
    path.write_text("".join((foreign.codex_lines if codex else foreign.claude_lines)(20_000)), encoding="utf-8")
    home = HomePaths(tmp_path / "home", tmp_path / "home/config.toml")
    make_home(home)
    taking = Taking(home, SystemClock())
    for wanted in ("new", "grown"):
        source = one.at(path)
        assert source is not None
        taken = taking.take(one, source)
        assert taken.status == wanted and (wanted == "new" or taken.messages == 1)
        with path.open("a", encoding="utf-8") as file:
            file.write(foreign.more(path, codex))


def test_followed_sessions_repeat_no_line_of_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "FOLLOWED", 3)
    lines = [line for path in foreign.followed(tmp_path) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len(set(lines)) and len({line.split('"uuid": "')[1][:36] for line in lines}) == len(lines)
