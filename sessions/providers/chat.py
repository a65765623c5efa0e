"""Any OpenAI-compatible chat service, through the openai package.

The package is imported in a thread with the first request. Streams are read as bytes and parsed here, which takes an
eighth of the time of the package's typed events and survives what services really send.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sessions.clock import Clock, SystemClock
from sessions.errors import ProviderError
from sessions.providers import chat_errors as errors
from sessions.providers import chat_request, effort, elsewhere, refusal, toolless, windows
from sessions.providers.base import Finished, Piece, ReasoningPiece, Remark, Request, TextPiece, Waiting
from sessions.providers.chat_answer import Answer
from sessions.providers.keys import key_of
from sessions.providers.limits import ANSWER, LINE, mega
from sessions.providers.refusal import Refused
from sessions.providers.retry import LONGEST_WAIT_S, TRIES, backoff_s
from sessions.providers.service import NO_KEY, OPENAI_HOST, Service, key_variable
from sessions.providers.sse import EventReader, TooLongError
from sessions.settings import Profile

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

DEFAULT_WINDOW = 128_000
_USAGE_REFUSED = re.compile(r"stream_options|include_usage")


def make(profile: Profile, clock: Clock) -> ChatProvider:
    """The provider of a profile, with its key from the environment or the keyring. Raises ProviderError."""
    return ChatProvider(profile, key_of(profile), clock=clock)


class ChatProvider:
    """A model at an OpenAI-compatible service. Nothing is imported or connected before `warm` or the first request."""

    def __init__(
        self,
        profile: Profile,
        key: str | None,
        *,
        clock: Clock | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        tried: bool = False,
    ) -> None:
        """`tried`: the profile need not stand in the settings, and errors do not say that it does."""
        self._profile = profile
        self._service = Service(profile, key, tried)
        self._clock = clock or SystemClock()
        self._sleep = sleep
        self._client: AsyncOpenAI | None = None
        self._making = asyncio.Lock()
        self._usage = True

    @property
    def profile(self) -> str:
        return self._profile.name

    @property
    def model(self) -> str:
        return self._profile.model

    @property
    def made_of(self) -> tuple[Profile, str | None]:
        """The profile and its key."""
        return self._profile, self._service.key

    @property
    def place(self) -> str:
        return self._service.place

    @property
    def context_window(self) -> int:
        told = windows.told(self._service)
        here = told.window if told is not None else None
        return self._profile.context_window or here or elsewhere.window(self._service) or DEFAULT_WINDOW

    @property
    def calls_tools(self) -> bool:
        """False once its service refused a request because of its tools."""
        return toolless.calls_tools(self._service)

    async def warm(self) -> None:
        """Import the package and make the client now, in a thread, so that the first answer does not wait for it; and
        ask a server on this machine how much its model sees, unless it has just told."""
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(self._make_client)
            if windows.due(self._service):
                await windows.ask(self._service)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def stream(self, request: Request) -> AsyncGenerator[Piece, None]:
        """The answer as it comes; closing the generator ends the request and its connection.

        A refusal that passes is tried three times, with `Waiting` before each new try, as long as nothing of the
        answer was given out. Raises ProviderError; once something was given out it is not retryable.
        """
        self._check()
        try:
            if self._client is None:
                await self.warm()
        except Exception as e:
            error = errors.of_connection(self._service, e)
            raise error from None
        elsewhere.ask(self._service)
        attempt, shown = 1, False
        while True:
            try:
                async with aclosing(self._once(request)) as pieces:
                    async for piece in pieces:
                        shown = shown or isinstance(piece, TextPiece | ReasoningPiece)
                        if isinstance(piece, Finished) and windows.due_after_an_answer(self._service):
                            await windows.ask(self._service)
                        if isinstance(piece, Finished) and (text := windows.remark(self._service)):
                            yield Remark(text, partial(windows.said, self._service))
                        yield await self._priced(piece) if isinstance(piece, Finished) else piece
                return
            except ProviderError as e:
                error = e  # handled outside, so that nothing is waited for inside the handler
            if error.status is None and error.retryable:
                windows.lost(self._service)
            if error.no_tools:
                toolless.note(self._service)
            if shown:
                raise _final(error) from None
            if effort.refused(self._service, error):
                yield effort.remark(self._service)
                continue
            if self._usage and error.status in {400, 404, 422} and _USAGE_REFUSED.search(error.message):
                self._usage = False
                continue
            wait = backoff_s(attempt) if error.retry_after_s is None else error.retry_after_s
            if not isinstance(error, errors.PassingError) or attempt >= TRIES or wait > LONGEST_WAIT_S:
                raise error from None
            yield Waiting(error.message, wait, attempt)
            await self._sleep(wait)
            attempt += 1

    async def _once(self, request: Request) -> AsyncGenerator[Piece, None]:
        """One try. Every failure leaves as a ProviderError, without the exception that may hold a key."""
        assert self._client is not None
        names = chat_request.names_of(request)
        reader, answer, tools = EventReader(), Answer(names.meant), bool(request.tools)
        profile = effort.fitting(self._service, tools=tools and self.calls_tools)
        body = chat_request.body(request, profile, usage=self._usage, names=names, tools=self.calls_tools)
        failure: ProviderError | None = None
        try:
            create = self._client.chat.completions.with_streaming_response.create
            async with create(**_as_it_is(body)) as response, aclosing(response.iter_bytes()) as chunks:
                came, heard = 0, time.monotonic()
                async for data in chunks:
                    came += len(data)
                    if came > ANSWER:
                        answer.cut = f"The answer was cut: more than {mega(ANSWER)} came from {self._service.host}"
                        break
                    events = reader.feed(data)
                    for event in events:
                        answer.feed(event)
                    for piece in answer.take():
                        yield piece
                    if answer.ended or reader.done or answer.error or answer.cut:
                        break
                    if events:
                        heard = time.monotonic()
                    elif time.monotonic() - heard > self._profile.timeout_s:
                        raise errors.silence(self._service)  # signs of life are no answer
                if not (answer.error or answer.cut):
                    await _rest(chunks, reader, answer)
        except Exception as e:
            failure = None if answer.ended or reader.done else self._failure(e, tools=tools)
        if failure is None and not answer.cut:
            for event in reader.close():
                answer.feed(event)
        for piece in answer.close():
            yield piece
        if failure is None and answer.error:
            failure = errors.in_stream(self._service, answer.error, self._clock.now(), tools=tools)
        if failure is None and not (answer.began or answer.cut):
            failure = errors.no_answer(self._service, reader.stray)
        if failure is None and not (answer.ended or reader.done or answer.cut):
            failure = errors.cut(self._service)
        if failure is not None:
            raise failure
        yield answer.finished()

    async def _priced(self, end: Finished) -> Finished:
        return replace(end, usage=await elsewhere.priced(self._service, end.usage))

    def _failure(self, error: Exception, *, tools: bool) -> ProviderError:
        if isinstance(error, ProviderError):
            return error
        if isinstance(error, TooLongError):
            return errors.too_long_a_line(self._service)
        for cause in errors.causes(error):
            if isinstance(cause, Refused):
                now = self._clock.now()
                return errors.of_status(self._service, cause.status, cause.body, cause.headers, now, tools=tools)
        return errors.of_connection(self._service, error)

    def _check(self) -> None:
        """Refuse what cannot work before anything is sent. Raises ProviderError."""
        profile = self._profile
        if not self._service.valid:
            raise errors.no_address(self._service)
        if not profile.model:
            advice = f"Set {self._service.setting('model')}"
            raise ProviderError(f"The profile {profile.name} names no model for {self._service.host}", advice)
        needs = key_variable(profile) or profile.api_key == "keyring"
        if self._service.key is None and needs and not self._service.local:
            raise errors.no_key(self._service)

    def _make_client(self) -> AsyncOpenAI:
        import openai

        profile, service = self._profile, self._service
        timeout = openai.Timeout(profile.timeout_s, connect=errors.connect_s(service))

        async def check(response: httpx2.Response) -> None:
            await refusal.check(response, profile.timeout_s)

        http = openai.DefaultAsyncHttpxClient(
            timeout=timeout,
            # A proxy of the environment cannot reach what runs on this machine.
            trust_env=not service.local,
            # What was said goes where the settings say, and nowhere else.
            follow_redirects=False,
            event_hooks={"response": [check]},
        )
        client = openai.AsyncOpenAI(
            api_key=service.key or NO_KEY,
            base_url=profile.base_url,
            timeout=timeout,
            max_retries=0,
            default_headers=profile.headers or None,
            http_client=http,
        )
        if service.host != OPENAI_HOST:  # OPENAI_ORG_ID and OPENAI_PROJECT_ID are no other service's business
            client.organization = client.project = None
        return client


def _as_it_is(body: dict[str, Any]) -> dict[str, Any]:
    """The same body with its long lists where the package does not walk through every word of them."""
    lists = {key: body[key] for key in ("messages", "tools") if key in body}
    return body | {key: [] for key in lists} | {"extra_body": lists | body.get("extra_body", {})}


async def _rest(chunks: AsyncIterator[bytes], reader: EventReader, answer: Answer) -> None:
    """Read on after a service said its last word.

    Usage may follow, and a stream that was read to its end leaves a connection that can be used again; but a service
    that does not hang up is not waited for.
    """
    came = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as limit:
            limit.reschedule(_soon(reader))
            async for data in chunks:
                done = reader.done
                came += len(data)
                for event in reader.feed(data):
                    answer.feed(event)
                if came > LINE or answer.error:
                    return
                if reader.done and not done:
                    limit.reschedule(_soon(reader))


def _soon(reader: EventReader) -> float:
    return asyncio.get_running_loop().time() + (0.2 if reader.done else 3.0)


def _final(error: ProviderError) -> ProviderError:
    """The error as it stands after a part of the answer was given out: a second try would say it twice."""
    return ProviderError(error.message, error.advice, status=error.status, too_long=error.too_long)
