"""What an undo did, and the change that it would take back, in a few words. Pure."""

from __future__ import annotations

from datetime import datetime, tzinfo

from sessions.clock import parse_iso
from sessions.memory.entries import JournalEntry
from sessions.memory.fact import Fact
from sessions.memory.reconcile import Change
from tui.memory.form_values import SEEN
from tui.memory.versions import difference

_DONE = {
    "created": "saved",
    "restored": "brought back",
    "forgotten": "forgotten",
    "accepted": "accepted",
    "rejected": "rejected",
}

_BODY = "body as before"


def undone(change: Change) -> str:
    """What became of the facts: `unlocked: Lives in Tokyo · #7`."""
    return ", ".join([f"{undone_word(change)}: {_named(change.fact)}", *(f"back: {_named(f)}" for f in change.back)])


def undone_word(change: Change) -> str:
    """What became of the fact itself: `back`, `forgotten again`, `unlocked`, `in one line again`."""
    fact, was = change.fact, change.before
    if change.undid in {"accepted", "rejected"}:
        return "waits again"
    if fact.status == "forgotten":
        return "forgotten again" if change.undid == "restored" else "forgotten"
    if was is None or was.status not in {"active", "off"}:
        return "open again" if fact.kind == "open-thread" else "back"
    words = [word for field, word in _words(fact).items() if getattr(fact, field) != getattr(was, field)]
    if len(words) > 1 and fact.summary != was.summary and _BODY in words:
        words.remove(_BODY)  # it follows the one line
    return ", ".join(words) or "as it was"


def question(entry: JournalEntry, zone: tzinfo | None = None) -> str:
    """The change that an undo would take back, and whether to."""
    before, after = entry.before, entry.after
    fact = after or before
    line = f": {fact.summary}" if fact else ""
    did = _DONE.get(entry.action, "")
    if not did and before and after:
        did = difference(before, after)
    at = parse_iso(entry.at)
    when = f" ({_when(at.astimezone(zone))})" if at else ""
    return f"#{entry.number} {entry.name}{line}\nLast change{when}: {did or entry.action}. Take it back?"


def _words(fact: Fact) -> dict[str, str]:
    """What is said of a field that has its value again."""
    return {
        "summary": "in one line again",
        "name": f"named {fact.name} again",
        "kind": f"of kind {fact.kind} again",
        "status": "off again" if fact.status == "off" else "on again",
        "pinned": "always sent again" if fact.pinned else "always sent no more",
        "locked": "locked again" if fact.locked else "unlocked",
        "share": f"seen by {SEEN[fact.share]} again",
        "due": f"due {fact.due.isoformat()} again" if fact.due else "without a date again",
        "related": f"related to {', '.join(fact.related)} again" if fact.related else "related to nothing again",
        "body": _BODY,
        "scope": "of this folder only again" if fact.scope != "user" else "for everywhere again",
    }


def _named(fact: Fact) -> str:
    return f"{fact.summary} · #{fact.number}"


def _when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"
