"""What a fact may be: its kinds, and the rules for names and texts.

A text that comes from a model or a file is cleaned here of what does not show, and refused where a rule cannot be
met by cleaning; the FactError names the field.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias, get_args

from sessions.errors import FactError

Kind: TypeAlias = Literal["user", "self", "feedback", "project", "reference", "preference", "contact", "open-thread"]
Status: TypeAlias = Literal["active", "off", "superseded", "forgotten"]
Origin: TypeAlias = Literal["user", "model", "distilled", "import", "tool", "mcp"]

KINDS: tuple[Kind, ...] = get_args(Kind)
STATUSES: tuple[Status, ...] = get_args(Status)
ORIGINS: tuple[Origin, ...] = get_args(Origin)
GROUPS: dict[str, tuple[Kind, ...]] = {
    "Waiting on": ("open-thread",),
    "About you": ("user", "preference"),
    "About the agent": ("self",),
    "People": ("contact",),
    "How you like things done": ("feedback",),
    "Projects": ("project", "reference"),
}
"""The groups of the screen, in its order, and the kinds that they hold."""
PINNED_KINDS: frozenset[str] = frozenset({"preference", "self"})
"""Kinds that are always sent unless told otherwise."""

USER = "user"
SUMMARY_MAX = 120
NAME_MAX = 64
BODY_MAX = 20_000
RELATED_MAX = 50
_NAME = re.compile(rf"[a-z0-9-]{{1,{NAME_MAX}}}\Z")
_SCOPE = re.compile(r"(?:user|project:[A-Za-z0-9._-]{1,64})\Z")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def slug(text: str) -> str:
    """A name made of the text: `[a-z0-9-]`, at most 64; empty when nothing of the text can be one."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:NAME_MAX].strip("-")


def is_name(text: str) -> bool:
    return _NAME.match(text) is not None


def one_line(text: str) -> str:
    """The text as one line, without control, bidi, zero-width and other characters that do not show."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    spaced = (" " if c.isspace() else c for c in text)
    return " ".join("".join(c for c in spaced if unicodedata.category(c) not in _INVISIBLE).split())


def plain_text(text: str) -> str:
    """The text with its lines, without control characters other than tabs."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in lines if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"}).strip("\n")


def check_size(field: str, text: str, most: int) -> str:
    """The text as it is. Raises FactError when it is longer than `most` characters."""
    if len(text) > most:
        raise FactError(f"{field} has {len(text):,} characters, at most {most:,} fit")
    return text


def check_body(text: str) -> str:
    """The body, cleaned. Raises FactError when it is longer than 20,000 characters."""
    return plain_text(check_size("body", text, BODY_MAX))


def check_summary(text: str) -> str:
    """The one line, cleaned. Raises FactError when it is empty or longer than 120 characters."""
    # Of a book only the beginning is looked at.
    line = one_line(text[:BODY_MAX])
    if not line:
        raise FactError("summary is empty", "Say the fact in one line")
    if len(line) > SUMMARY_MAX:
        size = max(len(line), len(text) if len(text) > BODY_MAX else 0)
        raise FactError(f"summary has {size} characters, at most {SUMMARY_MAX} fit", "Put the rest in the body")
    return line


def check_name(text: str) -> str:
    if not is_name(text):
        raise FactError(f"name {text[:80]!r} is not possible", f"Use a-z, 0-9 and -, at most {NAME_MAX}")
    return text


def check_kind(text: str) -> Kind:
    for kind in KINDS:
        if kind == text:
            return kind
    raise FactError(f"kind {text[:40]!r} is unknown", f"Use one of {', '.join(KINDS)}")


def is_scope(text: str) -> bool:
    return _SCOPE.match(text) is not None


def check_scope(text: str) -> str:
    if not is_scope(text):
        raise FactError(f"scope {text[:80]!r} is unknown", "Use user or project:<id>")
    return text


def same_text(a: str, b: str) -> bool:
    """Whether two texts say the same but for case, spaces and Unicode forms."""
    return folded(a) == folded(b)


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".")
