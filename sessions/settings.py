"""The settings as values. All are optional; `settings_file` reads and changes the file they come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

MemoryMode: TypeAlias = Literal["on", "read-only", "off"]

GUIDE = "guide"


@dataclass(frozen=True, slots=True)
class Profile:
    """A named provider, model and limits."""

    name: str
    type: Literal["openai", "guide"] = "openai"
    base_url: str = "https://api.openai.com/v1"
    model: str = ""
    api_key_env: str | None = None
    """Name of the environment variable that holds the key."""
    api_key: Literal["keyring"] | None = None
    context_window: int | None = None
    """Tokens; None = what the provider tells, else 128,000."""
    temperature: float | None = None
    reasoning_effort: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    extra_body: dict[str, Any] = field(default_factory=dict)
    timeout_s: float = 120.0
    """Longest silence of the service."""
    price_in: float | None = None
    """USD per million tokens."""
    price_out: float | None = None


@dataclass(frozen=True, slots=True)
class AgentSettings:
    profile: str | None = None
    max_steps: int = 16
    tool_timeout_s: float = 60.0
    system_prompt: str | None = None
    start: Literal["new", "resume"] = "new"
    spend_limit: float | None = None
    """USD a day."""
    discover: bool = True


@dataclass(frozen=True, slots=True)
class MemorySettings:
    mode: MemoryMode = "on"
    distill: Literal["review", "auto", "off"] = "review"
    inject: Literal["pinned", "all", "none"] = "pinned"
    contents_tokens: int = 1500
    embedder: str = "auto"
    worker: str | None = None


def is_folder(embedder: str) -> bool:
    """Whether `memory.embedder` names a folder that holds a model."""
    return embedder.startswith(("/", "~", "."))


@dataclass(frozen=True, slots=True)
class HistorySettings:
    recap: Literal["manual", "leave"] = "manual"
    share: Literal["any", "local"] | None = None


@dataclass(frozen=True, slots=True)
class ImportSettings:
    follow: bool | None = None
    folders: tuple[str, ...] = ()
    keep: bool = True


@dataclass(frozen=True, slots=True)
class ContextSettings:
    compact_at: float = 0.82
    max_turns: int = 0


@dataclass(frozen=True, slots=True)
class WeatherSettings:
    geocoding_url: str = "https://geocoding-api.open-meteo.com"
    forecast_url: str = "https://api.open-meteo.com"


@dataclass(frozen=True, slots=True)
class ToolSettings:
    off: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    """Whose files may be read, with all below them."""
    folders_here: tuple[str, ...] = ()
    """Those of which only models on this machine may."""


@dataclass(frozen=True, slots=True)
class UiSettings:
    theme: str = "dark"
    """dark, light or contrast."""
    tool_detail: Literal["line", "full"] = "line"
    notify: bool = True
    animations: bool = True
    ascii: bool = False
    watch: Literal["auto", "poll"] = "auto"


@dataclass(frozen=True, slots=True)
class Problem:
    """A wrong key or value; the rest of the settings works."""

    key: str
    """`memory.mode`, or the name of the environment variable."""
    text: str
    line: int | None = None

    def __str__(self) -> str:
        return f"{self.key}{f', line {self.line}' if self.line else ''}: {self.text}"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the file, the environment and the options together say."""

    agent: AgentSettings = AgentSettings()
    profiles: dict[str, Profile] = field(default_factory=dict)
    memory: MemorySettings = MemorySettings()
    history: HistorySettings = HistorySettings()
    imports: ImportSettings = ImportSettings()
    context: ContextSettings = ContextSettings()
    weather: WeatherSettings = WeatherSettings()
    tools: ToolSettings = ToolSettings()
    approvals: tuple[str, ...] = ()
    mcp_servers: dict[str, dict[str, Any]] = field(default_factory=dict)
    mcp_clients: dict[str, dict[str, Any]] = field(default_factory=dict)
    ui: UiSettings = UiSettings()
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Action name -> keys."""
    problems: tuple[Problem, ...] = ()
    path: Path | None = None

    def profile(self, name: str | None = None) -> Profile:
        """The named profile, else the chosen one, else the guide. Raises KeyError for an unknown name."""
        name = name or self.agent.profile or GUIDE
        if name in self.profiles:
            return self.profiles[name]
        if name == GUIDE:
            return Profile(GUIDE, type="guide", model=GUIDE)
        raise KeyError(name)
