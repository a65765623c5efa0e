"""Words that sound as if something ended, and nothing did: a question, a trip, an end that is denied."""

from __future__ import annotations

import re

from sessions.memory.claims import changed_verb, same_verb
from sessions.memory.clauses import Clause
from sessions.memory.signs import CJK
from sessions.memory.wording import content, held

NOTED = re.compile(
    r"\b(?:things?|facts?|one|part|bit|notes?|memor(?:y|ies)|regel|sache|ding|règle|chose|regla|cosa|entry|rule|preference|info|stuff|line|business|matter|"
    r"please)\b",
    re.I,
)
"""Words for a fact itself."""
A_CLAUSE = re.compile(
    r"\bthat (?:i|i'm|we|my|our|he|she|they|it|the|you)\b|\b(?:dass|ich|i|je|yo|que|where|what|wo)\b|\bj'|"
    r"[\u3040-\u9fff\uac00-\ud7af]",
    re.I,
)
_ASKED_OF = re.compile(
    r"(?:did|does|do|has|have|had|is|are|was|were|hat|haben|ist|a-t-|est-ce qu)(?!n't)\s*(?:(?-i:[A-ZÄÖÜ])\w+|the|my|"
    r"our|"
    r"der|die|das|mein\w*)\s+\w",
    re.I,
)
"""A question without its sign: "Did Sarah answer"."""
_NOT_ENDED = re.compile(
    r"\b(?:not true|untrue|isn't true|wrong|false|nonsense|a (?:lie|myth|rumou?r)|stimmt nicht|nicht wahr|falsch|"
    r"gelogen|"
    r"pas vrai|faux|no es (?:verdad|cierto)|falso|mentira)\W+(?:that|dass|que|qu')[^.;]*(?:\b(?:no longer|not|never|"
    r"any "
    r"?more|left|quit|stopped|nicht|kein\w*|ya no|plus|pas)\b|n't\b)",
    re.I,
)
"""An end that is denied."""
_AWAY_TODAY = re.compile(
    r"\b(?:left|leave|leaving|verlassen|abgereist|quitté|parti\w*|dejé|salí)\b.*\b(?:this (?:morning|afternoon|"
    r"evening)|"
    r"tonight|today|just now|yesterday|(?:an?|\d+|two|three) (?:hours?|minutes?) ago|at (?:\d|noon|dawn|midnight)|"
    r"early|late|for "
    r"(?:the|a) (?:day|night|weekend|week|trip|meeting|holidays?)|by (?:train|car|plane|bus|bike)|heute|gestern|ce "
    r"matin|"
    r"ce soir|aujourd'hui|hier|esta mañana|hoy|ayer)\b|\b(?:heute|gestern)\b.*\b(?:verlassen|abgereist)\b",
    re.I,
)
_FOR_GOOD = re.compile(r"\b(?:for (?:good|ever)|forever|für immer|pour toujours|para siempre|moved|umgezogen)\b", re.I)


_SOMEBODY_DID = re.compile(
    r"(?P<who>[A-ZÄÖÜ][\w'-]+(?: [A-ZÄÖÜ][\w'-]+)?) (?:has |just |already |finally |\w+ly )*"
    r"(?:sent|got|gave|took|brought|paid|wrote|told|said|came|called|bought|[a-z]+ed)\b"
)


def is_question(text: str) -> bool:
    """Whether a text asks, also without the sign for it: "Did Sarah answer"."""
    return _ASKED_OF.match(text) is not None


def denied(text: str) -> bool:
    """Whether a text says that it is not true that something ended."""
    return _NOT_ENDED.search(text) is not None


def trip(text: str) -> bool:
    """Whether somebody only went away from where they live: "I left Tokyo this morning"."""
    return _AWAY_TODAY.search(text) is not None and not _FOR_GOOD.search(text)


def only_dropped(text: str, after: Clause) -> bool:
    """Whether something is dropped for another thing, and no fact: "forget the nuts, use seeds"."""
    if NOTED.search(text) or A_CLAUSE.search(text) or after.who == "me" or not content(after.text):
        return False
    return re.match(r"(?:that|dass|que|qu'|where|what|wo|was)\b", after.text, re.I) is None


def by_an_outsider(clause: Clause, about: str) -> bool:
    """Whether a clause tells what somebody did of whom the fact says nothing: "Tom got the contract from Ben"."""
    m = _SOMEBODY_DID.match(clause.text)
    who = m["who"] if m else clause.who if clause.who[:1].isupper() else ""
    return bool(content(who)) and not held(content(who), content(about))


def of_another_object(text: str, summary: str) -> bool:
    """Whether the verb of a fact is denied of another thing than the fact's: of cats, where it is allergic to nuts.

    `text`: without the words that deny and those that only say when.
    """
    if CJK.search(text):
        return False
    known, said = content(summary), content(text)
    missing = [w for w in known if not held([w], said)]
    foreign = [
        w for w in said if not held([w], known) and not any(same_verb(w, m) or changed_verb(m, w) for m in missing)
    ]
    return 0 < len(missing) < len(known) and bool(foreign)
