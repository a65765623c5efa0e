"""The MCP servers: how each is, what it offers, and those that the folder names and that are not used yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult

from sessions.agent.approval import allowed
from sessions.hub.servers import log_of
from sessions.paths import HomePaths
from sessions.tools.base import Tool
from sessions.tools.mcp import Health
from sessions.tools.mcp_config import ServerConfig
from sessions.tools.mcp_found import FILE, FoundServer
from sessions.tools.mcp_shown import address_of, program_of
from tui.dialogs.base import Dialog, Lines
from tui.dialogs.choice import ChoiceRow
from tui.widgets.linelist import AIRY_ROWS, LineList
from tui.widgets.look import look_of
from tui.widgets.rows import GroupHead, Row, TextRow, wrap
from tui.widgets.when import counted, folder

if TYPE_CHECKING:
    from tui.serving import Serving

_MARKS = {
    "running": ("done", "ok"),
    "starting": ("elsewhere", "muted"),
    "failed": ("failed", "err"),
    "off": ("off", "muted"),
}
_CELLS = 74
_CHARS_PER_TOKEN = 4
_NONE = [
    "None yet. In config.toml, for example:",
    "",
    "  [mcp.servers.time]",
    '  command = "uvx"',
    '  args = ["mcp-server-time"]',
]


class ServersDialog(Dialog[None]):
    """What is done goes to `serving`; `changed` draws what is so now."""

    def __init__(
        self, serving: Serving, health: Callable[[], list[Health]], wrong: Sequence[str], paths: HomePaths
    ) -> None:
        keys = [("enter", "enter", "Tools"), ("r", "r", "Start again"), ("space", "space", "On/off"), ("a", "a", "Add")]
        super().__init__("MCP servers", keys)
        self._serving = serving
        self._health = health
        self._wrong = wrong
        self._paths = paths
        self.found: list[FoundServer] = []
        self._made = False

    def body(self) -> ComposeResult:
        choices = LineList(id="choices")
        choices.one_click = True
        yield choices
        yield Lines([], id="servers-below", classes="dialog-below")

    def on_mount(self) -> None:
        self._made = True
        self.changed()
        self.query_one(LineList).focus()

    def changed(self) -> None:
        """Show the servers as they are now."""
        if not self._made:
            return
        rows = self._rows()
        choices = self.query_one(LineList)
        # An airy list puts a blank line above a head that is not the first.
        blank = sum(row.head for row in rows[1:]) if self.app.size.height >= AIRY_ROWS else 0
        choices.styles.height = _height(self, len(rows) + blank)
        choices.set_rows(rows)
        self._tell()

    def _rows(self) -> list[Row]:
        marks = look_of(self.app).marks
        servers = self._health()
        widest = max(
            (len(name) for name in [*(s.name for s in servers), *(f.config.name for f in self.found)]), default=0
        )
        rows: list[Row] = []
        for server in servers:
            mark, style = _MARKS[server.state]
            row = ChoiceRow(server.name, server.name, _state(server), server.config.place, getattr(marks, mark), style)
            row.text_cells = widest
            rows.append(row)
        rows += [TextRow(f"wrong:{n}", text, "overdue", "warn") for n, text in enumerate(self._wrong)]
        if not rows:
            rows += [TextRow(f"none:{n}", text) for n, text in enumerate(_NONE)]
        if self.found:
            rows.append(GroupHead("head:found", f"In {FILE} of this folder, not used"))
        for one in self.found:
            note = one.wrong or _whole(one.config)
            mark, style = (marks.overdue, "warn") if one.wrong else (marks.new, "accent")
            row = ChoiceRow(f"found:{one.config.name}", one.config.name, note, one.config.place, mark, style)
            row.text_cells = widest
            rows.append(row)
        return rows

    @property
    def _server(self) -> Health | None:
        """The chosen one of the settings."""
        cursor = self.query_one(LineList).cursor
        return next((server for server in self._health() if server.name == cursor), None)

    @property
    def _found(self) -> FoundServer | None:
        """The chosen one of the folder's file."""
        cursor = self.query_one(LineList).cursor
        return next((one for one in self.found if f"found:{one.config.name}" == cursor), None)

    def _tell(self) -> None:
        lines: list[tuple[str, str]] = []
        if (server := self._server) is not None:
            config = server.config
            what = address_of(config) if config.url else program_of(config)
            lines += [("muted", line) for line in wrap(what, _CELLS)[:2]]
            lines += [("err", line) for line in wrap(server.why, _CELLS)[:3]] if server.why else []
            lines += [("warn", line) for remark in server.remarks for line in wrap(remark, _CELLS)]
            if server.state == "failed" and not server.config.url:
                lines.append(("muted", f"What it wrote: {folder(log_of(self._paths, server.name))}"))
        elif (one := self._found) is not None:
            lines += [("muted", line) for line in wrap(_whole(one.config), _CELLS)[:3]]
            lines += [("warn", line) for line in wrap(one.wrong, _CELLS)] if one.wrong else []
            lines += [] if one.wrong else [("fg", "a adds it to your settings and starts it")]
        self.query_one("#servers-below", Lines).show(lines[: _below(self)])

    def on_line_list_highlighted(self, event: LineList.Highlighted) -> None:
        event.stop()
        self._tell()

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()
        if (server := self._server) is not None and server.tools:
            self.app.push_screen(ToolsDialog(server, self._serving.rules))
        elif self._found is not None:
            self._add()

    def _add(self) -> None:
        one = self._found
        if one is not None and not one.wrong:
            self._serving.add(one)

    def on_key(self, event: events.Key) -> None:
        server = self._server
        if event.key == "a":
            event.stop()
            self._add()
        elif event.key in {"r", "space"}:
            event.stop()
            if server is not None:
                (self._serving.restart if event.key == "r" else self._serving.switch)(server.name)


