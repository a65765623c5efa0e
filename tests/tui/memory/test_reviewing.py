from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sessions.memory.fact import Draft, Fact
from sessions.memory.guard import Guard, Wish
from sessions.memory.reconcile import Change
from tests.sessions.memory.homes import PERSON, store_of, summaries
from tests.sessions.memory.waiting_home import CLIENT, MODEL, waiting_home
from tests.tui.workbench import screen_text, text_of, workbench, write
from tests.waiting import until
from tui.reviewing import _said

KEYS = ["a Accept", "e Edit", "x Reject", "A Accept group", "enter Open", "u Undo", "esc Back", "F1 Help"]


def waiting(home: Path) -> list[int]:
    return [p.number for p in store_of(home).proposals()]


async def to_review(app, pilot, number=6):
    """`/review`, then down to a proposal."""
    write(app, "/review")
    await pilot.press("enter")
    await until(lambda: app.place == "proposal", "the first that waits")
    while app.body.memory.proposal.number != number:
        await pilot.press("down")
    if app.body.shows("fact"):
        await until(lambda: app.body.fact.proposal and app.body.fact.proposal.number == number, "its detail")
    await pilot.pause()


def chosen(app):
    proposal = app.body.memory.proposal
    return proposal.number if proposal else 0


async def test_a_change_stands_beside_what_is_now_with_why_it_waits_and_what_accepting_does(tmp_path):
    waiting_home(tmp_path / "home")
    async with workbench(tmp_path / "home") as (app, pilot):
        await to_review(app, pilot, 7)
        shown = screen_text(app)
        assert "Memory 7" in shown and "To review" in shown
        assert "1 Lives in Tokyo → Lives in Osaka" in shown
        assert app.body.fact.title.title_text == "Change to fact 1, lives-in-tokyo"
        assert app.body.fact.title.fact == "2 of 7"
        detail = text_of(app.body.fact.below)
        (line,) = [line for line in detail.splitlines() if "in one line" in line]
        assert line.index("- in one line Lives in Tokyo") < line.index("+ in one line Lives in Osaka")
        assert "Near Nakano," in detail and "Near Umeda," in detail
        assert "no quote of the user's own words came with it" in detail
        assert "Changes #1 lives-in-tokyo; u undoes it." in detail and "keeps its name, number and history" in detail
        assert "It holds in every folder." in detail
        footer = text_of(app.footer)
        assert [key for key in KEYS if key in footer] == KEYS and "On/off" not in footer


async def test_where_a_fact_would_hold_is_told_before_the_yes(tmp_path):
    root = tmp_path / "home"
    store, folder = waiting_home(root), tmp_path / "atlas"
    folder.mkdir()
    draft = Draft("deploys", "Deploys on Fridays", "project", scope=store.scopes.of(folder))
    proposal = Guard(store).save(draft, replace(CLIENT, cwd=folder)).proposal
    async with workbench(root) as (app, pilot):
        await to_review(app, pilot, proposal.number)
        assert "It holds in the project atlas only." in text_of(app.body.fact.below)


async def test_what_differs_stands_on_the_grounds_of_added_and_deleted(tmp_path):
    waiting_home(tmp_path / "home")
    async with workbench(tmp_path / "home") as (app, pilot):
        await to_review(app, pilot, 7)
        below = app.body.fact.below
        grounds = {}
        for y in range(below.size.height):
            for segment in below.render_line(y):
                for word in ("Tokyo", "Osaka", "preference"):
                    if segment.text.strip() == word:
                        grounds.setdefault(word, segment.style.bgcolor.triplet.hex)
        from styles.themes import PALETTES

        dark = PALETTES["dark"]
        assert grounds["Tokyo"] == dark.delete.lower() and grounds["Osaka"] == dark.add.lower()
        assert grounds["preference"] not in {dark.delete.lower(), dark.add.lower()}


async def test_a_long_text_has_its_side_to_itself_and_is_not_broken_within_words(tmp_path):
    store = waiting_home(tmp_path / "home")
    words = "Near Umeda, since 2026, and by train to [[the-office-in-kyoto]]."
    store.edit(1, by=PERSON, body="Near Nakano, since 2019, and by train to [[the-office-in-kyoto]].")
    summary = "Lives in Osaka in the week and in a small house by the sea on the weekends"
    Guard(store).save(Draft("lives-in-tokyo", summary, "preference", words), Wish(MODEL))
    async with workbench(tmp_path / "home") as (app, pilot):
        await to_review(app, pilot, 13)
        detail = text_of(app.body.fact.below)
        assert "- Near Nakano, since 2019, and    + Near Umeda, since 2026, and by" in detail
        assert "[[the-office-in-kyoto]]." in detail
        assert "+ Lives in Osaka in the week and" in detail and "- Lives in Tokyo" in detail


