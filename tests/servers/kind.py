"""What a named server or service does in its own way, and the ways that several have in common."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.servers.chat_server import Reply, error, stream

Call = tuple[str, dict[str, Any]]
Reader = Callable[[dict[str, str]], bool]
"""Of headers, their names in small letters; that of a listing has `:path`, too."""


def listed(*ids: str, **more: Any) -> dict[str, Any]:
    return {"object": "list", "data": [{"id": i, "object": "model", "created": 1764000000} | more for i in ids]}


def openai_calls(*wanted: Call) -> Reply:
    """Name first, then the arguments in pieces."""
    deltas: list[dict[str, Any]] = []
    for index, (name, arguments) in enumerate(wanted):
        head = {"index": index, "id": f"9{index}81", "type": "function", "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [head]})
        written = json.dumps(arguments)
        for start in range(0, len(written), 5):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": written[start : start + 5]}}]})
    return stream(*deltas, finish="tool_calls")


def whole_calls(*wanted: Call) -> Reply:
    """All calls whole and in one piece, as Ollama has them."""
    calls = [
        {
            "index": i,
            "id": f"call_{name[:4]}{i}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for i, (name, arguments) in enumerate(wanted)
    ]
    return stream({"role": "assistant", "content": "", "tool_calls": calls}, finish="tool_calls")


def plain(words: str) -> Reply:
    return stream(*({"content": w + " "} for w in words.split()))


@dataclass
class Kind:
    """One server's ways."""

    listings: dict[str, Any]
    says: Callable[[str], Reply] = plain
    calls: Callable[..., Reply] = openai_calls
    overflow: Callable[[int, int], Reply] | None = None
    """What is answered to so many tokens in such a window; None = the beginning of the prompt is dropped unsaid."""
    model: str = "qwen3:8b"
    window: int | None = 32768
    """That of the model, once it is loaded."""
    loaded: dict[str, Any] = field(default_factory=dict)
    """What is listed after the first answer."""
    thinks: bool = False
    """What it says begins with a thought."""
    refuses: Callable[[dict[str, Any]], Reply | None] = lambda body: None
    """Why it does not take a request."""
    url: str = ""
    """Of a service elsewhere; empty = it is a server on this machine."""
    key: str = ""
    bad_key: Callable[[], Reply] = lambda: error(401)
    wants: Reader = lambda headers: True
    """Whether it answers whoever asks with these headers."""
    reads: Reader = lambda headers: True
    """The same of its listings."""


def refuses(text: str, **more: Any) -> Callable[[int, int], Reply]:
    return lambda sent, window: error(400, text.format(sent=sent, window=window), **more)


def by_bearer(key: str) -> Reader:
    """Whoever has the key, as all take it."""
    return lambda headers: headers.get("authorization") == f"Bearer {key}"
