from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sessions.store.log import LogWriter
from tests.sessions.erase.told_home import WORD, holding, home_at, talk, told_home
from tests.tui.workbench import say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.dialogs.erase import EraseChoice

SIZES = [(120, 40), (80, 24)]


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("told") / "home"
    told_home(root)
    return root


@pytest.fixture
def home(told: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(told, tmp_path / "home"))


TOLD = "Remember that my codeword is xylocarp-quokka."


async def asked(app, pilot) -> str:
    await until(lambda: isinstance(app.screen, EraseChoice) and "Keep it" in screen_text(app), "the question")
    return screen_text(app)


async def erased(app, pilot) -> str:
    await until(lambda: any(note.title == "Erased" for note in app._notifications), "what was erased is told")
    await pilot.pause()
    return next(note.message for note in app._notifications if note.title == "Erased")


async def in_memory(app, pilot, number: int) -> None:
    await pilot.press("f4")
    await until(lambda: app.body.has("memory") and app.body.memory.item is not None, "the facts")
    await pilot.pause()
    assert app.body.memory.choose(number)
    await pilot.pause()


async def click(app, pilot, text: str, times: int = 1) -> None:
    """Click on a text on the screen."""
    lines = screen_text(app).split("\n")
    y, line = next((y, line) for y, line in enumerate(lines) if text in line)
    from rich.cells import cell_len

    x = cell_len(line[: line.index(text)]) + 1
    await pilot.click(offset=(x, y), times=times)
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
async def test_a_fact_is_erased_for_good_by_three_keys(home: Path, size) -> None:
    async with workbench(home, size) as (app, pilot):
        await pilot.press("f4")
        await until(lambda: app.body.has("memory") and app.body.memory.item is not None, "the list")
        await pilot.pause()
        assert app.body.memory.choose(3)
        await pilot.press("D")
        shown = await asked(app, pilot)
        assert "Erase fact 3:" in shown and "nothing brings it back" in shown
        assert f"you: {TOLD}" in shown
        await pilot.press("y")
        words = await erased(app, pilot)
        assert words.startswith(f"0 traces left under {home}")
        assert "Out of reach" in words
        assert holding(home, WORD) == []
        await until(lambda: app.header.state.facts == 2, "the header counts two")
        assert WORD not in screen_text(app)


@pytest.mark.parametrize("size", SIZES)
async def test_a_fact_is_erased_for_good_with_the_mouse_alone(home: Path, size) -> None:
    async with workbench(home, size) as (app, pilot):
        await click(app, pilot, "Memory")
        await until(lambda: "Prefers Celsius" in screen_text(app), "the facts")
        await click(app, pilot, "Prefers Celsius")
        assert app.body.memory.fact.number == 2
        await click(app, pilot, "D Erase")
        await asked(app, pilot)
        await click(app, pilot, "Erase it")
        await erased(app, pilot)
        assert holding(home, "prefer celsius") == holding(home, "prefers celsius") == []


@pytest.mark.parametrize("key", ["n", "escape"])
async def test_a_no_changes_nothing(home: Path, key: str) -> None:
    async with workbench(home) as (app, pilot):
        before = holding(home, WORD)
        await in_memory(app, pilot, 3)
        await pilot.press("D")
        await asked(app, pilot)
        await pilot.press(key)
        await until(lambda: not isinstance(app.screen, EraseChoice), "the question is closed")
        await pilot.pause()
        assert set(holding(home, WORD)) >= set(before)
        assert app.body.memory.fact.number == 3


