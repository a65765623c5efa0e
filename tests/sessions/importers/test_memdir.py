from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.errors import MemagentError
from sessions.importers.base import Report
from sessions.importers.exports import take_export
from sessions.importers.memdir import READER
from sessions.importers.taking import Taking
from sessions.messages import AssistantMessage, UserMessage
from sessions.store.log import read_log
from sessions.store.meta import derive
from tests.sessions.importers.export_files import Talk, records, talks
from tests.sessions.store.records import home

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]
PLAIN = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, created_at TEXT);
CREATE TABLE items (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, created_at TEXT);
"""
AGENTS = """
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TIMESTAMP);
"""


def base(folder: Path, schema: str = PLAIN) -> sqlite3.Connection:
    folder.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(folder / "memory.db")
    db.executescript(schema)
    return db


def plain(folder: Path) -> Path:
    with closing(base(folder)) as db, db:
        db.execute("INSERT INTO sessions VALUES ('work', 'Atlas', '2026-03-02 08:00:00')")
        for n, (session, role, text) in enumerate(
            [
                ("work", "user", "Where?"),
                ("home", "user", "Hi"),
                ("work", "assistant", "There."),
                ("home", "user", "{}"),
            ]
        ):
            row = (session, role, text, f"2026-03-02 08:00:{n:02}")
            db.execute("INSERT INTO items (session_id, role, content, created_at) VALUES (?, ?, ?, ?)", row)
    return folder


def said(talk: Talk) -> list[str]:
    return [r.content for r in records(talk) if isinstance(r, UserMessage | AssistantMessage)]


def look(path: Path) -> list[tuple[str, str, list[str]]]:
    report = Report()
    return [(t.title, t.at[:19], said(t)) for t in READER.talks(path, report, lambda _: None)]


def test_the_items_of_each_session_are_a_conversation(tmp_path: Path) -> None:
    wanted = [
        ("", "2026-03-02T08:00:01", ["Hi", "{}"]),
        ("Atlas", "2026-03-02T08:00:00", ["Where?", "There."]),
    ]
    assert look(plain(tmp_path)) == wanted and look(tmp_path / "memory.db") == wanted


def test_items_may_be_whole_messages_in_tables_of_other_names(tmp_path: Path) -> None:
    items: list[Any] = [
        {"role": "user", "content": "Look"},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "seen"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done \ud83d"}]},
        "{torn",
        7,
        None,
    ]
    with closing(base(tmp_path, AGENTS)) as db, db:
        db.execute("INSERT INTO agent_sessions VALUES ('s', '2026-03-02T08:00:00Z')")
        for item in items:
            data = item if isinstance(item, str | int | None) else json.dumps(item)
            db.execute("INSERT INTO agent_messages (session_id, message_data) VALUES ('s', ?)", (data,))
    report = Report()
    (talk,) = (t for t in READER.talks(tmp_path, report, lambda _: None) if said(t) == ["Look", "", "Done \ufffd"])
    assert [(name, line) for name, line, _ in talk.report.bad] == [("memory.db: agent_messages", n) for n in (6, 7, 8)]
    assert talk.report.skipped == {"reasoning": 1}


def test_what_was_not_yet_written_into_the_database_is_read_and_no_file_is_touched(tmp_path: Path) -> None:
    with closing(base(plain(tmp_path / "made"), "PRAGMA journal_mode = WAL;")) as db:
        with db:
            db.execute("INSERT INTO items (session_id, role, content) VALUES ('work', 'user', 'And now?')")
        before = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in (tmp_path / "made").iterdir()}
        assert look(tmp_path / "made")[1][2] == ["Where?", "There.", "And now?"]
        after = {p.name: (p.read_bytes(), p.stat().st_mtime_ns) for p in (tmp_path / "made").iterdir()}
        assert after == before


def test_a_session_grows_and_twice_writes_nothing(tmp_path: Path) -> None:
    paths = home(tmp_path / "home")
    taking = Taking(paths, CLOCK)
    folder = plain(tmp_path / "memdir")
    tally = take_export(taking, READER, folder)
    assert tally.statuses == {"new": 2}
    assert "Atlas" in {derive(s, read_log(paths.session_log(s)).records).title for s in tally.sessions}
    before = {p: p.read_bytes() for p in paths.root.rglob("*") if p.is_file()}
    assert take_export(taking, READER, folder).statuses == {"same": 2}
    assert {p: p.read_bytes() for p in paths.root.rglob("*") if p.is_file()} == before
    with closing(sqlite3.connect(folder / "memory.db")) as db, db:
        db.execute("INSERT INTO items (session_id, role, content) VALUES ('work', 'user', 'More')")
    tally = take_export(taking, READER, folder)
    assert tally.statuses == {"same": 1, "grown": 1} and tally.messages == 1


def test_the_lines_of_memories_are_facts(tmp_path: Path) -> None:
    text = "# Memories\n\n- Lives in Tokyo\n* [2] Likes oolong tea\n- 3. Works at **Atlas**\n- Lives in Tokyo\n-\n"
    (tmp_path / "memories.md").write_text(text + "no bullet\n- half\u2028line\r\n")
    report = Report()
    found = [(f.name, f.summary, f.kind, f.pinned) for f in READER.remembered(tmp_path, report)]
    assert found == [
        ("lives-in-tokyo", "Lives in Tokyo", "user", True),
        ("likes-oolong-tea", "Likes oolong tea", "user", True),
        ("works-at-atlas", "Works at **Atlas**", "user", True),
        ("half-line", "half line", "user", True),
    ]
    assert report.skipped == {"no bullet": 2} and not look(tmp_path)
    assert [f.summary for f in READER.remembered(tmp_path / "memories.md", Report())] == [s for _, s, *_ in found]


def test_what_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_bytes(b"no database at all, but long enough to be looked at" * 20)
    with pytest.raises(MemagentError, match=r"memory.db cannot be read: file is not a database"):
        talks(READER, tmp_path)
    (tmp_path / "a").mkdir()
    with pytest.raises(MemagentError, match=r"There is no memory.db and no memories.md"):
        talks(READER, tmp_path / "a")
    base(tmp_path / "b", "CREATE TABLE other (a, b);").close()
    with pytest.raises(MemagentError, match="has no table with the items of sessions"):
        talks(READER, tmp_path / "b")


def test_a_torn_database_gives_what_can_be_read_or_a_sentence(tmp_path: Path) -> None:
    folder = plain(tmp_path / "memdir")
    with closing(sqlite3.connect(folder / "memory.db")) as db, db:
        db.executemany("INSERT INTO items (session_id, role, content) VALUES ('work', 'user', ?)", [("x" * 900,)] * 400)
    data = (folder / "memory.db").read_bytes()
    for part in (0, 1, 50, 512, 4_096, 8_192, len(data) // 2, len(data) - 3_000):
        (folder / "memory.db").write_bytes(data[:part])
        try:
            look(folder)
        except MemagentError as e:
            assert "memory.db" in str(e)


def large(folder: Path, schema: str = PLAIN, index: str = "", step: int = 1) -> bytearray:
    """A database of many pages, in which two sessions take turns, and a file of facts."""
    with closing(base(folder, f"PRAGMA page_size = 4096;{schema}{index}")) as db, db:
        for n in range(800):
            row = (1 + n * step, ("work", "home")[n % 2], "user", f"Question {n:03} " + "x" * 60)
            db.execute("INSERT INTO items (id, session_id, role, content) VALUES (?, ?, ?, ?)", row)
    (folder / "memories.md").write_text("- Lives in Tokyo\n")
    return bytearray((folder / "memory.db").read_bytes())


def numbers(folder: Path, report: Report) -> list[int]:
    found = [text for talk in READER.talks(folder, report, lambda _: None) for text in said(talk)]
    return sorted(int(text.split()[1]) for text in found)


def leaves(data: bytearray, *words: bytes) -> list[int]:
    """Where the pages begin that hold these words."""
    return [data.index(word) // 4096 * 4096 for word in words]


@pytest.mark.parametrize("step", [1, 1 << 40])
@pytest.mark.parametrize("index", ["", "CREATE INDEX by_session ON items (session_id);"])
def test_of_damaged_pages_all_other_rows_come_and_the_lost_ones_are_named(
    tmp_path: Path, index: str, step: int
) -> None:
    data = large(tmp_path, index=index, step=step)
    pages = leaves(data, b"Question 300", b"Question 500")
    lost = [n for n in range(800) if leaves(data, b"Question %03d" % n)[0] in pages]
    for page in pages:
        data[page : page + 4096] = bytes(4096)
    (tmp_path / "memory.db").write_bytes(data)
    report = Report()
    assert numbers(tmp_path, report) == [n for n in range(800) if n not in lost] and 20 < len(lost) < 150
    runs = [n for n in lost if n - 1 not in lost], [n for n in lost if n + 1 not in lost]
    assert [(name, why) for name, _, why in report.bad] == [
        ("memory.db: items", f"ids {first} to {behind - 1} cannot be read: database disk image is malformed")
        for first, behind in zip(
            ((n - 1) * step + 2 for n in runs[0]), ((n + 1) * step + 1 for n in runs[1]), strict=True
        )
    ]
    assert [f.summary for f in READER.remembered(tmp_path, report)] == ["Lives in Tokyo"]


def test_of_a_database_that_was_cut_what_stands_before_comes(tmp_path: Path) -> None:
    data = large(tmp_path)
    (at,) = leaves(data, b"Question 600")
    (tmp_path / "memory.db").write_bytes(data[:at])
    report = Report()
    found = numbers(tmp_path, report)
    assert found == [*range(len(found))] and 500 < len(found) <= 600
    assert [why for *_, why in report.bad] == [
        f"all from id {len(found) + 1} on cannot be read: database disk image is malformed"
    ]


@pytest.mark.parametrize("bad", [b"no database at all" * 99, b"SQLite format 3\0" + bytes(4080), b""])
def test_the_facts_come_when_nothing_of_the_database_can_be_read(tmp_path: Path, bad: bytes) -> None:
    large(tmp_path)
    (tmp_path / "memory.db").write_bytes(bad)
    report = Report()
    assert not numbers(tmp_path, report) and [name for name, *_ in report.bad] == ["memory.db"]
    assert [f.summary for f in READER.remembered(tmp_path, report)] == ["Lives in Tokyo"]


def test_titles_that_cannot_be_read_keep_no_session_back(tmp_path: Path) -> None:
    plain(tmp_path)
    data = bytearray((tmp_path / "memory.db").read_bytes())
    (page,) = leaves(data, b"Atlas")
    data[page : page + 4096] = bytes(4096)
    (tmp_path / "memory.db").write_bytes(data)
    report = Report()
    assert [said(t) for t in READER.talks(tmp_path, report, lambda _: None)] == [["Hi", "{}"], ["Where?", "There."]]
    assert [(name, why[:33]) for name, _, why in report.bad] == [
        ("memory.db: sessions", "titles and times cannot be read: ")
    ]
