from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sessions.clock import iso
from sessions.errors import FactError
from sessions.memory.fact import By, Draft, Fact, slug
from sessions.memory.guard import Guard, Outcome, Wish
from sessions.memory.reconcile import Change
from sessions.memory.store import FactStore
from sessions.typed import Typed, typed_parts
from tests.sessions.memory.governed import GOVERNED
from tests.sessions.memory.homes import NOW, store_of
from tests.sessions.memory.ordinary import SAID
from tests.sessions.memory.plainly import PLAIN


class Unwritten(FactStore):
    """An empty store that stays so: it notes what it is to save."""

    saved: list[str]

    def save(self, draft: Draft, *, by: By, instead_of: Sequence[Fact] = ()) -> Change:
        self.saved.append(draft.summary)
        return Change("created", Fact(draft.name, draft.summary), None)


class Deciding(Guard):
    """A guard that writes no proposal."""

    def _propose(self, fact: Fact, proposes: str, targets: list[Fact], wish: Wish, why: str) -> Outcome:
        return Outcome(why=why)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Unwritten:
    real = store_of(tmp_path_factory.mktemp("governed"))
    return Unwritten(real.paths, real.clock)


def saved(store: Unwritten, said: str, claim: str, kind: str, quote: str = "") -> list[str]:
    """What is known after a model wanted to keep the claim."""
    quote = quote or said.rstrip(".!。")
    wish = Wish(By("model", "s1", "u1", quote), [Typed("u1", iso(NOW), typed_parts(said))], "u1")
    store.saved = []
    try:
        Deciding(store).save(Draft(slug(claim) or "fact", claim, kind), wish)
    except FactError:
        return []
    assert store.snapshot().facts == ()
    return store.saved


def named(row: Any) -> str:
    return f"{row[0]} | {row[1]}"


@pytest.mark.parametrize("row", GOVERNED, ids=named)
def test_a_claim_that_leaves_out_what_the_words_hang_on_is_not_kept_at_once(
    store: Unwritten, row: tuple[str, str, str]
) -> None:
    assert saved(store, *row) == []


@pytest.mark.parametrize("row", PLAIN, ids=named)
def test_a_plain_statement_is_kept_at_once(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("row", SAID, ids=named)
def test_what_people_say_of_themselves_is_kept_at_once(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]
