"""What the model and the screen get of a tool result that is too large to be given whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from sessions.messages import Message, ToolMessage
from sessions.store.sidefiles import LARGE, beginning

M = TypeVar("M", bound=Message)


def told(message: M) -> M:
    """The message itself, or one with the beginning of its large result and a word on what is missing.

    The same before the log took the whole result out of the line and after.
    """
    if not isinstance(message, ToolMessage):
        return message
    size = _size(message.file, message.content)
    if size is None:
        return message
    kept = beginning(message.content)
    note = f"[Cut here: this is the beginning, {_kb(len(kept.encode()))} of {_kb(size)}. Ask for less at once.]"
    return replace(message, content=f"{kept}\n{note}", file=None)


def _size(file: dict[str, Any] | None, content: str) -> int | None:
    """Bytes of the whole result; None when it is told whole."""
    if file is not None:
        size = file.get("bytes")
        return size if isinstance(size, int) else None
    if len(content) * 4 <= LARGE:
        return None
    size = len(content.encode())
    return size if size > LARGE else None


def _kb(size: int) -> str:
    return f"{max(1, round(size / 1024))} KB"
