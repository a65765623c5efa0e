"""What `<id>.meta.json` says of a session, derived from its log and from nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from sessions.clock import iso, parse_iso
from sessions.messages import THIS_MACHINE, AssistantMessage, Marker, Message, Record, Unknown, UserMessage
from sessions.store.counting import Counting
from sessions.store.recap import Digest, one_line

_WORDS = ("title", "created_at", "updated_at", "profile", "model", "cwd", "memory")
_RECAP = ("text", "by", "at", "upto")
_OURS = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z")
_SIZE = "log_bytes"
"""Key of meta.json beside Meta's own: the size of the log that it was made from."""
_TITLE = 200
"""Longest title that a person may give, in characters."""


@dataclass(frozen=True, slots=True)
class Meta:
    """A session as lists show it. Its fields are the keys of meta.json."""

    id: str
    title: str = ""
    """One line; empty when nobody named the session and nothing was asked in it."""
    created_at: str = ""
    updated_at: str = ""
    """When something was last said; a new title or a pin does not move it."""
    profile: str = ""
    model: str = ""
    cwd: str = ""
    messages: int = 0
    turns: int = 0
    """Those that count: none that was taken back."""
    tokens: dict[str, int] = field(default_factory=lambda: {"input": 0, "output": 0})
    cost: float | None = None
    """USD, as far as turns say it."""
    recap: dict[str, Any] | None = None
    """`{text, by, at, upto}`; `by` is `rule` or a model, `upto` the newest message it covers."""
    facts: tuple[str, ...] = ()
    """Names of the facts learned here."""
    source: dict[str, Any] | None = None
    """`{kind, path, uuid}` of a session that another program wrote."""
    forked_from: str | None = None
    pinned: bool = False
    archived: bool = False
    memory: str = "on"
    damaged: int | None = None
    """Lines of the log that cannot be read; None = there are none."""
    here: bool | None = None
    """Whether a model on this machine was told some of it; None: the log does not say where they were."""
    share: str | None = None
    """`any`: models elsewhere may see that, too; `local`: they may not, which holds without a word as well."""
    private: bool | None = None
    """True: what was said in it began in private, or is a copy of that, and is lent to no other program."""

    copies: dict[str, list[int]] | None = None
    """Session -> how many messages and turns were first told in it and are copied here: not counted, see `counted`."""

    def counted(self, there: Callable[[str], bool]) -> Meta:
        """With the copies counted whose session is not there."""
        gone = [counts for origin, counts in (self.copies or {}).items() if not there(origin)]
        if not gone:
            return self
        messages, turns = (sum(some) for some in zip(*gone, strict=True))
        return replace(self, messages=self.messages + messages, turns=self.turns + turns, copies=None)

    @property
    def repeats(self) -> bool:
        """Whether it was taken over and says nothing of its own: another that goes on with it came before."""
        return self.source is not None and not self.messages

    def as_json(self) -> dict[str, Any]:
        """The object of meta.json; what is unset and optional is left out."""
        out: dict[str, Any] = {}
        for name in _NAMES:
            value = getattr(self, name)
            if value is not None:
                out[name] = list(value) if name == "facts" else value
        return out

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Meta:
        """The Meta of an object that `as_json` made; ValueError for anything else."""
        known = {name: raw[name] for name in _NAMES if name in raw}
        shaped = isinstance(known.get("id"), str) and isinstance(known.get("tokens"), dict)
        if not shaped or not all(isinstance(known.get(name), str) for name in _WORDS):
            raise ValueError("not a session's meta")
        known["facts"] = tuple(known.get("facts", ()))
        return cls(**known)

    def values(self) -> list[Any]:
        """The fields in order, for `from_values`."""
        return [getattr(self, name) for name in _NAMES]

    @classmethod
    def from_values(cls, values: list[Any]) -> Meta:
        """The Meta of `values()` after a way through JSON; ValueError or TypeError for anything else."""
        if len(values) != len(_NAMES):
            raise ValueError("not a session's meta")
        values[_FACTS] = tuple(values[_FACTS])
        return cls(*values)


