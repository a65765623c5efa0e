"""What the actions about MCP servers do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.app import MemagentApp


class ServerDeeds:
    """A part of the deeds."""

    app: MemagentApp

    def mcp(self, _: str) -> None:
        desk = self.app.desk
        assert desk is not None
        desk.run("servers", desk.serving.show)
