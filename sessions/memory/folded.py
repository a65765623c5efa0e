"""The words of a text for comparing two texts: folded, with light plurals, CJK as pairs."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"\w+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")


def words(text: str) -> list[str]:
    """The words of a text, folded: no case, no diacritics, light plurals; runs of CJK as pairs of characters."""
    out: list[str] = []
    for word in _WORD.findall(_fold(text).replace("_", " ")):
        at = 0
        for run in _CJK.finditer(word):
            out += _stemmed(word[at : run.start()])
            out += [run[0][i : i + 2] for i in range(max(1, len(run[0]) - 1))]
            at = run.end()
        out += _stemmed(word[at:])
    return out


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(c for c in plain if not "\u0300" <= c <= "\u036f"))


def _stemmed(word: str) -> list[str]:
    if not word:
        return []
    if len(word) > 3 and word.endswith("ies"):
        return [word[:-3] + "y"]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return [word[:-1]]
    return [word]
