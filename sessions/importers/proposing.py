"""What other agents and people's files remember, put to the person: it waits for review, and nothing comes twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from sessions.clock import Clock
from sessions.errors import FactError
from sessions.importers.base import Known
from sessions.importers.ledger import Entry, Ledger
from sessions.importers.memories import Remembered
from sessions.memory.drafted import split_summary
from sessions.memory.fact import By, Draft
from sessions.memory.guard import Guard, Wish
from sessions.memory.returning import bring_back
from sessions.memory.rules import SUMMARY_MAX, USER, one_line, slug
from sessions.memory.scopes import root_of
from sessions.memory.secrets import without_secrets
from sessions.memory.store import FactStore
from sessions.paths import HomePaths
from sessions.store.locks import FileLock

_KIND = "memory"
"""In the ledger."""


@dataclass(slots=True)
class Proposed:
    """What came of it."""

    statuses: Counter[str] = field(default_factory=Counter)
    """`waits`, `same` (taken over before), `known` (a fact or a proposal says so already), `refused`."""
    refused: list[tuple[str, str, str]] = field(default_factory=list)
    """File, the key in it or the beginning of what it says, but for a secret, and why it is no fact."""


class Proposing:
    """Puts each to the guard, which lets nothing of it act at once."""

    def __init__(self, paths: HomePaths, facts: FactStore, clock: Clock) -> None:
        self._paths = paths
        self._facts = facts
        self._guard = Guard(facts)
        self.ledger = Ledger(paths, clock)

    def fresh(self, found: Iterable[Remembered]) -> list[Remembered]:
        """Those that did not come before as they are now."""
        self.ledger.refresh()
        return [one for one in found if not self._came(one)]

    def propose(self, found: Iterable[Remembered]) -> Proposed:
        """Let all that is new wait for review. Raises StoreError when it cannot be written."""
        out = Proposed()
        with FileLock(self._paths.locks / "import.lock"):
            self.ledger.refresh()
            for one in found:
                if self._came(one):
                    out.statuses["same"] += 1
                    continue
                try:
                    out.statuses[self._one(one)] += 1
                except FactError as e:
                    out.statuses["refused"] += 1
                    out.refused.append((str(one.path), _told(one), without_secrets(str(e))))
                    continue
                known = Known(0, one.digest, "", 0)
                self.ledger.append(Entry(_KIND, _source(one), str(one.path), "", 0, 0, 0, known), [])
        return out

    def _came(self, one: Remembered) -> bool:
        entry = self.ledger.entry(_KIND, _source(one))
        return entry is not None and entry.known.leaf == one.digest

    def _one(self, one: Remembered) -> str:
        summary, body = (one.summary, one.body) if one.ours else split_summary(one.summary, one.body)
        if not one.ours and not one.body and body:
            body = one.summary
        cwd = Path(one.cwd) if one.cwd and Path(one.cwd).is_absolute() else None
        scope = self._scope(one, cwd)
        draft = Draft(
            one.name, summary, one.kind, body, scope, one.related or None, one.due, one.pinned, locked=one.locked
        )
        by = By("import", client=one.group)
        if self.ledger.entry(_KIND, _source(one)) is not None:
            self._withdraw(draft, by)
        why = f"it comes from {one.group}, {one.path.name}"
        if lost := _lost(one):
            why += f"; the folder of its project is not known ({lost})"
        if one.value and self._holds(draft.name, scope, one.value):
            return "known"
        if one.ours:
            outcome = bring_back(self._facts, draft, by, why)
        else:
            outcome = self._guard.save(draft, Wish(by, cwd=cwd, distinct=True, at_once="never", why=why))
        return "known" if outcome.change is not None or outcome.again else "waits"

    def _scope(self, one: Remembered, cwd: Path | None) -> str:
        """Where it belongs. FactError when it names a project that is neither known here nor that of the folder."""
        scopes = self._facts.scopes
        if lost := _lost(one):
            # A project of its own that no folder has: what it says is not lent to others.
            return f"project:{sha256(lost.encode(errors='replace')).hexdigest()[:8]}"
        if one.scope in {"", USER}:
            return scopes.of(cwd) if cwd is not None else USER
        if scopes.folder(one.scope).is_dir():
            return one.scope
        here = scopes.of(cwd) if cwd is not None else ""
        if cwd is not None and (here == one.scope or slug(root_of(cwd).name) == slug(one.project)):
            return here
        raise FactError(f"it is of the project {one.project or one.scope}", "Import it in the folder of that project")

    def _holds(self, name: str, scope: str, value: str) -> bool:
        """Whether a fact of that name says only that, as those do that were written out from here."""
        facts = self._facts.snapshot().facts
        return any(f.active and (f.name, f.scope) == (name, scope) and value in {f.body, f.summary} for f in facts)

    def _withdraw(self, draft: Draft, by: By) -> None:
        """What waited of the same file and says something else now."""
        for proposal in self._facts.proposals():
            same = proposal.fact.source.client == by.client and proposal.fact.name == draft.name
            if same and proposal.fact.scope == draft.scope and proposal.fact.source.origin == "import":
                self._facts.review.reject(proposal.number, by=by)


def _lost(one: Remembered) -> str:
    """What the project is called that it is of, where nothing tells the folder on this machine."""
    return one.lost or (one.cwd if not one.scope and one.cwd and not Path(one.cwd).is_absolute() else "")


def _told(one: Remembered) -> str:
    """Its key, else the beginning of what it says; a secret in it is left out first, for half of one is none."""
    return short(without_secrets(one.label or one.summary))


def short(text: str) -> str:
    """The text in one line that is not too long for a list."""
    text = one_line(text)
    return text if len(text) <= SUMMARY_MAX else f"{text[: SUMMARY_MAX - 1].rstrip()}…"


def _source(one: Remembered) -> str:
    return f"{one.path}#{one.key}" if one.key else str(one.path)
