"""A home in which proposals of every kind wait."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from sessions.clock import FixedClock
from sessions.memory.fact import By, Draft, Fact
from sessions.memory.guard import Guard, Wish
from sessions.memory.store import FactStore
from tests.sessions.memory.homes import NOW, PERSON, draft, store_of

MODEL = By("model", "20261129-171408-7f3a9c", "u1", "")
CLIENT = Wish(By("mcp", client="Codex"), at_once="never", why="saved by another agent")


def waiting_home(home: Path) -> FactStore:
    """Facts 1 to 5 and, in this order, waiting: new #6, update #7, supersede #8, forget #9, merge #10, and two
    new ones from another agent, #11 and #12."""
    store = store_of(home, FixedClock(NOW - timedelta(hours=1)))
    store.save(draft(body="Near Nakano, since 2019."), by=PERSON)
    store.save(draft("tea", "Likes tea"), by=PERSON)
    store.save(draft("python", "Uses Python 3.10", "user"), by=PERSON)
    store.save(draft("cat", "Has a cat named Miso", "user"), by=PERSON)
    store.save(draft("pet", "Owns an old animal", "user"), by=PERSON)
    guard, wish = Guard(store), Wish(MODEL)
    guard.save(Draft("chess", "Plays chess on Fridays", "user"), wish)
    guard.save(Draft("lives-in-tokyo", "Lives in Osaka", "preference", "Near Umeda, since 2026."), wish)
    guard.save(Draft("coffee", "Likes coffee", "preference", replaces="tea"), wish)
    guard.forget(3, wish)
    with store.locked():
        targets = [f for f in store.snapshot().facts if f.number in {4, 5}]
        one = Fact("cat", "Has an old cat named Miso", "user")
        store.review.proposals.add(one, "merge", targets, MODEL, "they say one thing")
    guard.save(Draft("boat", "Owns a boat", "user"), CLIENT)
    guard.save(Draft("novels", "Reads novels", "user"), CLIENT)
    return store
