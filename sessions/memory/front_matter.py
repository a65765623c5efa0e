"""The TOML front matter of a fact file: split off, read fast, completed without touching what a person wrote."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any

from sessions.errors import FactError

FENCE = "+++"
_TOML_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_PLAIN_LINE = re.compile(
    r"""([A-Za-z_][A-Za-z0-9_-]*)[ ]=[ ](?:
    "(?P<text>[^"\\\x00-\x08\x0a-\x1f\x7f]*)"
    |(?P<bool>true|false)
    |(?P<int>0|[1-9][0-9]{0,15})
    |(?P<time>[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)
    |(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})
    |(?P<none>\[\])
    |\[(?P<list>(?:\n[ ]{4}"[^"\\\x00-\x1f\x7f]*",)+\n)\]
    )\n|(?P<blank>\n)|(?P<source>\[source\]\n)""",
    re.VERBOSE,
)
_ITEM = re.compile(r'"([^"]*)"')


def split_front(text: str) -> tuple[str, str]:
    """Front matter and body. Raises FactError when one of the two `+++` lines is missing."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    first, _, rest = text.partition("\n")
    if first.rstrip() != FENCE:
        raise FactError(f"line 1, no {FENCE}")
    if rest.startswith(FENCE):
        front, end = "", re.match(r"\+\+\+[ \t]*(?:\n|\Z)", rest)
    else:
        end = re.search(r"\n\+\+\+[ \t]*(?:\n|\Z)", rest)
        front = rest[: end.start() + 1] if end else ""
    if end is None:
        raise FactError(f"line {text.count(chr(10)) + (not text.endswith(chr(10)))}, no closing {FENCE}")
    return front, rest[end.end() :]


def load_front(front: str) -> dict[str, Any]:
    """The table of a front matter. Raises FactError with a text such as `line 4, not TOML`."""
    table = _plain(front)
    if table is not None:
        return table
    import tomllib

    try:
        return tomllib.loads(front)
    except tomllib.TOMLDecodeError as e:
        at = _TOML_LINE.search(str(e))
        # The front matter begins on the file's second line.
        line = int(at[1]) + 1 if at else front.count("\n") + 1
        raise FactError(f"line {line}, not TOML") from e
    except RecursionError as e:
        raise FactError("line 2, nested too deep") from e


def _plain(front: str) -> dict[str, Any] | None:
    """What the program itself writes, read several times faster than TOML as a whole; None for anything else."""
    table: dict[str, Any] = {}
    into = table
    at = 0
    try:
        while at < len(front):
            m = _PLAIN_LINE.match(front, at)
            if m is None:
                return None
            at = m.end()
            kind, key = m.lastgroup, m[1]
            if kind == "blank":
                continue
            if kind == "source":
                if "source" in table:
                    return None
                into = table["source"] = {}
                continue
            if key in into or kind is None:
                return None
            into[key] = _VALUES[kind](m[kind])
    except ValueError:
        return None
    return table


_VALUES: dict[str, Any] = {
    "text": str,
    "bool": lambda s: s == "true",
    "int": int,
    "time": lambda s: datetime.fromisoformat(s[:-1]).replace(tzinfo=UTC),
    "day": date.fromisoformat,
    "none": lambda s: [],
    "list": _ITEM.findall,
}


def with_keys(text: str, values: dict[str, str | int]) -> str:
    """The file with these keys in its front matter, all else byte for byte as it was.

    A key that stands on a line of its own is replaced there, others are put first. The text must have a readable
    front matter.
    """
    newline = "\r\n" if "\r\n" in text[:80] else "\n"
    head_end = text.index("\n") + 1
    table_at = re.search(r"^[ \t]*\[|^\+\+\+", text[head_end:], re.MULTILINE)
    top_end = head_end + table_at.start() if table_at else len(text)
    head, top, rest = text[:head_end], text[head_end:top_end], text[top_end:]
    added = ""
    for key, value in values.items():
        line = f"{key} = {_toml(value)}"
        on_its_line = rf"^[ \t]*(?:{key}|\"{key}\")[ \t]*=[^\r\n]*"
        top, found = re.subn(on_its_line, line.replace("\\", r"\\"), top, count=1, flags=re.MULTILINE)
        if not found:
            added += line + newline
    return head + added + top + rest


def _toml(value: str | int) -> str:
    if isinstance(value, int):
        return str(value)
    import json

    # JSON's escapes are TOML's; only DEL is written as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
