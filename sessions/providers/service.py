"""Where a profile's requests go, as it may be shown: the address without secrets, the host, what to start there."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from sessions.address import shown
from sessions.messages import THIS_MACHINE
from sessions.providers.known import SERVERS
from sessions.providers.limits import ERROR_TEXT
from sessions.settings import Profile

OPENAI_HOST = "api.openai.com"
NO_KEY = "none"
"""Sent as the key to services that need none; the openai package wants one."""
_START = {
    11434: "Start Ollama (ollama serve)",
    1234: "Start the server in LM Studio",
    8080: "Start llama-server",
    8000: "Start vLLM (vllm serve)",
}
LOCAL_PORTS = tuple(server.port for server in SERVERS)
"""Where model servers on this machine are looked for, in the order of the table."""
_PLAIN = {"base_url": "the address", "model": "the model", "context_window": "the window", "timeout_s": "the patience"}
"""Settings of a profile in words."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Service:
    """One profile's service. Secrets are known here so that they can be taken out of everything that is shown."""

    profile: Profile
    key: str | None
    tried: bool = False
    """Its profile does not stand in the settings yet."""

    @property
    def host(self) -> str:
        return self._parts().hostname or shown(self.profile.base_url)

    @property
    def url(self) -> str:
        """The address without user, password and query."""
        parts = self._parts()
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        try:
            port = f":{parts.port}" if parts.port else ""
        except ValueError:
            port = ""
        return f"{parts.scheme}://{host}{port}{parts.path}".rstrip("/") if host else shown(self.profile.base_url)

    @property
    def door(self) -> str:
        """The same for all ways to write the address of one service: `localhost` and `127.0.0.1` are one."""
        parts = self._parts()
        host = "localhost" if self.local else self.host.lower()
        return f"{parts.scheme.lower()}://{host}{self.url.partition('://')[2].removeprefix(parts.hostname or '')}"

    @property
    def valid(self) -> bool:
        """Whether the address is one that can be asked at all."""
        parts = self._parts()
        try:
            port = parts.port
        except ValueError:
            return False
        host = parts.hostname or ""
        return parts.scheme in {"http", "https"} and bool(host) and not _SPACE.search(host) and port != 0

    @property
    def local(self) -> bool:
        """Whether words stay on this machine."""
        host = self.host.rstrip(".").lower()
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            address = ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            return False
        return address.is_loopback or address.is_unspecified

    def listens(self, limit_s: float) -> bool:
        """Whether anything takes a connection at the address within `limit_s` seconds. A proxy is not asked."""
        parts = self._parts()
        try:
            port = parts.port or (443 if parts.scheme == "https" else 80)
            socket.create_connection((self.host, port), limit_s).close()
        except (OSError, ValueError):
            return False
        return True

    @property
    def place(self) -> str:
        return THIS_MACHINE if self.local else self.host

    @property
    def start(self) -> str:
        """What a person does when nothing answers there."""
        try:
            port = self._parts().port
        except ValueError:
            port = None
        begin = _START.get(port or 0, "Start the model server there") if self.local else "Check that the server runs"
        return f"{begin}, or correct {self.setting('base_url')}"

    def setting(self, *keys: str) -> str:
        """What a person changes, as an error names it: `base_url of [profiles.qwen]`, or `the address` of a profile
        that does not stand in the settings yet.
        """
        if self.tried:
            keys = tuple(_PLAIN.get(key, key) for key in keys)
        named = " and ".join(part for part in (", ".join(keys[:-1]), keys[-1]) if part)
        return named if self.tried else f"{named} of [profiles.{self.profile.name}]"

    def redact(self, text: str) -> str:
        """A service's words in one line of at most 300 characters, without the key and the values of headers."""
        parts = self._parts()
        secrets = [self.key, parts.password, parts.query, *self.profile.headers.values()]
        for secret in secrets:
            if secret and secret != NO_KEY and len(secret) >= 4:
                text = text.replace(secret, "…")
        text = _SPACE.sub(" ", text[:ERROR_TEXT]).strip().rstrip(".")
        return text if len(text) <= 300 else text[:299] + "…"

    def _parts(self) -> SplitResult:
        try:
            return urlsplit(self.profile.base_url)
        except ValueError:
            return urlsplit("")


def local_ports(env: Mapping[str, str] = os.environ) -> tuple[int, ...]:
    """`LOCAL_PORTS`, or what `MEMAGENT_LOCAL_PORTS` says in their place, with commas; nothing = none are looked for."""
    told = env.get("MEMAGENT_LOCAL_PORTS")
    if told is None:
        return LOCAL_PORTS
    ports = (part.strip() for part in told.split(","))
    return tuple(int(port) for port in ports if port.isascii() and port.isdecimal() and 0 < int(port) < 65536)


def key_variable(profile: Profile) -> str | None:
    """Name of the variable that holds the profile's key; None when it needs no key, or has it in the keyring."""
    if profile.api_key_env:
        return profile.api_key_env
    if profile.api_key == "keyring":
        return None
    return "OPENAI_API_KEY" if Service(profile, None).host == OPENAI_HOST else None
