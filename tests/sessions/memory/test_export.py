from __future__ import annotations

import json
from datetime import date

import pytest

from sessions.errors import StoreError
from sessions.memory.export import export, export_folder, kept_here
from tests.sessions.memory.homes import MODEL, PERSON, draft, store_of


@pytest.fixture
def facts(tmp_path):
    store = store_of(tmp_path / "home")
    store.save(draft(body="Near Nakano."), by=MODEL)
    store.save(draft("sarah", 'Sarah is the manager: "the boss" #1', "contact"), by=PERSON)
    store.save(draft("waits", "Sarah waits for the staffing", "open-thread", due=date(2026, 12, 4)), by=PERSON)
    store.save(draft("style", "Short sentences", "feedback"), by=PERSON)
    store.save(draft("off", "Reads German", "user"), by=PERSON)
    store.edit("off", by=PERSON, status="off")
    return store.snapshot().facts


def test_json_has_every_fact_whole(facts):
    rows = json.loads(export(facts, "json"))
    assert [row["name"] for row in rows] == ["lives-in-tokyo", "sarah", "waits", "style", "off"]
    assert rows[0]["source"] == {
        "origin": "model",
        "session": "20261129-171408-7f3a9c",
        "message": "u1",
        "quote": "I live in Tokyo",
    }
    assert (rows[0]["body"], rows[2]["due"], rows[4]["status"]) == ("Near Nakano.", "2026-12-04", "off")


def test_the_first_designs_file_has_its_three_categories(facts):
    assert json.loads(export(facts, "memory-json")) == {
        "preferences": {"lives-in-tokyo": "Lives in Tokyo\nNear Nakano."},
        "contacts": {"sarah": 'Sarah is the manager: "the boss" #1'},
        "open_threads": {"waits": "Sarah waits for the staffing"},
    }


def test_markdown_is_read_in_the_groups_of_the_screen(facts):
    text = export(facts, "md")
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# What is remembered",
        "## Waiting on",
        "## About you",
        "## People",
        "## How you like things done",
    ]
    assert "- Sarah waits for the staffing (due 2026-12-04)\n" in text
    assert "- Lives in Tokyo\n\n  Near Nakano.\n" in text
    assert "German" not in text


def test_claude_codes_folder_has_an_index_and_a_file_a_fact(facts, tmp_path):
    written = export_folder(facts, tmp_path / "out")
    assert sorted(p.name for p in written) == ["MEMORY.md", "lives-in-tokyo.md", "sarah.md", "style.md", "waits.md"]
    heads = {}
    for path in written:
        if path.name != "MEMORY.md":
            _, head, body = path.read_text().split("---\n", 2)
            heads[path.stem] = dict(line.split(": ", 1) for line in head.strip().split("\n")) | {"body": body.strip()}
    # A text in double quotes, as JSON writes it, is one in YAML too.
    assert json.loads(heads["sarah"]["description"]) == 'Sarah is the manager: "the boss" #1'
    assert list(heads["sarah"]) == ["name", "description", "type", "kind", "scope", "modified", "body"]
    assert {name: head["type"] for name, head in heads.items()} == {
        "lives-in-tokyo": "user",
        "sarah": "reference",
        "waits": "project",
        "style": "feedback",
    }
    assert heads["lives-in-tokyo"]["body"] == "Near Nakano."
    assert heads["waits"]["due"] == "2026-12-04"
    assert {head["scope"] for head in heads.values()} == {"user"}
    assert "- [Lives in Tokyo](lives-in-tokyo.md)\n" in (tmp_path / "out" / "MEMORY.md").read_text()


def test_what_stays_on_this_machine_is_left_out_for_other_programs_and_not_even_named(tmp_path):
    store = store_of(tmp_path / "home")
    store.save(draft("health", "Is allergic to nuts", "user"), by=PERSON)
    store.save(draft("cooks", "Cooks on Sundays", "preference", related=("health", "eats")), by=PERSON)
    store.save(draft("eats", "Eats no meat", "preference"), by=PERSON)
    store.edit("health", by=PERSON, share="local")
    facts = store.snapshot().facts
    written = export_folder(facts, tmp_path / "out")
    assert sorted(p.name for p in written) == ["MEMORY.md", "cooks.md", "eats.md"]
    everything = "".join(p.read_text() for p in written) + export(facts, "memory-json")
    assert "nuts" not in everything and "health" not in everything and 'related: ["eats"]' in everything
    assert kept_here(facts) == 1
    assert "nuts" in export(facts, "md"), "a document for the person has all"
    assert json.loads(export(facts, "json"))[0]["share"] == "local"


def test_nothing_is_written_over(facts, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sarah.md").write_text("mine")
    with pytest.raises(StoreError, match=r"sarah\.md is there already"):
        export_folder(facts, tmp_path / "out")
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["sarah.md"]
