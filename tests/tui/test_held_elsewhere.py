from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sessions.messages import AssistantMessage, Marker, Usage, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.store.log import LogWriter
from tests.tui.test_several_sessions import _HOLD, ROOT
from tests.tui.workbench import screen_text, text_of, workbench
from tests.waiting import until

SESSION = "20261110-101500-0000aa"


def a_home(root: Path, usage: Usage | None) -> None:
    paths, at = HomePaths(root, root / "config.toml"), "2026-11-10T10:15:00.000Z"
    make_home(paths)
    data = {"cwd": str(root), "profile": "guide", "model": "guide", "memory": "on"}
    writer = LogWriter.create(paths, SESSION, Marker("first", at, "session", data))
    writer.append(UserMessage("u1", at, 1, "hello"))
    writer.append(AssistantMessage("a1", at, 1, "hi", profile="guide", model="guide", usage=usage, stop="stop"))
    writer.append(Marker("e1", at, "turn_end", {"turn": 1, "stop": "stop", "ms": 12}))
    writer.close()


@contextmanager
def held(home: Path) -> Iterator[None]:
    """Another program has the session open."""
    holding = [sys.executable, "-c", _HOLD, str(home), SESSION]
    with subprocess.Popen(holding, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as other:
        assert other.stdin is not None and other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        yield
        other.stdin.close()


@pytest.mark.parametrize(("usage", "tokens"), [(Usage(2000, 48), 2048), (None, 0)])
async def test_the_gauge_of_a_session_that_is_only_read_is_what_its_log_says_or_nothing(
    tmp_path: Path, usage: Usage | None, tokens: int
) -> None:
    home = tmp_path / "home"
    a_home(home, usage)
    with held(home):
        async with workbench(home, (120, 40), resume=SESSION) as (app, pilot):
            await until(lambda: "only read" in screen_text(app), "it is said")
            shown = app.header.state
            assert (shown.tokens, bool(shown.window)) == (tokens, tokens > 0)
            assert ("% of " in text_of(app.header)) == (tokens > 0)
            await pilot.press("ctrl+o")
            await until(
                lambda: "another program has it: only read here · /fork goes on in a copy" in screen_text(app),
                "said in full, not cut",
            )


async def test_what_another_program_has_says_so_also_when_something_in_it_is_new(tmp_path: Path) -> None:
    home = tmp_path / "home"
    a_home(home, None)
    async with workbench(home) as (app, _):
        assert app.desk is not None
        app.desk.turns._unseen.add(SESSION)
        assert app.desk.turns.states() == {SESSION: "new"}
        app.desk.elsewhere.sessions = frozenset({SESSION})
        assert app.desk.turns.states() == {SESSION: "running elsewhere"}
