"""Whether the words that a person typed carry what a model wants to remember, change or forget.

A fact has authority of its own: it does not matter what else was said in the turn, or what a tool said. The quote must
have been typed, and the claim may say no more than the typed words and the fact that it updates. What has no such
ground is not wrong; it waits for the person's yes, with the reason given here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise

from sessions.clock import parse_iso
from sessions.memory import (
    apposed,
    belonging,
    clauses,
    endings,
    halves,
    handed,
    lapsed,
    limits,
    mentions,
    newest,
    occasion,
    orders,
    said,
    subjects,
    threads,
    unkept,
    unsure,
    withdrawn,
)
from sessions.memory.claims import (
    added_addresses,
    added_names,
    added_numbers,
    added_scope,
    added_words,
    supported,
    written_out,
)
from sessions.memory.days import days_named, days_said, without_days
from sessions.memory.dropping import leaves_out
from sessions.memory.fact import Draft, Fact
from sessions.memory.following import followed
from sessions.memory.instead import takes_its_place, without
from sessions.memory.plainer import plainer
from sessions.memory.said import Saying
from sessions.memory.wording import content, denies, fold, held, negative, opposes, pieces
from sessions.typed import Typed

NO_QUOTE = "no quote of the user's own words came with it"
SHORT_QUOTE = "the quote has fewer than three words"
NOT_TYPED = "the quote was not typed by the user: what is pasted or comes from an editor does not count"
BESIDE = "the user's words do not speak of #{}, which it would change"
OLDER = "the fact was changed after these words"
UNSTATED = "the details say what the user only asked or supposed"
_LIMITED = re.compile(r"\b(?:only|instead)\b", re.I)
"""Who says so denies nothing."""
_BROKEN = re.compile(r"(?<![.!?:;\n])\n(?!\n|\s*(?:[-*•]|\d+[.)]))")
"""A line that goes on in the next one."""
_BIDS = re.compile(
    r"(?:review|check|verify|read|fix|collect|rate|sort|list|index|count|file|merge|export|import|label|tag|mark) "
    r"(?:claims|texts|quotes|posts)\b",
    re.I,
)
"""Who is told to review claims says nothing of them."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What was found for a claim: the place of its quote, or why it cannot act at once."""

    saying: Saying | None
    why: str = ""

    @property
    def holds(self) -> bool:
        return not self.why


def ground(quote: str, typed: Sequence[Typed], *, orders: bool = False) -> Ground:
    """The quote among the typed words. `orders`: a whole typed message may be shorter than three words."""
    if not quote.strip():
        return Ground(None, NO_QUOTE)
    saying = said.find_quote(quote, [t for t in typed if not t.off])
    if not said.enough_words(quote) and not (orders and saying and saying.whole):
        return Ground(saying, SHORT_QUOTE)
    return Ground(saying) if saying else Ground(None, NOT_TYPED)


def said_while_off(quote: str, typed: Sequence[Typed]) -> bool:
    """Whether the quote was typed only while memory was off."""
    off = [t for t in typed if t.off]
    return bool(off) and said.find_quote(quote, off) is not None and ground(quote, typed).saying is None


_POINTS_BACK = re.compile(
    r"\b(?:she|he|they|her|hers|him|his|them|their|it|its|that|there|both|same|yes|yep|sure|ok|okay|exactly|right|"
    r"er|sie|ihr|ihm|ihn|elle|il|lui|ella|él|lei)\b|[彼她他]",
    re.I,
)


def for_save(
    draft: Draft,
    quote: str,
    typed: Sequence[Typed],
    today: date,
    *,
    old: Fact | None,
    rivals: Sequence[Fact] = (),
) -> Ground:
    """Whether a draft may be saved at once; `old` is the fact that it updates or takes the place of, `rivals` are
    those that cannot hold beside it."""
    found = ground(quote, typed)
    saying = found.saying
    if saying is None or found.why:
        return found
    saying = replace(saying, quote=written_out(saying.quote), sentence=written_out(saying.sentence))
    saying = plainer(saying, draft)
    draft = replace(draft, summary=written_out(draft.summary), body=written_out(draft.body))
    if len(held(content(draft.summary), content(saying.quote))) < len(content(draft.summary)):
        saying = replace(saying, quote=saying.sentence)  # the rest of it may be said of something else
    corrected = old is not None and clauses.corrects(draft.summary, old.summary, saying.sentence)
    before_it = next((b.text for b, a in pairwise(typed) if a.message == saying.typed.message), "")
    if said.announced(before_it) or handed.hands_over_next(before_it):
        return replace(found, why=handed.MATERIAL)
    if said.gives_parts(before_it):
        return replace(found, why="the user may have been playing a part")
    why = withdrawn.later(saying, draft.summary, typed) or lapsed.later(draft, saying, typed)
    why = why or ("" if corrected else threads.against(draft, saying, today))
    line = replace(draft, body="")
    told = "" if corrected else _unlike(*threads.read(line, saying), f"{draft.summary} {draft.body}")
    why = why or told or _more(draft, saying, typed, today, old)
    standing = [f for f in (old, *rivals) if f]
    if not why:
        why = _halved(line, saying, standing, old, corrected=corrected)
    if not why:
        why = next((w for text in details(draft, old) if (w := _detail(text, draft, saying, old, standing))), "")
    if not why and old is not None:
        why = OLDER if newest.moved_on(old, draft.summary, saying, typed) else ""
        why = why or threads.against_crossing(draft, old, saying)
        if (
            not why
            and not corrected
            and not threads.crosses(draft, old)
            and not takes_its_place(draft, old, saying.sentence)
        ):
            why = BESIDE.format(old.number)
    return replace(found, why=why)


