"""Everything in a transcript that is not an answer, as lines on the pane's grid.

Column 1 is the edge, 2 the mark, 4 the text; right-hand facts end at w-3, bands run from 1 to w-2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tui.chat.blocks import (
    Block,
    Call,
    Divider,
    Failed,
    Foot,
    Gap,
    Learned,
    More,
    Note,
    Prompt,
    TakenBack,
    Thought,
)
from tui.chat.foot import draw_foot
from tui.chat.runs import Line, Run, blank, cut_line, safe, width_of, words, wrap
from tui.widgets.calls import told_result
from tui.widgets.look import Marks
from tui.widgets.when import counted, duration, short, tokens

TEXT = 4
WIDEST = 96
_TIME = 8
MEMORY_OFF = "memory off"
_LEAST_PROMPT = 20
"""Cells that stay for a prompt beside what is told of it."""
ERASED = "erased"
"""In the place of a prompt that the person erased."""


@dataclass(frozen=True, slots=True)
class Canvas:
    """What a row is drawn for."""

    width: int
    """Cells of the pane, its scrollbar's column included."""
    marks: Marks
    now: datetime
    opened: bool = False
    whole: tuple[bool, bool] = (False, False)
    """All of what an open call was given, and of what came of it, is shown."""
    chosen: int | None = None
    """The fact of the foot that the keys would act on."""
    spinner: str = "●"
    elapsed_ms: int = 0
    version: tuple[int, int] | None = None
    """Which of how many ways to go on begins here."""
    marked: bool = False
    """What was looked for is here."""
    who: tuple[str, str] = ("", "")
    """Profile and model that answer now: what others answered has their name."""

    @property
    def room(self) -> int:
        """Cells of a line of text."""
        return max(8, min(WIDEST, self.width - TEXT - 2))


def draw_row(block: Block, canvas: Canvas) -> list[Line]:
    """The lines of any block but an answer."""
    match block:
        case Prompt():
            return _prompt(block, canvas)
        case More():
            return _more(block, canvas)
        case TakenBack():
            return _taken_back(block, canvas)
        case Thought():
            return _thought(block, canvas)
        case Call():
            return _call(block, canvas)
        case Learned():
            return _learned(block, canvas)
        case Foot():
            return draw_foot(block, canvas.width, canvas.marks, canvas.chosen, canvas.who)
        case Failed():
            return _marked(block.source, 0, len(block.error), "err", canvas, (canvas.marks.failed, "err")) + (
                _text(block.source, len(block.error) + 1, len(block.source), "muted", canvas) if block.advice else []
            )
        case Divider():
            return _divider(block, canvas)
        case Gap():
            return [_ruled(f" earlier {canvas.marks.dot} {_size(block.end - block.start)} ", canvas)]
        case Note():
            ink = {"info": "muted", "warning": "warn", "error": "err"}[block.level]
            mark = {"info": "", "warning": canvas.marks.overdue, "error": canvas.marks.failed}[block.level]
            text_ink = "err" if block.level == "error" else "muted"
            return _marked(block.text, 0, len(block.text), text_ink, canvas, (mark, ink))
        case _:
            return []


def head(mark: str, ink: str, *, band: str = "", target: str = "", edge: str = "") -> Line:
    """Columns 0 to 3."""
    if band:
        return [
            blank(1),
            Run(edge, "accent@band") if edge else blank(1, band),
            Run(mark or " ", ink, target=target),
            blank(1, band),
        ]
    return [blank(2), Run(mark or " ", ink, target=target), blank(1)]


def edged(line: Line, mark: str) -> Line:
    """The line with a mark in its edge, where that is empty."""
    first = line[0] if line else blank(2)
    if len(first.text) < 2 or first.text.strip():
        return line
    return [
        blank(1),
        Run(mark, "accent"),
        *([blank(len(first.text) - 2, first.ink)] if first.text[2:] else []),
        *line[1:],
    ]


def spread(left: Line, right: Sequence[Run], width: int, ink: str = "fg") -> Line:
    """Left and right parts, the right one ending at w-3; the left is cut where they would meet."""
    edge = width - 2
    taken = width_of(right)
    left = cut_line(left, edge - taken - (2 if right else 0))
    return [*left, blank(edge - taken - width_of(left), ink), *right]


