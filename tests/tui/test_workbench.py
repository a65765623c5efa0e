from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.tui.workbench import finished, make_app, say, screen_text, text_of, workbench, write
from tests.waiting import until
from tui.dialogs.choice import Choice
from tui.dialogs.help import Help
from tui.dialogs.palette import Palette


async def test_a_first_start_greets_says_what_the_guide_is_and_what_can_be_tried(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, _):
        shown = screen_text(app)
        assert "Good " in shown and "I remember nothing yet" in shown
        assert "is no language model" in shown and "Connect a model" in shown
        assert "I live in Tokyo, and I prefer Celsius." in shown
        assert "guide (rules, no AI)" in shown and "memory on, 0 facts" in shown
        assert "Ask anything. / for commands" in shown
        assert not list((tmp_path / "home" / "sessions").glob("*.jsonl"))


async def test_the_guide_saves_recalls_and_is_remembered_after_a_restart(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo, and I prefer Celsius.")
        await until(lambda: app.header.state.facts == 2, "two facts in the header")
        assert "Remembered: Lives in Tokyo" in text_of(app.body.chat.transcript)
        assert "1 turn" in screen_text(app)
        await say(app, pilot, "where do I live?")
        assert "recalled lives-in-tokyo" in text_of(app.body.chat.transcript)
    async with workbench(tmp_path / "home") as (app, pilot):
        assert "I remember 2 facts and 1 session." in screen_text(app)
        await say(app, pilot, "where do I live?")
        assert "Tokyo" in text_of(app.body.chat.transcript)


async def test_one_key_on_an_empty_composer_continues_the_last_talk(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        session = app.desk.session
    async with workbench(tmp_path / "home") as (app, pilot):
        assert "Take up again" in screen_text(app)
        await pilot.press("enter")
        await until(lambda: app.desk.session == session, "the session of before")
        assert "I live in Tokyo." in text_of(app.body.chat.transcript)
        assert len(app.body.agent.trace.turns) == 1


async def test_start_lines_go_with_the_first_key_and_the_options_choose_the_session(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("h")
        assert not app.body.chat.start.display
        await say(app, pilot, "i there")
        session = app.desk.session
    async with workbench(tmp_path / "home", resume="newest") as (app, pilot):
        assert app.desk.session == session
    async with workbench(tmp_path / "home", resume=session) as (app, pilot):
        assert app.desk.session == session
    async with workbench(tmp_path / "home", resume="20200101-000000-abcdef") as (app, pilot):
        assert app.desk.session != session
        assert "20200101-000000-abcdef" in app.body.chat.notice.text


@pytest.mark.parametrize(
    ("key", "view"),
    [
        ("f3", "history"),
        ("ctrl+r", "history"),
        ("alt+2", "history"),
        ("f4", "memory"),
        ("ctrl+l", "memory"),
        ("alt+3", "memory"),
    ],
)
async def test_view_keys_go_there_and_esc_and_f2_come_back(tmp_path: Path, key: str, view: str) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press(key)
        await until(lambda: app.place == view, f"the focus in {view}")
        assert app.header.state.view == view
        await pilot.press("escape")
        await until(lambda: app.place == "composer", "the composer")
        await pilot.press(key, "f2")
        await until(lambda: app.place == "composer" and app.wanted.view == "chat", "the chat")


async def test_dialogs_open_by_their_keys_close_by_esc_and_keep_other_keys_out(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        for key, kind in (("f1", Help), ("ctrl+p", Palette), ("ctrl+g", Choice)):
            await pilot.press(key)
            await until(lambda kind=kind: isinstance(app.screen, kind), f"{kind.__name__} after {key}")
            await pilot.press("ctrl+n", "f4")
            assert isinstance(app.screen, kind) and app.wanted.view == "chat"
            await pilot.press("escape")
            await until(lambda: len(app.screen_stack) == 1, "no dialog")


async def test_help_is_about_the_place_and_lists_only_what_works(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("f4")
        await until(lambda: app.place == "memory", "memory")
        await pilot.press("f1")
        await until(lambda: isinstance(app.screen, Help), "help")
        await pilot.pause()
        shown = screen_text(app)
        assert shown.index("Switch the fact on or off") < shown.index("Everywhere")
        assert "/compact" not in shown and "/export" not in shown


async def test_the_palette_finds_by_letters_and_runs(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("ctrl+p", *"gomem")
        await until(lambda: isinstance(app.screen, Palette), "palette")
        await pilot.press("enter")
        await until(lambda: app.place == "memory", "memory")


async def test_memory_mode_is_chosen_from_four_lines_and_shown(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("ctrl+g")
        await until(lambda: isinstance(app.screen, Choice), "the choice")
        await pilot.pause()
        assert all(word in screen_text(app) for word in ("On", "Use, don't save", "Off", "Private"))
        await pilot.press("down", "down", "enter")
        await until(lambda: app.header.state.memory == "off", "memory off")
        assert "memory off" in text_of(app.header)
        await say(app, pilot, "I live in Tokyo.")
        assert not list((tmp_path / "home" / "memory" / "user").glob("*.md"))
        write(app, "/memory read-only --default")
        await pilot.press("enter")
        await until(lambda: app.header.state.memory == "read-only", "read-only")
        config = tmp_path / "home" / "config.toml"
        await until(lambda: config.exists() and "read-only" in config.read_text(), "the setting is written")


async def test_a_private_session_leaves_no_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with workbench(home, private=True) as (app, pilot):
        assert "private: nothing is kept" in text_of(app.header)
        await say(app, pilot, "I live in a secret place called Xanadu.")
    left = [path for path in home.rglob("*") if path.is_file() and b"Xanadu" in path.read_bytes()]
    assert left == [] and not list((home / "sessions").glob("*.jsonl"))


async def test_slash_commands_remember_forget_undo_rename_and_open_views(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        facts = app.desk.home.facts

        async def command(text: str) -> None:
            write(app, text)
            await pilot.press("enter")

        await command("/remember The printer is on the second floor")
        await until(
            lambda: [f.summary for f in facts.snapshot().facts] == ["The printer is on the second floor"], "saved"
        )
        await command("/forget 1")
        await until(lambda: not facts.snapshot().facts, "forgotten")
        await command("/undo")
        await until(lambda: len(facts.snapshot().facts) == 1, "undone")
        await until(lambda: app.body.chat.notice.text.startswith("back: The printer"), "it says what came back")
        await say(app, pilot, "hello")
        await command("/rename A better title")
        await until(lambda: app.body.chat.title.title_text == "A better title", "the title")
        await command("/facts")
        await until(lambda: app.place == "memory", "memory")
        await pilot.press("f2")
        await command("/nonsense")
        assert "no command /nonsense" in app.body.chat.notice.text and app.body.chat.composer.text == "/nonsense"
        await pilot.press("ctrl+c")
        await command("/model nope")
        says = "no model nope: there is only guide. /connect finds more"
        await until(lambda: app.body.chat.notice.text == says, "it says what there is")


async def test_ctrl_n_begins_anew_and_drafts_stay_with_their_session(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "hello")
        first = app.desk.session
        write(app, "half a thought")
        await pilot.press("ctrl+n")
        await until(lambda: app.desk.session != first, "a new session")
        assert app.body.chat.composer.text == "" and app.body.chat.title.title_text == "New session"
        await app.desk.open(first)
        assert app.body.chat.composer.text == "half a thought"


async def test_history_lists_shows_what_was_done_renames_pins_and_resumes(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        first = app.desk.session
        await pilot.press("ctrl+n")
        await until(lambda: app.desk.session != first, "a new session")
        await pilot.press("f3")
        await until(lambda: app.body.history.session is not None and app.place == "history", "the list")
        await until(lambda: "Lives in Tokyo" in screen_text(app), "the detail")
        await pilot.press("p")
        await until(lambda: app.body.history.session.pinned, "pinned")
        await pilot.press("e")
        await until(lambda: len(app.screen_stack) == 2, "the dialog")
        await pilot.press(*"Tokyo", "enter")
        await until(lambda: app.body.history.session.title == "Tokyo", "renamed")
        await pilot.press("slash", *"zzqx")
        await until(lambda: app.body.history.session is None, "filtered")
        await pilot.press("escape")
        await until(lambda: app.body.history.session is not None, "the filter is gone")
        await pilot.press("enter")
        await until(lambda: app.desk.session == first and app.place == "composer", "resumed")


async def test_memory_edits_a_fact_in_the_form_and_refuses_in_words(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        facts = app.desk.home.facts
        await pilot.press("f4")
        await until(lambda: app.place == "memory" and app.body.memory.fact is not None, "the list")
        await pilot.press("e")
        await until(lambda: app.place == "form", "the form")
        app.body.fact.summary.set("Lives in Kyoto")
        await pilot.press("ctrl+s")
        await until(lambda: facts.snapshot().facts[0].summary == "Lives in Kyoto", "saved")
        await until(lambda: app.body.memory.fact.summary == "Lives in Kyoto", "in the list")
        await pilot.press("escape")
        await until(lambda: app.place == "memory", "back in the list")
        for key, holds in (("l", lambda f: f.locked), ("p", lambda f: not f.pinned), ("space", lambda f: not f.active)):
            await pilot.press(key)
            await until(lambda holds=holds: holds(facts.snapshot().facts[0]), key)
        await pilot.press("u")
        await until(lambda: facts.snapshot().facts[0].active, "u takes back")
        await until(lambda: app.body.memory.fact is not None, "the list again")
        await pilot.press("d")
        await until(lambda: not facts.snapshot().facts, "forgotten")
        await pilot.press("u")
        await until(lambda: len(facts.snapshot().facts) == 1, "back")


async def test_n_in_memory_writes_a_new_fact(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("f4")
        await until(lambda: app.place == "memory", "memory")
        await pilot.press("n")
        await until(lambda: app.body.fact.creating and app.place == "form", "an empty form")
        await pilot.press(*"Likes tea", "ctrl+s")
        await until(lambda: [f.summary for f in app.desk.home.facts.snapshot().facts] == ["Likes tea"], "saved")
        await until(lambda: app.header.state.facts == 1, "counted")


async def test_up_edits_the_fact_behind_an_answer_and_saving_returns_to_the_chat(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await pilot.press("up")
        await until(lambda: app.place == "foot", "the foot")
        await pilot.press("enter")
        await until(lambda: app.place == "form" and app.body.fact.fact is not None, "the form")
        await pilot.press(*"Lives in Kyoto", "ctrl+s")
        await until(lambda: app.wanted.view == "chat" and app.place == "foot", "the chat, at the foot")
        assert app.desk.home.facts.snapshot().facts[0].summary == "Lives in Kyoto"


async def test_up_and_u_undo_a_fact_just_saved(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await pilot.press("up", "u")
        await until(lambda: not app.desk.home.facts.snapshot().facts, "undone")
        await until(lambda: app.header.state.facts == 0, "counted")


async def test_a_file_that_an_editor_changes_is_seen(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with workbench(home) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await pilot.press("f4")
        await until(lambda: app.body.memory.fact is not None, "the list")
        file = next((home / "memory" / "user").glob("*.md"))
        text = file.read_text()
        file.write_text(text.replace("Lives in Tokyo", "Lives in Osaka"))
        await until(
            lambda: app.body.memory.fact and app.body.memory.fact.summary == "Lives in Osaka", "the list follows"
        )
        file.write_text("+++\nbroken\n+++\n")
        await until(lambda: "not TOML" in screen_text(app), "shown as broken")


async def test_keys_come_from_the_settings_and_wrong_ones_are_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text('[keys]\nmemory = "f5"\nnonsense = "x"\ntree = "ctrl+n"\n')
    async with workbench(home) as (app, pilot):
        assert "F5 Memory" in text_of(app.footer)
        await pilot.press("f5")
        await until(lambda: app.place == "memory", "memory by its new key")
        problems = "\n".join(app.keymap.problems)
        assert "nonsense" in problems and "tree" in problems and "already is new" in problems
        assert app.keymap.keys("tree") == ("ctrl+t",)


async def test_the_styles_leave_room_in_the_parse_cache(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", (180, 50)) as (app, pilot):
        for key in ("f3", "f4", "f2", "ctrl+p"):
            await pilot.press(key)
        await until(lambda: isinstance(app.screen, Palette), "palette")
        assert len(app.stylesheet.source) < 56


async def test_quitting_ends_with_code_zero_and_closes_the_log(tmp_path: Path) -> None:
    app = make_app(tmp_path / "home")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app.desk is not None and app.desk.ready.is_set(), "ready")
        await say(app, pilot, "hello")
        write(app, "quit")
        await pilot.press("enter")
        await until(lambda: app._exit, "the end")
    assert app.return_code == 0 and finished(app) == 1
    assert not [task for task in asyncio.all_tasks() if "memagent" in task.get_name()]
