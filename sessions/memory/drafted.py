"""What a model wrote about a fact, made into the fields of a draft: it may call things by other names and run long."""

from __future__ import annotations

from datetime import date

from sessions.errors import FactError
from sessions.memory.rules import SUMMARY_MAX, Kind, check_kind, one_line

CATEGORIES = {"preferences": "preference", "contacts": "contact", "open_threads": "open-thread"}
"""Kinds as an earlier argument named them."""


def kind_named(text: str) -> Kind:
    """The kind that a model named. Raises FactError."""
    text = text.strip()
    return check_kind(CATEGORIES.get(text, text.lower().replace("_", "-").replace(" ", "-")))


def split_summary(summary: str, body: str) -> tuple[str, str]:
    """One line, and the rest. A text too long for a line becomes the body, its beginning the line."""
    lines = [line for line in (one_line(line) for line in summary.splitlines()) if line]
    first = lines[0] if lines else ""
    if not body and (len(lines) > 1 or len(first) > SUMMARY_MAX):
        body = summary
        if len(first) > SUMMARY_MAX:
            first = first[: SUMMARY_MAX - 1].rstrip() + "…"
    return (first, body) if len(lines) < 2 or body == summary else (one_line(summary), body)


def due_date(text: str | None) -> date | None:
    """The date of an open thread. Raises FactError for a text that is none."""
    if not text:
        return None
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise FactError(f"due {one_line(text)[:40]!r} is not a date", "Write it as 2026-12-04") from None
