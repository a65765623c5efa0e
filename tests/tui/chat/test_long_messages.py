from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sessions.messages import AssistantMessage, Marker, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.store.find import Finds, Spot
from sessions.store.log import LogWriter
from sessions.store.wording import wordings
from tests.tui.chat.stage import Stage, rows, turn
from tests.tui.test_find import lit, now, place
from tests.tui.workbench import workbench
from tests.waiting import until
from tui.chat.blocks import Prompt, Said, goes_on
from tui.chat.pieces import HUGE

PARAGRAPH = "Lorem ipsum dolor sit amet and so on. " * 20
SESSION = "20261110-101500-0000ff"


def long_text(word: str, size: int = 400_000) -> str:
    """A text with the word at a third and at two thirds of it."""
    paragraphs = [PARAGRAPH] * (size // len(PARAGRAPH))
    for third, rest in ((1, "sits here."), (2, "is there again.")):
        paragraphs[len(paragraphs) * third // 3] = f"The {word} {rest}"
    return "\n\n".join(paragraphs)


def a_home(root: Path) -> None:
    paths, at = HomePaths(root, root / "config.toml"), "2026-11-10T10:15:00.000Z"
    make_home(paths)
    data = {"cwd": str(root), "profile": "guide", "model": "guide", "memory": "on"}
    writer = LogWriter.create(paths, SESSION, Marker("first", at, "session", data))
    talk = [("a gerbil?", "no"), (long_text("gerbil"), "yes"), ("long please", long_text("marmoset")), ("last", "ok")]
    for n, (asked, said) in enumerate(talk, 1):
        writer.append(UserMessage(f"u{n}", at, n, asked))
        writer.append(AssistantMessage(f"a{n}", at, n, said, profile="guide", model="guide"))
        writer.append(Marker(f"e{n}", at, "turn_end", {"turn": n, "stop": "stop", "ms": 12}))
    writer.close()


@pytest.mark.parametrize("word", ["marmoset", "gerbil"])
async def test_a_hit_of_history_deep_in_a_huge_answer_or_prompt_is_in_sight_and_so_is_the_next(
    tmp_path: Path, word: str
) -> None:
    a_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (100, 40)) as (app, pilot):
        assert app.desk is not None
        index = app.desk.home.index
        await until(lambda: index.search("marmoset"), "the index")
        await pilot.press("f3", "slash", *f"{word} sits here", "enter")
        view = app.body.chat.transcript
        await until(lambda: app.body.chat.finding and f"The {word} sits here." in "\n".join(rows(view)), "the line")
        await pilot.press("ctrl+f", *word)
        count = 2 if word == "marmoset" else 3
        first, second = f"{count - 1} of {count}", f"{count} of {count}"
        # It begins with the place in sight, though the message began far above.
        await until(lambda: place(app) == first and now(app) == word, "from where the reader is")
        await pilot.press("enter")
        await until(lambda: place(app) == second and now(app) == word, "the second place in it")
        assert f"The {word} is there again." in "\n".join(rows(view))
        await pilot.press("shift+tab")
        await until(lambda: place(app) == first and now(app) == word, "and back")
        assert f"The {word} sits here." in "\n".join(rows(view))


@pytest.mark.parametrize("role", ["user", "assistant"])
async def test_every_place_of_a_huge_message_is_gone_to_also_one_that_is_cut_in_two(role: str) -> None:
    text = "walrus quokka " * (HUGE // 7)
    app = Stage(turn(1, text, "yes") if role == "user" else turn(1, "p", text))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        if role == "user":
            prompt = view.document.blocks[0]
            assert isinstance(prompt, Prompt)
            prompt.message = "m1"
        pieces = [b.source for b in view.document.blocks if b.source.startswith("walrus") or goes_on(b)]
        assert len(pieces) > 3 and "".join(pieces) == text
        wording = wordings("quokka walrus")[0]
        places = wording.places(text)
        spot = Spot("m1", 1, role, "", len(places))
        cut = next(i for i, (start, end) in enumerate(places) if start < len(pieces[0]) < end)
        view.seek(wording)
        tops = []
        for nth in (0, cut - 1, cut, cut + 1, len(places) - 1):
            view.go_to_place(spot, nth)
            await pilot.pause()
            tops.append(round(view.scroll_y))
            shown = "quokka" if nth == cut else "quokka walrus"
            assert lit(app, view).replace(" ", "") == shown.replace(" ", "")
        assert tops == sorted(tops) and tops[-1] > tops[-2] > tops[0]


async def test_of_a_huge_answer_only_what_is_in_sight_is_drawn() -> None:
    app = Stage(turn(1, "p", "\n\n".join(f"paragraph {n} with **words**" for n in range(20_000))))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        assert "paragraph 19999 with words" in "\n".join(rows(view))
        view.go(view._sheet.total // 3)
        drawn = sum(part.width > 0 for block in view._sheet.drawn for part in block.parts)
        assert 10 < drawn < 100


async def test_until_the_places_are_known_the_box_does_not_tell_those_of_another_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_home(tmp_path / "home")
    async with workbench(tmp_path / "home", (100, 40)) as (app, pilot):
        assert app.desk is not None
        desk, gate = app.desk, asyncio.Event()
        real = desk.hub.finding.find

        async def find(session: str, text: str, needles: tuple[str, ...] = ()) -> Finds | None:
            await gate.wait()
            return await real(session, text, needles)

        monkeypatch.setattr(desk.hub.finding, "find", find)
        app.body.chat.find.fact = "1 of 1"
        desk.run("open", desk.finding.begin_at, SESSION, Said("a3", 3), "marmoset", ("marmoset",))
        await until(lambda: app.body.chat.finding, "the box")
        await pilot.pause()
        assert place(app) == "…"
        gate.set()
        await until(lambda: place(app) == "1 of 2" and now(app) == "marmoset", "known")


async def test_what_work_is_given_is_not_written_out(tmp_path: Path) -> None:
    class Huge:
        def __repr__(self) -> str:
            raise AssertionError("written out")

    given = []

    async def work(huge: Huge) -> None:
        given.append(huge)

    async with workbench(tmp_path / "home") as (app, _):
        assert app.desk is not None
        app.desk.run("test", work, Huge())
        await until(lambda: given, "done")
