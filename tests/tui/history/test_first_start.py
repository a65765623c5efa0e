from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from sessions.store.catalog import Catalog
from sessions.store.index import Index
from tests.tui.history.test_searching import BOTH, home
from tests.tui.workbench import screen_text, workbench
from tests.waiting import until

__all__ = ["home"]


@BOTH
async def test_while_the_sessions_are_read_for_the_first_time_history_says_so(
    home: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    go, read = Event(), Catalog.list

    def slow(self: Catalog) -> Any:
        go.wait(10)
        return read(self)

    async with workbench(home, size) as (app, pilot):
        monkeypatch.setattr(Catalog, "list", slow)
        monkeypatch.setattr(Catalog, "known", lambda self: ())
        await pilot.press("f3")
        await until(lambda: "The sessions are being read" in screen_text(app), "what goes on")
        assert "No sessions yet" not in screen_text(app)
        go.set()
        await until(lambda: "4 sessions" in screen_text(app), "the sessions")


@pytest.mark.parametrize("words", ["zzzqqq", "zzzqqq from:claude"])
async def test_while_the_index_is_made_a_search_does_not_say_that_there_is_nothing(
    home: Path, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, take = Event(), Index.catch_up

    def slow(self: Index, progress: Any = None, **options: Any) -> None:
        if progress is not None:
            progress(1, 10)
        go.wait(10)
        take(self, progress, **options)

    monkeypatch.setattr(Index, "catch_up", slow)
    async with workbench(home) as (app, pilot):
        await pilot.press("f3")
        await until(lambda: "4 sessions" in screen_text(app), "the sessions")
        app.body.history.set_filter(words)
        await until(lambda: "Nothing found yet: 9 sessions to be read" in screen_text(app), "how far it is")
        go.set()
        await until(lambda: "Nothing found" in screen_text(app) and "yet" not in screen_text(app), "nothing is there")
