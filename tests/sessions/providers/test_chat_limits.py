from __future__ import annotations

import itertools
import json
import time
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from sessions.messages import Usage
from sessions.providers import limits
from sessions.providers.chat import ChatProvider
from sessions.providers.sse import EventReader
from sessions.settings import Profile
from tests.servers.asking import answer, failure
from tests.servers.chat_server import DONE, ChatServer, Pause, Reply, document, error, event, stream, text

ZIPPED = {"Content-Encoding": "gzip"}


def impatient(server: ChatServer, timeout_s: float = 0.2) -> ChatProvider:
    return ChatProvider(Profile("test", base_url=server.url, model="m", timeout_s=timeout_s), None)


def endless(*steps: bytes, **more: Any) -> Reply:
    """These bytes again and again, until whoever asked goes away."""
    return Reply(itertools.cycle(steps), **more)


def zipped(data: Iterator[bytes]) -> Reply:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return Reply([b"".join([*map(packer.compress, data), packer.flush()])], headers=ZIPPED)


def called(name: str = "f", arguments: str = "{}", **more: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": "1", "function": {"name": name, "arguments": arguments}} | more]}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_what_was_said_is_sent_to_no_other_address_than_that_of_the_settings(server, provider, status):
    with ChatServer() as other:
        server.script(Reply([], status, {"Location": f"{other.url}/chat/completions?key=hidden"}))
        e = await failure(provider)
        assert e.message == f"127.0.0.1 wants the request at {other.url} instead ({status})"
        assert "set base_url of [profiles.test]" in e.advice
        assert (other.connections, len(server.requests)) == (0, 1)


async def test_a_place_on_the_same_server_is_named_too_and_nothing_is_sent_there(server, provider):
    server.script(error(307, "over there", {"Location": "/v2/chat/completions"}))
    assert f"at {server.url.removesuffix('/v1')}/v2 instead" in (await failure(provider)).message
    assert len(server.requests) == 1


@pytest.mark.parametrize("line", [b"data: [1,\n", b'data: {"a":\n', b"data: }\n"])
def test_lines_that_never_become_an_object_cost_their_length(line):
    reader, start = EventReader(), time.process_time()
    for _ in range(50):
        assert reader.feed(line * 1_000) == []
    assert reader.feed(b'\n\ndata: {"a": 1}\n\n') == [{"a": 1}]
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("first", "next_"),
    [
        pytest.param(called(arguments='{"a": "'), called(arguments="}" * 100), id="a call that never becomes whole"),
        pytest.param({"content": ""}, {"content": " " * 300}, id="blanks before the first word"),
        pytest.param({"content": "<think>"}, {"content": "\n" * 300}, id="blank lines in a thought"),
    ],
)
async def test_small_pieces_cost_their_length(server, provider, first, next_):
    server.script(Reply([event(first), *[event(next_) * 1_000] * 8, event(finish="stop"), DONE]))
    start = time.process_time()
    await answer(provider)
    assert time.process_time() - start < 3


@pytest.mark.parametrize("beginning", [b'data: {"choices": "', b"", b"data: [1,\n" * 400_000])
async def test_a_line_or_an_event_without_end_is_given_up(server, provider, beginning):
    server.script(Reply(itertools.chain([beginning], itertools.repeat(b"x" * 1_000_000))))
    e = await failure(provider)
    assert e.message == "127.0.0.1 sent a line of more than 16 MB"
    assert server.gone.wait(5)


async def test_a_small_answer_that_unpacks_to_a_large_one_is_given_up(server, provider):
    server.script(zipped(iter([b"data: ", *[b" " * 1_000_000] * 200])))
    assert "more than 16 MB" in (await failure(provider)).message
    server.script(
        zipped(itertools.chain([event({"content": "Hm"})], itertools.repeat(b": " + b" " * 998 + b"\n", 90_000)))
    )
    said, _, end = await answer(provider)
    assert (said, end.stop) == ("Hm", "length")
    assert end.cut == "The answer was cut: more than 64 MB came from 127.0.0.1"
    server.script(zipped(iter([event({"content": "small"}), event(finish="stop"), DONE])))
    assert (await answer(provider))[0] == "small"


@pytest.mark.parametrize("kind", ["content", "reasoning_content"])
async def test_an_answer_that_never_ends_is_cut_and_what_came_is_kept(server, provider, kind):
    server.script(endless(event({kind: "word " * 20_000})))
    said, thought, end = await answer(provider)
    assert len(said + thought) == limits.TEXT
    assert (end.stop, end.calls) == ("length", ())
    assert end.cut == "The answer was cut: it went on after 4,000,000 characters"
    assert server.gone.wait(5)


async def test_signs_of_life_without_an_answer_are_silence(server):
    server.script(endless(b": ping\n\n"))
    e = await failure(impatient(server))
    assert e.message == f"Silence for 0.2 s from {server.url}"
    server.script(Reply(itertools.chain([event({"content": "Yes"}, "stop"), DONE], itertools.repeat(b": ping\n\n"))))
    assert (await answer(impatient(server)))[0] == "Yes"