async def test_only_the_fact_goes_when_that_is_chosen(home: Path) -> None:
    async with workbench(home) as (app, pilot):
        await in_memory(app, pilot, 3)
        await pilot.press("D")
        await asked(app, pilot)
        await pilot.press("f")
        words = await erased(app, pilot)
        assert "traces left" in words and not words.startswith("0 ")
        assert home_at(home).facts.get(3) is None
        assert [n for n in holding(home, WORD) if n.startswith("memory/")] == []


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mouse", [False, True])
async def test_what_else_holds_its_words_is_seen_and_goes_when_that_is_chosen(tmp_path: Path, size, mouse) -> None:
    root = tmp_path / "home"
    boats = [f"Is gryphonette {n} a good name for boat {n}?" for n in range(9)]
    home = home_at(root)
    await talk(home, "Remember that my codeword is gryphonette.")
    await talk(home, *boats)
    home.close()
    async with workbench(root, size) as (app, pilot):
        await in_memory(app, pilot, 1)
        await pilot.press("D")
        assert "whatever holds gryphonette" in await asked(app, pilot)
        await (click(app, pilot, "Erase these too") if mouse else pilot.press("t"))
        await until(lambda: "with fact 1" in screen_text(app), "all that holds the word")
        assert boats[0] in screen_text(app)
        if size[1] == 24:
            assert "pgdn reads all" in screen_text(app) and boats[-1] not in screen_text(app)
            await pilot.press("pagedown", "pagedown", "pagedown")
            await until(lambda: boats[-1] in screen_text(app), "the end of the list")
        await pilot.pause()
        await (click(app, pilot, "with fact 1") if mouse else pilot.press("y"))
        assert (await erased(app, pilot)).startswith(f"0 traces left under {root}")
        assert holding(root, "gryphonette") == []


async def test_who_sees_what_holds_its_words_and_says_no_keeps_all(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    await talk(home, "Remember that my codeword is gryphonette.", "Is gryphonette a good name for a boat?")
    home.close()
    async with workbench(tmp_path / "home") as (app, pilot):
        await in_memory(app, pilot, 1)
        await pilot.press("D")
        await asked(app, pilot)
        await pilot.press("t")
        await until(lambda: "with fact 1" in screen_text(app), "all that holds the word")
        await pilot.press("n")
        await until(lambda: not isinstance(app.screen, EraseChoice), "the question is closed")
        await pilot.press("D")
        await asked(app, pilot)
        await pilot.press("y")
        words = await erased(app, pilot)
        assert not words.startswith("0 ") and "what else holds gryphonette was kept" in words


async def test_what_is_erased_leaves_the_conversation_on_screen_too(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "Is it raining?")
        await say(app, pilot, TOLD)
        await until(lambda: app.header.state.facts == 1, "one fact")
        write(app, "/erase 1")
        await pilot.press("enter")
        await asked(app, pilot)
        await pilot.press("y")
        await erased(app, pilot)
        await until(lambda: WORD not in text_of(app.body.chat.transcript), "it is gone from the conversation")
        shown = text_of(app.body.chat.transcript)
        assert "› erased" in shown and "Is it raining?" in shown
        assert WORD not in str(app.body.chat.composer.prompts)
        assert holding(tmp_path / "home", WORD) == []
        await say(app, pilot, "And now?")
        assert "And now?" in text_of(app.body.chat.transcript)


async def test_a_session_open_in_another_program_is_refused_in_words(home: Path) -> None:
    session = next(meta.id for meta in home_at(home).catalog.list() if meta.title == TOLD and not meta.forked_from)
    other = LogWriter.open(home_at(home).paths, session)
    try:
        async with workbench(home) as (app, pilot):
            await in_memory(app, pilot, 3)
            await pilot.press("D")
            await asked(app, pilot)
            await pilot.press("y")
            await until(lambda: any("open in another window" in n.message for n in app._notifications), "the refusal")
            assert home_at(home).facts.get(3) is not None
    finally:
        other.close()


async def test_a_secret_that_was_typed_is_offered_for_erasing_and_goes_from_everywhere(tmp_path: Path) -> None:
    secret = "hunter2-and-more"
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "Is it raining?")
        await say(app, pilot, f"my password is {secret}")
        assert "a secret (password) is in that: /erase takes it out again" in app.body.chat.notice.text
        assert holding(tmp_path / "home", secret)
        write(app, "/erase")
        await pilot.press("enter")
        assert "Erase the password that you said" in await asked(app, pilot)
        await pilot.press("y")
        await erased(app, pilot)
        assert holding(tmp_path / "home", secret) == []
        await until(lambda: secret not in text_of(app.body.chat.transcript), "it is gone from the conversation")


