"""What was exported here and comes back: held to the rules for a person's own hand, not to those for a model.

A person saved it once, so its name, its words and its length stay as they are. It waits for their yes all the same,
and what they locked, switched off or forgot since then stays so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sessions.errors import FactError
from sessions.memory.fact import By, Draft, Fact
from sessions.memory.fields import differs, repeats
from sessions.memory.guard import Outcome
from sessions.memory.near import says_the_same
from sessions.memory.proposals import NEW, UPDATE, as_fact, came_with
from sessions.memory.rules import check_body, check_kind, check_name, check_scope, check_summary
from sessions.memory.secrets import secret_kind
from sessions.memory.store import FactStore


def bring_back(store: FactStore, draft: Draft, by: By, why: str) -> Outcome:
    """Let it wait for review, if it is not known. Raises FactError with the rule that forbids it."""
    draft = _clean(draft)
    with store.locked():
        facts = [f for f in store.snapshot().facts if f.scope == draft.scope]
        old = next((f for f in facts if f.name == draft.name), None)
        same = _known(draft, facts, by) if old is None else old if _repeats(draft, old) else None
        if same is not None and not same.active:
            raise FactError(f"#{same.number} {same.name} was switched off by the person")
        if same is not None:
            return Outcome(proposal=None, again=True)
        if old is not None and old.locked:
            raise FactError(f"#{old.number} {old.name} is locked", "Only the person changes it, by hand")
        if old is None and (gone := _forgotten(draft, store.archived())):
            raise FactError(f"#{gone.number} {gone.name} was forgotten by the person")
        fact = replace(as_fact(draft, by, old), name=draft.name)
        if draft.related is not None:
            fact = replace(fact, related=draft.related)
        targets = [old] if old else []
        proposes = UPDATE if old else NEW
        review = store.review.proposals
        if waiting := review.waiting(fact, proposes, targets, returns=True):
            return Outcome(proposal=waiting, why=waiting.why or why, again=True)
        if review.rejected(fact, proposes, targets):
            raise FactError("the user rejected this before")
        made = review.add(fact, proposes, targets, by, why, returns=True)
        store.derive()
        return Outcome(proposal=made, why=why)


def _clean(draft: Draft) -> Draft:
    """The draft as a person may save it. Raises FactError."""
    check_kind(draft.kind)
    for text in (draft.summary, draft.body):
        if kind := secret_kind(text):
            raise FactError(f"it holds a secret ({kind}), and secrets are never remembered")
    name, scope = check_name(draft.name), check_scope(draft.scope)
    return replace(draft, name=name, scope=scope, summary=check_summary(draft.summary), body=check_body(draft.body))


def _repeats(draft: Draft, fact: Fact) -> bool:
    return (repeats(draft, fact) or says_the_same(draft, fact)) and not differs(draft, fact)


def _known(draft: Draft, facts: Iterable[Fact], by: By) -> Fact | None:
    """The fact of another name that says so; of those that came the same way only in the same words, as there two that
    say nearly the same stood side by side."""
    source = by.source()
    for fact in facts:
        word_for_word = repeats(draft, fact) and not differs(draft, fact)
        if word_for_word or (not came_with(fact, source) and says_the_same(draft, fact)):
            return fact
    return None


def _forgotten(draft: Draft, archived: Iterable[Fact]) -> Fact | None:
    """The fact that the person forgot and that says so."""
    gone = (f for f in archived if f.status == "forgotten" and f.scope == draft.scope)
    return next(
        (f for f in gone if says_the_same(draft, f) or (f.name == draft.name and repeats(draft, f))),
        None,
    )
