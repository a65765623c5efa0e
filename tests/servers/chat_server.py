"""A scripted chat service on 127.0.0.1: sends exactly the bytes it is told to, and checks what it is sent.

In a test: `with ChatServer() as server: server.script(text("Hello"), calls(("get_weather", {"location": "Oslo"})))`.
As a program, for the workbench: `python -m tests.servers.chat_server --port 8099 [--script FILE]`, where the file holds
a JSON list of `{"text": …}`, `{"calls": [[name, arguments], …]}`, `{"status": …, "message": …}`; when the script is
used up, or without one, the last user message is said back.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.servers.wellformed import problems


class Pause:
    """Where the server waits until the test says `release`; ends by itself when the client goes away."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._released = threading.Event()

    def release(self) -> None:
        self._released.set()

    def wait(self, connection: socket.socket) -> bool:
        """Whether the client is still there."""
        self.reached.set()
        while not self._released.wait(0.005):
            readable, _, _ = select.select([connection], [], [], 0)
            if readable and not connection.recv(1, socket.MSG_PEEK):
                return False
        return True


class Cut:
    """The connection breaks here."""


CUT = Cut()


@dataclass
class Reply:
    """What one request gets: each bytes one HTTP chunk."""

    steps: Iterable[bytes | Pause | Cut] = field(default_factory=list)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def event(delta: dict[str, Any] | None = None, finish: str | None = None, **more: Any) -> bytes:
    """One chunk of a completion as a server-sent event."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    body = {"id": "c", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]} | more
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


CHARS_PER_TOKEN = 3.3
DONE = b"data: [DONE]\n\n"


def usage(sent: int, received: int, cached: int = 0) -> bytes:
    counts = {"prompt_tokens": sent, "completion_tokens": received, "prompt_tokens_details": {"cached_tokens": cached}}
    return event(choices=[], usage=counts)


def stream(*deltas: dict[str, Any], finish: str = "stop", tokens: tuple[int, int] | None = (10, 5)) -> Reply:
    """A stream as OpenAI sends it."""
    steps: list[bytes | Pause | Cut] = [event({"role": "assistant", "content": ""}), *map(event, deltas)]
    steps.append(event(finish=finish))
    if tokens:
        steps.append(usage(*tokens))
    return Reply([*steps, DONE])


def text(words: str, **kw: Any) -> Reply:
    """An answer, a piece a word."""
    return stream(*({"content": piece} for piece in words.replace(" ", "\0 ").split("\0")), **kw)


def calls(*wanted: tuple[str, dict[str, Any]], said: str = "", **kw: Any) -> Reply:
    """Calls in one answer, their arguments in pieces."""
    deltas: list[dict[str, Any]] = [{"content": said}] if said else []
    for index, (name, arguments) in enumerate(wanted):
        written = json.dumps(arguments)
        function = {"name": name, "arguments": ""}
        deltas.append({"tool_calls": [{"index": index, "id": f"id_{index}", "type": "function", "function": function}]})
        for start in range(0, len(written), 7):
            piece = {"arguments": written[start : start + 7]}
            deltas.append({"tool_calls": [{"index": index, "function": piece}]})
    return stream(*deltas, finish="tool_calls", **kw)


def error(status: int, message: str = "no", headers: dict[str, str] | None = None, **more: Any) -> Reply:
    """A refusal."""
    body = json.dumps({"error": {"message": message, "type": "error"} | more}).encode()
    return Reply([body], status, {"Content-Type": "application/json"} | (headers or {}))


def document(body: Any) -> Reply:
    """A whole JSON answer although a stream was asked for."""
    return Reply(
        [body if isinstance(body, bytes) else json.dumps(body).encode()], 200, {"Content-Type": "application/json"}
    )


def tokens_of(body: dict[str, Any]) -> int:
    """What a request takes of the window."""
    return round(len(json.dumps([body["messages"], body.get("tools", [])], ensure_ascii=False)) / CHARS_PER_TOKEN)


def _said_back(body: dict[str, Any]) -> Reply:
    said = [m["content"] for m in body.get("messages", []) if m.get("role") == "user"]
    return text(f"You said: {said[-1].rpartition('</environment>')[2].strip() if said else 'nothing'}")


class ChatServer:
    """Answers `POST …/chat/completions` by its script, one reply a request."""

    def __init__(self, port: int = 0) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._http.daemon_threads = True
        self._http.owner = self  # type: ignore[attr-defined]
        self._replies: deque[Reply] = deque()
        self._lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        """Bodies, in order."""
        self.raw: list[bytes] = []
        """The same as they came."""
        self.headers: list[dict[str, str]] = []
        self.problems: list[str] = []
        """What was not well-formed in any request."""
        self.window: int | None = None
        """In tokens of `CHARS_PER_TOKEN`: what is longer is refused, as services do it."""
        self.refused = 0
        self.answer: Callable[[dict[str, Any]], Reply] = _said_back
        """What is sent when the script is used up."""
        self.listings: dict[str, Any] | None = None
        """Path -> what a GET of it is answered with, a `Reply` too; None = every GET lists one model."""
        self.gets: list[str] = []
        """Paths, in order."""
        self.hosts: set[str] = set()
        """Of whom it was asked as a proxy."""
        self.keys: list[str | None] = []
        """What each of them had as `Authorization`."""
        self.connections = 0
        self.gone = threading.Event()
        """Set when a client left before its answer was complete."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *replies: Reply) -> None:
        """Add replies to what comes next."""
        with self._lock:
            self._replies.extend(replies)

    def listed(self, path: str, headers: dict[str, str]) -> Any:
        """What a GET is answered with; None for nothing there. The names of `headers` are in small letters."""
        if self.listings is None:
            return {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
        return self.listings.get(path)

    def refusal(self, body: dict[str, Any], headers: dict[str, str]) -> Reply | None:
        """Why a request is not taken at all; its body is not kept then."""
        return None

    def next_reply(self, body: dict[str, Any]) -> Reply:
        with self._lock:
            self.requests.append(body)
            self.problems += [f"request {len(self.requests)}: {p}" for p in problems(body)]
            if self.window is not None and tokens_of(body) > self.window:
                self.refused += 1
                limit = f"This model's maximum context length is {self.window} tokens."
                why = f"{limit} However, your messages resulted in {tokens_of(body)} tokens."
                return error(400, why, code="context_length_exceeded")
            if self._replies:
                return self._replies.popleft()
        return self.answer(body)

    def start(self) -> ChatServer:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def __enter__(self) -> ChatServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.owner: ChatServer = self.server.owner  # type: ignore[attr-defined]
        self.owner.connections += 1

    def handle(self) -> None:
        with suppress(ConnectionResetError):  # whoever asked has gone with an answer unread
            super().handle()

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = self._path()
        self.owner.gets.append(path)
        self.owner.keys.append(self.headers.get("Authorization"))
        listed = self.owner.listed(path, {name.lower(): value for name, value in self.headers.items()})
        self._send(listed if isinstance(listed, Reply) else error(404) if listed is None else document(listed))

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        if len(data) < length:  # whoever asked was killed in the middle
            self.close_connection = True
            return
        body = json.loads(data or b"{}")
        self.owner.headers.append(dict(self.headers.items()))
        path = self._path()
        if not path.partition("?")[0].endswith("/chat/completions"):
            self._send(error(404, f"nothing at {path}"))
        elif (refused := self.owner.refusal(body, {k.lower(): v for k, v in self.headers.items()})) is not None:
            self._send(refused)
        else:
            self.owner.raw.append(data)
            self._send(self.owner.next_reply(body))

    def _path(self) -> str:
        """What is asked for; as a proxy it is told the whole address."""
        parts = urlsplit(self.path)
        if parts.hostname:
            self.owner.hosts.add(parts.hostname)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path

    def _send(self, reply: Reply) -> None:
        try:
            self.send_response(reply.status)
            for name, value in ({"Content-Type": "text/event-stream"} | reply.headers).items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for step in reply.steps:
                if isinstance(step, bytes):
                    if step:
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(step), step))
                        self.wfile.flush()
                elif isinstance(step, Cut):
                    self._reset()
                    return
                elif not step.wait(self.connection):
                    self.owner.gone.set()
                    self.close_connection = True
                    return
            self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            self.owner.gone.set()
            self.close_connection = True

    def _reset(self) -> None:
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True


def _of_script(step: dict[str, Any]) -> Reply:
    if "calls" in step:
        return calls(*((name, arguments) for name, arguments in step["calls"]), said=step.get("text", ""))
    if "status" in step:
        return error(step["status"], step.get("message", "no"))
    return text(step["text"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path)
    options = parser.parse_args()
    with ChatServer(options.port) as server:
        if options.script:
            server.script(*map(_of_script, json.loads(options.script.read_text("utf-8"))))
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
