from __future__ import annotations

import errno
import gc
import os
from pathlib import Path
from typing import Any

import pytest

from sessions.errors import StoreError
from sessions.events import TurnFailed, TurnFinished, TurnStarted
from sessions.messages import UserMessage
from sessions.providers.base import TextPiece
from sessions.store.locks import FileLock
from sessions.store.log import read_log
from tests.full_disk import Disk
from tests.sessions.agent.scripted import says
from tests.sessions.hub_home import hub_of, scripted_home


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


async def test_a_first_message_on_a_full_disk_fails_with_the_reason_and_can_be_sent_again(
    tmp_path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    home, model = scripted_home(tmp_path, says("Hi."))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        disk.room = 0
        await hub.send(state.id, "hello")
        failed = await heard.over(state.id)
        assert isinstance(failed, TurnFailed) and "No space left on device" in failed.error
        assert [e.text for e in heard.of(TurnStarted)] == ["hello"], "what was said is on the screen"
        assert not model.requests
        disk.room = None
        await hub.send(state.id, "hello")
        assert isinstance(await heard.over(state.id, 2), TurnFinished)
    read = read_log(home.paths.session_log(state.id))
    assert [r.content for r in read.records if isinstance(r, UserMessage)] == ["hello"] and read.problems == []
    gc.collect()
    assert "never retrieved" not in caplog.text, "nothing is written over the screen"


@pytest.mark.parametrize("room", [0, 50])
async def test_a_disk_that_fills_up_during_an_answer_loses_that_answer_only(
    tmp_path: Path, disk: Disk, room: int
) -> None:
    def full() -> None:
        disk.room = room

    home, model = scripted_home(tmp_path, says("One."), [TextPiece("Two."), full], says("Three."))
    async with hub_of(home) as (hub, heard):
        state = await hub.new(tmp_path)
        for turn, text in enumerate(("a", "b"), 1):
            await hub.send(state.id, text)
            ended = await heard.over(state.id, turn)
        assert isinstance(ended, TurnFailed) and "No space left on device" in ended.error
        disk.room = None
        await hub.send(state.id, "c")
        assert (await heard.over(state.id, 3)).text == "Three."
    assert [m.content for m in model.requests[2].messages] == ["a", "One.", "b", "c"]
    read = read_log(home.paths.session_log(state.id))
    assert [r.content for r in read.records if isinstance(r, UserMessage)] == ["a", "b", "c"]
    assert len(read.problems) == bool(room)


def test_a_home_that_is_only_read_says_so_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def read_only(path: Any, flags: int, *more: Any, **named: Any) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return real(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(StoreError, match="The home cannot be written to: Read-only file system"):
        FileLock(tmp_path / "a.lock").acquire(0)
