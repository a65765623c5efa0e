"""What there is to erase: the lines of logs in which it stands, found before anything is asked or changed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.erase.beside import Beside, beside
from sessions.erase.look import SEARCH, Line, Look
from sessions.erase.target import Target, text_of, title_of
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, UserMessage
from sessions.store.log import read_log, source_of
from sessions.store.sidefiles import side_name

if TYPE_CHECKING:
    from sessions.home import Home


@dataclass(slots=True)
class FoundLog:
    """A log with lines to erase."""

    session: str
    path: Path
    title: str
    ids: set[str] = field(default_factory=set)
    """Of the lines that go."""
    raw: bool = False
    """Whether a line without an id, or one that cannot be read, goes too."""
    shown: list[tuple[str, str]] = field(default_factory=list)
    """Role and text of what goes, in order."""
    side_files: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    """To which the lines were sent, or that wrote them."""
    trashed: bool = False
    source: str = ""
    """The file of another agent of which it is a copy."""

    @property
    def messages(self) -> int:
        """Lines that a person knows as such."""
        return len(self.shown)


@dataclass(frozen=True, slots=True)
class Kept:
    """A line that stays though words stand in it of which each tells the target."""

    session: str
    title: str
    """The session's."""
    trashed: bool
    message: str
    """Its id."""
    role: str
    text: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What erasing the target does."""

    target: Target
    logs: tuple[FoundLog, ...]
    whole: tuple[str, ...]
    """Sessions of which nothing stays."""
    elsewhere: tuple[tuple[str, int], ...] = ()
    """Words of its own that also stand in lines about other things, and in how many; those stay."""
    gone: tuple[str, ...] = ()
    """Words of its own that stand in no line that stays."""
    kept: tuple[Kept, ...] = ()
    """The lines that stay and tell it all the same."""
    beside: tuple[Beside, ...] = ()
    """Where its words stand but in logs."""

    @property
    def standing(self) -> tuple[str, ...]:
        """Words of which each tells the target, and that stand somewhere after it is erased."""
        known = {w.casefold() for w in self.target.tells}
        beside = (b.word for b in self.beside if b.word.casefold() in known)
        return tuple(dict.fromkeys((*(w for kept in self.kept for w in kept.words), *beside)))

    @property
    def sessions(self) -> list[str]:
        """Every session that is touched."""
        return list(dict.fromkeys([*self.whole, *(log.session for log in self.logs)]))

    @property
    def models(self) -> list[str]:
        return sorted({model for log in self.logs for model in log.models})

    @property
    def sources(self) -> list[str]:
        """Files of other agents of which the logs are copies."""
        return sorted({log.source for log in self.logs if log.source})

    @property
    def said(self) -> set[str]:
        """Ids of all lines that go."""
        return {id_ for log in self.logs for id_ in log.ids} | {message for _, message in self.target.messages}


def survey(home: Home, target: Target) -> Survey:
    """Read every log under the home. Not for an event loop."""
    look = Look(target)
    logs: list[tuple[FoundLog, list[Line], list[Record]]] = []
    forks = _forks(home, target)
    for session, path, trashed in _logs(home):
        if session in target.sessions:
            log = FoundLog(session, path, title_of(home, session), trashed=trashed, source=_source(path))
            _whole(log, path)
            logs.append((log, [], []))
            continue
        wanted = {m for s, m in target.messages if s == session or session in forks.get(s, ())}
        data = path.read_bytes()
        cited = any(origin.encode() in data for origin in look.origins)
        if target.what == "message" and not (wanted or cited):
            continue
        if not (wanted or cited or (target.in_logs and look.may(data))):
            continue
        lines, records = look.lines(data, wanted, session)
        if any(line.hit or line.own for line in lines):
            logs.append((FoundLog(session, path, "", trashed=trashed, source=_source(path)), lines, records))
    common, gone = look.settle([line for _, lines, _ in logs for line in lines])
    found: list[FoundLog] = []
    kept: list[Kept] = []
    for log, lines, records in logs:
        if log.session not in target.sessions:
            _take(log, lines, records)
            kept += _kept(home, log, lines, look.tells & common.keys())
            if not (log.ids or log.raw):
                continue
            log.title = title_of(home, log.session)
        found.append(log)
    whole = tuple(s for s in target.sessions)
    done = Survey(target, tuple(found), whole, tuple(sorted(common.items(), key=lambda c: -c[1])), gone, tuple(kept))
    return replace(
        done, beside=tuple(beside(home, target, done.said, sorted(look.tells.intersection((*gone, *common)))))
    )


def with_words(home: Home, found: Survey) -> Survey:
    """The survey when the words that tell the target go wherever they stand; itself when there are none."""
    if not found.standing:
        return found
    others = [b for b in found.beside if b.word in found.standing and b.fact is not None]
    facts = {b.fact.id: b.fact for b in others if b.fact is not None and b.held}
    called = [fact.name for fact in facts.values()]
    holds = [f"fact {fact.number}: {fact.summary}" for fact in facts.values()]
    target = found.target.with_words(found.standing, facts, called, holds)
    return survey(home, target)


def _take(log: FoundLog, lines: Iterable[Line], records: Iterable[Record]) -> None:
    """Note the lines that go; the results of calls that go, go too, and what was answered from a search that goes."""
    calls: set[str] = set()
    for line in lines:
        if not line.hit:
            continue
        if line.record is None or not line.record.id:
            log.raw = True
        else:
            log.ids.add(line.record.id)
        if isinstance(line.record, AssistantMessage):
            calls |= {call.id for call in line.record.tool_calls}
    begun, found = False, -1
    for record in records:
        if isinstance(record, ToolMessage) and record.name == SEARCH and record.id in log.ids:
            found = record.turn
        if isinstance(record, AssistantMessage) and record.turn == found and record.content:
            log.ids.add(record.id)
            calls |= {call.id for call in record.tool_calls}
        if isinstance(record, ToolMessage) and record.tool_call_id in calls:
            log.ids.add(record.id)
        begun = begun or (record.id in log.ids and not isinstance(record, Marker))
        if begun and _retells(record):
            log.ids.add(record.id)
        if record.id in log.ids and not isinstance(record, Unknown):
            _note(log, record)


def _retells(record: Record) -> bool:
    """Whether a model wrote in it what was said before, in words of its own: whatever goes may be told there."""
    if not isinstance(record, Marker):
        return False
    if record.kind == "compaction":
        return bool(record.data.get("content"))
    return record.kind == "meta" and ("recap" in record.data or ("title" in record.data and "by" in record.data))


def _whole(log: FoundLog, path: Path) -> None:
    for record in read_log(path).records:
        if not isinstance(record, Unknown):
            log.ids.add(record.id)
            _note(log, record)


def _source(path: Path) -> str:
    return str(source_of(path).get("path", ""))


def _kept(home: Home, log: FoundLog, lines: Iterable[Line], tell: Collection[str]) -> Iterator[Kept]:
    for line in lines:
        record = line.record
        if record is not None and record.id not in log.ids and (own := line.own.intersection(tell)):
            role, text = _shown(record)
            yield Kept(log.session, title_of(home, log.session), log.trashed, record.id, role, text, tuple(sorted(own)))


def _shown(record: Record) -> tuple[str, str]:
    """Role and text as a person is told of them."""
    match record:
        case UserMessage():
            return "you", record.content
        case AssistantMessage():
            return ("answer", record.content) if record.content else ("call", text_of(record).strip())
        case ToolMessage():
            return record.name or "tool", record.content
        case Marker():
            return ("title" if "title" in record.data else record.kind), text_of(record)
        case _:
            return "line", text_of(record)


def _note(log: FoundLog, record: Record) -> None:
    match record:
        case UserMessage():
            log.shown.append(("you", record.content))
            log.side_files |= {str(a["path"]) for a in record.attachments if isinstance(a.get("path"), str)}
        case AssistantMessage():
            words_ = record.content or ", ".join(call.name for call in record.tool_calls)
            log.shown.append(("answer" if record.content else "call", words_))
            log.models |= {record.model or record.profile} - {"", "guide"}
        case ToolMessage():
            log.shown.append((record.name or "tool", record.content))
            log.side_files |= {name} if (name := side_name(record)) else set()
        case _:
            pass


def _logs(home: Home) -> Iterator[tuple[str, Path, bool]]:
    for folder, trashed in ((home.paths.sessions, False), (home.paths.trash, True)):
        if folder.is_dir():
            for path in sorted(folder.glob("*.jsonl")):
                if path.is_file() and not path.name.startswith("."):
                    yield path.stem, path, trashed


def _forks(home: Home, target: Target) -> dict[str, set[str]]:
    """Session -> all that were copied from it, from their copies too."""
    wanted = {s for s, _ in target.messages}
    if not wanted:
        return {}
    made: dict[str, set[str]] = {}
    for meta in home.catalog.list():
        if meta.forked_from:
            made.setdefault(meta.forked_from, set()).add(meta.id)
    for session, path, trashed in _logs(home):
        first = read_log(path, limit=1).records if trashed else []
        if first and isinstance(first[0], Marker) and isinstance(origin := first[0].data.get("forked_from"), str):
            made.setdefault(origin, set()).add(session)
    out: dict[str, set[str]] = {}
    for session in wanted:
        todo = [session]
        seen: set[str] = set()
        while todo:
            for child in made.get(todo.pop(), set()) - seen:
                seen.add(child)
                todo.append(child)
        out[session] = seen
    return out
