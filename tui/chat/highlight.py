"""Code in the colours of the palette. Pygments is loaded with the first block of code that names a language."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol


class Lexer(Protocol):
    """The part of a lexer of pygments that is used; the package has no types of its own."""

    def get_tokens_unprocessed(self, text: str) -> Iterable[tuple[int, object, str]]: ...


_LONGEST = 20_000
"""Characters; a longer piece stays plain, its cost would be felt."""
_INKS = (
    ("Token.Comment", "muted+i"),
    ("Token.Keyword.Constant", "warn"),
    ("Token.Keyword", "accent"),
    ("Token.Literal.String", "ok"),
    ("Token.Literal.Number", "warn"),
    ("Token.Literal.Date", "warn"),
    ("Token.Name.Function", "accent"),
    ("Token.Name.Class", "accent"),
    ("Token.Name.Tag", "accent"),
    ("Token.Name.Builtin", "accent"),
    ("Token.Name.Decorator", "muted"),
    ("Token.Name.Attribute", "warn"),
    ("Token.Name.Exception", "err"),
    ("Token.Operator.Word", "accent"),
    ("Token.Operator", "muted"),
    ("Token.Generic.Deleted", "err"),
    ("Token.Generic.Inserted", "ok"),
    ("Token.Generic.Heading", "fg+b"),
    ("Token.Generic.Subheading", "accent"),
)


def highlight(code: str, lang: str) -> list[tuple[int, int, str]]:
    """Spans `(start, end, ink)` that cover the code in order; one plain span for what has no lexer."""
    lexer = _lexer(lang.lower()) if lang and len(code) <= _LONGEST else None
    if lexer is None or not code:
        return [(0, len(code), "fg")] if code else []
    out: list[tuple[int, int, str]] = []
    at = 0
    for start, kind, value in lexer.get_tokens_unprocessed(code):
        end = start + len(value)
        if start < at or end == start:
            continue
        if start > at:
            out.append((at, start, "fg"))
        ink = _ink(str(kind))
        if out and out[-1][2] == ink and out[-1][1] == start:
            out[-1] = (out[-1][0], end, ink)
        else:
            out.append((start, end, ink))
        at = end
    if at < len(code):
        out.append((at, len(code), "fg"))
    return out


@lru_cache(maxsize=256)
def _ink(kind: str) -> str:
    return next((ink for name, ink in _INKS if kind.startswith(name)), "fg")


@lru_cache(maxsize=64)
def _lexer(lang: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        lexer: Lexer = get_lexer_by_name(lang, stripnl=False)
        return lexer
    except ClassNotFound:
        return None
