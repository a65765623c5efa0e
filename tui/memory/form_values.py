"""What the form of a fact holds, as text, and what it means. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any, Literal

from sessions.errors import FactError
from sessions.memory.fact import Draft, Fact
from sessions.memory.rules import NAME_MAX, PINNED_KINDS, SUMMARY_MAX, check_kind, is_name, one_line, plain_text, slug

WAITS = "open-thread"
SEEN = {"any": "any model", "local": "this machine only"}
"""What models see a fact, by its `share`."""
_LABELS = {"summary": "in one line", "pinned": "always send", "share": "seen by"}


@dataclass(frozen=True, slots=True)
class FormValues:
    """The fields as they stand in the form."""

    name: str = ""
    summary: str = ""
    kind: str = "user"
    pinned: bool = False
    locked: bool = False
    due: str = ""
    related: str = ""
    body: str = ""
    share: Literal["any", "local"] = "any"


def values_of(fact: Fact | None) -> FormValues:
    """The fields of a fact; of None those of a new one."""
    if fact is None:
        return FormValues()
    due = fact.due.isoformat() if fact.due else ""
    related = " · ".join(fact.related)
    return FormValues(fact.name, fact.summary, fact.kind, fact.pinned, fact.locked, due, related, fact.body, fact.share)


@dataclass(frozen=True, slots=True)
class Merged:
    """What stands in a form after the fact was changed elsewhere."""

    values: FormValues
    clash: tuple[str, ...]
    """Fields that both changed, each to something else; the values have what was typed."""


def merge(base: FormValues, mine: FormValues, theirs: FormValues, clash: tuple[str, ...] = ()) -> Merged:
    """Theirs, but mine where I changed what both began with. `clash` = the fields known to be changed by both."""
    names = [f.name for f in fields(FormValues)]
    kept = {name: getattr(mine, name) for name in names if getattr(mine, name) != getattr(base, name)}
    differ = [name for name, value in kept.items() if value != getattr(theirs, name)]
    both = tuple(n for n in differ if n in clash or getattr(theirs, n) != getattr(base, n))
    return Merged(replace(theirs, **kept), both)


def clash_words(clash: tuple[str, ...], theirs: FormValues) -> str:
    """One line on what was changed elsewhere too; empty when nothing was."""
    said = []
    for name in clash:
        value = getattr(theirs, name)
        value = SEEN[value] if name == "share" else value
        text = one_line(value) if isinstance(value, str) else "yes" if value else "no"
        said.append(f"{_LABELS.get(name, name)}: {text or 'nothing'}")
    return f"changed elsewhere: ^s yours, esc theirs · {' · '.join(said)}" if said else ""


def share_of(seen: str) -> Literal["any", "local"]:
    """The `share` of one of `SEEN`."""
    return "local" if seen == SEEN["local"] else "any"


def names_in(text: str) -> tuple[str, ...]:
    """The names in the field `related`, however they are separated."""
    return tuple(
        dict.fromkeys(word for word in re.split(r"[\s,;·]+", text.replace("[[", " ").replace("]]", " ")) if word)
    )


def problems(values: FormValues) -> dict[str, str]:
    """Field -> what is wrong with it, in a few words. Empty when the fact can be saved."""
    found: dict[str, str] = {}
    if values.name and not is_name(values.name):
        found["name"] = f"only a-z 0-9 -, at most {NAME_MAX}"
    line = one_line(values.summary)
    if not line:
        found["summary"] = "say it in one line"
    elif len(line) > SUMMARY_MAX:
        found["summary"] = f"{len(line)} of {SUMMARY_MAX}"
    try:
        check_kind(values.kind)
    except FactError:
        found["kind"] = "unknown"
    if values.due.strip() and values.kind == WAITS:
        try:
            _day(values.due)
        except ValueError:
            found["due"] = "a day like 2026-12-04"
    wrong = next((name for name in names_in(values.related) if not is_name(name)), None)
    if wrong is not None:
        found["related"] = f"no name: {wrong}"
    return found


def _day(text: str) -> date | None:
    text = text.strip()
    return date.fromisoformat(text) if text else None


def _meaning(values: FormValues) -> dict[str, Any]:
    return {
        "name": values.name or slug(one_line(values.summary)),
        "summary": one_line(values.summary),
        "kind": values.kind,
        "body": plain_text(values.body),
        "pinned": values.pinned,
        "locked": values.locked,
        "due": _day(values.due) if values.kind == WAITS else None,
        "related": names_in(values.related),
        "share": values.share,
    }


def changed(fact: Fact, values: FormValues) -> dict[str, Any]:
    """The fields of a fact that the form changes, as `FactStore.edit` takes them. The values have no problems."""
    fields = _meaning(replace(values, name=values.name or fact.name))
    fields["due"] = fields["due"] if values.kind == WAITS else fact.due if fact.kind == values.kind else None
    return {key: value for key, value in fields.items() if value != getattr(fact, key)}


def draft(values: FormValues) -> Draft:
    """A new fact of the form. The values have no problems."""
    f = _meaning(values)
    more = {key: f[key] for key in ("related", "due", "pinned", "share")}
    return Draft(values.name, f["summary"], f["kind"], f["body"], **more)


def default_pinned(kind: str) -> bool:
    """Whether a new fact of that kind is always sent."""
    return kind in PINNED_KINDS
