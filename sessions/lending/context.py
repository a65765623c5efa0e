"""What another agent should know when it begins to work in a folder, for its hooks: read quickly, by what is needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from sessions.lending.parsed import Parsed
from sessions.lending.quick import Folders
from sessions.memory.contents import CHARS_PER_TOKEN, always_sent, contents, numbered_block
from sessions.memory.rules import USER
from sessions.paths import HomePaths

if TYPE_CHECKING:
    from sessions.memory.fact import Fact

_ENVIRONMENT = "MEMAGENT_MEMORY_"


class Context(NamedTuple):
    """Texts and a count; all empty while memory is off."""

    off: bool
    always_sent: str = ""
    contents: str = ""
    waiting: int = 0
    """Facts that wait for the person's review."""

    def text(self) -> str:
        """All of it, for an agent to read."""
        head = "Known facts, by number; memagent-tui facts show N tells more:"
        known = f"{head}\n{self.contents}" if self.contents else ""
        waiting = f"To review: {self.waiting:,}; the user decides with memagent-tui review" if self.waiting else ""
        return "\n".join(filter(None, (self.always_sent, known, waiting)))


def context(paths: HomePaths, folder: Path, environ: Mapping[str, str], folders: Folders | None = None) -> Context:
    """As a session in this folder is told, without the tools. Nothing is written but what makes the next call quick.

    `folders` may have been looked at already.
    """
    settings = settings_of(paths.config, environ)
    if settings.mode == "off":
        return Context(True)
    files = Parsed(paths, folders or Folders())
    rows = files.facts()
    # What is told of a fact, a row has, too.
    facts = cast("list[Fact]", rows) if rows is not None else _facts(paths)
    scopes = {USER}
    if any(fact.scope != USER for fact in facts):
        from sessions.memory.scopes import Scopes

        scopes.add(Scopes(paths).of(folder))
    lent = (fact for fact in facts if getattr(fact, "share", "any") != "local")
    seen = [fact for fact in lent if fact.active and fact.scope in scopes]
    waiting = files.waiting()
    files.keep()
    table = contents(seen, settings.contents_tokens * CHARS_PER_TOKEN)
    return Context(False, numbered_block(always_sent(seen, settings.inject)), table.text, waiting)


def _facts(paths: HomePaths) -> list[Fact]:
    """The facts in use, as everybody else sees them."""
    from sessions.memory.files import FactFiles
    from sessions.memory.view import facts_of

    files = FactFiles(paths)
    return facts_of(files.scan(*files.live_folders(), settled=True))


class Settings(NamedTuple):
    """What counts here of the settings of the memory."""

    mode: Literal["on", "read-only", "off"] = "on"
    inject: Literal["pinned", "all", "none"] = "pinned"
    contents_tokens: int = 1500


def settings_of(config: Path, environ: Mapping[str, str]) -> Settings:
    """As all the settings have them, which take longer to load: they are asked when something here looks wrong."""
    found: dict[str, Any] = Settings()._asdict()
    try:
        text = config.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        if "memory" in text:
            import tomllib

            raw = tomllib.loads(text).get("memory", {})
            found |= {key: raw[key] for key in found.keys() & raw.keys()}
    except FileNotFoundError:
        pass
    except (OSError, ValueError, AttributeError, RecursionError):
        return _all_settings(config, environ)
    for name, text in environ.items():
        if text and name.upper().startswith(_ENVIRONMENT):
            key = name[len(_ENVIRONMENT) :].lower()
            number = key == "contents_tokens" and text.isascii() and text.isdecimal() and len(text) < 10
            found[key] = int(text) if number else text
    tokens = found["contents_tokens"]
    right = (
        found["mode"] in ("on", "read-only", "off")
        and found["inject"] in ("pinned", "all", "none")
        and type(tokens) is int
        and tokens >= 0
    )
    if not right:
        return _all_settings(config, environ)
    return Settings(found["mode"], found["inject"], tokens)


def _all_settings(config: Path, environ: Mapping[str, str]) -> Settings:
    from sessions.settings_file import load

    memory = load(config, environ, {}).memory
    return Settings(memory.mode, memory.inject, memory.contents_tokens)
