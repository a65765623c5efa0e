from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from textual.app import App

from sessions.messages import Marker
from sessions.paths import HomePaths, make_home
from sessions.store.log import LogWriter
from tests.sessions.store.records import answer, first, user
from tests.tui.chat.test_paging import a_long_home
from tests.tui.history.test_searching import history, home, log, search
from tests.tui.snapshots.courses import BRANCHES, courses
from tests.tui.workbench import Bench, say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.app import MemagentApp
from tui.chat.blocks import Said
from tui.chat.transcript import Transcript

__all__ = ["home"]


def place(app: MemagentApp) -> str:
    """`3 of 17`, as the box tells it."""
    return app.body.chat.find.fact


def now(app: MemagentApp) -> str:
    """The text that is lit as the place that the reader is at."""
    return lit(app, app.body.chat.transcript)


def lit(app: App[Any], view: Transcript) -> str:
    ground = app.get_css_variables()["accent"].lower()
    out = ""
    for y in range(view.size.height):
        for segment in view.render_line(y):
            colour = segment.style.bgcolor if segment.style else None
            out += (
                segment.text if colour is not None and colour.triplet and colour.triplet.hex.lower() == ground else ""
            )
    return out


async def click(app: MemagentApp, pilot: Bench, word: str) -> None:
    """Click on a word of the footer."""
    await until(lambda: word in text_of(app.footer), f"{word} in the footer")
    await pilot.click(app.footer, offset=(text_of(app.footer).index(word), 0))


async def look_for(app: MemagentApp, pilot: Bench, text: str) -> None:
    await pilot.press("ctrl+f", *text)
    await until(lambda: app.desk.finding._finds and app.desk.finding._finds.text == text, f"{text!r} was looked for")
    await pilot.pause()


async def test_ctrl_f_counts_marks_and_goes_from_place_to_place_and_esc_leaves_the_reader_there(home: Path) -> None:
    async with workbench(home, (120, 40), resume="20260824-101500-000001") as (app, pilot):
        view = app.body.chat.transcript
        await look_for(app, pilot, "word 2")
        # word 2 and word 20 to 29, before and after the importer; the reader is at the end.
        await until(lambda: place(app) == "19 of 22" and now(app) == "word 2", "counted, from what is in sight")
        assert app.place == "find"
        await pilot.press("enter", "tab", "tab")
        await until(lambda: place(app) == "22 of 22", "the last one")
        await pilot.press("tab")
        await until(lambda: place(app) == "1 of 22" and "› word 2 about" in text_of(view), "the first one again")
        await pilot.press("shift+tab", "shift+tab")
        await until(lambda: place(app) == "21 of 22" and "› word 28 about" in text_of(view), "backwards")
        await pilot.press("up", "pageup")
        top = view.scroll_y
        await pilot.press("escape")
        assert not app.body.chat.finding and app.body.chat.composer.input.has_focus
        assert view.scroll_y == top and now(app) == "" and "Friday" not in screen_text(app)
        # What was looked for is there again, ready to be replaced.
        await look_for(app, pilot, "nowhere said")
        await until(lambda: place(app) == "not here", "said so")
        assert view.scroll_y == top


async def test_what_is_not_read_yet_is_found_counted_and_gone_to(tmp_path: Path) -> None:
    session, turns = a_long_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (100, 30), resume=session) as (app, pilot):
        view = app.body.chat.transcript
        assert view.document.gaps
        await look_for(app, pilot, "question 3:")
        await until(lambda: place(app) == "1 of 1" and now(app).lower() == "question 3:", "far above, and lit")
        assert view.document.gaps, "what lies between is still not read"
        await look_for(app, pilot, f"question {turns}:")
        await until(lambda: now(app).lower() == f"question {turns}:", "back at the end")


async def test_a_hit_of_history_opens_with_its_words_and_the_other_places_are_a_key_away(home: Path) -> None:
    async with history(home) as (app, pilot):
        await search(app, pilot, "importer")
        app.body.history.list.choose("20260824-101500-000001")
        await pilot.press("enter")
        await until(lambda: place(app) == "1 of 2" and now(app) == "importer", "at the hit")
        assert app.body.chat.transcript.has_focus
        await pilot.press("tab")
        await until(lambda: place(app) == "2 of 2", "the next, with the focus in the conversation")
        await pilot.press("shift+tab")
        await until(lambda: place(app) == "1 of 2", "and back")
        await click(app, pilot, "Next")
        await until(lambda: place(app) == "2 of 2", "the mouse too")
        await pilot.click(app.body.chat.find)
        await click(app, pilot, "Previous")
        await until(lambda: place(app) == "1 of 2", "with the focus in the box")
        await click(app, pilot, "Close")
        await until(lambda: not app.body.chat.finding, "closed")
        await app.desk.finding.begin_at("20260824-101500-000001", Said("m61", 31), "importer", ("importer",))
        await until(lambda: place(app) == "2 of 2", "at another hit of the shown session")
        write(app, "So it slips?")
        await app.desk.open("20261120-101500-000002")
        assert not app.body.chat.finding, "another session is not looked through"


async def test_find_follows_what_is_said_and_looks_into_results_that_are_folded(home: Path) -> None:
    async with workbench(home, (100, 30), resume="20261110-101500-000004") as (app, pilot):
        await look_for(app, pilot, "wind")
        await until(lambda: place(app) == "1 of 1" and "snow and wind" in text_of(app.body.chat.transcript), "opened")
        await pilot.press("escape")
        await look_for(app, pilot, "cold")
        await until(lambda: place(app) == "1 of 1", "one")
        app.body.chat.composer.input.focus()
        await say(app, pilot, "Is it cold?")
        await until(lambda: re.fullmatch(r"1 of [2-9]", place(app)), "what was said since counts; the place stays")


