"""The one ranker, of messages, sessions and facts: the words of a document, of its neighbours and of its session.

Documents stand in groups (the talk of a session) and are numbered in order, so that the neighbours of i are i-1 and
i+1. What is rare says more; what is frequent never chooses the groups to look at when there is something rarer.
The score is a sum of the weighted signals of `signals.py`.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from heapq import nlargest
from math import exp, log, log1p
from operator import mul

from sessions.store import signals as s
from sessions.store.corpus import PLACE, Asked, Corpus, Meaning, Place, Posting, Term

_GROUPS = 120
"""Groups that are looked into, at most: the best by their words, and half as many that hold most of the rare ones."""
_BUDGET = 1_500
"""Documents that are gone through to choose them; of a more frequent term that comes first only the newest groups."""
_NARROW = 3_000
"""So few groups that are allowed are looked up one by one, however frequent the term."""
_FREQUENT = 0.05
"""Share of the documents from which a term is frequent, in an index of more than _SMALL documents."""
_SMALL = 5_000
_BEST = 128
"""Documents whose signals are all worked out: the best by a rough score of the heaviest signals."""
SHARP = 1.4
"""How much more the best documents of a session count than the others."""
_ROUGH = {"session": 1.6, "month": 4.0, "speaker": 1.8}
_WHOLE = 5
"""Groups of which every document is a candidate, the best ones; of the others those near a term."""
_ALIKE = 60
"""Documents that are candidates by their meaning alone."""
_GAP = 4
"""How far a window reaches; as many empty places stand between two groups."""


def rank(
    asked: Asked,
    corpus: Corpus,
    *,
    most: int = _BEST,
    only: Collection[int] | None = None,
    off: bool = True,
    meaning: Meaning | None = None,
    by_date: bool = False,
) -> list[Place]:
    """The documents that answer, best first, about `most`, of `only` these groups; `off` keeps those said with memory
    off. `meaning` finds and lifts what is near the question in meaning. With `by_date` what was said last is among
    them, before what answers better."""
    terms, strength = _chosen(asked, corpus, max(most, _GROUPS), only, by_date)
    field_ = _field(asked, corpus, terms, strength, off, only, meaning)
    if field_ is None:
        return []
    places = field_.scored(max(most, _BEST))
    if not asked.question:
        alike = [p for p in places if not p.found and field_.alike(p)]
        places = [p for p in places if p.found == asked.every] or [p for p in places if p.found] + alike
    return sorted(places, key=lambda p: (-p.score, -p.group, p.place))


def signals(
    asked: Asked, corpus: Corpus, *, most: int = _BEST, meaning: Meaning | None = None
) -> list[tuple[tuple[float, ...], int, int]]:
    """Of the best `most` documents the values that are weighted; group and place. For fitting the weights."""
    terms, strength = _chosen(asked, corpus, _GROUPS, None)
    field_ = _field(asked, corpus, terms, strength, True, None, meaning)
    return [(values, g, i - field_.start[g]) for values, g, i in field_.signals(most)] if field_ else []


def _field(
    asked: Asked,
    corpus: Corpus,
    terms: list[Term | None],
    strength: dict[int, float],
    off: bool,
    only: Collection[int] | None,
    meaning: Meaning | None,
) -> Field | None:
    """The documents of the chosen groups and of those that are nearest in meaning; None when there are none."""
    alike: dict[int, float] = {}
    if meaning is not None:
        for group in meaning.closest(only):
            if group in corpus.groups:
                strength.setdefault(group, 0.0)
        alike = meaning.of(strength)
    return Field(asked, corpus, terms, strength, off, alike) if strength else None


def by_session(places: Sequence[Place]) -> list[tuple[int, float]]:
    """The sessions of ranked documents, best first: ln of the sum of exp(score), the best documents counting more."""
    top = max((p.score for p in places), default=0.0)
    sums: dict[int, float] = {}
    for p in places:
        sums[p.group >> 2] = sums.get(p.group >> 2, 0.0) + exp(SHARP * (p.score - top))
    return sorted(((n, top + log(x) / SHARP) for n, x in sums.items()), key=lambda row: (-row[1], -row[0]))


def _chosen(
    asked: Asked, corpus: Corpus, most: int, only: Collection[int] | None, by_date: bool = False
) -> tuple[list[Term | None], dict[int, float]]:
    """The terms, and the strength of each group that is looked into: BM25 of the group as one document."""
    groups, docs = corpus.groups, max(corpus.docs, 1)
    counts = [sum(map(corpus.count, forms)) for forms in asked.terms]
    order = sorted((k for k, n in enumerate(counts) if n), key=counts.__getitem__)
    limit = _FREQUENT * docs if docs > _SMALL else docs
    # Where each group is one document, nothing more is to be learnt from its neighbours.
    budget = _BUDGET if docs > 2 * corpus.talks else _BUDGET // 2
    used = 0
    some = list(only) if only is not None and len(only) < _NARROW else None
    terms: list[Term | None] = [None] * len(counts)
    strength: dict[int, float] = {}
    share: dict[int, float] = {}
    mean = 0.9 / max(corpus.length / max(corpus.talks, 1), 1)
    late = []
    for k in order:
        if used and (used + counts[k] > budget or counts[k] > limit):
            late.append(k)
            continue
        used += counts[k]
        few = budget if counts[k] > budget and some is None else None
        of = only if few is not None else some
        rows = [
            r for r in corpus.postings(asked.terms[k], of, few) if r[0] in groups and (only is None or r[0] in only)
        ]
        if rows:
            term = terms[k] = _term(rows, corpus, counts[k] if few else 0)
            for g, tf, _ in rows:
                worth = term.group_idf * tf * 2.2 / (tf + 0.3 + groups[g].length * mean)
                strength[g] = strength.get(g, 0.0) + worth
                share[g] = share.get(g, 0.0) + term.idf
    if asked.month and docs <= _SMALL:
        for g, group in groups.items():
            if group.first[:7].endswith(asked.month) and (only is None or g in only):
                strength.setdefault(g, 0.0)
    if asked.question and asked.named and docs <= _SMALL and len(strength) < _WHOLE:
        # Its words are hardly used: what the one whom it names says of anything comes after them.
        for g in groups:
            if not g & 3 and (only is None or g in only):
                strength.setdefault(g, 0.0)
    if by_date and len(strength) > _GROUPS:
        enough = max(share.values(), default=0.0) - 1e-9
        latest = sorted(strength, key=lambda g: (share.get(g, 0.0) >= enough, groups[g].last), reverse=True)
        strength = {g: strength[g] for g in latest[:_GROUPS]}
    elif len(strength) > most * 3 // 2:
        best = sorted(strength, key=strength.__getitem__, reverse=True)[:most]
        full = sorted(strength, key=lambda g: (share.get(g, 0.0), strength[g]), reverse=True)[: most // 2]
        strength = {g: strength[g] for g in dict.fromkeys(best + full)}
    for k in late:
        rows = corpus.postings(asked.terms[k], list(strength))
        if rows:
            idf = log(1 + (docs - min(counts[k], docs) + 0.5) / (counts[k] + 0.5))
            terms[k] = Term(rows, idf, idf / 2)
            for g, tf, _ in rows:
                strength[g] += idf / 2 * tf * 2.2 / (tf + 0.3 + groups[g].length * mean)
    return terms, strength


def _term(rows: list[Posting], corpus: Corpus, count: int) -> Term:
    """The term with how rare it is; `count` documents hold it when the rows are not all."""
    talk = [len(r[2]) for r in rows if not r[0] & 3]
    df = min(count or (sum(talk) or sum(len(r[2]) for r in rows)) // 4, corpus.docs)
    spread = min(count or len(talk) or len(rows), corpus.talks)
    return Term(
        rows,
        log(1 + (corpus.docs - df + 0.5) / (df + 0.5)) if df else 1.0,
        log(1 + (corpus.talks - spread + 0.5) / (spread + 0.5)) if spread else 1.0,
    )


class _Shares(dict[int, float]):
    """The part of a question's rarity that terms make up, 0..1, by the terms as bits."""

    def __init__(self, weights: list[float]) -> None:
        super().__init__()
        self._weights = weights
        self._total = sum(weights) or 1.0

    def __missing__(self, bits: int) -> float:
        share = sum(w for k, w in enumerate(self._weights) if bits >> k & 1) / self._total
        self[bits] = share
        return share


