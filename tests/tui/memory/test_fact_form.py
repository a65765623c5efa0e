from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from sessions.memory.fact import BrokenFact, By, Draft
from tests.sessions.memory.homes import store_of
from tests.tui.widgets.harness import LIVES, NOW, STRANGE, Harness, S, fact, shown
from tui.memory.fact_detail import Background, Use
from tui.memory.fact_form import FactForm
from tui.memory.form_parts import Body
from tui.memory.form_values import FormValues, draft
from tui.memory.versions import Version

pytestmark = pytest.mark.usefixtures("utc")


def harness():
    form = FactForm()
    return form, Harness(form)


def text_of(form):
    lines = [
        shown(form.title)[0],
        *(shown(field)[0] for field in form.fields),
        form.line.text,
        *form.below.lines_of_text,
    ]
    return "\n".join(line.rstrip() for line in lines)


async def test_a_fact_is_shown_as_a_form_with_where_it_comes_from_and_its_versions():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        await pilot.pause()
        versions = [Version(2, "model", "related: + prefers-celsius", "2026-11-29T09:41:00Z")]
        uses = [Use("Friday's offsite", 3, "2026-11-29T17:12:00Z")]
        form.show(LIVES, now=NOW, known=Background("Weather in Tokyo", uses, 1, versions))
        await pilot.pause()
        text = text_of(form)
        assert "  Lives in Tokyo" in text
        assert "fact 7 · active · always sent" in text
        assert "  name          lives-in-tokyo" in text
        assert "  in one line   Lives in Tokyo" in text
        assert "open threads only" in text
        assert "prefers-celsius" in text
        assert form.body.text == "The user lives in Tokyo."
        assert "You said it on Sun 29 Nov 17:14 in Weather in Tokyo" in text
        assert "▏ I live in Tokyo, and I prefer Celsius." in text
        assert "1 turn in 1 session" in text
        assert "2  model  related: + prefers-celsius" in text


async def test_ctrl_s_posts_only_what_was_changed():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("ctrl+w", *"Osaka")
        await pilot.press("down", "down", "space", "ctrl+s")
        (saved,) = app.heard(FactForm.Save)
        assert saved.fact is LIVES
        assert saved.changes == {"summary": "Lives in Osaka", "pinned": False}
        form.saved(replace(LIVES, summary="Lives in Osaka", pinned=False), now=NOW)
        assert not form.dirty
        assert form.line.text == "saved"


async def test_what_was_saved_stays_said_and_the_cursor_stays_when_the_same_fact_is_shown_again():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.body.focus()
        await pilot.press("x", "ctrl+s")
        written = replace(LIVES, body="xThe user lives in Tokyo. And more")
        form.saved(written, now=NOW)
        await pilot.pause()
        form.show(written, now=NOW)
        await pilot.pause()
        assert form.line.text == "saved"
        form.edit(selected=True)
        form.show(written, now=NOW)
        await pilot.press("O")
        assert form.summary.text == "O"


async def test_before_a_fact_is_shown_there_are_no_fields_and_nothing_to_save():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        await pilot.pause()
        assert not form.fields[0].region.height
        assert not form.dirty
        form.below.focus()
        await pilot.press("ctrl+s")
        assert not app.heard(FactForm.Save)


async def test_a_new_fact_just_begun_is_not_taken_away_by_the_list():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.new(now=NOW)
        await pilot.pause()
        assert not form.show(LIVES, now=NOW)
        assert form.summary.text == ""
        await pilot.press("escape")
        assert form.show(LIVES, now=NOW)


async def test_nothing_changed_posts_nothing():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("ctrl+s")
        assert not app.heard(FactForm.Save)
        assert form.line.text == "nothing changed"


async def test_a_new_fact_is_posted_as_a_draft_with_the_default_of_its_kind():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.new(now=NOW)
        await pilot.pause()
        assert form.summary.has_focus
        await pilot.press(*"Tea")
        await pilot.press("down", "p", "p")
        assert form.kind.value == "preference"
        assert form.pinned.value == "yes"
        await pilot.press("ctrl+s")
        (saved,) = app.heard(FactForm.Save)
        assert saved.fact is None
        assert (saved.new.name, saved.new.summary, saved.new.kind, saved.new.pinned) == (
            "",
            "Tea",
            "preference",
            True,
        )


