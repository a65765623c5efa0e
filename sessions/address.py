"""Addresses as they may be shown: whatever in one could be a password or a key is a sign in its place.

Of `http://user:password@host/v1?key=abc123` that is `http://…@host/v1?key=…`. `${NAME}` stays: it is no value.
"""

from __future__ import annotations

import re
from typing import Any

HIDDEN = "…"
_VARIABLE = re.compile(r"\$\{[^{}]*\}")
_USER = re.compile(r"(?<=://)[^/?#\s]*@|(?<![\w.-])(?:(?!\w+://)[^/?#\s@]*:[^\s@]*|[^/?#\s@]+)@(?=[\w.-]+(?:[:/?#]|$))")
"""What stands before the host, also where the address does not begin as one should."""
_BROKEN = re.compile(r"(?<=://)(?!\[)[^/?#@\s:]*:(?!\d*(?:[/?#]|$))[^\s]*")
"""A password with signs that end the host: where it ends cannot be told."""
_WORD = re.compile(r"[A-Za-z_-]{0,24}|\d{1,5}|[\d.-]{1,10}")
_OF_KEYS = re.compile(r"key|token|secret|pass|pwd|auth|sig|code|cred|jwt|session|sid", re.I)
_LONG = re.compile(r"(?=[^/]*\d)(?=[^/]*[A-Za-z])[A-Za-z0-9_+=-]{20,}")


def shown(address: str) -> str:
    """The address with `…` for its user and password, for values of its query that may be keys, and for long parts of
    its path that look like some."""
    base, mark, rest = address.partition("?")
    query, hash_, fragment = rest.partition("#")
    base, early, more = base.partition("#")
    base = _USER.sub(_without_user, base)
    base = _BROKEN.sub(HIDDEN, base) if "${" not in base else base
    scheme, slashes, path = base.rpartition("://")
    host, slash, path = path.partition("/")
    path = "/".join(HIDDEN if _LONG.fullmatch(part) else part for part in path.split("/"))
    fragment = fragment or more
    return (
        f"{scheme}{slashes}{host}{slash}{path}{mark}{'&'.join(map(_pair, query.split('&')))}"
        f"{hash_ or early}{HIDDEN if fragment else ''}"
    )


def without_texts(value: Any) -> Any:
    """A JSON value with `…` for every text in it, for nobody knows which of them is a key; the keys stay."""
    match value:
        case dict():
            return {key: without_texts(inner) for key, inner in value.items()}
        case list() | tuple():
            return [without_texts(inner) for inner in value]
        case str():
            return HIDDEN
    return value


def _without_user(found: re.Match[str]) -> str:
    """A name and a password stay where they are variables only."""
    return found[0] if not _VARIABLE.sub("", found[0]).strip(":@") else f"{HIDDEN}@"


def _pair(pair: str) -> str:
    name, equals, value = pair.partition("=")
    if not equals:
        return pair if _WORD.fullmatch(pair) else HIDDEN
    plain = _VARIABLE.sub("", value)
    if not plain or (_WORD.fullmatch(plain) and not _OF_KEYS.search(name)):
        return pair
    return f"{name}={HIDDEN}"
