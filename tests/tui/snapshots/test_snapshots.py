from __future__ import annotations

import difflib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.tui.snapshots.cells import page
from tests.tui.snapshots.courses import BRANCHES, SHORT, courses
from tests.tui.snapshots.home import TALK, build, propose
from tests.tui.workbench import Bench, workbench, write
from tests.waiting import until
from tui.app import MemagentApp

DRAWN = True

DATA = Path(__file__).parent / "data"
WRITE = os.environ.get("MEMAGENT_SNAPSHOTS") == "write"
SIZES = {"120x40": (120, 40), "80x24": (80, 24)}
Steps = Callable[[MemagentApp, Bench], Awaitable[None]]


def known(app: MemagentApp) -> bool:
    """The form shows all that it will."""
    return any("Versions" in line for line in app.body.fact.below.lines_of_text)


async def start(app: MemagentApp, pilot: Bench) -> None:
    await until(lambda: app.body.chat.start.display, "the start lines")


async def chat(app: MemagentApp, pilot: Bench) -> None:
    await until(lambda: app.body.chat.transcript.document.blocks, "the conversation")


async def slash(app: MemagentApp, pilot: Bench) -> None:
    write(app, "/me")
    await until(lambda: app.body.chat.popup.display, "the popup")


async def palette(app: MemagentApp, pilot: Bench) -> None:
    await pilot.press("ctrl+p")
    await until(lambda: app.screen.is_modal, "the palette")


async def help_(app: MemagentApp, pilot: Bench) -> None:
    await pilot.press("f1")
    await until(lambda: app.screen.is_modal, "the help")


async def memory_mode(app: MemagentApp, pilot: Bench) -> None:
    await pilot.press("ctrl+g")
    await until(lambda: app.screen.is_modal, "the dialog")


async def history(app: MemagentApp, pilot: Bench) -> None:
    await pilot.press("f3")
    await until(lambda: app.body.history.session is not None, "the sessions")
    app.body.history.list.choose("20261123-175200-cccccc")
    if not app.body.shows("session"):
        return
    await until(lambda: (s := app.body.session.shown) and s.meta.id.endswith("cccccc") and s.tail, "the detail")


async def session(app: MemagentApp, pilot: Bench) -> None:
    await history(app, pilot)
    app.open_session_detail()
    await until(lambda: (s := app.body.session.shown) and s.tail and app.place == "session", "the detail")


async def found(app: MemagentApp, pilot: Bench) -> None:
    await history(app, pilot)
    await pilot.press("slash")
    app.body.history.set_filter("backend after:2026-11-20")
    await until(lambda: app.body.history.hit is not None and app.body.history.answered, "what was found")
    # How long it took is never the same.
    app.body.history.set_fact("by words · 2 ms")
    if app.body.shows("session"):
        await until(lambda: (s := app.body.session.shown) and s.hit and s.tail, "the hit in the detail")


async def trash(app: MemagentApp, pilot: Bench) -> None:
    await history(app, pilot)
    await pilot.press("d", "f6", "f6", "f6")
    await until(lambda: app.place == "trash" and app.body.history.session, "the trash")
    if app.body.shows("session"):
        await until(lambda: (s := app.body.session.shown) and s.meta.id.endswith("cccccc") and s.tail, "the detail")


async def find(app: MemagentApp, pilot: Bench) -> None:
    await chat(app, pilot)
    await pilot.press("ctrl+f", *"kyoto")
    await until(lambda: " of " in app.body.chat.find.fact, "the places")


async def memory(app: MemagentApp, pilot: Bench) -> None:
    await pilot.press("f4")
    await until(lambda: app.body.memory.item is not None, "the facts")
    app.body.memory.choose(7)
    if app.body.shows("fact"):
        await until(lambda: (f := app.body.fact.fact) and f.number == 7 and known(app), "the form")


async def review(app: MemagentApp, pilot: Bench) -> None:
    assert app.desk is not None
    await app.desk.hub.run(propose, app.paths)
    app.desk.hub.facts_changed()
    await pilot.press("f4")
    await until(lambda: len(app.body.memory.waiting) == 4, "what waits")
    assert app.body.memory.choose_proposal(11)
    if app.body.shows("fact"):
        await until(lambda: (p := app.body.fact.proposal) and p.number == 11, "the change")
    await until(lambda: app.header.state.to_review == 4, "the count of what waits")


async def change(app: MemagentApp, pilot: Bench) -> None:
    await review(app, pilot)
    if app.body.shows("fact"):
        app.body.fact.below.focus()
    else:
        await pilot.press("enter")
    await until(lambda: app.body.has("fact") and app.body.fact.below.has_focus, "the focus in the change")


async def form(app: MemagentApp, pilot: Bench) -> None:
    await memory(app, pilot)
    await pilot.press("enter")
    await until(lambda: app.place == "form" and known(app), "the form")


async def fact_history(app: MemagentApp, pilot: Bench) -> None:
    await form(app, pilot)
    app.body.fact.below.focus()
    await until(lambda: app.place == "background", "the focus below the form")
    while app.body.fact.below.version is None:
        await pilot.press("down")
    await pilot.press("enter")


async def erase(app: MemagentApp, pilot: Bench) -> None:
    await memory(app, pilot)
    await pilot.press("D")
    await until(lambda: app.screen.is_modal, "the question")


