"""A change that waits for the person's yes: what is now and what would be, why, and what accepting does. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.style import Style
from textual.strip import Strip

from sessions.memory.fact import Fact
from tui.memory.fact_detail import Background, source_lines
from tui.memory.fact_rows import fact_line
from tui.widgets.cells import cell_len, pad
from tui.widgets.look import Look
from tui.widgets.rows import LEFT, NO_STYLE, Part, RowState, line, section, wrap

if TYPE_CHECKING:
    from sessions.memory.review import Item

_LABEL_CELLS = 12
_GAP = 2
_LEAST_SIDE = 30
"""Cells of a side; with less room the sides stand one under the other."""
_FEW_LINES = 2
_TEXT_CELLS = 96
_BUTTONS = (("a", "Accept", "proposal-accept"), ("e", "Edit", "proposal-edit"), ("x", "Reject", "proposal-reject"))


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal as it is shown."""

    item: Item
    at: int
    """Its place among all that wait, from 1."""
    of: int
    group: int
    """How many wait from the same source."""
    source_title: str = ""
    """Title of the session it comes from."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a side: the field's name in its first, the text, whether the other side has it too."""

    label: str
    text: str
    changed: bool
    others: frozenset[str]
    """The words that the other side has in this field."""
    whole: bool = False
    """It has the side to itself: the field's name stands above it."""


def title_of(item: Item) -> str:
    """`Change to fact 7, lives-in-tokyo`."""
    named = ", ".join(f"{f.number}, {f.name}" if len(item.now) == 1 else str(f.number) for f in item.now)
    match item.proposal.proposes:
        case "update":
            return f"Change to fact {named}"
        case "supersede":
            return f"In place of fact {named}"
        case "forget":
            return f"Forget fact {named}"
        case "merge":
            return f"One fact of {named}"
        case _:
            return f"New fact, {item.fact.name}"


def proposal_lines(width: int, look: Look, shown: Waiting, now: datetime, *, stacked: bool) -> list[Strip]:
    """All of it; `stacked` puts what is now above what would be."""
    item, blank, room = shown.item, Strip.blank(width, Style()), width - LEFT - 2
    words = f"waits as #{item.number}"
    if shown.group > 1:
        words += f" · {item.group}: {shown.group}"
    out = [line(width, [(words, look.muted)]), blank]
    out += _sides(width, look, item, stacked=stacked)
    out += [blank, _buttons(width, look), blank]
    out.append(section(width, look, "Why it waits"))
    out += [line(width, [(text, look.fg)]) for text in wrap(item.why or "it was proposed", min(_TEXT_CELLS, room))]
    if item.against:
        out += [blank, section(width, look, "Close to it, and stays")]
        out += [fact_line(width, look, RowState(), fact, now, word=fact.kind) for fact in item.against]
    out += [blank, section(width, look, "If you accept")]
    for said in _consequences(item):
        first, *rest = wrap(said, min(_TEXT_CELLS, room) - 2)
        out.append(line(width, [(look.marks.item + " ", look.muted), (first, look.fg)]))
        out += [line(width, [("  ", NO_STYLE), (text, look.fg)]) for text in rest]
    out += [blank, *source_lines(width, look, item.fact, Background(source_title=shown.source_title), now)]
    return out


def _consequences(item: Item) -> list[str]:
    said = [f"{item.does}; u undoes it."]
    match item.proposal.proposes:
        case "update":
            said.append(f"Fact {item.now[0].number} keeps its name, number and history." if item.now else "")
        case "forget":
            said.append("It goes to the archive and is not sent or recalled any more.")
            return said
    said.append(f"It holds in the project {item.project} only." if item.project else "It holds in every folder.")
    if item.fact.pinned:
        said.append("It is always sent: the next request already has it.")
    return [text for text in said if text]


def _values(fact: Fact) -> list[tuple[str, str]]:
    """The fields that a person decides on, as text; what is empty is left out."""
    fields = [
        ("in one line", fact.summary),
        ("kind", fact.kind),
        ("always send", "yes" if fact.pinned else "no"),
        ("due", fact.due.isoformat() if fact.due else ""),
        ("related", " · ".join(fact.related)),
        ("body", fact.body),
    ]
    return [(label, text) for label, text in fields if text]


