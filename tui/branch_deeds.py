"""What the actions on a conversation's course do: answer again, say otherwise, take back, go on in a copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.chat.composer import Prompt

if TYPE_CHECKING:
    from sessions.store.catalog import Meta
    from tui.app import MemagentApp
    from tui.desk import Desk


class BranchDeeds:
    """A part of the deeds: one method an action."""

    app: MemagentApp

    @property
    def _desk(self) -> Desk:
        assert self.app.desk is not None
        return self.app.desk

    def retry(self, _: str) -> None:
        self.app.body.chat.composer.input.focus()
        self._desk.run("branch", self._retry)

    async def _retry(self) -> None:
        await self._desk.ready.wait()
        if await self._desk.may_go():
            await self._desk.hub.retry(self._desk.session)

    def edit(self, _: str) -> None:
        self._desk.run("branch", self._edit)

    async def _edit(self) -> None:
        await self._desk.ready.wait()
        said = self._desk.hub.said(self._desk.session)
        self._write(Prompt(said.content, said.typed))
        self._desk.editing = said.id
        self.app.say("editing your last message: enter sends it in its place, esc leaves it")

    def rewind(self, _: str) -> None:
        self._desk.run("branch", self._rewind)

    async def _rewind(self) -> None:
        await self._desk.ready.wait()
        said = await self._desk.hub.rewind(self._desk.session)
        self._write(Prompt(said.content, said.typed), selected=True)

    def compact(self, focus: str) -> None:
        self.app.body.chat.composer.input.focus()
        self._desk.run("branch", self._compact, focus)

    async def _compact(self, focus: str) -> None:
        await self._desk.ready.wait()
        if self.app.body.chat.said:
            self._desk.hub.compact(self._desk.session, focus)
        else:
            self.app.say("nothing was said yet")

    def fork(self, _: str) -> None:
        self._desk.run("session", self._fork, self._desk.session, exclusive=True)

    def session_fork(self, _: str) -> None:
        if meta := self._chosen_session():
            self._desk.run("session", self._fork, meta.id, exclusive=True)

    async def _fork(self, session: str) -> None:
        await self._desk.ready.wait()
        await self._desk.open(await self._desk.hub.fork(session))
        self.app.say("a copy to go on in: the first session stays as it is")

    def _write(self, prompt: Prompt, *, selected: bool = False) -> None:
        composer = self.app.body.chat.composer
        composer.load(prompt, selected=selected)
        composer.input.focus()

    def _chosen_session(self) -> Meta | None:
        raise NotImplementedError
