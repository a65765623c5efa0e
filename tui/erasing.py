"""The screen after something was erased: nothing of it stays in sight or among the past prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sessions.errors import MemagentError
from tui import past_prompts

if TYPE_CHECKING:
    from tui.app import MemagentApp
    from tui.desk import Desk


class Erasing:
    """A part of the desk."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self.app = app
        self.desk = desk

    async def finish(self) -> None:
        """Go on with an erasing that was cut off."""
        try:
            done = await self.desk.hub.keeping.finish()
        except MemagentError as error:
            self.app.say(f"an erasing was cut off and waits to be finished: {error}", "warning")
            return
        if done is not None:
            self.app.say(f"went on with what was cut off: {done.target.title} is erased")

    def reload(self) -> None:
        """Show the session again from its beginning."""
        self.desk.run("erased", self._reload, exclusive=True)

    async def _reload(self) -> None:
        self.desk.state = await self.desk.hub.state(self.desk.session)
        self.desk.presenter.load(self.desk.state)

    async def prompts(self) -> None:
        """Past prompts as they are kept now."""
        self.app.body.chat.composer.prompts.clear()
        await past_prompts.load(self.app, self.desk)