@pytest.mark.parametrize(
    ("number", "title", "says"),
    [
        (6, "New fact, chess", "Saves it as a new fact"),
        (8, "In place of fact 2, tea", "Saves it in place of #2 tea"),
        (9, "Forget fact 3, python", "Forgets #3 python"),
        (10, "One fact of 4, 5", "Makes one fact of #4 cat, #5 pet"),
        (11, "New fact, boat", "saved by another agent"),
    ],
)
@pytest.mark.parametrize("size", [(120, 40), (80, 40)])
async def test_each_kind_says_what_it_is_about(tmp_path, number, title, says, size):
    waiting_home(tmp_path / "home")
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await to_review(app, pilot, number)
        if size[0] == 80:
            await pilot.press("enter")
            await until(lambda: app.body.shows("fact") and app.body.fact.waiting, "the detail")
            await pilot.pause()
        assert app.body.fact.title.title_text == title
        assert says in text_of(app.body.fact.below)
        assert app.place == "proposal"


async def test_a_yes_a_no_and_a_way_back_by_keys_go_on_to_the_next_and_the_count_follows(tmp_path):
    home = tmp_path / "home"
    waiting_home(home)
    async with workbench(home) as (app, pilot):
        await to_review(app, pilot)
        await pilot.press("a")
        await until(lambda: app.header.state.to_review == 6 and chosen(app) == 7, "accepted, and the next")
        assert app.header.state.facts == 6 and "Memory 6" in screen_text(app)
        await pilot.press("x")
        await until(lambda: app.header.state.to_review == 5 and chosen(app) == 8, "rejected, and the next")
        assert "Plays chess on Fridays" in summaries(store_of(home)) and waiting(home) == [8, 9, 10, 11, 12]
        assert "Lives in Tokyo" in summaries(store_of(home))
        await pilot.press("u")
        await until(lambda: app.header.state.to_review == 6 and chosen(app) == 7, "waits again")
        await pilot.press("u")
        await until(lambda: app.header.state.to_review == 7 and chosen(app) == 6, "the accepted one too")
        assert waiting(home) == [6, 7, 8, 9, 10, 11, 12]
        assert "Plays chess on Fridays" not in summaries(store_of(home))


async def test_every_kind_is_accepted_by_a_key_until_nothing_waits(tmp_path):
    home = tmp_path / "home"
    waiting_home(home)
    async with workbench(home) as (app, pilot):
        await to_review(app, pilot)
        for left in range(6, -1, -1):
            await pilot.press("a")
            await until(lambda left=left: app.header.state.to_review == left, f"{left} left")
            await until(lambda left=left: bool(chosen(app)) == bool(left), "the cursor")
        await until(lambda: app.place == "memory", "the keys of a fact again")
        found = sorted(summaries(store_of(home)))
        assert found == [
            *("Has an old cat named Miso", "Likes coffee", "Lives in Osaka"),
            *("Owns a boat", "Plays chess on Fridays", "Reads novels"),
        ]
        assert "To review" not in screen_text(app)


async def test_a_group_is_accepted_at_once(tmp_path):
    home = tmp_path / "home"
    waiting_home(home)
    async with workbench(home) as (app, pilot):
        await to_review(app, pilot, 11)
        assert "From Codex: 2" in text_of(app.body.fact.below)
        await pilot.press("A")
        await until(lambda: app.header.state.to_review == 5, "both accepted")
        assert waiting(home) == [6, 7, 8, 9, 10]
        await until(lambda: chosen(app) == 10, "the one before")


async def test_a_group_is_rejected_at_once_when_its_number_was_seen(tmp_path):
    home = tmp_path / "home"
    store = waiting_home(home)
    for n in range(8):
        Guard(store).save(Draft(f"shelf-{n}", f"Shelf {n} holds item {n * 7}", "project"), CLIENT)
    async with workbench(home) as (app, pilot):
        await to_review(app, pilot, 12)
        for answer in ("n", "y"):
            await pilot.press("X")
            await until(lambda: app.screen.is_modal, "the question")
            asked = screen_text(app)
            assert "From Codex: 10 to review" in asked and "Owns a boat" in asked and "and 5 more" in asked
            await pilot.press(answer)
            await until(lambda: not app.screen.is_modal, "answered")
            if answer == "n":
                assert len(waiting(home)) == 15
        await until(lambda: app.header.state.to_review == 5, "all of them")
        assert waiting(home) == [6, 7, 8, 9, 10]
        await pilot.press("u")
        await until(lambda: len(waiting(home)) == 6, "the last is back")


