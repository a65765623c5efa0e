"""What is written into a client's files, each part with its way to look for it, to put it in and to take it out."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from sessions.lending import entry
from sessions.lending.block import MARKDOWN, TOML, block_of, line_of_block, with_block, without_block
from sessions.lending.json_edit import Way, change, find, put, take, without
from sessions.lending.json_text import Item
from sessions.lending.unfit import Unfit

State = Literal["none", "same", "old", "edited", "foreign"]
"""Not there; as we would write it; ours, of another place or home; changed by hand; there, but none of ours."""


@dataclass(frozen=True, slots=True)
class Found:
    """How a part stands in a file."""

    state: State
    line: int = 0
    """Where it begins, from 1."""
    value: Any = None
    """Of a server's entry, what it holds."""


class Part(Protocol):
    """All of them raise Unfit where the text is none that can be edited."""

    what: str
    """In words: `the entry of the server`."""

    def find(self, text: str) -> Found: ...

    def put(self, text: str) -> tuple[str, list[Way]]:
        """The text with it, and the objects that had to be made for it."""
        ...

    def take(self, text: str, made: Collection[Way]) -> str:
        """The text without it, also where it was changed by hand, and without those of `made` that are empty then."""
        ...


class JsonServer:
    """A member of `mcpServers`."""

    what = "the entry of the server"
    _WAY = ("mcpServers",)

    def __init__(self, wanted: dict[str, Any]) -> None:
        self._wanted = wanted

    def find(self, text: str) -> Found:
        item = self._item(text)
        if item is None:
            return Found("none")
        value = item.value.python()
        return Found(_state(value, self._wanted, entry.made_server(value)), _line(text, item.start), value)

    def put(self, text: str) -> tuple[str, list[Way]]:
        item = self._item(text)
        if item is not None:
            return change(text, item, self._wanted), []
        return put(text, self._WAY, entry.NAME, self._wanted)

    def take(self, text: str, made: Collection[Way]) -> str:
        return take(text, self._WAY, lambda item: item.key == entry.NAME, made)

    def _item(self, text: str) -> Item | None:
        box = find(text, self._WAY)
        return box.get(entry.NAME) if box is not None else None


class JsonHook:
    """An element of the hooks of Claude Code that run when a session starts."""

    what = "the hook"
    _WAY = ("hooks", "SessionStart")

    def __init__(self, wanted: dict[str, Any]) -> None:
        self._wanted = wanted

    def find(self, text: str) -> Found:
        ours = self._ours(text)
        if not ours:
            like = self._those(text, entry.may_run_us)
            return Found("foreign", _line(text, like[0].start), like[0].value.python()) if like else Found("none")
        value = ours[0].value.python()
        state = _state(value, self._wanted, entry.made_hook(value)) if len(ours) == 1 else "edited"
        return Found(state, _line(text, ours[0].start), value)

    def put(self, text: str) -> tuple[str, list[Way]]:
        ours = self._ours(text)
        if ours:
            return change(text, ours[0], self._wanted), []
        return put(text, self._WAY, None, self._wanted)

    def take(self, text: str, made: Collection[Way]) -> str:
        while shared := [item for item in self._ours(text) if len(_runs(item)) > 1]:
            box = shared[0].value.get("hooks")
            assert box is not None
            text = without(text, box.value, next(i for i in box.value.items if entry.runs_us(i.value.python())))
        return take(text, self._WAY, _is_ours, made)

    def _ours(self, text: str) -> list[Item]:
        return self._those(text, entry.runs_us)

    def _those(self, text: str, which: Callable[[Any], bool]) -> list[Item]:
        box = find(text, self._WAY)
        items = box.items if box is not None else []
        return [item for item in items if any(which(run.value.python()) for run in _runs(item))]


class TomlServer:
    """A table of `mcp_servers`, as a marked block: comments may stand there."""

    what = "the entry of the server"

    def __init__(self, wanted: dict[str, Any]) -> None:
        self._wanted = wanted

    def find(self, text: str) -> Found:
        if block_of(text, TOML) is None:
            value, line = _toml_server(text), _line_of(text, entry.NAME)
            return Found("none") if value is None else Found("foreign", line, value)
        value, line = _toml_server(text), line_of_block(text, TOML)
        alone = _toml_server(without_block(text, TOML)) is None
        ours = alone and block_of(text, TOML) == _toml(value if entry.made_server(value) else {})
        return Found(_state(value, self._wanted, True) if ours else "edited", line, value)

    def put(self, text: str) -> tuple[str, list[Way]]:
        new = with_block(text, TOML, _toml(self._wanted))
        try:
            taken = _toml_server(new) == self._wanted
        except Unfit:
            taken = False
        if not taken:
            raise Unfit("mcp_servers takes no further table at the end of the file", _line_of(text, "mcp_servers"))
        return new, []

    def take(self, text: str, made: Collection[Way]) -> str:
        return without_block(text, TOML)


class Instructions:
    """A marked block in CLAUDE.md or AGENTS.md."""

    what = "the note on when to use it"

    def find(self, text: str) -> Found:
        block = block_of(text, MARKDOWN)
        if block is None:
            return Found("none")
        return Found("same" if block == entry.WHEN else "edited", line_of_block(text, MARKDOWN))

    def put(self, text: str) -> tuple[str, list[Way]]:
        return with_block(text, MARKDOWN, entry.WHEN), []

    def take(self, text: str, made: Collection[Way]) -> str:
        return without_block(text, MARKDOWN)


class RuleFile:
    """A file that holds nothing else: a rule of Cursor."""

    what = "the note on when to use it"

    def find(self, text: str) -> Found:
        if not text.strip():
            return Found("none")
        return Found("same" if text.replace("\r\n", "\n") == entry.rule() else "edited", 1)

    def put(self, text: str) -> tuple[str, list[Way]]:
        return entry.rule(), []

    def take(self, text: str, made: Collection[Way]) -> str:
        return ""


def _state(value: Any, wanted: Any, made: bool) -> State:
    return "same" if value == wanted else "old" if made else "edited"


def _runs(item: Item) -> list[Item]:
    hooks = item.value.get("hooks")
    return hooks.value.items if hooks is not None else []


def _is_ours(item: Item) -> bool:
    return any(entry.runs_us(run.value.python()) for run in _runs(item))


def _toml(server: dict[str, Any]) -> str:
    """The table of a server. A JSON string is a TOML string."""
    rows = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in server.items()]
    return "\n".join([f"[mcp_servers.{entry.NAME}]", *rows])


def _toml_server(text: str) -> Any:
    """What the file says of our server, None for nothing. Raises Unfit."""
    try:
        servers = tomllib.loads(text).get("mcp_servers")
    except tomllib.TOMLDecodeError as e:
        raise _broken(str(e)) from None
    except RecursionError:
        raise Unfit("it is nested too deep") from None
    return servers.get(entry.NAME) if isinstance(servers, dict) else None


def _broken(says: str) -> Unfit:
    """`… (at line 3, column 7)` as tomllib has it."""
    why, _, place = says.partition(" (at ")
    numbers = [int(word) for word in place.replace(",", " ").replace(")", " ").split() if word.isdecimal()]
    return Unfit(why, *numbers[:2])


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _line_of(text: str, name: str) -> int:
    at = text.find(name)
    return _line(text, at) if at >= 0 else 0