async def test_in_historys_detail_the_whole_session_is_looked_through(home: Path) -> None:
    paths = HomePaths(home, home / "config.toml")
    filler = [f"{who} {n}" for n in range(40) for who in ("word", "answer")]
    session = log(paths, 9, "2026-11-29", "The codeword is quokka", "Noted.", *filler, "quokka, I said", "Yes, quokka.")
    async with history(home, (120, 40), 5) as (app, pilot):
        app.body.history.list.choose(session)
        await pilot.press("ctrl+f", *"quokka")
        box = app.body.find_in_session
        await until(lambda: box.fact == "1 of 3" and "around turn 1" in text_of(app.body.session), "the first message")
        await pilot.press("enter")
        await until(lambda: box.fact == "2 of 3" and "turn 42 of 42" in text_of(app.body.session), "the next one")
        await pilot.press("shift+tab", "shift+tab")
        await until(lambda: box.fact == "3 of 3", "backwards, round the end")
        app.body.history.list.choose("20261128-101500-000003")
        await until(lambda: box.fact == "not here", "another session is looked through")
        app.body.history.list.choose(session)
        await until(lambda: box.fact == "1 of 3", "and the first again")
        await pilot.press("shift+tab")
        await until(lambda: box.fact == "3 of 3", "its last message")
        await pilot.press("escape")
        assert app.body.session.has_focus and not box.display
        await pilot.press("enter")
        await until(
            lambda: place(app) == "3 of 3" and "Yes, quokka." in text_of(app.body.chat.transcript), "opened there"
        )


async def test_with_nothing_said_there_is_nothing_to_find_and_in_memory_it_is_the_search_box(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("ctrl+f")
        assert not app.body.chat.finding and "nothing was said yet" in app.body.chat.notice.text
        await pilot.press("f4", "ctrl+f")
        await until(lambda: app.body.memory.box.has_focus, "the search box of Memory")


def thinking_home(home: Path, turns: int = 40) -> str:
    """A long session with a thought in its second turn and a summary above its third; its id."""
    paths = HomePaths(home, home / "config.toml")
    make_home(paths)
    at = "2026-11-20T09:00:00.000Z"
    writer = LogWriter.create(paths, "20261120-090000-00beef", first("/code/atlas", at))
    for turn in range(1, turns + 1):
        if turn == 5:
            short = {
                "content": "They spoke of a walrus.",
                "first_kept": "u3",
                "tokens_before": 900,
                "tokens_after": 300,
            }
            writer.append(Marker("short", at, "compaction", short))
        writer.append(user(f"u{turn}", f"question {turn}", turn, at))
        thought = "A quokka? The quokka is small.\n\nSo I say yes." if turn == 2 else None
        writer.append(answer(f"a{turn}", "lorem ipsum " * 900, turn, at, reasoning=thought))
        writer.append(Marker(f"e{turn}", at, "turn_end", {"turn": turn, "stop": "stop"}))
    writer.close()
    return writer.session


async def test_thoughts_and_summaries_are_found_and_opened(tmp_path: Path) -> None:
    session = thinking_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (100, 30), resume=session) as (app, pilot):
        view = app.body.chat.transcript
        assert view.document.gaps, "not all of it is read"
        await look_for(app, pilot, "quokka")
        await until(
            lambda: place(app) == "2 of 2" and now(app) == "quokka" and "So I say yes." in text_of(view),
            "in the thought, which is opened",
        )
        await pilot.press("enter")
        await until(lambda: place(app) == "1 of 2" and now(app) == "quokka", "the first")
        await pilot.press("escape")
        await look_for(app, pilot, "walrus")
        await until(
            lambda: place(app) == "1 of 1" and now(app) == "walrus" and "earlier, in short" in text_of(view),
            "in the summary, which is opened",
        )
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("f3")
        await until(lambda: app.place == "history" and app.body.history.session, "History with it")
        await pilot.press("ctrl+f", *"walrus")
        box = app.body.find_in_session
        await until(lambda: box.fact == "1 of 1" and "spoke of a walrus" in text_of(app.body.session), "in History")
        await pilot.press("escape", "enter")
        await until(lambda: place(app) == "1 of 1" and now(app) == "walrus", "opened there")


async def test_a_hit_in_an_older_answer_is_stayed_at_and_the_places_that_count_are_a_key_away(tmp_path: Path) -> None:
    root = tmp_path / "home"
    make_home(HomePaths(root, root / "config.toml"))
    courses(root, str(tmp_path))
    lines = (root / "sessions" / f"{BRANCHES}.jsonl").read_text().splitlines()
    older = next(line for line in map(json.loads, lines) if "have you booked?" in str(line.get("content")))
    async with workbench(root) as (app, _):
        said = Said(older["id"], 2)
        await app.desk.finding.begin_at(BRANCHES, said, "kenji", ("kenji",))
        await until(
            lambda: place(app) == "older answer · 2 elsewhere" and "have you booked? We need" in screen_text(app),
            "what else there is",
        )
        assert "< 1/2 >" in screen_text(app)
        app.desk.finding.step(1)
        await until(
            lambda: re.fullmatch(r"[12] of 2", place(app)) and "< 2/2 >" in screen_text(app), "a place that counts"
        )
        await app.desk.finding.begin_at(BRANCHES, said, "near the station", ("near the station",))
        await until(
            lambda: place(app) == "in an older answer" and "have you booked? We need" in screen_text(app),
            "nothing else",
        )
