"""Reads the settings from the config file, the environment and the options, and changes the file.

Nothing that stands in the file or the environment stops a start: a wrong key or value becomes a `Problem` that names
the key, its line and what is allowed, and everything else works. An option that is wrong is a `UsageError`.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sessions import address
from sessions import settings_schema as schema
from sessions.errors import UsageError
from sessions.settings import GUIDE, Problem, Profile, Settings, is_folder
from sessions.settings_lines import line_of

PREFIX = "MEMAGENT_"
_AT_LINE = re.compile(r"\(at line (\d+), column \d+\)")


def load(path: Path, env: Mapping[str, str], overrides: Mapping[str, str] | None = None) -> Settings:
    """The settings that file, environment and options say together, the later beating the earlier.

    `overrides` maps keys as in `memory.mode` to text. Raises UsageError for a wrong override and for nothing else; a
    file that cannot be read or is not TOML gives a problem and the defaults.
    """
    problems: list[Problem] = []
    raw, source = _read(path, problems)
    values = _Values(source, problems)
    for table, content in raw.items():
        values.table(table, content)
    _environment(env, values)
    for key, text in (overrides or {}).items():
        values.override(key, text)
    return values.settings(path)


def set_value(path: Path, key: str, text: str) -> None:
    """Change one key of the file, `memory.mode` or `profiles.qwen.model`; comments and order stay.

    Raises UsageError for a key, a value or a profile that does not exist, StoreError for a file that is not TOML.
    """
    from sessions import settings_edit

    value = schema.from_text_or_usage(key, text)
    name = _profile_named(key, value)
    if name and name not in (known := load(path, {}).profiles) and name != GUIDE:
        advice = f"{_capital(_there(known))}. One is made with config set profiles.NAME.base_url URL"
        raise UsageError(f"There is no profile {name!r}", advice)
    settings_edit.change(path, key, value)


def _there(profiles: Iterable[str]) -> str:
    """What can be chosen: `there are: guide, local`."""
    names = sorted({*profiles, GUIDE})
    return f"there are: {', '.join(names)}" if len(names) > 1 else f"there is only {names[0]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _profile_named(key: str, value: Any) -> str:
    """The profile that a setting names; empty for none."""
    if key in {"agent.profile", "memory.worker"}:
        return str(value)
    if key == "memory.embedder" and ":" in value and not is_folder(value):
        return str(value).partition(":")[0]
    return ""


def unset(path: Path, key: str) -> None:
    """Take a key out of the file, so that its default holds again. A key that is not there is no error."""
    from sessions import settings_edit

    settings_edit.remove(path, key)


def save_profile(path: Path, profile: Profile, *, default: bool = False) -> None:
    """Write a profile's table, only what differs from the defaults; `default` makes it the one that answers."""
    from sessions import settings_edit

    settings_edit.profile(path, profile)
    if default:
        settings_edit.change(path, "agent.profile", profile.name)


def reference() -> list[tuple[str, Any, str]]:
    """(key, default, meaning with what is allowed) of every setting, for the documentation and `config show`."""
    return [(k.key, k.default, f"{k.meaning} ({k.allowed})") for k in schema.keys().values()]


def shown(settings: Settings) -> dict[str, Any]:
    """The settings in force as the file would spell them, for `config show`: addresses without passwords and keys, and
    no text of headers and of what is added to requests."""
    out: dict[str, Any] = {}
    for table, (attribute, _) in schema.TABLES.items():
        for name, value in dataclasses.asdict(getattr(settings, attribute)).items():
            out[f"{table}.{name}"] = value
    for profile in settings.profiles.values():
        for name, value in dataclasses.asdict(profile).items():
            if name != "name":
                out[f"profiles.{profile.name}.{name}"] = value
    out["approvals.always"] = settings.approvals
    out = {key: _shown(key, value) for key, value in out.items()}
    for server in settings.mcp_servers:
        out[f"mcp.servers.{server}"] = "…"
    out |= {f"mcp.clients.{name}.{k}": v for name, client in settings.mcp_clients.items() for k, v in client.items()}
    out |= {f"keys.{action}": bound for action, bound in settings.keys.items()}
    return out


