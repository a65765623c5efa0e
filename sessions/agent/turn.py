"""One turn: from the user's message to the answer, whatever happens in between."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import Any

from sessions import ids
from sessions.agent import fact_lines
from sessions.agent.again import said_before
from sessions.agent.answer import Answer
from sessions.agent.channel import Channel
from sessions.agent.desk import Desk, Parts
from sessions.agent.repeats import Repeats
from sessions.agent.shapes import (
    approval_asked,
    approval_decided,
    call_finished,
    call_started,
    step_finished,
    turn_ended,
)
from sessions.agent.shortening import Shortening
from sessions.agent.steps import Asked, Decided, Ended, Outcome, Progress, StepItem, Working, let_go, listen, run_calls
from sessions.clock import iso
from sessions.errors import MemagentError, ProviderError
from sessions.events import (
    Event,
    FactsRecalled,
    Notice,
    ReasoningDelta,
    Retrying,
    StepStarted,
    TextDelta,
    ToolCallDelta,
    TurnFailed,
    TurnStarted,
    TurnStop,
)
from sessions.messages import (
    AssistantMessage,
    Marker,
    Record,
    Stop,
    ToolCall,
    ToolMessage,
    Usage,
    UserMessage,
    clean,
)
from sessions.providers.base import Finished, ReasoningPiece, Remark, Request, RequestedCall, TextPiece, Waiting

STOPPED = "Stopped by the user before it answered."
REPEATED = "Not run: the same call with the same arguments came for the third time in a row."
# How long a stopped stream may take to close before the turn ends without it.
_CLOSE_S = 0.05


class Turn:
    """Runs one turn and puts its events into `events`, then None."""

    def __init__(
        self, desk: Desk, number: int, text: str, typed: Iterable[tuple[int, int]] | None, *, off: bool = False
    ) -> None:
        self.events: Channel[Event | None] = Channel()
        self._desk = desk
        self._number = number
        self._text = clean(text)
        self._typed = tuple(typed) if typed is not None else None
        # Settled here once: the line in the log, the tools and what is sent go by the same.
        self._off = off or desk.mode() == "off"
        self._items: Channel[StepItem] = Channel()
        self._tasks: list[asyncio.Task[Any]] = []
        self._answer: Answer | None = None
        self._step: Working | None = None
        self._last_text = ""
        self._cut = ""
        """Why no more was taken of the last answer."""
        self._usage = Usage()
        self._repeats = Repeats()
        self._parts: Parts | None = None
        self._start = time.monotonic()
        self._message = ids.message_id()
        self._writes: list[asyncio.Future[Record]] = []
        self._cancelled = False
        self._closing = False
        self._task: asyncio.Task[None] | None = None
        self._running = False

    def start(self) -> asyncio.Task[None]:
        self._task = asyncio.get_running_loop().create_task(self._run())
        return self._task

    def cancel(self) -> None:
        """End the turn soon, normally, with what came. Doing it twice changes nothing."""
        if self._cancelled or self._closing or self._task is None:
            return
        self._cancelled = True
        if self._running:
            self._task.cancel()

    async def _run(self) -> None:
        self._running = True
        try:
            await self._begin()
            stop, error, advice = await self._loop()
            await self._end(stop, error, advice)
        except asyncio.CancelledError:
            self._closing = True
            await self._give_up("cancelled")
            await self._end("cancelled")
        except Exception as e:
            self._closing = True
            await self._fail(e)
        finally:
            self.events.put(None)

    async def _begin(self) -> None:
        at = iso(self._desk.clock.now())
        memory = "off" if self._off else "read-only" if self._desk.mode() == "read-only" else None
        head, again = (self._message, at, self._number, self._text), said_before(self._desk.records, self._text)
        message = UserMessage(*head, typed=self._typed, memory=memory, again=again)
        self._put(message)
        self._emit(TurnStarted(**self._head, text=self._text, at=at, message=message.id, memory=memory))
        await self._written()
        if self._cancelled:
            raise asyncio.CancelledError
        self._parts = await self._desk.parts(self._off)
        while self._desk.remarks:
            self._emit(Notice(**self._head, level="warning", text=self._desk.remarks.pop(0)))

    async def _loop(self) -> tuple[TurnStop, str, str]:
        """Steps until the model asks for no more calls; how it ended and, if that needs a word, why and what to do."""
        most = self._desk.settings.agent.max_steps
        for step in range(1, most + 1):
            message = await self._ask(step)
            if not message.tool_calls:
                if message.stop == "length":
                    why = self._cut or "The answer was cut: the model's limit was reached"
                    return "length", why, 'Send "go on" for the rest'
                if not message.content.strip():
                    return "stop", "The model sent an empty answer", "Send the message again"
                return "stop", "", ""
            repeated = self._repeats.third(message.tool_calls)
            if repeated:
                await self._give_up("repeat")
                why = f"Stopped: {repeated} was called three times in a row with the same arguments"
                return "repeat", why, "Say what it should do differently"
            await self._work()
        why = f"Stopped after {most} steps, the limit, without a final answer"
        return "max_steps", why, "Send a message to go on, or raise agent.max_steps in the settings"

    # The model

    async def _ask(self, step: int) -> AssistantMessage:
        desk = self._desk
        assert self._parts is not None
        room = Shortening(desk, self._parts, self._head, self._emit, self._kept)
        request = await room.request()
        self._emit(StepStarted(**self._head, step=step, profile=desk.provider.profile, model=desk.provider.model))
        self._answer = Answer(step)
        finished = None
        while finished is None:
            try:
                finished = await self._listen(request, self._answer)
            except ProviderError as e:
                if self._answer.text:
                    raise
                request, self._parts = await room.after_refusal(e, request), room.parts  # less each time, or it raises
        if finished.usage is not None and (cut := desk.reported(request, finished.usage)):
            self._emit(Notice(**self._head, level="warning", text=cut))
        return await self._answered(finished)

    async def _listen(self, request: Request, answer: Answer) -> Finished:
        self._items = Channel()
        self._tasks = [listen(self._desk.provider, request, self._items)]
        finished: Finished | None = None
        while True:
            for item in await self._items.get():
                match item:
                    case TextPiece() | ReasoningPiece():
                        self._piece(answer, item)
                    case Waiting():
                        self._emit(Retrying(**self._head, reason=item.reason, wait_s=item.wait_s, attempt=item.attempt))
                    case Remark():
                        self._emit(Notice(**self._head, level="warning", text=item.text))
                        item.shown()
                    case Finished():
                        finished = item
                    case Ended():
                        if item.error is not None:
                            raise item.error
                        if finished is None:
                            raise ProviderError("The model's answer broke off", "Send the message again")
                        return finished
                    case _:
                        pass

    def _piece(self, answer: Answer, piece: TextPiece | ReasoningPiece) -> None:
        if isinstance(piece, TextPiece):
            self._emit(TextDelta(**self._head, text=answer.add_text(piece.text)))
        else:
            self._emit(ReasoningDelta(**self._head, text=answer.add_reasoning(piece.text)))

    async def _answered(self, finished: Finished) -> AssistantMessage:
        self._cut = finished.cut
        calls = tuple(self._call(c) for c in finished.calls)
        stop: Stop = "tool_calls" if calls and finished.stop == "stop" else finished.stop
        message = self._log_answer(stop, calls, finished.usage, finished.provider_items)
        await self._written()
        return message

    def _log_answer(
        self,
        stop: Stop,
        calls: tuple[ToolCall, ...] = (),
        usage: Usage | None = None,
        items: dict[str, Any] | None = None,
    ) -> AssistantMessage:
        """Append the message that came; with calls the step goes on, else it is over."""
        answer, desk = self._answer, self._desk
        assert answer is not None
        self._answer = None
        message = answer.message(
            ids.message_id(),
            iso(desk.clock.now()),
            self._number,
            profile=desk.provider.profile,
            model=desk.provider.model,
            place=desk.provider.place,
            stop=stop,
            calls=calls,
            usage=usage,
            items=items,
        )
        tools = self._parts.registry if self._parts else None
        risky = any((t := tools.get(c.name)) is not None and t.side_effects for c in calls) if tools else False
        self._put(message, sync=risky)
        self._last_text = message.content
        self._usage += usage or Usage()
        finished = step_finished(message, answer.step, self._head)
        if not calls:
            self._emit(finished)
        else:
            self._step = Working(finished, calls)
            for call in calls:
                self._emit(call_started(call, self._head))
        return message

    def _call(self, call: RequestedCall) -> ToolCall:
        text = call.arguments_text if call.arguments is None else None
        own = call.provider_id or None
        return ToolCall(self._desk.new_call_id(), call.name, call.arguments, text, own, call.items)

    # The tools

    async def _work(self) -> None:
        """Run the step's calls; events as they come, results into the log in call order."""
        step, parts, desk = self._step, self._parts, self._desk
        assert step is not None and parts is not None
        context = desk.tool_context(self._number, self._message)
        self._items = Channel()
        timeout_s = desk.settings.agent.tool_timeout_s
        self._tasks = run_calls(step.calls, parts.registry, context, timeout_s, desk.consent, self._items)
        while len(step.done) < len(step.calls):
            for item in await self._items.get():
                if isinstance(item, Progress):
                    self._emit(ToolCallDelta(**self._head, call_id=item.call.id, text=clean(item.text)))
                elif isinstance(item, Outcome):
                    self._outcome(step, item)
                elif isinstance(item, Asked | Decided):
                    self._approval(item)
        await self._written()
        self._end_step(step)

    def _approval(self, item: Asked | Decided) -> None:
        if isinstance(item, Asked):
            self._emit(approval_asked(item.request))
            return
        data = {"call_id": item.call.id, "decision": item.verdict.decision, "by": item.verdict.by}
        self._put(Marker(ids.message_id(), iso(self._desk.clock.now()), "approval", data))
        self._emit(approval_decided(data, self._head))

    def _outcome(self, step: Working, item: Outcome) -> None:
        call, result = item.call, item.result
        shown: list[tuple[str, int]] = []
        for event in fact_lines.of_call(result.events, self._head, call.id):
            if isinstance(event, FactsRecalled):
                shown += zip(event.names, event.numbers, strict=False)
            else:
                self._put(fact_lines.marker(event, ids.message_id(), iso(self._desk.clock.now())))
            self._emit(event)
        self._result(step, call, clean(result.content), ok=result.ok, ms=item.ms, shown=shown)

    def _result(
        self,
        step: Working,
        call: ToolCall,
        content: str,
        *,
        ok: bool,
        ms: int = 0,
        shown: Sequence[tuple[str, int]] = (),
    ) -> None:
        at = iso(self._desk.clock.now())
        names, numbers = tuple(n for n, _ in shown), tuple(n for _, n in shown)
        message = ToolMessage(ids.message_id(), at, self._number, call.id, call.name, content, ok, ms, names, numbers)
        step.done[call.id] = message
        self._emit(call_finished(message, self._head))
        while step.logged < len(step.calls) and step.calls[step.logged].id in step.done:
            self._put(step.done[step.calls[step.logged].id])
            step.logged += 1

    def _end_step(self, step: Working) -> None:
        self._step = None
        self._emit(step.finished)

    # The end

    async def _give_up(self, why: str) -> None:
        """Keep what came: the part of an answer, a result for every call."""
        for task in self._tasks:
            let_go(task)
        if self._tasks and why == "cancelled":
            # Well-behaved ones get the moment they need to close their connection.
            await asyncio.wait(self._tasks, timeout=_CLOSE_S)
        if self._answer is not None:
            for item in self._items.taken():
                if isinstance(item, TextPiece | ReasoningPiece):
                    self._piece(self._answer, item)
            self._log_answer("error" if why == "error" else "cancelled")
        step = self._step
        if step is not None:
            for item in self._items.taken():
                if isinstance(item, Outcome) and item.call.id not in step.done:
                    self._outcome(step, item)
            text = REPEATED if why == "repeat" else STOPPED
            for call in step.calls:
                if call.id not in step.done:
                    self._result(step, call, text, ok=False)
            self._end_step(step)

    async def _fail(self, error: Exception) -> None:
        advice = "Send the message again"
        if isinstance(error, MemagentError):
            text, advice = error.message, error.advice
        else:
            text = f"The turn failed: {str(error) or type(error).__name__}"
            self._desk.report(error)
        try:
            await self._give_up("error")
            await self._end(None, text, advice)
        except Exception as e:
            # The log itself cannot be written: say the first trouble, which is most likely the same.
            self._desk.report(e)
            self._emit(TurnFailed(**self._head, error=text, advice=advice, ms=self._ms))

    async def _end(self, stop: TurnStop | None, error: str = "", advice: str = "") -> None:
        """The turn's last line, on the disk, and its last event. `stop` None = it failed."""
        self._closing = True
        always = self._parts.count if self._parts else 0
        data: dict[str, Any] = {"turn": self._number, "stop": stop or "error"}
        data |= {k: v for k, v in (("error", error), ("advice", advice)) if v}
        data |= {"usage": self._usage.as_json, "ms": self._ms, "always_sent": always}
        self._put(Marker(ids.message_id(), iso(self._desk.clock.now()), "turn_end", data), sync=True)
        await self._written()
        for event in turn_ended(data, self._last_text, self._head):
            self._emit(event)

    # Small things

    @property
    def _head(self) -> dict[str, Any]:
        return {"session": self._desk.session, "turn": self._number}

    @property
    def _ms(self) -> int:
        return round((time.monotonic() - self._start) * 1000)

    def _emit(self, event: Event) -> None:
        self.events.put(event)

    def _put(self, record: Record, *, sync: bool = False) -> None:
        write = self._desk.write(record, sync=sync)
        # Of several that fail, one is told; the others are no news.
        write.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._writes.append(write)

    async def _kept(self, record: Record) -> None:
        self._put(record)
        await self._written()

    async def _written(self) -> None:
        """Wait until all that was put is in the log; a cancel leaves the writes alone. Raises what they raise."""
        while self._writes:
            await asyncio.shield(self._writes[0])
            self._writes.pop(0)