def _sides(width: int, look: Look, item: Item, *, stacked: bool) -> list[Strip]:
    room = width - LEFT - 2
    half = (room - _GAP) // 2
    stacked = stacked or half < _LEAST_SIDE
    cells = room if stacked else half
    forget = item.proposal.proposes == "forget"
    before: list[tuple[str, str]] = []
    for fact in item.now:
        before += _values(fact) if len(item.now) == 1 else [("fact " + str(fact.number), fact.summary)]
        before += [("", fact.body)] if len(item.now) > 1 and fact.body else []
    after = [] if forget else _values(item.fact)
    beside = cells - LEFT - _LABEL_CELLS
    long = {label for label, text in (*before, *after) if not stacked and _is_long(text, beside)}
    old, new = _compared(before, after, _Room(beside, frozenset(long)))
    left = [("now", look.muted_bold), *_drawn(old, "-", look.err, look.delete_bg, cells, look)]
    right = [("proposed", look.muted_bold), *_drawn(new, "+", look.ok, look.add_bg, cells, look)]
    left += [] if old else [("  nothing yet", look.muted)]
    right += [] if new else [("  forgotten", look.muted)]
    if stacked:
        return [line(width, _as_parts(side, cells)) for side in (*left, ("", NO_STYLE), *right)]
    pairs = zip_longest(left, right, fillvalue=("", NO_STYLE))
    return [line(width, [*_as_parts(a, cells), (" " * _GAP, NO_STYLE), *_as_parts(b, cells)]) for a, b in pairs]


@dataclass(frozen=True, slots=True)
class _Room:
    """Cells for the text of a field."""

    beside: int
    """Beside the field's name."""
    above: frozenset[str]
    """The fields whose names stand above their texts, which then have the whole side."""

    def of(self, label: str) -> int:
        return self.beside + _LABEL_CELLS if label in self.above else self.beside


def _is_long(text: str, cells: int) -> bool:
    """Whether a text would become a narrow column, or break within a word."""
    return len(wrap(text, cells)) > _FEW_LINES or any(cell_len(word) > cells for word in text.split())


def _compared(
    before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]], room: _Room
) -> tuple[list[_Line], list[_Line]]:
    """Both sides in lines, the same field at the same height."""
    labels = list(dict.fromkeys([label for label, _ in before] + [label for label, _ in after]))
    if before and after and labels[0].startswith("fact "):
        # Several facts that become one have no field of theirs beside one of its.
        return _lines(before, after, room), _lines(after, before, room)
    old, new = dict(before), dict(after)
    left: list[_Line] = []
    right: list[_Line] = []
    for label in sorted(labels, key=_ORDER.index) if set(labels) <= set(_ORDER) else labels:
        a = _lines([(label, old[label])] if label in old else [], [(label, new.get(label, ""))], room)
        b = _lines([(label, new[label])] if label in new else [], [(label, old.get(label, ""))], room)
        height = max(len(a), len(b))
        left += a + [_EMPTY] * (height - len(a) if before else 0)
        right += b + [_EMPTY] * (height - len(b) if after else 0)
    return left, right


_ORDER = ["in one line", "kind", "always send", "due", "related", "body"]
_EMPTY = _Line("", "", False, frozenset())


def _lines(fields: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]], room: _Room) -> list[_Line]:
    theirs = {text for label, value in other for text in wrap(value, room.of(label))}
    words = frozenset(word for _, value in other for word in value.split())
    out = []
    for label, value in fields:
        whole = label in room.above
        out += [_Line(label, "", False, words)] if whole and label else []
        for i, text in enumerate(wrap(value, room.of(label))):
            out.append(_Line("" if i or whole else label, text, bool(text) and text not in theirs, words, whole))
    return out


_Side = tuple[str, Style] | list[Part]


def _drawn(lines: Sequence[_Line], sign: str, ink: Style, back: Style, cells: int, look: Look) -> list[_Side]:
    out: list[_Side] = []
    for one in lines:
        label = "" if one.whole else pad(one.label, _LABEL_CELLS)
        if not one.changed:
            out.append([("  ", NO_STYLE), (label, look.muted), (one.text, look.fg)])
            continue
        strong = ink + Style(bold=True)
        parts: list[Part] = [(sign + " ", strong + back), (label, look.muted + back)]
        for i, word in enumerate(one.text.split(" ")):
            style = look.fg if word in one.others else strong
            parts += [(" ", back)] if i else []
            parts += [(word, style + back)] if word else []
        taken = sum(cell_len(text) for text, _ in parts)
        out.append([*parts, (" " * max(0, cells - taken), back)])
    return out


def _as_parts(side: _Side, cells: int) -> list[Part]:
    """The side in exactly so many cells."""
    parts = side if isinstance(side, list) else [side]
    taken = sum(cell_len(text) for text, _ in parts)
    return [*parts, (" " * max(0, cells - taken), NO_STYLE)]


def _buttons(width: int, look: Look) -> Strip:
    parts: list[Part] = []
    for i, (key, label, action) in enumerate(_BUTTONS):
        click = Style(meta={"@click": f"app.do('{action}')"})
        ground = look.cursor if not i else look.raised_bg
        ink = ground + Style(bold=True) if not i else look.accent_bold + ground
        parts += [
            (f" {key}  ", ink + click),
            (f"{label} ", (ink if not i else look.fg + ground) + click),
            ("  ", NO_STYLE),
        ]
    return line(width, parts)
