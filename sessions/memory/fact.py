"""A fact: one durable statement, kept as Markdown under TOML front matter.

Reading is tolerant: keys that this version does not know stay in `extra`, and a file made by hand may leave out
all but its text. Writing is strict: a field that breaks a rule is a FactError that names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, Literal

from sessions.errors import FactError
from sessions.memory.front_matter import FENCE, load_front, split_front
from sessions.memory.rules import (
    GROUPS,
    KINDS,
    ORIGINS,
    PINNED_KINDS,
    STATUSES,
    SUMMARY_MAX,
    USER,
    Kind,
    Origin,
    Status,
    is_name,
    is_scope,
    one_line,
    slug,
)

__all__ = [
    "GROUPS",
    "KINDS",
    "BrokenFact",
    "By",
    "Draft",
    "Fact",
    "Kind",
    "Origin",
    "Proposal",
    "Source",
    "Status",
    "parse_fact",
    "render_fact",
    "slug",
]

SCHEMA = 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact comes from."""

    origin: Origin = "user"
    session: str = ""
    message: str = ""
    quote: str = ""
    """The person's own words."""
    client: str = ""
    """The other program, for origin `mcp`."""
    accepted: str = ""
    """When the person said yes to it, as an ISO time; empty for what never was a proposal."""


@dataclass(frozen=True, slots=True)
class By:
    """Who makes a change, and from where."""

    origin: Origin = "user"
    """`user` is a person's own act: by hand, in a form or on the command line."""
    session: str = ""
    message: str = ""
    quote: str = ""
    client: str = ""

    def source(self) -> Source:
        return Source(self.origin, self.session, self.message, self.quote, self.client)


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact as its file says it. Times are aware, in UTC, whole seconds."""

    name: str
    summary: str
    kind: Kind = "user"
    body: str = ""
    number: int = 0
    """0 = made by hand and not numbered yet."""
    id: str = ""
    """Empty = made by hand and not completed yet."""
    scope: str = USER
    """`user` or `project:<id>`."""
    status: Status = "active"
    pinned: bool = False
    locked: bool = False
    share: Literal["any", "local"] = "any"
    """`local`: no model on another machine sees it."""
    created_at: datetime = _EPOCH
    updated_at: datetime = _EPOCH
    confirmed_at: datetime = _EPOCH
    related: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    due: date | None = None
    source: Source = Source()
    extra: dict[str, Any] = field(default_factory=dict)
    """Keys of the front matter that this version does not know."""
    path: Path = Path()
    schema: int = SCHEMA

    @property
    def active(self) -> bool:
        return self.status == "active"


@dataclass(frozen=True, slots=True)
class BrokenFact:
    """A file that is left byte for byte because it cannot be read as a fact."""

    path: Path
    line: int | None
    why: str
    """`line 4, not TOML`."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change that waits for the person's yes: the fact as it would be, and what it is about."""

    fact: Fact
    proposes: str
    """new, update, supersede, forget or merge."""
    target: str = ""
    """Number or name of the fact it changes; of several, with commas, for a merge."""
    base: str = ""
    """sha256 of the target's file when the proposal was made; of several, with commas, for a merge."""
    why: str = ""
    """Why it waits, such as `the quote was not typed by the user`."""
    returns: bool = False
    """It was exported here: what came with it stood beside it, and does again."""

    @property
    def number(self) -> int:
        return self.fact.number

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(t.strip() for t in self.target.split(",") if t.strip())


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wants remembered."""

    name: str
    """Empty = made of the summary, and another when that one is taken."""
    summary: str
    kind: str
    body: str = ""
    scope: str = USER
    related: tuple[str, ...] | None = None
    """None = as before, none for a new fact."""
    due: date | None = None
    pinned: bool | None = None
    """None = as before, the kind's default for a new fact."""
    source: Source | None = None
    """None = who saves it."""
    replaces: str | int | None = None
    """Name or number of a fact that this one takes the place of."""
    locked: bool = False
    """Of a new fact that waits for review; only the person locks one that is there."""
    share: Literal["any", "local"] | None = None
    """None = as before, any for a new fact."""


def parse_fact(text: str, path: Path) -> Fact:
    """The fact of a file. Raises FactError with a text such as `line 4, not TOML`."""
    front, body = split_front(text)
    return _Reader(load_front(front), front).fact(body, path)


