"""Erasing facts: from their folders, the archive, what waits, the journal and the list. Nothing of it can be undone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.errors import FactError
from sessions.memory.changes import Changes
from sessions.memory.fact import Fact
from sessions.memory.files import FactFile, FactFiles, as_proposal
from sessions.memory.memory_md import is_ours, row_start
from sessions.memory.scrub import Scrub, fact_in, sides
from sessions.memory.view import find, number_of
from sessions.store.atomic import is_temp, write_atomic
from sessions.store.rewrite import rewrite_lines
from sessions.store.traces import Finder, files_under

if TYPE_CHECKING:
    from sessions.memory.store import FactStore

Message = tuple[str, str]
"""Session and message."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """All that the memory knows of one fact, in any version."""

    ids: tuple[str, ...]
    """Its own first, then those of proposals to change it."""
    number: int
    names: tuple[str, ...]
    versions: tuple[Fact, ...]
    """The newest first, those of proposals too."""
    files: tuple[str, ...]
    """Paths in the memory folder, those of proposals too."""
    entries: int
    """Lines of the journal."""
    proposals: int
    """That wait."""
    messages: tuple[Message, ...]
    """Where it was said."""

    @property
    def fact(self) -> Fact:
        return self.versions[0]


@dataclass(frozen=True, slots=True)
class OtherFact:
    """Another fact in which a word stands."""

    id: str
    number: int
    name: str
    summary: str
    """As it is now, or was last."""
    held: bool
    """The word stands in the fact as it is, or waits to be: else only in its history."""


class Eraser:
    """Finds and erases; `erase` may be called again after a kill and finishes."""

    def __init__(self, store: FactStore, changes: Changes, files: FactFiles) -> None:
        self.store = store
        self.changes = changes
        self.files = files

    def know(self, ref: str | int) -> KnownFact:
        """The fact of a number or name: in use, forgotten, waiting for review, or only in the journal.

        Raises FactError when there is none.
        """
        journal = self.changes.journal
        journal.refresh()
        id_ = self._id(ref)
        on_disk = self._files()
        own = [f.fact for f in on_disk if f.fact and f.fact.id == id_]
        numbers = {f.number for f in own} | {row.number for row in journal.rows_of(id_)}
        versions = [*own, *self._journaled(id_)]
        if not versions:
            raise FactError(f"There is no fact {str(ref)[:64]}")
        names = {f.name for f in versions}
        about = self._proposals(numbers, names, on_disk) - {id_}
        waiting = [f.fact for f in on_disk if f.fact and f.fact.id in about]
        more = [*waiting, *(fact for other in sorted(about) for fact in self._journaled(other))]
        every = _unlike([*versions, *more])
        ids = (id_, *sorted(about))
        said = [(f.source.session, f.source.message) for f in every]
        said += [(e.by.session, e.by.message) for i in ids for e in map(journal.load, journal.rows_of(i))]
        return KnownFact(
            ids=ids,
            number=max(numbers, default=0),
            names=tuple(sorted(names)),
            versions=tuple(every),
            files=tuple(f.rel for f in on_disk if f.fact and f.fact.id in ids),
            entries=sum(len(journal.rows_of(i)) for i in ids),
            proposals=len(waiting),
            messages=tuple(dict.fromkeys((s, m) for s, m in said if s and m)),
        )

    def erase(
        self,
        ids: Iterable[str],
        names: Iterable[str],
        finder: Finder,
        said: Iterable[str] = (),
        words: Iterable[str] = (),
    ) -> None:
        """Erase the facts of these ids. Where other facts name them they are named no more; facts that were said in
        one of the erased messages `said` lose the quote. What `finder` finds in lists kept beside goes too, and
        `words` from all that the journal has.

        Raises StoreError.
        """
        gone, names, said = set(ids) - {""}, set(names), set(said)
        with self.changes.locked():
            self.changes.journal.refresh(locked=True)
            scrub = Scrub(gone, names, said, finder, words)
            for file in self._files():
                if file.fact and file.fact.id in gone:
                    file.path.unlink(missing_ok=True)
                    self.files.drop(file.rel)
                    continue
                text = _text(file.path)
                new = scrub.text(text) if text is not None else None
                if new is not None and new != text:
                    write_atomic(file.path, new.encode())
            self.changes.journal.erase(scrub.entry)
            self._beside(finder, names)
            self.store.derive()

    def others(
        self,
        ids: Iterable[str],
        names: Iterable[str],
        finder: Finder,
        said: Iterable[str],
        words: Sequence[str],
    ) -> list[tuple[str, OtherFact]]:
        """Where else these words stand in the memory when the others are erased as by `erase`: each with the fact."""
        gone, any_ = set(ids) - {""}, Finder((), words=words)
        rules = [(word, Finder((), words=(word,))) for word in words]
        scrub = Scrub(gone, set(names), set(said), finder)
        found: dict[tuple[str, str], OtherFact] = {}

        def look(text: str | None, path: str, held: bool) -> None:
            fact = fact_in(scrub.text(text), path) if text is not None else None
            told = _told(fact) if fact is not None else ""
            if fact is None or fact.id in gone or not any_.in_text(told):
                return
            other = OtherFact(fact.id, fact.number, fact.name, fact.summary, held)
            for word, rule in rules:
                if rule.in_text(told):
                    found.setdefault((word, fact.id), other)

        if words:
            for file in self._files():
                if file.fact is not None and file.fact.id not in gone:
                    look(_text(file.path), file.rel, held=True)
            for raw in self._entries(any_):
                for path, text in sides(scrub.entry(raw) or {}):
                    look(text, path, held=False)
        return [(word, other) for (word, _), other in found.items()]

    def _entries(self, finder: Finder) -> Iterator[dict[str, object]]:
        """The entries of the journal in which it finds something, the newest first."""
        folder = self.changes.journal.folder
        for path in sorted(folder.glob("*.jsonl"), reverse=True) if folder.is_dir() else ():
            data = path.read_bytes()
            for line in reversed(data.split(b"\n")) if finder.in_bytes(data) else ():
                if finder.in_bytes(line):
                    with suppress(ValueError, RecursionError):
                        raw = json.loads(line)
                        if isinstance(raw, dict) and not raw.get("erased"):
                            yield raw

    def _id(self, ref: str | int) -> str:
        number = number_of(ref)
        files = self._files()
        waiting = next((f.fact for f in files if f.fact and number and f.fact.number == number), None)
        known = find(self.store.snapshot().facts, ref) or find(reversed(self.store.archived()), ref) or waiting
        if known is not None and known.id:
            return known.id
        for row in reversed(self.changes.journal.rows):
            if row.id and (row.number == number if number else any(Path(p).stem == ref for p in row.hashes)):
                return row.id
        if known is not None:
            raise FactError(f"{known.path.name} is not numbered yet", "Wait two seconds")
        raise FactError(f"There is no fact {str(ref)[:64]}")

    def _files(self) -> list[FactFile]:
        folders = [*self.files.live_folders(), self.files.paths.archive, self.files.paths.proposed]
        return self.files.scan(*folders, settled=True)

    def _journaled(self, id_: str) -> list[Fact]:
        """All versions that the journal has, the newest first."""
        journal, found = self.changes.journal, []
        for row in reversed(journal.rows_of(id_)):
            entry = journal.load(row)
            for file in entry.files:
                found += [f for text in (file.after, file.before) if (f := fact_in(text, file.path)) and f.id == id_]
        return found

    def _proposals(self, numbers: set[int], names: set[str], on_disk: Iterable[FactFile]) -> set[str]:
        """Ids of what was proposed about the fact, whatever became of it."""
        about = {str(n) for n in numbers} | names
        facts = [f.fact for f in on_disk if f.fact and f.rel.startswith("proposed/")]
        journal = self.changes.journal
        for row in journal.rows:
            if any(path.startswith("proposed/") for path in row.hashes):
                for file in journal.load(row).files:
                    facts += [f for t in (file.before, file.after) if (f := fact_in(t, file.path)) is not None]
        return {f.id for f in facts if f.id and about & set(as_proposal(f).targets)}

    def _beside(self, finder: Finder, names: Iterable[str]) -> None:
        """The list, those that a person edited, and what a kill left of a write.

        Our own list goes whole and is made anew: with lines cut out of it, it would pass for an edited one.
        """
        rows = tuple(row_start(name).encode() for name in names)

        def kept(line: bytes) -> bytes | None:
            return None if finder.in_bytes(line) or any(row in line for row in rows) else line

        for path in files_under(self.files.paths.memory):
            with suppress(OSError):
                if is_temp(path.name) and finder.in_bytes(path.read_bytes()):
                    path.unlink()
                elif path.parent == self.files.paths.memory and path.suffix == ".md":
                    if is_ours(path.read_bytes()):
                        path.unlink()
                    else:
                        rewrite_lines(path, kept)


def _unlike(facts: Iterable[Fact]) -> list[Fact]:
    """The first of those that say the same."""
    return list({(f.name, f.summary, f.body, f.source): f for f in reversed([*facts])}.values())[::-1]


def _told(fact: Fact) -> str:
    return "\n".join((fact.name.replace("-", " "), fact.name, fact.summary, fact.body, fact.source.quote))


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def needles(known: KnownFact) -> dict[str, list[str]]:
    """What tells the fact's text wherever it stands: `phrases`, `names`, `lines` to be told in other words."""
    phrases: dict[str, None] = {}
    lines: dict[str, None] = {}
    for fact in known.versions:
        for text in (fact.summary, fact.source.quote, *re.split(r"\n+|(?<=[.!?])\s+", fact.body)):
            if telling(text):
                phrases.setdefault(text.strip().rstrip("."))
        lines |= dict.fromkeys(t for t in (fact.summary, fact.source.quote) if t)
    names = [n for n in known.names if n.count("-") > 0]
    return {"phrases": [*phrases], "names": names, "lines": [*lines]}


def telling(text: str) -> bool:
    """Whether a text is found by itself: a lone common word stands in too many places."""
    text = text.strip()
    words = re.findall(r"\w+", text)
    return len(words) > 1 or len(text) >= 12 or bool(re.search(r"\d{3}|[^\x00-\u02ff]{2}", text))