def for_forget(fact: Fact, quote: str, typed: Sequence[Typed], session: str, *, open_threads: int = 0) -> Ground:
    """Whether a fact may be forgotten at once: the person said to, or that it is over, and meant this one."""
    found = ground(quote, typed, orders=True)
    saying = found.saying
    if saying is None or found.why:
        return found
    text = saying.sentence
    if (somebody := said.somebody_said(saying)) and not endings.answered(fact, text):
        return replace(found, why=f"it is what {somebody} said")
    if said.in_quotation_marks(saying) or said.is_material(saying):
        return replace(found, why=handed.MATERIAL)
    if why := endings.says_so(fact, saying) or occasion.for_forget(fact, saying):
        return replace(found, why=why)
    named = content(f"{fact.name.replace('-', ' ')} {fact.summary} {fact.body}")
    number = rf"(?:#|\b(?:fact|number|no\.?|forget|delete|remove) )0*{fact.number}(?!\d)"
    meant = held(content(text), named) or endings.asks_for(fact, text) or re.search(number, text, re.I)
    only_one = fact.kind == "open-thread" and open_threads == 1
    if not meant and not only_one and not (fact.source.session == session != "" and not content(text)):
        return replace(found, why=endings.OTHER)
    return replace(found, why=OLDER if newest.moved_on(fact, fact.summary, saying, typed) else "")


def details(draft: Draft, old: Fact | None) -> list[str]:
    """What a draft says beside its one line, sentence by sentence, without what the fact that it updates says too."""
    known = [draft.summary]
    if old is not None:
        known += [old.summary, *pieces(old.body), *pieces(followed(old.body, old.summary, draft.summary))]
    said_before = {fold(text).rstrip(".") for text in known}
    return [text for text in pieces(_BROKEN.sub(" ", draft.body)) if fold(text).rstrip(".") not in said_before]


def _detail(text: str, draft: Draft, saying: Saying, old: Fact | None, standing: Sequence[Fact]) -> str:
    """Why a sentence of the details does not stand on what was typed with the quote, as the one line must."""
    wanted, line = content(text), draft.summary
    saying = said.bearing(wanted, saying)
    if said.kind_of(saying) != "states":
        return UNSTATED
    kinds = [draft.kind]
    if draft.kind in {"feedback", "self"}:
        kinds.append("user")  # why the person wants it so
    if all(clauses.points_back(c) for c in clauses.most_of(wanted, clauses.clauses_of(saying.sentence))) and (
        clauses.points_back(clauses.Clause(text, subjects.subject(text))) or subjects.subject(draft.summary)
    ):
        kinds.append("contact")  # more of whom or what the one line names
    reasons = []
    for kind in kinds:
        part = replace(draft, summary=text.strip(), body="", due=None, kind=kind)
        why = _unlike(*threads.read(part, saying), f"{line} {text}") or _halved(
            part, saying, standing, old, corrected=False
        )
        if not why:
            return ""
        reasons.append(why)
    return reasons[0]


def _halved(draft: Draft, saying: Saying, standing: Sequence[Fact], old: Fact | None, *, corrected: bool) -> str:
    """What a draft leaves out of the words that it rests on, or mixes up of them."""
    read, heard = threads.read(draft, saying)
    claim = draft.summary
    if not corrected:
        before = f"{old.summary} {old.body}" if old is not None else ""
        kept = without(heard.quote, old) if old is not None else heard.quote
        if why := leaves_out((read.summary,), read.kind, heard.sentence, kept, before):
            return why
    why = occasion.against(claim, draft.kind, saying, standing) or orders.against(claim, draft.kind, saying)
    return why or ("" if corrected else halves.against(read.summary, read.kind, heard))


