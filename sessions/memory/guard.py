"""The door through which everything but the person's own hand writes to the memory.

What breaks a rule is refused with the rule (FactError). What the person's typed words carry is done at once. All else
waits for the person, with the reason. A fact that ranks above the writer is not changed at once either: locked, then
said or typed by the person, then accepted by them, then learned, imported or told by other programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import count
from pathlib import Path
from typing import Literal, TypeAlias

from sessions.errors import FactError
from sessions.memory import authority, said, threads, unkept, worth
from sessions.memory.claims import fitting_name
from sessions.memory.contents import as_data
from sessions.memory.days import resolved, vague_time
from sessions.memory.fact import By, Draft, Fact, Proposal
from sessions.memory.fields import differs, repeats
from sessions.memory.near import nearest, rivals, says_the_same
from sessions.memory.newest import Newest
from sessions.memory.proposals import FORGET, MERGE, NEW, SUPERSEDE, UPDATE, as_fact
from sessions.memory.reconcile import Change
from sessions.memory.rules import (
    BODY_MAX,
    RELATED_MAX,
    USER,
    check_body,
    check_kind,
    check_scope,
    check_size,
    check_summary,
    one_line,
    slug,
)
from sessions.memory.secrets import secret_kind
from sessions.memory.store import FactStore
from sessions.memory.view import find
from sessions.typed import Typed

AtOnce: TypeAlias = Literal["typed", "always", "review", "never"]
UNASKED_MAX = 2
"""New facts of one turn that the person did not ask for."""
QUOTE_MAX = 500
"""Characters that are kept of a quote."""
SAID_MAX = 2_000
"""Characters of a quote that is looked for among the typed words."""
_NAME_MAX = 200
_LEARNERS = frozenset({"distilled", "import", "mcp", "tool"})


@dataclass(frozen=True, slots=True)
class Wish:
    """Who wants to write, and on what ground."""

    by: By
    """Its quote is the person's words that the writer names."""
    typed: Sequence[Typed] = ()
    """What the person typed in this session, oldest first."""
    message: str = ""
    """Id of the message that is answered."""
    cwd: Path | None = None
    distinct: bool = False
    """The writer knows of the fact that is close and means another matter."""
    unasked: int = 0
    """New facts of this turn so far that nobody asked for."""
    at_once: AtOnce = "typed"
    """`typed`: when the typed words carry it; `always`: by the person's setting; `never`: all is reviewed first;
    `review` too, and what the typed words lack is said."""
    why: str = ""
    """Why it is reviewed first, for `never` and `review`."""
    hidden: Callable[[Fact], bool] = lambda fact: False
    """Facts of which the writer is not to learn that they are there: what it says of one waits as all else does."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a wish: a change, or a proposal and why it waits."""

    change: Change | None = None
    proposal: Proposal | None = None
    why: str = ""
    again: bool = False
    """The proposal waited already."""
    unasked: bool = False
    """It counts among the turn's facts that nobody asked for."""


