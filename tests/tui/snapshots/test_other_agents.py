"""What shows of other agents' sessions and memories, as stored screens."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from unittest.mock import patch

import pytest

from sessions.importers.base import Progress, Source, Tells
from sessions.importers.taking import Taken, Taking
from tests.sessions.importers.claude_files import Chain, call
from tests.sessions.importers.codex_files import Tape
from tests.tui.snapshots.test_snapshots import SIZES, compare, settled
from tests.tui.workbench import Bench, screen_text, workbench
from tests.waiting import until
from tui.app import MemagentApp

DRAWN = True

TALKS = (
    (
        "Retry loop rewrite",
        "Why does the retry loop in importer.py spin?",
        "It resets the counter in its except.",
    ),
    (
        "Release dry run",
        "Build the wheel and tell me what is missing.",
        "It builds in 40 s; the notes are missing.",
    ),
    ("Parser spike", "Can we move the parser to Rust?", "Yes, with maturin; two weeks."),
)


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, utc: None) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / ".claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / ".codex"))
    for n, (title, question, answer) in enumerate(TALKS):
        talk = Chain(cwd=str(tmp_path / "code" / "atlas"), start=n * 100)
        talk.user(f"u{n}", question)
        talk.answer(f"a{n}", "Let me look.", call(f"t{n}", "Grep", pattern="retry"), id=f"m{n}")
        talk.result(f"r{n}", (f"t{n}", "importer.py:41: retries = 0"))
        talk.answer(f"b{n}", answer, id=f"n{n}", stop="end_turn")
        talk.about("summary", summary=title, leafUuid=f"b{n}")
        talk.write(tmp_path / ".claude", f"5b1d0c3e-7a51-4a53-9d4e-1f2e3d4c5b6{n}.jsonl")
    memory = tmp_path / ".claude" / "projects" / "-home-ada-atlas" / "memory"
    memory.mkdir()
    for name, summary in (("deploys", "Atlas deploys on Fridays"), ("no-tabs", "Spaces, never tabs")):
        memory.joinpath(f"{name}.md").write_text(
            f"---\nname: {name}\ndescription: {summary}\ntype: feedback\n---\n\n{summary}.\n**Why:** it was agreed.\n"
        )


async def offer(app: MemagentApp, pilot: Bench) -> None:
    await until(lambda: app.body.chat.start.state.found, "the offer")


async def question(app: MemagentApp, pilot: Bench) -> None:
    await offer(app, pilot)
    await pilot.press(*"/import", "enter")
    await until(lambda: app.screen.is_modal, "the question")
    # The screen behind is drawn into it once it was drawn itself.
    words = ("New session", "Ask anything", "searchable here?")
    await until(lambda: all(said in screen_text(app) for said in words), "all of it")


async def of_both(app: MemagentApp, pilot: Bench) -> None:
    """Codex has sessions, too: what is promised is longer than a line."""
    tape = Tape()
    tape.user("Where is the cache kept?")
    tape.answer("Under the folder of the person.")
    tape.write(Path(os.environ["CODEX_HOME"]))
    await question(app, pilot)
    assert " read." in screen_text(app)


async def followed(app: MemagentApp, pilot: Bench) -> None:
    await offer(app, pilot)
    await pilot.press(*"/import all", "enter")
    assert app.desk is not None
    following = app.desk.hub.following
    await until(lambda: following.came == 3, "all of them")
    # What came is told a moment later, and would take the place of what is told next.
    await until(lambda: not any(w.group == "importing" and not w.is_finished for w in app.workers), "it was told")
    await pilot.press("f3")
    await until(lambda: app.body.history.title.fact == "3 sessions", "the list")
    if app.body.shows("session"):
        await until(lambda: (s := app.body.session.shown) and s.tail and not app.body.history.taking, "the detail")


async def opened(app: MemagentApp, pilot: Bench) -> None:
    await followed(app, pilot)
    app.body.history.list.focus()
    await pilot.press("enter")
    await until(lambda: app.body.chat.transcript.document.blocks, "the conversation")
    await until(lambda: app.body.chat.title.title_text == "Parser spike", "its title")


async def remembered(app: MemagentApp, pilot: Bench) -> None:
    await offer(app, pilot)
    await pilot.press(*"/import memory", "enter")
    await until(lambda: app.header.state.to_review == 2, "what waits")
    await pilot.press("f4")
    await until(lambda: len(app.body.memory.waiting) == 2, "the list")
    if app.body.shows("fact"):
        await until(lambda: app.body.fact.proposal, "the change")


async def taking(app: MemagentApp, pilot: Bench) -> None:
    """In the middle of the first pass: the third session takes as long as the screen is open."""
    take, before = Taking.take, list[Source]()

    def slow(self: Taking, reader: Tells, source: Source, progress: Progress | None = None) -> Taken:
        assert progress is not None
        while len(before) == 2:
            progress(0)  # ends it when the program does
            time.sleep(0.02)
        before.append(source)
        return take(self, reader, source, progress)

    await offer(app, pilot)
    with patch.object(Taking, "take", slow):
        await pilot.press(*"/import all", "enter")
        await pilot.press("f3")
        await until(lambda: "taking over: 2 of 3" in screen_text(app), "how far it is")
    await until(lambda: len(app.body.history._all) == 2, "those that came")
    if app.body.shows("session"):
        await until(lambda: (s := app.body.session.shown) and s.tail, "the detail")


VIEWS = {
    "others-taking": taking,
    "others-offer": offer,
    "others-question": question,
    "others-question-both": of_both,
    "others-followed": followed,
    "others-opened": opened,
    "others-remembered": remembered,
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", VIEWS)
async def test_what_shows_of_other_agents_looks_as_it_did(tmp_path: Path, view: str, size: str) -> None:
    cwd = tmp_path / "code" / "atlas"
    cwd.mkdir(parents=True)
    async with workbench(cwd / "home", SIZES[size]) as (app, pilot):
        await VIEWS[view](app, pilot)
        shown = await settled(app, pilot)
    # A proposal's file has another name each time, and the folder's name makes files longer.
    shown = re.sub(r"proposed/[0-9a-f-]+", "proposed/", shown)
    compare(f"{view}-{size}", re.sub(r"\d\.\d kB", "5.5 kB", shown))
