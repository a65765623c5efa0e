from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from sessions.clock import FixedClock
from sessions.memory.fact import By, Draft, Source
from sessions.memory.store import FactStore
from sessions.messages import AssistantMessage, Marker, ToolCall, ToolMessage, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.store.log import LogWriter
from tests.tui.workbench import NOW, Bench, screen_text, text_of, workbench
from tests.waiting import until
from tui.app import MemagentApp

BOTH = pytest.mark.parametrize("size", [(120, 40), (80, 24)])


def log(paths: HomePaths, n: int, day: str, *texts: str, **first: object) -> str:
    """A session of that day: the texts are said by the user and answered by turns."""
    session = f"{day.replace('-', '')}-101500-{n:06x}"
    at = f"{day}T10:15:00.000Z"
    data = {"cwd": "/code/atlas", "profile": "guide", "model": "guide", "memory": "on"}
    writer = LogWriter.create(paths, session, Marker("first", at, "session", data | first))
    for i, text in enumerate(texts):
        turn = i // 2 + 1
        if i % 2:
            writer.append(AssistantMessage(f"m{i}", at, turn, text, profile="guide", model="guide"))
            writer.append(Marker(f"e{i}", at, "turn_end", {"turn": turn, "stop": "stop", "ms": 12}))
        else:
            writer.append(UserMessage(f"m{i}", at, turn, text))
    writer.close()
    return session


@pytest.fixture
def home(tmp_path: Path) -> Path:
    root = tmp_path / "home"
    paths = HomePaths(root, root / "config.toml")
    make_home(paths)
    filler = [f"{who} {n} about this and that" for n in range(30) for who in ("word", "answer")]
    log(paths, 1, "2026-08-24", *filler, "Sarah said the importer slips to October", "Noted.\nThe importer.", *filler)
    log(paths, 2, "2026-11-20", "Who owns the importer?", "Kenji does.", source={"kind": "claude-code"})
    log(paths, 3, "2026-11-28", "明日の会議は三時からです", "Zoë comes too.")
    at = "2026-11-10T10:15:00.000Z"
    data = {"cwd": "/code/planning", "profile": "guide", "model": "guide", "memory": "on"}
    writer = LogWriter.create(paths, "20261110-101500-000004", Marker("first", at, "session", data))
    writer.append(UserMessage("u1", at, 1, "What is the weather?"))
    call = ToolCall("call-1", "get_weather", {"city": "Sapporo"})
    writer.append(AssistantMessage("a1", at, 1, "", profile="guide", model="guide", tool_calls=(call,)))
    writer.append(ToolMessage("t1", at, 1, "call-1", "get_weather", "snow and wind"))
    writer.append(AssistantMessage("a2", at, 1, "It is cold.", profile="guide", model="guide"))
    writer.append(Marker("e1", at, "turn_end", {"turn": 1, "stop": "stop", "ms": 12}))
    writer.close()
    draft = Draft("kenji-mori", "Kenji Mori builds the importer", "contact", body="Met in Osaka", source=Source("user"))
    FactStore(paths, FixedClock(NOW)).save(draft, by=By("user"))
    return root


@asynccontextmanager
async def history(
    home: Path, size: tuple[int, int] = (120, 40), count: int = 4
) -> AsyncIterator[tuple[MemagentApp, Bench]]:
    async with workbench(home, size) as (app, pilot):
        await pilot.press("f3")
        await until(
            lambda: app.place == "history" and f"{count} sessions" in screen_text(app), "History with its sessions"
        )
        assert app.desk is not None
        desk = app.desk
        await until(lambda: desk.home.index.search("slips"), "the oldest session in the index, which comes last")
        yield app, pilot


async def search(app: MemagentApp, pilot: Bench, text: str) -> None:
    await pilot.press("slash")
    app.body.history.set_filter(text)
    await until(lambda: app.body.history.answered, f"an answer to {text!r}")
    await pilot.pause()


@BOTH
async def test_enter_lands_on_the_exact_message_of_the_best_hit(home: Path, size: tuple[int, int]) -> None:
    async with history(home, size) as (app, pilot):
        await search(app, pilot, "importer slips")
        shown = screen_text(app)
        assert "Best matches" in shown and "1 hit in 1 session" in shown and "by words" in shown and "24 Aug" in shown
        await pilot.press("enter")
        await until(lambda: "▌› Sarah said the importer slips" in screen_text(app), "the message, marked")
        assert app.body.chat.transcript.has_focus and app.place == "find"
        await until(lambda: "/ importer slips" in screen_text(app) and "1 of 1" in screen_text(app), "the words stay")


