"""Brings the session that is chosen in History to the detail beside the list."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from tui.history.detail_finding import DetailFinding

if TYPE_CHECKING:
    from sessions.events import Event
    from sessions.messages import Record
    from sessions.store.catalog import Meta
    from sessions.store.hits import Hit
    from tui.app import MemagentApp
    from tui.desk import Desk
    from tui.history.session_detail import UsedFact

_TAIL_BYTES = 200_000
_WHOLE_BYTES = 4_000_000
"""A log up to this size is read whole, to show what stands around a hit."""
_REST_S = 0.06
"""How long the cursor rests on a session before its log is read."""


class Detailing:
    """Reads what the detail shows, as soon as the cursor rests."""

    def __init__(self, app: MemagentApp) -> None:
        self.app = app
        self.finding = DetailFinding(app)

    @property
    def _desk(self) -> Desk:
        assert self.app.desk is not None
        return self.app.desk

    def show(self) -> None:
        """The list's cursor is on another session, or the session has changed."""
        if self.app.body.shows("session"):
            self._desk.run("session-detail", self._show, exclusive=True)

    async def _show(self) -> None:
        await self.app.body.mounted("session")
        history, detail = self.app.body.history, self.app.body.session
        meta = history.session
        self.finding.follow(meta)
        found = self.finding.row(meta)
        hit = found if found is not None and (self.finding.open or history.hit is None) else history.hit
        if detail.trashed != (trashed := history.choice == "trash"):
            detail.trashed = trashed
            self.app.show_keys()
        if meta is None or detail.shown is None or detail.shown.meta.id != meta.id:
            detail.show(meta, now=self.app.now(), hit=hit)
            # A cursor that moves on asks for no log.
            await asyncio.sleep(_REST_S)
        if meta is None:
            return
        events, facts = await self._desk.hub.run(self._part, meta, self._log(meta), hit.hit if hit else None)
        cost = await self._desk.hub.run(self._cost, meta.id)
        detail.show(meta, now=self.app.now(), facts=facts, events=events, hit=hit, cost=cost)

    def _cost(self, session: str) -> str:
        spent = self._desk.hub.spending.of_session(session)
        return str(spent) if spent else ""

    def _log(self, meta: Meta) -> Path:
        from sessions.store.trash import log_in

        paths = self._desk.home.paths
        return log_in(paths, meta.id) if self.app.body.history.choice == "trash" else paths.session_log(meta.id)

    def _part(self, meta: Meta, log: Path, hit: Hit | None) -> tuple[list[Event], list[UsedFact]]:
        """The end of a session's conversation, or what stands around a hit; and the session's facts."""
        from sessions.agent.replay import replay
        from sessions.events import FactsRecalled
        from tui.history.session_detail import UsedFact

        try:
            records = _around(log, hit.message) if hit is not None and hit.turn else _tail(log, _TAIL_BYTES)
        except OSError:
            return [], []  # it was moved meanwhile: the list is told
        events = list(replay(records, meta.id))
        known = {fact.name: fact for fact in self._desk.home.facts.snapshot().facts}
        used = [name for e in events if isinstance(e, FactsRecalled) for name in e.names if name not in meta.facts]
        facts = [UsedFact(name, "learned", known.get(name)) for name in meta.facts]
        facts += [UsedFact(name, "used", known.get(name)) for name in dict.fromkeys(used)]
        return events, facts


def _tail(log: Path, most: int) -> list[Record]:
    from sessions.store.log import read_log

    return read_log(log, max(0, log.stat().st_size - most)).records


def _around(log: Path, message: str) -> list[Record]:
    """The turn of a message with the one before and the one after; of a log that is not long, all."""
    from sessions.store.log import read_log
    from sessions.store.outline import outline
    from sessions.store.tail import find_line

    size = log.stat().st_size
    at = find_line(log, message) if size > _WHOLE_BYTES else None
    if at is None:
        return _tail(log, _WHOLE_BYTES)
    turns = outline(log)
    start, stop = turns.span(at, size)
    start = turns.before(start, 1) if start else 0
    return read_log(log, start, limit=turns.after(stop, 1, size) - start).records