@pytest.mark.parametrize(
    ("field", "text", "says"),
    [
        ("name", "Not A Name", "only a-z 0-9 -"),
        ("summary", "", "say it in one line"),
        ("summary", "x" * 121, "121 of 120"),
        ("related", "fine, Not!", "no name: Not!"),
    ],
)
async def test_a_wrong_field_says_why_gets_the_focus_and_nothing_is_posted(field, text, says):
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        wrong = next(f for f in form.fields if f.field == field)
        wrong.set(text)
        form.body.focus()
        await pilot.press("ctrl+s")
        assert not app.heard(FactForm.Save)
        assert wrong.has_focus
        assert says in shown(wrong)[0]


async def test_only_an_open_thread_has_a_due_date_and_it_is_checked():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit("due")
        await pilot.press("9")
        assert form.due.text == ""
        form.edit("kind")
        await pilot.press("o")
        assert form.kind.value == "open-thread"
        form.edit("due")
        await pilot.press(*"friday", "ctrl+s")
        assert "a day like 2026-12-04" in shown(form.due)[0]
        await pilot.press("ctrl+u", *"2026-12-04", "ctrl+s")
        (saved,) = app.heard(FactForm.Save)
        assert saved.changes == {"kind": "open-thread", "due": date(2026, 12, 4)}


async def test_the_kind_is_taken_from_a_list_that_drops_from_its_field():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit("kind")
        await pilot.press("right")
        assert form.kind.value == "preference"
        await pilot.press("space")
        options = form.kind.options
        assert options.has_focus and options.cursor == "preference"
        assert options.region.y == form.kind.region.bottom
        assert any("open-thread  Waiting on" in line for line in shown(options))
        await pilot.press("down", "escape")
        assert (form.kind.value, form.kind.has_focus, options.display) == ("preference", True, False)
        await pilot.press("enter", "home", "enter")
        assert (form.kind.value, form.kind.has_focus, options.display) == ("user", True, False)
        await pilot.click(form.kind, offset=(20, 0))
        await pilot.click(options, offset=(5, 1))
        assert (form.kind.value, options.display) == ("self", False)
        assert not app.heard(FactForm.Back)


async def test_links_in_a_body_are_underlined_and_open_their_fact():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(replace(LIVES, body="See [[prefers-celsius]] and [[sarah]]."), now=NOW)
        underlined = [s.text for s in form.body.render_line(0) if s.style and s.style.underline]
        assert underlined == ["[[prefers-celsius]]", "[[sarah]]"]
        form.body.focus()
        await pilot.press("alt+enter")
        assert not app.heard(Body.LinkOpened)
        form.body.move_cursor((0, 8))
        await pilot.press("alt+enter")
        await pilot.click(form.body, offset=(32, 0), times=2)
        assert [m.name for m in app.heard(Body.LinkOpened)] == ["prefers-celsius", "sarah"]
        assert not form.dirty


async def test_esc_asks_once_before_it_discards():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("escape")
        assert len(app.heard(FactForm.Back)) == 1
        await pilot.press("x", "escape")
        assert len(app.heard(FactForm.Back)) == 1
        assert "esc again discards" in form.line.text
        await pilot.press("y", "escape")
        assert len(app.heard(FactForm.Back)) == 1
        await pilot.press("escape")
        assert len(app.heard(FactForm.Back)) == 2
        assert form.summary.text == "Lives in Tokyo"
        assert not form.dirty


async def test_what_is_typed_survives_another_choice_and_a_change_by_somebody_else():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("x")
        assert not form.show(fact(9, "other", "Other"), now=NOW)
        assert form.summary.text == "Lives in Tokyox"
        assert form.show(replace(LIVES, body="Changed by an editor"), now=NOW)
        assert form.summary.text == "Lives in Tokyox"
        assert "changed elsewhere" in form.line.text