def _unlike(draft: Draft, saying: Saying, text: str) -> str:
    """Why the quote is no statement that carries the one line of a draft; `text`: with what is said beside it."""
    if unkept.in_confidence(saying):
        return unkept.IN_CONFIDENCE
    somebody = said.somebody_said(saying)
    told = _BIDS.match(saying.sentence) or orders.is_manner(saying.sentence)
    if somebody and not (told and fold(saying.sentence).startswith(fold(somebody))):
        return f"it is what {somebody} said, not the user"
    if said.in_quotation_marks(saying) or said.is_material(saying) or said.under_a_label(saying, text):
        return handed.MATERIAL
    if handed.is_handed(saying, draft.summary):
        return handed.MATERIAL
    if said.joking(saying):
        return "the user may have been joking"
    if withdrawn.taken_back(saying, draft.summary):
        return withdrawn.TAKEN_BACK
    if said.played(saying, text):
        return "the user may have been playing a part"
    if (
        (unsure.hedged(saying.quote) or unsure.hedged_after(saying))
        and not unsure.hedged(draft.summary)
        and not re.search(r"\b(?:consider|think|plan|hope|want|would like|wonder)", draft.summary, re.I)
    ):
        return "the user was not sure"
    if mentions.is_mentioned(saying.sentence):
        return "the quote is a text to work on, not a statement of the user"
    for piece in pieces(draft.summary):
        of_another = apposed.of_another(piece, saying.sentence) or belonging.of_other_kin(piece, saying.sentence)
        if draft.kind != "self" and of_another:
            return clauses.SOMEBODY_ELSE
        if word := limits.left_out(piece, saying.sentence):
            return clauses.LEFT_OUT.format(word)
    if why := clauses.against((draft.summary,), draft.kind, saying.sentence, saying.quote):
        return why
    claim = draft.summary
    if opposes(claim) and not negative(_LIMITED.sub(" ", saying.sentence) if denies(claim) else saying.sentence):
        return "the claim denies something, and the user's words do not"
    return ""


def _more(draft: Draft, saying: Saying, typed: Sequence[Typed], today: date, old: Fact | None) -> str:
    """What the draft says beyond the typed words and the fact that it updates."""
    when = parse_iso(saying.typed.at)
    days = days_said(saying.typed.text, when.date() if when else today) | days_said(saying.typed.text, today)
    beside = [old.summary, old.body, old.name.replace("-", " ")] if old is not None else []
    known = [*(form for t in typed if not t.off for part in t.parts for form in {part, written_out(part)})]
    known.append(saying.sentence)
    if old is not None:
        known += beside
        days |= days_said(f"{old.summary} {old.body}", today) | ({old.due} if old.due else set())
    if draft.due and draft.due not in _due_days(saying, today) | ({old.due} if old and old.due else set()):
        return f"the date {draft.due.isoformat()} is not what the user's words come to"
    texts = [without_days(text, days) for text in (draft.summary, draft.body)]
    if address := added_addresses(texts, known):
        return f"it adds {address}, which the user did not type"
    if number := added_numbers(texts, known, days):
        return f"it adds the number {number}, which the user did not type"
    # A name of an earlier message is meant where these words point back to somebody.
    here = {*saying.typed.parts, *map(written_out, saying.typed.parts), saying.quote}
    near = known if _POINTS_BACK.search(saying.sentence) else [k for k in known if k in here or k in beside]
    if name := added_names(texts, near):
        return f"it adds the name {name}, which the user did not type"
    stated = [*said.statements(saying.typed.text), saying.quote]
    if not supported(texts, stated, beside, known):
        return "it says more than the user's words"
    if word := added_words(texts, known):
        return f"it says more than the user's words: {word}"
    if word := added_scope(texts, [saying.sentence, *beside], way=draft.kind in {"feedback", "self"}):
        return f"it says more than the user's words: {word}"
    return ""


def _due_days(saying: Saying, today: date) -> set[date]:
    """The days that may be meant: those that were named, and of "next Friday" and the like those of other readings.

    Another reading of "next" is a week off, and a zone's midnight makes the day before or after of it.
    """
    when = parse_iso(saying.typed.at)
    named, rest = days_named(saying.typed.text, today)
    seen = {d for start in {when.date() if when else today, today} for d in days_said(rest, start)}
    return named | {d + timedelta(days=n) for d in seen for n in (-7, -1, 0, 1, 7)}
