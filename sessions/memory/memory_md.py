"""MEMORY.md: the numbered list of all active facts, for people and programs that read files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from sessions.memory.fact import GROUPS, Fact
from sessions.store.atomic import write_atomic

_HEAD = "# Memory\n\nMade from the facts in this folder: change those, not this list.\n"
_SEAL = re.compile(r"\n<!-- list ([0-9a-f]{16}) -->\n\Z")


def render_list(facts: Iterable[Fact], folder: Path) -> str:
    """The list by groups, each fact a line, sealed by a hash of the text that tells our own file from an edited one."""
    by_kind: dict[str, list[Fact]] = {}
    for fact in sorted(facts, key=lambda f: f.number):
        by_kind.setdefault(fact.kind, []).append(fact)
    text = _HEAD
    for title, kinds in GROUPS.items():
        rows = sorted((f for k in kinds for f in by_kind.get(k, [])), key=lambda f: f.number)
        if rows:
            text += f"\n## {title}\n\n" + "".join(_row(f, str(folder)) for f in rows)
    return f"{text}\n<!-- list {_seal(text)} -->\n"


def _row(fact: Fact, folder: str) -> str:
    place = str(fact.path).removeprefix(folder).replace("\\", "/").lstrip("/")
    return f"- {fact.number} {row_start(fact.name)}{place}>) — {fact.summary}\n"


def row_start(name: str) -> str:
    """What a fact's row has after its number and before its place."""
    return f"[{name}](<"


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_list(path: Path, text: str) -> bool:
    """Write the list when it changed. A list that a person edited is kept beside it first."""
    try:
        old = path.read_bytes()
    except OSError:
        old = b""
    if old == text.encode():
        return False
    if old.strip() and not is_ours(old):
        path.replace(path.with_name(f"MEMORY-edited-{hashlib.sha256(old).hexdigest()[:8]}.md"))
    write_atomic(path, text.encode(), durable=False)
    return True


def is_ours(data: bytes) -> bool:
    """Whether a list is as it was made: nobody edited it since."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    seal = _SEAL.search(text)
    return seal is not None and seal[1] == _seal(text[: seal.start()])
