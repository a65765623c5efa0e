"""A question to what the ranker wants: its terms, whom it names, what kind of answer and which date."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

from sessions.store.corpus import Asked
from sessions.store.cues import LANGUAGES, STOP
from sessions.store.signals import ASSISTANT, USER
from sessions.store.spellings import compound_ends, put_back, written_out
from sessions.store.words import fold, is_cjk, joined_parts, pairs, runs, terms_of

_ROLE_WEIGHT = 0.5
_CJK_WHOLE = 4
"""Characters of a CJK run that must stand together; a longer one is a sentence, of which any part will do."""
_FORMS = 20
"""Other forms of one word that are looked for, the most frequent first."""
_STOP_STEMS = {terms_of(word)[0] for word in STOP}
_QUOTED = re.compile(r'"([^"]*)"?')
_BEFORE = r"(?:\b(?:in|of|on|last|this|next|since|until|by|from|to|early|late|mid) |\d(?:st|nd|rd|th)? )"
"""What stands before a month whose name is a word as well."""
_ENDINGS = ("ing", "ings", "ed", "er", "ers", "es", "ly", "ment", "tion")


class Vocabulary(Protocol):
    """The terms that the documents hold."""

    @property
    def speakers(self) -> Mapping[str, int]: ...

    def count(self, term: str) -> int: ...
    def starting(self, prefix: str, most: int) -> list[str]: ...
    def containing(self, part: str, ends: Sequence[str], most: int) -> list[str]: ...
    def alike(self, word: str, most: int) -> list[str]: ...


def ask(query: str, known: Vocabulary) -> Asked:
    """Take a question, or words to look for, apart. It never raises, whatever stands in it."""
    low = fold(query)
    words = runs(query)
    asked = Asked()
    asked.question = query.rstrip().endswith(("?", "？")) or any(c.question.match(low) for c in LANGUAGES)
    if not asked.question:
        asked.phrases = [w for w in words if is_cjk(w) and 1 < len(w) <= _CJK_WHOLE]
        asked.phrases += [" ".join(part) for quoted in _QUOTED.findall(query) if (part := runs(quoted))]
    named = {number: name for name, number in known.speakers.items() if (name.split() or [""])[0] in words}
    names = {part for name in named.values() for part in name.split()}
    some = [w for w in words if w not in STOP and terms_of(w)[0] not in _STOP_STEMS]
    kept = [w for w in some if w not in names] or some or words
    spelt = written_out(query)
    others = {w: tuple(dict.fromkeys(o for o in (spelt.get(w, w), put_back(w)) if o != w)) for w in kept}
    asked.needles = tuple(dict.fromkeys(n for w in kept for n in (w, terms_of(w)[0], *others[w]) if n))
    asked.about = " ".join(w for w in query.split() if not names.intersection(runs(w)[:1])) if names else query
    last = words[-1] if words and not asked.question and query[-1:].isalnum() else ""
    for w in dict.fromkeys(kept):
        found = _forms(w, others[w], known, begun=w == last)
        asked.terms += found
        own = [terms_of(o)[0] for o in (w, *others[w])]
        ends = compound_ends(w)
        asked.guessed |= not any(f in t or t in f or f.endswith(ends) for t in own for forms in found for f in forms)
    asked.terms += [(part,) for part in dict.fromkeys(joined_parts(query)) if asked.question and known.count(part)]
    if len(named) == 1:
        asked.speakers, asked.named = frozenset(named), True
    elif not named:
        _roles(asked, low)
    for cues in LANGUAGES:
        asked.when |= bool(cues.when.match(low))
        asked.where |= bool(cues.where.match(low))
        asked.name |= bool(cues.name.match(low))
        _date(asked, low, cues.months, cues.also_words)
    return asked


def _forms(word: str, others: Sequence[str], known: Vocabulary, *, begun: bool) -> list[tuple[str, ...]]:
    """The terms of a word, each with the other forms that will do as well; `others` are other spellings of it."""
    if is_cjk(word):
        if len(word) == 1:
            return [(word, *known.starting(word, _FORMS))]
        return [(pair,) for pair in pairs(word)[:-1]]
    spellings = (word, *others)
    terms = [terms_of(w)[0] for w in spellings]
    spelt = tuple(t for t in terms if known.count(t))
    there = sum(map(known.count, spelt))
    if begun and len(word) > 1:
        forms = [f for w in spellings for f in known.starting(w, _FORMS) if f not in spelt]
        if not forms and not there:
            forms = _cut(word, known)
        if there + len(forms) < 3 and len(word) > 3:
            forms += _compounds(spellings, known, begun=True)
        if forms or there:
            return [tuple(dict.fromkeys((terms[0], *spelt, *forms)))]
    if not there and len(word) > 2:
        forms = [f for t in terms for f in known.starting(t, _FORMS)]
        if not forms and len(terms[0]) > 3:
            forms = _compounds(spellings, known)
        return [tuple(forms or known.alike(terms[0], _FORMS) or terms[:1])]
    return [spelt or (terms[0],)]


def _compounds(spellings: Sequence[str], known: Vocabulary, *, begun: bool = False) -> list[str]:
    """The compounds of a word; one that is still being typed may lack its last letter: "wasse"."""
    found: list[str] = []
    for word in spellings:
        ends = compound_ends(f"{word}r" if begun and word.endswith("e") else word)
        found += known.containing(terms_of(word)[0], ends, _FORMS)
    return found


def _cut(word: str, known: Vocabulary) -> list[str]:
    """The stem of a word that is still being typed: "meetin" is on its way to "meeting"."""
    found = []
    for n in range(1, 4):
        stem, rest = word[:-n], word[-n:]
        if len(stem) > 2 and any(e.startswith(rest) for e in _ENDINGS) and known.count(stem):
            found.append(stem)
    return found


def _roles(asked: Asked, low: str) -> None:
    for cues in LANGUAGES:
        if cues.of_assistant.match(low):
            asked.speakers, asked.speaker_weight = frozenset({ASSISTANT}), _ROLE_WEIGHT
        elif cues.of_user.match(low):
            asked.speakers, asked.speaker_weight = frozenset({USER}), _ROLE_WEIGHT


def _date(asked: Asked, low: str, months: tuple[str, ...], also_words: frozenset[str]) -> None:
    """The last month that is named, with year and day where they stand there, as the end of an ISO date."""
    for n, name in enumerate(months, 1):
        if name not in low or not re.search(rf"{_BEFORE if name in also_words else ''}\b{name}\b", low):
            continue
        year = re.search(r"\b(20\d\d)\b", low)
        day = re.search(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {name}\b|\b{name} (\d{{1,2}})(?:st|nd|rd|th)?\b", low)
        asked.month = f"{year[1] if year else ''}-{n:02d}"
        asked.day = f"{asked.month}-{int(day[1] or day[2]):02d}" if day else ""
