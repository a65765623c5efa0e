from __future__ import annotations

import asyncio
import json
import time
from contextlib import aclosing
from typing import Any

import pytest

from sessions.messages import Usage
from sessions.providers.base import Finished, TextPiece
from sessions.providers.chat import ChatProvider
from tests.servers.asking import REQUEST, TOOL, WITH_TOOL, all_of, answer
from tests.servers.chat_server import CUT, DONE, Pause, Reply, calls, document, event, stream, usage
from tests.waiting import until


async def test_an_answer_comes_as_text_with_its_usage(server, provider):
    server.script(stream({"content": "Hello"}, {"content": " you"}, tokens=(412, 35)))
    said, thought, end = await answer(provider)
    assert (said, thought, end) == ("Hello you", "", Finished("stop", (), Usage(412, 35), "scripted"))


async def test_pieces_come_when_they_are_sent_and_not_later(server, provider):
    pause = Pause()
    server.script(Reply([event({"content": "first"}), pause, event({"content": "second"}), event(finish="stop"), DONE]))
    async with aclosing(provider.stream(REQUEST)) as pieces:
        assert await anext(pieces) == TextPiece("first")
        pause.release()
        assert await anext(pieces) == TextPiece("second")


async def test_one_connection_serves_several_requests(server, provider):
    for _ in range(3):
        await answer(provider)
    assert (len(server.requests), server.connections - len(server.gets)) == (3, 1), "and one for each listing"


async def test_five_calls_in_one_message_arrive_whole_and_in_order(server, provider):
    wanted = [("get_weather", {"location": city}) for city in ("Tokyo", "Osaka", "Kyoto", "Oslo", "Köln")]
    server.script(calls(*wanted, said="Looking."))
    said, _, end = await answer(provider, WITH_TOOL)
    assert (said, end.stop) == ("Looking.", "tool_calls")
    assert [(c.name, c.arguments) for c in end.calls] == wanted


async def test_an_answer_split_at_any_byte_is_the_same(server, provider):
    whole = b"".join(
        [
            event({"reasoning_content": "wörk"}),
            event({"content": "東京 👍\n"}),
            event({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "f", "arguments": '{"x": "é"}'}}]}),
            event(finish="tool_calls"),
            usage(10, 5, 4),
            DONE,
        ]
    )
    for at in range(1, len(whole), 7):
        server.script(Reply([whole[:at], whole[at : at + 3], whole[at + 3 :]]))
        said, thought, end = await answer(provider)
        assert (said, thought, end.calls[0].arguments, end.usage) == (
            "東京 👍\n",
            "wörk",
            {"x": "é"},
            Usage(10, 5, 4),
        ), at


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
async def test_reasoning_of_its_own_field_is_reasoning(server, provider, key):
    server.script(stream({key: "let me"}, {key: " see"}, {"content": "Yes"}))
    assert (await answer(provider))[:2] == ("Yes", "let me see")


async def test_reasoning_that_is_sent_under_both_names_comes_once(server, provider):
    server.script(stream({"reasoning_content": "a", "reasoning": "a"}, {"content": "Yes"}))
    assert (await answer(provider))[:2] == ("Yes", "a")


async def test_inline_think_tags_split_over_chunks_are_reasoning(server, provider):
    server.script(stream(*({"content": c} for c in ["<th", "ink>\nlet ", "me see</", "think>", "\n\nYes ", "<think>"])))
    assert (await answer(provider))[:2] == ("Yes <think>", "let me see")


async def test_an_emoji_sent_as_two_halves_is_one(server, provider):
    halves = [b'data: {"choices": [{"delta": {"content": "a\\ud83d"}}]}\n\n']
    halves += [b'data: {"choices": [{"delta": {"content": "\\udc4db \\ud83d"}}]}\n\n', event(finish="stop"), DONE]
    server.script(Reply(halves))
    assert (await answer(provider))[0] == "a👍b \ufffd"


async def test_content_in_parts_is_text_and_reasoning(server, provider):
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    server.script(stream({"content": [thinking, {"type": "text", "text": "Yes"}]}))
    assert (await answer(provider))[:2] == ("Yes", "hm")


async def test_a_stream_without_usage_and_without_done_is_an_answer(server, provider):
    server.script(Reply([event({"content": "Yes"}), event(finish="stop")]))
    said, _, end = await answer(provider)
    assert (said, end.usage) == ("Yes", None)


async def test_a_stream_that_ends_by_done_without_a_reason_is_an_answer(server, provider):
    server.script(Reply([event({"content": "Yes"}), DONE]))
    said, _, end = await answer(provider)
    assert (said, end.stop) == ("Yes", "stop")