def source_lines(source: str, start: int, end: int, ink: str, width: int) -> list[Line]:
    """The lines of a span of the source, wrapped."""
    out: list[Line] = []
    at = start
    for text in source[start:end].split("\n"):
        stop = at + len(text) - text.endswith("\r")
        out += wrap(safe(source, at, stop, ink) or [Run("", ink, at, at)], width)
        at += len(text) + 1
    return out


def _text(source: str, start: int, end: int, ink: str, canvas: Canvas, indent: int = TEXT) -> list[Line]:
    lines = source_lines(source, start, end, ink, canvas.room - (indent - TEXT))
    return [[blank(indent), *line] for line in lines]


def _marked(source: str, start: int, end: int, ink: str, canvas: Canvas, mark: tuple[str, str]) -> list[Line]:
    lines = _text(source, start, end, ink, canvas)
    return [[*head(*mark), *lines[0][1:]], *lines[1:]]


def _prompt(block: Prompt, canvas: Canvas) -> list[Line]:
    band = "fg@band"
    time = short(block.at, canvas.now)
    told = [_version(canvas, "@band"), [words(time, "muted@band")] if time else []]
    facts = _apart(told, band)
    if block.unremembered:
        with_memory = _apart([told[0], [words(MEMORY_OFF, "muted@band")], told[1]], band)
        # Beside all else that is told the prompt needs its room more.
        facts = with_memory if canvas.width - width_of(with_memory) >= TEXT + 4 + _LEAST_PROMPT else facts
    taken = width_of(facts)
    room = max(8, min(WIDEST, canvas.width - TEXT - 2 - (taken + 2 if taken else 0)))
    name = [words(block.name, "muted@band"), blank(2, band)] if block.name else []
    out: list[Line] = []
    said = source_lines(block.text, 0, len(block.text), "fg+b@band", room - width_of(name))
    for i, line in enumerate(said if block.text else [[words(ERASED, "muted+i@band")]]):
        mark = canvas.marks.prompt if i == 0 else ""
        edge = canvas.marks.focus if canvas.marked else ""
        left = [*head(mark, "accent@band", band=band, edge=edge), *(name if i == 0 else []), *line]
        right = facts if i == 0 else []
        out.append([*spread(left, right, canvas.width, band), blank(1, band)])
    return out


def _apart(parts: Sequence[Line], ink: str) -> Line:
    """Those that there are, two cells apart."""
    out: Line = []
    for part in parts:
        out += [blank(2, ink), *part] if out and part else part
    return out


def _more(block: More, canvas: Canvas) -> list[Line]:
    band = "fg@band"
    room = max(8, min(WIDEST, canvas.width - TEXT - 2))
    # Its last line feed ends a line that is there.
    end = len(block.text) - block.text.endswith("\n")
    lines = source_lines(block.text, 0, end, "fg+b@band", room)
    return [[*spread([*head("", "", band=band), *line], [], canvas.width, band), blank(1, band)] for line in lines]


def _version(canvas: Canvas, band: str = "") -> Line:
    """`not sent  < 1/2 >`: a click on either half goes that way."""
    if canvas.version is None:
        return []
    which, of = canvas.version
    old = which < of
    out = [Run("not sent", f"warn{band}"), blank(2, f"fg{band}")] if old else []
    older, newer = f"< {which}", f"/{of} >"
    return [*out, Run(older, f"muted{band}", target="older"), Run(newer, f"muted{band}", target="newer")]


def _taken_back(block: TakenBack, canvas: Canvas) -> list[Line]:
    source = block.source
    colon = source.find(":") + 1
    text = [*safe(source, 0, colon, "muted"), *safe(source, colon, min(len(source), canvas.width * 2), "muted+i")]
    return [spread([*head("", "muted"), *text], _version(canvas), canvas.width)]


def _thought(block: Thought, canvas: Canvas) -> list[Line]:
    text = block.text
    running = block.open and block.ms is None
    title = "Thinking" if running else "Thought" if block.ms is None else f"Thought {duration(block.ms)}"
    mark = canvas.spinner if running else canvas.marks.open if canvas.opened else canvas.marks.folded
    first = [*head(mark, "accent" if running else "muted", target="toggle"), Run(title, "muted", target="toggle")]
    if canvas.opened:
        return [first, *_text(text, 0, len(text.rstrip()), "muted+i", canvas)]
    start = len(text) - len(text.lstrip())
    preview = safe(
        text[: start + canvas.width * 4].rstrip(), start, min(len(text), start + canvas.width * 4), "muted+i"
    )
    runs = [run._replace(start=-1, end=-1, target="toggle") for run in preview]
    return [cut_line([*first, blank(2), *runs], min(canvas.width - 2, TEXT + WIDEST))]


