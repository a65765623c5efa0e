"""The last turns of a conversation as lines, drawn from its events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rich.style import Style
from textual.strip import Strip

from sessions.events import (
    Event,
    FactEvent,
    FactsRecalled,
    FactWritten,
    Rewound,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from tui.widgets.look import Look
from tui.widgets.rows import LEFT, NO_STYLE, TIME_CELLS, Part, line, wrap
from tui.widgets.tree_rows import told_arguments
from tui.widgets.when import clock_time, counted, duration, span

TEXT_CELLS = 96
"""Text lines are at most this wide."""
LAST_TURNS = 3
_LONG_PROMPT, _LONG_ANSWER = 6, 24


@dataclass(slots=True)
class Call:
    name: str
    arguments: dict[str, Any] | str
    content: str = ""
    ok: bool | None = None
    """None = no result was kept."""
    ms: int = 0
    facts: list[FactEvent] = field(default_factory=list)


@dataclass(slots=True)
class Turn:
    """One turn, as far as the tail shows it. `parts` are calls and answer texts in their order."""

    number: int
    text: str
    at: str = ""
    parts: list[Call | str] = field(default_factory=list)
    ms: int = 0
    always_sent: int = 0
    note: str = ""
    """What went wrong."""


def turns_of(events: Iterable[Event]) -> list[Turn]:
    """The turns of a replay, oldest first, without those that were taken back."""
    turns: list[Turn] = []
    calls: dict[str, Call] = {}
    for event in events:
        if isinstance(event, TurnStarted):
            turns.append(Turn(event.turn, event.text, event.at))
            calls = {}
        elif not turns:
            continue
        elif isinstance(event, Rewound):
            turns = [turn for turn in turns if turn.number < event.turn]
        elif isinstance(event, TextDelta):
            parts = turns[-1].parts
            if parts and isinstance(parts[-1], str):
                parts[-1] += event.text
            else:
                parts.append(event.text)
        elif isinstance(event, ToolCallStarted):
            calls[event.call_id] = Call(event.name, event.arguments)
            turns[-1].parts.append(calls[event.call_id])
        elif isinstance(event, ToolCallFinished) and event.call_id in calls:
            call = calls[event.call_id]
            call.content, call.ok, call.ms = event.content, event.ok, event.ms
        elif isinstance(event, FactEvent) and event.call_id in calls:
            calls[event.call_id].facts.append(event)
        elif isinstance(event, TurnFinished):
            turns[-1].ms, turns[-1].always_sent = event.ms, event.always_sent
            turns[-1].note = "stopped" if event.stop == "cancelled" else ""
        elif isinstance(event, TurnFailed):
            turns[-1].ms, turns[-1].note = event.ms, event.error
    return turns


def told_result(content: str, ok: bool | None, facts: Sequence[FactEvent]) -> str:
    """The result of a call in few words: facts by count or number, an error by its first line."""
    if ok is False:
        return next((text for text in content.splitlines() if text.strip()), "failed")
    if ok is None:
        return "no result"
    recalled = sum(len(f.numbers) for f in facts if isinstance(f, FactsRecalled))
    if recalled:
        return counted(recalled, "fact")
    numbers = [n for f in facts for n in f.numbers]
    return f"fact {numbers[0]}" if len(numbers) == 1 else counted(len(numbers), "fact") if numbers else ""


def call_line(width: int, look: Look, call: Call) -> Strip:
    """Mark, name, arguments, result and time of a call, in one line."""
    mark, style = (look.marks.failed, look.err) if call.ok is False else (look.marks.done, look.ok)
    if call.ok is None:
        mark, style = look.marks.off, look.muted
    left: list[Part] = [(mark, style), (" ", NO_STYLE), (call.name, look.fg)]
    arguments, _ = told_arguments(call.arguments)
    if arguments:
        left += [("  ", NO_STYLE), (arguments, look.muted)]
    result = told_result(call.content, call.ok, call.facts)
    time = duration(call.ms).rjust(TIME_CELLS) if call.ok is not None else ""
    right = [(result[:40], look.err if call.ok is False else look.muted), (time, look.muted)]
    return line(width, left, right)


def tail(width: int, look: Look, turns: Sequence[Turn], now: datetime) -> list[Strip]:
    """The turns as lines: prompts as bands, calls one line each, answers as wrapped text, the foot with the time."""
    blank = Strip.blank(width, Style())
    cells = min(TEXT_CELLS, width - LEFT - 4)
    out: list[Strip] = []
    for turn in turns:
        out += [blank, *_prompt(width, look, turn, now)]
        before: object = None
        for part in turn.parts:
            if isinstance(part, Call):
                out += [] if isinstance(before, Call) else [blank]
                out.append(call_line(width, look, part))
            elif part.strip():
                out += [blank, *_answer(width, look, part, cells)]
            before = part
        out += _foot(width, look, turn, blank)
    return out


def _prompt(width: int, look: Look, turn: Turn, now: datetime) -> list[Strip]:
    time = clock_time(turn.at, now)
    lines = wrap(turn.text.strip(), min(TEXT_CELLS, width - LEFT - 6 - len(time)))
    lines = _shortened(lines, _LONG_PROMPT)
    out = []
    for i, text in enumerate(lines):
        mark: Part = (look.marks.prompt, look.accent) if i == 0 else (" ", NO_STYLE)
        right = [(time, look.muted)] if i == 0 and time else []
        out.append(line(width, [mark, (" ", NO_STYLE), (text, look.bold)], right, band=look.raised_bg))
    return out


def _answer(width: int, look: Look, text: str, cells: int) -> list[Strip]:
    lines = _shortened(wrap(text.strip(), cells), _LONG_ANSWER)
    return [line(width, [("  ", NO_STYLE), (text, look.fg)]) for text in lines]


def _shortened(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[: most - 1], f"… {len(lines) - most + 1} more lines"]


def _foot(width: int, look: Look, turn: Turn, blank: Strip) -> list[Strip]:
    if turn.note:
        style = look.muted if turn.note == "stopped" else look.err
        return [
            blank,
            *(line(width, [("  ", NO_STYLE), (text, style)]) for text in wrap(turn.note, width - LEFT - 4)[:3]),
        ]
    words = []
    facts = [f for part in turn.parts if isinstance(part, Call) for f in part.facts]
    recalled = [name for f in facts if isinstance(f, FactsRecalled) for name in f.names]
    saved = [f"#{n}" for f in facts if isinstance(f, FactWritten) for n in f.numbers]
    if recalled:
        words.append("recalled " + look.marks.dot.join(f" {name} " for name in recalled).strip())
    if saved:
        words.append("saved " + ", ".join(saved))
    if turn.always_sent:
        words.append(f"+ {turn.always_sent} always sent")
    if not words:
        return []
    text = f" {look.marks.dot} ".join(words)
    time = [(span(turn.ms), look.muted)] if turn.ms else []
    return [blank, line(width, [(look.marks.pinned, look.accent), (" ", NO_STYLE), (text, look.muted)], time)]
