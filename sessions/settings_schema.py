"""Every setting: its key, type, default, allowed values and meaning, derived from the settings' dataclasses.

A value is checked in one place, wherever it comes from: the file (already typed), the environment, an option or
`config set` (text).
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import math
import re
import types
import typing
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from sessions import settings as s
from sessions.address import shown
from sessions.errors import UsageError

TABLES: dict[str, tuple[str, type]] = {
    "agent": ("agent", s.AgentSettings),
    "memory": ("memory", s.MemorySettings),
    "history": ("history", s.HistorySettings),
    "import": ("imports", s.ImportSettings),
    "context": ("context", s.ContextSettings),
    "weather": ("weather", s.WeatherSettings),
    "tools": ("tools", s.ToolSettings),
    "ui": ("ui", s.UiSettings),
}
"""Name of a table in the file -> its field in `Settings` and its class."""

FROM_ENVIRONMENT = ("agent", "memory", "context", "weather", "ui")
"""Tables whose keys an environment variable beats."""

OTHER_TABLES = ("profiles", "approvals", "mcp", "keys")

MEANINGS: dict[str, str] = {
    "agent.profile": "The profile that answers; unset: the guide",
    "agent.max_steps": "Model calls in one turn, at most",
    "agent.tool_timeout_s": "Seconds that a tool may take",
    "agent.system_prompt": "Replaces the built-in system prompt",
    "agent.start": "What a start opens: a new session, or the newest",
    "agent.spend_limit": "USD a day, by the prices of the profile, else as its service tells",
    "agent.discover": "Look for model servers on this machine",
    "memory.mode": "on, read-only (use, don't save) or off",
    "memory.distill": "Learn from chats: ask first, by itself, or never",
    "memory.inject": "Facts in every request: the pinned ones, all, or none",
    "memory.contents_tokens": "Room for the table of contents, in tokens",
    "memory.embedder": "Search by meaning too: a server on this machine, nothing, a named service, a small model",
    "memory.worker": "Profile for work in the background; unset: the one that the session used",
    "history.recap": "Write a recap on demand, or also on leaving a session",
    "history.share": "Whether models elsewhere find what was told to models here: any, local; unset: no, and ask",
    "import.follow": "Follow the sessions of other agents; unset: ask once",
    "import.folders": "Of those, only what was said in these folders, and below; empty: all",
    "import.keep": "Keep what their own clean-up removes there; false: it is in the trash here while it is gone",
    "context.compact_at": "Share of the window at which older turns are summarised; 0: never",
    "context.max_turns": "Send only the newest turns; 0: all",
    "weather.geocoding_url": "Where places are looked up (Open-Meteo)",
    "weather.forecast_url": "Where the weather is looked up (Open-Meteo)",
    "tools.off": "Tools that the model does not get",
    "tools.folders": "Folders whose files the model may read, in sessions there and below; `/files` adds one",
    "tools.folders_here": "The same, for models on this machine only: `/files` adds to these when one answers",
    "ui.theme": "dark, light or contrast",
    "ui.tool_detail": "A tool call as one line, or with its result",
    "ui.notify": "Tell the terminal when an answer is ready",
    "ui.animations": "Move things on the screen",
    "ui.ascii": "Only ASCII marks",
    "ui.watch": "How changes of files are noticed: auto, or by polling",
    "profiles.NAME.type": "An OpenAI-compatible service, or the built-in guide",
    "profiles.NAME.base_url": "Address of the service, with its /v1",
    "profiles.NAME.model": "Name of the model at the service",
    "profiles.NAME.api_key_env": "Name of the environment variable that holds the key",
    "profiles.NAME.api_key": "keyring: the key lies in the system's keyring",
    "profiles.NAME.context_window": "Tokens that the model can see; unset: what its service tells, else 128,000",
    "profiles.NAME.temperature": "0 to 2; unset: the service's own",
    "profiles.NAME.reasoning_effort": "Passed on to the service",
    "profiles.NAME.headers": "HTTP headers of every request",
    "profiles.NAME.extra_body": "Added to the body of every request",
    "profiles.NAME.timeout_s": "Longest silence of the service, in seconds; a sign of life is no answer",
    "profiles.NAME.price_in": "USD per million tokens sent; unset: as its service tells",
    "profiles.NAME.price_out": "USD per million tokens received; unset: as its service tells",
    "approvals.always": "Calls that never ask: tool, tool:argument=pattern, or tool:pattern for all arguments",
    "mcp.servers.NAME.command": "Program of an MCP server",
    "mcp.servers.NAME.args": "Its arguments",
    "mcp.servers.NAME.env": "Its environment; `${NAME}` is taken from that of this program",
    "mcp.servers.NAME.url": "Address of an MCP server, instead of a command",
    "mcp.servers.NAME.headers": "HTTP headers for it, `${NAME}` as in env",
    "mcp.clients.NAME.save": "What a connected agent saves: to review, by itself, or not at all",
    "keys.ACTION": "Keys of an action, separated by commas",
}

_CHOICES: dict[str, tuple[str, ...]] = {"ui.theme": ("dark", "light", "contrast")}
_RANGES: dict[str, tuple[float, float]] = {
    "agent.max_steps": (1, math.inf),
    "agent.tool_timeout_s": (0.001, math.inf),
    "agent.spend_limit": (0, math.inf),
    "memory.contents_tokens": (0, math.inf),
    "context.compact_at": (0, 1),
    "context.max_turns": (0, math.inf),
    "profiles.NAME.context_window": (1, math.inf),
    "profiles.NAME.temperature": (0, 2),
    "profiles.NAME.timeout_s": (0.001, math.inf),
    "profiles.NAME.price_in": (0, math.inf),
    "profiles.NAME.price_out": (0, math.inf),
}
SERVER_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""Of an MCP server. It begins the names of its tools, up to the first dot."""
_URLS = {"weather.geocoding_url", "weather.forecast_url", "profiles.NAME.base_url", "mcp.servers.NAME.url"}
_KEYS = {"profiles.NAME.api_key", "profiles.NAME.api_key_env"}
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""How a variable of the environment may be called. What is called otherwise may be a key in its place."""
_YES = {"true", "1", "yes", "on"}
_NO = {"false", "0", "no", "off"}


@dataclass(frozen=True, slots=True)
class Key:
    """One setting. `type` is bool, int, float, str, list (of text), dict (of text) or object (any table)."""

    key: str
    """`memory.mode`; a chosen name stands as NAME or ACTION: `profiles.NAME.model`."""
    type: type
    default: Any
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf

    @property
    def meaning(self) -> str:
        return MEANINGS[self.key]

    @property
    def allowed(self) -> str:
        """What may stand there, as the end of a sentence."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.key in _URLS:
            return "an address that begins with http:// or https://"
        if self.key == "profiles.NAME.api_key_env":
            return "the name of an environment variable"
        if self.key == "memory.embedder":
            return "auto, off, <profile>:<model>, or a folder with model.onnx and tokenizer.json"
        text = {
            bool: "true or false",
            int: "a whole number",
            float: "a number",
            list: "a list of texts",
            dict: "a table of texts",
            object: "a table",
        }.get(self.type, "a text")
        if self.high < math.inf:
            return f"{text} from {self.low:g} to {self.high:g}"
        if self.low > -math.inf:
            return f"{text}, at least {self.low:g}" if self.low != 0.001 else f"{text} above 0"
        return text


