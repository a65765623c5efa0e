"""Erasing: said durably first, then done in steps of which each may be done twice, then looked for byte by byte."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sessions.erase.beside import SQLITE, Beside, beside
from sessions.erase.survey import FoundLog, Survey, survey
from sessions.erase.target import Target, job_file, read_job, title_of, write_job
from sessions.erase.words import SHOWN, also, also_beside
from sessions.errors import LockedError
from sessions.messages import Record
from sessions.store.atomic import fsync_dir
from sessions.store.locks import FileLock
from sessions.store.log import LogWriter, erase_lines, session_lock
from sessions.store.rewrite import rewrite_lines
from sessions.store.traces import Finder, Trace, traces

if TYPE_CHECKING:
    from sessions.home import Home

_WAIT_S = 0.3
_SYNCED = ("Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "iCloud", "Nextcloud", "Syncthing", "Sync")


class Writer(Protocol):
    """A session that this program has open for writing."""

    def erase(self, wanted: Callable[[bytes, tuple[Record, ...]], bool]) -> int: ...


@dataclass(frozen=True, slots=True)
class Result:
    """What was done."""

    target: Target
    survey: Survey
    """What was found when nobody could write any more: it may be more than was asked about."""
    lines: int
    """Lines of logs that were erased."""
    left: tuple[Trace, ...]
    """Where it still stands under the home."""
    home: Path
    elsewhere: tuple[tuple[str, int], ...]
    """Words of its own that stand in other messages, which stay."""
    standing: tuple[Trace, ...]
    """Where words stand of which each tells it."""
    beside: tuple[Beside, ...]
    """Words of its own, and the other facts or files in which they stand."""
    out_of_reach: tuple[str, ...]
    """Copies that no program here can erase."""

    @property
    def traces(self) -> int:
        return sum(trace.places for trace in (*self.left, *self.standing))

    @property
    def told(self) -> tuple[str, ...]:
        """The words that still tell it."""
        return replace(self.survey, beside=self.beside).standing

    def words(self, *, brief: bool = False) -> list[str]:
        """What to tell the person, a sentence a line; `brief` without the single places."""
        count = f"{self.traces} trace{'' if self.traces == 1 else 's'} left under {self.home}"
        out = [f"{count}: what else holds {', '.join(self.told[:SHOWN])} was kept" if self.standing else count]
        places = dict.fromkeys((*self.left, *self.standing))
        out += [f"  {trace.places} in {trace.path.relative_to(self.home)}" for trace in [*places][:20]]
        out += also(self.elsewhere, self.survey.kept)
        out += also_beside(self.beside)
        if brief:
            out = [line for line in out if not line.startswith("  ")]
        return [*out, "Out of reach: " + "; ".join(self.out_of_reach)]


def erase(home: Home, found: Survey, writers: Mapping[str, Writer] | None = None) -> Result:
    """Erase what was surveyed. `writers` are the sessions that this program itself has open.

    LockedError when a session is open in another program; then nothing was changed. StoreError when a file cannot be
    written: `finish` then goes on where it ended. Not for an event loop.
    """
    with ExitStack() as stack:
        opened: dict[str, Writer | None] = {}
        held = False
        while not held:
            _open(home, found, opened, writers or {}, stack)
            # Until now others could write: what they wrote meanwhile is looked at too.
            found = survey(home, found.target)
            held = set(found.sessions) <= opened.keys()
        write_job(job_file(home), found.target)
        result = _do(home, found, opened)
        job_file(home).unlink(missing_ok=True)
        return result


def pending(home: Home) -> bool:
    """Whether an erasing was cut off."""
    return job_file(home).exists()


def finish(home: Home, writers: Mapping[str, Writer] | None = None) -> Result | None:
    """Go on with an erasing that was cut off; None when there is none. Raises as `erase`."""
    target = read_job(job_file(home))
    if target is None:
        job_file(home).unlink(missing_ok=True)
        return None
    return erase(home, survey(home, target), writers)


def _open(
    home: Home, found: Survey, opened: dict[str, Writer | None], writers: Mapping[str, Writer], stack: ExitStack
) -> None:
    """Hold every session that is touched. LockedError when one is open elsewhere."""
    trashed = {log.session for log in found.logs if log.trashed}
    for session in found.sessions:
        if session in opened:
            continue
        try:
            if session in writers:
                opened[session] = writers[session]
            elif session in trashed:
                opened[session] = None
            elif session in found.whole:
                opened[session] = None
                # A log that is removed need not be one that can be opened.
                lock = FileLock(session_lock(home.paths, session))
                lock.acquire(_WAIT_S)
                stack.callback(lock.release)
            else:
                writer = LogWriter.open(home.paths, session, wait_s=_WAIT_S)
                stack.callback(writer.close)
                opened[session] = writer
        except LockedError as e:
            raise LockedError(
                f"The session {title_of(home, session)!r} is open in another window, so nothing was erased",
                "Close it there, then erase again",
            ) from e


def _do(home: Home, found: Survey, writers: Mapping[str, Writer | None]) -> Result:
    target, finder = found.target, found.target.finder
    if target.facts or found.logs or target.what == "text":
        home.facts.eraser.erase(target.facts, target.called, finder, found.said, target.also)
    lines = sum(_erase_lines(log, writers, target.in_lines) for log in found.logs if log.session not in found.whole)
    for log in found.logs:
        if log.session not in found.whole:
            _side_files(home, log)
    for session in found.whole:
        _remove(home, session)
    _derived(home, found)
    _prompts(home, finder, found)
    _index(home, found.sessions, bool(target.facts))
    _local(home, finder)
    if target.in_logs:
        _side_files_of(home, target.in_lines)
    tells = {word.casefold() for word in target.tells}
    words = (*found.gone, *(word for word, _ in found.elsewhere if word.casefold() in tells))
    others = tuple(beside(home, target, (), words, done=True))
    told = replace(found, beside=others).standing if target.in_logs else target.tells
    return Result(
        target,
        found,
        lines,
        tuple(traces(home.paths.root, finder, leave=[job_file(home)])),
        home.paths.root,
        found.elsewhere,
        tuple(traces(home.paths.root, Finder((), words=told), leave=[job_file(home)])),
        others,
        tuple(_out_of_reach(home, found)),
    )


def _erase_lines(log: FoundLog, writers: Mapping[str, Writer | None], finder: Finder) -> int:
    def wanted(line: bytes, records: tuple[Record, ...]) -> bool:
        if any(record.id in log.ids for record in records if record.id):
            return True
        return log.raw and not any(r.id for r in records) and finder.in_bytes(line)

    writer = writers.get(log.session)
    return writer.erase(wanted) if writer is not None else erase_lines(log.path, wanted)


def _side_files(home: Home, log: FoundLog) -> None:
    folder = log.path.with_name(f"{log.session}.files")
    for name in log.side_files:
        if Path(name).name == name:
            (folder / name).unlink(missing_ok=True)
    with suppress(OSError):
        folder.rmdir()


def _side_files_of(home: Home, finder: Finder) -> None:
    """A result too large for its line, in which it stands though not in the beginning that the line has."""
    for folder in (home.paths.sessions, home.paths.trash):
        for path in folder.glob("*.files/*") if folder.is_dir() else ():
            if path.is_file() and finder.in_bytes(path.read_bytes()):
                path.unlink()


def _remove(home: Home, session: str) -> None:
    """A session and all that lies beside it, in the trash too."""
    for folder in (home.paths.sessions, home.paths.trash):
        for path in (folder / f"{session}.jsonl", folder / f"{session}.meta.json"):
            path.unlink(missing_ok=True)
        shutil.rmtree(folder / f"{session}.files", ignore_errors=True)
        if folder.is_dir():
            for path in folder.glob(f".{session}.*"):  # what a kill left of a write
                path.unlink(missing_ok=True)
            fsync_dir(folder)


def _derived(home: Home, found: Survey) -> None:
    """Titles and recaps are made anew from the logs."""
    for log in found.logs:
        log.path.with_name(f"{log.session}.meta.json").unlink(missing_ok=True)
        if not log.trashed and log.session not in found.whole:
            home.catalog.refresh(log.session)
    home.catalog.list()
    home.catalog.scrub()


def _prompts(home: Home, finder: Finder, found: Survey) -> None:
    """Prompt history, drafts and what else is kept by lines on this machine."""
    path = home.paths.local / "prompts.jsonl"
    if path.exists():
        said = {text.strip() for log in found.logs for role, text in log.shown if role == "you"}
        from sessions.store.prompts import prompt_of

        with FileLock(home.paths.locks / "prompts.lock"):
            rewrite_lines(path, lambda line: None if prompt_of(line) in said or finder.in_bytes(line) else line)


def _index(home: Home, sessions: list[str], facts: bool) -> None:
    if (sessions or facts) and home.index.exists():
        home.index.catch_up(only=sessions)
        home.meanings.keep_only(home.facts.snapshot().facts)
        home.index.scrub()


def _local(home: Home, finder: Finder) -> None:
    """Whatever else of this machine it stands in: all of it can be made again."""
    for trace in traces(home.paths.local, finder, leave=[job_file(home)]):
        path = trace.path
        with suppress(OSError):
            if path.suffix in {".jsonl", ".log"}:
                rewrite_lines(path, lambda line: None if finder.in_bytes(line) else line)
            elif path.name.endswith(SQLITE):
                base = path.name.partition(".sqlite")[0]
                for other in path.parent.glob(f"{base}.sqlite*"):
                    other.unlink(missing_ok=True)
            else:
                path.unlink(missing_ok=True)


def _out_of_reach(home: Home, found: Survey) -> Iterator[str]:
    root = home.paths.root
    if any((folder / ".git").exists() for folder in (root, *root.parents)):
        yield "the git history of this folder"
    if any(name in part for part in root.parts for name in _SYNCED) or (root / ".stfolder").exists():
        yield "copies in the synced folder on other machines"
    for source in found.sources:
        yield f"the other agent's own file, {source}"
    if found.models:
        yield f"what {', '.join(found.models)} was sent"
    yield "backups and exports, and what you copied elsewhere"