async def test_a_refusal_is_read_as_far_as_it_is_needed_and_waited_for_no_longer_than_for_an_answer(server, provider):
    server.script(endless(b"all is lost " * 1_000, status=400))
    assert (await failure(provider)).message.startswith("127.0.0.1 refused the request (400): all is lost")
    assert server.gone.wait(5)
    server.script(Reply([b'{"error": {"message": "no \\u00e9clair', Pause()], 400))
    assert "refused the request (400)" in (await failure(impatient(server, 1.0))).message


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(error(400, "bad " * 3_000_000), id="refused"),
        pytest.param(Reply([b'data: {"error": {"message": "%s"}}\n\n' % (b"bad " * 3_000_000)]), id="in the stream"),
        pytest.param(Reply([b'data: {"error": "%s"}\n\n' % (b"bad " * 3_000_000)]), id="as a text"),
    ],
)
async def test_of_a_long_refusal_the_beginning_is_said(server, provider, reply):
    server.script(*[reply] * 3)
    start = time.process_time()
    e = await failure(provider)
    assert ": bad bad bad" in e.message and len(e.message) < 400
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    "body", [b'{"error": {"message": %s}}', b'{"error": {"message": "x", "code": %s}}', b'{"detail": %s}', b"%s"]
)
async def test_a_refusal_of_any_depth_is_a_refusal(server, provider, body):
    deep = body % (b"[" * 900 + b"]" * 900)
    server.script(Reply([deep], 400))
    assert "refused the request (400)" in (await failure(provider)).message
    server.script(*[Reply([b"data: " + deep + b"\n\n"])] * 3)
    await failure(provider)


async def test_a_long_name_and_a_long_id_are_cut(server, provider):
    server.script(stream(called("f" * 100_000, id="a" * 100_000), finish="tool_calls"))
    (call,) = (await answer(provider))[2].calls
    assert (len(call.name), call.name[-1], call.provider_id) == (200, "…", None)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (json.dumps({"query": "word " * 1_000_000}), "5,000,013 characters, at most 1,000,000 are taken"),
        ('{"a": ' * 101 + "1" + "}" * 101, "more than 100 lists and objects inside of each other"),
        ('{"query": "\\ud800", "x": ' + "[" * 900 + "]" * 900 + "}", "more than 100 lists and objects"),
    ],
)
async def test_arguments_that_are_too_much_are_left_out_and_say_so(server, provider, arguments, why):
    pieces = [called(arguments=arguments[:1_000]), *(called("", arguments[i : i + 500_000]) for i in _steps(arguments))]
    server.script(stream(*pieces, finish="tool_calls"))
    (call,) = (await answer(provider))[2].calls
    assert call.arguments is None and why in call.arguments_text and len(call.arguments_text) < 1_200
    assert arguments[:500] in call.arguments_text


def _steps(arguments: str) -> range:
    return range(1_000, len(arguments), 500_000)


async def test_more_calls_than_anybody_makes_end_the_answer_and_none_is_made(server, provider):
    deltas = [
        {"tool_calls": [{"index": i, "id": str(i), "function": {"name": "f", "arguments": "{}"}}]} for i in range(300)
    ]
    server.script(stream(*deltas, finish="tool_calls"))
    end = (await answer(provider))[2]
    assert (end.stop, end.calls) == ("length", ())
    assert end.cut == "The answer was cut: it asked for more than 256 tool calls at once"


ODD = ["1e400", "-1e400", "NaN", "-5", '"²"', '"٣"', "true", "null", "[]", "{}", "1" * 5_000]


@pytest.mark.parametrize("odd", ODD)
async def test_an_odd_number_costs_only_itself(server, provider, odd):
    choice = b'{"choices": [{"index": 0, "delta": %s, "finish_reason": null}]%s}'
    counts = b', "usage": {"prompt_tokens": %s, "completion_tokens": 3}' % odd.encode()
    function = b'"function": {"name": "f", "arguments": "{}"}'
    delta = b'{"tool_calls": [{"index": %s, "id": "a", %s}]}' % (odd.encode(), function)
    lines = [choice % (b'{"content": "Yes"}', counts), choice % (delta, b"")]
    server.script(Reply([*(b"data: " + line + b"\n\n" for line in lines), event({"content": " all"}, "stop"), DONE]))
    said, _, end = await answer(provider)
    assert (said, [(c.name, c.arguments) for c in end.calls]) == ("Yes all", [("f", {})])
    assert end.usage == Usage(0, 3, 0)
    whole = b'{"choices": [{"message": {"content": "doc"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": %s}}'
    server.script(document(whole % odd.encode()))
    assert (await answer(provider))[0] == "doc"
    code = b'data: {"error": {"message": "boo", "code": %s}}\n\n' % odd.encode()
    server.script(*[Reply([code])] * 3)
    assert "127.0.0.1 gave up in the middle of the answer: boo" in (await failure(provider)).message


@pytest.mark.parametrize(
    ("after", "wait"), [("1e400", 1.0), ("nan", 1.0), ("\xb2", 1.0), ("9" * 5_000, 1.0), ("-3", 0.0)]
)
async def test_a_wait_that_is_no_number_is_not_waited_for(server, provider, waits, after, wait):
    server.script(error(429, "slow down", {"Retry-After": after}), text("Yes"))
    assert (await answer(provider))[0] == "Yes"
    assert waits == [wait]


@pytest.mark.parametrize("after", ["1e300", "Fri, 31 Dec 9999 23:59:59 GMT"])
async def test_a_wait_without_end_is_said_in_a_number_that_can_be_read(server, provider, after):
    server.script(error(429, "slow down", {"Retry-After": after}))
    assert (await failure(provider)).advice == "Try again in 30 days"
