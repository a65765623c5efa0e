"""A small MCP server over stdin and stdout, without the SDK: it starts at once, and misbehaves as it is told to.

`python mcp_server.py [WORD …]`: each word changes what it does. Every call is written to the file `$CALLS`, if set.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

WORDS = set(sys.argv[1:])
TEXT = {"type": "string"}
PAGE = {"type": "object", "properties": {"title": TEXT, "body": TEXT}, "required": ["title"]}
NOTHING = {"type": "object", "properties": {}}
EXCESSES = ("blank", "values", "deaf", "burst")
_write = threading.Lock()
_gone: set[Any] = set()


def say(message: Any) -> None:
    with _write:
        sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        sys.stdout.flush()


def note(what: str, **more: Any) -> None:
    if path := os.environ.get("CALLS"):
        with open(path, "a") as file:
            file.write(json.dumps({"what": what, "pid": os.getpid()} | more) + "\n")


def tool(name: str, schema: Any = NOTHING, about: Any = "", **hints: bool) -> dict[str, Any]:
    return {"name": name, "description": about or f"does {name}", "inputSchema": schema, "annotations": hints}


def tools() -> list[Any]:
    if "liar" in WORDS:
        return [
            tool("text", "no schema"),
            tool("array", {"type": "array"}),
            tool("wide", {"type": "object", "properties": {f"p{n}": {"description": "x" * 500} for n in range(99)}}),
            tool("odd", {"type": "object", "properties": {"a": {"type": "strnig"}, "b": 7}, "required": [1, "a", "c"]}),
            tool("long", about="y" * 9_000),
            tool("twice", readOnlyHint=True),
            tool("twice", about="another"),
            tool("with space:and\x1b[31m", readOnlyHint="yes"),
            tool("with space:and\x1b[31m!"),
            tool(""),
            {"name": 7},
            "no tool",
            *(tool(f"many{n}") for n in range(150)),
        ]
    made = [
        tool("read_page", PAGE, readOnlyHint=True),
        tool("create_page", PAGE),
        tool("delete_page", PAGE, destructiveHint=True),
        *(tool(name, PAGE, readOnlyHint=True) for name in ("hang", "die", "flood", "line", "noise", "rich", "fail")),
        tool("grow", NOTHING, readOnlyHint=True),
    ]
    if "wild" in WORDS:
        made += [tool(name, PAGE, readOnlyHint=True) for name in EXCESSES]
        made.append(tool("turn", NOTHING, readOnlyHint="turned" not in WORDS))
    return [*made, tool("grown", readOnlyHint=True)] if "grown" in WORDS else made


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def call(id_: Any, name: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    note("call", name=name, arguments=arguments)
    match name:
        case "hang":
            while id_ not in _gone:
                time.sleep(0.01)
            return None
        case "die":
            print("it was all too much", file=sys.stderr, flush=True)
            os._exit(3)
        case "flood":
            while True:
                say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}})
        case "line":
            while True:
                sys.stdout.write("x" * 65536)
        case "noise":
            while True:
                say("this is no message")
        case "blank":
            while True:
                sys.stdout.write("\n" * 65536)
        case "values":
            return {"content": [], "structuredContent": {"all": [[]] * 150_000}}
        case "deaf":
            WORDS.add("deaf")
            for n in range(3_000):
                say({"jsonrpc": "2.0", "id": f"{n}{'x' * 1_000}", "method": "ping"})
            return None
        case "burst":
            told = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}}
            say("\n".join([json.dumps(told)] * 3_000))
        case "rich":
            content = [
                {"type": "text", "text": arguments.get("body") or "hello"},
                {"type": "image", "mimeType": "image/png", "data": "A" * 16_000},
                {"type": "resource", "resource": {"uri": "file:///x", "text": "a resource"}},
                {"type": "resource_link", "uri": "file:///y", "name": "why"},
                {"type": "hologram"},
                7,
            ]
            return {"content": content, "structuredContent": {"n": 1}}
        case "fail":
            return text("that does not exist") | {"isError": True}
        case "grow" | "turn":
            WORDS.add("grown" if name == "grow" else "turned")
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    return text(f"{name} {arguments.get('title', '')}".strip())


def answer(message: dict[str, Any]) -> None:
    id_, params = message.get("id"), message.get("params") or {}
    match message.get("method"):
        case "initialize":
            if "hangs" in WORDS:
                return
            result: Any = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "small", "version": "1"},
            }
        case "tools/list":
            result = {"tools": tools()}
        case "tools/call":
            result = call(id_, params["name"], params.get("arguments") or {})
        case "notifications/cancelled":
            note("cancelled", id=params.get("requestId"))
            _gone.add(params.get("requestId"))
            return
        case _:
            if id_ is not None and "hangs" not in WORDS:
                say({"jsonrpc": "2.0", "id": id_, "error": {"code": -32601, "message": "Method not found"}})
            return
    if result is not None:
        say({"jsonrpc": "2.0", "id": id_, "result": result})


def main() -> None:
    note("start", environment=sorted(os.environ))
    if "crash" in WORDS:
        sys.exit("Error: no database")
    if "stubborn" in WORDS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "parent" in WORDS:
        note("child", child=subprocess.Popen(["sleep", "60"]).pid)
    if "shouts" in WORDS:
        threading.Thread(target=lambda: [sys.stderr.write("x" * 99 + "\n") for _ in iter(int, 1)], daemon=True).start()
    if "banner" in WORDS:
        print("Welcome to \x1b[31mnotes")
    for line in sys.stdin:
        while "deaf" in WORDS:
            time.sleep(1)
        message = json.loads(line)
        if "shy" in WORDS and message.get("method") == "server/discover":
            sys.exit("Error: expected initialize")
        threading.Thread(target=answer, args=(message,), daemon=True).start()
    while "stubborn" in WORDS:
        time.sleep(1)


if __name__ == "__main__":
    main()
