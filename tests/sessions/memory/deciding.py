"""A guard that only says what it would write, for the many rows of the tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sessions.clock import iso
from sessions.errors import FactError
from sessions.memory.fact import By, Draft, Fact, slug
from sessions.memory.guard import Guard, Outcome, Wish
from sessions.memory.reconcile import Change
from sessions.memory.store import FactStore
from sessions.memory.view import Snapshot
from sessions.typed import Typed, typed_parts
from tests.sessions.memory.homes import NOW


class Unwritten(FactStore):
    """A store that stays as it is: it notes what it is to save and to forget."""

    known: tuple[Fact, ...] = ()
    saved: list[str]

    def snapshot(self) -> Snapshot:
        return Snapshot(self.known, (), (), 0)

    def save(self, draft: Draft, *, by: By, instead_of: Sequence[Fact] = ()) -> Change:
        self.saved.append(draft.summary)
        return Change("created", Fact(draft.name, draft.summary), None)

    def forget(self, ref: str | int, *, by: By) -> Change:
        self.saved.append(f"without {ref}")
        return Change("forgotten", self.known[0], self.known[0])


class Deciding(Guard):
    """A guard that writes no proposal."""

    def _propose(self, fact: Fact, proposes: str, targets: list[Fact], wish: Wish, why: str) -> Outcome:
        return Outcome(why=why)


def saved(
    store: Unwritten, said: str, claim: str, kind: str, quote: str = "", known: Fact | None = None, **more: Any
) -> list[str]:
    """What is written after a model wanted to keep the claim, or without one to forget what is known."""
    quote = quote or said.rstrip(".!。")
    wish = Wish(By("model", "s1", "u1", quote), [Typed("u1", iso(NOW), typed_parts(said))], "u1")
    store.saved, store.known = [], (known,) if known else ()
    try:
        if claim:
            Deciding(store).save(Draft(more.pop("name", "") or slug(claim) or "fact", claim, kind, **more), wish)
        else:
            Deciding(store).forget(1, wish)
    except FactError:
        return []
    return store.saved
