"""Facts of a project whose folder is gone, for a folder that seems to be the same: offered once, never taken unasked.

A repository is known by its first commit wherever it lies, so this is for folders without one, for repositories
without a commit, and for those whose facts are older than their first commit.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sessions.memory.scopes import root_of
from sessions.memory.store import FactStore
from sessions.store.atomic import make_folder, write_atomic


@dataclass(frozen=True, slots=True)
class Moved:
    """A project that may have moved here."""

    scope: str
    was: Path
    """Where it was last known to be."""
    here: Path
    facts: int
    """Active facts of it."""


def moved_here(store: FactStore, cwd: Path) -> Moved | None:
    """The project without a folder that this one looks like: by its name, or as the same folder renamed.

    None when this folder has facts of its own, when nothing fits, or when the person said no before.
    """
    scopes = store.scopes
    scope = scopes.existing(cwd)
    if scope is None:
        return None
    counts = Counter(fact.scope for fact in store.snapshot().facts if fact.active)
    if counts[scope] or scopes.folder(scope).is_dir():
        return None
    lost = [p for p in scopes.projects() if counts[p.scope] and not any(path.is_dir() for path in p.paths)]
    declined = _declined(store)
    root, home = root_of(cwd), Path.home()
    for here in (root, *root.parents):
        if here == home or here == Path(here.anchor):
            break
        mark = scopes.mark_of(here)
        fits = [
            p
            for p in lost
            if (any(path.name == here.name for path in p.paths) or (mark and mark in p.marks))
            and [p.scope, str(here)] not in declined
        ]
        if fits:
            best = max(fits, key=lambda p: counts[p.scope])
            return Moved(best.scope, best.paths[-1], here, counts[best.scope])
    return None


def settle(store: FactStore, found: Moved, yes: bool) -> None:
    """The person's answer: the project is known by this path too, or not offered here again."""
    if yes:
        with store.locked():
            store.scopes.prepare(found.scope, found.here)
        return
    file = _file(store)
    make_folder(file.parent)
    declined = [*_declined(store), [found.scope, str(found.here)]]
    write_atomic(file, json.dumps(declined).encode(), durable=False)


def _declined(store: FactStore) -> list[object]:
    try:
        raw = json.loads(_file(store).read_bytes())
    except (OSError, ValueError):
        return []
    return raw if isinstance(raw, list) else []


def _file(store: FactStore) -> Path:
    return store.paths.local / "moved-declined.json"
