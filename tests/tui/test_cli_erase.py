from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.sessions.erase.told_home import holding, home_at, saved, talk
from tests.tui.test_cli import run

WORD = "gryphonette"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The fact 1, and a question about something else with its word."""
    home = home_at(tmp_path / "home")
    asyncio.run(talk(home, f"Remember that my codeword is {WORD}."))
    asyncio.run(talk(home, f"Is {WORD} a good name for a boat?"))
    home.close()
    return home.paths.root


def test_where_its_words_stand_is_told_before_and_they_go_with_an_option(home: Path, capsys) -> None:
    _, told = run(home, "facts", "erase", "1", code=2, capsys=capsys)
    assert f"{WORD} also stands in 1 other message, kept" in told and "--also erases these too" in told
    out, _ = run(home, "facts", "erase", "1", "--also", "--yes", "--json", capsys=capsys)
    done = json.loads(out)
    assert (done["traces"], done["also"], done["kept"], done["standing"]) == (0, [WORD], [], [])
    assert holding(home, WORD) == []


def test_without_it_they_are_kept_counted_and_named_in_json(home: Path, capsys) -> None:
    asked = next(m.id for m in home_at(home).catalog.list() if "boat" in m.title)
    saved(home_at(home), "boat", f"Has a boat called {WORD}")
    out, told = run(home, "facts", "erase", "1", "--yes", "--json", capsys=capsys)
    done = json.loads(out)
    assert "--also" not in told, "it is too late for that"
    assert done["left"] == [] and done["traces"] == sum(row["places"] for row in done["standing"]) > 0
    assert {"word": WORD, "fact": 2} in done["kept"]
    message = next(row["message"] for row in done["kept"] if row.get("session") == asked)
    run(home, "sessions", "erase", asked, "--message", str(message), "--yes", capsys=capsys)
    run(home, "facts", "erase", "2", "--yes", capsys=capsys)
    assert holding(home, WORD) == []


def test_what_was_said_stays_or_goes_but_not_both(home: Path, capsys) -> None:
    run(home, "facts", "erase", "1", "--also", "--keep-messages", "--yes", code=2, capsys=capsys)
    out, _ = run(home, "facts", "erase", "1", "--keep-messages", "--yes", code=1, capsys=capsys)
    assert not out.startswith("0 ")