class Field:
    """The documents of the chosen groups in one row, with gaps between the groups."""

    def __init__(
        self,
        asked: Asked,
        corpus: Corpus,
        terms: list[Term | None],
        strength: dict[int, float],
        off: bool,
        alike: dict[int, float],
    ) -> None:
        self._asked, self._corpus, self._strength, self._off, self._alike = asked, corpus, strength, off, alike
        self._terms = terms
        self._bar = nlargest(_ALIKE, alike.values())[-1] if alike else 2.0
        """How near in meaning a document must be to be a candidate without any of the words."""
        self.start: dict[int, int] = {}
        self._shape: array[int] = array("Q", bytes(8 * _GAP))
        for group, shapes in corpus.shapes(list(strength)).items():
            self.start[group] = len(self._shape)
            self._shape.extend(shapes)
            self._shape.frombytes(bytes(8 * _GAP))
        size = len(self._shape)
        self._worth = [0.0] * size
        """BM25 of each document."""
        self._found = [0] * size
        """The terms in it, as bits."""
        self._window = [0] * size
        """Those within four documents."""
        self._shares = _Shares([t.idf if t else 0.0 for t in terms])
        self._of_group: dict[int, tuple[int, float, float, float, float]] = {}
        """Position of the first document, strength, on the day, in the month, nearness in meaning."""
        self._weigh()

    def alike(self, place: Place) -> bool:
        """Whether the document is among the nearest in meaning."""
        return self._alike.get(place.group << PLACE | place.place, 0.0) >= self._bar

    def _weigh(self) -> None:
        worth, found, window, shape = self._worth, self._found, self._window, self._shape
        slope = 0.45 / max(self._corpus.length / max(self._corpus.docs, 1), 1)
        docs: array[int] = array("I")
        for k, term in enumerate(self._terms):
            if term is None:
                continue
            bit, idf = 1 << k, term.idf * 1.9
            for group, _, blob in term.rows:
                start = self.start.get(group)
                if start is None:
                    continue
                docs = array("I", blob)
                for packed in docs:
                    i, tf = start + (packed >> 8), packed & 255
                    found[i] |= bit
                    worth[i] += idf * tf / (tf + 0.45 + slope * (shape[i] & s.LENGTH))
        for i, bits in enumerate(found):
            if bits:
                for j in range(i - 4, i + 5):
                    window[j] |= bits

    def scored(self, limit: int) -> list[Place]:
        """The candidates with their scores."""
        weights = (*s.WEIGHTS.values(), *s.MEANING.values())
        start, found = self.start, self._found
        return [
            Place(sum(map(mul, weights, values)) - self._no_news(i), group, i - start[group], found[i])
            for values, group, i in self.signals(limit)
        ]

    def _no_news(self, i: int) -> float:
        """What an answer loses that is no news, and the question to it."""
        shape = self._shape
        empty = shape[i] & s.NO_NEWS or (shape[i] & s.ASKS and shape[i + 1] & s.NO_NEWS)
        return s.LAST if empty else 0.0

    def signals(self, limit: int = _BEST) -> list[tuple[tuple[float, ...], int, int]]:
        """Of each candidate the values of the signals, in the order of their weights; its group, its position."""
        asked, worth, found, window, shape, shares = (
            self._asked, self._worth, self._found, self._window, self._shape, self._shares,
        )  # fmt: skip
        speaks = self._speaks()
        kept, most = self._candidates(speaks, limit)
        asks, quoted = s.ASKS, s.QUOTED
        alike, group_bits = self._alike, PLACE
        rows: list[tuple[tuple[float, ...], int, int]] = []
        for _, near, i, g in kept:
            start, strong, day, month, meant = self._of_group[g]
            packed, bits, before, said = shape[i], found[i], worth[i - 1], speaks[i]
            capitals = (packed >> s.CAPITALS & 3) / 2
            times = (packed >> s.TIMES & 3) / 2
            values = (
                near / most,
                shares[window[i]],
                shares[bits | found[i - 1] | found[i + 1]],
                shares[bits],
                strong,
                log1p(worth[i - 2]),
                1.0 if bits.bit_count() > 2 else 0.0,
                log1p(before) if shape[i - 1] & asks else 0.0,
                said,
                said * (packed >> s.FIRST_PERSON & 3) / 3,
                1.0 if i - start < 2 else 0.0,
                times if asked.when else 0.0,
                capitals if asked.where else 0.0,
                (capitals + (1.0 if packed & quoted else 0.0)) / 2 if asked.name else 0.0,
                times,
                capitals,
                day,
                month,
                alike.get((g << group_bits) + i - start, 0.0) if alike else 0.0,
                meant,
            )
            rows.append((values, g, i))
        return rows

    def _candidates(self, speaks: list[float], limit: int) -> tuple[list[tuple[float, float, int, int]], float]:
        """The best (rough score, near, position, group) by a few of the signals, and the highest `near`."""
        asked, worth, found, window, shape, shares = (
            self._asked, self._worth, self._found, self._window, self._shape, self._shares,
        )  # fmt: skip
        groups = self._corpus.groups
        talk = [x for g, x in self._strength.items() if not g & 3] or list(self._strength.values())
        top = max(talk)
        low = min(talk) if len(talk) >= self._corpus.talks else 0.0
        enough = nlargest(_WHOLE, talk)[-1]
        off, last, no_news = 0 if self._off else s.OFF, s.LAST, s.NO_NEWS
        alike, bar, by_meaning, by_speaker = self._alike, self._bar, s.MEANING["alike"], _ROUGH["speaker"]
        most = 0.0
        rows = []
        for g, start in self.start.items():
            strength = self._strength[g]
            boost = 1 + 2 * (min((strength - low) / (top - low), 1.0) if top > low else 0.0)
            first = groups[g].first
            day = 1.0 if asked.day and first[:10].endswith(asked.day) else 0.0
            month = 1.0 if asked.month and first[:7].endswith(asked.month) else 0.0
            whole = asked.question and not g & 3 and (month or strength >= enough)
            end = start + groups[g].docs
            first_id, near_most = (g << PLACE) - start, 0.0
            if alike:
                near_most = max((alike.get(first_id + i, 0.0) for i in range(start, end)), default=0.0)
            self._of_group[g] = start, log1p(strength), day, month, near_most
            rough = _ROUGH["session"] * log1p(strength) + _ROUGH["month"] * month
            rough += s.MEANING["session_alike"] * near_most
            for i, near in enumerate(window[start:end], start):
                if not near:
                    meant = alike.get(first_id + i, 0.0) if alike else 0.0
                    if (whole or meant >= bar) and not shape[i] & off:
                        rows.append((rough + by_speaker * speaks[i] + by_meaning * meant, 0.0, i, g))
                elif not shape[i] & off:
                    said, bits = speaks[i], found[i]
                    worths = (worth[i] + 0.5 * worth[i - 1] + 0.3 * worth[i + 1]) * (1 + said) * boost
                    if worths > most:  # noqa: PLR1730 - a call costs more than all the rest of the line
                        most = worths
                    score = rough + shares[near] * 1.9 + shares[bits | found[i - 1] | found[i + 1]] * 1.8 + said * 1.8
                    if alike:
                        score += by_meaning * alike.get(first_id + i, 0.0)
                    rows.append((score - last if shape[i] & no_news else score, worths, i, g))
        most = most or 1.0
        if len(rows) > limit:
            # Sorting so few is quicker than a heap.
            rows.sort(key=lambda row: row[0] + 1.1 * row[1] / most, reverse=True)
            del rows[limit:]
        return rows, most

    def _speaks(self) -> list[float]:
        """Of each document how much it is by the one whom the question is about."""
        speakers, weight = self._asked.speakers, self._asked.speaker_weight
        if not speakers:
            return [0.0] * len(self._shape)
        return [weight if packed >> s.SPEAKER in speakers else 0.0 for packed in self._shape]
