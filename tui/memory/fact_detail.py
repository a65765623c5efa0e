"""What stands below the form of a fact, and what stands in its place for a file that is broken. Pure drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.style import Style
from textual.strip import Strip

from sessions.clock import parse_iso
from sessions.memory.fact import BrokenFact, Fact
from tui.memory.versions import Version, changed_lines, differences
from tui.widgets.cells import cell_len, pad
from tui.widgets.look import Look
from tui.widgets.rows import LEFT, NO_STYLE, Part, RowState, line, plain, row_line, section, wrap
from tui.widgets.when import counted, folder, long, told

_RAW_LINES = 20
_DIFF_INDENT = 3
_WHO = 20
"""Most cells for the one who made a version: the name of a client is as long as it likes."""
_DIFF_LABEL = 15
_ORIGINS = {
    "user": "You said it",
    "model": "The model wrote it",
    "distilled": "Learned from a conversation",
    "import": "Imported",
    "tool": "A tool wrote it",
    "mcp": "Another program wrote it",
}


@dataclass(frozen=True, slots=True)
class Use:
    """A turn that a fact was shown to."""

    title: str
    turn: int
    at: str
    session: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the background, and what the cursor on it is about; empty = it cannot be chosen."""

    strip: Strip
    key: str = ""


@dataclass(frozen=True, slots=True)
class Background:
    """What is known about a fact beyond its file."""

    source_title: str = ""
    """Title of the session it comes from."""
    uses: Sequence[Use] = ()
    """Newest first."""
    sessions: int = 0
    """In how many sessions it was used."""
    versions: Sequence[Version] | None = None
    """Newest first; None while they are read."""
    turns: int = 0
    """In how many it was used; 0 = in those of `uses`."""


