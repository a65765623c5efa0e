"""Erasing facts: from their folders, the archive, what waits, the journal and the list. Nothing of it can be undone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.errors import FactError
from sessions.memory.changes import Changes
from sessions.memory.fact import Fact, parse_fact
from sessions.memory.files import FactFile, FactFiles, as_proposal
from sessions.memory.memory_md import is_ours, row_start
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
    ) -> None:
        """Erase the facts of these ids. Where other facts name them they are named no more; facts that were said in
        one of the erased messages `said` lose the quote. What `finder` finds in lists kept beside goes too.

        Raises StoreError.
        """
        gone, names, said = set(ids) - {""}, set(names), set(said)
        with self.changes.locked():
            self.changes.journal.refresh(locked=True)
            scrub = _Scrub(gone, names, said, finder)
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
                found += [f for text in (file.after, file.before) if (f := _fact(text, file.path)) and f.id == id_]
        return found

    def _proposals(self, numbers: set[int], names: set[str], on_disk: Iterable[FactFile]) -> set[str]:
        """Ids of what was proposed about the fact, whatever became of it."""
        about = {str(n) for n in numbers} | names
        facts = [f.fact for f in on_disk if f.fact and f.rel.startswith("proposed/")]
        journal = self.changes.journal
        for row in journal.rows:
            if any(path.startswith("proposed/") for path in row.hashes):
                for file in journal.load(row).files:
                    facts += [f for t in (file.before, file.after) if (f := _fact(t, file.path)) is not None]
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


class _Scrub:
    """Takes what is erased out of what stays. The same text always becomes the same, so that the journal goes on
    knowing the files."""

    def __init__(self, gone: set[str], names: set[str], said: set[str], finder: Finder) -> None:
        self._gone = gone
        self._said = said
        self._finder = finder
        one = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        self._rules: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = []
        if one:
            self._rules = [
                (re.compile(rf'^[ \t]*"(?:{one})",?[ \t]*\n', re.MULTILINE), ""),
                (re.compile(rf'^((?:related|supersedes) = \[.*?)"(?:{one})"(?:,[ \t]*)?', re.MULTILINE), r"\1"),
                (re.compile(rf"\[\[(?:{one})\]\]"), "(erased)"),
            ]

    def text(self, text: str) -> str:
        """A fact file without the names of erased facts, and without a quote of an erased message."""
        for rule, put in self._rules:
            text = rule.sub(put, text)
        fact = _fact(text, "x.md")
        if fact is not None and fact.source.quote and self._quoted(fact.source.message, fact.source.quote):
            text = re.sub(r"^quote = .*\n", "", text, count=1, flags=re.MULTILINE)
        return text

    def _quoted(self, message: str, quote: str) -> bool:
        return message in self._said or self._finder.in_text(quote)

    def entry(self, raw: dict[str, Any]) -> dict[str, Any] | None:
        """A journal's entry as `Journal.erase` wants it."""
        if raw.get("id") in self._gone:
            return None
        files = [f for f in raw.get("files") or () if isinstance(f, dict)]
        kept = [self._change(f) for f in files if not any(_id_of(f.get(side)) in self._gone for side in _SIDES)]
        by: dict[str, Any] = raw.get("by") or {}
        quote, message = str(by.get("quote") or ""), str(by.get("message") or "")
        if quote and self._quoted(message, quote):
            by = {k: v for k, v in by.items() if k != "quote"}
        if kept == files and by == raw.get("by", {}):
            return raw
        return (raw | {"by": by, "files": kept}) if kept else None

    def _change(self, file: dict[str, Any]) -> dict[str, Any]:
        out = dict(file)
        for side in _SIDES:
            text = file.get(side)
            if isinstance(text, str):
                out[side] = self.text(text)
                out[f"{side}_sha256"] = sha256(out[side].encode()).hexdigest()
        return out


_SIDES = ("before", "after")


def _unlike(facts: Iterable[Fact]) -> list[Fact]:
    """The first of those that say the same."""
    return list({(f.name, f.summary, f.body, f.source): f for f in reversed([*facts])}.values())[::-1]


def _fact(text: str | None, path: str) -> Fact | None:
    if text is None:
        return None
    try:
        return parse_fact(text, Path(path))
    except FactError:
        return None


def _id_of(text: object) -> str:
    fact = _fact(text, "x.md") if isinstance(text, str) else None
    return fact.id if fact is not None else "-"


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
