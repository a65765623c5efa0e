"""What there is to erase: the lines of logs in which it stands, found before anything is asked or changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sessions.erase.target import Target, text_of, title_of
from sessions.erase.telling import own_words, rare_words, says_no_more, value_of
from sessions.memory.folded import words
from sessions.memory.wording import content, held, plain
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, UserMessage
from sessions.store.lines import decode
from sessions.store.log import read_log, source_of
from sessions.store.sidefiles import side_name
from sessions.store.traces import Finder

if TYPE_CHECKING:
    from sessions.home import Home

SEARCH = "search_history"
_EXCERPT = 40
"""Characters by which a passage of a message is known."""
_STOP = frozenset(
    "a an the and or of in on at to for from by with is are am was were be been i im me my you your we our they their "
    "he she it its this that user der die das und in im am zu mit ist sind ich mein meine le la les de du des et un "
    "une je mon ma el los las y en mi mis".split()
)
_SENTENCE = re.compile(r"\n+|(?<=[.!?。！？])\s*")
_FEW = 12
"""Other messages in which a word may stand that still tells something."""
_QUIET = {"session", "turn_end", "rewound", "cleared", "approval"}


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


@dataclass(slots=True)
class _Line:
    """A line that may have to go."""

    record: Record | None
    hit: bool
    own: frozenset[str]
    """The target's own words in it."""
    alone: bool = False
    """It speaks of nothing else."""


def survey(home: Home, target: Target) -> Survey:
    """Read every log under the home. Not for an event loop."""
    look = _Look(target)
    logs: list[tuple[FoundLog, list[_Line], list[Record]]] = []
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
        lines, records = look.lines(data, wanted)
        if any(line.hit or line.own for line in lines):
            logs.append((FoundLog(session, path, "", trashed=trashed, source=_source(path)), lines, records))
    common, gone = look.settle([line for _, lines, _ in logs for line in lines])
    found = []
    for log, lines, records in logs:
        if log.session not in target.sessions:
            _take(log, lines, records)
            if not (log.ids or log.raw):
                continue
            log.title = title_of(home, log.session)
        found.append(log)
    whole = tuple(s for s in target.sessions)
    return Survey(target, tuple(found), whole, tuple(sorted(common.items(), key=lambda c: -c[1])), gone)


