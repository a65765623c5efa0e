"""One pass over what other agents left: which of their sessions are due, and each of them taken over."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sessions.errors import MemagentError
from sessions.importers.base import Head, Reader, Source
from sessions.importers.registry import FOLLOWED, reader
from sessions.importers.taking import Taken, Taking


class StoppedError(Exception):
    """The person or the program's end stopped it; what was taken over stays."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far a pass is."""

    done: int
    total: int
    """Sessions."""
    bytes_done: int
    bytes_total: int
    source: Source


@dataclass(slots=True)
class Tally:
    """What became of a pass."""

    statuses: Counter[str] = field(default_factory=Counter)
    """`new`, `grown`, `same` … -> how many sessions."""
    messages: int = 0
    sessions: list[str] = field(default_factory=list)
    """Ours that changed."""
    bad_lines: int = 0
    bad: list[tuple[str, int, str]] = field(default_factory=list)
    """File, line and why it could not be read; the first ones of each session."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Files that could not be taken over at all, and why."""
    stopped: bool = False

    def add(self, source: Source, taken: Taken) -> None:
        self.statuses[taken.status] += 1
        self.messages += taken.messages
        if taken.status in {"new", "grown"}:
            self.sessions.append(taken.session)
        self.bad_lines += taken.report.bad_lines
        self.bad += taken.report.bad


def roots(kind: str, environ: Mapping[str, str] | None = None) -> list[Path]:
    """Where the files of an agent are on this machine."""
    return reader(kind).roots(os.environ if environ is None else environ, Path.home())


def found(kinds: Iterable[str] = FOLLOWED, environ: Mapping[str, str] | None = None) -> list[tuple[Reader, Source]]:
    """All sessions of these agents on this machine, the one changed last first. No file is opened."""
    out: list[tuple[Reader, Source]] = []
    for kind in kinds:
        one = reader(kind)
        out += ((one, source) for source in one.find(roots(kind, environ)))
    return sorted(out, key=lambda pair: pair[1].mtime_ns, reverse=True)


def due(taking: Taking, sources: Iterable[tuple[Reader, Source]]) -> list[tuple[Reader, Source]]:
    """Those in which there is something new."""
    taking.ledger.refresh()
    return [(one, source) for one, source in sources if taking.due(source)]


def resume_command(kind: str, uuid: str, cwd: str) -> str:
    """What to type in a shell to go on with a session in the agent that it comes from; empty when there is nothing."""
    return reader(kind).resume_command(uuid, cwd) if kind in FOLLOWED else ""


def head_of(one: Reader, source: Source) -> Head:
    """What the first lines tell; nothing when the file cannot be read."""
    try:
        return one.head(source)
    except OSError:
        return Head()


class Places:
    """In which folders sessions were begun; a head that told it is read once."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[int, str]] = {}
        """A session's file -> its size then, and the folder."""

    def wanted(self, folders: Sequence[str], one: Reader, source: Source) -> bool:
        """Whether it was begun in one of these folders or below, or there are none."""
        if not folders:
            return True
        size, cwd = self._known.get(source.path, (-1, ""))
        if not cwd and size != source.size:
            cwd = head_of(one, source).cwd
            self._known[source.path] = source.size, cwd
        return any(Path(cwd).is_relative_to(Path(folder).expanduser()) for folder in folders if cwd)


def take_all(
    taking: Taking,
    sources: Iterable[tuple[Reader, Source]],
    *,
    progress: Callable[[Step], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
    wanted: Callable[[Reader, Source], bool] = lambda _, __: True,
) -> Tally:
    """Take over each of the sources; one that cannot be read or written does not keep the others back.

    `wanted` may leave out one by what its head tells. When `stop` turns true the pass ends, also inside a long session.
    """
    tally, some = Tally(), list(sources)
    total, before = sum(source.size for _, source in some), 0
    for done, (one, source) in enumerate(some):

        def told(bytes_: int, done: int = done, source: Source = source, before: int = before) -> None:
            if stop():
                raise StoppedError
            if progress is not None:
                progress(Step(done, len(some), before + bytes_, total, source))

        try:
            told(0)
            if wanted(one, source):
                tally.add(source, taking.take(one, source, told))
        except StoppedError:
            tally.stopped = True
            break
        except OSError as e:
            tally.failed.append((str(source.path), e.strerror or str(e)))
        except MemagentError as e:
            tally.failed.append((str(source.path), str(e)))
        except MemoryError:
            tally.failed.append((str(source.path), "it needs more memory than there is"))
        except RecursionError:
            tally.failed.append((str(source.path), "it is nested too deeply"))
        before += source.size
    taking.sweep()
    return tally
