"""What is known of an MCP server before it runs: its table in the settings, and the environment that it gets."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sessions.address import shown
from sessions.errors import UsageError
from sessions.messages import THIS_MACHINE
from sessions.providers.service import Service
from sessions.settings import Profile

_SHOWN = 6
"""Characters of a value from which on it may be a key."""
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_INHERITED = {
    *("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TZ", "TMPDIR"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"),
}
"""What a program needs to run at all. Keys and tokens have other names: they come by `env` only."""
_PROXIES = {"http_proxy", "https_proxy", "no_proxy", "all_proxy"}


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One `[mcp.servers.NAME]`: a program of this machine, or an address."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where what is sent to it goes: THIS_MACHINE or a host."""
        if not self.url:
            return THIS_MACHINE
        service = self.service
        return THIS_MACHINE if service.local else service.host

    @property
    def service(self) -> Service:
        """Its address, as it may be shown."""
        return Service(Profile(self.name, base_url=self.url), None)

    @property
    def shown(self) -> str:
        """What would run, all of it, or where it is; with the names of variables in the place of their values."""
        return shown(self.url) if self.url else shlex.join([self.command, *self.args])

    def expanded(self, environ: Mapping[str, str] = os.environ) -> ServerConfig:
        """The same with every `${NAME}` taken from the environment. Raises UsageError for one that is not set."""

        def of(text: str) -> str:
            return VARIABLE.sub(value, text)

        def value(found: re.Match[str]) -> str:
            known = environ.get(found[1], found[2])
            if known is None:
                raise UsageError(
                    f"${{{found[1]}}} is not set in the environment", "Set it, and start the program again"
                )
            return known

        return replace(
            self,
            command=of(self.command),
            args=tuple(map(of, self.args)),
            env={name: of(text) for name, text in self.env.items()},
            url=of(self.url),
            # A key that was read from a file often ends in a line break, which no header may hold.
            headers={name: of(text).strip() for name, text in self.headers.items()},
        )

    def hidden(self, environ: Mapping[str, str] = os.environ) -> list[str]:
        """What the environment gives that is not to be told: nobody knows which of it is a key."""
        given = [self.command, *self.args, *self.env.values(), self.url, *self.headers.values()]
        names = {found[1] for text in given for found in VARIABLE.finditer(text)}
        return sorted((v for name in names if len(v := environ.get(name, "").strip()) >= _SHOWN), key=len, reverse=True)

    def table(self) -> dict[str, Any]:
        """As it stands in the settings: what is set, and no more."""
        fields: dict[str, Any] = {"command": self.command, "args": list(self.args), "env": dict(self.env)}
        fields |= {"url": self.url, "headers": dict(self.headers)}
        return {key: value for key, value in fields.items() if value}


def of_settings(name: str, table: Mapping[str, Any]) -> ServerConfig:
    """The server of a table that was checked."""
    return ServerConfig(name, **{key: value for key, value in table.items() if key in ServerConfig.__slots__})


def environment_of(config: ServerConfig, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a server's program gets: the least that programs need, and what its table names."""
    kept = {name: text for name, text in environ.items() if _is_inherited(name, text)}
    return kept | dict(config.env)


def _is_inherited(name: str, text: str) -> bool:
    if name.lower() in _PROXIES:
        return "@" not in text  # else it holds a password
    return name in _INHERITED or name.startswith("LC_")


Keeps = Callable[[], bool]
"""Whether what a server writes may be kept in its log now."""
