from __future__ import annotations

from dataclasses import replace

from tests.tui.widgets.harness import LIVES, NOW, Harness
from tui.memory.fact_form import FactForm
from tui.memory.form_values import FormValues, clash_words, merge

TOKYO = FormValues("home", "Lives in Tokyo", body="A flat.")


def harness():
    form = FactForm()
    return form, Harness(form)


def test_a_merge_takes_theirs_where_nothing_was_typed_and_names_what_both_changed():
    mine = replace(TOKYO, summary="Lives in Osaka")
    merged = merge(TOKYO, mine, replace(TOKYO, body="A house."))
    assert (merged.values.summary, merged.values.body, merged.clash) == ("Lives in Osaka", "A house.", ())
    kyoto = replace(TOKYO, summary="Lives in Kyoto", pinned=True)
    merged = merge(TOKYO, mine, kyoto)
    assert (merged.values.summary, merged.values.pinned, merged.clash) == ("Lives in Osaka", True, ("summary",))
    assert merge(TOKYO, mine, mine).clash == ()
    assert merge(kyoto, merged.values, kyoto, merged.clash).clash == ("summary",), "it is still not settled"


def test_the_words_of_a_clash_name_the_keys_first_and_then_what_stands_there_now():
    theirs = FormValues(summary="Lives in\nKyoto", pinned=True)
    words = clash_words(("summary", "pinned", "body"), theirs)
    assert words.startswith("changed elsewhere: ^s yours, esc theirs · ")
    assert words.endswith("in one line: Lives in Kyoto · always send: yes · body: nothing")
    assert clash_words((), theirs) == ""


async def test_a_field_changed_elsewhere_comes_in_beside_what_is_being_typed_and_the_cursor_stays():
    form, app = harness()
    async with app.run_test(size=(100, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("left", "x")
        form.show(replace(LIVES, body="By an editor.", pinned=False), now=NOW)
        await pilot.press("y")
        assert form.summary.text == "Lives in Tokyxyo"
        assert (form.body.text, form.pinned.value) == ("By an editor.", "no")
        await pilot.press("ctrl+s")
        (saved,) = app.heard(FactForm.Save)
        assert saved.changes == {"summary": "Lives in Tokyxyo"}
        assert saved.fact.body == "By an editor."


async def test_what_both_changed_is_said_until_ctrl_s_takes_the_one():
    form, app = harness()
    async with app.run_test(size=(100, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("x")
        kyoto = replace(LIVES, summary="Lives in Kyoto")
        form.show(kyoto, now=NOW)
        assert form.summary.text == "Lives in Tokyox" and "Lives in Kyoto" in form.line.text
        await pilot.press("y")
        assert "^s yours, esc theirs" in form.line.text
        await pilot.press("ctrl+s")
        (saved,) = app.heard(FactForm.Save)
        assert (saved.fact, saved.changes) == (kyoto, {"summary": "Lives in Tokyoxy"})


async def test_esc_takes_theirs_and_stays_in_the_form():
    form, app = harness()
    async with app.run_test(size=(100, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("x")
        form.show(replace(LIVES, summary="Lives in Kyoto"), now=NOW)
        await pilot.press("escape")
        assert (form.summary.text, form.dirty) == ("Lives in Kyoto", False)
        assert not app.heard(FactForm.Back)
        await pilot.press("escape")
        assert app.heard(FactForm.Back)


async def test_typing_the_same_as_somebody_else_settles_a_clash():
    form, app = harness()
    async with app.run_test(size=(100, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("x")
        form.show(replace(LIVES, summary="Lives in Tokyoxy"), now=NOW)
        await pilot.press("y")
        assert (form.dirty, form.line.text) == (False, "")


async def test_what_is_typed_while_a_save_is_under_way_stays():
    form, app = harness()
    async with app.run_test(size=(100, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("x", "ctrl+s", "y")
        form.saved(replace(LIVES, summary="Lives in Tokyox"), now=NOW)
        assert (form.summary.text, form.dirty) == ("Lives in Tokyoxy", True)
        await pilot.press("ctrl+s")
        assert [m.changes for m in app.heard(FactForm.Save)][-1] == {"summary": "Lives in Tokyoxy"}


async def test_a_fact_that_is_gone_is_written_again_only_when_asked_twice():
    form, app = harness()
    async with app.run_test(size=(100, 40)) as pilot:
        form.show(LIVES, now=NOW)
        form.edit()
        await pilot.press("x", "ctrl+s")
        form.gone()
        assert "deleted elsewhere: ^s writes it again" in form.line.text
        await pilot.press("ctrl+s")
        saved = app.heard(FactForm.Save)[-1]
        assert (saved.fact, saved.changes) == (LIVES, {"summary": "Lives in Tokyox"})
        assert (saved.new.name, saved.new.summary) == (LIVES.name, "Lives in Tokyox")
        form.gone()
        await pilot.press("escape")
        assert app.heard(FactForm.Back) and not form.dirty