async def test_enter_pressed_before_the_answer_opens_what_is_found_and_not_what_was_listed(home: Path) -> None:
    async with history(home) as (app, pilot):
        await pilot.press("slash", *"slips", "enter")
        await until(lambda: "▌› Sarah said the importer slips" in screen_text(app), "the message, marked")


async def test_tab_goes_through_the_hits_of_a_session_and_the_detail_tells_where_they_are(home: Path) -> None:
    async with history(home) as (app, pilot):
        await search(app, pilot, "importer")
        app.body.history.list.choose("20260824-101500-000001")
        await until(lambda: "hit 1 of 2 · turn 31 of 61" in screen_text(app), "the first hit in the detail")
        await pilot.press("tab")
        await until(lambda: "hit 2 of 2 · turn 31 of 61" in screen_text(app), "the second hit")
        detail = text_of(app.body.session)
        assert detail.index("Found") < detail.index("Noted.") < detail.index("The importer.") < detail.index("Recap")
        around = detail[detail.index("around turn 31") :]
        assert around.index("word 29") < around.index("Sarah said the importer slips") < around.index("word 0")
        assert "word 28" not in around and "word 1 " not in around
        assert "2 of 2" in text_of(app.body.history.list)
        await pilot.press("enter")
        await until(lambda: app.place == "find" and "▌" in text_of(app.body.chat.transcript), "landed")
        marked = next(line for line in text_of(app.body.chat.transcript).split("\n") if "▌" in line)
        assert "Noted." in marked


async def test_calls_and_results_are_found_by_their_words_and_by_the_tool(home: Path) -> None:
    async with history(home) as (app, pilot):
        for query in ("sapporo", "tool:get_weather", "tool:get snow", "folder:planning snow"):
            await search(app, pilot, query)
            assert app.body.history.cursor == "20261110-101500-000004", query
            assert "get_weather" in text_of(app.body.history.list), query
        await pilot.press("enter")
        await until(lambda: "▌✓ get_weather" in screen_text(app), "the call, marked")


@pytest.mark.parametrize(
    ("query", "session"),
    [
        ("会議", "20261128-101500-000003"),
        ("zoe", "20261128-101500-000003"),
        ("importer from:claude", "20261120-101500-000002"),
        ("importer after:2026-11-01", "20261120-101500-000002"),
        ("importer last august", "20260824-101500-000001"),
        ("yesterday", "20261128-101500-000003"),
        ("slipz october", "20260824-101500-000001"),
    ],
)
async def test_words_and_limits_find(home: Path, query: str, session: str) -> None:
    async with history(home) as (app, pilot):
        await search(app, pilot, query)
        assert app.body.history.cursor == session


async def test_a_near_miss_says_that_it_is_one_and_nothing_says_that_there_is_nothing(home: Path) -> None:
    async with history(home) as (app, pilot):
        await search(app, pilot, "improter slips")
        assert "Near it" in screen_text(app) and "Nothing is quite so" in screen_text(app)
        await search(app, pilot, "zzzqqq")
        assert "Nothing found" in screen_text(app)
        await search(app, pilot, "after:someday importer")
        assert "after: someday is no day" in screen_text(app)


async def test_a_fact_is_found_and_opens_in_memory(home: Path) -> None:
    async with history(home) as (app, pilot):
        await search(app, pilot, "met osaka")
        assert "Facts" in screen_text(app) and "fact 1" in screen_text(app)
        await pilot.press("enter")
        await until(lambda: app.place == "form" and "Kenji Mori builds" in screen_text(app), "the fact in the form")


async def test_the_keys_of_a_hit_are_in_the_footer_and_esc_gives_the_list_back(home: Path) -> None:
    async with history(home) as (app, pilot):
        await search(app, pilot, "importer")
        await until(lambda: app.place == "found", "the place of hits")
        assert "Open at hit" in screen_text(app) and "Next hit" in screen_text(app)
        await pilot.press("escape")
        await until(lambda: app.place == "history", "the list")
        assert "Best matches" not in screen_text(app) and "4 sessions" in screen_text(app)


async def test_what_is_said_meanwhile_comes_into_what_was_found(home: Path) -> None:
    async with history(home) as (app, pilot):
        await search(app, pilot, "harvest")
        await until(lambda: "Nothing found" in screen_text(app), "nothing yet")
        paths = HomePaths(home, home / "config.toml")
        log(paths, 5, "2026-11-27", "When is the harvest?", "In May.")
        await until(lambda: "1 hit in 1 session" in screen_text(app), "the session that another program wrote")
        assert app.body.history.cursor == "20261127-101500-000005"
        log(paths, 6, "2026-11-27", "The harvest is late.", "Noted.")
        await until(lambda: "2 hits in 2 sessions" in screen_text(app), "the next one")
        assert app.body.history.cursor == "20261127-101500-000005", "the chosen one stays chosen"