@functools.cache
def keys() -> dict[str, Key]:
    """All settings by key, in the order of the documentation."""
    found = [_of_field(table, f) for table, (_, cls) in TABLES.items() for f in _fields(cls)]
    found += [_of_field("profiles.NAME", f) for f in _fields(s.Profile) if f[0] != "name"]
    found += [
        Key("approvals.always", list, ()),
        Key("mcp.servers.NAME.command", str, None),
        Key("mcp.servers.NAME.args", list, ()),
        Key("mcp.servers.NAME.env", dict, {}),
        Key("mcp.servers.NAME.url", str, None),
        Key("mcp.servers.NAME.headers", dict, {}),
        Key("mcp.clients.NAME.save", str, "review", ("review", "auto", "off")),
        Key("keys.ACTION", list, None),
    ]
    return {k.key: k for k in found}


def find(key: str) -> Key | None:
    """The setting that a key as a person writes it means: `profiles.qwen.model` is `profiles.NAME.model`."""
    parts = key.split(".")
    if parts[0] == "profiles" and len(parts) > 2:
        key = f"profiles.NAME.{parts[-1]}"
    elif parts[0] == "mcp" and len(parts) > 3:
        key = f"mcp.{parts[1]}.NAME.{parts[-1]}"
    elif parts[0] == "keys" and len(parts) > 1:
        key = "keys.ACTION"
    return keys().get(key)