class Guard:
    """Saves and forgets by the rules. Safe in threads and beside other programs."""

    def __init__(self, store: FactStore) -> None:
        self.store = store

    def save(self, draft: Draft, wish: Wish) -> Outcome:
        """Save, or propose. Raises FactError with the rule that forbids both."""
        with self.store.locked():
            today = self._today()
            draft = _clean(draft, wish.by, today)
            facts = self.store.snapshot().facts
            if not any(f.scope == draft.scope and f.name == slug(draft.name) for f in facts):
                typed = (part for t in wish.typed if not t.off for part in t.parts)
                draft = replace(draft, name=fitting_name(draft, typed))
            there = {f.name for f in facts}
            if draft.related and wish.by.origin != "import":  # what comes with it waits, too
                draft = replace(draft, related=tuple(n for n in draft.related if n in there))
            draft, old, replaced = self._aims(draft, facts, wish)
            target = replaced or old
            against = [] if wish.distinct else rivals(draft.summary, draft.kind, draft.scope, facts)
            locked = next((f for f in (old, replaced, *(against if target else ())) if f and f.locked), None)
            if locked and not (old and repeats(draft, old)):
                raise FactError(f"#{locked.number} {locked.name} is locked", "Only the person changes it, by hand")
            found = authority.for_save(draft, wish.by.quote, wish.typed, today, old=target, rivals=against)
            newest = Newest(self.store, draft.summary, found.saying)
            asked = _asked(wish)
            self._check_worth(draft, wish, found, asked)
            same = self._known(draft, facts, old, replaced)
            if same is not None and not wish.hidden(same):
                others = [f for f in (replaced, *against) if f and f is not same]
                return self._confirmed(same, found, wish, others, newest)
            newest.check(draft)
            touched = [f for f in (target, *against) if f]
            why = self._why(found, wish, [f for f in touched if not wish.hidden(f)])
            if not why and any(wish.hidden(f) for f in (same, *touched) if f):
                why = wish.why or "it is reviewed first"
            if not why and wish.at_once == "typed" and any(f is not target and not newest.since(f) for f in against):
                why = authority.OLDER
            if not why and newest.goes_beyond(draft):
                why = authority.OLDER
            if not why and target is not None:
                held_back = newest.mended(target) if target.active else not newest.since(target)
                why = authority.OLDER if held_back else ""
            draft = self._forgotten(draft, wish, newest, why, old)
            close = (
                None
                if wish.distinct or target
                else nearest(draft, [f for f in _active(facts, draft.scope) if not wish.hidden(f)])
            )
            if close is not None and wish.by.origin == "model":
                raise FactError(
                    f"it is close to #{close.number} {close.name}: {as_data(close.summary)}",
                    f"Save it again with replaces={close.number} if it changes that fact, or with distinct=true if it "
                    "is another matter",
                )
            fresh = target is None and not asked
            if fresh and wish.by.origin == "model" and wish.unasked >= UNASKED_MAX:
                raise FactError(
                    f"{UNASKED_MAX} facts were saved in this turn already", "More only when the user asks for it"
                )
            if why:
                if close is not None:
                    why = f"{why}; it is close to #{close.number}"
                proposes = NEW if target is None else SUPERSEDE if replaced and replaced is not old else UPDATE
                outcome = self._propose(as_fact(draft, wish.by, old), proposes, [target] if target else [], wish, why)
                return replace(outcome, unasked=fresh and not outcome.again)
            gone = [f for f in against if target is None or f.path != target.path]
            change = self.store.save(draft, by=_from(wish.by, found), instead_of=gone)
            return Outcome(change, unasked=fresh and change.op != "confirmed")

    def forget(self, ref: str | int, wish: Wish, *, among: Sequence[Fact] | None = None) -> Outcome:
        """Forget a fact, or propose to. Raises FactError for none and for a locked one."""
        with self.store.locked():
            facts = self.store.snapshot().facts
            fact = find(facts if among is None else among, ref)
            if fact is None:
                raise FactError(f"There is no fact {one_line(str(ref))[:64]!r}")
            if fact.locked:
                raise FactError(f"#{fact.number} {fact.name} is locked", "Only the person changes it, by hand")
            threads = sum(f.kind == "open-thread" and f.active for f in facts)
            found = authority.for_forget(fact, wish.by.quote, wish.typed, wish.by.session, open_threads=threads)
            why = self._why(found, wish, [fact])
            if not why and Newest(self.store, fact.summary, found.saying).mended(fact):
                why = authority.OLDER
            if why:
                source = wish.by.source()
                return self._propose(replace(fact, source=source, extra={}), FORGET, [fact], wish, why)
            return Outcome(self.store.forget(fact.number or fact.name, by=_from(wish.by, found)))

    def rewrite(self, draft: Draft, refs: Sequence[str | int], wish: Wish) -> Outcome:
        """Propose another text for a fact, or one fact in place of several, of which the first is kept.

        It may say less than they do. Raises FactError for none, for facts of several scopes, and for a locked one.
        """
        with self.store.locked():
            draft = _clean(draft, wish.by, self._today())
            facts = self.store.snapshot().facts
            found = {f.number: f for f in (find(facts, ref) for ref in refs) if f is not None and f.number}
            targets = list(found.values())
            if not targets or len({f.scope for f in targets}) > 1:
                raise FactError("it names no facts that could be one")
            if locked := next((f for f in targets if f.locked), None):
                raise FactError(f"#{locked.number} {locked.name} is locked", "Only the person changes it, by hand")
            fact = as_fact(replace(draft, scope=targets[0].scope), wish.by, targets[0])
            first = targets[0]
            same = (draft.summary, draft.body) == (first.summary, first.body) and not differs(draft, first)
            if same and len(targets) == 1:
                raise FactError("it changes nothing")
            proposes = MERGE if len(targets) > 1 else UPDATE
            return self._propose(fact, proposes, targets, wish, wish.why or "it is reviewed first")

    def _today(self) -> date:
        return self.store.clock.now().astimezone().date()

    def _aims(self, draft: Draft, facts: Sequence[Fact], wish: Wish) -> tuple[Draft, Fact | None, Fact | None]:
        """The draft, the fact of its name, and the one that it is to replace. Raises FactError for an unknown one.

        With both, the fact of that name is the same fact said before, or the draft gets another name; so it does where
        one is an open matter and the other none, unless the person says that it is settled.
        """
        name = slug(draft.name)
        old = next((f for f in facts if f.scope == draft.scope and f.name == name and name), None)
        if draft.replaces in {None, ""}:
            if old is None or not threads.crosses(draft, old) or _settled(draft, old, wish):
                return draft, old, None
            return replace(draft, name=_free_name(name, draft.scope, facts)), None, None
        replaced = find(facts, draft.replaces or "")
        if replaced is None:
            raise FactError(f"replaces {str(draft.replaces)[:64]!r} names no fact")
        if old is None or old.path == replaced.path or repeats(draft, old) or says_the_same(draft, old):
            return draft, old, replaced
        return replace(draft, name=_free_name(name, draft.scope, facts)), None, replaced

    def _check_worth(self, draft: Draft, wish: Wish, found: authority.Ground, asked: bool) -> None:
        if authority.said_while_off(wish.by.quote, wish.typed):
            raise FactError("it was said while memory was off, and nothing is kept of that")
        if why := worth.against(draft, wish.by.quote if found.saying else "", asked=asked, cwd=wish.cwd):
            raise FactError(why)
        if found.saying is not None and unkept.not_to_keep(found.saying, wish.typed):
            raise FactError(unkept.NOT_TO_KEEP)
        if found.saying is not None:
            kind = said.kind_of(found.saying)
            if kind == "asks":
                raise FactError("the quote is a question, not a statement")
            if kind == "supposes" and draft.kind != "feedback":
                raise FactError("the user only supposed it")

    def _known(self, draft: Draft, facts: Sequence[Fact], old: Fact | None, replaced: Fact | None) -> Fact | None:
        """The fact that says all that the draft says, in these or nearly these words."""
        if replaced is not None and (old is None or old.path == replaced.path):
            return replaced if repeats(draft, replaced) and not differs(draft, replaced) else None
        if old is not None:
            return old if (repeats(draft, old) or says_the_same(draft, old)) and not differs(draft, old) else None
        return next((f for f in facts if f.scope == draft.scope and says_the_same(draft, f)), None)

    def _confirmed(
        self, fact: Fact, found: authority.Ground, wish: Wish, others: Sequence[Fact], newest: Newest
    ) -> Outcome:
        """The same once more. When the person said so it is noted, holds again, and what cannot hold beside it goes.

        Raises FactError for a fact that is off and stays so.
        """
        learned = wish.by.origin in _LEARNERS
        if not fact.active:
            if fact.locked:
                raise FactError(f"#{fact.number} {fact.name} is off and locked", "Only the person changes it, by hand")
            if learned or not found.holds or not newest.since(fact):
                raise FactError(
                    f"#{fact.number} {fact.name} was switched off by the person",
                    "Only what they say from then on switches it on",
                )
        elif not found.holds or fact.locked:
            return Outcome(Change("confirmed", fact, fact))
        gone = [] if learned else [f for f in others if not f.locked and newest.since(f)]
        again = Draft(fact.name, fact.summary, fact.kind, scope=fact.scope)
        return Outcome(self.store.save(again, by=_from(wish.by, found), instead_of=gone))

    def _why(self, found: authority.Ground, wish: Wish, changed: Sequence[Fact]) -> str:
        """Why it waits, empty when it may act at once; `changed` are the facts that will be others by it."""
        if wish.at_once == "never":
            return wish.why or "it is reviewed first"
        if wish.at_once == "review":
            return found.why or wish.why or "it is reviewed first"
        if wish.at_once == "typed" and found.why:
            return found.why
        above = next((f for f in changed if rank(f) > rank_of(wish.by)), None)
        if wish.by.origin in _LEARNERS and above is not None:
            return f"#{above.number} is what the user said or accepted, and that wins"
        return ""

    def _forgotten(self, draft: Draft, wish: Wish, newest: Newest, why: str, old: Fact | None) -> Draft:
        """What the person forgot stays forgotten until they say it again; then it comes back with its history."""
        if old is not None:
            return draft
        for fact in reversed(self.store.archived()):
            if fact.status != "forgotten" or fact.scope != draft.scope:
                continue
            if not (says_the_same(draft, fact) or (fact.name == slug(draft.name) and repeats(draft, fact))):
                continue
            if why or wish.by.origin in _LEARNERS or not newest.since(fact):
                raise FactError(
                    f"#{fact.number} {fact.name} was forgotten by the person",
                    "Only what they say from then on brings it back",
                )
            return replace(draft, name=fact.name)
        return draft

    def _propose(self, fact: Fact, proposes: str, targets: list[Fact], wish: Wish, why: str) -> Outcome:
        review = self.store.review.proposals
        if waiting := review.waiting(fact, proposes, targets):
            return Outcome(proposal=waiting, why=waiting.why or why, again=True)
        if review.rejected(fact, proposes, targets):
            raise FactError("the user rejected this before", "Do not propose it again")
        scopes = self.store.scopes
        if fact.scope != USER and wish.cwd and scopes.of(wish.cwd) == fact.scope:
            scopes.prepare(fact.scope, wish.cwd)  # whoever decides, in any program, is told which project it is
        source = replace(wish.by.source(), quote=one_line(wish.by.quote)[:QUOTE_MAX])
        made = review.add(replace(fact, source=source), proposes, targets, wish.by, why)
        self.store.derive()
        return Outcome(proposal=made, why=why)


