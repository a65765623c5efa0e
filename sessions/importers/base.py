"""What a reader of another agent's sessions gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from sessions.importers.places import stem_of
from sessions.messages import Json, Record

_NAMED = 50
"""So many lines that could not be read are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Source:
    """A session of another agent, by its file; nothing of it was read."""

    kind: str
    """`claude-code`, `codex` …, as it stands in settings and on the command line."""
    uuid: str
    """The session's id there."""
    path: Path
    size: int
    """In bytes, of this file alone; what is written to it meanwhile belongs to the next reading."""
    mtime_ns: int
    beside: tuple[Path, ...] = ()
    """Files that belong to it: those of its sub-agents."""
    digest: str = ""
    """Of all that it says, where one file holds many: then neither the file nor its time tells what is new."""
    ids: str = ""
    """What ids that are made of a line's place begin with, where a log of ours has such; empty: see `stem`."""

    @property
    def stem(self) -> str:
        """What ids that are made of a line's place begin with."""
        return self.ids or stem_of(self.uuid)


@dataclass(frozen=True, slots=True)
class Head:
    """What the first lines of a session tell."""

    title: str = ""
    """Its own, else the first line of what was said first."""
    cwd: str = ""
    at: str = ""
    """When it began: UTC, as in our logs; empty when it does not say."""
    first: str = ""
    """What was said first."""
    model: str = ""


@dataclass(slots=True)
class Report:
    """What could not be taken over, or not as it stood."""

    lines: int = 0
    bad: list[tuple[str, int, str]] = field(default_factory=list)
    """File name, line (from 1) and why it could not be read, or not wholly; the first ones."""
    bad_lines: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Type of line -> how many were left out, as they hold nothing that was said."""
    missing_results: int = 0
    """Calls that got a result made up, as theirs never came."""
    orphan_results: int = 0
    named: set[str] = field(default_factory=set)
    """What lines name and no record is called by: the calls of those results, lines above that are missing, replies.
    When one comes later, what was told before is told in another way."""
    duplicate_results: int = 0
    other_ways: int = 0
    """Lines of branches that were left (edited, rewound)."""

    def cannot(self, file: str, line: int, why: str) -> None:
        """Note a line that could not be read, or not wholly."""
        self.bad_lines += 1
        if len(self.bad) < _NAMED:
            self.bad.append((file, line, why))

    def json(self) -> Json:
        """What is not zero, for the `imported` marker and `--json`."""
        out: Json = {
            "lines": self.lines,
            "bad_lines": self.bad_lines,
            "bad": [{"file": file, "line": line, "why": why} for file, line, why in self.bad],
            "skipped": dict(self.skipped.most_common()),
            "missing_results": self.missing_results,
            "orphan_results": self.orphan_results,
            "duplicate_results": self.duplicate_results,
            "other_ways": self.other_ways,
        }
        return {key: value for key, value in out.items() if value}


@dataclass(slots=True)
class Reading:
    """A conversation while it is read. Title, leaf and report are whole when `records` is at its end."""

    source: Source
    records: Iterator[Record]
    """In order, each once: user, assistant and tool messages, turn ends, compactions, and the lines of sub-agents.

    An id is made of the source's own uuid alone, so that reading twice gives the same ids; a message that was merged
    from several lines has the uuid of the first.
    """
    cwd: str = ""
    at: str = ""
    title: str = ""
    model: str = ""
    leaf: str = ""
    """The source's uuid of the last line of the conversation; with `size` it tells where to go on."""
    size: int = 0
    """Bytes of whole lines that were read."""
    after: str | None = None
    """The record (its id) behind which `records` go on; None when they are the whole conversation."""
    report: Report = field(default_factory=Report)
    mark: str = ""
    """Tells later whether the bytes that were read are still the same."""

    @classmethod
    def of(
        cls,
        source: Source,
        records: Iterator[Record],
        about: About,
        known: Known | None,
        report: Report,
        *,
        leaf: str,
        size: int,
        mark: str,
        title: str = "",
    ) -> Reading:
        """What goes on behind `known`, or all of it; without a `leaf` or `title` of its own it has those of before."""
        after, before = (known.last, known.leaf) if known is not None else (None, "")
        title = title or about.title
        leaf = leaf or before
        return cls(source, records, about.cwd, about.at, title, about.model, leaf, size, after, report, mark)


class About(Protocol):
    """What the lines say of the whole conversation."""

    cwd: str
    at: str
    title: str
    model: str


def _nothing(_: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Known:
    """How far a source was read before."""

    size: int
    leaf: str
    last: str
    """Id of the last record that was made of it."""
    turn: int
    """The number of its last turn."""
    open_calls: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Calls that have no result yet: the source's id -> our id and the name of the tool."""
    mark: str = ""
    """Of the bytes that were read; empty = was not noted."""
    told: Callable[[str], bool] = field(default=_nothing, compare=False, repr=False)
    """Whether a line or a call of this id there was told: what comes again does not go on behind it."""


Progress = Callable[[int], None]
"""Is told the bytes that were gone through so far; what it raises ends the reading."""


class Tells(Protocol):
    """Can tell a conversation."""

    def read(self, source: Source, known: Known | None = None, progress: Progress | None = None) -> Reading:
        """The conversation; with `known` only what came since, when it goes on from there (else all of it)."""
        ...


class Reader(Tells, Protocol):
    """Knows the files of one other agent. Raises OSError only when a file cannot be opened at all, and StoreError when
    something has to be installed to read it."""

    kind: str
    name: str
    """As people call it: Claude Code."""

    def roots(self, environ: Mapping[str, str], user: Path) -> list[Path]:
        """Folders where its files are, those that exist; `user` is the person's own folder."""
        ...

    def find(self, roots: Iterable[Path]) -> Iterator[Source]:
        """Its sessions, in no order; no file is opened."""
        ...

    def at(self, path: Path) -> Source | None:
        """The session in this file; None when it does not look like one of these by name and first line."""
        ...

    def head(self, source: Source) -> Head:
        """What the first lines tell, in some milliseconds however long the file is."""
        ...

    def resume_command(self, uuid: str, cwd: str) -> str:
        """What to type in a shell to go on there with a session that was begun in the folder."""
        ...


def folder_named(text: str, user: Path) -> Path:
    """The folder that a variable of the environment names; `~` is the person's."""
    return user / text[2:] if text.startswith("~/") else user if text == "~" else Path(text)