async def broken(app: MemagentApp, pilot: Bench) -> None:
    await pilot.press("f4")
    await until(lambda: app.body.memory.item is not None, "the facts")
    app.body.memory.list.action_edge(-1)
    await pilot.press("enter")
    await until(lambda: app.body.fact.title.title_text == "Broken file", "the broken file")


async def tree(app: MemagentApp, pilot: Bench) -> None:
    await chat(app, pilot)
    if not app.body.shows("tree"):
        await pilot.press("ctrl+t")
    else:
        app.body.agent.list.focus()
    await until(lambda: app.place == "tree", "the tree")


async def short(app: MemagentApp, pilot: Bench) -> None:
    await chat(app, pilot)
    app.body.chat.transcript.focus()
    await pilot.press("enter")


async def older(app: MemagentApp, pilot: Bench) -> None:
    await chat(app, pilot)
    await pilot.press("left")
    await until(lambda: app.place in {"composer", "older"} and app.body.chat.transcript.ways.any, "the older answer")


async def context(app: MemagentApp, pilot: Bench) -> None:
    await chat(app, pilot)
    write(app, "And on Saturday?")
    await pilot.press("ctrl+o")
    await until(lambda: app.screen.is_modal and len(app.screen_stack[-1].query("#context-total")), "the inspector")
    # Always sent, with one of its facts read.
    await pilot.press("down", "down", "down", "enter", "down", "enter")


VIEWS: dict[str, tuple[Steps, str | None]] = {
    "start": (start, None),
    "chat": (chat, TALK),
    "slash": (slash, TALK),
    "palette": (palette, None),
    "help": (help_, None),
    "memory-mode": (memory_mode, None),
    "context": (context, TALK),
    "history": (history, TALK),
    "found": (found, TALK),
    "trash": (trash, TALK),
    "session": (session, TALK),
    "find": (find, TALK),
    "memory": (memory, TALK),
    "review": (review, TALK),
    "change": (change, TALK),
    "form": (form, TALK),
    "fact-history": (fact_history, TALK),
    "erase": (erase, TALK),
    "broken": (broken, TALK),
    "tree": (tree, TALK),
    "divider": (chat, SHORT),
    "divider-open": (short, SHORT),
    "branches": (chat, BRANCHES),
    "branches-older": (older, BRANCHES),
}
THEMED = ("chat", "slash", "history", "found", "find", "review", "form", "memory-mode", "context", "tree")
CASES = [(name, size, "dark") for name in VIEWS for size in SIZES]
CASES += [(name, "120x40", theme) for name in THEMED for theme in ("light", "contrast")]


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, utc: None) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


@asynccontextmanager
async def opened(
    tmp_path: Path, size: tuple[int, int], resume: str | None = None
) -> AsyncIterator[tuple[MemagentApp, Bench]]:
    cwd = tmp_path / "code" / "atlas"
    cwd.mkdir(parents=True)
    build(cwd / "home", str(cwd))
    if resume in {SHORT, BRANCHES}:
        courses(cwd / "home", str(cwd))
    async with workbench(cwd / "home", size, resume=resume) as (app, pilot):
        assert app.lists is not None
        yield app, pilot


async def settled(app: MemagentApp, pilot: Bench) -> str:
    """The screen when nothing on it changes any more."""
    pages = ["", page(app)]
    while pages[-1] != pages[-2]:
        await pilot.wait_for_scheduled_animations()
        await pilot.pause()
        pages.append(page(app))
    return pages[-1]


def compare(name: str, shown: str) -> None:
    """Fail when the screen is not the stored one; the new one and the difference are then beside it."""
    stored, new, diff = (DATA / f"{name}{end}" for end in (".txt", ".new.txt", ".diff"))
    for old in (new, diff):
        old.unlink(missing_ok=True)
    if WRITE:
        DATA.mkdir(exist_ok=True)
        stored.write_text(shown, "utf-8")
        return
    known = stored.read_text("utf-8") if stored.exists() else ""
    if shown != known:
        new.write_text(shown, "utf-8")
        lines = list(difflib.unified_diff(known.split("\n"), shown.split("\n"), stored.name, new.name, lineterm=""))
        diff.write_text("\n".join(lines) + "\n", "utf-8")
        pytest.fail(f"{name} looks different; see {diff}\n" + "\n".join(lines[:60]), pytrace=False)


@pytest.mark.parametrize(("view", "size", "theme"), CASES)
async def test_a_view_looks_as_it_did(tmp_path: Path, view: str, size: str, theme: str) -> None:
    steps, resume = VIEWS[view]
    async with opened(tmp_path, SIZES[size], resume) as (app, pilot):
        app.theme = theme
        await until(lambda: app.header.state.facts == 9, "the facts are counted")
        await steps(app, pilot)
        shown = await settled(app, pilot)
    compare(f"{view}-{size}" + ("" if theme == "dark" else f"-{theme}"), shown)


async def test_a_terminal_that_is_too_small_looks_as_it_did(tmp_path: Path) -> None:
    async with opened(tmp_path, (59, 15)) as (app, pilot):
        await pilot.pause()
        shown = page(app)
    compare("too-small-59x15", shown)


async def test_without_colours_the_rules_of_high_contrast_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(tmp_path, (120, 40)) as (app, _):
        assert app.theme == "contrast"