async def test_in_a_private_session_a_secret_needs_no_erasing(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", private=True) as (app, pilot):
        await say(app, pilot, "my password is hunter2-and-more")
        assert "secret" not in app.body.chat.notice.text


async def test_the_last_message_is_erased_by_the_command_alone(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "Is it raining?")
        await say(app, pilot, "The vixen sleeps in the orchard")
        write(app, "/erase")
        await pilot.press("enter")
        shown = await asked(app, pilot)
        assert "Erase the message “The vixen sleeps" in shown and "you: The vixen sleeps in the orchard" in shown
        await pilot.press("y")
        await erased(app, pilot)
        assert [n for n in holding(tmp_path / "home", "The vixen sleeps") if "index" not in n] == []


async def test_a_session_is_erased_from_history_also_the_one_on_screen(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, TOLD)
        session = app.desk.session
        await pilot.press("f3")
        await until(lambda: app.body.has("history") and app.body.history.session is not None, "the session")
        await pilot.pause()
        await pilot.press("D")
        shown = await asked(app, pilot)
        assert "1 fact learned in it stays" in shown
        await pilot.press("f")
        await erased(app, pilot)
        assert holding(tmp_path / "home", WORD) == []
        assert app.desk.session != session
        await until(lambda: "No sessions yet" in screen_text(app), "the list is empty")


@pytest.mark.parametrize("size", SIZES)
async def test_a_session_goes_to_the_trash_and_comes_back(tmp_path: Path, size) -> None:
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await say(app, pilot, "Is it raining?")
        session = app.desk.session
        await pilot.press("f3")
        await until(lambda: app.body.has("history") and app.body.history.session is not None, "the session")
        await pilot.press("d")
        await until(lambda: (tmp_path / "home/sessions/trash" / f"{session}.jsonl").exists(), "in the trash")
        await until(lambda: app.body.history.session is None, "the list is empty")
        await pilot.press("u")
        await until(lambda: app.body.history.session is not None, "it is back")
        assert app.body.history.session.id == session
        assert (tmp_path / "home/sessions" / f"{session}.jsonl").exists()


async def test_an_open_thread_is_closed_by_a_key_and_other_facts_are_not(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I'm waiting on Sarah about the Q3 staffing decision — she needs my answer by Friday.")
        await say(app, pilot, "I live in Tokyo.")
        await until(lambda: app.header.state.facts == 2, "two facts")
        await in_memory(app, pilot, 2)
        await pilot.press("c")
        await until(lambda: any("only what you wait on" in n.message for n in app._notifications), "the refusal")
        assert app.body.memory.choose(1)
        await pilot.press("c")
        await until(lambda: app.header.state.facts == 1, "it is closed")
        await pilot.press("u")
        await until(lambda: app.header.state.facts == 2, "and opened again")


async def test_a_session_is_written_as_a_document_and_its_context_begins_anew(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "Is it raining?")
        write(app, "/export")
        await pilot.press("enter")
        await until(lambda: list(tmp_path.glob("*-is-it-raining.md")), "the document")
        assert "Is it raining?" in next(tmp_path.glob("*.md")).read_text()
        write(app, "/clear")
        await pilot.press("enter")
        await until(lambda: '"kind":"cleared"' in next((tmp_path / "home/sessions").glob("*.jsonl")).read_text(), "")


async def test_an_erasing_that_was_cut_off_is_finished_at_the_start(home: Path) -> None:
    from sessions.erase.target import of_fact, write_job

    write_job(home / "local/erasing.json", of_fact(home_at(home), 3))
    async with workbench(home) as (app, _):
        await until(lambda: holding(home, WORD) == [], "it was finished", 20)
        await until(lambda: "went on with what was cut off" in app.body.chat.notice.text, "and told")


async def test_an_erasing_that_cannot_be_finished_yet_is_told_and_the_workbench_goes_on(home: Path) -> None:
    from sessions.erase.target import of_fact, write_job

    told = home_at(home)
    write_job(home / "local/erasing.json", of_fact(told, 3))
    session = next(meta.id for meta in told.catalog.list() if meta.title == TOLD and not meta.forked_from)
    other = LogWriter.open(told.paths, session)
    try:
        async with workbench(home) as (app, pilot):
            await until(lambda: "waits to be finished" in app.body.chat.notice.text, "it is told")
            await say(app, pilot, "Is it raining?")
            (home / "memory/user/by-hand.md").write_text("+++\n+++\nHas a boat\n")
            await until(lambda: app.header.state.facts == 4, "files are followed all the same")
    finally:
        other.close()
