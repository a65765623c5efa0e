"""What the actions on the list of sessions do: filters, the order of hits, archive, the trash and back."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from tui.history.filters import after

if TYPE_CHECKING:
    from sessions.store.catalog import Meta
    from tui.app import MemagentApp
    from tui.desk import Desk


class HistoryDeeds:
    """A part of the deeds: one method an action."""

    app: MemagentApp
    _deleted: tuple[str, ...] = ()
    """Sessions that went to the trash here, the last one last."""

    @property
    def _desk(self) -> Desk:
        raise NotImplementedError

    def _chosen_session(self) -> Meta | None:
        raise NotImplementedError

    def _away_from(self, *sessions: str) -> AbstractAsyncContextManager[None]:
        raise NotImplementedError

    def _history_changed(self, choose: str = "") -> None:
        raise NotImplementedError

    # ------------------------------------------------------------------ what is listed

    def session_filter(self, _: str) -> None:
        history = self.app.body.history
        history.choose_filter(after(history.choice))

    def session_order(self, _: str) -> None:
        self.app.body.history.turn_order()

    def archived(self, _: str) -> None:
        self._list("archived")

    def trash(self, _: str) -> None:
        self._list("trash")

    def _list(self, choice: str) -> None:
        self.app.go("history")
        self.app.body.history.choose_filter(choice)

    def find(self, words: str) -> None:
        """In what is shown: the conversation, a session of History; in Memory it is the search box."""
        app = self.app
        if app.wanted.view == "memory":
            app.body.memory.action_search()
        elif app.wanted.view == "chat":
            self._desk.finding.begin(words)
        elif app.lists is not None and self._chosen_session() is not None:
            if not app.body.shows("session"):
                app.want(detail=True)
            app.lists.detail.finding.begin(words)

    # ------------------------------------------------------------------ out of sight and back

    def archive(self, _: str) -> None:
        meta = self._chosen_session() if self.app.wanted.view == "history" else None
        session = meta.id if meta is not None else self._desk.session
        self._desk.run("history-edit", self._archive, session, not (meta is not None and meta.archived))

    def session_archive(self, _: str) -> None:
        if meta := self._chosen_session():
            self._desk.run("history-edit", self._archive, meta.id, not meta.archived)

    async def _archive(self, session: str, archived: bool) -> None:
        await self._desk.ready.wait()
        await self._desk.hub.archive(session, archived)
        self._history_changed()
        key = self.app.keymap.shown("session-filter")
        self.app.say(f"archived: {key} in History shows it, a brings it back" if archived else "in sight again")

    # ------------------------------------------------------------------ other agents

    def follow(self, word: str) -> None:
        self._desk.run("follow", self._desk.importing.ask, word.strip())

    def session_continue(self, _: str) -> None:
        meta = self._chosen_session()
        if meta is not None and not meta.source:
            self.app.say("that is a session of this program: enter goes on with it")
        elif meta is not None:
            self.session_fork("")

    def session_command(self, _: str) -> None:
        meta = self._chosen_session()
        if meta is None:
            return
        from sessions.importers.passing import resume_command

        source = meta.source or {}
        command = resume_command(str(source.get("kind")), str(source.get("uuid")), meta.cwd)
        if command:
            self.app.copy_to_clipboard(command)
            self.app.say(f"the command that goes on there is copied: {command}")
        else:
            self.app.say("that is no session of Claude Code or Codex")

    def session_fork(self, _: str) -> None:
        raise NotImplementedError

    def session_export(self, _: str) -> None:
        if meta := self._chosen_session():
            self._desk.run("export", self._export_chosen, meta)

    async def _export_chosen(self, meta: Meta) -> None:
        await self._desk.ready.wait()
        path = await self._desk.hub.keeping.export(meta.id, self.app.options.cwd)
        self.app.say(f"written to {path}")

    def session_delete(self, _: str) -> None:
        if meta := self._chosen_session():
            self._desk.run("history-edit", self._delete, meta)

    async def _delete(self, meta: Meta) -> None:
        async with self._away_from(meta.id):
            await self._desk.hub.keeping.delete(meta.id)
        self._deleted = (*self._deleted, meta.id)
        self._history_changed()
        self.app.say(f"in the trash: {meta.title or 'untitled'} · u brings it back")

    def session_undo(self, _: str) -> None:
        self._desk.run("history-edit", self._undelete)

    async def _undelete(self) -> None:
        from sessions.store.trash import trashed

        await self._desk.ready.wait()
        waiting = await self._desk.hub.run(trashed, self.app.paths)
        known = {meta.id: meta for meta in waiting}
        last = next((s for s in reversed(self._deleted) if s in known), waiting[0].id if waiting else "")
        if not last:
            self.app.say("the trash is empty")
            return
        await self._restore(known[last])

    def session_restore(self, _: str) -> None:
        if meta := self._chosen_session():
            self._desk.run("history-edit", self._restore, meta)

    async def _restore(self, meta: Meta) -> None:
        await self._desk.hub.keeping.restore(meta.id)
        self._deleted = tuple(session for session in self._deleted if session != meta.id)
        self._history_changed(meta.id)
        self.app.say(f"back from the trash: {meta.title or 'untitled'}")
