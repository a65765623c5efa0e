"""Vectors of sentences from an OpenAI-compatible service: one of a profile, or a server found on this machine."""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.errors import ProviderError, UsageError
from sessions.numbers import whole
from sessions.providers.chat_errors import error_text, redirect
from sessions.providers.keys import key_of
from sessions.providers.limits import ANSWER, ERROR_BODY, mega
from sessions.providers.refusal import body_of
from sessions.providers.service import Service, local_ports
from sessions.settings import Profile, Settings, is_folder

if TYPE_CHECKING:
    import httpx2

    from sessions.providers.local_model import FolderEmbedder

_EMBEDS = re.compile(r"embed|minilm|\bbge|\be5[-_]|\bgte[-_]|arctic|nomic|mxbai|jina", re.IGNORECASE)
"""Names of models that give vectors."""
_PROBE_S = 0.6
_LOCAL_S = 20.0
_REMOTE_S = 30.0
_AGAIN_S = 30.0
"""After which a server that was not there is looked for again."""
_LISTED = 4_000_000
"""Bytes of a list of models."""
_CHARACTERS = 2_000
"""Of one sentence."""


class Embedder:
    """One model at one service. Thread-safe."""

    def __init__(self, profile: Profile, key: str | None, *, is_worker: bool = False) -> None:
        """`is_worker`: `memory.worker` names the profile for all that is done in the background."""
        self._profile = profile
        self._is_worker = is_worker
        self._service = Service(profile, key)
        self._client: httpx2.Client | None = None
        self._guard = threading.Lock()

    @property
    def name(self) -> str:
        """Model and address: what decides whether two vectors can be compared."""
        return f"{self._profile.model} at {self._service.url}"

    @property
    def label(self) -> str:
        return f"{self._profile.model} · {self._service.place}"

    @property
    def local(self) -> bool:
        return self._service.local

    @property
    def trusted(self) -> bool:
        return self.local or self._is_worker

    def embed(self, texts: Sequence[str], *, limit_s: float | None = None) -> list[Sequence[float]]:
        """One vector a text, in order. Raises ProviderError, also when it takes longer than `limit_s`."""
        if not texts:
            return []
        body = {"model": self._profile.model, "input": [t[:_CHARACTERS] or " " for t in texts]}
        limit = limit_s or (_LOCAL_S if self.local else _REMOTE_S)
        try:
            with self._get().stream("POST", f"{self._service.url}/embeddings", json=body, timeout=limit) as response:
                status, headers = response.status_code, response.headers
                data = _read(response, limit, ANSWER if status == 200 else ERROR_BODY)
        except Exception as e:
            raise ProviderError(f"{self._service.url} cannot be reached: {_why(e)}", self._service.start) from None
        if 300 <= status < 400 and "location" in headers:
            raise redirect(self._service, status, headers["location"])
        if status != 200:
            told = self._service.redact(error_text(body_of(data)))
            raise ProviderError(f"{self._service.host} gave no vectors: {status} {told}".strip())
        if len(data) > ANSWER:
            raise ProviderError(f"{self._service.host} sent more than {mega(ANSWER)} instead of {len(texts)} vectors")
        try:
            return _vectors(json.loads(data), len(texts))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            raise ProviderError(f"{self._service.host} did not answer with {len(texts)} vectors") from None

    def close(self) -> None:
        with self._guard:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _get(self) -> httpx2.Client:
        import httpx2

        with self._guard:
            if self._client is None:
                headers = dict(self._profile.headers)
                if self._service.key:
                    headers["Authorization"] = f"Bearer {self._service.key}"
                # A proxy of the environment cannot reach what runs on this machine.
                self._client = httpx2.Client(headers=headers, trust_env=not self.local)
            return self._client


