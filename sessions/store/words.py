"""Text to searchable words, and a query to an FTS5 expression.

SQLite's `unicode61` finds words between spaces and folds case and accents. What it cannot see goes into a second
column: runs of Chinese, Japanese and Korean as overlapping pairs (会議室 -> 会議 議室 室), and the parts of
identifiers (getUserName -> get user name, q3 -> q 3).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_CJK = r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(r"[^\W_]+")
_PIECE = re.compile(rf"[{_CJK}]+|[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z{_CJK}]+|[A-Z]|\d+")
_SPECIAL = re.compile(rf"[{_CJK}]|[^\W\d_A-Z][A-Z]|[A-Z]{{2}}[a-z]|[^\W\d_]\d|\d[^\W\d_]")
_IS_CJK = re.compile(rf"[{_CJK}]")
_QUERY = re.compile(r'"([^"]*)"?|(\S+)')
STOP = frozenset(
    "a about an and are as at be been but by can could did do does for from had has have how i if in into is it its me "
    "my of on or our said say she he so than that the their them then there they this to up us was we were what when "
    "where which who why will with would you your".split()
)


@dataclass(frozen=True, slots=True)
class Query:
    """A query ready to run: `strict` wants every term, `loose` any. Both are empty when nothing is asked."""

    strict: str
    loose: str
    needles: tuple[str, ...]
    """Folded texts by which a snippet finds its line."""


def fold(text: str) -> str:
    """The text without case and accents, for comparing."""
    if text.isascii():
        return text.lower()
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def extra_words(text: str) -> str:
    """The words of the second column; empty for plain text."""
    if text.isascii():
        if not _SPECIAL.search(text):
            return ""
        return " ".join(p for run in _RUN.findall(text) if len(parts := _PIECE.findall(run)) > 1 for p in parts)
    words: list[str] = []
    same = unicodedata.normalize("NFKC", text)
    for run in _RUN.findall(same):
        parts = _PIECE.findall(run)
        if len(parts) > 1 or _IS_CJK.search(run):
            for part in parts:
                words += _pairs(part) if _IS_CJK.match(part) else [part]
        elif same != text and run not in text:
            words.append(run)
    return " ".join(words)


def parse_query(text: str) -> Query:
    """What a person or a model typed. Words match as beginnings, "phrases" as they stand; it never raises."""
    terms: list[tuple[str, str, bool]] = []
    for phrase, word in _QUERY.findall(unicodedata.normalize("NFKC", text)):
        expression = _expression(phrase or word, exact=bool(phrase))
        if expression:
            plain = fold(phrase or word).strip(".,;:!?'()[]{}<>")
            terms.append((expression, plain, not phrase and plain in STOP))
    kept = [t for t in terms if not t[2]] or terms
    needles = dict.fromkeys(n for t in kept for n in (t[1], *_RUN.findall(t[1])) if n)
    return Query(" AND ".join(t[0] for t in kept), " OR ".join(t[0] for t in kept), tuple(needles))


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


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run))]


def _expression(text: str, *, exact: bool) -> str:
    parts = []
    for run in [text] if not _IS_CJK.search(text) else _PIECE.findall(text):
        if not _RUN.search(run):
            continue
        if not _IS_CJK.match(run):
            parts.append(f'"{_plain(run)}"' + ("" if exact or len(run) < 2 else " *"))
        elif len(run) == 1:
            parts.append(f'extra : "{run}" *')
        else:
            parts.append(f'extra : "{" ".join(_pairs(run)[:-1])}"')
    return f"({' AND '.join(parts)})" if parts else ""


def _plain(text: str) -> str:
    return text.replace('"', " ").replace("\0", " ")


def _clip(line: str, needles: tuple[str, ...], width: int) -> str:
    line = line.strip()
    if len(line) <= width:
        return line
    folded = fold(line)
    at = min((i for n in needles if (i := folded.find(n)) >= 0), default=0)
    start = max(min(at - width // 3, len(line) - width), 0)
    end = start + width
    return ("…" if start else "") + line[start:end].strip() + ("…" if end < len(line) else "")
