"""The words of a text one by one, with short forms written out."""

from __future__ import annotations

import re

from sessions.memory.wording import fold

_TOKEN = re.compile(r"'s\b|[^\W_]+")
_SHORT = (
    (re.compile(r"\bcan(?:'?t|not)\b"), "can not"),
    (re.compile(r"\bwon'?t\b"), "will not"),
    (re.compile(r"n't\b|(?<=\bdo)nt\b|(?<=\bdoes)nt\b"), " not"),
    (re.compile(r"\bi'?m\b"), "i am"),
    (re.compile(r"\b(?:i'?|we'|you'|they')ve\b"), "i have"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'d\b"), " would"),
    (re.compile(r"\b((?:in|of|since|on|last|this|next|\d+(?:st|nd|rd|th)?) )may\b"), r"\1month"),
    (re.compile(r"\bfrom (?:[\w'-]+ ){1,3}?to\b"), "to"),
)


def tokens_of(text: str) -> list[str]:
    """The words of a text, folded, short forms written out: "I can't" is i, can, not."""
    text = fold(text)
    for rule, long in _SHORT:
        text = rule.sub(long, text)
    return _TOKEN.findall(text)
