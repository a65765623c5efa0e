"""Facts that say the same, or nearly: found by the words that two texts share."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sessions.memory import kin
from sessions.memory.fact import Draft, Fact
from sessions.memory.sides import exchanged
from sessions.memory.values import MONTH, TIMED
from sessions.memory.wording import content, fold, held, negative, plain

# Of these a person has one at a time: a second value takes the place of the first. With each what its value looks
# like; what does not gives no value to it ("Lives in constant pain").
_PLACED = re.compile(
    r"(?!\d|(?:Angst|Armut|Frieden|Ruhe|Sorge|Scheidung|Trennung|Miete|Untermiete|Beziehung|Partnerschaft|Pflege)\b)"
    r"(?:(?:the |den |la |el |le )?[^\W\da-zß-ÿ]|[\u3040-\u9fff\uac00-\ud7af])|^[^\W\d_A-Z]+$"
)
_ANY = re.compile(r"\S")
_DIGIT = re.compile(r"[+(#]?\d")
_SLOTS = tuple(
    (name, re.compile(rf"^(?:the user(?:'s)? |user )?(?:now |currently )?(?:{rule})(?!\w)\s*", re.I), value)
    for name, rule, value in (
        (
            "home",
            r"(?:lives?|is living|resides?|is based|based|moved|wohnt|lebt|habite|vive|vit|abita|vive) "
            r"(?:in|to|at|à|en|a)(?! (?:an?|my|our|their)\b)|home(?: city| town)? is(?: in| at)?|"
            r"(?:has |have )?settled (?:down )?in|has been living in|dwells? in|inhabits?|makes? (?:their|his|her|a) "
            r"home in|calls? [\w' -]+ home$|(?:place of )?residence is(?: in)?|is an? [\w' -]+ resident$|"
            r"[\w' -]+ is where (?:the user|they|he|she) lives?$|"
            r"(?:the )?(?:city|town|place)(?: where)? (?:the user|they|he|she) lives?(?: in)? is",
            _PLACED,
        ),
        ("name", r"name is|is (?:called|named)|goes by|heißt|s'appelle|se llama", _PLACED),
        (
            "employer",
            r"works? (?:at|for)|employer is|is employed (?:at|by|with)|has a job (?:at|with)|job is at|"
            r"arbeitet bei|travaille (?:chez|à)",
            re.compile(
                r"(?!(?:home|nights?|the weekend|weekends|height|sea|(?:a|my|the) (?:living|desk)|free|fun|money|"
                r"myself|"
                r"himself|herself|themselves|[a-z]+ (?:hours?|nights?))\b|\d)\S",
                re.I,
            ),
        ),
        ("job", r"works? as|job (?:title )?is|role is|profession is|is an? \w+ by profession", _ANY),
        ("units", r"(?:prefers?|uses?) (?=(?:celsius|fahrenheit|metric|imperial|°))", _ANY),
        ("theme", r"prefers? (?=(?:dark|light)(?: mode| theme)?)", _ANY),
        ("age", r"(?:is|turns|turned) (?=\d+ years old)|age is|is (?=\d{1,3}$)", _DIGIT),
        ("origin", r"(?:comes|is) from", _PLACED),
        ("birth day", r"(?:was )?born (?:on|in)", re.compile(rf"(?=.*{MONTH})|(?=.*\d.*\d{{4}}-)", re.I)),
        ("birth year", r"(?:was )?born in", re.compile(r"\d{4}\b")),
        ("birth place", r"(?:was )?born in", _PLACED),
        ("language", r"(?:native language|mother tongue|first language) is", _ANY),
        ("birthday", r"birthday (?:is|are)", re.compile(rf".*(?:\d|{MONTH})", re.I)),
        ("phone", r"phone(?: number)? (?:is|are)", _DIGIT),
        *(
            (thing, rf"{thing} (?:is|are)", _ANY)
            for thing in ("time ?zone", "pronouns", "e-?mail(?: address)?", "address", "shell", "editor", "os")
        ),
    )
)  # fmt: skip
_SAYING_SO = frozenset(
    stem
    for word in "settled down dwell dwells inhabit inhabits make makes call calls home residence resident where place "
    "employed employer company job age years year old turned turns".split()
    for stem in (word, *content(word))
)
"""Words that say of what a value is, and nothing of the value."""
_AT_HOME = re.compile(
    r"^(?:the user(?:'s)? )?(?:(?:stays?|lives?|rents?|sleeps?) (?:\w+ )?in|(?:flat|apartment|house|place|wohnung|"
    r"appartement|piso|casa) (?:is|ist|est|está) in)\b",
    re.I,
)
"""It may say where somebody lives."""
_HOME_CJK = re.compile(
    r"^(?:现在|現在)?住在(?!(?:一)?(?:公寓|宿舍|家里|一起))|^(?!.*(?:アパート|マンション|一軒家|実家|寮|"
    r"家に))(?P<place>[\u3040-\u30ff\u3400-\u9fff]+)に住んで(?:いる|います|る)"
)
_FAVOURITE = re.compile(
    r"^(?:the user(?:'s)? )?(?:favou?rite|preferred|usual|default) (?P<what>[\w ]{2,30}?) (?:is|are)\b", re.I
)
_ABOUT_USER = frozenset({"user", "preference"})
_NUMBER_OR_NAME = re.compile(r"(?<![\w'])(?:[A-Z][\w'-]*|\d[\w.,:/-]*)(?![\w'])")


def slot_of(summary: str) -> str:
    """The thing to which a one-line fact gives a value of which there is one at a time: "home"; empty for none."""
    summary = plain(summary).strip()
    for name, slot, value in _SLOTS:
        m = slot.match(summary)
        if m and value.match(summary[m.end() :] or summary[m.start() :]):
            return name
    if _HOME_CJK.match(summary):
        return "home"
    favourite = _FAVOURITE.match(summary)
    return f"favourite {fold(favourite['what'])}" if favourite else ""


def same_slot(a: str, b: str) -> bool:
    """Whether two one-line facts give a value to the same thing, as "Lives in Tokyo" and "Lives in Osaka" do."""
    slot = slot_of(a)
    return bool(slot) and slot == slot_of(b) and not _at_times(a, b)


def _at_times(a: str, b: str) -> bool:
    """Whether one of the lines is so at certain times only, and may stand beside the other: "on Fridays"."""
    first, second = TIMED.search(plain(a)), TIMED.search(plain(b))
    return (first is not None) != (second is not None)


def rivals(summary: str, kind: str, scope: str, facts: Iterable[Fact]) -> list[Fact]:
    """The active facts that give another value to what the claim gives one to: only one of them can hold."""
    if kind not in _ABOUT_USER or not (slot := slot_of(summary)):
        return []
    about = (f for f in facts if f.active and f.scope == scope and f.kind in _ABOUT_USER)
    return [f for f in about if slot_of(f.summary) == slot and same_slot(summary, f.summary)]


def beside(fact: Fact, facts: Iterable[Fact]) -> list[Fact]:
    """The other active facts that give another value to the same thing as an active one, in its scope."""
    found = rivals(fact.summary, fact.kind, fact.scope, facts) if fact.active else []
    return [f for f in found if f.number != fact.number]


def says_the_same(draft: Draft, fact: Fact) -> bool:
    """Whether a draft has nothing that the fact has not: other words at most, no other matter."""
    if draft.kind != fact.kind and not {draft.kind, fact.kind} <= _ABOUT_USER:
        return False
    if draft.due is not None and draft.due != fact.due:
        return False
    wanted, known = set(content(draft.summary)), set(content(fact.summary))
    slot = same_slot(draft.summary, fact.summary)
    if slot and wanted - _SAYING_SO and known - _SAYING_SO:
        wanted, known = wanted - _SAYING_SO, known - _SAYING_SO
    if not wanted or negative(draft.summary) != negative(fact.summary):
        return fold(draft.summary).rstrip(".") == fold(fact.summary).rstrip(".") and not draft.body
    if not names_in(draft.summary) <= words_in(fact.summary) or not names_in(fact.summary) <= words_in(draft.summary):
        return False
    if exchanged(draft.summary, fact.summary) or kin.another(draft.summary, fact.summary):
        return False
    body = set(content(draft.body))
    everything = known | set(content(fact.body))
    return (
        len(held(wanted, known)) == len(wanted)
        and len(held(known, wanted)) == len(known)
        and len(held(body, everything | wanted)) == len(body)
        and (slot or len(wanted) > 1 or _lead(draft.summary) == _lead(fact.summary))
    )


def nearest(draft: Draft, facts: Iterable[Fact]) -> Fact | None:
    """The fact that the draft most likely repeats or changes, None when it is about something of its own."""
    scored = [(score, f.number, f) for f in facts if (score := _nearness(draft, f)) >= 0.5]
    return max(scored, key=lambda row: row[:2])[2] if scored else None


def _nearness(draft: Draft, fact: Fact) -> float:
    """0 to 1; from 0.5 on a model is asked."""
    if {draft.kind, fact.kind} <= _ABOUT_USER:
        if same_slot(draft.summary, fact.summary) or _one_home(draft.summary, fact.summary):
            return 1.0
    elif draft.kind != fact.kind:
        return 0.0
    wanted, known = content(draft.summary), content(fact.summary)
    both = held(wanted, known)
    if not both or _of_their_own(draft.summary, fact.summary):
        return 0.0
    if len(both) == 1 and _lead(draft.summary) != _lead(fact.summary) and len(wanted) + len(known) > 2:
        return 0.0
    return len(both) / (len(wanted) + len(known) - len(both))


def _one_home(a: str, b: str) -> bool:
    """Whether one line tells of a home, and the other of what may be the same one: "Flat is in Tokyo"."""
    return any(
        slot_of(x) == "home" and _AT_HOME.match(y) and bool(held(content(y), set(content(x)) - _SAYING_SO))
        for x, y in ((a, b), (b, a))
    )


def _of_their_own(a: str, b: str) -> bool:
    """Whether each of two texts has a name or a number that the other has not: they are about two things."""
    first, second = names_in(a), names_in(b)
    return bool(first - words_in(b)) and bool(second - words_in(a))


def names_in(text: str) -> set[str]:
    """The names and numbers in a text, but for its first word."""
    return {fold(m[0]) for m in _NUMBER_OR_NAME.finditer(plain(text)) if m.start() > 0 or m[0][0].isdigit()}


def words_in(text: str) -> set[str]:
    """All words and numbers of a text, folded."""
    return set(re.findall(r"[\w][\w'.,:/-]*\w|\w", fold(text)))


def _lead(text: str) -> str:
    """The first word, which says how a fact is meant: likes, uses, owns."""
    found = re.search(r"\w+", re.sub(r"^(?:the )?user('s)? ", "", fold(text)))
    return found[0].rstrip("s") if found else ""
