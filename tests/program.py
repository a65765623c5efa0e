"""The installed program, as tests start it: its path and an environment that holds nothing of this user's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PROGRAM = os.environ.get("MEMAGENT_PROGRAM") or str(Path(sys.executable).parent / "memagent-tui")
_KEPT = ("PATH", "LD_LIBRARY_PATH", "SSL_CERT_FILE")


def environment(home: Path, **more: str) -> dict[str, str]:
    """A clean environment whose home folder and memagent home lie under `home`."""
    kept = {k: v for k in _KEPT if (v := os.environ.get(k))}
    return {
        **kept,
        "HOME": str(home.parent),
        "MEMAGENT_HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "TZ": "UTC",
        "MEMAGENT_LOCAL_PORTS": "",
        **more,
    }
