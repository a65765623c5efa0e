"""A server as a program of this machine: its process, and its messages as lines over stdin and stdout.

The SDK's own transport would let the server write into our terminal, and take lines of any length.
"""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from sessions.tools.mcp_config import ServerConfig, environment_of
from sessions.tools.mcp_guard import Guard, TooMuchError
from sessions.tools.mcp_left import LEFT, note
from sessions.tools.mcp_log import ServerLog
from sessions.tools.mcp_parse import parsed

_CHUNK = 1 << 16
_LEAVES_S = 1.0
"""A server has so long to leave by itself after its stdin was closed,"""
_TERMINATED_S = 0.5
"""and so long after it was told to."""
_REST_S = 0.3
"""What it wrote before it ended is read for so long."""
_STEP_S = 0.01
_STDERR_S = 0.05
"""Between two pieces of its stderr, once it writes much."""
_QUICK = 1 << 20
_BUFFERED = 16
"""Messages between the pipe and who takes them."""


@asynccontextmanager
async def stdio(config: ServerConfig, log: ServerLog) -> AsyncIterator[Program]:
    """Its program while it runs, in a process group of its own, which is gone afterwards. Raises OSError."""
    program = Program(await _started(config), log)
    noted = note(log.path.parent / LEFT, program.process)
    try:
        yield program
    finally:
        # It is ended in a task of its own: whoever is cancelled here twice must not leave it running.
        ending = asyncio.ensure_future(program.end())
        if noted is not None:
            ending.add_done_callback(lambda _: noted.unlink(missing_ok=True))
        await asyncio.shield(ending)


class _Protocol(SubprocessStreamProtocol):
    """Tells the end of the process at once; `Process.wait` also waits for all who hold its pipes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=_CHUNK, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()


async def _started(config: ServerConfig) -> tuple[asyncio.SubprocessTransport, _Protocol]:
    loop = asyncio.get_running_loop()
    pipes: dict[str, Any] = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE}
    return await loop.subprocess_exec(
        lambda: _Protocol(loop),
        config.command,
        *config.args,
        env=environment_of(config),
        start_new_session=True,
        **pipes,
    )


class Program:
    """Its streams, in the SDK's form."""

    def __init__(self, started: tuple[asyncio.SubprocessTransport, _Protocol], log: ServerLog) -> None:
        self._transport, self._protocol = started
        self._process = Process(*started, asyncio.get_running_loop())
        self._log = log
        self._guard = Guard()
        self.ended = asyncio.Event()
        """It has gone, or says too much to be heard any longer."""
        self.why = ""
        """Why, as far as that is known."""
        self._incoming: MemoryObjectSendStream[SessionMessage | Exception]
        self._outgoing: MemoryObjectReceiveStream[SessionMessage]
        self.reads: MemoryObjectReceiveStream[SessionMessage | Exception]
        self.writes: MemoryObjectSendStream[SessionMessage]
        self._incoming, self.reads = anyio.create_memory_object_stream[SessionMessage | Exception](_BUFFERED)
        self.writes, self._outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        self._reading = asyncio.ensure_future(self._read())
        self._complaining = asyncio.ensure_future(self._stderr())
        self._tasks = [self._reading, self._complaining]
        self._tasks += map(asyncio.ensure_future, (self._write(), self._watch()))

    @property
    def process(self) -> int:
        return self._process.pid

    async def end(self) -> None:
        """Close its stdin, wait a moment, then end the whole group."""
        self.ended.set()
        assert self._process.stdin is not None
        self._process.stdin.close()
        if not await self._gone(_LEAVES_S):
            self._signal(signal.SIGTERM)
            await self._gone(_TERMINATED_S)
        self._signal(signal.SIGKILL)  # whoever of its children is left, too
        await self._gone(_TERMINATED_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)
        for stream in (self._incoming, self._outgoing, self.reads, self.writes):
            stream.close()
        with suppress(PermissionError):
            self._transport.close()  # else a child that holds a pipe keeps it open

    async def _gone(self, limit_s: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._protocol.exited.wait(), limit_s)
        return self._protocol.exited.is_set()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _over(self, why: str) -> None:
        """No more is heard of it: who waits for an answer is told."""
        self.why = self.why or why
        self.ended.set()
        self._incoming.close()

    async def _watch(self) -> None:
        await self._protocol.exited.wait()
        # What it said last comes first.
        await asyncio.wait({self._reading, self._complaining}, timeout=_REST_S)
        code = self._process.returncode or 0
        self._over(f"it was killed by signal {-code}" if code < 0 else f"it ended with code {code}")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        rest = bytearray()
        try:
            while chunk := await self._process.stdout.read(_CHUNK):
                self._guard.came(len(chunk))
                rest += chunk
                if b"\n" in chunk:
                    self._guard.lines(chunk.count(b"\n"))
                    *lines, last = bytes(rest).split(b"\n")
                    rest = bytearray(last)
                    for line in lines:
                        await self._line(line)
                self._guard.line(len(rest))
                await asyncio.sleep(0)
        except TooMuchError as e:
            self._over(str(e))
            self._signal(signal.SIGKILL)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # nobody listens any more
        else:
            with suppress(TimeoutError):  # a server that leaves says first by its code why
                await asyncio.wait_for(self._protocol.exited.wait(), _REST_S)
            if not self._protocol.exited.is_set():
                self._over("it closed its stdout")

    async def _line(self, line: bytes) -> None:
        self._guard.line(len(line))
        if not line.strip():
            return
        message = await parsed(line, self._guard)
        if message is None:
            self._guard.noise()
            await asyncio.to_thread(self._log.write, b"stdout: " + line[:1_000] + b"\n")
            return
        self._guard.message()
        if isinstance(message, types.JSONRPCRequest):
            self._guard.asked()
        await self._incoming.send(SessionMessage(message))

    async def _write(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        with suppress(OSError, anyio.ClosedResourceError):
            async for sent in self._outgoing:
                text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()
                if isinstance(sent.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._guard.answered()

    async def _stderr(self) -> None:
        assert self._process.stderr is not None
        came = 0
        while chunk := await self._process.stderr.read(_CHUNK):
            came += len(chunk)
            await asyncio.to_thread(self._log.write, chunk)
            if came > _QUICK:
                await asyncio.sleep(_STDERR_S)