def _call(block: Call, canvas: Canvas) -> list[Line]:
    marks, target = canvas.marks, "toggle"
    running = block.state == "running"
    mark, ink = {
        "running": (canvas.spinner, "accent"),
        "waiting": (marks.approval, "warn"),
        "done": (marks.done, "ok"),
        "failed": (marks.failed, "err"),
    }[block.state]
    result, result_ink = _result(block)
    ms = canvas.elapsed_ms if running else block.ms
    time = duration(ms) if running or block.ms else ""
    source = block.source
    split = len(block.name)
    left = [*head(mark, ink, target=target), *safe(source, 0, split, "fg", target)]
    if len(source) > split:
        # A tool may be given a whole file: what no line could show is not looked at.
        left += [blank(2), *safe(source, split + 2, min(len(source), split + 2 + canvas.width * 2), "muted", target)]
    # What both want is shared: a result takes what name and arguments leave, and half where they leave less.
    room = canvas.width - 2 - _TIME - 2
    most = max(room - width_of(left), (room - TEXT) // 2)
    shown = cut_line([words(result[:400], result_ink, target)], most) if result else []
    right = [*shown, blank(_TIME - len(time)), words(time, "muted")]
    return [spread(left, right, canvas.width)]


def _result(block: Call) -> tuple[str, str]:
    match block.state:
        case "running":
            return block.progress or "running", "accent"
        case "waiting":
            return "waits for you", "warn"
        case "failed":
            return told_result(block.content, ok=False), "muted" if block.content == "stopped" else "err"
        case "done":
            return told_result(block.content, ok=True, recalled=block.recalled, changed=block.changed), "muted"


def _learned(block: Learned, canvas: Canvas) -> list[Line]:
    marks = canvas.marks
    proposed = block.op == "proposed"
    mark = (
        (marks.new, "warn")
        if proposed
        else (marks.off, "muted")
        if block.op == "forgotten"
        else (marks.pinned, "accent")
    )
    source = block.source
    numbers = ", ".join(f"#{n}" for n in block.numbers)
    tail = [Run(f" {marks.dot} {numbers}", "muted")] if numbers else []
    room = min(canvas.width - 2, TEXT + WIDEST) - width_of(tail)
    colon = source.find(":") + 1
    text = [*safe(source, 0, colon, "muted"), *safe(source, colon, len(source), "fg")]
    line = [*cut_line([*head(*mark), *text], room), *tail]
    # A click anywhere on the line opens the fact.
    return [[run._replace(target="fact:0") for run in line] if block.numbers else line]


def _divider(block: Divider, canvas: Canvas) -> list[Line]:
    marks = canvas.marks
    if block.cleared:
        text = f" cleared {marks.dot} the model no longer sees what is above "
    else:
        sizes = f"{tokens(block.tokens_before)} {marks.arrow} {tokens(block.tokens_after or 0)} tok"
        counts = f"{counted(block.messages, 'message')} {marks.dot} " if block.counted else ""
        text = f" earlier, in short {marks.dot} {counts}{sizes} "
        text += f"{marks.dot} enter " if block.content else ""
    line = _ruled(text, canvas, "toggle")
    if canvas.opened and block.content:
        return [line, [], *_text(block.content, 0, len(block.content), "muted", canvas)]
    return [line]


def _ruled(text: str, canvas: Canvas, target: str = "") -> Line:
    """A rule across the pane with words in its middle."""
    marks = canvas.marks
    room = max(0, canvas.width - 4 - len(text))
    before = room // 2
    rule = [
        Run(marks.rule * before, "rule"),
        Run(text, "muted", target=target),
        Run(marks.rule * (room - before), "rule"),
    ]
    return cut_line([blank(2), *rule], canvas.width - 2)


def _size(size: int) -> str:
    return f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{max(1, size // 1000)} KB"
