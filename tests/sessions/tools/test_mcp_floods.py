"""While a server floods below what stops it, everything else of the program goes on."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from sessions.tools import mcp_parse
from sessions.tools.mcp_guard import PARTS, Guard, TooMuchError
from sessions.tools.mcp_parse import parsed, parts_of
from tests.sessions.tools.mcp_life import call, living, small
from tests.waiting import until


async def test_a_large_message_is_read_beside_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, turned, real = threading.Event(), threading.Event(), mcp_parse._large

    def waiting(line: bytes) -> Any:
        begun.set()
        assert turned.wait(10), "the loop stood still"
        return real(line)

    async with living(small(), tmp_path) as server:
        monkeypatch.setattr(mcp_parse, "_large", waiting)
        asking = asyncio.ensure_future(call(server, "rich", body="x" * 300_000))
        await until(begun.is_set, "the reading has begun")
        turned.set()
        assert (await asking).ok


async def test_between_two_turns_of_the_loop_a_few_messages_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, most, all_ = 0, 0, 0
    real = Guard.message

    def counted(guard: Guard) -> None:
        nonlocal taken, all_
        taken += 1
        all_ += 1
        real(guard)

    async def ticking() -> None:
        nonlocal taken, most
        while True:
            most, taken = max(most, taken), 0
            await asyncio.sleep(0)

    monkeypatch.setattr(Guard, "message", counted)
    async with living(small("wild"), tmp_path) as server:
        ticker = asyncio.ensure_future(ticking())
        assert (await call(server, "burst")).ok
        ticker.cancel()
    assert all_ > 3_000 and most <= 4


async def test_what_stands_in_texts_does_not_count_as_values() -> None:
    told = {"jsonrpc": "2.0", "id": 1, "result": {"text": '[{",\\' * PARTS}}
    line = json.dumps(told).encode()
    assert parts_of(line) < 20
    message: Any = await parsed(line, Guard())
    assert message.result == told["result"]
    many = json.dumps(told | {"result": {"all": ["", "\\"] * PARTS}}).encode()
    for values in (many, b'{"a":' + b"[" * 2 * PARTS):
        with pytest.raises(TooMuchError):
            await parsed(values, Guard())


async def test_many_messages_of_some_values_are_too_much_together() -> None:
    guard, line = Guard(), b'{"jsonrpc":"2.0","id":1,"result":{"a":[' + b"0," * 9_000 + b"0]}}"
    with pytest.raises(TooMuchError, match="400,000 values"):
        for _ in range(100):
            await parsed(line, guard)
