"""Finding something in the session that History shows in detail."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tui.history.hit_rows import HitRow

if TYPE_CHECKING:
    from sessions.store.catalog import Meta
    from sessions.store.hits import Hit
    from tui.app import MemagentApp
    from tui.desk import Desk
    from tui.widgets.findbox import FindBox

_REST_S = 0.08


class DetailFinding:
    """The places are shown one by one, like the hits of a search."""

    def __init__(self, app: MemagentApp) -> None:
        self._app = app
        self._hits: tuple[Hit, ...] = ()
        self._at = 0
        self._words = ""
        self._needles: tuple[str, ...] = ()
        self._session = ""

    @property
    def _desk(self) -> Desk:
        assert self._app.desk is not None
        return self._app.desk

    @property
    def _box(self) -> FindBox:
        return self._app.body.find_in_session

    @property
    def open(self) -> bool:
        return self._box.display

    def row(self, meta: Meta | None) -> HitRow | None:
        """The place that the reader is at, in the session that it is of."""
        if meta is None or meta.id != self._session or not self._hits:
            return None
        return HitRow(meta.id, self._hits, self._app.now(), self._needles, self._at, self._words)

    def begin(self, words: str = "") -> None:
        """Open the box above the detail."""
        box = self._box
        box.display = True
        box.set_class(not self._app.body.arrangement.airy, "-compact")
        if words:
            box.text = words
        box.select()
        if box.is_mounted:
            self._app.screen.set_focus(box)
        else:
            self._app.call_after_refresh(box.focus)
        if box.text:
            self.typed(box.text)

    def follow(self, meta: Meta | None) -> None:
        """Another session is shown: look there."""
        if self.open and self._box.text and meta is not None and meta.id != self._session:
            self.typed(self._box.text)

    def typed(self, text: str) -> None:
        """Look for it, from the first message."""
        self._box.fact = "…" if text.strip() else ""
        self._desk.run("find", self._look, text, exclusive=True)

    async def _look(self, text: str) -> None:
        await asyncio.sleep(_REST_S)
        meta = self._app.body.history.session
        if meta is None:
            return
        trashed = self._app.body.history.choice == "trash"
        finds = await self._desk.hub.finding.find(meta.id, text, texts=True, trashed=trashed)
        if finds is None or self._app.body.history.session is not meta:
            return
        self._session, self._at, self._words = meta.id, 0, text
        self._hits = tuple(finds.hits(meta))
        self._needles = finds.wording.needles if finds.wording is not None else ()
        self._show()

    def step(self, by: int) -> None:
        """To the next or the previous message; behind the last comes the first."""
        if self._hits:
            self._at = (self._at + by) % len(self._hits)
            self._show()

    def close(self) -> None:
        """What was found stays in sight until another session is."""
        self._box.display = False
        self._app.body.session.focus()

    def _show(self) -> None:
        fact = f"{self._at + 1:,} of {len(self._hits):,}" if self._hits else "not here" if self._words.strip() else ""
        self._box.fact = fact
        if self._app.lists is not None:
            self._app.lists.highlighted_session()