def rank(fact: Fact) -> int:
    """How strongly a fact stands: 4 locked, 3 said or typed by the person, 2 accepted, 1 learned elsewhere."""
    if fact.locked:
        return 4
    if fact.source.accepted:
        return 2
    return 1 if fact.source.origin in _LEARNERS else 3


def rank_of(by: By) -> int:
    """The same of a writer."""
    return 1 if by.origin in _LEARNERS else 3


def _clean(draft: Draft, by: By, today: date) -> Draft:
    """The draft with its rules of form met: one line, dates for "tomorrow", no secret. Raises FactError."""
    once = draft.kind == "open-thread"
    kind, scope = check_kind(draft.kind), check_scope(draft.scope)
    if draft.due and not once:
        raise FactError("due belongs to the kind open-thread only")
    check_size("name", draft.name, _NAME_MAX)
    check_size("quote", by.quote, SAID_MAX)
    check_size("body", draft.body, BODY_MAX)
    if len(draft.related or ()) > RELATED_MAX:
        raise FactError(f"related names {len(draft.related or ())} facts, at most {RELATED_MAX} fit")
    summary = check_summary(draft.summary) if len(draft.summary) > BODY_MAX else one_line(draft.summary)
    texts = (summary, draft.body, draft.name.replace("-", " "), by.quote, *(draft.related or ()))
    if kind_of_secret := next((k for k in map(secret_kind, texts) if k), ""):
        raise FactError(f"it holds a secret ({kind_of_secret}), and secrets are never remembered")
    summary = check_summary(resolved(summary, today, once=once))
    body = resolved(check_body(draft.body), today, once=once)
    if vague := vague_time(summary):
        raise FactError(f"nobody can tell later when {vague!r} was", "Write a date, or leave it out")
    return replace(draft, kind=kind, scope=scope, summary=summary, body=body)


def _asked(wish: Wish) -> bool:
    """Whether the person asked in this turn to have something remembered."""
    now = [t for t in wish.typed if t.message == wish.message]
    return any(said.ORDER.search(t.text) for t in now)


def _settled(draft: Draft, old: Fact, wish: Wish) -> bool:
    """Whether the person says of an open matter that it is settled, of which the draft tells what came of it."""
    if draft.kind == threads.THREAD:
        return False
    return authority.for_forget(old, wish.by.quote, wish.typed, wish.by.session).holds


def _free_name(name: str, scope: str, facts: Sequence[Fact]) -> str:
    taken = {f.name for f in facts if f.scope == scope}
    return next(other for n in count(2) if (other := f"{name[:58]}-{n}") not in taken)


def _active(facts: Sequence[Fact], scope: str) -> list[Fact]:
    return [f for f in facts if f.active and f.scope == scope]


def _from(by: By, found: authority.Ground) -> By:
    """The writer, pointing to the message in which the quote was typed."""
    message = found.saying.typed.message if found.saying else by.message
    return replace(by, message=message, quote=one_line(by.quote)[:QUOTE_MAX])
