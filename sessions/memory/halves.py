"""What belongs to another half of a sentence: another verb's object, somebody's apposition, a condition, a limit.

"Keep backups for a year, logs for a week" holds all words of "Keep backups for a week", and "I sit next to Bob, the
CFO" those of "Is the CFO".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from sessions.memory.clauses import APART, LEFT_OUT, SOMEBODY_ELSE, Clause, clauses_of, most_of, speaks_of_another
from sessions.memory.dropping import harmless
from sessions.memory.said import Saying
from sessions.memory.tokens import tokens_of
from sessions.memory.values import is_time
from sessions.memory.wording import alike, content, denies, fold, held, negative, plain

NOT_DENIED = "the claim denies something, and the user's words do not deny it"
LISTED = "the quote is a text to work on, not a statement of the user"
_I = re.I
_COPULA = re.compile(r"^(?:the user )?(?:is|was|ist|est|es|è|age)\b|^\d", _I)
_INTRODUCES = re.compile(
    r"^(?:(?:hi|hello|hey|and|well|so)\b,? ?)*(?:i am|i'm|im|i was|i became|my name(?:'s| is)|this is|call me|ich bin|"
    r"mein name ist|je suis|je m'appelle|soy|me llamo|sono|mi chiamo)\s+(?!(?:\w+ )?(?:to|with|of|near|by|like|from)\b)"
    r"(?:(?!to\b|with\b|of\b|near\b|by\b|between\b|beside\b|behind\b|under\b|next\b)[\w'.-]+\s*){1,7}$",
    _I,
)
"""A clause that says who the person is: what is added to it says more of them."""
_VERBLESS = re.compile(
    r"^(?:(?:an?|the|my|our|his|her|their|der|die|das|ein\w*|le|la|un|une|el)\s+)?[\w'.-]+(?:\s+[\w'.-]+){0,6}$", _I
)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|be|been|have|has|had|do|does|did|will|can|could|would|should|may|must|bin|ist|sind|"
    r"suis|est|"
    r"\w+n't|i|i'm|i've|we|he|she|they|it|ich|je|yo|lives?|likes?|loves?|hates?|works?|wants?|needs?|moved|"
    r"uses?)\b|'(?:s|m|re)\b",
    _I,
)
_WHEN = re.compile(
    r"^(?:and |but |so |please )*(?:when(?:ever)?|if|unless|while|as long as|in case|only (?:when|if)|wenn|falls|"
    r"solange|quand|"
    r"lorsque|tant que|cuando|mientras|quando|если|когда)\b(?! (?:possible|you can|in doubt|at all))",
    _I,
)
_SAYS_WHEN = re.compile(
    r"\b(?:when\w*|if|unless|while|as long as|in case|during|wenn|falls|quand|lorsque|cuando|quando|если|когда)\b", _I
)
_NAME = re.compile(r"(?<=[\w,] )[^\W\d_a-zß-ÿ][\w'-]+|\b\d[\d.,:]*")
_HEADING = re.compile(
    r"(?:^|\n|[.!?] )(?P<line>[^\n.!?]*):[ \t]*\n(?:[ \t]*(?:[-*•–]|\d+[.)])[^\n]*\n)*[ \t]*(?:[-*•–]|\d+[.)])?[^\n]*\Z"
)
_OF_OTHERS = re.compile(
    r"\b\w+'s\b(?<!\bit's)(?<!\bhere's)(?<!\bthat's)(?<!\blet's)(?<!\bwhat's)|\b(?:his|her|their|your)\b|"
    r"\b(?:by|from|of) [^\W\d_a-zß-ÿ]\w+|"
    r"\b(?:cv|resume|résumé|bio|profile|letter|mail|email|text|post|review|story|poem|song|lyrics|script|example|draft|"
    r"sample|transcript|page|article)\b",
    _I,
)
_MINE = re.compile(r"\b(?:my|me|i|i'm|our|us|myself|mein\w*|mich|mir|mon|ma|moi|mi|yo)\b|\babout me\b", _I)


def against(claim: str, kind: str, saying: Saying) -> str:
    """Why a claim does not keep to one half of what was said, empty when it does."""
    near = clauses_of(max(saying.sentence, saying.quote, key=len))
    wanted = content(claim)
    best = most_of(wanted, near)
    if _in_a_list_of_another(wanted, saying):
        return LISTED
    if all(speaks_of_another(c, claim, kind) for c in best):
        return SOMEBODY_ELSE
    if kind in {"user", "preference"} and _COPULA.match(claim) and all(_added_to_another(c, near) for c in best):
        return SOMEBODY_ELSE
    if _mixed(claim, near) or _of_another_day(claim, near):
        return APART
    denied = [
        c for c in near if negative(c.text) and len(held(content(c.text), (*wanted, "stop"))) == len(content(c.text))
    ]
    if denies(claim) and best and not denied and not any(_denying(c, near) for c in best):
        return NOT_DENIED
    if kind in {"feedback", "self"}:
        if word := _limit(claim, near, best):
            return LEFT_OUT.format(word)
    return ""


def _in_a_list_of_another(wanted: Sequence[str], saying: Saying) -> bool:
    """Whether a claim is a line under a heading that names somebody else's text: "Ann's CV:"."""
    lines = plain(saying.typed.text).split("\n")
    bearing = max(range(len(lines)), key=lambda n: (len(held(wanted, content(lines[n]))), n))
    m = _HEADING.search("\n".join([*lines[:bearing], ""]))
    return m is not None and _OF_OTHERS.search(m["line"]) is not None and _MINE.search(m["line"]) is None