def _shown(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return address.without_texts(value)
    return address.shown(value) if isinstance(value, str) and key.endswith("_url") else value


def _read(path: Path, problems: list[Problem]) -> tuple[dict[str, Any], str]:
    try:
        source = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}, ""
    except OSError as e:
        problems.append(Problem(str(path), f"cannot be read: {e.strerror or e}; the defaults hold"))
        return {}, ""
    except UnicodeDecodeError as e:
        line = e.object.count(b"\n", 0, e.start) + 1
        problems.append(Problem(str(path), "is not UTF-8; the defaults hold", line))
        return {}, ""
    try:
        # tomllib wants its lines ended by \n; an editor may have written \r\n.
        return tomllib.loads(source.replace("\r\n", "\n")), source
    except (tomllib.TOMLDecodeError, RecursionError) as e:
        line, text = toml_error(e, source)
        problems.append(Problem(str(path), f"is not TOML: {text}; the defaults hold", line))
        return {}, ""


def toml_error(error: Exception, source: str) -> tuple[int, str]:
    """(line, what is wrong) of an error that tomllib raised."""
    text = str(error)
    found = _AT_LINE.search(text)
    line = int(found[1]) if found else source.rstrip().count("\n") + 1
    return line, _AT_LINE.sub("", text).replace("(at end of document)", "at its end").strip() or "nested too deep"


def _environment(env: Mapping[str, str], values: _Values) -> None:
    """Take `MEMAGENT_MEMORY_MODE` and its like; an unknown name under a known table is a problem."""
    for name, text in env.items():
        table, _, rest = name.removeprefix(PREFIX).lower().partition("_")
        if not name.startswith(PREFIX) or table not in schema.FROM_ENVIRONMENT or not rest or not text:
            continue
        values.text(f"{table}.{rest}", text, name)
    if env.get(PREFIX + "PROFILE"):
        values.text("agent.profile", env[PREFIX + "PROFILE"], PREFIX + "PROFILE")


