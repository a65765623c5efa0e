from __future__ import annotations

from pathlib import Path

import pytest

from sessions.clock import iso
from sessions.errors import FactError
from sessions.memory.fact import By, Draft, slug
from sessions.memory.guard import Guard, Wish
from sessions.memory.store import FactStore
from sessions.typed import Typed, typed_parts
from tests.sessions.memory.governed import GOVERNED
from tests.sessions.memory.homes import NOW, store_of
from tests.sessions.memory.plainly import PLAIN


def saved(store: FactStore, said: str, claim: str, kind: str, quote: str = "") -> list[str]:
    """What is known after a model wanted to keep the claim."""
    quote = quote or said.rstrip(".!。")
    wish = Wish(By("model", "s1", "u1", quote), [Typed("u1", iso(NOW), typed_parts(said))], "u1")
    try:
        Guard(store).save(Draft(slug(claim) or "fact", claim, kind), wish)
    except FactError:
        return []
    return [f.summary for f in store.snapshot().facts]


@pytest.mark.parametrize("row", GOVERNED, ids=lambda row: f"{row[0]} | {row[1]}")
def test_a_claim_that_leaves_out_what_the_words_hang_on_is_not_kept_at_once(
    tmp_path: Path, row: tuple[str, str, str]
) -> None:
    assert saved(store_of(tmp_path), *row) == []


@pytest.mark.parametrize("row", PLAIN, ids=lambda row: f"{row[0]} | {row[1]}")
def test_a_plain_statement_is_kept_at_once(tmp_path: Path, row: tuple[str, str, str]) -> None:
    assert saved(store_of(tmp_path), *row) == [row[1]]
