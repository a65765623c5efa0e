"""The other agents that can be read, by the names that settings and command lines use."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from sessions.importers.base import Reader

_READERS = {"claude-code": "claude_code", "codex": "codex"}
FOLLOWED = tuple(_READERS)
"""Those whose sessions grow while one works, so that they are followed."""
EXPORTS = {
    "chatgpt": ("chatgpt", "ChatGPT"),
    "claude-ai": ("claude_ai", "Claude.ai"),
    "memory-json": ("memory_json", "memory.json"),
    "messages-jsonl": ("messages_jsonl", "messages.jsonl"),
    "memdir": ("memdir", "memdir"),
}
"""What is taken over once, from files that the person names -> the module, and as people call it."""


def reader(kind: str) -> Reader:
    """The reader of that name. KeyError for another."""
    module = importlib.import_module(f"sessions.importers.{_READERS[kind]}")
    return cast("Reader", module.READER)


def name_of(kind: str) -> str:
    """As people call it: Claude Code; the kind itself when it is not known."""
    if kind in _READERS:
        return reader(kind).name
    return EXPORTS[kind][1] if kind in EXPORTS else kind


def anything(environ: Mapping[str, str], user: Path) -> bool:
    """Whether one of these agents was ever used on this machine; nothing is loaded to find out."""
    named = [part for key in ("CLAUDE_CONFIG_DIR", "CODEX_HOME") for part in environ.get(key, "").split(",") if part]
    usual = [user / ".claude", user / ".config" / "claude", user / ".codex"]
    return any(folder.is_dir() for folder in (*map(Path, named), *usual))
