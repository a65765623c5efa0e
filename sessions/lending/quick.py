"""What `context` said last in a folder, for as long as nothing is different: other agents wait for it at their start.

Everything that the text is made of is asked for its time and size, nothing is read. Loads next to nothing.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from sessions.paths import HomePaths

_MADE_BY = (Path(__file__).with_name("context.py"), Path(__file__).parents[1] / "memory/contents.py")
"""Texts of another version are none of ours."""
_MOST = 100
"""Folders that are kept."""


class Said:
    """`local/context/`, a file a folder. It holds facts; erasing looks through it as through all that is local."""

    def __init__(self, paths: HomePaths, folder: Path, environ: Mapping[str, str]) -> None:
        self._paths = paths
        self._folder = Path(os.path.realpath(folder))
        self._environ = environ
        self._file = paths.local / "context" / f"{zlib.crc32(os.fsencode(self._folder)):08x}.txt"
        self._key = self._now()

    def get(self) -> str | None:
        """The text, if it would be the same now."""
        key = self._key + b"\0"
        try:
            known = self._file.read_bytes()
            return known[len(key) :].decode() if known.startswith(key) else None
        except (OSError, ValueError):
            return None

    def keep(self, text: str) -> None:
        """Keep the text that was made since this was asked, unless something changed meanwhile. Never raises."""
        from sessions.store.atomic import make_folder, write_atomic

        try:
            if not self._paths.local.is_dir() or self._now() != self._key:
                return
            make_folder(self._file.parent)
            others = [p for p in self._file.parent.iterdir() if p != self._file]
            if len(others) >= _MOST:
                min(others, key=lambda path: path.stat().st_mtime_ns).unlink()
            write_atomic(self._file, self._key + b"\0" + text.encode(), durable=False)
        except (OSError, ValueError):
            return

    def _now(self) -> bytes:
        """All that the text is made of, as it is now."""
        return os.fsencode("\n".join(self._parts()))

    def _parts(self) -> Iterator[str]:
        yield str(self._folder)
        yield from (f"{k}={v}" for k, v in sorted(self._environ.items()) if k.upper().startswith("MEMAGENT_"))
        root = next((p for p in (self._folder, *self._folder.parents) if (p / ".git").exists()), self._folder)
        for path in (*_MADE_BY, self._paths.config, root / ".git"):
            yield _stamp(path)
        for folder in (self._paths.user_facts, self._paths.proposed, *self._projects()):
            yield f"{folder}/"
            try:
                with os.scandir(folder) as entries:
                    yield from sorted(_stamp(entry) for entry in entries)
            except OSError as e:
                yield f"- {e.errno}"

    def _projects(self) -> list[Path]:
        try:
            return sorted(self._paths.projects.iterdir())
        except OSError:
            return []


def _stamp(path: Path | os.DirEntry[str]) -> str:
    try:
        status = path.stat()
    except OSError as e:
        return f"{path.name} - {e.errno}"
    return f"{path.name} {status.st_mtime_ns} {status.st_size} {status.st_ino} {status.st_mode}"
