from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tui.history.test_searching import history, home
from tests.tui.workbench import text_of, workbench
from tests.waiting import until
from tui.history.history_list import HistoryList

__all__ = ["home"]


@pytest.mark.parametrize("when", ["before the answer", "after the answer"])
async def test_enter_that_comes_before_the_list_waits_for_it_and_opens_the_top_row(
    home: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    given: list[tuple[HistoryList, Any, Any]] = []
    real = HistoryList.show
    monkeypatch.setattr(HistoryList, "show", lambda self, *a, **k: given.append((self, a, k)))
    async with workbench(home) as (app, pilot):
        assert app.desk is not None
        index = app.desk.home.index
        await until(lambda: index.search("slips"), "the index")
        await pilot.press("f3", "slash", *"slips")
        if when == "after the answer":
            await until(lambda: app.body.history._answer is not None, "found")
        await pilot.press("enter")
        await until(lambda: given and app.body.history._answer is not None, "found")
        await pilot.pause()
        assert not app.body.chat.finding
        monkeypatch.setattr(HistoryList, "show", real)
        list_, args, named = given[-1]
        real(list_, *args, **named)
        await until(lambda: app.body.chat.finding and "slips" in text_of(app.body.chat.transcript), "it is opened")


async def test_a_second_search_replaces_the_words_of_the_first(home: Path) -> None:
    async with history(home) as (app, pilot):
        await pilot.press("slash", *"importer")
        await until(lambda: app.body.history.answered and app.body.history.hit, "found")
        await pilot.press("tab", "f2", "f3", "slash", *"slips")
        assert app.body.history.filter_text == "slips"
