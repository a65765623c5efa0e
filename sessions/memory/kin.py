"""Who is not who: a son is no daughter and a wife no husband, though both are a child or a partner."""

from __future__ import annotations

import re

from sessions.memory.wording import fold

_PAIRS = tuple(
    (re.compile(rf"\b(?:{one})\b"), re.compile(rf"\b(?:{other})\b"))
    for one, other in (
        ("(?:step|grand)?sons?|boys?", "(?:step|grand)?daughters?|girls?"),
        ("wife|wives", "husbands?|hubby"),
        ("söhne?|sohn|junge", "töchter|tochter|mädchen"),
        ("fils|garçon", "filles?"),
        ("hijos?", "hijas?"),
        ("息子", "娘"),
        ("儿子|兒子", "女儿|女兒"),
        ("아들", "딸"),
    )
)


def another(one: str, other: str) -> bool:
    """Whether one text speaks of a son, say, and the other of a daughter and of no son."""
    a, b = fold(one), fold(other)
    return any(
        (x.search(a) and y.search(b) and not x.search(b)) or (y.search(a) and x.search(b) and not y.search(b))
        for x, y in _PAIRS
    )
