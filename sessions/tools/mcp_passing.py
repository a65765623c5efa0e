"""A stream of the SDK's messages with something between: what comes is looked at before it is passed on."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from anyio import EndOfStream
from mcp.shared.message import SessionMessage


class Passing:
    """Stands in for the stream it is made of; the heir says in `receive` what becomes of an item."""

    def __init__(self, comes: Any) -> None:
        self._comes = comes

    @property
    def last_context(self) -> Any:
        """That of the sender of the last item."""
        return getattr(self._comes, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        item: SessionMessage | Exception = await self._comes.receive()
        return item

    async def aclose(self) -> None:
        await self._comes.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
