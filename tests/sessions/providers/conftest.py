from __future__ import annotations

import pytest

from sessions.clock import FixedClock, parse_iso
from sessions.providers.chat import ChatProvider
from sessions.settings import Profile
from tests.servers.chat_server import ChatServer


@pytest.fixture
def server():
    with ChatServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
async def provider(server, waits):
    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    clock = FixedClock(parse_iso("2026-11-29T17:14:08Z"))
    provider = ChatProvider(Profile("test", base_url=server.url, model="m"), None, clock=clock, sleep=sleep)
    yield provider
    await provider.close()
