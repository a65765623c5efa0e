"""What the fact files say together: names and numbers made unique, counts, and the newest state for a screen."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from sessions.memory.fact import BrokenFact, Fact, Proposal
from sessions.memory.files import FactFile
from sessions.memory.rules import USER, slug
from sessions.numbers import whole
from sessions.paths import HomePaths
from sessions.store.atomic import make_folder, write_atomic


@dataclass(frozen=True, slots=True)
class Counts:
    """How many facts there are."""

    active: int = 0
    off: int = 0
    broken: int = 0
    to_review: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The memory at one moment."""

    facts: tuple[Fact, ...]
    """Active and switched off, of all scopes, by number; those without a number last."""
    broken: tuple[BrokenFact, ...]
    proposed: tuple[Proposal, ...]
    revision: int

    @property
    def counts(self) -> Counts:
        active = sum(f.active for f in self.facts)
        return Counts(active, len(self.facts) - active, len(self.broken), len(self.proposed))


def facts_of(files: Iterable[FactFile]) -> list[Fact]:
    """The facts of files in use. A copy of a fact goes by its file's name and has no number until it gets one."""
    files = list(files)
    paths = {f.rel for f in files}
    taken: dict[int, Fact] = {}
    ids: set[str] = set()
    out = []
    # The elder keeps its number, and of a fact and its copy the one whose file has the fact's name.
    for file in sorted(files, key=_seniority):
        fact = file.fact
        if fact is None or fact.status not in {"active", "off"}:
            continue
        stem = file.path.stem
        if fact.name != stem and f"{file.rel.rpartition('/')[0]}/{fact.name}.md" in paths:
            fact = replace(fact, name=slug(stem) or fact.name)
        if fact.id and fact.id in ids:
            fact = replace(fact, id="", number=0)
        elif fact.number in taken:
            fact = replace(fact, number=0)
        ids.add(fact.id)
        taken[fact.number or -1] = fact
        out.append(fact)
    return sorted(out, key=lambda f: (f.number or 1 << 60, f.name))


def _seniority(file: FactFile) -> tuple[bool, float, str]:
    fact = file.fact
    return (fact is None or fact.name != file.path.stem, fact.created_at.timestamp() if fact else 0.0, file.rel)


def find(facts: Iterable[Fact], ref: str | int) -> Fact | None:
    """The fact of this number (7, "7", "#7") or name, the person's scope first."""
    number = number_of(ref)
    facts = sorted(facts, key=lambda f: f.scope != USER)
    found = next((f for f in facts if number and f.number == number), None)
    name = str(ref).strip()
    return found or next((f for f in facts if f.name == name), None)


def number_of(ref: str | int) -> int | None:
    """The number that a reference is, if it is one."""
    text = str(ref).strip().removeprefix("#")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None


def write_counts(paths: HomePaths, counts: Counts) -> None:
    """Note the counts for the next start."""
    file = _counts_file(paths)
    data = json.dumps(asdict(counts)).encode()
    try:
        if file.read_bytes() == data:
            return
    except OSError:
        make_folder(file.parent)
    write_atomic(file, data, durable=False)


def read_counts(paths: HomePaths) -> Counts:
    """The counts as last noted, from one small file; all 0 when there is none."""
    try:
        raw = json.loads(_counts_file(paths).read_bytes())
        return Counts(**{k: whole(raw[k]) or 0 for k in Counts.__dataclass_fields__})
    except (OSError, ValueError, TypeError, KeyError):
        return Counts()


def _counts_file(paths: HomePaths) -> Path:
    return paths.local / "memory-counts.json"
