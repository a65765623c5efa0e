"""What every command prints with: results on stdout, words about them on stderr, nothing that a terminal obeys."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sessions.errors import UsageError


def safe(text: str) -> str:
    """The text as a terminal may get it: control and bidi characters become visible marks."""
    from tui.widgets.visible import visible

    return visible(text)


def say(text: str) -> None:
    """A line of the result; made safe when it goes to a terminal."""
    sys.stdout.write(_encodable(safe(text) if sys.stdout.isatty() else text) + "\n")


def tell(text: str) -> None:
    """A word about the result, on stderr."""
    sys.stderr.write(safe(text) + "\n")


def complain(text: str) -> None:
    """Why it failed, on stderr."""
    tell(f"memagent-tui: {text}")


def silence(*, errors: bool = False) -> None:
    """Nobody reads our output (nor, with `errors`, stderr) any more; what is buffered and all that follows is lost."""
    for stream in (sys.stdout, sys.stderr) if errors else (sys.stdout,):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say_json(value: Any) -> None:
    """One JSON value; what a terminal must not get stands in it as JSON writes it in ASCII."""
    say(json_text(value, indent=2))


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON in readable letters, with `\\u202e` for what would not be seen."""
    from tui.widgets.visible import UNSAFE

    text = json.dumps(value, ensure_ascii=False, indent=indent, default=str)
    return UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text)


def say_rows(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> None:
    """Columns side by side, the last one as long as it is; columns in `right` end together. Cells are one line."""
    rows = [[" ".join(cell.splitlines()) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
    for row in rows:
        cells = [
            cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) if i < len(row) - 1 else cell
            for i, cell in enumerate(row)
        ]
        say("  ".join(cells).rstrip())


def agreed(question: str, yes: bool) -> bool:
    """Ask on the terminal unless `yes`; without a terminal nothing is assumed."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("This asks first, and there is no terminal to answer on", "Add --yes to go ahead unasked")
    sys.stderr.write(safe(question) + " [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def needs_words(query: Sequence[str]) -> None:
    """Raises UsageError for a search for nothing."""
    if not " ".join(query).strip():
        raise UsageError("There is nothing to look for", "Give a word, as in: search roadmap")


def _encodable(text: str) -> str:
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
