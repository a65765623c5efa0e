"""What the action about the files of a folder does: let the agent read them, or not any more."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.messages import THIS_MACHINE
from tui.widgets.rows import wrap
from tui.widgets.when import folder

if TYPE_CHECKING:
    from tui.app import MemagentApp
    from tui.desk import Desk


class FileDeeds:
    """A part of the deeds."""

    app: MemagentApp

    def files(self, arguments: str) -> None:
        assert self.app.desk is not None
        self.app.desk.run("files", self._files, self.app.desk, arguments.strip())

    async def _files(self, desk: Desk, wanted: str) -> None:
        await desk.ready.wait()
        if wanted not in {"", "on", "off"}:
            self.app.say("/files on or /files off", "warning")
            return
        cwd = desk.state.cwd if desk.state is not None else self.app.options.cwd
        far = self._place(desk) not in {"", THIS_MACHINE}
        use = await desk.hub.run(desk.home.files_allowed, cwd, far=far)
        if use is None:
            self.app.say(f"{folder(cwd)} is too wide or holds keys: start in the folder of a project", "warning")
        elif wanted == "off" or (not wanted and use):
            use = use or await desk.hub.run(desk.home.files_allowed, cwd)
            await desk.hub.run(desk.home.allow_files, cwd, False)
            self.app.settings = desk.home.settings
            self.app.say("the agent reads no files here any more" if use else "the agent reads no files here")
        elif use:
            self.app.say("the agent may read the files here already")
        else:
            self._ask_for_files(desk, cwd, far)

    def _place(self, desk: Desk) -> str:
        return self.app.header.state.place or (desk.state.place if desk.state is not None else "")

    def _ask_for_files(self, desk: Desk, cwd: Path, far: bool) -> None:
        from tui.dialogs.confirm import Confirm

        cells = min(74, self.app.size.width * 94 // 100 - 8)
        place = self._place(desk)
        goes = f"What it reads goes to {place}." if place else ""
        text = [
            *wrap(f"In {folder(cwd)} and the folders in it: list, read, search. Nothing is changed.", cells),
            "",
            *wrap(f"Files for keys and passwords are never read. {goes}".strip(), cells),
        ]

        def answered(yes: bool | None) -> None:
            if yes:
                desk.run("files", partial(self._allow_files, desk, cwd, far))

        self.app.push_screen(Confirm("Let the agent read the files here", text, "Let it read", "No"), answered)

    async def _allow_files(self, desk: Desk, cwd: Path, far: bool) -> None:
        await desk.hub.run(desk.home.allow_files, cwd, True, far=far)
        self.app.settings = desk.home.settings
        self.app.say("from the next message on the agent may read the files here: /files off ends it")
