"""What changed in a fact from one journal entry to the next, in a few words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from sessions.memory.entries import JournalEntry
from sessions.memory.fact import Fact
from tui.memory.form_values import SEEN

_WHO = {"user": "you", "model": "model", "distilled": "learned", "import": "import", "tool": "tool", "mcp": "client"}


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a fact: its place in the history, who made it, what changed, when (ISO)."""

    number: int
    who: str
    text: str
    at: str
    op: str = ""
    """The change in the journal."""
    before: Fact | None = None
    after: Fact | None = None


def versions_of(entries: Sequence[JournalEntry]) -> list[Version]:
    """The versions, newest first, of entries that stand oldest first."""
    found = []
    for number, entry in enumerate(entries, 1):
        who = entry.by.client or _WHO.get(entry.by.origin, entry.by.origin)
        before = entry.before or entry.replaced
        found.append(Version(number, who, _told(entry), entry.at, entry.op, before, entry.after))
    return found[::-1]


def _told(entry: JournalEntry) -> str:
    before, after = entry.before or entry.replaced, entry.after
    if entry.action == "superseded" and after is not None and after.number != entry.number:
        return f"replaced by #{entry.number} {entry.name}"
    undone = "undone: " if entry.undoes else ""
    if before is None or after is None or entry.action in {"confirmed", "completed"}:
        word = "taken back" if entry.undoes else entry.action
        return word
    text = difference(before, after)
    if entry.action in {"restored", "forgotten", "superseded"} and not text:
        return entry.action
    return undone + (text or entry.action)


def difference(before: Fact, after: Fact) -> str:
    """The first thing that differs, and how many more do: `in one line: A → B · 1 more`."""
    words = []
    if before.summary != after.summary:
        words.append(f"in one line: {before.summary} → {after.summary}")
    if before.name != after.name:
        words.append(f"name: {before.name} → {after.name}")
    if before.kind != after.kind:
        words.append(f"kind: {before.kind} → {after.kind}")
    if before.status != after.status:
        words.append({"active": "on", "off": "off"}.get(after.status, after.status))
    if before.pinned != after.pinned:
        words.append(f"always send: {'yes' if after.pinned else 'no'}")
    if before.share != after.share:
        words.append(f"seen by: {SEEN[after.share]}")
    if before.locked != after.locked:
        words.append("locked" if after.locked else "not locked")
    if before.due != after.due:
        words.append(f"due: {after.due or 'none'}")
    if before.related != after.related:
        added = [f"+ {n}" for n in after.related if n not in before.related]
        gone = [f"- {n}" for n in before.related if n not in after.related]
        words.append("related: " + " ".join(added + gone))
    if before.body != after.body:
        words.append("body")
    if before.scope != after.scope:
        words.append(f"scope: {after.scope}")
    return " · ".join(words[:1] + ([f"{len(words) - 1} more"] if len(words) > 1 else []))


def differences(before: Fact | None, after: Fact | None) -> list[tuple[str, str, str]]:
    """The fields that differ: label, the old text, the new one; empty for what was not there."""
    old, new = _fields(before), _fields(after)
    labels = dict.fromkeys([*old, *new])
    return [(k, old.get(k, ""), new.get(k, "")) for k in labels if old.get(k, "") != new.get(k, "")]


def changed_lines(old: str, new: str) -> list[tuple[str, str]]:
    """The lines that are gone (`-`), have come (`+`) or stand between (a blank)."""
    a, b = (text.split("\n") if text else [] for text in (old, new))
    out: list[tuple[str, str]] = []
    for tag, i, i2, j, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            out += [(" ", text) for text in a[i:i2]]
        else:
            out += [("-", text) for text in a[i:i2]] + [("+", text) for text in b[j:j2]]
    return out


def _fields(fact: Fact | None) -> dict[str, str]:
    if fact is None:
        return {}
    return {
        "in one line": fact.summary,
        "name": fact.name,
        "kind": fact.kind,
        "state": {"active": "on"}.get(fact.status, fact.status),
        "always send": "yes" if fact.pinned else "no",
        "seen by": SEEN[fact.share],
        "locked": "yes" if fact.locked else "no",
        "due": fact.due.isoformat() if fact.due else "",
        "related": " · ".join(fact.related),
        "scope": fact.scope,
        "body": fact.body,
    }
