"""A fork: a new session that begins with copies of another's lines."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from sessions.errors import StoreError
from sessions.messages import Marker, Record, Unknown, UserMessage
from sessions.paths import HomePaths
from sessions.store.log import read_log
from sessions.store.whole import write_log


def fork(paths: HomePaths, source: str, session: str, first: Marker, *, upto: str | None = None) -> Path:
    """Write the new session's log: `first`, then the lines of `source` with their ids and `"copied": true`.

    Each says `of` which session it was first told in.

    With `upto`, the id of a message, only the lines to the end of its turn. Also while another program writes the
    source; side files come along. The log appears whole or not at all. Raises StoreError.
    """
    origin, path = paths.session_log(source), paths.session_log(session)
    read = read_log(origin)
    if read.newer:
        raise StoreError("The session was begun by a newer program and cannot be forked", path=origin)
    if path.exists():
        raise StoreError("The session exists already", path=path)
    head = Marker(first.id, first.at, "session", first.data | {"forked_from": source})
    records = read.records if upto is None else _to_end_of_turn(read.records, upto, origin)
    try:
        if paths.session_files(source).is_dir():
            shutil.copytree(paths.session_files(source), paths.session_files(session))
        write_log(paths, session, chain((head,), _copies(records, source)))
    except OSError as e:
        raise StoreError(f"The session cannot be forked: {e.strerror or e}", path=path) from e
    return path


def _to_end_of_turn(records: list[Record], message: str, origin: Path) -> list[Record]:
    at = next((i for i, r in enumerate(records) if getattr(r, "id", None) == message), None)
    if at is None:
        raise StoreError(f"There is no message {message} in the session", path=origin)
    for i in range(at, len(records)):
        record = records[i]
        if isinstance(record, Marker) and record.kind == "turn_end":
            return records[: i + 1]
        if i > at and isinstance(record, UserMessage) and record.parent is None:
            return records[:i]
    return records


def _copies(records: list[Record], source: str) -> Iterator[Record]:
    for record in records:
        match record:
            case Marker(kind="session"):
                continue
            case Marker():
                yield dataclasses.replace(record, data=record.data | {"copied": True})
            case Unknown():
                yield dataclasses.replace(record, raw=record.raw | {"copied": True})
            case _:
                mark = record.extra if "of" in record.extra else {"of": source}
                yield dataclasses.replace(record, extra=record.extra | mark | {"copied": True})