def below(
    width: int,
    look: Look,
    fact: Fact,
    known: Background,
    now: datetime,
    opened: frozenset[int] = frozenset(),
    chosen: str = "",
) -> list[Line]:
    """Where a fact comes from, where it was used, its versions; those in `opened` with what they changed."""
    blank = Line(Strip.blank(width, Style()))
    head, first, *rest = source_lines(width, look, fact, known, now, chosen=chosen == "source")
    out = [Line(head), Line(first, "source" if fact.source.session else ""), *map(Line, rest)]
    if known.uses:
        words = counted(known.turns or len(known.uses), "turn")
        words += f" in {counted(known.sessions, 'session')}" if known.sessions else ""
        out += [blank, Line(section(width, look, "Used", words))]
        title_cells = max(12, (width - LEFT - 2) // 2 - 4)
        for i, use in enumerate(known.uses[:5]):
            key = f"use:{i}" if use.session else ""
            left: list[Part] = [(pad(plain(use.title), title_cells), look.fg), (f"  turn {use.turn}", look.muted)]
            out.append(Line(_row(width, look, left, told(use.at, now), bool(key) and chosen == key), key))
    if known.versions is not None:
        out += [blank, Line(section(width, look, "Versions", str(len(known.versions))))]
        who = min(_WHO, max(6, *(cell_len(plain(v.who)) for v in known.versions), 0))
        for v in known.versions:
            key = f"version:{v.number}" if v.before or v.after else ""
            left = [(f"{v.number}".ljust(3), look.fg), (f"{pad(plain(v.who), who)} ", look.muted), (v.text, look.fg)]
            out.append(Line(_row(width, look, left, told(v.at, now), bool(key) and chosen == key), key))
            if v.number in opened:
                out += map(Line, difference_lines(width, look, v))
    return out


def _row(width: int, look: Look, left: Sequence[Part], at: str, chosen: bool) -> Strip:
    if not chosen:
        return line(width, left, [(at, look.muted)])
    return row_line(width, look, RowState(chosen=True, focused=True), left, [(at, look.muted)])


def difference_lines(width: int, look: Look, version: Version) -> list[Strip]:
    """What a version changed, field by field: gone in red, come in green."""
    room = width - LEFT - 2 - _DIFF_INDENT - _DIFF_LABEL
    out = []
    for label, old, new in differences(version.before, version.after):
        heads = [label]
        for sign, text in changed_lines(old, new):
            ink, back = {"-": (look.err, look.delete_bg), "+": (look.ok, look.add_bg)}.get(sign, (look.muted, NO_STYLE))
            for part in wrap(text, room) or [""]:
                words: list[Part] = [
                    (" " * _DIFF_INDENT, NO_STYLE),
                    (f"{sign} ", ink + back),
                    (pad(heads.pop() if heads else "", _DIFF_LABEL - 2), look.muted + back),
                    (pad(part, room), ink + back),
                ]
                out.append(line(width, words))
    return out or [line(width, [(" " * _DIFF_INDENT, NO_STYLE), ("nothing that shows", look.muted)])]


def source_lines(
    width: int, look: Look, fact: Fact, known: Background, now: datetime, *, chosen: bool = False
) -> list[Strip]:
    """Head, who said it when and where, the quote."""
    source = fact.source
    opens = bool(source.session)
    out = [section(width, look, "Where it comes from", "enter opens the message" if opens else "")]
    words: list[Part] = [(_who(fact), look.fg)]
    if (at := _said_at(fact, known)).year > 1970:
        words.append((f" on {long(at, now)}", look.muted))
    if opens:
        underlined = look.fg + Style(underline=True)
        words += [(" in ", look.muted), (known.source_title or source.session, underlined)]
    out.append(row_line(width, look, RowState(chosen=True, focused=True), words) if chosen else line(width, words))
    if yes := parse_iso(source.accepted):
        out.append(line(width, [("You accepted it", look.fg), (f" on {long(yes, now)}", look.muted)]))
    if source.quote and not _was_typed(fact):
        out.append(line(width, [("Given as your words:", look.muted)]))
    quoted = look.fg + Style(italic=True)
    for text in wrap(source.quote, min(96, width - LEFT - 4)) if source.quote else []:
        out.append(line(width, [(look.marks.quote, look.muted), (" ", NO_STYLE), (text, quoted)]))
    if not source.quote and not opens and fact.path.name:
        out.append(line(width, [(folder(fact.path), look.muted)]))
    return out


def _was_typed(fact: Fact) -> bool:
    """Whether the quote was found among what the person typed: a model's fact is written at once only then."""
    source = fact.source
    waits = fact.path.parent.name == "proposed"
    return source.origin == "user" or (source.origin == "model" and not source.accepted and not waits)


def _who(fact: Fact) -> str:
    """Who said it, or who wrote it down."""
    source = fact.source
    if source.origin == "user" and not source.session:
        return "You wrote it"
    if source.origin == "model" and source.quote and _was_typed(fact):
        return "You said it"
    return source.client if source.origin == "mcp" and source.client else _ORIGINS.get(source.origin, source.origin)


def _place(fact: Fact) -> tuple[str, str, str]:
    return fact.source.session, fact.source.message, fact.source.quote


def _said_at(fact: Fact, known: Background) -> datetime:
    """When it was said: with the first version that comes from there. A correction is younger than the fact."""
    where = _place(fact)
    same = [v.at for v in known.versions or () if v.after is not None and _place(v.after) == where]
    return (parse_iso(same[-1]) if same else None) or fact.created_at


def broken_lines(width: int, look: Look, broken: BrokenFact, raw: str) -> list[Strip]:
    """The file, what is wrong with it, what to do, and its beginning with the bad line marked."""
    blank = Strip.blank(width, Style())
    room = width - LEFT - 2
    out = [line(width, [(broken.path.name, look.bold)], [(broken.why, look.err)])]
    out += [line(width, [(text, look.muted)]) for text in wrap(folder(broken.path), room)]
    advice = "It is left as it is and used for nothing. Mend it in an editor; it comes back by itself."
    out += [blank, *(line(width, [(text, look.fg)]) for text in wrap(advice, min(96, room)))]
    lines = raw.split("\n")
    out += [blank, section(width, look, "The file", counted(len(lines), "line"))]
    first = max(0, (broken.line or 1) - _RAW_LINES // 2) if len(lines) > _RAW_LINES else 0
    for i, text in enumerate(lines[first : first + _RAW_LINES], first + 1):
        bad = i == broken.line
        number: Part = (f"{i:>4}  ", look.err if bad else look.muted)
        mark: Part = (look.marks.failed if bad else " ", look.err)
        out.append(line(width, [mark, number, (text, look.err if bad else look.fg)]))
    more = len(lines) - first - _RAW_LINES
    if more > 0:
        out.append(line(width, [(f"      … {counted(more, 'more line', 'more lines')}", look.muted)]))
    return out


def tokens_of(fact: Fact) -> int:
    """About how many tokens a fact takes in a request."""
    text = f"{fact.number} {fact.name} {fact.summary}"
    return max(1, len(text) // 4)


def state_words(fact: Fact) -> str:
    """`fact 7 · active · always sent, 9 tok`."""
    words = [f"fact {fact.number}" if fact.number else "not numbered yet", fact.status]
    if fact.active and fact.pinned:
        words.append(f"always sent, {tokens_of(fact)} tok")
    return " · ".join(words)
