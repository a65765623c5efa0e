"""The longer text of a fact after its one line was corrected: it must not go on saying what the line said before."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from sessions.memory.rules import folded

_WORDS = re.compile(r"\w+(?:[-'.]\w+)*")
_MOST = 3
"""Longest run of words that is put in the place of another; more is another sentence."""


def followed(body: str, old: str, new: str) -> str:
    """The body of a fact whose one line changed from `old` to `new`.

    Words that the line replaced are replaced in the body too; a body that said nothing but the old line is dropped,
    when that cannot be done. Anything else stays as it is.
    """
    if not body or folded(old) == folded(new):
        return body
    swaps = _swaps(old, new)
    out = body
    for was, now in swaps or ():
        out = re.sub(rf"(?<!\w){re.escape(was)}(?!\w)", now.replace("\\", r"\\"), out)
    if out != body:
        return out
    return "" if _restates(body, old) else body


def _swaps(old: str, new: str) -> list[tuple[str, str]] | None:
    """What stands in the new line in the place of what; None when too much changed."""
    a, b = list(_WORDS.finditer(old)), list(_WORDS.finditer(new))
    matcher = SequenceMatcher(None, [m[0] for m in a], [m[0] for m in b], autojunk=False)
    out = []
    for what, i, i2, j, j2 in matcher.get_opcodes():
        if what == "replace":
            if max(i2 - i, j2 - j) > _MOST:
                return None
            out.append((old[a[i].start() : a[i2 - 1].end()], new[b[j].start() : b[j2 - 1].end()]))
    return out if matcher.ratio() > 0 else None


def _restates(body: str, line: str) -> bool:
    words = set(_WORDS.findall(folded(line)))
    said = set(_WORDS.findall(folded(body)))
    return "[[" not in body and bool(words) and words <= said and len(said) <= len(words) + 3
