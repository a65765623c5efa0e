"""The tools that a server lists, as far as they can be offered."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sessions.messages import clean
from sessions.tools.mcp_schema import mended

MOST = 128
_DESCRIPTION = 2_000
_NAME = 100
_ODD = re.compile(r"[^A-Za-z0-9_./-]+")


@dataclass(frozen=True, slots=True)
class ListedTool:
    name: str
    """For us and the model, without the server's: letters, digits and `_ . / -`."""
    called: str
    """As the server calls it."""
    description: str
    parameters: dict[str, Any]
    reads: bool
    """The server says that it changes nothing."""
    deletes: bool
    """The server says that it can take something away."""


@dataclass(frozen=True, slots=True)
class Listing:
    tools: tuple[ListedTool, ...] = ()
    remarks: tuple[str, ...] = ()
    """What was made harmless, or left out, and why."""


def listing(raw: Iterable[Any]) -> Listing:
    """Of what stood in the `tools` of all pages, whatever it is."""
    tools: dict[str, ListedTool] = {}
    wrong: dict[str, list[str]] = {}
    over = 0
    for entry in raw:
        called = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(called, str) or not (name := _ODD.sub("_", called)[:_NAME].strip("_")):
            wrong.setdefault("left out, without a name", []).append("a tool")
        elif name in tools:
            wrong.setdefault("left out, there is one of this name", []).append(name)
        elif len(tools) >= MOST:
            over += 1
        else:
            tools[name], problems = _tool(name, called, entry)
            for problem in problems:
                wrong.setdefault(problem, []).append(name)
    remarks = [f"{_some(names)}: {problem}" for problem, names in wrong.items()]
    if over:
        remarks.append(f"{over:,} tools over {MOST}: left out")
    return Listing(tuple(tools.values()), tuple(remarks))


def _tool(name: str, called: str, entry: dict[str, Any]) -> tuple[ListedTool, list[str]]:
    problems = ["its name has odd characters"] if name != called else []
    description = entry.get("description")
    words = clean(description).strip() if isinstance(description, str) else ""
    if len(words) > _DESCRIPTION:
        problems.append("its description was cut")
        words = f"{words[:_DESCRIPTION]}…"
    parameters, problem = mended(entry.get("inputSchema"))
    problems += [problem] if problem else []
    hints = entry.get("annotations")
    hints = hints if isinstance(hints, dict) else {}
    reads = hints.get("readOnlyHint") is True
    deletes = not reads and hints.get("destructiveHint") is True
    return ListedTool(name, called, words, parameters, reads, deletes), problems


def _some(names: list[str]) -> str:
    shown = ", ".join(dict.fromkeys(names[:3]))
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown
