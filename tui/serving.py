"""The MCP servers as the person meets them: begun after the first paint, told of when they fail, seen in `/mcp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.widgets.rows import wrap
from tui.widgets.when import counted

if TYPE_CHECKING:
    from sessions.tools.mcp_found import FoundServer
    from tui.app import MemagentApp
    from tui.desk import Desk

_CELLS = 72


class Serving:
    """A part of the desk."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk

    async def begin(self) -> None:
        """Start those of the settings; say that there are others in the folder's file, once."""
        servers = self._desk.hub.servers
        servers.tell = lambda text: self._app.say(f"{text} · /mcp", "warning")
        if self._desk.home.settings.mcp_servers:
            servers.begin()
        private = self._desk.state is not None and self._desk.state.private
        if not private and (news := await servers.news(self._app.options.cwd)):
            self._app.say(f"{counted(news, 'MCP server')} in .mcp.json: /mcp")

    async def show(self) -> None:
        """The dialog, with the settings as they are now."""
        from tui.dialogs.servers import ServersDialog

        await self._desk.ready.wait()
        servers = self._desk.hub.servers
        self._app.settings = await self._desk.hub.run(self._desk.home.reload_settings)
        servers.begin()
        dialog = ServersDialog(self, servers.health, self._wrong(), self._app.paths)
        dialog.found = await servers.found(self._app.options.cwd)
        servers.changed = dialog.changed

        def closed(_: None) -> None:
            servers.changed = lambda: None

        self._app.push_screen(dialog, closed)

    def _wrong(self) -> list[str]:
        """What in the settings keeps a server from being one."""
        problems = [p for p in self._app.settings.problems if p.key.startswith("mcp.servers")]
        return [*map(str, problems)]

    @property
    def rules(self) -> tuple[str, ...]:
        """Calls that never ask, by the settings as they are now."""
        return tuple(self._desk.home.settings.approvals)

    def restart(self, name: str) -> None:
        self._desk.run("servers", self._desk.hub.servers.restart, name)

    def switch(self, name: str) -> None:
        self._desk.run("servers", self._desk.hub.servers.switch, name)

    def add(self, one: FoundServer) -> None:
        """Ask, with all in sight that will run."""
        from sessions.tools.mcp_shown import address_of, given_to, warnings_of
        from tui.dialogs.confirm import Confirm
        from tui.dialogs.servers import ServersDialog

        def answered(yes: bool | None) -> None:
            if yes:
                self._desk.run("servers", self._add, one)

        config = one.config
        cells = min(_CELLS, self._app.size.width * 94 // 100 - 8)
        lines = [("warn", line) for text in warnings_of(config) for line in wrap(text, cells)]
        plain = ["Words of yours will go to this address:" if config.url else "This program will run on this machine:"]
        what = address_of(config) if config.url else config.shown
        plain += [f"  {line}" for line in wrap(what, cells - 2)]
        given = given_to(config)
        plain += ["It is given:"] if given else []
        plain += [f"  {line}" for text in given for line in wrap(text, cells - 2)]
        plain += ["", "From now on, in every folder. It is written to config.toml."]
        lines = [("fg", ""), *lines, *([("fg", "")] if lines else []), *(("fg", line) for line in plain)]
        if isinstance(self._app.screen, ServersDialog):
            self._app.push_screen(Confirm(f"Add the MCP server {config.name}?", lines, "Add", "Leave it"), answered)

    async def _add(self, one: FoundServer) -> None:
        from tui.dialogs.servers import ServersDialog

        servers = self._desk.hub.servers
        await servers.add(one)
        self._app.settings = self._desk.home.settings
        for screen in self._app.screen_stack:
            if isinstance(screen, ServersDialog):
                screen.found = await servers.found(self._app.options.cwd)
                screen.changed()
