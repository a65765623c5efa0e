"""Other agents' sessions are followed while questions are asked, and while the person wants it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sessions.home import Home
from sessions.hub.following import Following
from sessions.settings_edit import change
from sessions.store.locks import FileLock
from tests.sessions.importers.claude_files import Chain
from tests.waiting import until


@pytest.fixture
async def following(tmp_path: Path) -> AsyncIterator[Following]:
    """Of a home whose person agreed, beside two sessions of Claude Code."""
    for n in range(2):
        chain = Chain(cwd=str(tmp_path), sessionId=f"s{n}")
        chain.user(f"u{n}", "Where is the mill?")
        chain.answer(f"a{n}", "There.", stop="end_turn")
        chain.write(tmp_path / "claude", f"00000000-0000-4000-8000-00000000000{n}.jsonl")
    home = Home(tmp_path / "home", env={})
    change(home.paths.config, "import.follow", True)
    home.reload_settings()
    tasks: list[asyncio.Future[object]] = []
    environ = {"CLAUDE_CONFIG_DIR": str(tmp_path / "claude"), "CODEX_HOME": "/nonexistent"}
    following = Following(home, lambda work: tasks.append(asyncio.ensure_future(work)), pytest.fail, environ)
    yield following
    following.close()
    following.stop()
    await asyncio.wait(tasks)
    home.close()


def logs(following: Following) -> int:
    return len(list(following.home.paths.sessions.glob("*.jsonl")))


async def test_what_is_asked_does_not_wait_for_what_is_taken_over(following: Following) -> None:
    with FileLock(following.home.paths.locks / "import.lock"):
        following.begin()
        await until(lambda: following.step is not None, "a pass that waits for another program")
        offer = await following.found()
        assert offer is not None and offer.total == 2
        assert following.step is not None and logs(following) == 0
    await until(lambda: logs(following) == 2, "taken over")


async def test_held_it_waits_in_the_middle_and_then_goes_on(following: Following) -> None:
    with FileLock(following.home.paths.locks / "import.lock"):
        following.begin()
        await until(lambda: following.step is not None, "a pass that waits for another program")
        following.hold(True)
    await until(lambda: following.step is None, "the pass is over")
    assert logs(following) < 2 and not following.rests
    following.hold(False)
    await until(lambda: following.rests, "all of it was gone through")
    assert logs(following) == following.came == 2
