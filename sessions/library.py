"""A home for other agents' loops: the memory as a prompt and tools, the sessions as lists of messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sessions import ids
from sessions.agent.context import said_off
from sessions.agent.logs import Log, NewLog
from sessions.clock import iso
from sessions.errors import StoreError
from sessions.messages import AssistantMessage, Marker, Record, UserMessage, to_json
from sessions.store.line import last_turn, main_line, messages_of, whole_turns
from sessions.store.log import LogWriter, append_meta, read_log
from sessions.tools.base import Tool, ToolContext
from sessions.tools.registry import Registry, ToolArgumentError
from sessions.typed import Typed, typed_parts

if TYPE_CHECKING:
    from sessions.home import Home

Item = dict[str, Any]
_FORKED = re.compile(r" · fork at turn \d+(?: \(\d+\))?$")
_FORK_TITLE = 160
"""Characters that a fork has of its origin's title."""


@dataclass(frozen=True, slots=True)
class BoundTool:
    """A tool that any loop can offer to its model: `text = await tool(query="Tokyo")`."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of an object."""
    _tool: Tool
    _context: Callable[[], ToolContext]

    async def __call__(self, **arguments: Any) -> str:
        """The tool's answer. Never raises: what goes wrong is said in the text."""
        try:
            checked = Registry([self._tool]).check(self._tool, arguments)
            result = await self._tool.run(checked, self._context())
        except ToolArgumentError as e:
            return str(e)
        except Exception as e:
            return f"{self.name} failed: {str(e) or type(e).__name__}"
        return result if isinstance(result, str) else result.content

    def schema(self) -> Item:
        """The tool in the form that chat completion services take."""
        function = {"name": self.name, "description": self.description, "parameters": self.parameters}
        return {"type": "function", "function": function}


