"""When which other agent called last, for `doctor`."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from sessions.clock import Clock, iso, parse_iso
from sessions.paths import HomePaths
from sessions.store.atomic import make_folder, write_atomic
from sessions.store.locks import FileLock

_REST_S = 5.0
"""Calls that follow so soon are not noted each."""
_MOST = 50


class Calls:
    """`local/clients.json`: client -> when, and in which folder. Rebuilt by use; nothing depends on it."""

    def __init__(self, paths: HomePaths, clock: Clock) -> None:
        self._paths = paths
        self._clock = clock
        self._file = paths.local / "clients.json"

    def last(self) -> dict[str, dict[str, str]]:
        """`{client: {"at": ISO time, "folder": path}}`, the newest last."""
        try:
            raw = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        if not isinstance(raw, dict):
            return {}
        kept = {k: _strings(v) for k, v in raw.items() if isinstance(v, dict)}
        return dict(sorted(kept.items(), key=lambda pair: pair[1].get("at", "")))

    def note(self, client: str, folder: Path | None) -> None:
        """It calls now. Never raises."""
        now = self._clock.now()
        with suppress(Exception):
            before = parse_iso(self.last().get(client, {}).get("at", ""))
            if before is not None and 0 <= (now - before).total_seconds() < _REST_S:
                return
            make_folder(self._paths.local)
            with FileLock(self._paths.locks / "clients.lock", wait_s=0.2):
                known = self.last()
                known.pop(client, None)
                known[client] = {"at": iso(now), "folder": str(folder or "")}
                kept = dict([*known.items()][-_MOST:])
                write_atomic(self._file, json.dumps(kept, ensure_ascii=False).encode(errors="replace"), durable=False)


def _strings(raw: dict[str, Any]) -> dict[str, str]:
    return {str(k): str(v) for k, v in raw.items()}
