"""A change of a file, as lines to be read."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest

from sessions.lending.connect import Change

_AROUND = 3
_LONGEST = 200
"""Characters of a line that are shown of what stays: some programs write all their settings on one."""
_BESIDE = 60
"""So many of them before and after what is different."""
_NO_END = "\\ No newline at end of file"


def diff(change: Change) -> list[str]:
    """A unified diff with one hunk; of lines that are too long the part that is different, which is never cut."""
    old, new = _lines(change.before), _lines(change.after)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    start = max(0, head - _AROUND)
    end = min(tail, _AROUND)
    rows = [" " + _cut(line, line) for line in old[start:head]]
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [" " + _cut(line, line) for line in a[i:j]]
            continue
        pairs = list(zip_longest(a[i:j], b[k:m]))
        rows += ["-" + _cut(line, other) for line, other in pairs if line is not None]
        rows += ["+" + _cut(line, other) for other, line in pairs if line is not None]
    rows += [" " + _cut(line, line) for line in old[len(old) - tail : len(old) - tail + end]]
    sizes = len(old) - tail + end - start, len(new) - tail + end - start
    return [
        f"--- {change.path if change.before is not None else '/dev/null'}",
        f"+++ {change.path if change.after is not None else '/dev/null'}",
        f"@@ -{start + 1 if old else 0},{sizes[0]} +{start + 1 if new else 0},{sizes[1]} @@",
        *(part for row in rows for part in row.split("\n")),
    ]


def _lines(data: bytes | None) -> list[str]:
    """With a mark behind a last line that does not end; a line that ends in another way is another line."""
    lines = (data or b"").decode().split("\n")
    last = lines.pop()
    return [*lines, *([f"{last}\n{_NO_END}"] if last else [])]


def _cut(line: str, other: str | None) -> str:
    line, mark, rest = line.removesuffix("\r").partition("\n")
    if len(line) <= _LONGEST:
        return line + mark + rest
    if line == other:
        return f"{line[:_LONGEST]}…{mark}{rest}"
    other = (other or "").partition("\n")[0].removesuffix("\r")
    head = _alike(line, other)
    tail = _alike(line[head:][::-1], other[head:][::-1])
    start, end = max(0, head - _BESIDE), min(len(line), len(line) - tail + _BESIDE)
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}{mark}{rest}"


def _alike(a: str, b: str) -> int:
    """How many characters both begin with."""
    shorter = min(len(a), len(b))
    return next((i for i in range(shorter) if a[i] != b[i]), shorter)
