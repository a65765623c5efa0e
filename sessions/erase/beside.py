"""Where the words of what is erased stand but in logs: other facts and their history, lists, files."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.erase.target import Target, job_file
from sessions.memory.eraser import OtherFact
from sessions.store.traces import Finder, files_under

if TYPE_CHECKING:
    from sessions.home import Home

SQLITE = (".sqlite", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal")


@dataclass(frozen=True, slots=True)
class Beside:
    """A word, and another fact or file in which it stands."""

    word: str
    fact: OtherFact | None = None
    path: str = ""
    """Of a file, under the home."""

    @property
    def held(self) -> bool:
        """Whether it stands in a fact as that is, and not in its history."""
        return self.fact is not None and self.fact.held


def beside(
    home: Home, target: Target, said: Collection[str], words: Collection[str], *, done: bool = False
) -> list[Beside]:
    """Where the words stand when the target is erased; with `done` it is, and nothing is left out of account."""
    if not words:
        return []
    found = home.facts.eraser.others(target.facts, target.called, target.finder, said, [*words])
    return [*(Beside(word, fact) for word, fact in found), *_in_files(home, target, words, done=done)]


def _in_files(home: Home, target: Target, words: Collection[str], *, done: bool) -> Iterator[Beside]:
    every, rules = Finder((), words=words), [(word, Finder((), words=(word,))) for word in words]
    for path in _kept_files(home, made=done):
        with suppress(OSError):
            data = path.read_bytes()
            if not done and path.parent == home.paths.memory and every.in_bytes(data):
                data = b"\n".join(line for line in data.split(b"\n") if not target.finder.in_bytes(line))
            if every.in_bytes(data):
                yield from (
                    Beside(w, path=str(path.relative_to(home.paths.root))) for w, r in rules if r.in_bytes(data)
                )


def _kept_files(home: Home, *, made: bool) -> Iterator[Path]:
    """Files that are no log, no fact and no entry of the journal; with `made` also what is made of those."""
    paths = home.paths
    for path in files_under(paths.root):
        log = path.suffix == ".jsonl" and path.parent in {paths.sessions, paths.trash}
        fact = path.is_relative_to(paths.memory) and path.parent != paths.memory
        of_both = path.name.endswith((*SQLITE, ".meta.json")) or path == paths.memory_md
        of_us = path == job_file(home) or path.is_relative_to(paths.locks)
        if log or fact or of_both or of_us or (not made and path.is_relative_to(paths.local)):
            continue
        yield path
