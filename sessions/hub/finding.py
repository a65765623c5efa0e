"""Finding something inside one session, whether it is open here or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from sessions.home import Home
from sessions.hub.live import LiveSession
from sessions.messages import Record, ToolMessage
from sessions.paths import HomePaths
from sessions.store.find import Finder, Finds, GaveUpError
from sessions.store.line import main_line
from sessions.store.outline import Outline, outline
from sessions.store.sidefiles import full_content
from sessions.store.trash import log_in

_FILE = 1 << 20
"""Bytes of a large result that are looked through."""


class Finding:
    """A newer question drops the one that is being answered."""

    def __init__(self, home: Home, live: Mapping[str, LiveSession]) -> None:
        self._home = home
        self._live = live
        self._newest = 0

    async def find(
        self,
        session: str,
        text: str,
        needles: tuple[str, ...] = (),
        *,
        texts: bool = False,
        trashed: bool = False,
    ) -> Finds | None:
        """Where it stands in the conversation as it is now; what was taken back is left out.

        `needles` are those of a search by which the reader came, `texts` keeps the lines around each place, `trashed`
        looks in the trash. None when something newer was asked meanwhile. Raises StoreError.
        """
        self._newest += 1
        paths, live = self._home.paths, self._live.get(session)
        full = partial(_whole, paths, session)
        finder = Finder(text, needles, texts=texts, full=full, wanted=self._still(self._newest))
        if live is None or trashed:
            path = log_in(paths, session) if trashed else paths.session_log(session)
            return await asyncio.to_thread(_in_file, finder, path)
        await live.above.settle(live.records)
        turns = await live.above.outline() if live.above.start else None
        start, records = live.above.start, list(live.records)
        return await asyncio.to_thread(_in_both, finder, live.above.path, start, turns, records)

    def _still(self, number: int) -> Callable[[], bool]:
        return lambda: number == self._newest


def _whole(paths: HomePaths, session: str, message: ToolMessage) -> str:
    return full_content(paths, session, message, limit=_FILE)


def _in_file(finder: Finder, path: Path) -> Finds | None:
    try:
        finder.read(path, kept=_spans(outline(path)))
    except GaveUpError:
        return None
    return finder.finds()


def _in_both(finder: Finder, path: Path, start: int, turns: Outline | None, records: list[Record]) -> Finds | None:
    try:
        if turns is not None:
            finder.read(path, start, _spans(turns))
    except GaveUpError:
        return None
    finder.feed(main_line(records))
    return finder.finds()


def _spans(turns: Outline) -> list[tuple[int, int]]:
    """Where the turns stand that count, and the summaries; what was taken back stands between them."""
    counting = [(turn.start, turn.stop) for turn in turns.turns]
    return [*counting, *((short.at, short.at + 1) for short in turns.shorts)]
