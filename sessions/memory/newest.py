"""Who spoke last of a fact: the person by their words, or by their own hand.

The words of a message that is said again count as typed when they were typed first. Asking for another answer states
nothing, and what the person mended in between stays mended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from sessions.clock import iso, parse_iso
from sessions.errors import FactError
from sessions.memory.contents import as_data
from sessions.memory.entries import JournalEntry
from sessions.memory.fact import Draft, Fact
from sessions.memory.fields import repeats
from sessions.memory.near import says_the_same
from sessions.memory.rules import slug
from sessions.memory.said import Saying
from sessions.memory.store import FactStore
from sessions.memory.wording import content, fold, held, negative
from sessions.typed import Earlier, Typed


def typed_at(saying: Saying, claim: str) -> datetime | None:
    """When the words that carry a claim were typed first; None for a time that cannot be read."""
    times = [parse_iso(at) for at in (saying.typed.at, *(e.at for e in _earlier(saying, claim)))]
    return min((at for at in times if at is not None), default=None)


def moved_on(fact: Fact, claim: str, saying: Saying, typed: Sequence[Typed]) -> bool:
    """Whether a fact changed after the words were typed: the person's newest word wins."""
    order = {id_: i for i, t in enumerate(typed) for id_ in (t.message, *(e.message for e in t.again))}
    made, mine = order.get(fact.source.message), order.get(saying.typed.message)
    if made is not None and mine is not None and fact.source.origin == "model":
        return made > mine
    at = typed_at(saying, claim)
    return at is not None and fact.updated_at > at


class Newest:
    """Of one claim and the words that it stands on; `saying` None = nobody typed it."""

    def __init__(self, store: FactStore, claim: str, saying: Saying | None) -> None:
        self._saying = saying
        self._at = typed_at(saying, claim) if saying is not None else None
        self._by_hand = _by_hand_since(store, self._at)

    def since(self, fact: Fact) -> bool:
        """Whether the words were typed after the fact became what it is, whoever made it so."""
        if self._at is None or self._saying is None or self.mended(fact):
            return False
        typed = self._saying.typed
        here = fact.source.message in {typed.message, *(e.message for e in typed.again)}
        made_of_them = here and fact.active and fact.source.origin == "model"
        return made_of_them or self._at.replace(microsecond=0) >= fact.updated_at

    def mended(self, fact: Fact) -> bool:
        """Whether the person made the fact what it is, by hand, after the words were typed."""
        return any(e.id == fact.id for e in self._by_hand)

    def check(self, draft: Draft) -> None:
        """Raises FactError for a claim that the person corrected, undid or forgot by hand after it was typed."""
        for before, after, undone in self._gone(draft.scope):
            if not _says(draft, before) or (after is not None and after.active and _says(draft, after)):
                continue
            who = f"#{before.number} {before.name}"
            if after is not None and after.active:
                now = f"{who} was changed by the person after these words: it says now {as_data(after.summary)}"
                raise FactError(now, "Only what they say from then on changes it")
            done = "undone" if undone else "switched off" if after and after.status == "off" else "forgotten"
            raise FactError(f"{who} was {done} by the person", "Only what they say from then on brings it back")

    def goes_beyond(self, draft: Draft) -> bool:
        """Whether the claim says what the person took away by hand after it was typed, and more."""
        return any(
            _within(before.summary, draft.summary) and not (after is not None and after.active and _says(draft, after))
            for before, after, _ in self._gone(draft.scope)
        )

    def _gone(self, scope: str) -> Iterator[tuple[Fact, Fact | None, bool]]:
        """What the person changed by hand since: the fact before, the fact after, and whether it was an undo."""
        for entry in reversed(self._by_hand):
            if (before := entry.before) is not None and before.scope == scope:
                yield before, entry.after, bool(entry.undoes)


def _by_hand_since(store: FactStore, at: datetime | None) -> list[JournalEntry]:
    if at is None:
        return []
    found = store.changes_since(iso(at))
    return [e for e in found if e.by.origin == "user" and e.action not in {"confirmed", "completed", "proposed"}]


def _earlier(saying: Saying, claim: str) -> list[Earlier]:
    """The messages taken back in which the words stood that carry the claim."""
    quote, bears = fold(saying.quote), held(content(claim), content(saying.quote))
    return [
        e
        for e in saying.typed.again
        if quote in fold(e.text) or (bears and len(held(bears, content(e.text))) == len(bears))
    ]


def _says(draft: Draft, fact: Fact) -> bool:
    """Whether a draft says no more than a fact did, in whatever words."""
    if says_the_same(draft, fact) or (fact.name == slug(draft.name) and repeats(draft, fact)):
        return True
    return _within(draft.summary, fact.summary)


def _within(a: str, b: str) -> bool:
    """Whether one line holds all that another is about, and of both or neither it is not so."""
    words = content(a)
    return bool(words) and len(held(words, content(b))) == len(words) and negative(a) == negative(b)
