"""Bringing back an earlier version of a fact: a change like any other, which an undo takes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sessions.errors import FactError
from sessions.memory.fact import By

if TYPE_CHECKING:
    from sessions.memory.store import Change, FactStore

_FIELDS = ("name", "summary", "kind", "body", "scope", "status", "pinned", "locked", "due", "related")


def restore(store: FactStore, ref: str | int, op: str, *, by: By) -> Change:
    """Make a fact in use as the change `op` left it; for one that took it away, as it was before.

    Raises FactError when there is no such version, or when it cannot be: its name may be taken by now.
    """
    entry = next((e for e in store.history(ref) if e.op == op), None)
    version = (entry.after or entry.before) if entry is not None else None
    if version is None:
        raise FactError("There is no such version")
    now = store.get(ref)
    if now is None:
        raise FactError(f"There is no fact {str(ref)[:64]}", "An undo brings a forgotten one back")
    values: dict[str, Any] = {name: getattr(version, name) for name in _FIELDS}
    if values["status"] not in {"active", "off"}:
        values["status"] = now.status
    if values["kind"] != "open-thread":
        del values["due"]
    changed = {k: v for k, v in values.items() if v != getattr(now, k)}
    return store.edit(ref, by=by, **changed)
