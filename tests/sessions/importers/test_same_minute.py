"""Rollouts begun within a minute: ids of theirs begin with the same characters, and lines with the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.home import Home
from sessions.importers.codex import READER
from sessions.importers.passing import Tally, due, take_all
from sessions.importers.places import stem_of
from sessions.importers.taking import Taking
from sessions.messages import AssistantMessage, ToolMessage, UserMessage
from sessions.paths import HomePaths
from sessions.store.log import LogWriter, read_log
from sessions.store.trash import delete, restore
from tests.sessions.importers.codex_files import Tape
from tests.sessions.store.records import home as home_at

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]
BIRDS = ("heron", "egret", "stork")
UUIDS = [f"0199a3c1-{n}111-7222-8333-44445555666{n}" for n in range(3)]


def rollout(n: int, *more: str) -> Tape:
    tape = Tape()
    tape.user(f"Review chapter {n} please")
    tape.call("call_1", name="read")
    tape.output("call_1", f"chapter {n}")
    tape.answer(f"It reads well: {BIRDS[n]}.")
    for text in more:
        tape.user(f"And the {text}?")
        tape.answer(f"The {text} {n} is fine.")
    return tape


def write(folder: Path, n: int, *more: str) -> None:
    rollout(n, *more).write(folder / "codex", f"rollout-2026-03-02T08-00-{n}0-{UUIDS[n]}.jsonl")


def taken(paths: HomePaths, folder: Path) -> Tally:
    taking = Taking(paths, CLOCK)
    return take_all(taking, due(taking, ((READER, source) for source in READER.find([folder / "codex"]))))


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    for n in range(3):
        write(tmp_path, n)
    paths = home_at(tmp_path / "home")
    assert taken(paths, tmp_path).statuses == {"new": 3}
    return paths


def logs(paths: HomePaths) -> dict[str, str]:
    """Id there -> ours."""
    out = {}
    for log in paths.sessions.glob("*.jsonl"):
        first = json.loads(log.read_text().splitlines()[0])
        out[first["source"]["uuid"]] = log.stem
    return out


def listed(paths: HomePaths) -> list[tuple[str, int, int]]:
    metas = Home(paths, env={}, clock=CLOCK).catalog.list()
    return sorted((m.title, m.turns, m.messages) for m in metas if not m.repeats)


def found(paths: HomePaths, word: str) -> list[str]:
    home = Home(paths, env={}, clock=CLOCK)
    home.index.catch_up()
    return [hit.title for hit in home.index.search(word)]


def said(paths: HomePaths, n: int) -> list[str]:
    """All messages that the log has; each of its ids stands there once."""
    records = read_log(paths.session_log(logs(paths)[UUIDS[n]])).records
    assert len({r.id for r in records}) == len(records)
    return [r.content for r in records if isinstance(r, UserMessage | AssistantMessage | ToolMessage)]


def as_before(paths: HomePaths, tmp_path: Path) -> None:
    """The home as earlier versions made it: ids of eight characters, and all but the first taken for its copies."""
    first = sorted(UUIDS)[0]
    for uuid, session in logs(paths).items():
        log = paths.session_log(session)
        text = log.read_text().replace(stem_of(uuid), uuid[:8])
        if uuid != first:
            lines = [json.loads(line) for line in text.splitlines()]
            lines = [line | ({"copied": True} if "turn" in line and line["role"] != "marker" else {}) for line in lines]
            text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        log.write_text(text)
        paths.session_meta(session).unlink(missing_ok=True)
    (ledger,) = paths.imports.glob("*.jsonl")
    lines = []
    for line in map(json.loads, ledger.read_text().splitlines()):
        for key in ("ids", "names", "mended"):
            line.pop(key, None)
        if line.get("source") == first:
            line["uuids"] = [
                r.id
                for r in read_log(paths.session_log(logs(paths)[first])).records
                if isinstance(r, UserMessage | AssistantMessage | ToolMessage)
            ]
        else:
            line.pop("uuids", None)
        text = json.dumps(line, separators=(",", ":"))
        for uuid in UUIDS:
            text = text.replace(stem_of(uuid), uuid[:8])
        lines.append(text + "\n")
    ledger.write_text("".join(lines))


ALL = [(f"Review chapter {n} please", 1, 4) for n in range(3)]


def test_each_is_listed_and_found(paths: HomePaths) -> None:
    assert listed(paths) == ALL
    assert [found(paths, bird) for bird in BIRDS] == [[title] for title, *_ in ALL]
    assert not any('"copied"' in log.read_text() for log in paths.sessions.glob("*.jsonl"))


def test_what_an_earlier_version_took_for_copies_comes_right_by_itself(paths: HomePaths, tmp_path: Path) -> None:
    as_before(paths, tmp_path)
    assert listed(paths) == ALL[:1] and found(paths, "egret") == [], "that is how it was"
    before = {n: said(paths, n) for n in range(3)}
    assert taken(paths, tmp_path).statuses == {}, "nothing is new"
    assert listed(paths) == ALL and {n: said(paths, n) for n in range(3)} == before
    assert [found(paths, bird) for bird in BIRDS] == [[title] for title, *_ in ALL]
    files = {p: p.read_bytes() for p in paths.root.rglob("*.jsonl")}
    taken(paths, tmp_path)
    assert {p: p.read_bytes() for p in paths.root.rglob("*.jsonl")} == files, "once"


def test_such_sessions_go_on_growing_and_nothing_is_there_twice(paths: HomePaths, tmp_path: Path) -> None:
    as_before(paths, tmp_path)
    for words in (["cover"], ["cover", "index"], ["cover", "index", "spine"]):
        for n in range(3):
            write(tmp_path, n, *words)
        tally = taken(paths, tmp_path)
        assert (tally.statuses, tally.messages) == ({"grown": 3}, 6)
        for n in range(3):
            new = [text for word in words for text in (f"And the {word}?", f"The {word} {n} is fine.")]
            assert said(paths, n)[4:] == new
        assert [(turns, messages) for _, turns, messages in listed(paths)] == [(1 + len(words), 4 + 2 * len(words))] * 3
    assert found(paths, "spine 2") == ["Review chapter 2 please"]


def test_without_the_ledger_they_are_known_by_their_logs(paths: HomePaths, tmp_path: Path) -> None:
    as_before(paths, tmp_path)
    taken(paths, tmp_path)
    for ledger in paths.imports.glob("*.jsonl"):
        ledger.unlink()
    write(tmp_path, 1, "cover")
    assert taken(paths, tmp_path).statuses == {"same": 2, "grown": 1}
    assert said(paths, 1)[4:] == ["And the cover?", "The cover 1 is fine."] and len(said(paths, 0)) == 4


def test_one_in_the_trash_or_open_in_another_program_comes_right_as_well(paths: HomePaths, tmp_path: Path) -> None:
    as_before(paths, tmp_path)
    delete(paths, logs(paths)[UUIDS[1]])
    trashed = {p.stem for p in paths.trash.glob("*.jsonl")}
    writer = LogWriter.open(paths, logs(paths)[UUIDS[2]])
    taken(paths, tmp_path)
    assert listed(paths) == ALL[:1]
    writer.close()
    taken(paths, tmp_path)
    assert listed(paths) == [ALL[0], ALL[2]]
    for session in trashed:
        restore(paths, session)
    assert listed(paths) == ALL