def _whole(config: ServerConfig) -> str:
    return address_of(config) if config.url else config.shown


def _below(dialog: Dialog[None]) -> int:
    """How many lines tell of the chosen row."""
    return 7 if dialog.app.size.height >= AIRY_ROWS else 4


def _height(dialog: Dialog[None], rows: int) -> int:
    """Of the list: what the dialog's frame and the lines below leave of it."""
    return max(1, min(rows, dialog.app.size.height * 9 // 10 - 8 - _below(dialog)))


def _state(server: Health) -> str:
    match server.state:
        case "running":
            tokens = server.chars // _CHARS_PER_TOKEN
            return f"running · {counted(len(server.tools), 'tool')} · {tokens:,} tok"
        case "failed":
            return f"failed: {server.why}"
    return server.state


class ToolsDialog(Dialog[None]):
    """The tools of one server: which ask before they run, and what they say of themselves."""

    def __init__(self, server: Health, rules: Sequence[str]) -> None:
        """`rules` are those of `approvals.always`."""
        super().__init__(f"Tools of {server.name}", [("", "↑↓", "Choose")], counted(len(server.tools), "tool"))
        self._tools = {tool.name: tool for tool in server.tools}
        self._rules = rules

    def body(self) -> ComposeResult:
        yield LineList(id="choices")
        yield Lines([], id="servers-below", classes="dialog-below")

    def on_mount(self) -> None:
        marks = look_of(self.app).marks
        rows = [
            ChoiceRow(
                tool.name,
                tool.name,
                " ".join(tool.description.split()),
                _asks(tool, self._rules),
                marks.approval if tool.asks else marks.done,
                "warn" if tool.asks else "ok",
            )
            for tool in self._tools.values()
        ]
        for row in rows:
            row.text_cells = min(36, max(len(name) for name in self._tools))
        choices = self.query_one(LineList)
        choices.styles.height = _height(self, len(rows))
        choices.set_rows(rows)
        choices.focus()
        self._tell()

    def on_line_list_highlighted(self, event: LineList.Highlighted) -> None:
        event.stop()
        self._tell()

    def _tell(self) -> None:
        tool = self._tools.get(self.query_one(LineList).cursor or "")
        lines: list[tuple[str, str]] = []
        if tool is not None:
            lines += [("fg", line) for line in wrap(tool.description, _CELLS)[: _below(self) - 1]]
            takes = ", ".join(tool.parameters.get("properties") or {}) or "nothing"
            lines.append(("muted", f"Takes {takes}"))
        self.query_one("#servers-below", Lines).show(lines)


def _asks(tool: Tool, rules: Sequence[str]) -> str:
    if not tool.asks:
        return "only reads"
    asks = {"always": "allowed always", "sometimes": "asks, not always", "": "asks"}[allowed(rules, tool.name)]
    return f"{asks} · {tool.asks.partition(' · ')[2]}"
