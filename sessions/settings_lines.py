"""Finds the line of a key in a TOML text, which the standard library's reader does not tell."""

from __future__ import annotations

import re
import tomllib

_HEADER = re.compile(r"\s*\[\[?(?P<name>[^\]\n]+)\]\]?\s*(#.*)?$")
_KEY = re.compile(
    r"""\s*(?P<name>(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*'))*)\s*="""
)


def line_of(source: str, key: str) -> int | None:
    """The line, from 1, where `memory.mode` is set; of a table the line of its header; None when not found.

    The search knows headers and `a.b = …`; for a key inside an inline table it gives the line of that table.
    """
    table: tuple[str, ...] = ()
    wanted = key
    lines = source.split("\n")
    while wanted:
        table = ()
        for number, line in enumerate(lines, 1):
            if header := _HEADER.match(line):
                table = _parts(header["name"])
                if f"{'.'.join(table)}.".startswith(f"{wanted}."):
                    return number
            elif (found := _KEY.match(line)) and f"{'.'.join(table + _parts(found['name']))}.".startswith(f"{wanted}."):
                return number
        wanted = wanted.rpartition(".")[0]
    return None


def _parts(name: str) -> tuple[str, ...]:
    """The keys of a dotted name, quotes taken off; the name itself when it is none."""
    try:
        value: object = tomllib.loads(f"{name} = 0")
    except tomllib.TOMLDecodeError:
        return (name.strip(),)
    parts = []
    while isinstance(value, dict):
        first, value = next(iter(value.items()))
        parts.append(first)
    return tuple(parts)