def as_file(meta: Meta, log_bytes: int) -> bytes:
    """The bytes of a meta.json that was made from a log of this size."""
    return json.dumps(meta.as_json() | {_SIZE: log_bytes}, ensure_ascii=False, indent=1).encode()


def from_file(path: Path, session: str, log_bytes: int | None) -> Meta | None:
    """What a meta.json says when it was made from a log of this size (None = of any), else None."""
    try:
        raw = json.loads(path.read_bytes())
        if log_bytes not in {None, raw.get(_SIZE)} or raw.get("id") != session:
            return None
        return Meta.from_json(raw)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None


def carried_on(meta: Meta, records: Iterable[Record]) -> Meta:
    """What these later records of the log change of how the session is kept and answered; nothing is counted."""
    now: dict[str, Any] = {}
    for record in records:
        if isinstance(record, Marker) and record.kind == "meta":
            now |= {"share": v} if (v := record.data.get("share")) in SHARES else {}
            now |= {k: v for k in _KEPT if isinstance(v := record.data.get(k), type(getattr(meta, k)))}
        elif isinstance(record, AssistantMessage) and record.parent is None and record.profile and not _copied(record):
            now |= {"profile": record.profile, "model": record.model}
    return replace(meta, **now)


def _copied(record: Message) -> bool:
    return record.extra.get("copied") is True


SHARES = ("any", "local")
_KEPT = ("title", "cwd", "memory", "profile", "model", "pinned", "archived")
_NAMES = tuple(f.name for f in fields(Meta))
_FACTS = _NAMES.index("facts")


_Counts: TypeAlias = tuple[int, int, int, dict[str, tuple[int, int]]]
"""Messages, tokens in, tokens out, and by session the messages and turns that are copies of its."""


class Derivation:
    """The fold behind `derive`: a growing log is read on from where it was left."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._digest = Digest()
        self._created = self._said = self._seen = ""
        self._title: str | None = None
        self._by_model: str | None = None
        """A title that a model gave."""
        self._recap: dict[str, Any] | None = None
        self._now: dict[str, Any] = {}
        """The newest value of each key that markers and answers set."""
        self._first: dict[str, Any] = {}
        self._messages = self._input = self._output = 0
        self._counting = Counting()
        self._cost: float | None = None
        self._here: bool | None = None
        self._copies: dict[str, list[int]] = {}
        self._after: dict[str, _Counts] = {}
        """What was counted up to each line, in a session of another program: it goes back where it tells again."""

    def feed(self, record: Record) -> None:
        """Take the next record of the log. Whatever its values are, it does not raise."""
        self._counting.feed(record)
        if isinstance(record, Unknown):
            return
        self._take(record)
        if "source" in self._first:
            self._after[record.id] = self._counts()

    def _take(self, record: Message | Marker) -> None:
        self._digest.feed(record)
        at = time_text(record.at)
        if at:
            self._seen = at
            self._created = self._created or at
        if isinstance(record, Marker):
            self._marker(record)
            return
        if isinstance(record, AssistantMessage) and record.place:
            self._here = self._here or record.place == THIS_MACHINE
        if record.parent is not None:
            return
        if _copied(record):
            self._copy(record)
            return
        self._said = self._seen
        self._messages += 1
        if isinstance(record, AssistantMessage):
            self._set({"profile": record.profile or None, "model": record.model or None})
            if record.usage:
                self._input += record.usage.input
                self._output += record.usage.output

    def meta(self) -> Meta:
        """What is known after the records so far."""
        digest, now = self._digest, self._now
        ruled = digest.title()
        given = self._title or self._by_model
        title = one_line(given, _TITLE) if given else ruled
        text = digest.recap(title)
        recap = {"text": text, "by": "rule", "at": self._said, "upto": digest.upto} if text else None
        if self._recap is not None and self._recap["upto"] == digest.upto:
            recap = self._recap
        source = self._first.get("source")
        forked = self._first.get("forked_from")
        return Meta(
            id=self._session,
            title=title,
            created_at=self._created,
            updated_at=self._said or self._created,
            profile=now.get("profile", ""),
            model=now.get("model", ""),
            cwd=now.get("cwd", ""),
            messages=self._messages,
            turns=self._counting.turns,
            tokens={"input": self._input, "output": self._output},
            cost=self._cost,
            recap=recap,
            facts=tuple(digest.facts),
            source=source if isinstance(source, dict) else None,
            forked_from=forked if isinstance(forked, str) else None,
            pinned=now.get("pinned") is True,
            archived=now.get("archived") is True,
            memory=now.get("memory", "on"),
            here=self._here,
            share=now.get("share"),
            copies={origin: [*counts] for origin, counts in self._copies.items()} or None,
            private=True if self._first.get("private") is True else None,
        )

    def _counts(self) -> _Counts:
        copies = {origin: (n, turns) for origin, (n, turns) in self._copies.items()}
        return self._messages, self._input, self._output, copies

    def _back(self, to: object) -> None:
        """Count nothing after the line; in a session of our own all that was said counts."""
        counts = (0, 0, 0, {}) if to is None else self._after.get(to) if isinstance(to, str) else None
        if "source" in self._first and counts is not None:
            self._messages, self._input, self._output, copies = counts
            self._copies = {origin: [*some] for origin, some in copies.items()}

    def _copy(self, message: Message) -> None:
        origin = message.extra.get("of", self._first.get("forked_from"))
        if isinstance(origin, str):
            counts = self._copies.setdefault(origin, [0, 0])
            counts[0] += 1
            counts[1] += isinstance(message, UserMessage)

    def _marker(self, marker: Marker) -> None:
        data = marker.data
        copied = data.get("copied") is True
        if marker.kind == "session" and not copied:
            self._first = self._first or data
            self._said = self._said or self._seen
            self._set(data)
        elif marker.kind == "rewound":
            self._back(data.get("to"))
        elif marker.kind == "meta":
            title, recap = data.get("title"), data.get("recap")
            if isinstance(title, str):
                if isinstance(data.get("by"), str):
                    self._by_model = title
                else:
                    self._title = title
            if isinstance(recap, dict) and all(isinstance(recap.get(key), str) for key in _RECAP):
                self._recap = {key: recap[key] for key in _RECAP}
            self._set(data)
            self._now |= {"share": v} if (v := data.get("share")) in SHARES else {}
            if not copied:
                self._now |= {k: v for k in ("pinned", "archived") if isinstance(v := data.get(k), bool)}
        elif marker.kind == "distilled" and not copied:
            usage = data.get("usage")
            if isinstance(usage, dict):
                self._input += _count(usage.get("input"))
                self._output += _count(usage.get("output"))
        elif marker.kind == "turn_end" and not copied:
            self._said = self._seen
            cost = data.get("cost")
            if isinstance(cost, int | float) and not isinstance(cost, bool):
                self._cost = (self._cost or 0.0) + cost

    def _set(self, data: Mapping[str, Any]) -> None:
        for key in ("cwd", "memory", "profile", "model"):
            if isinstance(value := data.get(key), str):
                self._now[key] = value


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def time_text(text: str) -> str | None:
    """The time as we write it, so that times sort as text; None for what is none."""
    if _OURS.fullmatch(text):
        return text
    at = parse_iso(text)
    return iso(at) if at else None


def derive(session: str, records: Iterable[Record]) -> Meta:
    """The Meta of a session's records. Pure: the same log gives the same meta.json on every machine."""
    derivation = Derivation(session)
    for record in records:
        derivation.feed(record)
    return derivation.meta()