class _Look:
    """Decides about lines."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.finder = target.in_lines
        self.own = own_words(target.lines) if target.what == "fact" else ()
        self.rare = tuple(w for w in rare_words(target.says) if w.casefold() not in {o.casefold() for o in self.own})
        self._known = {w for text in (*target.lines, *target.says) for w in content(text)}
        self._values = {w for text in target.says for w in content(value_of(plain(text)))}
        self._own = [(word, Finder((word,))) for word in (*self.own, *self.rare)]
        told = (tuple(_told(line)) for line in target.lines)
        self.told = tuple(dict.fromkeys(t for t in told if len(t) > 1))
        self.origins = (
            frozenset(s for s, _ in target.messages) if target.what in {"session", "message"} else frozenset()
        )
        """Sessions of which something goes; what a search of the model showed of them elsewhere goes too."""
        self._excerpts = [_plain(line)[:_EXCERPT] for line in target.lines or target.echoes]
        longest = {max(re.findall(r"\w+", line) or [line], key=len).casefold()[:4] for line in target.lines}
        longest |= {max(t, key=len)[:4] for t in self.told}
        self._any = Finder((*target.phrases, *self.own, *self.rare), target.names, target.parts)
        self._words = re.compile("|".join(re.escape(beginning) for beginning in sorted(longest)))

    def may(self, data: bytes) -> bool:
        """Whether a log is to be read at all."""
        return self._any.in_bytes(data) or bool(
            self.told and self._words.search(data.decode("utf-8", "replace").casefold())
        )

    def lines(self, data: bytes, wanted: set[str]) -> tuple[list[_Line], list[Record]]:
        """The lines to think about, and all records of the log."""
        out: list[_Line] = []
        every: list[Record] = []
        for raw in data.split(b"\n"):
            if not raw.strip():
                continue
            records = decode(raw).records
            if not records:
                hit = self.target.in_logs and self.finder.in_bytes(raw)
                out += [_Line(None, True, frozenset())] if hit else []
            for record in records:
                every.append(record)
                line = self._line(record, raw, wanted)
                if line is not None:
                    out.append(line)
        return out, every

    def _line(self, record: Record, raw: bytes, wanted: set[str]) -> _Line | None:
        if isinstance(record, Unknown) and record.erased:
            return None
        if isinstance(record, Marker) and record.kind == "session":
            return None
        if record.id in wanted or self._cites(record):
            return _Line(record, True, frozenset())
        if not self.target.in_logs or (isinstance(record, Marker) and record.kind in _QUIET):
            return _Line(record, True, frozenset()) if self.target.in_logs and self.finder.in_bytes(raw) else None
        if self._about(record) or self.finder.in_bytes(raw) or self._restates(record):
            return _Line(record, True, self._own_in(record))
        own = self._own_in(record)
        return _Line(record, False, own, says_no_more(_said(record), self._known, self._values)) if own else None

    def _cites(self, record: Record) -> bool:
        """Whether a search of past sessions showed in it what goes."""
        if not isinstance(record, ToolMessage) or record.name != SEARCH:
            return False
        if not any(f"session {origin}" in record.content for origin in self.origins):
            return False
        if self.target.what == "session":
            return True
        shown = _plain(record.content)
        return self._restates(record) or any(excerpt in shown for excerpt in self._excerpts if excerpt)

    def _about(self, record: Record) -> bool:
        """Whether a tool showed or wrote the fact in it."""
        number = self.target.number
        if not number:
            return False
        match record:
            case ToolMessage():
                return number in record.fact_numbers or bool(set(self.target.called) & set(record.facts))
            case Marker(kind="fact"):
                return record.data.get("number") == number
            case Marker(kind="distilled"):
                named = record.data.get("facts")
                return isinstance(named, list) and bool(set(self.target.called) & {str(n) for n in named})
            case _:
                return False

    def _restates(self, record: Record) -> bool:
        if not self.told:
            return False
        for sentence in _SENTENCE.split(text_of(record)):
            if self._words.search(sentence.casefold()) is None:
                continue
            pool = words(sentence[:2000])
            if any(len(held(told, pool)) == len(told) for told in self.told):
                return True
        return False

    def _own_in(self, record: Record) -> frozenset[str]:
        if not self._own:
            return frozenset()
        text = text_of(record)
        return frozenset(word for word, finder in self._own if finder.in_text(text))

    def settle(self, lines: list[_Line]) -> tuple[dict[str, int], tuple[str, ...]]:
        """Lines go too that hold a word which is mostly said because of the target: a name, or another word where
        nothing else is spoken of. The words in lines that stay, and in how many; and those that are in none."""
        rare, often = set(), set()
        for word in (*self.own, *self.rare):
            # What tools show follows from what was said, and tells nothing of how often that was.
            every = [line for line in lines if word in line.own and not isinstance(line.record, ToolMessage)]
            hits = sum(line.hit for line in every)
            if every and len(every) <= 2 * hits:
                rare.add(word)
            elif word in self.rare and len(every) - hits > _FEW:
                often.add(word)
        names = rare.intersection(self.own)
        for line in lines:
            line.hit = line.hit or bool(line.own & names) or (line.alone and bool(line.own & rare))
        left = {w: sum(w in line.own and not line.hit for line in lines) for w, _ in self._own if w not in often}
        return {w: n for w, n in left.items() if n}, tuple(w for w, n in left.items() if not n)


def _told(line: str) -> list[str]:
    return [w for w in dict.fromkeys(words(line)) if w not in _STOP and len(w) > 1]


def _said(record: Record) -> str:
    """The words of a record, of a call what it was given."""
    if not isinstance(record, AssistantMessage):
        return text_of(record)
    given = [str(value) for call in record.tool_calls for value in (call.arguments or {}).values()]
    return "\n".join([record.content, record.reasoning or "", *given])


def _plain(text: str) -> str:
    return " ".join(text.replace("> ", "").casefold().split())


def _take(log: FoundLog, lines: Iterable[_Line], records: Iterable[Record]) -> None:
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
