"""Files that the person names, taken over once: what they are, the conversations in them, and what they remember."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from sessions.errors import MemagentError
from sessions.importers.base import Report
from sessions.importers.elements import NO_MEMORY
from sessions.importers.export import Export, Talk
from sessions.importers.passing import StoppedError, Tally
from sessions.importers.registry import EXPORTS
from sessions.importers.taking import Taking


@dataclass(frozen=True, slots=True)
class Way:
    """How far it is."""

    done: int
    """Conversations."""
    bytes_done: int
    bytes_total: int


def export(kind: str) -> Export:
    """The reader of that name. KeyError for another."""
    module = importlib.import_module(f"sessions.importers.{EXPORTS[kind][0]}")
    return cast("Export", module.READER)


def fresh(taking: Taking, one: Export, path: Path) -> tuple[list[Talk], Counter[str], Report]:
    """The conversations in which there is something new, without what was said in them; how many others there are,
    `same` or `deleted` here."""
    taking.ledger.refresh()
    report, new, others = Report(), list[Talk](), Counter[str]()
    for talk in one.talks(path, report, lambda _: None):
        if taking.due(talk.source):
            new.append(Talk(talk.source, lambda _: (), talk.title, talk.at, talk.model, talk.cwd))
        else:
            others["deleted" if taking.deleted(talk.source) else "same"] += 1
    return new, others, report


def take_export(
    taking: Taking,
    one: Export,
    path: Path,
    *,
    progress: Callable[[Way], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Tally:
    """Take over what is new in it, a conversation after the other, none of which keeps the others back.

    When `stop` turns true it ends, and what was taken over stays: the next time goes on from there. Raises UsageError
    when it is no such export, DamagedError when it is one no more.
    """
    tally, report = Tally(), Report()
    total, done = one.size(path), 0

    def told(size: int) -> None:
        nonlocal done
        done += size
        if stop():
            raise StoppedError
        if progress is not None:
            progress(Way(sum(tally.statuses.values()), min(done, total), total))

    taking.ledger.refresh()
    try:
        told(0)
        for talk in one.talks(path, report, told):
            if not taking.due(talk.source):
                tally.statuses["deleted" if taking.deleted(talk.source) else "same"] += 1
                continue
            told(0)
            _take(taking, talk, tally)
    except StoppedError:
        tally.stopped = True
    except OSError as e:
        tally.failed.append((str(path), e.strerror or str(e)))
    except MemoryError:
        tally.failed.append((str(path), NO_MEMORY))
    tally.bad_lines += report.bad_lines
    tally.bad += report.bad
    return tally


def _take(taking: Taking, talk: Talk, tally: Tally) -> None:
    try:
        tally.add(talk.source, taking.take(talk, talk.source))
    except (OSError, MemagentError) as e:
        _failed(talk, (isinstance(e, OSError) and e.strerror) or str(e), tally)
    except MemoryError:
        _failed(talk, NO_MEMORY, tally)
    except RecursionError:
        _failed(talk, "it is nested too deeply", tally)


def _failed(talk: Talk, why: str, tally: Tally) -> None:
    tally.failed.append((f"{talk.source.path}: {talk.title or talk.source.uuid}", why))
