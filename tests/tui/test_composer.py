from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual import events

from tests.tui.workbench import say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.commands import BY_SLASH


def user_line(home: Path) -> dict[str, object]:
    """The newest user message of the only log."""
    log = next((home / "sessions").glob("*.jsonl"))
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return [line for line in lines if line.get("role") == "user"][-1]


async def test_what_is_pasted_is_logged_as_not_typed(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press(*"  see ")
        app.body.chat.composer.input.post_message(events.Paste("a pasted\nblock"))
        await until(lambda: "block" in app.body.chat.composer.text, "pasted")
        await say(app, pilot, " and more")
        line = user_line(tmp_path / "home")
        assert line["content"] == "see a pasted\nblock and more"
        assert line["typed"] == [[0, 4], [18, 27]]
        await say(app, pilot, "all by hand")
        assert "typed" not in user_line(tmp_path / "home")


@pytest.mark.parametrize("key", ["ctrl+j", "shift+enter"])
async def test_newline_keys_make_the_composer_grow_and_enter_sends_it_all(tmp_path: Path, key: str) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        height = app.body.chat.composer.size.height
        await pilot.press("a", key, "b")
        await until(lambda: app.body.chat.composer.size.height == height + 1, "one line more")
        await say(app, pilot, "")
        assert user_line(tmp_path / "home")["content"] == "a\nb"
        assert app.body.chat.composer.size.height == height


async def test_up_shows_past_prompts_also_of_yesterday_and_down_brings_the_draft_back(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "first words")
        await say(app, pilot, "second words")
    async with workbench(tmp_path / "home") as (app, pilot):
        composer = app.body.chat.composer
        await until(lambda: len(composer.prompts) == 2, "past prompts")
        write(app, "draft")
        await pilot.press("up")
        assert composer.text == "second words"
        await pilot.press("up")
        assert composer.text == "first words"
        await pilot.press("up")
        assert composer.text == "first words"
        await pilot.press("down", "down")
        assert composer.text == "draft"


async def test_up_and_down_move_in_a_text_of_several_lines_before_they_leave_it(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "old")
        write(app, "one\ntwo")
        await pilot.press("up")
        assert app.body.chat.composer.text == "one\ntwo"
        await pilot.press("up")
        assert app.body.chat.composer.text == "old"


async def test_up_goes_to_the_foot_then_to_past_prompts(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await pilot.press("up")
        await until(lambda: app.body.chat.transcript.foot_focused, "the foot")
        await pilot.press("up")
        await until(lambda: app.place == "composer", "the composer")
        assert app.body.chat.composer.text == "I live in Tokyo."


async def test_the_slash_popup_narrows_completes_runs_and_closes(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        popup, composer = app.body.chat.popup, app.body.chat.composer
        await pilot.press("slash")
        await until(lambda: popup.display, "open")
        assert "Choose" in text_of(app.footer) and f"of {len(BY_SLASH)}" in text_of(popup)
        await pilot.press("r", "e", "m")
        await until(lambda: "/remember" in text_of(popup), "narrowed")
        await pilot.press("tab")
        await until(lambda: composer.text == "/remember ", "completed")
        assert not popup.display
        await pilot.press("ctrl+c", "slash")
        await until(lambda: popup.display, "open again")
        await pilot.press("escape")
        assert not popup.display and composer.text == "/"
        await pilot.press("f", "a")
        assert not popup.display
        await pilot.press("ctrl+c", *"/fac")
        await until(lambda: popup.display, "open for another word")
        await pilot.press("enter")
        await until(lambda: app.place == "memory" and composer.text == "", "run")


async def test_ctrl_c_clears_then_twice_quits_and_a_cleared_text_comes_back_by_up(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        write(app, "dear diary")
        await pilot.press("ctrl+c")
        assert app.body.chat.composer.text == "" and not app._exit
        await pilot.press("up")
        assert app.body.chat.composer.text == "dear diary"
        await pilot.press("ctrl+c", "ctrl+c")
        await until(lambda: app._exit, "quit")


async def test_ctrl_c_copies_a_selection_and_says_so(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        write(app, "take this")
        await pilot.press("f7", "ctrl+c")
        assert app.clipboard == "take this" and app.body.chat.composer.text == "take this"
        assert app.body.chat.notice.text == "sent to the clipboard"


async def test_in_tmux_the_clipboard_goes_through_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with workbench(tmp_path / "home") as (app, _):
        written: list[str] = []
        monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,1,0")
        monkeypatch.setattr(app._driver, "write", written.append)
        app.copy_to_clipboard("hi")
        assert any(text.startswith("\x1bPtmux;\x1b\x1b]52;c;aGk=") for text in written)


async def test_the_external_editor_changes_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "true")
    async with workbench(tmp_path / "home") as (app, pilot):
        write(app, "kept")
        await pilot.press("f8")
        await pilot.pause()
        assert app.body.chat.composer.text == "kept"


async def test_letters_typed_in_the_conversation_go_to_the_composer(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "hello")
        app.body.chat.transcript.focus()
        await pilot.press("h")
        await until(lambda: app.place == "composer", "the composer")
        assert app.body.chat.composer.text == "h"


async def test_text_of_others_stays_text(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "remember that [bold]x[/] \x1b]52;c;aGk=\x07 \u202eabc")
        assert "[bold]x[/]" in screen_text(app)
        assert "\x1b" not in screen_text(app) and "\u202e" not in screen_text(app)


async def test_what_is_typed_and_sent_while_a_session_opens_goes_to_that_session(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "Sarah Chen is my engineering manager.")
        session = app.desk.session
    async with workbench(tmp_path / "home") as (app, pilot):
        app.body.chat.composer.submit()
        write(app, "Who is Sarah?")
        app.body.chat.composer.submit()
        await until(lambda: app.desk.session == session and len(app.body.agent.trace.turns) == 2, "in that session")
        await until(lambda: not app.running, "the answer")
        assert len(list((tmp_path / "home" / "sessions").glob("*.jsonl"))) == 1
