"""The name of this machine's copy of a home: no two machines write one file in a folder that is synced."""

from __future__ import annotations

import re
import secrets
import socket

from sessions.paths import HomePaths
from sessions.store.atomic import make_folder, write_atomic


def machine(paths: HomePaths) -> str:
    """Made when it is first asked for, and kept in `local/`. Raises OSError when it cannot be written."""
    file = paths.local / "machine"
    try:
        name = file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        name = ""
    if not re.fullmatch(r"[a-z0-9-]{1,64}", name):
        host = re.sub(r"[^a-z0-9]+", "-", socket.gethostname().lower()).strip("-")[:40] or "machine"
        name = f"{host}-{secrets.token_hex(3)}"
        make_folder(file.parent)
        write_atomic(file, name.encode())
    return name
