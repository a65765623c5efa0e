from __future__ import annotations

import pytest

from tui.commands import (
    ACTIONS,
    BY_SLASH,
    EVERYWHERE,
    FOOTERS,
    NEEDS,
    PLACES,
    Keymap,
    fuzzy,
    matching_slash,
    parse_slash,
    shown_key,
)
from tui.deeds import Deeds
from tui.dialogs.palette import found
from tui.widgets.footer import fit


def test_every_action_that_is_offered_can_be_done() -> None:
    by_the_app = {"stop", "copy", "quit"}
    for action in ACTIONS:
        if not action.own and action.name not in by_the_app:
            assert callable(getattr(Deeds, action.name.replace("-", "_"))), action.name


def test_no_two_actions_of_one_place_share_a_key_or_a_slash_word() -> None:
    taken: dict[tuple[str, str], str] = {}
    for action in ACTIONS:
        for place in action.where:
            for key in action.keys:
                if not action.own:
                    assert taken.setdefault((place, key), action.name) == action.name
    assert len(BY_SLASH) == sum(bool(action.slash) for action in ACTIONS)


def test_footers_name_actions_with_labels() -> None:
    keymap = Keymap()
    for place in FOOTERS:
        for name, key, label in keymap.footer(place):
            assert key and label, (place, name)


@pytest.mark.parametrize(("key", "shown"), [("ctrl+r", "^r"), ("f4", "F4"), ("escape", "esc"), ("alt+1", "alt+1")])
def test_keys_are_shown_as_the_footer_writes_them(key: str, shown: str) -> None:
    assert shown_key(key) == shown


def test_settings_change_keys_and_name_what_is_wrong() -> None:
    keymap = Keymap({"tree": ("f9", "ctrl+e"), "nothing": ("x",), "palette": ("hyper+q",), "new": ("f1",)})
    assert keymap.keys("tree") == ("f9", "ctrl+e") and keymap.shown("tree") == "F9"
    assert keymap.keys("palette") == ("ctrl+p",) and keymap.keys("new") == ("ctrl+n",)
    assert [problem.split(":")[0] for problem in keymap.problems] == ["keys.nothing", "keys.palette", "keys.new"]


def test_slash_commands_are_parsed_with_their_arguments() -> None:
    action, arguments = parse_slash("/remember  the door is blue ") or (None, "")
    assert action is not None and action.name == "remember" and arguments == "the door is blue"
    assert parse_slash("/etc/passwd") is None and parse_slash("/unknown") is None and parse_slash("hello") is None


def test_fuzzy_prefers_whole_runs_at_the_start_and_tells_where_it_matched() -> None:
    assert fuzzy("xyz", "memory") is None
    assert fuzzy("mem", "memory")[1] == (0, 1, 2)
    assert fuzzy("mry", "memory")[1] == (0, 4, 5)
    assert [action.slash for action, _ in matching_slash("re")] == [
        *("recap", "retry", "rename", "resume", "review", "rewind", "remember", "forget", "erase", "private"),
    ]
    assert matching_slash("zzz") == []


def test_the_palette_finds_by_title_and_by_slash_word() -> None:
    assert found("high contrast")[0].name == "theme-contrast"
    assert found("facts")[0].name == "memory"
    assert found("no such thing at all") == []


def test_the_palette_has_all_that_can_be_done_in_the_place_and_nothing_that_cannot() -> None:
    for place in PLACES:
        offered = {action.name for action in found("", place)}
        assert {action.name for action in ACTIONS if place in action.where} <= offered, place
    assert "history" in found("", "history")[0].where and found("", "composer")[0].where == (EVERYWHERE,)
    assert found("rename", "history")[0].name == "session-rename" and found("rename")[0].name == "rename"
    none = [action.name for action in found("", can=lambda action: not action.needs)]
    assert "keep" not in none and "retry" not in none and "new" in none
    assert {action.needs for action in ACTIONS} == {"", *NEEDS}


def test_a_narrow_footer_keeps_help_and_quit_and_drops_what_is_told_first() -> None:
    keys = Keymap().footer("composer")
    wide, gap = fit(keys, 200)
    assert wide == keys and gap == 3
    narrow, _ = fit(keys, 80, ("new", "memory-mode"))
    names = [name for name, _, _ in narrow]
    assert names[-3:] == ["palette", "help", "quit"] and "memory-mode" not in names and "tree" in names
    least, _ = fit(keys, 70)
    assert len(least) == 5 and least[-1][0] == "help"
