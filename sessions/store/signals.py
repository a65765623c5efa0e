"""What the ranker looks at: the shape of each document, packed in one number, and the weight of each signal."""

from __future__ import annotations

import re

from sessions.no_news import no_news
from sessions.store.cues import LANGUAGES

# The shape of a document, from the lowest bit: 12 bits its length in terms, then what it says, then who said it.
LENGTH = 0xFFF
ASKS = 1 << 12
FIRST_PERSON = 13
TIMES = 15
CAPITALS = 17
QUOTED = 1 << 19
OFF = 1 << 20
"""Said with memory off."""
THERE = 1 << 21
NO_NEWS = 1 << 22
"""An answer that says only that nothing was found, or quotes what was found elsewhere."""
SPEAKER = 23
USER, ASSISTANT, TOOL, ABOUT = range(1, 5)
"""The speakers without a name; ABOUT is the title or the recap."""
NAMED = 16
"""The first speaker with a name."""

_CAPITAL = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-ÖØ-Þ][^\W\d_]+")
_LOOKS = re.compile(
    r"\s*(?:(?:please|can you|could you)\s+)*(?:what|who|where|when|which|how|why|tell me|show me|search|find|look up|"
    r"do you (?:know|remember)|did (?:i|we|you))\b",
    re.I,
)
"""A person asks also without the sign."""
_QUOTE = re.compile(r'["“„«][A-ZÀ-ÖØ-Þ][^"”“»]+["”“»]')


def shape(text: str, length: int, speaker: int, *, off: bool = False) -> int:
    """The packed shape of a document of `length` terms."""
    low = text.lower()
    first = sum(len(c.first_person.findall(low)) for c in LANGUAGES)
    times = sum(len(c.times.findall(low)) for c in LANGUAGES)
    packed = THERE | min(length, LENGTH) | speaker << SPEAKER
    packed |= min(first, 3) << FIRST_PERSON | min(times, 2) << TIMES
    packed |= min(len(_CAPITAL.findall(text)), 2) << CAPITALS
    if "?" in text or "？" in text or (speaker == USER and _LOOKS.match(text)):
        packed |= ASKS
    if _QUOTE.search(text):
        packed |= QUOTED
    if off:
        packed |= OFF
    if speaker == ASSISTANT and no_news(text):
        packed |= NO_NEWS
    return packed


WEIGHTS = {
    # BM25 of the document, half of the one before and a third of the next, over its maximum; more when it is said by
    # the speaker asked for, and in the best session
    "near": 1.1,
    # rarity share of the question's terms found within four documents
    "window": 2.15,
    # the same in the document, the one before and the next
    "pair": 1.2,
    # the same in the document alone
    "own": 1.4,
    # ln(1 + BM25 of the session)
    "session": 1.5,
    # ln(1 + BM25 of the second one before)
    "second_before": 0.45,
    # three or more terms in the document
    "three_terms": 0.6,
    # the one before asks: ln(1 + its BM25)
    "answer": 0.55,
    # said by the one whom the question names; half for a role
    "speaker": 1.8,
    # and in the first person
    "speaker_i": 0.75,
    # one of the first two of its session
    "opening": 0.45,
    # a when-question: times in the document
    "when": 1.85,
    # a where-question: capitals
    "where": 2.25,
    # a question for a name or title: capitals and quoted titles
    "name": 2.05,
    # times in any case
    "times": 0.4,
    # capitals in any case
    "capitals": 0.35,
    # its session began on the day that the question names
    "day": 3.3,
    # and in the month
    "month": 4.3,
}
"""The one table of the blend; the order is that in which the ranker gives the values."""
LAST = 100.0
"""Taken from the score of an answer that is no news, and of the question before it: no sum of signals makes up for it,
so they come after all that was said."""
MEANING = {
    # how near the question the document's best sentence is in meaning, against the nearest of all; with an embedder
    "alike": 2.3,
    # the same of the session's best sentence
    "session_alike": 3.5,
}
