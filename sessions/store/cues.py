"""What the ranker knows of a language: words that say nothing, and what kind of answer a question wants.

One `Cues` a language; all are read at once, since people mix languages. Another language joins as another entry
of `LANGUAGES`: whatever of it is left empty never matches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from re import Pattern

_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Cues:
    """Patterns are matched against text in lower case unless said otherwise."""

    stop: frozenset[str]
    """Words that no search is about, unless there are no others."""
    months: tuple[str, ...] = ()
    also_words: frozenset[str] = frozenset()
    """The months whose names mean something else, too."""
    first_person: Pattern[str] = _NEVER
    times: Pattern[str] = _NEVER
    """A time in what is said."""
    question: Pattern[str] = _NEVER
    """The beginning of a question, as against mere words to look for."""
    when: Pattern[str] = _NEVER
    where: Pattern[str] = _NEVER
    name: Pattern[str] = _NEVER
    """A question for a name or a title."""
    of_user: Pattern[str] = _NEVER
    """A question about what the user said."""
    of_assistant: Pattern[str] = _NEVER
    """A question about what the assistant said."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
ENGLISH = Cues(
    stop=_words(
        "a an the of to in on at for with and or but if so as by from into about over after before up down out off "
        "than then that this these those it its he she they them his her their him i in you we us our your my me mine "
        "yours is are was were be been being am do does did doing done have has had having will would can could "
        "should may might must shall what which who whom whose when where why how not no yes s t d ll ve re m there "
        "here some any all both each few more most other such only own same too very just also get got getting kind "
        "type sort"
    ),
    months=tuple(_MONTHS.split()),
    also_words=frozenset({"may", "march"}),
    first_person=re.compile(r"\b(?:i|i['’]m|i['’]ve|i['’]d|i['’]ll|my|me|mine|we|our|us)\b"),
    times=re.compile(
        r"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|this (?:week|month|year|morning|weekend)|weeks?|months?|"
        rf"years?|weekend|{_DAYS}|{_MONTHS.replace(' ', '|')}|\d{{4}}|recently|since)\b"
    ),
    question=re.compile(
        r"\s*(?:what|when|where|which|who|whom|whose|why|how|did|does|do|is|are|was|were|has|have|had|can|could|"
        r"would|will|should|in (?:what|which)|on (?:what|which)|tell me)\b"
    ),
    when=re.compile(r"\s*(?:when|what (?:day|date|month|year)|which (?:day|month|year)|how long)"),
    where=re.compile(r".*\b(?:where|(?:what|which) (?:city|country|place|state))\b"),
    name=re.compile(r".*\b(?:name|title|who|called|(?:which|what) (?:book|movie|song|band|game))\b"),
    of_user=re.compile(r".*\b(?:i|my|me|mine|we|our)\b"),
    of_assistant=re.compile(
        r".*\byou(?:['’]ve| have)? (?:suggest|said|say|told|tell|recommend|wrote|write|propose|explain|advise|answer)"
    ),
)
LANGUAGES = (ENGLISH,)
STOP = frozenset().union(*(c.stop for c in LANGUAGES))
