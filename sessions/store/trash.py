"""Deleted sessions: whole in `sessions/trash/`, and brought back whole."""

from __future__ import annotations

from pathlib import Path

from sessions import ids
from sessions.errors import LockedError, StoreError
from sessions.paths import HomePaths
from sessions.store.atomic import fsync_dir, make_folder
from sessions.store.locks import FileLock
from sessions.store.log import read_log, session_lock
from sessions.store.meta import Meta, derive, from_file

_WAIT_S = 0.3


def delete(paths: HomePaths, session: str) -> None:
    """Move a session to the trash. StoreError when there is none, LockedError when another program has it open.

    The log goes first and comes back last: whatever a kill leaves beside it finds its way to it again.
    """
    _move(paths, session, paths.sessions, paths.trash, ("jsonl", "meta.json", "files"))


def restore(paths: HomePaths, session: str) -> None:
    """Bring a session back from the trash. StoreError when it is not there, or when there is one of that id."""
    _move(paths, session, paths.trash, paths.sessions, ("files", "meta.json", "jsonl"))


def trashed(paths: HomePaths) -> list[Meta]:
    """What is in the trash, the one deleted last first."""
    try:
        logs = [p for p in paths.trash.iterdir() if p.suffix == ".jsonl" and not p.name.startswith(".")]
        logs.sort(key=lambda p: p.stat().st_ctime_ns, reverse=True)
    except OSError:
        return []
    return [found for log in logs if (found := _meta(log)) is not None]


def log_in(paths: HomePaths, session: str) -> Path:
    """The log of a session that is in the trash."""
    return paths.trash / f"{session}.jsonl"


def _meta(log: Path) -> Meta | None:
    """The Meta of a log; None when it has gone meanwhile."""
    try:
        kept = from_file(log.with_name(f"{log.stem}.meta.json"), log.stem, log.stat().st_size)
        return kept or derive(log.stem, read_log(log).records)
    except (OSError, StoreError):
        return None


def _move(paths: HomePaths, session: str, old: Path, new: Path, endings: tuple[str, ...]) -> None:
    log = old / f"{session}.jsonl"
    if not ids.is_session_id(session) or not log.exists():
        raise StoreError(f"There is no session {session} in {old}", "memagent-tui sessions list shows them")
    if (new / log.name).exists():
        raise StoreError(f"There is a session {session} in {new} already", path=new / log.name)
    lock = FileLock(session_lock(paths, session))
    try:
        lock.acquire(_WAIT_S)
    except LockedError as e:
        raise LockedError("The session is open in another window", "Close it there, then try again") from e
    try:
        make_folder(new)
        for ending in endings:
            source, target = old / f"{session}.{ending}", new / f"{session}.{ending}"
            if source.exists() and not target.exists():
                source.rename(target)
        fsync_dir(old)
        fsync_dir(new)
    except OSError as e:
        raise StoreError(f"The session cannot be moved: {e.strerror or e}", path=log) from e
    finally:
        lock.release()
