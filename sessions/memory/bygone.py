"""Words that tell of what was, or of what somebody no longer has."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sessions.memory.replaced import given_up
from sessions.memory.wording import content, denies, fold, held

_WAS = re.compile(
    r"\bused to\s+(?!it\b|this\b)|\b(?:formerly|previously|once upon|back then|at the time|in the past|no longer|"
    r"not any ?more|until (?:\d{4}|last|\w+day|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|recently|then)|almost|nearly|as good as|just visiting|only visiting|visiting|visited|"
    r"on a visit|"
    r"passing through|on holiday in|früher|ehemals|damals|fast|beinahe|autrefois|jadis|presque|antiguamente|casi|"
    r"anteriormente)\b|かつて|以前|昔|[てで]いました|[てで]いた|でした|以前|曾经|过去|살았|였었|했었",
    re.I,
)
_SIMPLE_PAST = (
    ("lived", "live"), ("worked", "work"), ("liked", "like"), ("loved", "love"), ("hated", "hate"), ("owned", "own"),
    ("preferred", "prefer"), ("studied", "stud"), ("played", "play"), ("drove", "drive"), ("spoke", "speak"),
    ("drank", "drink"), ("ate", "eat"), ("taught", "teach"), ("ran", "run"), ("had", "ha"), ("needed", "need"),
    ("wanted", "want"), ("wohnte", "wohn"), ("lebte", "leb"), ("arbeitete", "arbeit"), ("mochte", "mag"),
    ("hatte", "hat"), ("habitais", "habit"), ("vivais", "vi"), ("travaillais", "travail"), ("aimais", "aim"),
    ("vivía", "viv"), ("smoked", "smok"), ("coached", "coach"), ("habité", "habit"), ("viví", "viv"), ("morei", "mor"),
    ("trabajaba", "trabaj"), ("tenía", "tien"),
)  # fmt: skip
_WAS_IS = re.compile(
    r"^(?:i|we|ich|je|yo)\s+(?:was|were|war|étais|era)\s+(?!born|raised|told|wondering|thinking|hoping|asking|geboren)",
    re.I,
)
_AWAY = r"(?:from|out of|away from|left(?! hand)|leaving|leave|quit|verlassen|quitté|dejé)\s+(?:the\s+|my\s+)?"
_PARTED = re.compile(
    r"\b(?:sold|gave (?:up|away)|given away|rid of|lost|returned|donated|scrapped|died|passed away|verkauft|verschenkt|"
    r"verloren|abgegeben|weggegeben|gestorben|vendu|donné|perdu|mort|vend[íi]\w*|regal[ée]|perdí|murió|vendut[oa]|"
    r"verkocht|продал\w*|отдал\w*|потерял\w*)\b|売|手放|亡くな|死|[卖賣]|送人|去世|팔았",
    re.I,
)
_APPOSED = re.compile(
    r"(?:an?|the|my|our|ein\w*|mein\w*|der|die|das|den|une?|le|la|mon|ma|una|el|mi|uno)\s|[\u3040-\u9fff]", re.I
)


def was(clause: str, bare: str, piece: str, wanted: Iterable[str]) -> bool:
    """Whether a clause tells of what was, and the claim of what is; `bare` is the clause without its opening words."""
    if _WAS.search(clause) and not _WAS.search(piece):
        return True
    low, claim = fold(clause), fold(piece)
    for past, stem in _SIMPLE_PAST:
        if re.search(rf"\b{past}\b", low) and not re.search(rf"\b{past}\b", claim) and re.search(rf"\b{stem}", claim):
            return True
    if _WAS_IS.search(bare) and not re.search(r"\b(?:was|were|war|born|been)\b", claim):
        return True
    if denies(piece):
        return False  # it says itself that it is over
    if given_up(piece, clause):
        return True
    gone = re.findall(rf"\b{_AWAY}([^\W_]+)", low)
    if not gone or re.search(rf"\b{_AWAY}", claim):
        return False
    left = {w for word in gone for w in content(word)}
    return (
        bool(left)
        and bool(held(wanted, left))
        and re.search(r"\b(?:moved?|moving|left|leaving|quit|migrat\w+|switch\w*|chang\w+|swapped)\b", low) is not None
    )


def was_done(clause: str, piece: str) -> bool:
    """Whether a claim makes of what somebody did what they do: "I forwarded the mail"."""
    claim = fold(piece).split()
    stems = re.findall(r"\b(?:i|we) (?:\w+ly )?(\w{3,})ed\b", fold(clause))
    return any(f"{s}ed" not in claim and {s, f"{s}s", f"{s}e", f"{s}es"}.intersection(claim) for s in stems)


def parted(text: str) -> bool:
    """Whether a text says that something was sold, lost or given away, or that somebody died."""
    return _PARTED.search(text) is not None


def only_names(clause: str) -> bool:
    """Whether a clause names something and says nothing of it: "a red Skoda"."""
    return _APPOSED.match(clause) is not None


def keeps(claim: str) -> bool:
    """Whether a claim says that somebody has something."""
    return re.match(r"(?:has|owns|drives|keeps|hat|besitzt|fährt|a|possède|tiene|ha)\b", claim, re.I) is not None
