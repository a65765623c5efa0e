"""What a draft or an edit makes of a fact: checked, cleaned, and compared with what is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any, Literal

from sessions.errors import FactError
from sessions.ids import uuid4
from sessions.memory.fact import By, Draft, Fact
from sessions.memory.following import followed
from sessions.memory.rules import (
    PINNED_KINDS,
    check_body,
    check_kind,
    check_name,
    check_scope,
    check_summary,
    folded,
    same_text,
    slug,
)

EDITABLE = ("summary", "name", "kind", "body", "pinned", "locked", "status", "due", "related", "scope", "share")


class FactChangedError(FactError):
    """The fact is no longer as it was when the change was thought of."""

    def __init__(self, now: Fact, fields: Iterable[str]) -> None:
        super().__init__(f"#{now.number} {now.name} was changed meanwhile: {', '.join(sorted(fields))}", "Look again")
        self.now = now


def check_unchanged(was: Fact, now: Fact, wanted: dict[str, Any]) -> None:
    """Raises FactChangedError when a field to be changed has got another value from somebody else."""
    moved = {k for k, v in wanted.items() if getattr(now, k) not in (getattr(was, k), v)}
    if moved:
        raise FactChangedError(now, moved)


def changed_fields(old: Fact, new: Fact) -> set[str]:
    """Names of the editable fields in which two facts differ."""
    return {f for f in EDITABLE if getattr(old, f) != getattr(new, f)}


def checked(fact: Fact, fields: dict[str, Any]) -> dict[str, Any]:
    """The values to set, checked and cleaned. Raises FactError that names the field."""
    out = dict(fields)
    unknown = out.keys() - EDITABLE
    if unknown:
        raise FactError(f"{', '.join(sorted(unknown))} cannot be changed")
    if "summary" in out:
        out["summary"] = check_summary(out["summary"])
    if "body" in out:
        out["body"] = check_body(out["body"]) if out["body"] != fact.body else fact.body
    elif "summary" in out and fact.body:
        out["body"] = followed(fact.body, fact.summary, out["summary"])
    if "kind" in out:
        out["kind"] = check_kind(out["kind"])
    if "related" in out:
        out["related"] = names(out["related"] or ())
    if out.get("status", "active") not in {"active", "off"}:
        raise FactError(f"status {out['status']!r} is unknown", "Use active or off")
    if out.get("share", "any") not in {"any", "local"}:
        raise FactError(f"share {out['share']!r} is unknown", "Use any or local")
    if "scope" in out:
        check_scope(out["scope"])
    if "name" in out:
        check_name(out["name"])
    for flag in {"pinned", "locked"} & out.keys():
        if not isinstance(out[flag], bool):
            raise FactError(f"{flag} is true or false")
    if not isinstance(out.get("due"), date | None):
        raise FactError("due is a date")
    kind = out.get("kind", fact.kind)
    if out.get("due") and kind != "open-thread":
        raise FactError("due belongs to the kind open-thread only")
    if kind != "open-thread":
        out["due"] = None
    return out


def updated(old: Fact, draft: Draft, by: By, now: datetime) -> Fact:
    """The old fact with the draft's text. What the draft leaves open stays, but not a body about other words."""
    kind = check_kind(draft.kind)
    pinned = old.pinned if kind == old.kind else kind in PINNED_KINDS
    due = draft.due or (old.due if kind == "open-thread" else None)
    return replace(
        old,
        summary=draft.summary,
        kind=kind,
        body=draft.body or (old.body if same_text(draft.summary, old.summary) else ""),
        status="active",
        pinned=pinned if draft.pinned is None else draft.pinned,
        related=old.related if draft.related is None else names(draft.related),
        due=due,
        share=share_of(draft, (old,)),
        updated_at=now,
        confirmed_at=now,
        source=draft.source or by.source(),
    )


def made(name: str, draft: Draft, by: By, number: int, now: datetime, gone: Sequence[Fact]) -> Fact:
    """A new fact of a draft, in the place of those that are gone. Raises FactError for an unknown kind."""
    kind = check_kind(draft.kind)
    return Fact(
        name=name or f"fact-{number}",
        summary=draft.summary,
        kind=kind,
        body=draft.body,
        number=number,
        id=uuid4(),
        scope=draft.scope,
        pinned=kind in PINNED_KINDS if draft.pinned is None else draft.pinned,
        created_at=now,
        updated_at=now,
        confirmed_at=now,
        related=names(draft.related or ()),
        supersedes=tuple(dict.fromkeys(f.name for f in gone)),
        due=draft.due,
        source=draft.source or by.source(),
        share=share_of(draft, gone),
    )


def share_of(draft: Draft, before: Iterable[Fact]) -> Literal["any", "local"]:
    """Who may see what a draft makes of these facts: no more than saw them, unless it says so."""
    return draft.share or ("local" if any(fact.share == "local" for fact in before) else "any")


def repeats(draft: Draft, fact: Fact) -> bool:
    """Whether the draft says what the fact says."""
    return same_text(draft.summary, fact.summary) and (not draft.body or folded(draft.body) == folded(fact.body))


def is_meant(draft: Draft, fact: Fact) -> bool:
    """Whether a draft of the fact's name is about it; one that has no name of its own, only when it says the same."""
    return bool(draft.name) or repeats(draft, fact)


def differs(draft: Draft, fact: Fact) -> bool:
    """Whether the draft changes more than words."""
    return (
        draft.kind != fact.kind
        or (draft.due is not None and draft.due != fact.due)
        or (draft.pinned is not None and draft.pinned != fact.pinned)
        or (draft.related is not None and names(draft.related) != fact.related)
    )


def check_open(fact: Fact) -> None:
    """Raises FactError for a locked fact."""
    if fact.locked:
        raise FactError(f"#{fact.number} {fact.name} is locked", "Only the person changes it, by hand")


def names(names: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(n for n in (slug(str(name)) for name in names) if n))