async def test_a_change_by_somebody_else_shows_when_nothing_was_typed():
    form, app = harness()
    async with app.run_test(size=(70, 40)):
        form.show(LIVES, now=NOW)
        form.show(replace(LIVES, summary="Lives in Kyoto", body="New"), now=NOW)
        assert form.summary.text == "Lives in Kyoto"
        assert form.body.text == "New"
        assert not form.dirty


@pytest.mark.parametrize("key", ["space", "t"])
async def test_who_may_see_a_fact_is_a_field(key):
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit("share")
        await pilot.pause()
        assert "seen by" in text_of(form) and "any model" in text_of(form)
        await pilot.press(key, "ctrl+s")
        (saved,) = app.heard(FactForm.Save)
        assert saved.changes == {"share": "local"} and "this machine only" in text_of(form)
        form.saved(replace(LIVES, share="local"), now=NOW)
        assert not form.dirty
        form.show(replace(LIVES, share="any", body="By an editor."), now=NOW)
        assert form.share.value == "any model"


def test_a_new_fact_of_the_form_is_seen_by_whom_it_says_and_so_is_what_takes_its_place(tmp_path):
    store, by = store_of(tmp_path), By("user")
    made = store.save(draft(FormValues(summary="Sees doctor Sato", kind="preference", share="local")), by=by).fact
    assert made.share == store.get(made.number).share == "local"
    other = store.save(Draft("", "Sees doctor Miura", "preference", replaces=made.number), by=by).fact
    assert (other.share, other.supersedes) == ("local", (made.name,))


async def test_tab_goes_through_all_fields_and_back_to_the_first():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit("name")
        seen = []
        for _ in range(10):
            await pilot.press("tab")
            seen.append(app.focused)
        assert seen == [*form.fields[1:], form.body, form.below, form.name_field]
        await pilot.press("shift+tab")
        assert app.focused is form.below


async def test_enter_below_the_form_opens_the_message_it_comes_from():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.below.focus()
        await pilot.press("enter")
        assert [(m.session, m.said.message) for m in app.heard(FactForm.OpenSource)] == [(S, "m1")]


async def test_the_body_takes_lines_and_is_saved_as_they_are():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.body.focus()
        await pilot.press("end", "enter", "a", "up", "down", "b", "ctrl+s")
        (saved,) = app.heard(FactForm.Save)
        assert saved.changes == {"body": "The user lives in Tokyo.\nab"}


async def test_a_selected_line_is_replaced_by_what_is_typed():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit(selected=True)
        await pilot.press("O", "k")
        assert form.summary.text == "Ok"


async def test_a_broken_file_shows_where_and_why_and_its_text_without_control_sequences():
    form, app = harness()
    async with app.run_test(size=(70, 40)) as pilot:
        raw = "+++\nid = 1\nname = [bold]x[/]\nsummary \x1b[31m\n+++\n"
        form.show_broken(BrokenFact(Path("/h/memory/user/atlas-ci.md"), 4, "line 4, not TOML"), raw)
        await pilot.pause()
        text = "\n".join(form.below.lines_of_text)
        assert "atlas-ci.md" in text
        assert "line 4, not TOML" in text
        assert "✗   4  summary ␛[31m" in text
        assert "[bold]x[/]" in text
        assert not form.fields[0].region.height
        form.show(LIVES, now=NOW)
        await pilot.pause()
        assert form.fields[0].region.height == 1


@pytest.mark.parametrize("width", [40, 70, 120])
async def test_strange_texts_keep_every_line_as_wide_as_the_form(width):
    form, app = harness()
    async with app.run_test(size=(width, 40)) as pilot:
        for i, text in enumerate(STRANGE):
            strange = replace(
                LIVES,
                id=str(i),
                name="a",
                summary=text,
                body=text,
                related=(text,),
                source=replace(LIVES.source, quote=text),
            )
            known = Background(text, [Use(text, 1, "")], 1, [Version(1, text, text, "")])
            assert form.show(strange, now=NOW, known=known)
            await pilot.pause()
            for field in form.fields:
                field.focus()
                await pilot.pause()
                strip = field.render_line(0)
                assert strip.cell_length == width
                assert "\x1b" not in strip.text
            assert {strip.cell_length for strip in form.below._lines} == {width}
            assert shown(form.title)[0].count("\x1b") == 0
