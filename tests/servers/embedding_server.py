"""A service on 127.0.0.1 that gives vectors: words of one meaning point the same way. It keeps all that it is sent."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MEANINGS = (
    "car automobile vehicle drive",
    "doctor physician clinic hospital",
    "salary wage pay earn earnings",
    "flat apartment home live",
    "weather rain snow wind",
)


class EmbeddingServer:
    """`with EmbeddingServer() as server:` then `server.url`; its fields may be changed at any time."""

    def __init__(self, *, model: str = "text-embedding-test", dims: int = 64) -> None:
        self.models = [model, "some-chat-model"]
        self.dims = dims
        self.status = 200
        self.gone = False
        """Every connection breaks."""
        self.raw: tuple[int, dict[str, str], bytes] | None = None
        """Status, headers and body of every answer instead of vectors."""
        self.sent: list[str] = []
        """Every text of every request."""
        self.paths: list[str] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner.paths.append(self.path)
                self._say(200, {"data": [{"id": name, "object": "model"} for name in owner.models]})

            def do_POST(self) -> None:
                owner.paths.append(self.path)
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.sent += body["input"]
                if owner.gone:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                if owner.raw is not None:
                    self._send(*owner.raw)
                    return
                if owner.status != 200:
                    self._say(owner.status, {"error": {"message": "out of order"}})
                    return
                rows = [{"index": i, "embedding": owner.vector(text)} for i, text in enumerate(body["input"])]
                self._say(200, {"data": rows[::-1]})

            def _say(self, status: int, body: Any) -> None:
                self._send(status, {}, json.dumps(body).encode())

            def _send(self, status: int, headers: dict[str, str], data: bytes) -> None:
                self.send_response(status)
                for name, value in (headers | {"Content-Length": str(len(data))}).items():
                    self.send_header(name, value)
                self.end_headers()
                with suppress(ConnectionError):  # who asked has read enough
                    self.wfile.write(data)

            def log_message(self, *_: Any) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def vector(self, text: str) -> list[float]:
        """The sum of the directions of its words."""
        total = [0.0] * self.dims
        for word in re.findall(r"\w+", text.lower()):
            one = next((meaning for meaning in MEANINGS if word in meaning.split()), word)
            weight = 4.0 if one != word else 1.0
            bits = hashlib.sha512(one.encode()).digest() * (self.dims // 512 + 1)
            total = [t + (weight if bits[i // 8] >> i % 8 & 1 else -weight) for i, t in enumerate(total)]
        return total

    def __enter__(self) -> EmbeddingServer:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
