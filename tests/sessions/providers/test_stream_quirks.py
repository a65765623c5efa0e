"""Every named server with every way in which a stream may be odd: what is said and called comes out the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sessions.errors import ProviderError
from sessions.providers.base import Finished, ReasoningPiece, TextPiece
from sessions.providers.chat import ChatProvider
from tests.servers.asking import WITH_TOOL, answer
from tests.servers.chat_server import CUT, Reply
from tests.servers.model_servers import KINDS, ModelServer
from tests.servers.reached import profile_of, served

SAID = "Żółw 🐢 płynie, naïve 海 tortoise."
CALLED = [("f", {"query": "łódź 🚤", "n": 3}), ("f", {})]
Body = dict[str, Any]


def changed(change: Callable[[list[Body]], list[Body]]) -> Callable[[Reply], Reply]:
    """A quirk of what the events say; comments and the end stay."""

    def quirk(reply: Reply) -> Reply:
        steps: list[Any] = []
        bodies = [
            json.loads(step[6:]) for step in reply.steps if isinstance(step, bytes) and step.startswith(b"data: {")
        ]
        rest = [step for step in reply.steps if isinstance(step, bytes) and not step.startswith(b"data: {")]
        steps = [b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n" for body in change(bodies)]
        return Reply([*(s for s in rest if s.startswith(b":")), *steps, *(s for s in rest if not s.startswith(b":"))])

    return quirk


def each(change: Callable[[Body], None]) -> Callable[[Reply], Reply]:
    def all_of(bodies: list[Body]) -> list[Body]:
        for body in bodies:
            for choice in body["choices"]:
                change(choice)
        return bodies

    return changed(all_of)


def written(change: Callable[[bytes], list[bytes]]) -> Callable[[Reply], Reply]:
    """A quirk of how it is written, or cut into pieces."""
    return lambda reply: Reply(change(b"".join(step for step in reply.steps if isinstance(step, bytes))))


def _never_counted(bodies: list[Body]) -> list[Body]:
    return [body | {"usage": None} for body in bodies if body["choices"]]


def _counted_at_the_end(bodies: list[Body]) -> list[Body]:
    counts = next((body["usage"] for body in bodies if body.get("usage")), None)
    kept = _never_counted(bodies)
    return [*kept[:-1], kept[-1] | {"usage": counts}]


def _null(choice: Body) -> None:
    if not choice["delta"].get("content"):
        choice["delta"]["content"] = None


def _no_reason(choice: Body) -> None:
    choice["finish_reason"] = None


def _left_out(choice: Body) -> None:
    if not choice.get("finish_reason"):
        choice.pop("finish_reason", None)


def _put_together(bodies: list[Body]) -> list[Body]:
    """Each call in one piece."""
    calls: dict[Any, Body] = {}
    first, order = None, 0
    for body in bodies:
        for choice in body["choices"]:
            for piece in choice["delta"].pop("tool_calls", ()):
                first, order = first or body, order + 1
                index = piece.get("index", f"piece {order}")
                if index in calls:
                    calls[index]["function"]["arguments"] += piece["function"]["arguments"]
                else:
                    calls[index] = piece
    if first is not None:
        first["choices"][0]["delta"]["tool_calls"] = list(calls.values())
    return bodies


def _objects(bodies: list[Body]) -> list[Body]:
    for body in _put_together(bodies):
        for choice in body["choices"]:
            for call in choice["delta"].get("tool_calls", ()):
                call["function"]["arguments"] = json.loads(call["function"]["arguments"] or "{}")
    return bodies


def _letter_by_letter(bodies: list[Body]) -> list[Body]:
    """Each call's arguments in pieces of one letter, the first with the name and nothing else."""
    out: list[Body] = []
    for body in _put_together(bodies):
        calls = [call for choice in body["choices"] for call in choice["delta"].pop("tool_calls", ())]
        out.append(body)
        for index, call in enumerate(calls):
            text = call["function"]["arguments"]
            head = call | {"index": index, "function": call["function"] | {"arguments": ""}}
            pieces = [head, *({"index": index, "function": {"arguments": letter}} for letter in text)]
            out += [
                {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": None}]} for piece in pieces
            ]
    ends = [body for body in out if any(choice.get("finish_reason") for choice in body["choices"])]
    return [*(body for body in out if body not in ends), *ends]


QUIRKS: dict[str, Callable[[Reply], Reply]] = {
    "as it is": lambda reply: reply,
    "usage never": changed(_never_counted),
    "usage with the last piece": changed(_counted_at_the_end),
    "content null": each(_null),
    "no reason for the end": each(_no_reason),
    "the reason only where there is one": each(_left_out),
    "calls in one piece": changed(_put_together),
    "arguments as objects": changed(_objects),
    "arguments letter by letter": changed(_letter_by_letter),
    "signs of life between": lambda reply: Reply([s for step in reply.steps for s in (b": keep-alive\n\n", step)]),
    "CRLF": written(lambda data: [data.replace(b"\n", b"\r\n")]),
    "no [DONE]": written(lambda data: [data.replace(b"data: [DONE]\n\n", b"")]),
    "no space and ids": written(lambda data: [data.replace(b"data: ", b"id: 7\nevent: message\ndata:")]),
    "byte by byte": written(lambda data: [data[i : i + 1] for i in range(len(data))]),
    "all at once": written(lambda data: [data]),
}


@pytest.fixture(params=list(KINDS))
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with served(request.param, monkeypatch) as server:
        yield server


@pytest.fixture
async def provider(server: ModelServer) -> Any:
    async def no_sleep(seconds: float) -> None:
        pass

    provider = ChatProvider(profile_of(server), server.kind.key or None, sleep=no_sleep)
    yield provider
    await provider.close()


@pytest.mark.parametrize("quirk", QUIRKS)
async def test_words_and_calls_come_out_the_same(server: ModelServer, provider: ChatProvider, quirk: str) -> None:
    server.script(QUIRKS[quirk](server.kind.says(SAID)), QUIRKS[quirk](server.kind.calls(*CALLED)))
    said, thought, end = await answer(provider)
    assert (said.strip(), thought, end.stop) == (SAID, "Hm. Yes." if server.kind.thinks else "", "stop")
    assert (end.usage is None) == (quirk == "usage never")
    said, _, end = await answer(provider, WITH_TOOL)
    assert (said, [(call.name, call.arguments) for call in end.calls], end.stop) == ("", CALLED, "tool_calls")


async def test_a_cut_in_the_middle_of_a_letter_is_no_end_and_leaves_no_half_of_it(
    server: ModelServer, provider: ChatProvider
) -> None:
    data = b"".join(step for step in server.kind.says("The turtle 🐢").steps if isinstance(step, bytes))
    raw = data.replace(b"\\ud83d\\udc22", "🐢".encode())
    at = raw.index("🐢".encode()) + 2
    server.script(Reply([raw[:at], CUT]))
    seen: list[object] = []
    with pytest.raises(ProviderError, match="broke") as e:
        async for piece in provider.stream(WITH_TOOL):
            seen.append(piece)
    assert not e.value.retryable, "it would say it twice"
    assert "".join(piece.text for piece in seen if isinstance(piece, TextPiece)) == "The turtle "
    assert not any(isinstance(piece, Finished) for piece in seen)
    assert "�" not in "".join(piece.text for piece in seen if isinstance(piece, ReasoningPiece | TextPiece))


async def test_a_stream_that_ends_without_any_word_of_its_end_is_broken_off(
    server: ModelServer, provider: ChatProvider
) -> None:
    cut = QUIRKS["no [DONE]"](changed(_never_counted)(each(_no_reason)(server.kind.says("The turtle"))))
    server.script(cut)
    with pytest.raises(ProviderError, match="broke off"):
        await answer(provider)