class _Values:
    """Collects checked values by key and what was wrong with the others."""

    def __init__(self, source: str, problems: list[Problem]) -> None:
        self._source = source
        self._problems = problems
        self._values: dict[str, Any] = {}
        self._named: dict[str, dict[str, dict[str, Any]]] = {"profiles": {}, "mcp.servers": {}, "mcp.clients": {}}
        self._keys: dict[str, tuple[str, ...]] = {}
        self._from: dict[str, str] = {}
        """The environment variable that a key is from."""

    def table(self, name: str, content: Any) -> None:
        """Take one top-level table of the file."""
        if name not in schema.TABLES and name not in schema.OTHER_TABLES:
            self._problem(name, "unknown; " + schema.nearest(name, [*schema.TABLES, *schema.OTHER_TABLES]))
        elif not isinstance(content, dict):
            self._problem(name, f"must be a table: [{name}]")
        elif name == "profiles":
            self._names("profiles", content)
        elif name == "mcp":
            for key, named in content.items():
                if key not in {"servers", "clients"}:
                    self._problem(f"mcp.{key}", "unknown; " + schema.nearest(key, ["servers", "clients"]))
                elif not isinstance(named, dict):
                    self._problem(f"mcp.{key}", f"must be tables: [mcp.{key}.NAME]")
                else:
                    self._names(f"mcp.{key}", named)
        else:
            for key, value in content.items():
                self._take(f"{name}.{key}", value, self._keys if name == "keys" else self._values)

    def text(self, key: str, text: str, name: str) -> None:
        """Take the text of an environment variable."""
        found = schema.find(key)
        table = key.partition(".")[0]
        if found is None:
            known = [PREFIX + k.upper().replace(".", "_") for k in schema.keys() if k.partition(".")[0] == table]
            self._problems.append(Problem(name, "unknown; " + schema.nearest(name, known)))
            return
        try:
            self._values[key] = schema.from_text(found, text)
        except ValueError as e:
            self._problems.append(Problem(name, str(e)))
            return
        self._from[key] = name

    def override(self, key: str, text: str) -> None:
        """Take an option. Raises UsageError."""
        value = schema.from_text_or_usage(key, text)
        parts = key.split(".")
        if parts[0] == "keys":
            self._keys[key] = value
        elif parts[0] in {"profiles", "mcp"}:
            group, name = (parts[0], parts[1:-1]) if parts[0] == "profiles" else (".".join(parts[:2]), parts[2:-1])
            self._named[group].setdefault(".".join(name), {})[parts[-1]] = value
        else:
            self._values[key] = value
        if key == "agent.profile":
            if value not in {*self._named["profiles"], GUIDE}:
                raise UsageError(f"There is no profile {value!r}", _capital(_there(self._named["profiles"])))

    def settings(self, path: Path) -> Settings:
        """All of it as settings."""
        profiles = {name: Profile(name, **fields) for name, fields in self._named["profiles"].items()}
        for name, profile in profiles.items():
            if profile.type == GUIDE:
                profiles[name] = dataclasses.replace(profile, model=profile.model or GUIDE)
        chosen = self._values.get("agent.profile")
        if chosen is not None and chosen not in profiles and chosen != GUIDE:
            where = self._from.get("agent.profile", "agent.profile")
            self._problem(where, f"there is no profile {chosen!r}; {_there(profiles)}")
            del self._values["agent.profile"]
        for key in ("memory.worker", "memory.embedder"):
            named = _profile_named(key, self._values.get(key) or "")
            if named and named not in profiles and named != GUIDE:
                self._problem(self._from.get(key, key), f"there is no profile {named!r}; {_there(profiles)}")
        made: dict[str, Any] = {}
        for table, (attribute, cls) in schema.TABLES.items():
            made[attribute] = cls(
                **{k.partition(".")[2]: v for k, v in self._values.items() if k.startswith(table + ".")}
            )
        return Settings(
            **made,
            profiles=profiles,
            approvals=self._values.get("approvals.always", ()),
            mcp_servers=self._named["mcp.servers"],
            mcp_clients=self._named["mcp.clients"],
            keys={k.partition(".")[2]: v for k, v in self._keys.items()},
            problems=tuple(self._problems),
            path=path,
        )

    def _names(self, group: str, content: dict[str, Any]) -> None:
        for name, fields in content.items():
            where = f"{group}.{name}"
            if not isinstance(fields, dict):
                self._problem(where, f"must be a table: [{where}]")
                continue
            taken: dict[str, Any] = {}
            for key, value in fields.items():
                self._take(f"{where}.{key}", value, taken)
            known = {k.rpartition(".")[2]: v for k, v in taken.items()}
            if group == "mcp.servers" and not self._may_start(where, name, fields, known):
                continue
            self._named[group][name] = known
            if group == "profiles" and any(_meant_address(k, v) for k, v in fields.items() if k not in known):
                # Words meant for another service must not go to the default one.
                known.setdefault("base_url", "")

    def _may_start(self, where: str, name: str, fields: dict[str, Any], known: dict[str, Any]) -> bool:
        """Whether a server's table is one to go by: a half of it must start no other program than was meant."""
        ways = [key for key in ("command", "url") if known.get(key)]
        if not schema.SERVER_NAME.fullmatch(name):
            self._problem(where, "is not a name of letters, digits, - and _, at most 40")
        elif len(ways) == 2:
            self._problem(where, "has both command and url: a server is a program or an address")
        elif not ways and not any(key in fields and key not in known for key in ("command", "url")):
            self._problem(where, "has neither command nor url")
        else:
            return bool(ways) and all(key in known for key in fields if schema.find(f"{where}.{key}"))
        return False

    def _take(self, key: str, value: Any, into: dict[str, Any]) -> None:
        found = schema.find(key)
        if found is None:
            parent, _, name = key.rpartition(".")
            self._problem(key, "unknown; " + schema.nearest(name, schema.names_in(parent)))
            return
        try:
            into[key] = schema.check(found, value)
        except ValueError as e:
            self._problem(key, str(e))

    def _problem(self, key: str, text: str) -> None:
        self._problems.append(Problem(key, text, line_of(self._source, key)))


def _meant_address(key: str, value: Any) -> bool:
    """Whether a key of a profile that was not understood was to say where its words go."""
    return key == "type" or "url" in key.lower() or (isinstance(value, str) and "://" in value)