def nearest(name: str, names: typing.Iterable[str]) -> str:
    """`Did you mean mode?`, or what there is."""
    there = list(names)
    near = difflib.get_close_matches(name, there, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else "allowed: " + ", ".join(there)


def names_in(table: str) -> list[str]:
    """The names that may stand in a table: `memory` or `profiles.qwen`."""
    if table.startswith("profiles."):
        table = "profiles.NAME"
    elif table.startswith("mcp."):
        table = ".".join(table.split(".")[:2]) + ".NAME"
    return [k.rpartition(".")[2] for k in keys() if k.rpartition(".")[0] == table]


def from_text_or_usage(key: str, text: str) -> Any:
    """The value of a key that a person typed. Raises UsageError for an unknown key or a wrong value."""
    found = find(key)
    if found is None:
        table, _, name = key.rpartition(".")
        advice = nearest(name, names_in(table)) if names_in(table) else nearest(key, keys())
        raise UsageError(f"There is no setting {key!r}", advice[0].upper() + advice[1:])
    try:
        return from_text(found, text)
    except ValueError as e:
        raise UsageError(f"{key}: {e}") from None


def check(key: Key, value: Any) -> Any:
    """The value as the settings hold it. Raises ValueError with what is allowed."""
    if key.type is bool and isinstance(value, bool):
        return value
    if key.type is int and isinstance(value, int) and not isinstance(value, bool):
        return _in_range(key, value)
    if key.type is float and isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf:
        return _in_range(key, float(value))
    if key.type is str and isinstance(value, str):
        if key.choices and value not in key.choices:
            raise ValueError(_wrong(key, value))
        if (
            key.key == "memory.embedder"
            and value not in {"auto", "off"}
            and ":" not in value
            and not s.is_folder(value)
        ):
            raise ValueError(_wrong(key, value))
        begins = ("http://", "https://", *(["${"] if key.key == "mcp.servers.NAME.url" else []))
        if key.key in _URLS and not value.startswith(begins):
            raise ValueError(_wrong(key, value))
        if key.key == "profiles.NAME.api_key_env" and not VARIABLE.fullmatch(value):
            raise ValueError(_wrong(key, value))
        return value
    if key.type is list:
        if isinstance(value, str) and key.key == "keys.ACTION":
            value = [part.strip() for part in value.split(",") if part.strip()]
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return tuple(value)
    if key.type is dict and isinstance(value, dict) and all(isinstance(v, str) for v in value.values()):
        return dict(value)
    if key.type is object and isinstance(value, dict):
        return dict(value)
    raise ValueError(_wrong(key, value))


def from_text(key: Key, text: str) -> Any:
    """The value that a text means: an environment variable, an option. Raises ValueError with what is allowed."""
    plain = text.strip()
    if key.type is bool and plain.lower() in _YES | _NO:
        return plain.lower() in _YES
    if key.type in {int, float}:
        try:
            return check(key, key.type(plain))
        except (ValueError, OverflowError):
            raise ValueError(_wrong(key, text)) from None
    if key.type is list:
        return check(key, [part.strip() for part in plain.split(",") if part.strip()])
    if key.type is str and (key.choices or key.key in _URLS):
        return check(key, plain)
    return check(key, text)


def _in_range(key: Key, value: float) -> float:
    if not key.low <= value <= key.high:
        raise ValueError(_wrong(key, value))
    return value


def _wrong(key: Key, value: Any) -> str:
    match value:
        case str() if key.key in _KEYS:
            text = "what stands there"  # it may be a key itself
        case str():
            text = repr(shown(value) if key.key in _URLS else value)
        case bool():
            text = "true" if value else "false"
        case list() | dict():
            text = "a list" if isinstance(value, list) else "a table"
        case _:
            text = str(value)
    return f"{text if len(text) <= 60 else text[:59] + '…'} is not {key.allowed}"


def _fields(cls: type) -> list[tuple[str, Any, Any]]:
    """(name, type, default) of each field of a settings class."""
    hints = typing.get_type_hints(cls)
    return [
        (f.name, hints[f.name], f.default_factory() if callable(f.default_factory) else f.default)
        for f in dataclasses.fields(cls)
    ]


def _of_field(table: str, named: tuple[str, Any, Any]) -> Key:
    name, hint, default = named
    key = f"{table}.{name}"
    low, high = _RANGES.get(key, (-math.inf, math.inf))
    if get_origin(hint) in {types.UnionType, typing.Union}:
        hint = next(a for a in get_args(hint) if a is not type(None))
    choices = _CHOICES.get(key, ())
    if get_origin(hint) is Literal:
        choices, hint = get_args(hint), str
    if get_origin(hint) is tuple:
        hint = list
    if get_origin(hint) is dict:
        hint = dict if get_args(hint)[1] is str else object
    return Key(key, hint, default, choices, low, high)
