"""What hangs on somebody or something else in a sentence: the wife of a brother, a town an hour away, "unlike Tom"."""

from __future__ import annotations

import re

from sessions.memory import kin
from sessions.memory.wording import content, held, plain

_I = re.I
_PERSON = (
    r"(?:mother|father|mom|mum|dad|brother|sister|wife|husband|partner|girlfriend|boyfriend|son|daughter|kid|child|"
    r"friend|boss|manager|neighbou?r|landlord|landlady|aunt|uncle|cousin|parent|grand\w+|colleague|roommate|flatmate|"
    r"teacher|doctor|client|mutter|vater|bruder|schwester|frau|mann|sohn|tochter|kind|freund|freundin|chef|chefin|"
    r"nachbar|nachbarin|tante|onkel|vermieter|kollege|kollegin)(?:e?s|n|en|in)?"
)
_OF = (
    re.compile(
        rf"\b(?:the|an?|one) (?P<what>[\w'-]+) of (?P<whom>(?:(?:my|our|his|her|their|the|an?) (?:\w+ )?{_PERSON}\b)|"
        r"(?-i:[A-Z])\w+)",
        _I,
    ),
    re.compile(
        rf"\b(?:my|our|his|her|their) (?P<whom>{_PERSON})'s? (?!(?:is|are|was|has|and|or)\b)(?P<what>[\w-]+)", _I
    ),
    re.compile(
        rf"\b(?:der|die|das|den|dem|ein|eine|einen) (?P<what>\w+) (?:von )?(?:mein|unser|sein|ihr)(?:e?[smr]|en) "
        rf"(?P<whom>{_PERSON}\b)",
        _I,
    ),
)
_CONTRARY = re.compile(
    r"\b(?:unlike|in contrast to|as opposed to|contrary to|anders als|im gegensatz zu[rm]?|contrairement à|"
    r"a diferencia de)\s+(?P<whom>[\w'-]+(?: [\w'-]+){0,2})",
    _I,
)
_FAR = (
    r"\b(?:hours?|minutes?|mins?|km|kilomet\w+|miles?|stunden?|minuten?)\s+(?:(?:away|drive|walk|ride|flight|by|train|"
    r"car|"
    r"bus|bike|foot|north|south|east|west|outside)\s+)*(?:from|of|to|von)|"
    r"\b(?:near|nearby|close to|next to|far from|outside(?: of)?|(?:north|south|east|west) of|on the way to|bei|"
    r"nahe(?: bei)?|in der nähe von|neben|außerhalb von|près de|loin de|cerca de|lejos de)"
)
_NOT_THERE = re.compile(rf"(?:{_FAR})\s+(?:the\s+)?(?P<place>[\w'-]+)", _I)
_THERE = re.compile(r"\b(?:in|at|im|à|en)\s+\S", _I)
_THING = re.compile(
    r"\b(?:home|house|flat|apartment|place|office|company|employer|phone|e-?mail|mail|laptop|computer|machine|keyboard|"
    r"editor|setup|stack|drink|food|meal|sport|instrument|commute|wohnung|haus|maison|casa)\b",
    _I,
)
_IS = re.compile(r"^(?:the user )?(?:is|was|ist|war|est|es|è)\b", _I)
_BEING = re.compile(r"(?:is|was|has|had|ist|hat|est|a|es|tiene|è|ha)\Z", _I)
_OWNS = re.compile(r"^(?:the user )?(?:has|owns|hat|besitzt|possède|tiene|ha)\b", _I)
_POINTS_BACK = frozenset({"it", "there", "him", "her", "them", "dort"})
_HIM = re.compile(r"\b(?:he|she|they|his|her|their|er|sie|ihr|elle|il|lui|ella|él|su)\b|[彼她他]", _I)
"""They point back to somebody who was named before."""
_OFTEN = re.compile(
    r"\b(?:regular(?:ly)?|frequent(?:ly)?|often|usually|habitually|constantly|daily|weekly|monthly|hourly|nightly|"
    r"regelmäßig|häufig|oft|täglich|wöchentlich|souvent|régulièrement|a menudo|regularmente)\b",
    _I,
)
_HOW_OFTEN = re.compile(
    rf"{_OFTEN.pattern}|\b(?:every|each|always|most|all the time|a lot|generally|normally|keep|jede\w*|immer|meistens?|"
    r"chaque|tous|toutes|toujours|cada|todos|todas|siempre|(?:morning|evening|night|week|day|month|weekend)s|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:times|twice|thrice) (?:a|per)|once (?:a|per) "
    r"(?:day|week|month|fortnight)|(?:a|per) (?:day|week|night|month))\b",
    _I,
)


def of_another(piece: str, sentence: str) -> bool:
    """Whether a claim has what a sentence gives to somebody whom it does not name: "the wife of my brother"."""
    said, wanted = plain(sentence), content(piece)
    return any(
        held(_words(m["what"]), [*wanted, *piece.casefold().split()]) and not held(_words(m["whom"]), wanted)
        for rule in _OF
        for m in rule.finditer(said)
    )


def of_other_kin(piece: str, sentence: str) -> bool:
    """Whether a claim says of a son what was said of a daughter, and so on."""
    return kin.another(piece, sentence) and _HIM.search(plain(sentence)) is None


def turned_on(piece: str, clause: str, who: str) -> bool:
    """Whether a claim does to somebody what a clause says that they do: "Hates the neighbour" of "my neighbour hates
    it". `who`: the subject of the clause."""
    whose, _, noun = who.partition(" ")
    said, claim = plain(clause).casefold(), plain(piece).casefold().split()
    at = said.find(who.casefold())
    if not noun or not claim or whose not in {"my", "our", "the", "his", "her", "their"} or at < 0:
        return False
    verb = re.findall(r"[^\W\d_]+", said[at + len(who) :])[:1]
    if not verb or _BEING.match(verb[0]) or claim[0] != verb[0]:
        return False
    return bool(held(_words(noun), content(" ".join(claim[1:]))))


def of_a_thing(piece: str, noun: str) -> bool:
    """Whether a claim says of the person what is so of a thing of theirs: "My phone is Korean"."""
    return _IS.match(piece) is not None and _THING.search(noun) is not None


def owns(piece: str) -> bool:
    """Whether a claim says what the person has."""
    return _OWNS.match(piece) is not None


def contrasted(piece: str, sentence: str) -> bool:
    """Whether a claim says of somebody what a sentence says in contrast to them."""
    if _CONTRARY.search(piece):
        return False
    return any(held(content(m["whom"]), content(piece)) for m in _CONTRARY.finditer(plain(sentence)))


def not_there(piece: str, sentence: str) -> str:
    """The words by which something is near or far from a place in which a claim puts it; empty without any."""
    if not _THERE.search(piece) or re.search(_FAR, piece, _I):
        return ""
    for m in _NOT_THERE.finditer(plain(sentence)):
        if held(content(m["place"]), content(piece)) or m["place"].casefold() in _POINTS_BACK:
            return m[0][: m.start("place") - m.start()].strip()
    return ""


def oftener(piece: str, sentence: str) -> str:
    """The word of a claim that tells how often, when nobody said so; empty without any."""
    m = _OFTEN.search(piece)
    return m[0] if m and not _HOW_OFTEN.search(plain(sentence)) else ""


def _words(text: str) -> tuple[str, ...]:
    return content(text) or (text.casefold(),)
