"""The two things a step does: listen to the model, and run the calls it asked for, all at once.

A call that can change something waits for a yes before it runs, without a limit of time.

Both put what comes into a channel and are never waited for when the turn is stopped: a provider that hangs or a tool
that does not let go costs the person nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from sessions.agent.approval import ApprovalRequest, Consent, Verdict
from sessions.agent.channel import Channel
from sessions.events import StepFinished
from sessions.messages import ToolCall, ToolMessage
from sessions.providers.base import LEFT_OUT, Piece, Provider, Request
from sessions.tools.base import Tool, ToolContext, ToolResult
from sessions.tools.registry import Registry, ToolArgumentError

_SHOWN_ARGUMENTS = 200
_SHOWN_FAILURE = 2_000
"""Characters of what went wrong in a call."""


@dataclass(slots=True)
class Working:
    """A message of the model whose calls are at work."""

    finished: StepFinished
    calls: tuple[ToolCall, ...]
    done: dict[str, ToolMessage] = field(default_factory=dict)
    logged: int = 0
    """How many results are in the log, in call order."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The model's stream is over, by itself or by an error."""

    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """A line from a tool that is still at work."""

    call: ToolCall
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call is over."""

    call: ToolCall
    result: ToolResult
    ms: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A call waits for the person."""

    request: ApprovalRequest


@dataclass(frozen=True, slots=True)
class Decided:
    """A call that needs a yes has an answer."""

    call: ToolCall
    verdict: Verdict


StepItem: TypeAlias = Piece | Ended | Progress | Outcome | Asked | Decided

# Tasks that were told to stop and may take their time; kept so that they are not collected while they run.
_leaving: set[asyncio.Task[Any]] = set()


def background(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    """Start work whose failure is told in another way."""
    task = asyncio.get_running_loop().create_task(work)
    task.add_done_callback(lambda t: t.cancelled() or t.exception())
    return task


def let_go(task: asyncio.Task[Any]) -> None:
    """Tell a task to stop, without waiting until it does."""
    if not task.done():
        _leaving.add(task)
        task.add_done_callback(_leaving.discard)
        task.cancel()


def listen(provider: Provider, request: Request, channel: Channel[StepItem]) -> asyncio.Task[Any]:
    """Put the pieces of the answer into the channel, then `Ended`."""

    async def work() -> None:
        try:
            stream = provider.stream(request)
            try:
                async for piece in stream:
                    channel.put(piece)
            finally:
                close = getattr(stream, "aclose", None)
                if close is not None:
                    await close()
        except Exception as e:
            channel.put(Ended(e))
        else:
            channel.put(Ended())

    return background(work())


def run_calls(
    calls: Sequence[ToolCall],
    registry: Registry,
    context: Callable[[ToolCall, Callable[[str], None]], ToolContext],
    timeout_s: float,
    consent: Consent,
    channel: Channel[StepItem],
) -> list[asyncio.Task[Any]]:
    """Start all calls; the channel gets their progress and one `Outcome` each, as they come. Nothing raises."""
    loop = asyncio.get_running_loop()

    def progress(call: ToolCall) -> Callable[[str], None]:
        def tell(text: str) -> None:
            # A tool may work in a thread.
            loop.call_soon_threadsafe(channel.put, Progress(call, text))

        return tell

    async def work(call: ToolCall) -> None:
        start = time.monotonic()
        try:
            gate = _Gate(call, consent, channel)
            result = await _answer(call, registry, context(call, progress(call)), timeout_s, gate)
        except Exception as e:
            result = ToolResult(f"{call.name} failed: {_why(e)}", ok=False)
        if not result.ok and len(result.content) > _SHOWN_FAILURE:
            result = replace(result, content=f"{result.content[:_SHOWN_FAILURE]}…")
        channel.put(Outcome(call, result, round((time.monotonic() - start) * 1000)))

    return [background(work(call)) for call in calls]


@dataclass(frozen=True, slots=True)
class _Gate:
    """Where a call waits for its yes."""

    call: ToolCall
    consent: Consent
    channel: Channel[StepItem]

    async def refusal(self, tool: Tool, arguments: dict[str, Any], context: ToolContext) -> str:
        """Why the call does not run; empty when it may."""
        if not tool.asks:
            return ""
        verdict = self.consent.ruled(tool, arguments)
        if verdict is None:
            where = (context.session, context.turn, self.call.id)
            request = ApprovalRequest(*where, tool.name, arguments, tool.asks)
            self.channel.put(Asked(request))
            verdict = await self.consent.ask(tool, request)
        self.channel.put(Decided(self.call, verdict))
        return verdict.refusal


async def _answer(
    call: ToolCall, registry: Registry, context: ToolContext, timeout_s: float, gate: _Gate
) -> ToolResult:
    tool = registry.get(call.name)
    if tool is None:
        names = ", ".join(registry.names()) or "none"
        return ToolResult(f"There is no tool {call.name!r}. The tools are: {names}.", ok=False)
    if call.arguments is None:
        shown = (call.arguments_text or "")[:_SHOWN_ARGUMENTS]
        wrong = "too much" if shown.startswith(LEFT_OUT) else "no JSON object"
        return ToolResult(f"The arguments are {wrong}: {shown}", ok=False)
    try:
        arguments = registry.check(tool, call.arguments)
    except ToolArgumentError as e:
        return ToolResult(str(e), ok=False)
    refusal = await gate.refusal(tool, arguments, context)
    if refusal:
        return ToolResult(refusal, ok=False)
    return await _within(tool, arguments, context, timeout_s)


async def _within(tool: Tool, arguments: dict[str, Any], context: ToolContext, timeout_s: float) -> ToolResult:
    async def call() -> ToolResult | str:
        return await tool.run(arguments, context)

    task = background(call())
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout_s)
    except asyncio.CancelledError:
        let_go(task)
        raise
    if not done:
        let_go(task)
        return ToolResult(f"{tool.name} did not answer within {timeout_s:g} s.", ok=False)
    if task.cancelled():
        return ToolResult(f"{tool.name} was interrupted.", ok=False)
    answer = task.result()
    return answer if isinstance(answer, ToolResult) else ToolResult(str(answer))


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__
