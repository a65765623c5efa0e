"""A log written at once: the conversation is there already, in another log or with another agent."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import suppress

from sessions.errors import StoreError
from sessions.messages import Record, ToolMessage
from sessions.paths import HomePaths
from sessions.store.atomic import make_folder, replacing, write_all
from sessions.store.log import line_of
from sessions.store.sidefiles import keep_beside

_FLUSH = 1 << 22


class NothingInItError(Exception):
    """What should be written holds nothing that was said; to be raised by who gives the records."""


def write_log(paths: HomePaths, session: str, records: Iterable[Record]) -> None:
    """Write a session's log of the records, the first of which is its `session` marker, however many they are.

    It appears whole or not at all; large results are kept beside it. Raises OSError, StoreError when there is one of
    that id, and what `records` raises; then nothing is left.
    """
    path = paths.session_log(session)
    if path.exists():
        raise StoreError("The session exists already", path=path)
    make_folder(paths.sessions)
    folder = paths.session_files(session)
    had = folder.exists()
    out: list[bytes] = []
    size = 0
    try:
        with replacing(path) as fd:
            for record in records:
                kept = keep_beside(paths, session, record) if isinstance(record, ToolMessage) else record
                out.append(line_of(kept)[0])
                size += len(out[-1])
                if size > _FLUSH:
                    write_all(fd, b"".join(out))
                    out.clear()
                    size = 0
            write_all(fd, b"".join(out))
    except BaseException:
        if not had:
            with suppress(OSError):
                shutil.rmtree(folder)
        raise
