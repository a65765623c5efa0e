"""Whether a claim takes the place of a fact: both are about one thing, or the person takes the old one back.

One shared word makes no correction: "Never deploy on Fridays" goes on beside "The meeting is on Friday". What is said
in addition never takes anything's place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from sessions.memory import kin
from sessions.memory.clauses import clauses_of
from sessions.memory.fact import Draft, Fact
from sessions.memory.near import names_in, same_slot, words_in
from sessions.memory.otherwise import MEANS
from sessions.memory.values import TIMED, always_one, class_of, is_language, is_time, kind_of
from sessions.memory.wording import NUMBER_WORDS, content, denies, fold, held, plain

_I = re.I
_ALSO = re.compile(
    r"\b(?:also|as well|in addition|additionally|besides|another|a second|a third|on top of|too(?=\W*$|[,;:.!?])|auch|"
    r"außerdem|zusätzlich|noch ein\w*|aussi|en plus|également|también|además|anche|pure|inoltre|também|ook|też|тоже|"
    r"также|ещё)\b|(?<!\w)(?:也|还有|還有)|也|も(?![うっ])|도 ",
    _I,
)
"""What comes beside something else, whatever it is."""
_CHANGED = re.compile(
    r"\b(?:now|no longer|any ?more|any longer|these days|nowadays|from now on|from today|since then|actually|instead|"
    r"switched|changed|turned out|turns out|correction|i meant|i mean|wrong|sorry|never again|quit|stopped|sold|"
    r"left(?![ -]hand)|"
    r"gave up|moved|became|jetzt|nunmehr|ab jetzt|ab heute|nicht mehr|statt|eigentlich|inzwischen|maintenant|désormais|"
    r"ne\b.*\bplus|en fait|ahora|ya no|en realidad|ora|adesso|non\b.*\bpiù|agora|não\b.*\bmais|nu|теперь|уже не)\b|"
    r"現在|今は|もう|実は|现在|現在|不再|其实|지금|이제",
    _I,
)
"""What was another way before."""
_TAKES_BACK = re.compile(
    r"\b(?:instead of|rather than|in place of|(?:moved|switched|changed|away|over) (?:\w+ )?from|from|no longer|"
    r"any ?more|"
    r"not|no|never|left|quit|sold|stopped|gave up|statt|anstatt|nicht|kein\w*|au lieu d[eu']|pas|plus|en vez de|"
    r"en lugar "
    r"de|no|ya no|invece di|non|em vez de|não|niet|вместо|не)\b|n't\b|ない|不|않",
    _I,
)
_INSTEAD_OF = re.compile(
    r"\s*\b(?:instead of|rather than|in place of|statt|anstatt|anstelle von|au lieu (?:de |du |d')|en vez de|"
    r"en lugar de)\s*(?P<what>[^.,;:!?]+)",
    _I,
)
_MANY = re.compile(
    r"^(?:also |really |always )?(?:likes?|loves?|enjoys?|dislikes?|hates?|avoids?|wants?|needs?|has|have|owns?|"
    r"speaks?|"
    r"knows?|plays?|eats?|drinks?|reads?|learns?|is (?:learning|allergic|a fan|fond|into)|allergic|uses?|mag|hat|"
    r"spricht|"
    r"aime|a|parle|tiene|habla|parla)\b",
    _I,
)
"""Of these a person has several at a time."""
_ONE_OF = re.compile(
    r"^(?:(?:goes|moves?|moved|reports|belongs|deploys|commutes|flies) to|(?:lives|sits|runs|parks|stands|is based|"
    r"takes place|happens) (?:in|on|at)|(?:works|studies|teaches) (?:at|for|as|in)|(?:starts|ends|begins|closes|opens|"
    r"wakes up|gets up|goes out|meets|falls) (?:at|on|in)|costs|weighs|lasts|is (?:at|on|in|due|called|named|from)|"
    r"pays within)\b",
    re.I,
)
"""After it comes a value, of which there is one of each kind at a time."""
_SINGLE = re.compile(
    r"^(?:(?:does not )?(?:uses?|prefers?|drives?|rides?|is|takes?|drinks?|works?|hosts?|deploys?|nutzt|fährt|trinkt|"
    r"ist|est|es|è|utilise|usa|conduit|prefiere|préfère)(?: (?:on|to|with|in|at|everything on))?|goes to)(?!\w)\s*",
    _I,
)
"""After it comes what can be another one by a change: "Uses Chrome"."""
_COPULA = re.compile(
    r"^(?P<what>.+?) (?P<is>is|are|heißt|ist|est|es|è)(?: (?:called|named|now|at|on|in|from))? (?P<value>.+)$"
)
_OF_ONES_OWN = re.compile(r"(?:my|our|the user's)\b")
_LIKE = (
    (re.compile(rf"\d[\d.,:]*|\b(?:{'|'.join(w for w in NUMBER_WORDS if w != 'one')})\b"), "#"),
    (re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b"), "<day>"),
    (
        re.compile(
            r"(?<!\bi )\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"
        ),
        "<month>",
    ),
)
"""Numbers, days and months, and what stands for each of them when two lines are compared."""
_CALLED = re.compile(
    r"^(?i:(?:call|address) (?:the user|me|them|him|her)|wants to be (?:called|addressed as)|goes by|is called)"
    r"(?: as| by)? (?=[^\W\da-zß-ÿ])"
)
_LANGUAGE = re.compile(
    r"^(?:please )?(?:always )?(?:answers?|repl(?:y|ies)|responds?|writes?|speaks?|talks?|antwort\w*|schreib\w*|"
    r"répon\w*|"
    r"respond\w*|wants answers)(?: to the user| me| always)? (?:in|auf|en) (?P<one>\w+)\b|^用.{1,4}[文语語]|"
    r"^.{1,4}[語文](?:で|回)",
    _I,
)
_LENGTH = re.compile(
    r"^(?:please )?(?:keep|give|write|make|answer)\b.*\b(?:short|brief\w*|long|concise\w*|detailed)\b", re.I
)
_LONG = re.compile(r"\b(?:keep|give|write|make|answer|short|brief\w*|long|concise\w*|detailed|always|please)\b", _I)
_WRITES = re.compile(r"\b(?:answers?|repl(?:y|ies)|responses?|antworten?|réponses?|respuestas?)\b", _I)
"""What the agent writes to the person; a rule of it is none for other texts."""
_ABOUT_USER = frozenset({"user", "preference"})
_OF_SELF = re.compile(r"^(?:is|ist|est|es|è) (?:an? |ein\w* |une? |una? )?", _I)
_HABIT = re.compile(
    r"^(?!(?:\S+ )*?(?:is|are|starts?|ends?|begins?|closes?|opens?|meets?|falls?|due|takes place|happens)\b).*\b"
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:week|month|year)(?:end|day)?s?)\b",
    _I,
)
"""What somebody does on some days they may do on others too."""
_MANY_OF = re.compile(r"^is (?:an? )?(?:learning|fan|fond|into|allergic)\b|^is (?:an? )?.*\b(?:and|who|with)\b", _I)
_OF_MANY = frozenset({"when"})
"""Of these a verb may have several: "Works on Fridays"."""
_OF_USER = re.compile(r"^(?:the )?user(?:'s)?\s+", _I)
_DENYING = frozenset(
    "not never no without before stop ohne bevor avant antes nie nicht kein pas jamais sans nunca sin".split()
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def takes_its_place(draft: Draft, old: Fact, sentence: str) -> bool:
    """Whether what the person says gives another text to just this fact."""
    claim, before = _line(draft.summary), _line(old.summary)
    now, was = (tuple(w for w in content(t) if w not in _DENYING) for t in (claim, before))
    lost = len(held(was, now)) < len(was) or bool(names_in(before) - words_in(claim)) or kin.another(before, claim)
    lost = lost or (not was and not words_in(before) <= words_in(claim))
    lost = lost or (_WRITES.search(before) is not None and _WRITES.search(claim) is None and not set(now) <= set(was))
    contrary = denies(claim) != denies(before)
    alike = draft.kind == old.kind or {draft.kind, old.kind} <= _ABOUT_USER
    leads = _same_lead(claim, before)
    if not lost and not contrary and alike and (leads or len(held(now, was)) == len(now)):
        return True  # all of it is kept
    if _ALSO.search(plain(sentence)):
        return False
    if same_slot(claim, before) or (alike and _another_value(claim, before)):
        return True
    if draft.name == old.name and alike and max(len(claim.split()), len(before.split())) <= 2:
        asked = fold(old.name.replace("-", " ")).split()  # a value under the name of what it is the value of
        if set(asked) <= set(fold(sentence).split()) - set(fold(before).split()):
            return True
    if contrary and not lost and len(held(now, was)) == len(now):
        return True
    if not leads:
        return False
    if not alike or kin.another(before, claim):
        return False
    return _taken_back(sentence, now, was) or _is_other_now(sentence, claim, before)


def without(sentence: str, old: Fact) -> str:
    """The sentence without what it names as the old thing, where the old fact speaks of that: "instead of tea"."""
    known = content(old.summary)

    def gone(m: re.Match[str]) -> str:
        words = content(m["what"])
        return "" if words and len(held(words, known)) == len(words) else m[0]

    return _INSTEAD_OF.sub(gone, sentence)


def _line(text: str) -> str:
    return _OF_USER.sub("", plain(text)).strip().rstrip(".")


def _same_lead(a: str, b: str) -> bool:
    """Whether two lines say of something the same, by the word they begin with."""
    if _CJK.match(a) and _CJK.match(b):
        return a[0] == b[0] or a[-1] == b[-1]
    first, second = (_first(t) for t in (a, b))
    if first and first == second:
        return True
    return any(rule.match(a) and rule.match(b) for rule, _ in MEANS)


def _first(text: str) -> str:
    m = re.match(r"(?:(?:does|do) not |don't |doesn't |never |always |may |please )?(\w+)", text.casefold())
    return m[1].rstrip("s") if m else ""


def _another_value(a: str, b: str) -> bool:
    """Whether two lines give one thing two values of which it can have one."""
    one, two = _LANGUAGE.match(a), _LANGUAGE.match(b)
    if one and two and all(m["one"] is None or is_language(m["one"]) for m in (one, two)):
        return True
    if _LENGTH.match(a) and _LENGTH.match(b):
        return content(_LONG.sub(" ", a)) == content(_LONG.sub(" ", b))
    flat, other = fold(a), fold(b)
    if not denies(a) and (alike := _valueless(flat)) != flat and alike == _valueless(other):
        return not _HABIT.search(flat)
    if _CALLED.match(a) and _CALLED.match(b):
        return True
    if _OF_SELF.match(a) and _OF_SELF.match(b):
        kind = class_of(_OF_SELF.sub("", a))
        return always_one(kind) and kind == class_of(_OF_SELF.sub("", b)) and not denies(a)
    first, second = _COPULA.match(a), _COPULA.match(b)
    if first and second and fold(first["what"]) == fold(second["what"]) and content(first["what"]):
        same = a[: first.start("value")].casefold() == b[: second.start("value")].casefold()
        values = first["value"], second["value"]
        return same and (all(map(_OF_ONES_OWN.match, values)) or _exclude(*values))
    words, others = flat.split(), other.split()
    shared = next((i for i, (x, y) in enumerate(zip(words, others, strict=False)) if x != y), 0)
    head = " ".join(words[:shared])
    at = next((i for i in range(shared) if _ONE_OF.match(" ".join(words[i:shared]))), None)
    if at is None or max(len(words), len(others)) - shared > 4:
        return False
    values = " ".join(a.split()[shared:]), " ".join(b.split()[shared:])
    return (
        re.fullmatch(_ONE_OF.pattern, " ".join(words[at:shared]), _I) is not None
        and (at == 0 or bool(content(head)))
        and _exclude(*values)
        and not (at == 0 and kind_of(values[0]) == "when" and _HABIT.search(flat))
    )


def _valueless(text: str) -> str:
    """The folded text with a sign in the place of each number, day and month."""
    for rule, sign in _LIKE:
        text = rule.sub(sign, text)
    return text


def _exclude(one: str, other: str) -> bool:
    """Whether two values are of one kind, so that something has one or the other; "and" makes more of them."""
    kind = kind_of(one)
    return bool(kind) and kind == kind_of(other) and not (TIMED.search(one) or TIMED.search(other))


def _taken_back(sentence: str, now: Sequence[str], was: Sequence[str]) -> bool:
    """Whether a clause denies what the fact has and the claim has not: "not Tokyo", "instead of Tokyo"."""
    own = [w for w in was if not held([w], now)]
    if not own:
        return False
    said = [c.text for c in clauses_of(sentence)]
    for text in (*said, *(f"{a} {b}" for a, b in pairwise(said) if re.match(r"not\b", b, _I))):
        for m in _TAKES_BACK.finditer(text):
            after = content(" ".join(text[m.end() :].split()[:5]))
            gone = held(after, own)
            if gone and len(held(after, {*own, *now, *was})) == len(after):
                return True
    return False


def _is_other_now(sentence: str, claim: str, before: str) -> bool:
    """Whether something is said to be another way now, and it is the one thing that the fact speaks of.

    Both speak of it when they end in the same word ("aisle seats" and "window seats"), or when after the same verb
    comes a value of the same kind ("Drives a Kia" and "Drives a Volvo").
    """
    if not _CHANGED.search(plain(sentence)) or denies(claim) != denies(before):
        return False
    now, was = content(claim), content(before)
    end = held(now[-1:], was[-1:])
    if end and not is_time(end[0]) and _MANY.match(claim) is None and not class_of(claim) and len(now) > 1 < len(was):
        return True
    first, second = _SINGLE.match(claim), _SINGLE.match(before)
    if first is None or second is None or _MANY_OF.match(claim):
        return False
    values = claim[first.end() :], before[second.end() :]
    kinds = [kind_of(v) for v in values]
    if _OF_SELF.match(claim):
        return bool(class_of(values[0])) and class_of(values[0]) == class_of(values[1])
    return bool(kinds[0]) and kinds[0] == kinds[1] and kinds[0] not in _OF_MANY
