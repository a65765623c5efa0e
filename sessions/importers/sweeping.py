"""What a kill left beside the sessions: halves of `meta.json`, which is written anew whenever it is missing."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

from sessions.paths import HomePaths
from sessions.store.atomic import runs

_LEFT = re.compile(r"\..+\.meta\.json\.(\d+)-[0-9a-f]+\.tmp")
_WRITTEN_S = 2.0
"""Such a small file is written at once; another machine may share the folder, whose processes are not known here."""
_OLD_S = 3_600.0


def sweep(paths: HomePaths) -> None:
    """Take away those that nobody writes any more. Never raises OSError."""
    with suppress(OSError), os.scandir(paths.sessions) as entries:
        now = time.time()
        for entry in entries:
            found = _LEFT.fullmatch(entry.name)
            if found is None:
                continue
            with suppress(OSError):
                age = now - entry.stat(follow_symlinks=False).st_mtime
                if age > _OLD_S or (age > _WRITTEN_S and not runs(int(found[1]))):
                    Path(entry.path).unlink()
