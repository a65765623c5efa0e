"""What somebody changed for what: of "moved from Austin to Reno" and "swapped Spotify for Tidal" the second holds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sessions.memory.wording import content, held

_I = re.I
_OLD = r"(?P<old>[^\s,.;:!?][^,.;:!?]{0,60}?)"
_NEW = r"(?P<new>[^\s,.;:!?][\w'.&+#-]*(?: (?!and\b|und\b|et\b|y\b|e\b)[^\W\d_a-zß-ÿ][\w'-]*)*)"
_CHANGES = re.compile(
    r"\b(?:mov(?:ed?|ing)|relocat\w+|migrat\w+|switch\w*|chang(?:ed?|ing)|(?:went|go|gone|going) over|convert\w+|"
    r"ported|transition\w*|transferr?ed|upgrad\w+|downgrad\w+|gezogen|zogen?|umgezogen|umgestiegen|gewechselt|wechsel\w*|"
    r"umgestellt|übersiedelt|migriert\w*|déménag\w+|pass(?:é\w*|ons)|chang[ée]\w*|migré\w*|install[ée]\w*|mud(?:é|amos|"
    r"ado|aron|ei|ou|ámos)|traslad\w+|pas(?:é|ado|amos)|cambi\w+|migr[aoó]\w*|trasferit\w+|passat\w+)\b",
    _I,
)
_FROM_TO = re.compile(
    rf"\b(?:from|von|vom|de(?! la\b)|d'|desde|da|do) ?\b{_OLD} (?:(?:over |back )?to|into|nach|zu[mr]?|auf|à|aux?|en|"
    rf"vers|a|al|hacia|para|ao) {_NEW}",
    _I,
)
_FOR = tuple(
    re.compile(rule, _I)
    for rule in (
        rf"\b(?:swapped|swapping|traded|exchanged|ditched|dropped|abandoned|left|quit) {_OLD} for {_NEW}",
        rf"\b(?:replaced|substituted|swapped) {_OLD} (?:with|by) {_NEW}",
        rf"\bhabe?n? {_OLD} (?:durch|gegen) {_NEW} (?:ersetzt|eingetauscht|getauscht|ausgetauscht)",
        rf"\b(?:remplacé|échangé|troqué|quitté|abandonné) {_OLD} (?:par|pour|contre) {_NEW}",
        rf"\b(?:cambié|cambiado|sustituí|sustituido|reemplacé|dejé|abandoné) {_OLD} (?:por|con) {_NEW}",
        rf"\b(?:sostituito|cambiato|lasciato) {_OLD} (?:con|per) {_NEW}",
    )
)
_WORKS = re.compile(r"(?:works?|arbeitet|travaille|trabaja|lavora)\b", _I)
_MINE = re.compile(r"^(?:(?:the|my|our|an?|de[rmn]|die|das|mein\w*|unser\w*|le|la|mon|ma|mi|el|il|lo) |l')+", _I)
_NO_VALUE = re.compile(
    r"\b(?:me|you|him|her|us|them|it|that|this|good|ever|now|work|lunch|dinner|breakfast|school|time|scratch|"
    r"home|one|day|week|month|year|place|bed|\d+)\b|\d",
    _I,
)
"""Between two of these nothing is given up: "moved from one flat to another", "switched it from 3 to 4"."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """One thing that was given up for another, and where in the text that is said."""

    old: str
    new: str
    start: int
    end: int
    moves: bool
    """By going from the one to the other; otherwise by a swap."""


def replaced(text: str) -> Replaced | None:
    """What a text says was changed for what; None for nothing."""
    found = _FROM_TO.search(text) if _CHANGES.search(text) else None
    for m in (found, *(rule.search(text) for rule in _FOR)):
        if m is None:
            continue
        old, new = (_MINE.sub("", m[g]) for g in ("old", "new"))
        if content(old) and content(new) and not _NO_VALUE.search(f"{old} {new}"):
            return Replaced(old, new, m.start(), m.end(), m is found)
    return None


def given_up(claim: str, text: str) -> bool:
    """Whether a claim has what a text says was given up, and not what came for it."""
    found = replaced(text)
    return found is not None and _has(found.old, claim) and not _has(found.new, claim)


def without_the_old(text: str, claim: str) -> str:
    """The text without what was given up, for a claim that has only what came for it: "moved to Reno"."""
    found = replaced(text)
    if found is None or _has(found.old, claim) or not _has(found.new, claim):
        return text
    said = text[found.start : found.end]
    kept = said[len(said) - len(found.new) :]
    if found.moves:
        before = re.search(r"\S+ (?:(?:the|my|our|de[rmn]|die|das|la|le|el) )?\Z", said[: len(said) - len(kept)])
        return f"{text[: found.start]}{before[0] if before else 'to '}{kept}{text[found.end :]}"
    began = "joined" if _WORKS.match(claim) else "switched to"
    return f"I {began} {kept}{text[found.end :]}"


def _has(part: str, claim: str) -> bool:
    return bool(held(content(part), content(claim)))