async def test_it_can_be_edited_in_the_form_and_is_accepted_by_saving(tmp_path):
    home = tmp_path / "home"
    waiting_home(home)
    async with workbench(home) as (app, pilot):
        await to_review(app, pilot)
        await pilot.press("e")
        await until(lambda: app.place == "amend", "the form")
        assert "^s Accept" in text_of(app.footer)
        await pilot.press("end", *" with Ann", "ctrl+s")
        await until(lambda: app.header.state.to_review == 6 and chosen(app) == 7, "accepted, and the next")
        assert "Plays chess on Fridays with Ann" in summaries(store_of(home))
        assert app.place == "proposal"
        await until(lambda: app.body.fact.proposal and app.body.fact.proposal.number == 7, "its detail")


async def test_what_is_being_edited_stays_when_somebody_else_decides_on_another(tmp_path):
    home = tmp_path / "home"
    store = waiting_home(home)
    async with workbench(home) as (app, pilot):
        await to_review(app, pilot)
        await pilot.press("e")
        await until(lambda: app.place == "amend", "the form")
        await pilot.press("end", "!")
        store.review.reject(12, by=PERSON)
        await until(lambda: app.header.state.to_review == 6, "seen")
        assert app.body.fact.summary.text == "Plays chess on Fridays!" and app.place == "amend"
        await pilot.press("ctrl+s")
        await until(lambda: app.header.state.to_review == 5, "accepted")
        assert "Plays chess on Fridays!" in summaries(store_of(home))


async def test_esc_leaves_the_edit_and_nothing_is_accepted(tmp_path):
    home = tmp_path / "home"
    waiting_home(home)
    async with workbench(home) as (app, pilot):
        await to_review(app, pilot)
        await pilot.press("e")
        await until(lambda: app.place == "amend", "the form")
        await pilot.press("end", "!", "escape", "escape")
        await until(lambda: app.place == "proposal", "the list")
        await until(lambda: app.body.fact.waiting and not app.body.fact.amending, "the proposal as it was")
        assert len(waiting(home)) == 7


async def test_in_a_narrow_terminal_the_sides_stand_one_under_the_other_and_the_keys_go_on(tmp_path):
    home = tmp_path / "home"
    waiting_home(home)
    async with workbench(home, (80, 24)) as (app, pilot):
        await to_review(app, pilot, 7)
        await pilot.press("enter")
        await until(lambda: app.body.shows("fact") and app.body.fact.waiting, "the detail")
        await pilot.pause()
        lines = app.body.fact.below.lines_of_text
        now, then = (next(i for i, s in enumerate(lines) if s.strip() == head) for head in ("now", "proposed"))
        assert now < next(i for i, s in enumerate(lines) if "Lives in Tokyo" in s) < then
        assert then < next(i for i, s in enumerate(lines) if "Lives in Osaka" in s)
        await pilot.press("a")
        await until(lambda: app.body.fact.proposal and app.body.fact.proposal.number == 8, "the next in the detail")
        assert "Memory 6" in screen_text(app) and app.place == "proposal"
        await pilot.press("escape")
        await until(lambda: app.body.shows("memory"), "the list")
        assert "Lives in Osaka" in summaries(store_of(home))


async def test_what_somebody_else_decided_on_leaves_the_list_and_a_late_yes_goes_on_to_the_next(tmp_path):
    home = tmp_path / "home"
    store = waiting_home(home)
    async with workbench(home, (80, 24)) as (app, pilot):
        await to_review(app, pilot, 7)
        await pilot.press("enter")
        await until(lambda: app.body.shows("fact") and app.body.fact.waiting, "the detail")
        store.review.reject(7, by=PERSON)
        await until(lambda: app.header.state.to_review == 6, "the count follows")
        await pilot.press("a")
        await until(lambda: app.body.fact.proposal and app.body.fact.proposal.number == 8, "the next")
        assert "Lives in Tokyo" in summaries(store_of(home))
        await pilot.press("a")
        await until(lambda: app.header.state.to_review == 5, "accepted")
        await pilot.press("u")
        await until(lambda: app.body.fact.proposal and app.body.fact.proposal.number == 8, "back in the detail")
        assert "Likes tea" in summaries(store_of(home))


def test_what_was_forgotten_is_called_so():
    fact = Fact("home", "Lives in Geneva", number=1)
    assert _said(Change("forgotten", fact, fact), "accepted").startswith("forgotten: Lives in Geneva")
    assert _said(Change("updated", fact, fact), "accepted").startswith("accepted: Lives in Geneva")
