"""A folder whose project seems to have moved here: asked about once, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.dialogs.confirm import Confirm
from tui.widgets.rows import wrap
from tui.widgets.when import counted, folder

if TYPE_CHECKING:
    from sessions.memory.moved import Moved
    from tui.app import MemagentApp
    from tui.desk import Desk


class Moving:
    """Looks when an empty session begins; the person's answer is for good."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self._found: Moved | None = None

    async def look(self) -> str:
        """What there is to say about it in one line; empty when nothing has moved here."""
        from sessions.memory.moved import moved_here

        desk = self._desk
        self._found = await desk.hub.run(moved_here, desk.home.facts, self._app.options.cwd)
        if self._found is None:
            return ""
        facts = counted(self._found.facts, "fact")
        return f"Did {self._found.was.name} move here? {facts} of {folder(self._found.was)}, which is gone"

    async def ask(self) -> None:
        await self._desk.ready.wait()
        await self.look()
        found = self._found
        if found is None:
            self._app.say("no project seems to have moved here")
            return
        facts = f"{counted(found.facts, 'fact')} belong to a folder that is no longer there: {folder(found.was)}"
        cells = min(74, self._app.size.width * 94 // 100 - 8)
        text = [*wrap(facts, cells), "", *wrap(f"Is this the same project? {folder(found.here)}", cells)]

        def answered(yes: bool | None) -> None:
            if yes is not None:
                self._desk.run("moved", self._settle, found, yes)

        await self._app.push_screen(Confirm("Use its facts here", text, "Use them here", "Another project"), answered)

    async def _settle(self, found: Moved, yes: bool) -> None:
        from sessions.memory.moved import settle

        desk = self._desk
        await desk.hub.run(settle, desk.home.facts, found, yes)
        if yes:
            await desk.facts_changed()
            self._app.say(f"{counted(found.facts, 'fact')} of {folder(found.was)} belong here now")
        else:
            self._app.say("they stay where they are, and it is not asked again")
        await desk.refresh_start()
