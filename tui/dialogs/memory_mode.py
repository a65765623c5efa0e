"""How this session treats memory: four lines, never a blind cycle."""

from __future__ import annotations

from tui.dialogs.choice import Choice, ChoiceRow
from tui.widgets.look import UNICODE, Marks


def memory_mode(current: str, marks: Marks = UNICODE, *, private: bool = False) -> Choice:
    """Gives on, read-only, off or private. A private session saves nothing, whatever is chosen."""
    if private:
        current = "off" if current == "off" else "read-only"
    rows = [
        ChoiceRow("on", "On", "recalls facts and saves new ones", mark=marks.pinned, letter="1"),
        ChoiceRow("read-only", "Use, don't save", "recalls facts, saves none", mark=marks.active, letter="2"),
        ChoiceRow("off", "Off", "the model sees no trace of memory", mark=marks.off, mark_style="muted", letter="3"),
        ChoiceRow("private", "Private", "a new session of which nothing is kept", mark=marks.off, mark_style="muted",
                  letter="4"),
    ]  # fmt: skip
    if private:
        del rows[0]
    for row in rows:
        row.right = "now" if row.key == current else row.letter
    return Choice("Memory in this private session" if private else "Memory in this session", rows, current)
