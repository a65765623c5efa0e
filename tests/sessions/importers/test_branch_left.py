"""What a branch shares with the session that it was taken from counts there, and in the branch when that is gone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.erase import erase, of_session, survey
from sessions.home import Home
from sessions.ids import message_id, session_id
from sessions.importers.claude_code import READER
from sessions.importers.passing import due, take_all
from sessions.importers.taking import Taking
from sessions.messages import Marker
from sessions.paths import HomePaths
from sessions.store.fork import fork
from sessions.store.trash import delete, restore
from tests.sessions.importers.claude_files import Chain
from tests.sessions.store.records import home as home_at

CLOCK = FixedClock(parse_iso("2026-11-30T10:00:00Z"))  # type: ignore[arg-type]
FILES = [f"{n}{n}{n}{n}{n}{n}{n}{n}-0000-4000-8000-00000000000{n}.jsonl" for n in range(1, 5)]


def talk(folder: Path, *words: str) -> None:
    """A session with a turn for each word; the next one branched off behind its last."""
    chain = Chain()
    for word in words:
        chain.user(f"u-{word}", f"What of the {word}?")
        chain.answer(f"a-{word}", f"The {word} sleeps.", id=f"m-{word}", stop="end_turn")
    chain.write(folder / "claude", FILES[len(words)])


def taken(paths: HomePaths, folder: Path) -> list[str]:
    taking = Taking(paths, CLOCK)
    return take_all(taking, due(taking, ((READER, source) for source in READER.find([folder / "claude"])))).sessions


def found(home: Home, word: str) -> list[str]:
    """The sessions in which it is found, once for each message."""
    home.index.catch_up()
    return sorted(hit.session for hit in home.index.search(word, limit=50) if hit.role != "title")


def listed(home: Home) -> dict[str, tuple[int, int]]:
    return {m.id: (m.turns, m.messages) for m in home.catalog.list() if not m.repeats}


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    return home_at(tmp_path / "home")


@pytest.fixture
def home(paths: HomePaths) -> Home:
    return Home(paths, env={}, clock=CLOCK)


def test_what_was_said_first_in_a_session_in_the_trash_is_found_in_its_branch(
    paths: HomePaths, home: Home, tmp_path: Path
) -> None:
    talk(tmp_path, "walrus")
    (first,) = taken(paths, tmp_path)
    talk(tmp_path, "walrus", "otter")
    (branch,) = taken(paths, tmp_path)
    assert found(home, "walrus") == [first, first] and found(home, "otter") == [branch, branch]
    assert listed(home) == {first: (1, 2), branch: (1, 2)}
    delete(paths, first)
    assert found(home, "walrus") == [branch, branch] and found(home, "otter") == [branch, branch]
    assert listed(home) == {branch: (2, 4)}
    restore(paths, first)
    assert found(home, "walrus") == [first, first], "once"
    assert listed(home) == {first: (1, 2), branch: (1, 2)}
    erase(home, survey(home, of_session(home, first)))
    assert [hit for hit in found(home, "sleeps") if hit != branch] == [] and branch in found(home, "otter")


def test_of_two_branches_one_counts_and_the_other_when_that_is_gone_too(
    paths: HomePaths, home: Home, tmp_path: Path
) -> None:
    sessions = []
    for words in (["walrus"], ["walrus", "otter"], ["walrus", "otter", "seal"]):
        talk(tmp_path, *words)
        sessions += taken(paths, tmp_path)
    first, second, third = sessions
    assert found(home, "otter") == [second, second]
    delete(paths, first)
    (one, other) = found(home, "walrus")
    assert one == other and one in {second, third}
    left = third if one == second else second
    delete(paths, one)
    assert found(home, "walrus") == [left, left]
    restore(paths, one)
    assert found(home, "walrus") in ([second, second], [third, third]), "once"
    restore(paths, first)
    assert found(home, "walrus") == [first, first] and found(home, "otter") == [second, second]
    home.index.close()
    for path in paths.local.glob("index*"):
        path.unlink()
    assert found(home, "walrus") == [first, first] and found(home, "seal") == [third, third]


def test_one_that_only_repeats_is_listed_and_found_by_its_title_when_the_other_is_gone(
    paths: HomePaths, home: Home, tmp_path: Path
) -> None:
    talk(tmp_path, "walrus", "otter")
    (first,) = taken(paths, tmp_path)
    talk(tmp_path, "walrus")
    (repeats,) = taken(paths, tmp_path)
    assert found(home, "walrus") == [first, first] and listed(home) == {first: (2, 4)}
    delete(paths, first)
    assert found(home, "walrus") == [repeats, repeats] and listed(home) == {repeats: (1, 2)}
    assert {hit.title for hit in home.index.search("walrus")} == {"What of the walrus?"}
    assert home.catalog.refresh(repeats).messages == 2


def test_branches_that_an_earlier_version_took_over_are_found_so_after_the_next_import(
    paths: HomePaths, home: Home, tmp_path: Path
) -> None:
    talk(tmp_path, "walrus")
    (first,) = taken(paths, tmp_path)
    talk(tmp_path, "walrus", "otter")
    (branch,) = taken(paths, tmp_path)
    log = paths.session_log(branch)
    log.write_text(log.read_text().replace(f',"of":"{first}"', ""))
    (ledger,) = paths.imports.glob("*.jsonl")
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    kept = [{k: v for k, v in line.items() if k not in {"ids", "names", "mended"}} for line in lines]
    ledger.write_text("".join(json.dumps(line) + "\n" for line in kept))
    assert taken(paths, tmp_path) == []
    delete(paths, first)
    assert found(home, "walrus") == [branch, branch] and listed(home) == {branch: (2, 4)}


@pytest.mark.parametrize("older", [False, True])
def test_a_fork_of_ours_is_found_when_what_it_was_forked_from_is_gone(
    paths: HomePaths, home: Home, tmp_path: Path, older: bool
) -> None:
    talk(tmp_path, "walrus")
    (first,) = taken(paths, tmp_path)
    copy, again = (session_id(CLOCK.now()) for _ in range(2))
    log = fork(paths, first, copy, Marker(message_id(), "2026-11-30T10:00:00.000Z", "session", {}))
    if older:
        log.write_text(log.read_text().replace(f',"of":"{first}"', ""))
    assert found(home, "walrus") == [first, first]
    delete(paths, first)
    assert found(home, "walrus") == [copy, copy] and listed(home)[copy] == (1, 2)
    fork(paths, copy, again, Marker(message_id(), "2026-11-30T10:00:00.000Z", "session", {}))
    assert len(found(home, "walrus")) == 2
    restore(paths, first)
    assert found(home, "walrus") == [first, first]
