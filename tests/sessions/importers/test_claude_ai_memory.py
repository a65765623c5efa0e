from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.importers.base import Report
from sessions.importers.bringing import bring
from sessions.importers.claude_ai import READER
from tests.sessions.importers.export_files import Chat, zipped
from tests.sessions.memory.homes import store_of

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]
PROJECT = "11111111-2222-4333-8444-555555555555"
TEXT = (
    "**Work context**\n\nAda designs sluices, e.g. for harbours. She owns the Q3 roadmap of Atlas.\n\n"
    "## Personal\n- Lives in Tokyo near Ueno\n- Ok\n"
)


def export(folder: Path, memories: Any) -> Path:
    chat = Chat()
    chat.add("1", "human", "Hello")
    projects = [{"uuid": PROJECT, "name": "Harbour"}, None]
    return zipped(folder / "data.zip", conversations__json=[chat.raw], memories__json=memories, projects__json=projects)


def found(path: Path) -> tuple[list[tuple[str, str, str, str]], Report]:
    report = Report()
    return [(f.summary, f.body, f.kind, f.group) for f in READER.remembered(path, report)], report


def test_each_sentence_about_the_person_and_about_a_project_is_a_fact(tmp_path: Path) -> None:
    path = export(tmp_path, [{"conversations_memory": TEXT, "project_memories": {PROJECT: "The gates open inwards."}}])
    sluices, owns = "Ada designs sluices, e.g. for harbours.", "She owns the Q3 roadmap of Atlas."
    assert found(path)[0] == [
        (sluices, f"Work context: {sluices}", "user", "Claude.ai"),
        (owns, f"Work context: {owns}", "user", "Claude.ai"),
        ("Lives in Tokyo near Ueno", "Personal: Lives in Tokyo near Ueno", "user", "Claude.ai"),
        ("The gates open inwards.", "", "project", "Claude.ai · Harbour"),
    ]


def test_its_sessions_come_its_facts_wait_and_twice_nothing(tmp_path: Path) -> None:
    store = store_of(tmp_path / "home")
    path = export(tmp_path, {"conversations_memory": TEXT})
    done = bring(store.paths, store, CLOCK, path)
    assert (done.tally.statuses, done.proposed.statuses) == ({"new": 1}, {"waits": 3})
    assert not store.snapshot().facts
    assert bring(store.paths, store, CLOCK, path).proposed.statuses == {"same": 3}


@pytest.mark.parametrize(
    "memories",
    [
        None,
        [],
        [None, 7],
        [{"conversations_memory": None, "project_memories": []}],
        {"project_memories": {"x": 3}},
        "x",
    ],
)
def test_what_has_none_gives_none(tmp_path: Path, memories: Any) -> None:
    assert found(export(tmp_path, memories))[0] == []
    (tmp_path / "conversations.json").write_text(json.dumps([{"conversations_memory": TEXT}]))
    assert found(tmp_path / "conversations.json")[0] == [], "conversations are no memories"


def test_what_breaks_it_is_named_with_its_line(tmp_path: Path) -> None:
    facts, report = found(export(tmp_path, b'[{"conversations_memory":\n"torn'))
    assert facts == [] and report.bad[0][:2] == ("data.zip: memories.json", 2)
