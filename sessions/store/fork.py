"""A fork: a new session that begins with copies of another's lines."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from sessions.errors import StoreError
from sessions.messages import Marker, Record, Unknown, clean, to_json
from sessions.paths import HomePaths
from sessions.store.atomic import make_folder, write_atomic
from sessions.store.log import read_log


def fork(paths: HomePaths, source: str, session: str, first: Marker) -> Path:
    """Write the new session's log: `first`, then the lines of `source` with their ids and `"copied": true`.

    Also while another program writes the source; side files come along. The log appears whole or not at all.
    Raises StoreError.
    """
    origin, path = paths.session_log(source), paths.session_log(session)
    read = read_log(origin)
    if read.newer:
        raise StoreError("The session was begun by a newer program and cannot be forked", path=origin)
    if path.exists():
        raise StoreError("The session exists already", path=path)
    head = Marker(first.id, first.at, "session", first.data | {"forked_from": source})
    lines = [_line(head), *(_line(record) for record in _copies(read.records))]
    try:
        make_folder(paths.sessions)
        if paths.session_files(source).is_dir():
            shutil.copytree(paths.session_files(source), paths.session_files(session))
        write_atomic(path, b"".join(lines))
    except OSError as e:
        raise StoreError(f"The session cannot be forked: {e.strerror or e}", path=path) from e
    return path


def _copies(records: list[Record]) -> Iterator[Record]:
    for record in records:
        match record:
            case Marker(kind="session"):
                continue
            case Marker():
                yield dataclasses.replace(record, data=record.data | {"copied": True})
            case Unknown():
                yield dataclasses.replace(record, raw=record.raw | {"copied": True})
            case _:
                yield dataclasses.replace(record, extra=record.extra | {"copied": True})


def _line(record: Record) -> bytes:
    return clean(json.dumps(to_json(record), ensure_ascii=False, separators=(",", ":"), default=str)).encode() + b"\n"
