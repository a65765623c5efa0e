"""Characters on whose width terminals do not agree, drawn as others that are as wide everywhere.

`⚠️` is a sign of one cell and a selector that asks for a picture of two: some terminals, tmux among them by its
version, give it one cell and some two, and the rest of the row is then out of place. So are joined families, flags and
skin tones. What is copied is the source, never this.
"""

from __future__ import annotations

import re

from rich.cells import cell_len

_SIGN = "[\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_TONE = "[\U0001f3fb-\U0001f3ff]"
_UNSURE = re.compile(
    f"(?P<flag>[\U0001f1e6-\U0001f1ff]{{2}})|(?P<base>.)(?:{_TONE}|\ufe0f\u20e3?|\u20e3|\u200d{_SIGN})+|^\ufe0f+",
    re.S,
)
_ANY = re.compile("[\ufe0f\u20e3\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff\u200d]")
_A, _FLAG_A = ord("A"), 0x1F1E6


def steady(text: str) -> str:
    """The text in as many cells, which are the same number in every terminal: `⚠️` is `⚠ `, a flag its two letters."""
    return _UNSURE.sub(_drawn, text) if _ANY.search(text) else text


def _drawn(match: re.Match[str]) -> str:
    if flag := match["flag"]:
        return "".join(chr(ord(char) - _FLAG_A + _A) for char in flag)
    base = match["base"]
    return base + " " * (cell_len(match[0]) - cell_len(base)) if base else ""