class _Reader:
    """Takes the known keys out of a front matter and complains with the line of a key."""

    def __init__(self, table: dict[str, Any], front: str) -> None:
        self.table = table
        self.front = front

    def fact(self, body: str, path: Path) -> Fact:
        text = body.strip("\n")
        first = next((line for line in text.splitlines() if line.strip()), "")
        name = self.take("name", str, "")
        if name and not is_name(name):
            raise self.wrong("name", "not a name")
        summary = one_line(self.take("summary", str, "")) or one_line(first.lstrip("#- "))
        name = name or slug(path.stem) or slug(summary)
        if not summary:
            summary = name or "Nothing yet"
        kind = self.choice("kind", KINDS, "user")
        scope = self.take("scope", str, "")
        if scope and not is_scope(scope):
            raise self.wrong("scope", "not a scope")
        created = self.moment("created_at", _EPOCH)
        return Fact(
            name=name,
            summary=summary[:SUMMARY_MAX],
            kind=kind,
            body=text,
            number=max(0, self.take("number", int, 0)),
            id=self.take("id", str, ""),
            scope=scope or USER,
            status=self.choice("status", STATUSES, "active"),
            pinned=self.take("pinned", bool, kind in PINNED_KINDS),
            locked=self.take("locked", bool, False),
            share=self.choice("share", ("any", "local"), "any"),
            created_at=created,
            updated_at=self.moment("updated_at", created),
            confirmed_at=self.moment("confirmed_at", created),
            related=self.names("related"),
            supersedes=self.names("supersedes"),
            due=self.day("due"),
            source=self.source(),
            schema=self.take("schema", int, SCHEMA),
            extra=self.table,
            path=path,
        )

    def source(self) -> Source:
        table = self.table.pop("source", {})
        if not isinstance(table, dict):
            raise self.wrong("source", "not a table")
        inner = _Reader(table, self.front)
        known = Source(inner.choice("origin", ORIGINS, "user"), *(inner.take(k, str, "") for k in _SOURCE_TEXTS))
        if inner.table:
            self.table["source"] = inner.table
        return known

    def take(self, key: str, type_: type[Any], default: Any) -> Any:
        value = self.table.pop(key, default)
        if not isinstance(value, type_) or (type_ is int and isinstance(value, bool)):
            raise self.wrong(key, f"{key} is not {_TYPE_WORDS[type_]}")
        return value

    def choice(self, key: str, allowed: Iterable[Any], default: Any) -> Any:
        value = self.take(key, str, default)
        if value not in tuple(allowed):
            raise self.wrong(key, f"{key} {one_line(value)[:20]!r} is unknown")
        return value

    def names(self, key: str) -> tuple[str, ...]:
        value = self.table.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.wrong(key, f"{key} is not a list of names")
        return tuple(value)

    def moment(self, key: str, default: datetime) -> datetime:
        value = self.table.pop(key, default)
        if isinstance(value, datetime):
            value = value if value.tzinfo else value.replace(tzinfo=UTC)
        elif isinstance(value, date):
            value = datetime.combine(value, time(), UTC)
        else:
            raise self.wrong(key, f"{key} is not a time")
        try:
            return value.astimezone(UTC).replace(microsecond=0)
        except OverflowError as e:
            raise self.wrong(key, f"{key} is out of range") from e

    def day(self, key: str) -> date | None:
        value = self.table.pop(key, None)
        if isinstance(value, datetime):
            return value.date()
        if value is not None and not isinstance(value, date):
            raise self.wrong(key, f"{key} is not a date")
        return value

    def wrong(self, key: str, why: str) -> FactError:
        at = re.search(rf"^[ \t]*(?:{key}|\"{key}\")[ \t]*=|^\[[ \t]*{key}", self.front, re.MULTILINE)
        line = self.front.count("\n", 0, at.start()) + 2 if at else 2
        return FactError(f"line {line}, {why}")


_SOURCE_TEXTS = ("session", "message", "quote", "client", "accepted")
_TYPE_WORDS = {str: "a text", int: "a whole number", bool: "true or false"}


class _Instant(datetime):
    """Writes itself as TOML's examples do; tomli-w asks for nothing but the text."""

    def __str__(self) -> str:
        return self.strftime("%Y-%m-%dT%H:%M:%SZ")


def _instant(at: datetime) -> _Instant:
    return _Instant.fromtimestamp(int(at.timestamp()), UTC)


def render_fact(fact: Fact) -> str:
    """The file of a fact: front matter in a fixed order, unknown keys after the known ones, then the body."""
    import tomli_w

    table: dict[str, Any] = {"schema": fact.schema, "id": fact.id, "number": fact.number, "name": fact.name}
    table |= {"summary": fact.summary, "kind": fact.kind, "scope": fact.scope, "status": fact.status}
    table |= {"pinned": fact.pinned, "locked": fact.locked, "created_at": _instant(fact.created_at)}
    table |= {"updated_at": _instant(fact.updated_at), "confirmed_at": _instant(fact.confirmed_at)}
    table |= {"related": list(fact.related), "supersedes": list(fact.supersedes)}
    if fact.share != "any":
        table["share"] = fact.share
    if fact.due is not None:
        table["due"] = fact.due
    source: dict[str, Any] = {"origin": fact.source.origin}
    source |= {k: v for k in _SOURCE_TEXTS if (v := getattr(fact.source, k))}
    more = dict(fact.extra)
    source |= more.pop("source", {})
    # Plain values before tables: a key after a table would belong to it.
    table |= {k: v for k, v in more.items() if not isinstance(v, dict)}
    table["source"] = source
    table |= {k: v for k, v in more.items() if isinstance(v, dict)}
    body = fact.body + "\n" if fact.body else ""
    return f"{FENCE}\n{tomli_w.dumps(table)}{FENCE}\n{body}"
