from __future__ import annotations

import pytest

from sessions import events as ev
from tests.tui.chat.stage import S, Stage, find, rows, turn
from tests.waiting import until
from tui.chat.blocks import Answer, Learned, Prompt, TakenBack
from tui.chat.document import Document
from tui.chat.messages import FactOpened, FootFocused, Left
from tui.chat.ways import Ways


def said(number: int, prompt: str, answer: str, **end: object) -> list[ev.Event]:
    first, *rest = turn(number, prompt, answer, **end)
    assert isinstance(first, ev.TurnStarted)
    head = {"session": S, "turn": number, "text": prompt, "at": first.at, "message": f"u{number}"}
    return [ev.TurnStarted(**head), *rest]


def back(number: int) -> ev.Rewound:
    return ev.Rewound(session=S, turn=number, message=f"u{number}")


def folded(*events: ev.Event) -> Document:
    document = Document()
    document.load(events)
    return document


THREE = [*said(1, "hello", "hi"), *said(2, "where", "in Tokyo"), back(2), *said(3, "where", "in Osaka")]
THREE += [back(3), *said(4, "where", "in Kyoto", always_sent=2)]


def texts(document: Document, ways: Ways) -> list[str]:
    return [block.text for block in ways.view(document.blocks) if isinstance(block, Prompt | Answer)]


def test_the_newest_way_is_shown_and_the_older_ones_stand_behind_its_prompt():
    document, ways = folded(*THREE), Ways()
    assert texts(document, ways) == ["hello", "hi", "where", "in Kyoto"]
    prompt = document.prompt()
    assert prompt is not None and ways.version(prompt) == (3, 3)
    assert ways.turn(prompt, -1) and not ways.turn(prompt, 2)
    assert texts(document, ways) == ["hello", "hi", "where", "in Osaka"]
    first = ways.view(document.blocks)[ways.old_from or 0]
    assert ways.version(first) == (2, 3) and ways.turn(first, -1)
    assert texts(document, ways)[-1] == "in Tokyo"
    assert not ways.turn(ways.view(document.blocks)[ways.old_from or 0], -1)
    assert ways.reset() and texts(document, ways)[-1] == "in Kyoto"


def test_a_turn_taken_back_leaves_its_place_until_another_is_said():
    document, ways = folded(*said(1, "hello", "hi"), *said(2, "where", "here"), back(2)), Ways()
    assert isinstance(document.blocks[-1], TakenBack) and document.turn == 1 and document.state == "done"
    assert ways.version(document.blocks[-1]) == (2, 2)
    for event in said(3, "who", "me"):
        document.apply(event)
    assert [block.text for block in document.blocks if isinstance(block, Prompt)] == ["hello", "who"]
    prompt = document.prompt()
    assert prompt is not None and ways.version(prompt) == (2, 2)


def test_ways_within_an_older_way_stay_reachable():
    events = [*said(1, "a", "1"), *said(2, "b", "2"), back(2), *said(3, "c", "3"), back(1), *said(4, "d", "4")]
    document, ways = folded(*events), Ways()
    assert texts(document, ways) == ["d", "4"]
    for message in ("u1", "u2", "u3", "u4"):
        found = ways.show_message(document.blocks, message)
        assert isinstance(found, Prompt) and found in ways.view(document.blocks)
    assert ways.show_message(document.blocks, "nothing") is None


def test_going_back_before_a_divider_brings_what_stands_above_in_sight_of_the_model_again():
    cleared = ev.SessionChanged(session=S, what={"cleared": True})
    document = folded(*said(1, "a", "1"), *said(2, "b", "2"), cleared, *said(3, "c", "3"))
    assert document.dim_before > 0
    document.apply(back(2))
    assert document.dim_before == 0


@pytest.mark.parametrize("width", [40, 80])
async def test_keys_and_clicks_show_the_other_answer_dimmed_and_esc_shows_the_newest(width: int):
    app = Stage(THREE)
    async with app.run_test(size=(width, 20)) as pilot:
        view = app.transcript
        await pilot.pause()
        _, y = find(view, "< 3/3 >")
        assert rows(view)[y].split()[:2] == ["›", "where"]
        view.focus()
        await pilot.press("left")
        assert find(view, "not sent  < 2/3 >")[1] == y, "the place stays where it is"
        assert find(view, "in Osaka") and "in Kyoto" not in "\n".join(rows(view))
        assert view._is_dim(view._sheet.spot(find(view, "in Osaka")[1]).block)
        x, _ = find(view, "< 2/3 >")
        await pilot.click(view, offset=(x, y))
        assert find(view, "in Tokyo") and find(view, "< 1/3 >")[1] == y
        x, _ = find(view, "/3 >")
        await pilot.click(view, offset=(x + 1, y))
        assert find(view, "in Osaka")
        await pilot.press("escape")
        assert find(view, "in Kyoto") and find(view, "< 3/3 >")[1] == y
        await until(lambda: any(isinstance(m, Left) for m in app.said), "the composer's turn")


async def test_left_of_the_foots_first_fact_is_the_older_answer_and_right_comes_back_to_the_foot():
    app = Stage(THREE)
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        await pilot.pause()
        assert view.focus_foot()
        await pilot.press("left")
        assert find(view, "in Osaka") and not view.foot_focused
        await pilot.press("right")
        assert find(view, "in Kyoto") and view.foot_focused
        await until(lambda: [m.on for m in app.said if isinstance(m, FootFocused)] == [True, False, True], "told")


async def test_an_answer_without_facts_has_a_foot_when_it_has_older_ones():
    app = Stage([*said(1, "where", "in Tokyo"), back(1), *said(2, "where", "in Osaka")])
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        await pilot.pause()
        assert view.focus_foot()
        await pilot.press("enter", "u", "space", "left")
        assert find(view, "in Tokyo")


async def test_a_turn_that_begins_shows_the_newest():
    app = Stage(THREE)
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        await pilot.pause()
        view.focus()
        await pilot.press("left")
        view.apply(ev.TurnStarted(session=S, turn=5, text="next", message="u5"))
        await view.drawn()
        assert find(view, "in Kyoto") and find(view, "› next")


@pytest.mark.parametrize("message", ["u2", "m2", "u4", "u1"])
async def test_a_message_of_the_log_is_shown_in_whichever_way_it_is(message: str):
    long = "\n\n".join(f"line {i}" for i in range(60))
    app = Stage([*THREE, *said(5, "long", long)])
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        await pilot.pause()
        assert view.go_to(message)
        await pilot.pause()
        wanted = {"u2": "in Tokyo", "m2": "in Tokyo", "u4": "in Kyoto", "u1": "hi"}[message]
        assert find(view, wanted)[1] < 12
        assert not view.go_to("nothing")


async def test_a_click_on_a_line_about_a_fact_opens_it():
    head = {"session": S, "turn": 1}
    fact = ev.FactWritten(**head, names=("tea",), numbers=(13,), summaries=("Likes tea",))
    app = Stage([*said(1, "p", "a"), fact])
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.transcript
        await pilot.pause()
        assert isinstance(view.document.blocks[-1], Learned)
        x, y = find(view, "Likes tea")
        await pilot.click(view, offset=(x + 2, y))
        await until(lambda: any(isinstance(m, FactOpened) and m.fact == 13 for m in app.said), "opened")
