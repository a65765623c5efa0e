"""Turns as model services send them: what comes over the wire, and what a person must then see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sessions.messages import ToolMessage
from tests.servers.chat_server import CUT, DONE, Reply, calls, error, event, stream, text
from tests.tui.turns.talk import Stage


def weather(place: str) -> tuple[str, dict[str, Any]]:
    return ("get_weather", {"location": place, "units": "celsius"})


def call(name: str, arguments: str = "{}", **more: Any) -> dict[str, Any]:
    """One call as a service sends it, with nothing but what is given."""
    return {"function": {"name": name, "arguments": arguments}, **more}


def asked(*deltas: dict[str, Any]) -> Reply:
    return stream(*deltas, finish="tool_calls")


def chunked(reply: Reply, size: int) -> Reply:
    """The same bytes in pieces of `size`, whatever stands there."""
    data = b"".join(step for step in reply.steps if isinstance(step, bytes))
    return Reply([data[i : i + size] for i in range(0, len(data), size)])


OSLO = '{"location": "Oslo", "units": "celsius"}'
NOTHING = Reply([event(choices=[]), DONE])
LATER = {"Retry-After": "0"}


@dataclass(frozen=True)
class Case:
    """A turn of the service, and what a person must see of it."""

    replies: list[Reply]
    chat: list[str]
    """In the transcript, in this order."""
    tree: list[str] = field(default_factory=list)
    requests: int | None = None
    stop: str = "stop"
    check: Callable[[Stage, str], object] = lambda stage, session: None
    """Of the log and of what was sent."""
    config: tuple[str, ...] = ()


LIVES = {"name": "lives-in-oslo", "summary": "Lives in Oslo", "kind": "preference", "quote": "I live in Oslo"}

CASES = {
    "chained calls": Case(
        [calls(("recall_memory", {"query": "home"})), calls(weather("Oslo")), text("It is cold in Oslo.")],
        ["recall_memory  home", "get_weather  Oslo", "It is cold in Oslo."],
        ["step 1", "recall_memory home", "step 2", "get_weather Oslo", "step 3"],
    ),
    "five parallel calls in one message": Case(
        [calls(*[weather(p) for p in ("Oslo", "Tokyo", "Paris", "Berlin", "Kyoto")], said="All five."), text("Done.")],
        ["All five.", "Oslo", "Tokyo", "Paris", "Berlin", "Kyoto", "Done."],
        ["step 1", "Oslo", "Tokyo", "Paris", "Berlin", "Kyoto", "step 2"],
        check=lambda s, id_: _equal([r.ok for r in s.results(id_)], [True] * 5),
    ),
    "deltas split inside a UTF-8 character and inside JSON": Case(
        [chunked(calls(weather("São Paulo"), said="Où? 🌡️"), 3), chunked(text("Größe: 東京 🇯🇵 ok"), 1)],
        ["Où? 🌡️", "get_weather  São Paulo", "Größe: 東京 🇯🇵 ok"],
        ["get_weather São Paulo"],
    ),
    "calls without index": Case(
        [
            asked(
                {"tool_calls": [call("get_weather", OSLO, id="a")]},
                {"tool_calls": [call("echo", '{"te', id="b")]},
                {"tool_calls": [{"function": {"arguments": 'xt": "hi"}'}}]},
            ),
            text("Both."),
        ],
        ["get_weather  Oslo", "echo  hi", "Both."],
        ["get_weather Oslo", "echo hi"],
    ),
    "calls without ids": Case(
        [
            asked({"tool_calls": [call("echo", '{"text": "a"}', index=0), call("echo", '{"text": "b"}', index=1)]}),
            asked({"tool_calls": [call("echo", '{"text": "c"}', index=0, id="")]}),
            text("Three."),
        ],
        ["echo  a", "echo  b", "echo  c", "Three."],
        ["step 1", "echo a", "echo b", "step 2", "echo c"],
    ),
    "repeated ids": Case(
        [
            asked(
                {"tool_calls": [call("echo", '{"text": "a"}', index=0, id="x")]},
                {"tool_calls": [call("echo", '{"text": "b"}', index=1, id="x")]},
            ),
            asked({"tool_calls": [call("echo", '{"text": "c"}', index=0, id="x")]}),
            text("Three."),
        ],
        ["echo  a", "echo  b", "echo  c", "Three."],
        ["step 1", "echo a", "echo b", "step 2", "echo c"],
        check=lambda s, id_: _equal([r.content for r in s.results(id_)], ["heard a", "heard b", "heard c"]),
    ),
    "think tags": Case(
        [stream({"content": "<thi"}, {"content": "nk>The user greets.</th"}, {"content": "ink>\n\nHello!"})],
        ["Thought", "The user greets.", "Hello!"],
        ["step 1"],
        check=lambda s, id_: _equal(
            [(a.content, a.reasoning) for a in s.answers(id_)], [("Hello!", "The user greets.")]
        ),
    ),
    "reasoning beside a call": Case(
        [
            asked(
                {"reasoning_content": "First "},
                {"reasoning_content": "look."},
                {"content": "Let me look."},
                {"tool_calls": [call("echo", '{"text": "a"}', index=0, id="x")]},
            ),
            stream({"reasoning": "Now I know."}, {"content": "Known."}),
        ],
        ["First look.", "Let me look.", "echo  a", "Now I know.", "Known."],
        ["step 1", "echo a", "step 2"],
    ),
    "reasoning after text": Case(
        [stream({"content": "Well, "}, {"reasoning": "hm"}, {"content": "yes."})],
        ["hm", "Well, yes."],
        ["step 1"],
    ),
    "no usage": Case([text("Free of charge.", tokens=None)], ["Free of charge."], ["step 1"]),
    "usage": Case([text("Counted.", tokens=(1234, 56))], ["Counted."], ["1.2k in, 56 out"]),
    "arguments that are not JSON": Case(
        [asked({"tool_calls": [call("get_weather", "location=Oslo", index=0, id="x")]}), text("I was wrong.")],
        ["get_weather  location=Oslo", "The arguments are no JSON object", "I was wrong."],
        ["get_weather", "The arguments are no JSON"],
        check=lambda s, id_: _equal([r.ok for r in s.results(id_)], [False]),
    ),
    "an unknown tool": Case(
        [calls(("fly", {"to": "Mars"})), text("I cannot fly.")],
        ["fly  Mars", "There is no tool 'fly'", "I cannot fly."],
        ["fly Mars", "There is no tool 'fly'"],
    ),
    "a tool that raises": Case(
        [calls(("boom", {"text": "x"})), text("It broke.")],
        ["boom  x", "boom failed: no such row", "It broke."],
        ["boom x", "boom failed: no such row"],
    ),
    "a stream cut in the middle": Case(
        [Reply([event({"content": "The answer is "}), event({"content": "forty"}), CUT])],
        ["The answer is forty", "broke", "Try again", "failed"],
        ["failed", "step 1", "broke"],
        requests=1,
        stop="error",
        check=lambda s, id_: _equal([a.content for a in s.answers(id_)], ["The answer is forty"]),
    ),
    "a stream cut inside a call": Case(
        [Reply([event({"content": "Let me "}), event({"tool_calls": [call("echo", '{"te', index=0, id="x")]}), CUT])],
        ["Let me", "broke", "failed"],
        ["failed"],
        stop="error",
    ),
    "429 then success": Case([error(429, "slow down", LATER), text("Now.")], ["Now."], ["step 1"], requests=2),
    "500 three times": Case(
        [error(500, "oops", LATER)] * 3,
        ["127.0.0.1 has trouble (500): oops", "Try again", "failed"],
        ["failed", "127.0.0.1 has trouble (500)"],
        requests=3,
        stop="error",
    ),
    "empty choices": Case(
        [NOTHING] * 3, ["127.0.0.1 sent an empty answer", "Try again"], ["failed"], requests=3, stop="error"
    ),
    "calls told with the older word": Case(
        [
            stream(
                {"function_call": {"name": "echo", "arguments": '{"te'}}, {"function_call": {"arguments": 'xt": "a"}'}}
            ),
            text("Old."),
        ],
        ["echo  a", "Old."],
        ["echo a"],
    ),
    "a call without a name": Case(
        [asked({"tool_calls": [call("", '{"text": "a"}', index=0, id="x")]}), text("Sorry.")],
        ["There is no tool ''", "Sorry."],
        ["There is no tool ''"],
    ),
    "a name that no service takes": Case(
        [calls(("functions.get weather!", {"a": [1]})), text("Sorry.")],
        ["functions.get weather!  1", "There is no tool", "Sorry."],
        ["functions.get weather!", "There is no tool"],
    ),
    "longer than the window": Case(
        [error(400, "This model's maximum context length is 8192 tokens")],
        ["This turn is longer than the model's window", "/clear"],
        ["failed", "This turn is longer"],
        stop="error",
    ),
    "empty content": Case([stream()], ["The model sent an empty answer"], ["step 1"]),
    "content that is only reasoning": Case([stream({"reasoning": "hm hm"})], ["hm hm", "empty answer"], ["step 1"]),
    "cut at the limit": Case(
        [stream({"content": "Once upon a"}, finish="length")], ["Once upon a", "cut"], ["step 1"], stop="length"
    ),
    "an error in the middle of the stream": Case(
        [Reply([event({"content": "Ye"}), b'data: {"error": {"message": "the GPU is gone"}}\n\n', DONE])],
        ["Ye", "the GPU is gone"],
        ["the GPU is gone"],
        stop="error",
    ),
    "5,000 characters of arguments": Case(
        [calls(("echo", {"text": "long words " * 500})), text("Long.")],
        ["echo  long words", "Long."],
        ["echo long words"],
    ),
    "a tool result of 200 KB": Case(
        [calls(("big", {})), text("Long.")],
        ["big", "Long."],
        ["big"],
        check=lambda s, id_: _cut(s, s.results(id_)[0]),
    ),
    "a step limit": Case(
        [calls(("echo", {"text": "a"})), calls(("echo", {"text": "b"}), said="More.")],
        ["echo  a", "More.", "echo  b", "Stopped after 2 steps, the limit", "stopped at the step limit"],
        ["stopped", "step 1", "step 2", "echo b", "Stopped after 2 steps"],
        stop="max_steps",
        config=("[agent]", "max_steps = 2"),
    ),
    "the same call three times": Case(
        [calls(("echo", {"text": "a"}))] * 3,
        ["echo  a", "echo  a", "echo  a", "Not run", "echo was called three times in a row", "the same call again"],
        ["stopped", "step 3", "echo a", "Not run", "called three times"],
        stop="repeat",
        check=lambda s, id_: _equal([r.ok for r in s.results(id_)], [True, True, False]),
    ),
    "a fact saved and recalled": Case(
        [
            calls(("save_memory", LIVES)),
            calls(("recall_memory", {"query": "Oslo"}), ("recall_memory", {"fact": "lives-in-oslo"})),
            text("Noted."),
        ],
        ["save_memory", "Remembered: Lives in Oslo", "recall_memory", "Noted.", "saved"],
        ["save_memory", "lives-in-oslo", "recall_memory"],
    ),
}


def _equal(left: object, right: object) -> None:
    assert left == right


def _cut(stage: Stage, result: ToolMessage) -> None:
    """The whole result is on the disk; the model got its beginning and knows that it is one."""
    assert result.file is not None
    beside = stage.home / "sessions" / f"{stage.session}.files" / result.file["path"]
    assert beside.stat().st_size == result.file["bytes"] == 210_000
    sent = stage.server.requests[1]["messages"][-1]["content"]
    assert sent.startswith("row 00000 of a table\n") and len(sent) < 9000
    assert "Cut here: this is the beginning, 8 KB of 205 KB" in sent
