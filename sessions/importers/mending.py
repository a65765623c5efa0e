"""Logs that earlier versions took over, put right: what they took for a copy of another session's, and was none.

Ids that are made of a line's place were the same in sessions begun within a minute. Nothing that has one is a copy.
Of what is one it is noted whose, so that it counts again when that one is gone.
"""

from __future__ import annotations

import json
import re

from sessions.errors import LockedError
from sessions.importers.ledger import Entry, Ledger
from sessions.importers.places import early_stem, in_file, of_place
from sessions.paths import HomePaths
from sessions.store.log import rewrite_log
from sessions.store.trash import log_in

_COPIED = re.compile(rb'"copied":true')


def mend_all(paths: HomePaths, ledger: Ledger) -> None:
    """Once a home: look through the logs of earlier versions. One that is open elsewhere is left for the next time.

    Raises StoreError and OSError.
    """
    done: list[str] = []
    try:
        for entry in ledger.early():
            if mend_one(paths, ledger, entry):
                done.append(entry.session)
    finally:
        if done:
            ledger.mended(done)
            ledger.refresh()


def mend_one(paths: HomePaths, ledger: Ledger, entry: Entry) -> bool:
    """The same for one log; False when it is open elsewhere. Raises StoreError."""
    place = of_place(early_stem(entry.source))

    def change(line: bytes) -> bytes:
        if _COPIED.search(line) is None:
            return line
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError):
            return line
        if not isinstance(raw, dict) or raw.get("copied") is not True or not isinstance(raw.get("id"), str):
            return line
        origin = ledger.session_of(raw["id"])
        if place.fullmatch(raw["id"]) or origin == entry.session:
            del raw["copied"]
        elif origin is not None and raw.get("of") != origin:
            raw["of"] = origin
        else:
            return line
        return json.dumps(raw, ensure_ascii=False, separators=(",", ":")).encode()

    for path in (paths.session_log(entry.session), log_in(paths, entry.session)):
        if path.exists() and in_file(path, _COPIED):
            try:
                rewrite_log(paths, entry.session, path, change)
            except LockedError:
                return False
    return True
