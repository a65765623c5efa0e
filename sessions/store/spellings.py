"""Other ways in which a word that is looked for may stand: with or without umlauts, and as the end of a compound."""

from __future__ import annotations

import re
import unicodedata

from sessions.store.stems import stem
from sessions.store.words import runs

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_PAIR = re.compile(r"(?<![aeiouq])([aou])e")
_LEAST = 5
"""Letters of a word of which two vowels may be an umlaut: "poet" is no "pot"."""
_FIRST_PARTS = ("trink", "umsatz")
"""Of one syllable and of more: an ending is cut off or not by what stands before it (Lohnsteuer, Umsatzsteuer)."""


def written_out(query: str) -> dict[str, str]:
    """The folded words of the query that have umlauts, each with the umlauts written out: schlussel -> schluessel."""
    if query.isascii():
        return {}
    query = unicodedata.normalize("NFC", query)
    words, spelt = runs(query), runs(query.translate(_UMLAUTS))
    return {w: s for w, s in zip(words, spelt, strict=False) if w != s} if len(words) == len(spelt) else {}


def put_back(word: str) -> str:
    """A folded word whose umlauts may be written out, as it would be folded from umlauts: schluessel -> schlussel.

    The word itself when there are none.
    """
    short = _PAIR.sub(r"\1", word)
    return short if len(short) >= _LEAST else word


def compound_ends(word: str) -> tuple[str, ...]:
    """How the stems of compounds of a folded word end where the word's own does not: wasser -> wass (Trinkwasser)."""
    own = stem(word)
    ends = dict.fromkeys(stem(part + word)[len(part) :] for part in _FIRST_PARTS)
    return tuple(e for e in ends if e != own and _tells(e))


def _tells(end: str) -> bool:
    return len(end) > 3 or (len(end) == 3 and end[-1] in "aeiou")
