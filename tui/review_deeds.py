"""What the actions on proposals do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sessions.memory.reflect import Task
    from tui.app import MemagentApp
    from tui.desk import Desk


class ReviewDeeds:
    """A part of the deeds: one method an action."""

    app: MemagentApp

    @property
    def _desk(self) -> Desk:
        raise NotImplementedError

    def learn(self, _: str) -> None:
        from tui.dialogs.learning import learning

        self.app.push_screen(learning(self._desk.home.settings.memory.distill), self._learn)

    def _learn(self, chosen: str | None) -> None:
        if chosen:
            self._desk.run("settings", self._keep_learning, chosen)

    async def _keep_learning(self, chosen: str) -> None:
        from sessions.settings_file import set_value
        from tui.dialogs.learning import WORDS

        await self._desk.ready.wait()
        await self._desk.hub.run(set_value, self.app.paths.config, "memory.distill", chosen)
        self.app.settings = await self._desk.hub.run(self._desk.home.reload_settings)
        self.app.say(f"learn from chats: {WORDS[self._desk.home.settings.memory.distill]}")

    def reflect(self, _: str) -> None:
        self._desk.run("reflect", self._reflect, "reflect", exclusive=True)

    def defragment(self, _: str) -> None:
        self._desk.run("reflect", self._reflect, "defragment", exclusive=True)

    async def _reflect(self, task: Task) -> None:
        from tui.reflecting import outcome

        await self._desk.ready.wait()
        state = self._desk.state
        if state is None or state.private:
            self.app.say("a private session has no work in the background", "warning")
            return
        self.app.say("looking through the facts")
        found = await self._desk.hub.work.reflect(task, state.cwd, state.profile, state.model)
        if self.app.lists is not None:
            self.app.lists.memory_changed()
        self.app.say(outcome(found) + (": /review" if found.proposed else ""))

    def review(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.go()

    def proposal_accept(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.accept()

    def proposal_group(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.accept_group()

    def proposal_reject(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.reject()

    def proposal_reject_group(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.reject_group()

    def proposal_edit(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.review.edit()
