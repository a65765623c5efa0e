from __future__ import annotations

import pytest

from sessions.errors import ProviderError
from sessions.messages import Usage
from sessions.providers.base import Finished, TextPiece, Waiting
from tests.servers.asking import REQUEST, WITH_TOOL, all_of, answer, failure
from tests.servers.chat_server import CUT, DONE, Reply, document, error, event, stream, text


async def test_refused_stream_options_are_left_out_from_then_on(server, provider, waits):
    server.script(error(400, "Unknown parameter: 'stream_options'"), text("Yes"), text("Yes"))
    assert (await answer(provider))[0] == "Yes"
    assert (await answer(provider))[0] == "Yes"
    assert ["stream_options" in r for r in server.requests] == [True, False, False]
    assert waits == []


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({"Retry-After": "7"}, 7.0), ({"Retry-After": "Sun, 29 Nov 2026 17:14:20 GMT"}, 12.0), ({}, 1.0)],
)
async def test_a_429_is_waited_for_as_long_as_it_asks_and_said(server, provider, waits, headers, wait):
    server.script(error(429, "slow down", headers), text("Yes"))
    first, *rest = await all_of(provider)
    assert first == Waiting("127.0.0.1 asks for patience (429): slow down", wait, 1)
    assert isinstance(rest[-1], Finished)
    assert waits == [wait]


async def test_three_times_500_is_a_failure_that_may_pass(server, provider, waits):
    server.script(*[error(500, "oops")] * 3)
    e = await failure(provider)
    assert (e.message, e.status, e.retryable) == ("127.0.0.1 has trouble (500): oops", 500, True)
    assert (waits, len(server.requests)) == ([1, 2], 3)


async def test_a_wait_longer_than_a_minute_is_left_to_the_person(server, provider, waits):
    server.script(error(429, "slow down", {"Retry-After": "3600"}))
    e = await failure(provider)
    assert (e.retry_after_s, e.retryable, e.advice, waits) == (3600, True, "Try again in an hour", [])


async def test_a_used_up_quota_is_not_tried_again(server, provider, waits):
    server.script(error(429, "You exceeded your current quota", code="insufficient_quota"))
    e = await failure(provider)
    assert ("quota is used up" in e.message, e.retryable, waits) == (True, False, [])


async def test_a_stream_cut_before_anything_was_shown_is_tried_again(server, provider, waits):
    server.script(Reply([event({"role": "assistant"}), CUT]), text("Yes"))
    pieces = await all_of(provider)
    assert isinstance(pieces[0], Waiting)
    assert pieces[1:-1] == [TextPiece("Yes")]


@pytest.mark.parametrize("end", [[CUT], []], ids=["broken", "ended"])
@pytest.mark.parametrize("delta", [{"content": "Ye"}, {"reasoning": "hm"}])
async def test_a_stream_cut_after_something_was_shown_keeps_it_and_fails(server, provider, waits, end, delta):
    server.script(Reply([event(delta), *end]))
    shown = []
    with pytest.raises(ProviderError) as e:
        async for piece in provider.stream(REQUEST):
            shown.append(piece)
    assert [p.text for p in shown] == list(delta.values())
    assert not e.value.retryable
    assert server.url in e.value.message
    assert (len(server.requests), waits) == (1, [])


async def test_calls_of_a_cut_stream_are_never_given_out(server, provider):
    deltas = {"tool_calls": [{"index": 0, "id": "1", "function": {"name": "f", "arguments": "{}"}}]}
    server.script(*[Reply([event(deltas), CUT])] * 3)
    e = await failure(provider)
    assert (e.retryable, len(server.requests)) == (True, 3)


async def test_an_error_inside_the_stream_ends_it_with_the_services_words(server, provider):
    server.script(Reply([event({"content": "Ye"}), b'data: {"error": {"message": "the GPU is gone"}}\n\n', DONE]))
    e = await failure(provider)
    assert "the GPU is gone" in e.message
    assert not e.retryable


@pytest.mark.parametrize(
    "line",
    [
        b'data: {"error": {"message": "overloaded", "code": 503}}\n\n',
        b'event: error\ndata: {"message": "overloaded", "code": 503}\n\n',
        b'data: {"choices": [{"finish_reason": "error", "error": {"code": 503, "message": "overloaded"}}]}\n\n',
    ],
)
async def test_an_error_that_passes_at_the_begin_of_a_stream_is_tried_again(server, provider, line):
    server.script(Reply([line]), text("Yes"))
    first, *_, last = await all_of(provider)
    assert first == Waiting("127.0.0.1 has trouble (503): overloaded", 1, 1)
    assert isinstance(last, Finished)


@pytest.mark.parametrize(
    "reply",
    [
        error(400, "This model's maximum context length is 8192 tokens. Please reduce the length of the messages."),
        error(400, "no", code="context_length_exceeded"),
        error(400, "the request exceeds the available context size, try increasing it"),
        error(413, "no"),
        error(500, "prompt is too long: 210000 tokens > 200000 maximum"),
        Reply([b'data: {"error": {"message": "context_length_exceeded"}}\n\n']),
    ],
)
async def test_a_conversation_that_is_too_long_is_told_apart(server, provider, reply):
    server.script(reply)
    e = await failure(provider)
    assert (e.too_long, e.retryable, len(server.requests)) == (True, False, 1)


@pytest.mark.parametrize(
    "reply",
    [
        error(400, "registry.ollama.ai/library/gemma:2b does not support tools"),
        error(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        error(500, "tools param requires --jinja flag"),
        error(404, "No endpoints found that support tool use"),
        error(400, "Tool calling is not supported by this model"),
    ],
)
async def test_a_model_that_cannot_call_tools_is_said_with_advice(server, provider, reply):
    server.script(reply)
    e = await failure(provider, WITH_TOOL)
    assert e.message.startswith("m cannot call tools at 127.0.0.1: ")
    assert "Choose a model that can call tools" in e.advice


async def test_an_unknown_model_names_it_and_what_to_set(server, provider):
    server.script(error(404, "The model `m` does not exist", code="model_not_found"))
    e = await failure(provider)
    assert e.message.startswith("127.0.0.1 has no model 'm'")
    assert "Set model of [profiles.test]" in e.advice


@pytest.mark.parametrize(
    "reply",
    [Reply([b"<html>not found</html>"], 404), Reply([b"<html>Sign in</html>"], 200, {"Content-Type": "text/html"})],
)
async def test_an_address_without_a_chat_service_names_the_address(server, provider, reply):
    server.script(reply)
    e = await failure(provider)
    assert server.url in e.message
    assert "html" not in e.message
    assert "/v1" in e.advice


@pytest.mark.parametrize("reply", [Reply([DONE]), Reply([event(choices=[]), DONE]), document({"choices": []})])
async def test_an_answer_without_any_choice_is_a_failure_after_three_tries(server, provider, reply):
    server.script(reply, reply, reply)
    e = await failure(provider)
    assert e.message == "127.0.0.1 sent an empty answer"


async def test_an_answer_of_no_words_is_an_answer(server, provider):
    server.script(stream())
    assert await all_of(provider) == [Finished("stop", (), Usage(10, 5), "scripted")]