class HomeMemory:
    """The facts as a prompt and tools."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def prompt(self, cwd: str | Path | None = None) -> str:
        """The facts that are always sent, for a system prompt; empty while there are none."""
        return "\n\n".join(s.block().text for s in self._sources(cwd) if s.block().text)

    def contents(self, cwd: str | Path | None = None) -> str:
        """The table of contents, a fact a line; empty while there are none."""
        return "\n".join(text for s in self._sources(cwd) if (text := s.contents()))

    def tools(
        self, typed: Callable[[], str | Sequence[str]] | None = None, *, cwd: str | Path | None = None
    ) -> list[BoundTool]:
        """recall_memory, save_memory and delete_memory as the settings' mode allows, ready to be called.

        `typed` gives the words that the person typed in this conversation, as one text or a text a message with the
        newest last: the ground of a save's quote. Without it every save waits for the person's review.
        """
        folder = _folder(cwd)
        conversation = ids.message_id()

        def context() -> ToolContext:
            said = typed() if typed is not None else ()
            at = iso(self._home.clock.now())
            texts = [said] if isinstance(said, str) else list(said)
            words = [Typed(f"{conversation}-{i}", at, typed_parts(text)) for i, text in enumerate(texts)]
            newest = words[-1].message if words else conversation
            clock = self._home.clock
            return ToolContext("", 0, ids.call_id(), newest, folder, clock, typed=lambda: words)

        found = [tool for source in self._sources(cwd) for tool in source.tools()]
        return [BoundTool(t.name, t.description, t.parameters, t, context) for t in found]

    def _sources(self, cwd: str | Path | None) -> list[Any]:
        return self._home.sources(_folder(cwd), lambda: self._home.settings.memory.mode)


class Session:
    """A conversation that another loop keeps here. The file appears with the first message."""

    def __init__(self, home: Home, session: str, log: Log, records: list[Record]) -> None:
        self.id = session
        self._home = home
        self._log = log
        self._records = records

    @property
    def path(self) -> Path:
        return self._home.paths.session_log(self.id)

    def items(self, max_turns: int = 0) -> list[Item]:
        """The conversation since it was last cleared, newest `max_turns` turns (0 = all), as the log's own objects:
        `role`, `content`, `tool_calls` … What was said while memory was off is there only while it is off."""
        line = main_line(self._records)
        cleared = max((i for i, r in enumerate(line) if isinstance(r, Marker) and r.kind == "cleared"), default=-1)
        turns = [t for t in whole_turns(messages_of(line[cleared + 1 :])) if self._off or not said_off(t)]
        return [to_json(m) for turn in (turns[-max_turns:] if max_turns > 0 else turns) for m in turn]

    def add(self, role: Literal["user", "assistant"], content: str) -> None:
        """Append a message. Raises StoreError."""
        at, turn = iso(self._home.clock.now()), last_turn(self._records)
        if role == "user":
            memory = "off" if self._off else None
            self._append(UserMessage(ids.message_id(), at, turn + 1, content, memory=memory))
        else:
            self._append(AssistantMessage(ids.message_id(), at, max(turn, 1), content))

    def clear(self) -> None:
        """Begin anew: what was said stays in the file and leaves the context."""
        self._append(Marker(ids.message_id(), iso(self._home.clock.now()), "cleared"))

    def close(self) -> None:
        """Give the session free for other programs."""
        self._log.close()

    @property
    def _off(self) -> bool:
        return self._home.settings.memory.mode == "off"

    def _append(self, record: Record) -> None:
        self._records.append(self._log.append(record, sync=True))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class HomeSessions:
    """The sessions of a home."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def new(self, cwd: str | Path | None = None) -> Session:
        now = self._home.clock.now()
        session = ids.session_id(now)
        return Session(self._home, session, NewLog(self._home.paths, session, first_line(self._home, cwd)), [])

    def open(self, session: str) -> Session:
        """Take up a session. StoreError when there is none, LockedError when another program has it."""
        if not ids.is_session_id(session):
            raise StoreError(f"{session!r} is no session id")
        log = LogWriter.open(self._home.paths, session)
        return Session(self._home, session, log, read_log(log.path).records)

    def newest(self, cwd: str | Path | None = None) -> Session | None:
        """The session used last (in `cwd`), None when there is none."""
        meta = self._home.catalog.newest(str(cwd) if cwd is not None else None)
        return self.open(meta.id) if meta else None

    def fork(self, session: str, upto: str | None = None) -> str:
        """A new session that begins with copies of another's lines, to the end of the turn of message `upto`; its id.

        Also of one that another program writes. StoreError when there is no file of it.
        """
        from sessions.store.fork import fork

        home = self._home
        if not ids.is_session_id(session) or not home.paths.session_log(session).exists():
            raise StoreError(f"There is no session {session} to fork", "A session has a file from its first message on")
        meta = home.catalog.get(session)
        had: dict[str, Any] = (
            {"profile": meta.profile or None, "model": meta.model or None, "memory": meta.memory} if meta else {}
        )
        if meta is not None and meta.source is not None:
            # Another agent answered there, with a model of its own.
            had = {"memory": meta.memory}
        had |= {"private": True} if meta is not None and meta.private else {}
        new = ids.session_id(home.clock.now())
        first = first_line(home, meta.cwd if meta and meta.cwd else None, **had)
        path = fork(home.paths, session, new, first, upto=upto)
        if meta is not None and meta.title:
            taken = {other.title for other in home.catalog.list()}
            title = _fork_title(meta.title, read_log(path).records, taken)
            append_meta(home.paths, new, title, home.clock)
        home.catalog.refresh(new)
        return new

    def clear(self, session: str | None = None) -> None:
        """Begin the named, else the newest session anew; nothing is deleted."""
        found = self.open(session) if session else self.newest()
        if found is not None:
            with found:
                found.clear()


def _fork_title(title: str, records: Sequence[Record], taken: set[str]) -> dict[str, Any]:
    """What tells a fork from its origin and from other forks: where it begins to differ.

    Made of the origin's title, it goes when something goes of what that was made of: then it is marked as made.
    """
    turn = sum(isinstance(r, UserMessage) and r.parent is None for r in main_line(records))
    base = f"{_FORKED.sub('', title)[:_FORK_TITLE]} · fork at turn {turn}"
    name, n = base, 2
    while name in taken:
        name, n = f"{base} ({n})", n + 1
    given = [r.data for r in records if isinstance(r, Marker) and r.kind == "meta" and r.data.get("title")]
    return {"title": name} | ({} if any("by" not in data for data in given) else {"by": "rule"})


def first_line(home: Home, cwd: str | Path | None = None, **data: Any) -> Marker:
    """The first line of a new session's log: its folder, and what else is known."""
    head = {"cwd": str(_folder(cwd))} | {k: v for k, v in data.items() if v is not None}
    return Marker(ids.message_id(), iso(home.clock.now()), "session", head)


def _folder(cwd: str | Path | None) -> Path:
    return Path(cwd) if cwd is not None else Path.cwd()
