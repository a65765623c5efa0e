"""Where everything lives under one home folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sessions.errors import UsageError

APP = "memagent"
_LEFT_OUT = "# What this machine can make again is not shared between machines.\nlocal/\n"


class HomePaths(NamedTuple):
    """The files of a home. Nothing is created by asking for a path."""

    root: Path
    config: Path

    @property
    def sessions(self) -> Path:
        return self.root / "sessions"

    @property
    def trash(self) -> Path:
        return self.root / "sessions" / "trash"

    @property
    def memory(self) -> Path:
        return self.root / "memory"

    @property
    def user_facts(self) -> Path:
        return self.root / "memory" / "user"

    @property
    def projects(self) -> Path:
        return self.root / "memory" / "projects"

    @property
    def proposed(self) -> Path:
        return self.root / "memory" / "proposed"

    @property
    def archive(self) -> Path:
        return self.root / "memory" / "archive"

    @property
    def memory_md(self) -> Path:
        return self.root / "memory" / "MEMORY.md"

    @property
    def journal(self) -> Path:
        """The folder of the journals, one file a machine."""
        return self.root / "memory" / "journal"

    @property
    def imports(self) -> Path:
        """The folder of the ledgers, one file a machine: what was taken over from other agents."""
        return self.root / "imports"

    @property
    def local(self) -> Path:
        return self.root / "local"

    @property
    def locks(self) -> Path:
        return self.root / "local" / "locks"

    @property
    def log_file(self) -> Path:
        """Where tracebacks go."""
        return self.root / "local" / "memagent.log"

    def session_log(self, session: str) -> Path:
        return self.sessions / f"{session}.jsonl"

    def session_meta(self, session: str) -> Path:
        return self.sessions / f"{session}.meta.json"

    def session_files(self, session: str) -> Path:
        return self.sessions / f"{session}.files"


def resolve_home(option: str | None = None, environ: Mapping[str, str] = os.environ) -> HomePaths:
    """The home that `--home`, else `$MEMAGENT_HOME`, else the per-user data folder names.

    With neither option nor variable the config lies in the per-user config folder, otherwise in the home.
    """
    named = option or environ.get("MEMAGENT_HOME")
    if named:
        root = Path(named).expanduser().absolute()
        return HomePaths(root, root / "config.toml")
    import platformdirs

    root = Path(platformdirs.user_data_dir(APP, appauthor=False))
    return HomePaths(root, Path(platformdirs.user_config_dir(APP, appauthor=False)) / "config.toml")


def make_home(paths: HomePaths) -> None:
    """Create the folders (0700) and, once, the files that keep `local/` out of git and synced folders."""
    folders = [paths.root, paths.sessions, paths.memory, paths.user_facts, paths.journal, paths.local, paths.locks]
    try:
        for folder in folders:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in (".gitignore", ".stignore"):
            file = paths.root / name
            if not file.exists():
                file.touch(mode=0o600)
                file.write_text(_LEFT_OUT, encoding="utf-8")
    except OSError as e:
        why = e.strerror or str(e)
        if isinstance(e, FileExistsError) and e.filename:
            why = f"{e.filename} is a file where a folder must be"
        raise UsageError(
            f"The home {paths.root} cannot be used: {why}", "Move it away, or name another with --home DIR"
        ) from e
