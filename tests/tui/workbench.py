"""The real workbench under Pilot, on a home of its own, with a clock that stands still."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from textual.pilot import Pilot
from textual.widget import Widget

from sessions.clock import FixedClock
from sessions.paths import HomePaths, make_home
from sessions.settings_file import load
from tests.waiting import until
from tui.app import MemagentApp
from tui.start import StartOptions

NOW = datetime(2026, 11, 29, 17, 14, tzinfo=UTC)
Bench = Pilot[int]


def make_app(home: Path, *, profile: str | None = None, **options: object) -> MemagentApp:
    """The app as the command line would make it."""
    paths = HomePaths(home, home / "config.toml")
    make_home(paths)
    overrides = {"agent.profile": profile} if profile else {}
    settings = load(paths.config, os.environ, overrides)
    start = StartOptions(home.parent, str(home), overrides, profile, **options)  # type: ignore[arg-type]
    return MemagentApp(paths, settings, start, FixedClock(NOW))


@asynccontextmanager
async def workbench(
    home: Path, size: tuple[int, int] = (120, 40), **options: object
) -> AsyncIterator[tuple[MemagentApp, Bench]]:
    """A running workbench whose home is open; its turns are ended at the end."""
    app = make_app(home, **options)  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        await until(lambda: app.desk is not None and app.desk.ready.is_set(), "the home is open")
        await until(
            lambda: app.body.chat.start.state.sessions is not None or not app.body.chat.start.display, "started"
        )
        await pilot.pause()
        yield app, pilot
        assert app.desk is not None
        await app.desk.hub.close()


async def say(app: MemagentApp, pilot: Bench, text: str) -> None:
    """Write a message, send it, and wait for the end of its turn."""
    assert app.desk is not None
    turns = finished(app)
    write(app, text)
    await pilot.press("enter")
    await until(lambda: finished(app) > turns and not app.running, f"an answer to {text!r}")
    await pilot.pause()


def finished(app: MemagentApp) -> int:
    """Turns of the shown session that have ended."""
    return sum(turn.state in {"done", "stopped", "failed"} for turn in app.body.agent.trace.turns)


def write(app: MemagentApp, text: str) -> None:
    """Text into the composer, as if typed."""
    app.body.chat.composer.input.insert(text)


def text_of(widget: Widget) -> str:
    """What a line-drawn widget shows, line by line."""
    return "\n".join(widget.render_line(y).text.rstrip() for y in range(widget.size.height))


def screen_text(app: MemagentApp) -> str:
    """The whole screen as text."""
    return "\n".join("".join(s.text for s in strip) for strip in app.screen._compositor.render_strips())