async def test_a_service_that_does_not_hang_up_after_its_last_word_is_not_waited_for(server, provider):
    server.script(Reply([event({"content": "Yes"}), event(finish="stop"), DONE, Pause()]))
    begun = time.monotonic()
    assert (await answer(provider))[0] == "Yes"
    assert time.monotonic() - begun < 3


async def test_a_break_after_the_last_word_is_no_failure(server, provider):
    server.script(Reply([event({"content": "Yes"}), event(finish="stop"), CUT]))
    assert (await answer(provider))[0] == "Yes"


async def test_an_answer_that_was_too_long_says_so(server, provider):
    server.script(stream({"content": "Yes"}, finish="length"))
    assert (await answer(provider))[2].stop == "length"


async def test_calls_count_even_when_the_reason_says_stop(server, provider):
    server.script(stream({"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}, finish="stop"))
    assert (await answer(provider))[2].stop == "tool_calls"


async def test_the_older_function_call_is_a_call(server, provider):
    server.script(
        stream({"function_call": {"name": "f", "arguments": '{"x"'}}, {"function_call": {"arguments": ":1}"}})
    )
    assert [(c.name, c.arguments) for c in (await answer(provider))[2].calls] == [("f", {"x": 1})]


async def test_arguments_that_are_not_json_are_kept_as_text(server, provider):
    server.script(stream({"tool_calls": [{"index": 0, "id": "1", "function": {"name": "f", "arguments": "{x"}}]}))
    call = (await answer(provider))[2].calls[0]
    assert (call.arguments, call.arguments_text, call.provider_id) == (None, "{x", "1")


async def test_chunks_without_choices_or_with_unknown_shapes_are_skipped(server, provider):
    odd: list[dict[str, Any]] = [
        {"choices": []},
        {"choices": None},
        {"choices": "x"},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": "x"}]},
        {"choices": [{"delta": {"content": 3, "tool_calls": "x"}}]},
        {"choices": [{"index": 1, "delta": {"content": "other"}}]},
        {"prompt_filter_results": []},
    ]
    lines = [b"data: " + json.dumps(o).encode() + b"\n\n" for o in odd]
    server.script(Reply([*lines, event({"content": "Yes"}), event(finish="stop"), DONE]))
    assert (await answer(provider))[0] == "Yes"


@pytest.mark.parametrize("pretty", [None, 2])
async def test_a_whole_document_instead_of_a_stream_is_an_answer(server, provider, pretty):
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    message = {"role": "assistant", "content": "<think>hm</think>Yes", "tool_calls": [call]}
    counts = {"prompt_tokens": 10, "completion_tokens": 5}
    body = {"model": "n", "usage": counts, "choices": [{"message": message, "finish_reason": "tool_calls"}]}
    server.script(document(json.dumps(body, indent=pretty).encode()))
    said, thought, end = await answer(provider)
    assert (said, thought, end.usage, end.model) == ("Yes", "hm", Usage(10, 5), "n")
    assert end.calls[0].arguments == {"x": 1}


async def test_closing_the_stream_breaks_the_connection_at_once(server, provider):
    pause = Pause()
    server.script(Reply([event({"content": "Ye"}), pause]))
    pieces = provider.stream(REQUEST)
    assert await anext(pieces) == TextPiece("Ye")
    begun = time.monotonic()
    await pieces.aclose()
    await until(server.gone.is_set, "the server sees the client leave")
    assert time.monotonic() - begun < 0.1
    assert (await answer(provider))[0].startswith("You said")


@pytest.mark.parametrize("first", [[], [event({"content": "Ye"})]], ids=["waiting for the first word", "in the middle"])
async def test_a_cancelled_task_breaks_the_connection_at_once(server, provider, first):
    pause = Pause()
    server.script(Reply([*first, pause]))
    task = asyncio.create_task(all_of(provider))
    await until(pause.reached.is_set, "the server waits")
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(server.gone.is_set, "the server sees the client leave")
    assert time.monotonic() - begun < 0.1


async def test_the_request_is_the_documented_one(server, provider):
    await answer(provider, WITH_TOOL)
    assert server.requests[0] == {
        "model": "m",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {"type": "function", "function": {"name": "f", "description": "does f", "parameters": TOOL.parameters}}
        ],
    }


async def test_made_ready_while_a_first_request_comes_it_keeps_one_client(server, provider, monkeypatch):
    made = []
    real = ChatProvider._make_client
    monkeypatch.setattr(ChatProvider, "_make_client", lambda self: made.append(real(self)) or made[-1])
    server.script(stream({"content": "Yes"}))
    _, pieces, _ = await asyncio.gather(provider.warm(), all_of(provider), provider.warm())
    assert pieces[0] == TextPiece("Yes") and len(made) == 1
