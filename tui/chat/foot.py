"""The line under an answer: which facts stood behind it, what was saved, how long it took."""

from __future__ import annotations

from tui.chat.blocks import Foot, FootItem
from tui.chat.runs import Line, Run, blank, cut_line, width_of, words
from tui.widgets.look import Marks
from tui.widgets.when import span

_STOPS = {
    "length": "cut off at a limit",
    "cancelled": "stopped",
    "max_steps": "stopped at the step limit",
    "repeat": "stopped: the same call again and again",
    "failed": "failed",
}


def label(item: FootItem) -> str:
    """`lives-in-tokyo`, `#13`, `+ 8 always sent`."""
    if item.kind == "always":
        return f"+ {item.count} always sent"
    if item.kind == "recalled":
        return item.name
    return f"#{item.number}" if item.number else item.name


KEYS = "foot:keys"
"""A click there lets the keys act on the foot."""


def answered_by(foot: Foot, who: tuple[str, str]) -> str:
    """The model that answered when it is not the one of now; the profile's name when both have the same model."""
    if foot.who == who or not all(foot.who) or not all(who):
        return ""
    return foot.who[1] if foot.who[1] != who[1] else foot.who[0]


def draw_foot(foot: Foot, width: int, marks: Marks, chosen: int | None, who: tuple[str, str] = ("", "")) -> list[Line]:
    """`◆ recalled a · saved #13 · + 8 always sent`, the turn's time right; `chosen` is where the keys act.

    `who`: profile and model that answer now.
    """
    focused = chosen is not None
    text: Line = []
    state = _STOPS.get(foot.stop, "")
    if state:
        text.append(words(state, "err" if foot.stop == "failed" else "muted"))
    kind = ""
    for i, item in enumerate(foot.items):
        if text:
            text.append(Run(f" {marks.dot} ", "muted"))
        if item.kind not in {kind, "always"}:
            text.append(Run(f"{item.kind} ", "muted", target=KEYS))
        kind = item.kind
        text.append(words(label(item), "fg+b@sel" if i == chosen else "muted", f"foot:{i}"))
    by = cut_line([words(answered_by(foot, who), "muted+i")], max(8, width // 3)) if answered_by(foot, who) else []
    time = [*by, *([words(f" {marks.dot} " if by else "", "muted")] if foot.ms else [])]
    time += [words(span(foot.ms), "muted")] if foot.ms else []
    if not text and not time:
        return []
    edge = Run(marks.focus if focused else " ", "accent")
    mark = Run(marks.pinned if foot.items else " ", "accent", target=KEYS if foot.items else "")
    end = width - 2
    room = end - 4 - width_of(time) - 2
    text = cut_line(_scrolled(text, room, chosen, marks) if focused else text, room)
    line = [blank(1), edge, mark, blank(1), *text]
    return [[*line, blank(end - width_of(line) - width_of(time)), *time]]


def _scrolled(text: Line, room: int, chosen: int | None, marks: Marks) -> Line:
    """The line from where the chosen fact is in sight."""
    if width_of(text) <= room:
        return text
    for i, run in enumerate(text):
        if run.target == f"foot:{chosen}":
            first = i
            while first > 0 and width_of(text[first - 1 : i + 1]) < room - 2:
                first -= 1
            return text if first == 0 else [Run(marks.ellipsis[:1], "muted"), *text[first:]]
    return text