class Choice:
    """The embedder that the settings mean. Asked on any thread; looking for a server takes a moment at most."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._found: Embedder | FolderEmbedder | None = None
        self._looked = -_AGAIN_S
        self._guard = threading.Lock()

    def get(self) -> Embedder | FolderEmbedder | None:
        """None when there is none, or it is switched off. Raises UsageError for a profile that is not there."""
        wanted = self.settings.memory.embedder
        if wanted == "off":
            return None
        with self._guard:
            if self._found is None and time.monotonic() - self._looked >= _AGAIN_S:
                self._looked = time.monotonic()
                self._found = on_this_machine(self.settings) if wanted == "auto" else named(self.settings, wanted)
            return self._found

    def close(self) -> None:
        with self._guard:
            found, self._found = self._found, None
            self._looked = -_AGAIN_S
        if found is not None:
            found.close()


def named(settings: Settings, wanted: str) -> Embedder | FolderEmbedder:
    """The embedder of `<profile>:<model>`, or the one in a folder. Raises UsageError."""
    if is_folder(wanted):
        from sessions.providers.local_model import FolderEmbedder

        return FolderEmbedder(Path(wanted))
    name, _, model = wanted.partition(":")
    profile = settings.profiles.get(name)
    if profile is None:
        advice = "It is auto, off, <profile>:<model> or a folder"
        raise UsageError(f"memory.embedder: there is no profile {name!r}", advice)
    is_worker = settings.memory.worker == name
    return Embedder(replace(profile, model=model), key_of(profile), is_worker=is_worker)


def on_this_machine(settings: Settings) -> Embedder | None:
    """An embedding model on a server on this machine: of a local profile, or at the address of a known server."""
    for profile in _local(settings):
        try:
            model = _embedding_model(profile)
            if model:
                return Embedder(replace(profile, model=model), key_of(profile))
        except ProviderError:  # a keyring that cannot be used; a turn says so
            continue
    return None


def _local(settings: Settings) -> Iterator[Profile]:
    seen = set()
    for profile in settings.profiles.values():
        service = Service(profile, None)
        if profile.type == "openai" and service.valid and service.local:
            seen.add(service.url)
            yield profile
    if settings.agent.discover:
        for port in local_ports():
            url = f"http://127.0.0.1:{port}/v1"
            if url not in seen:
                yield Profile("local", base_url=url)


def _embedding_model(profile: Profile) -> str:
    """The first model of the server that gives vectors; empty when there is no server or no such model."""
    service = Service(profile, key_of(profile))
    if not service.listens(_PROBE_S):
        return ""
    import httpx2  # where nothing listens, it is never needed

    headers = dict(profile.headers) | ({"Authorization": f"Bearer {service.key}"} if service.key else {})
    try:
        url = f"{service.url}/models"
        with httpx2.stream("GET", url, timeout=_PROBE_S, trust_env=False, headers=headers) as response:
            listed = json.loads(_read(response, _PROBE_S, _LISTED))["data"] if response.status_code == 200 else []
        return next((str(m["id"]) for m in listed if _EMBEDS.search(str(m["id"]))), "")
    except Exception:  # whatever listens there, it is no model server
        return ""


def _read(response: httpx2.Response, limit_s: float, most: int) -> bytes:
    """The body, or a little more than `most` bytes of it. Raises TimeoutError after `limit_s` seconds."""
    end, body = time.monotonic() + limit_s, bytearray()
    for part in response.iter_bytes():
        body += part
        if len(body) > most:
            break
        if time.monotonic() > end:
            raise TimeoutError(f"nothing whole came within {limit_s:g} s")
    return bytes(body)


def _vectors(answer: Any, count: int) -> list[Sequence[float]]:
    rows = sorted(answer["data"], key=lambda row: whole(row.get("index")) or 0)
    vectors: list[Sequence[float]] = [[float(x) for x in row["embedding"]] for row in rows]
    if len(vectors) != count or not vectors[0] or len({len(v) for v in vectors}) != 1:
        raise ValueError("not one vector of one size for each text")
    if not all(math.isfinite(x) for vector in vectors for x in vector):
        raise ValueError("a vector of numbers that are none")
    return vectors


def _why(error: Exception) -> str:
    return str(error).strip().rstrip(".") or type(error).__name__
