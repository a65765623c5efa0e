"""Text to searchable terms, the same for what was said, for facts and for questions.

Case and diacritics are folded (Zoë, zoe; Straße, strasse), English endings cut, runs of Chinese, Japanese and Korean
become overlapping pairs (会議室 -> 会議 議室 室), and a joined identifier stands for itself and for its parts
(getUserName -> getusername get user name; save_memory and paths for their parts).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from sessions.store.stems import stem

_CJK = r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_ASCII_RUN = re.compile(r"[a-z0-9]+")
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IS_CJK = re.compile(rf"[{_CJK}]")
_JOINED = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]")
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+|[A-Z]")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MOST = 64
"""Characters of a term; what is longer is no word."""


def fold(text: str) -> str:
    """The text without case and accents, for comparing."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in plain if not "\u0300" <= c <= "\u036f"))


def runs(text: str) -> list[str]:
    """The words of a text as they stand, folded, in order; a run of CJK is one word."""
    folded = fold(text)
    return (_ASCII_RUN if folded.isascii() else _RUN).findall(folded)


def terms(text: str) -> list[str]:
    """The terms by which a text is found, in order, with repetitions."""
    found = [t for run in runs(text) for t in terms_of(run)]
    if _JOINED.search(text):
        found += joined_parts(text)
    return found


def terms_of(run: str) -> list[str]:
    """The terms of one folded word."""
    if not run.isascii() and is_cjk(run):
        return pairs(run)
    return [stem(run[:_MOST])]


def joined_parts(text: str) -> Iterator[str]:
    """The parts of the identifiers in a text that are joined by capitals: getUserName -> get user name."""
    for run in _RUN.findall(unicodedata.normalize("NFKC", text)):
        if _JOINED.search(run) and len(parts := _PIECE.findall(run)) > 1:
            for part in parts:
                if len(part) > 1:
                    yield stem(fold(part)[:_MOST])


def is_cjk(text: str) -> bool:
    return _IS_CJK.search(text) is not None


def pairs(run: str) -> list[str]:
    """Overlapping pairs of characters; the last one stands alone, so that a single character is a beginning."""
    return [run[i : i + 2] for i in range(len(run))]


def near_spellings(word: str) -> set[str]:
    """The words of the same first letter that are one letter left out, added, changed or swapped away from this one."""
    found: set[str] = set()
    for i in range(1, len(word) + 1):
        head, tail = word[:i], word[i:]
        found.update(head + c + tail for c in _LETTERS)
        if tail:
            found.add(head + tail[1:])
            found.update(head + c + tail[1:] for c in _LETTERS)
        if len(tail) > 1:
            found.add(head + tail[1] + tail[0] + tail[2:])
    found.discard(word)
    return found


def snippet(text: str, needles: tuple[str, ...], width: int = 200) -> str:
    """The line that holds most of the needles, with a line before and one after; blank lines are left out."""
    lines = [line for line in text.split("\n") if line.strip()]
    best, most = 0, 0
    for i, line in enumerate(lines):
        folded = fold(line)
        count = sum(n in folded for n in needles)
        if count > most:
            best, most = i, count
    near = lines[max(best - 1, 0) : best + 2]
    return "\n".join(_clip(line, needles if most else (), width) for line in near)


def _clip(line: str, needles: tuple[str, ...], width: int) -> str:
    line = line.strip()
    if len(line) <= width:
        return line
    folded = fold(line)
    at = min((i for n in needles if (i := folded.find(n)) >= 0), default=0)
    start = max(min(at - width // 3, len(line) - width), 0)
    end = start + width
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")
