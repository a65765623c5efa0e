from __future__ import annotations

import asyncio
import os
from contextlib import suppress

import pytest

from sessions.store.atomic import write_atomic
from sessions.store.watch import changes
from tests.sessions.store.records import home
from tests.waiting import until


@pytest.mark.parametrize("poll", [False, True])
async def test_new_changed_and_removed_files_are_told(tmp_path, poll):
    paths = home(tmp_path / "home")
    seen = set()

    async def watch() -> None:
        async for batch in changes(paths, poll=poll):
            seen.update(batch)

    watching = asyncio.create_task(watch())
    fact, log = paths.user_facts / "lives-in-tokyo.md", paths.session_log("a")

    def written() -> bool:
        # The watcher tells only what happens after it has begun, so the files are touched until it has.
        write_atomic(fact, b"+++", durable=False)
        with log.open("ab") as file:
            file.write(b"{}\n")
        return {fact, log} <= seen

    try:
        await until(written, "both files were told", 10)
        seen.clear()
        fact.unlink()
        await until(lambda: fact in seen, "the removed file was told", 10)
        assert not any(p.name.endswith(".tmp") for p in seen)
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching


async def test_what_lies_in_local_is_not_told(tmp_path):
    paths = home(tmp_path / "home")
    seen = set()

    async def watch() -> None:
        async for batch in changes(paths):
            seen.update(batch)

    watching = asyncio.create_task(watch())

    def written() -> bool:
        (paths.local / "index").write_bytes(os.urandom(4))
        paths.session_log("a").write_bytes(os.urandom(4))
        return bool(seen)

    try:
        await until(written, "a change was told", 10)
        assert seen == {paths.session_log("a")}
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
