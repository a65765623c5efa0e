from __future__ import annotations

from pathlib import Path

import pytest

from sessions.memory.fact import Draft
from sessions.memory.guard import Guard, Wish
from tests.sessions.memory.homes import MODEL, store_of
from tests.tui.test_cli import run
from tui import cli_output


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def call(*args: str, code: int = 0) -> tuple[str, str]:
        return run(tmp_path / "home", *args, code=code, capsys=capsys)

    return call


def test_an_undo_asks_about_the_change_and_says_what_it_did(cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("facts", "add", "Likes tea")
    cli("facts", "lock", "1")
    asked = []
    monkeypatch.setattr(cli_output.sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(cli_output.sys.stdin, "readline", lambda: asked.append(1) or "y\n", raising=False)
    out, err = cli("facts", "undo")
    assert asked and out == "1 likes-tea — Likes tea\n"
    assert "#1 likes-tea: Likes tea" in err and ": locked. Take it back? [y/N] unlocked: Likes tea · #1" in err
    assert cli("facts", "undo", "--yes")[1] == "forgotten: Likes tea · #1\n"
    assert "There is nothing to undo" in cli("facts", "undo", code=1)[1]


def test_a_name_made_of_the_summary_gives_way_and_two_values_of_one_thing_are_told(cli) -> None:
    cli("facts", "add", "Lives in Kobee", "--kind", "preference")
    cli("facts", "edit", "1", "--summary", "Lives in Kobe")
    out, err = cli("facts", "add", "Lives in Kobee", "--kind", "preference")
    assert out == "2 lives-in-kobee-2 — Lives in Kobee\n" and "1 lives-in-kobee is on too: Lives in Kobe" in err
    cli("facts", "edit", "1", "--status", "off")
    assert "is on too" in cli("facts", "edit", "1", "--status", "active")[1]
    assert "There is a fact named lives-in-kobee" in cli("facts", "add", "x", "--name", "lives-in-kobee", code=2)[1]
    assert cli("facts", "add", "Lives in Kobee", "--kind", "preference")[1].startswith("confirmed\n")


def test_kinds_dates_and_texts_that_cannot_be_are_wrong_usage_with_what_can_be(cli) -> None:
    cli("facts", "add", "Likes tea")
    for args, why in (
        (("list", "--kind", "foo"), "kind 'foo' is unknown. Use one of user, self, feedback"),
        (("edit", "1", "--kind", "foo"), "kind 'foo' is unknown"),
        (("edit", "1", "--due", "2026-12-04"), "due belongs to the kind open-thread only"),
        (("edit", "1", "--summary", " "), "summary is empty"),
        (("search", "  "), "There is nothing to look for"),
    ):
        out, err = cli("facts", *args, code=2)
        assert out == "" and why in err and err.count("\n") == 1
    assert cli("facts", "list", "--kind", "user")[0].endswith("Likes tea\n")


def test_what_may_be_asked_takes_yes_and_says_so(cli) -> None:
    cli("ask", "I live in Lyon")
    session = cli("sessions", "list")[0].split()[0]
    assert "Add --yes" in cli("facts", "forget", "1", code=2)[1]
    cli("sessions", "clear", session, "--yes")
    cli("sessions", "delete", session, "--yes")
    cli("sessions", "restore", session, "--yes")
    for empty in ("", "   ", "\u200b"):
        assert "A title needs a text" in cli("sessions", "rename", session, empty, code=2)[1]
    assert "There is nothing to look for" in cli("sessions", "search", "", code=2)[1]
    cli("sessions", "search", "", "--after", "2020")


def test_one_of_a_thing_is_told_as_one_and_no_name_as_none(cli, tmp_path) -> None:
    cli("facts", "add", "Likes tea")
    Guard(store_of(tmp_path / "home")).save(Draft("", "Plays chess", "user"), Wish(MODEL, at_once="never"))
    assert "1 more waits for review" in cli("facts", "list")[1]
    out, _ = cli("doctor")
    assert "facts: 1 fact\n" in out and "1 facts" not in out and "1 logs" not in out
    assert "No fact is named" in cli("facts", "show", "", code=2)[1]
    assert "No session is named" in cli("sessions", "show", " ", code=2)[1]
    assert "1 fact and MEMORY.md" in cli("facts", "export", "--format", "claude-code", str(tmp_path / "out"))[1]


def test_an_export_for_other_programs_tells_how_many_facts_stay_here(cli, tmp_path) -> None:
    for text in ("Likes tea", "Takes pills at noon", "Plays chess"):
        cli("facts", "add", text)
    cli("facts", "edit", "2", "--share", "local")
    out = tmp_path / "out"
    assert cli("facts", "export", "--format", "claude-code", str(out))[1] == (
        f"2 facts and MEMORY.md are in {out}; 1 fact with share = local left out\n"
    )
    said, told = cli("facts", "export", "--format", "memory-json")
    assert "pills" not in said and "1 fact with share = local left out" in told
    said, told = cli("facts", "export", "--format", "md")
    assert "pills" in said and not told
