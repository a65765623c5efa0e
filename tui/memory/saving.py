"""Writes what the form of a fact holds; nothing that somebody else wrote meanwhile is lost by it."""

from __future__ import annotations

from typing import Any

from sessions.errors import FactError
from sessions.memory.fact import By, Draft, Fact
from sessions.memory.store import Change, FactStore


class GoneError(FactError):
    """The fact is no longer there; it can be written again."""


def save(facts: FactStore, fact: Fact | None, changes: dict[str, Any], new: Draft | None, *, by: By) -> Change:
    """Change a fact, or make a new one. With both a fact and a draft, the fact that was deleted is written again.

    Raises FactChangedError when somebody else changed the same, GoneError when the fact is gone, else FactError with
    what is wrong.
    """
    if fact is None:
        assert new is not None
        taken = facts.get(new.name) if new.name else None
        if taken is not None and taken.scope == new.scope:
            raise FactError(f"name {taken.name} is taken by #{taken.number}", "Choose another name")
        return facts.save(new, by=by)
    ref = fact.number or fact.name
    there = facts.get(ref)
    if there is not None and (not fact.id or there.id == fact.id):
        return facts.edit(ref, by=by, was=fact, **changes)
    broken = next((b for b in facts.snapshot().broken if b.path == fact.path), None)
    if broken is not None:
        raise FactError(f"{broken.path.name} is broken now: {broken.why}", "Mend the file, then save again")
    if new is None:
        raise GoneError(f"#{fact.number} {fact.name} was deleted")
    entries = facts.history(ref) if fact.id else []
    if entries and entries[-1].action == "forgotten":
        back = facts.undo(by=by, ref=ref)
        return facts.edit(ref, by=by, **changes) if changes else back
    return facts.save(new, by=by)
