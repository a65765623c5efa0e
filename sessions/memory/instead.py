"""Whether a claim takes the place of a fact: both are about one thing, or the person takes the old one back.

One shared word makes no correction: "Never deploy on Fridays" goes on beside "The meeting is on Friday". What is said
in addition never takes anything's place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from sessions.memory.clauses import clauses_of
from sessions.memory.fact import Draft, Fact
from sessions.memory.near import same_slot
from sessions.memory.otherwise import MEANS
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
    r"switched|changed|turned out|turns out|correction|i meant|i mean|wrong|sorry|never again|quit|stopped|sold|left|"
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
    _I,
)
"""After it comes a value of which there is one at a time."""
_COPULA = re.compile(
    r"^(?P<what>.+?) (?P<is>is|are|heißt|ist|est|es|è)(?: (?:called|named|now|at|on|in|from))? (?P<value>.+)$"
)
_VALUE = re.compile(r"(?:my|our|the user's)\b|[^\W\da-zß-ÿ]|\d")
_DATED = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|"
    r"october|november|december"
)
_NUMBERS = re.compile(rf"\d[\d.,:]*|\b(?:{'|'.join(w for w in NUMBER_WORDS if w != 'one')}|{_DATED})\b")
_LANGUAGE = re.compile(
    r"^(?:please )?(?:always )?(?:answers?|repl(?:y|ies)|responds?|writes?|speaks?|talks?|antwort\w*|schreib\w*|"
    r"répon\w*|"
    r"respond\w*|wants answers)(?: to the user| me| always)? (?:in|auf|en)\b|^(?:用|.{1,4}語で|.{1,4}文回)",
    _I,
)
_LENGTH = re.compile(
    r"^(?:please )?(?:keep|give|write|make|answer)\b.*\b(?:short|brief\w*|long|concise\w*|detailed)\b", _I
)
_ABOUT_USER = frozenset({"user", "preference"})
_OF_USER = re.compile(r"^(?:the )?user(?:'s)?\s+", _I)
_DENYING = frozenset(
    "not never no without before stop ohne bevor avant antes nie nicht kein pas jamais sans nunca sin".split()
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def takes_its_place(draft: Draft, old: Fact, sentence: str) -> bool:
    """Whether what the person says gives another text to just this fact."""
    claim, before = _line(draft.summary), _line(old.summary)
    now, was = (tuple(w for w in content(t) if w not in _DENYING) for t in (claim, before))
    lost = len(held(was, now)) < len(was)
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
    if not leads and not same_slot(claim, before):
        return False
    return alike and (_taken_back(sentence, now, was) or _is_other_now(sentence, claim, draft.kind, now, was))


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
    if any(rule.match(a) and rule.match(b) for rule in (_LANGUAGE, _LENGTH)):
        return True
    flat, other = fold(a), fold(b)
    if not denies(a) and _NUMBERS.search(flat) and _NUMBERS.sub("#", flat) == _NUMBERS.sub("#", other):
        return True
    first, second = _COPULA.match(a), _COPULA.match(b)
    if first and second and fold(first["what"]) == fold(second["what"]) and content(first["what"]):
        same = a[: first.start("value")].casefold() == b[: second.start("value")].casefold()
        return same and all(_VALUE.match(m["value"]) for m in (first, second))
    words, others = flat.split(), other.split()
    shared = next((i for i, (x, y) in enumerate(zip(words, others, strict=False)) if x != y), 0)
    head = " ".join(words[:shared])
    at = next((i for i in range(shared) if _ONE_OF.match(" ".join(words[i:shared]))), None)
    if at is None or max(len(words), len(others)) - shared > 4:
        return False
    return re.fullmatch(_ONE_OF.pattern, " ".join(words[at:shared]), _I) is not None and (
        at == 0 or bool(content(head))
    )


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


def _is_other_now(sentence: str, claim: str, kind: str, now: Sequence[str], was: Sequence[str]) -> bool:
    """Whether something is said to be another way now, and it is the one thing that the fact speaks of."""
    if not _CHANGED.search(plain(sentence)) or kind not in {*_ABOUT_USER, "feedback", "self"}:
        return False
    shared = held(now[-1:], was[-1:])
    return bool(shared) or (kind in _ABOUT_USER and _MANY.match(claim) is None and len(now) <= 3)