def _added_to_another(clause: Clause, near: Sequence[Clause]) -> bool:
    """Whether a clause has no verb and says more of somebody who was named before it."""
    before = [*takewhile(lambda c: c is not clause, near)]
    if not before or clause.who or _VERB.search(clause.text) or not _VERBLESS.match(clause.text):
        return False
    named = [c for c in before if c.who or _MINE.search(c.text) or _NAME.search(c.text)]
    return bool(named) and not any(_INTRODUCES.match(c.text) for c in named)


def _mixed(claim: str, near: Sequence[Clause]) -> bool:
    """Whether a claim has the verb or the object of one clause, and of another what is said there of something else."""
    told = tokens_of(claim)
    wanted = [*dict.fromkeys([w for w in told if content(w)] + [w for w in told[:1] if not harmless(w)])]
    said = [tokens_of(c.text) for c in near]
    for i, later in enumerate(said):
        for n, earlier in enumerate(said[:i]):
            if not near[n].who and all(harmless(w) or _has(w, told) for w in earlier):
                continue  # one of two who do the same: "my sister Ida and my brother live in Bergen"
            here = [w for w in wanted if _has(w, later) and not _has(w, earlier)]
            there = [w for w in wanted if _has(w, earlier) and not _has(w, later)]
            if not here or not there or any(_has(w, s) for w in here for s in said if s is not later):
                continue
            up_to = max(at for at, w in enumerate(later) if any(_same(w, x) for x in here))
            if any(not harmless(w) and not _has(w, told) for w in later[: up_to + 1]):
                return True
    return False


def _of_another_day(claim: str, near: Sequence[Clause]) -> bool:
    """Whether a claim says of one day what is said of another: "Monday I work, Tuesday I'm off"."""
    told = tokens_of(claim)
    wanted = [w for w in told if (content(w) or w == told[0]) and not is_time(w)]
    days = {d: tokens_of(c.text) for c in near for d in tokens_of(c.text)[:3] if is_time(d)}
    if len(days) < 2 or not wanted:
        return False
    mine = [days[d] for d in days if _has(d, told)]
    others = [days[d] for d in days if not _has(d, told)]
    return bool(mine) and any(
        not any(_has(w, said) for said in mine) and any(_has(w, said) for said in others) for w in wanted
    )


def _has(word: str, tokens: Sequence[str]) -> bool:
    return any(_same(word, t) for t in tokens)


def _same(a: str, b: str) -> bool:
    return a == b or alike(a, b) or a.rstrip("s") == b.rstrip("s") or bool(held(content(a), content(b)))


def _denying(clause: Clause, near: Sequence[Clause]) -> bool:
    """Whether a clause denies, or goes on from one that does: "no meat, fish or eggs"."""
    if negative(clause.text):
        return True
    before = [*takewhile(lambda c: c is not clause, near)]
    while before and not clause.who and not negative(before[-1].text) and not before[-1].who:
        before.pop()
    return bool(before) and not clause.who and negative(before[-1].text)


def _limit(claim: str, near: Sequence[Clause], best: Sequence[Clause]) -> str:
    """The limit of the person that a rule leaves out: a name, a number, or when it holds."""
    for clause in near:
        m = _WHEN.match(clause.text)
        if m and clause not in best and not _SAYS_WHEN.search(claim) and not held(content(clause.text), content(claim)):
            return fold(m[0])
    if denies(claim):
        return ""
    known = fold(claim)
    missing = [
        [m[0] for m in _NAME.finditer(c.text) if fold(m[0]).rstrip("s") not in known and not _reads(m[0])] for c in best
    ]
    return missing[0][0] if best and all(missing) else ""


def _reads(word: str) -> bool:
    return word in {"I", "I'm", "I've", "I'd", "I'll"}
