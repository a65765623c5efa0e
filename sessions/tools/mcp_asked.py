"""What a server asks of us while it runs: the person is asked nothing for it, no model works for it, and it is told of
no folder but that of a call that it is at work on, where the agent may read that folder's files, too."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp.shared.exceptions import MCPError

_REJECTED = -1
"""The protocol's code for what the person does not want."""


class Asked:
    """Answers for the person."""

    def __init__(self, sees: Callable[[Path], bool]) -> None:
        """`sees` = whether the agent may read a folder's files; it may block."""
        self._sees = sees
        self._folders: list[Path] = []

    @contextmanager
    def at_work(self, folder: Path) -> Iterator[None]:
        """While a call of a session in this folder runs."""
        self._folders.append(folder)
        try:
            yield
        finally:
            self._folders.remove(folder)

    async def answer(self, method: str) -> dict[str, Any] | None:
        """None for what is answered elsewhere. Raises MCPError."""
        match method:
            case "elicitation/create":
                return {"action": "decline"}
            case "sampling/createMessage":
                raise MCPError(code=_REJECTED, message="The user lets no server use the model")
            case "roots/list":
                return {"roots": await asyncio.to_thread(self._roots, set(self._folders))}
            case _:
                return None

    def _roots(self, folders: set[Path]) -> list[dict[str, str]]:
        return [{"uri": one.resolve().as_uri(), "name": one.name} for one in sorted(folders) if self._sees(one)]
