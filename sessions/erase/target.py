"""What is to be erased: named once, kept in a file while it is being done, so that a kill leaves it to be finished."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from sessions import ids
from sessions.erase.telling import short_words, telling_words, value_of
from sessions.errors import StoreError
from sessions.memory.eraser import KnownFact, needles, telling
from sessions.messages import AssistantMessage, Record, ToolMessage, UserMessage
from sessions.store.log import read_log
from sessions.store.traces import Finder

if TYPE_CHECKING:
    from sessions.home import Home

_PHRASE = 500
"""Characters of a message by which it is known elsewhere."""
_PHRASES = 400
"""Of so many messages of a session it is looked whether they stand elsewhere."""

_SENTENCE = re.compile(r"\n+|(?<=[.!?])\s+")

What = Literal["fact", "session", "message", "text"]


@dataclass(frozen=True, slots=True)
class Target:
    """Plain data: it goes through JSON and comes back."""

    what: What
    title: str
    """How a person knows it."""
    phrases: tuple[str, ...] = ()
    """Texts that are it, wherever they stand."""
    echoes: tuple[str, ...] = ()
    """Texts of the messages that go: looked for where prompts and quotes are kept, not in what else was said."""
    names: tuple[str, ...] = ()
    """Names of the fact that tell it wherever they stand."""
    called: tuple[str, ...] = ()
    """All its names, for the places in which only facts are named."""
    parts: tuple[str, ...] = ()
    """Like phrases, also inside of words: a secret."""
    lines: tuple[str, ...] = ()
    """Sentences that are it when they are said in other words, too: for a message in its own session, else anywhere."""
    says: tuple[str, ...] = ()
    """What the fact says, in all its versions: its words are looked for in other messages."""
    tells: tuple[str, ...] = ()
    """Words by each of which it is known, wherever they stand."""
    hints: tuple[str, ...] = ()
    """Short words that tell it only where it is spoken of."""
    also: tuple[str, ...] = ()
    """Those of `tells` that go wherever they stand, inflected too."""
    facts: tuple[str, ...] = ()
    """Ids of the facts and proposals that go."""
    number: int = 0
    """Of the fact."""
    messages: tuple[tuple[str, str], ...] = ()
    """Session and message, in the copies of a fork too."""
    sessions: tuple[str, ...] = ()
    """That go as a whole."""
    holds: tuple[str, ...] = ()
    """What goes besides what was said, in words."""
    in_logs: bool = True
    """Whether other lines in which it stands go too."""

    @property
    def finder(self) -> Finder:
        """Finds it wherever it is not to stand afterwards."""
        return Finder((*self.phrases, *self.echoes), self.names, self.parts, self.also)

    @property
    def in_lines(self) -> Finder:
        """Finds the lines of logs that go because of what they say."""
        return Finder(self.phrases, self.names, self.parts, self.also)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Target:
        """ValueError, TypeError or KeyError for what is none."""
        names = {f.name for f in fields(cls)}
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items() if k in names}
        values["messages"] = tuple((str(s), str(m)) for s, m in raw["messages"])
        return cls(**values)

    def with_words(
        self, words: Iterable[str], facts: Iterable[str], called: Iterable[str], holds: Iterable[str]
    ) -> Target:
        """The same, and wherever these words stand; `facts` by their ids go for them, `called` so, `holds` in words."""
        return replace(
            self,
            also=tuple(dict.fromkeys((*self.also, *words))),
            facts=tuple(dict.fromkeys((*self.facts, *facts))),
            called=tuple(dict.fromkeys((*self.called, *called))),
            holds=(*self.holds, *holds),
        )

    def kept_messages(self) -> Target:
        """The same, but what was said stays."""
        return replace(self, in_logs=False, messages=())


def of_fact(home: Home, ref: str | int) -> Target:
    """The fact of a number or name, forgotten and waiting ones too. Raises FactError when there is none."""
    known = home.facts.eraser.know(ref)
    words = needles(known)
    said = dict.fromkeys(f.summary for f in known.versions)
    bodies = dict.fromkeys(t for f in known.versions for t in _SENTENCE.split(f.body) if value_of(t) != t)
    return Target(
        what="fact",
        title=f"fact {known.number}: {known.fact.summary}",
        phrases=tuple(words["phrases"]),
        names=tuple(words["names"]),
        called=known.names,
        lines=tuple(words["lines"]),
        says=tuple(dict.fromkeys(t for f in known.versions for t in (f.summary, *f.body.split("\n")) if t.strip())),
        tells=telling_words((*said, *bodies)),
        hints=short_words(said),
        facts=known.ids,
        number=known.number,
        messages=known.messages,
        holds=_holds(known),
    )


def _holds(known: KnownFact) -> tuple[str, ...]:
    archived = any(file.startswith("archive/") for file in known.files)
    own = sum(not file.startswith("proposed/") for file in known.files)
    words = ["its place in the archive" if archived else "its file"] if own else []
    words += [_counted(known.entries, "entry of the journal", "entries of the journal")] if known.entries else []
    words += [_counted(known.proposals, "change that waits", "changes that wait")] if known.proposals else []
    return (*words, "MEMORY.md")


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def of_session(home: Home, session: str, *, facts: bool = False) -> Target:
    """A session, also one in the trash; with `facts` those that were learned in it, too. StoreError for none."""
    path = log_of(home, session)
    records = read_log(path).records
    said = [r.content for r in records if isinstance(r, UserMessage) and r.extra.get("copied") is not True]
    phrases = dict.fromkeys(_phrase(text) for text in said[:_PHRASES] if _telling(text))
    messages = tuple((session, r.id) for r in records if isinstance(r, UserMessage | AssistantMessage | ToolMessage))
    title = f"the session {title_of(home, session)}"
    files = [home.paths.session_files(session), home.paths.trash / f"{session}.files"]
    holds = ("its log, files beside it" if any(f.is_dir() for f in files) else "its log",)
    target = Target("session", title, echoes=tuple(phrases), messages=messages, sessions=(session,), holds=holds)
    if not facts:
        return target
    for number in learned_in(home, session):
        other = of_fact(home, number)
        target = replace(
            target,
            phrases=(*target.phrases, *other.phrases),
            names=(*target.names, *other.names),
            called=(*target.called, *other.called),
            lines=(*target.lines, *other.lines),
            says=(*target.says, *other.says),
            tells=(*target.tells, *other.tells),
            hints=(*target.hints, *other.hints),
            facts=(*target.facts, *other.facts),
            messages=(*target.messages, *other.messages),
            holds=(*target.holds, other.title),
        )
    return target


def of_message(home: Home, session: str, message: str) -> Target:
    """One message, and where its words stand again. StoreError when there is none."""
    for record in read_log(log_of(home, session)).records:
        if record.id == message and isinstance(record, UserMessage | AssistantMessage | ToolMessage):
            text = record.content
            phrases = (_phrase(text),) if _telling(text) else ()
            lines = tuple(s for s in _SENTENCE.split(text)[:20] if len(s) < 300)
            title = f"the message {_short(text)}"
            own = lines if isinstance(record, UserMessage) else ()
            return Target("message", title, echoes=phrases, lines=own, messages=((session, message),))
    raise StoreError(f"There is no message {message} in the session {session}", "memagent-tui sessions show ID --json")


def of_text(text: str, title: str, *messages: tuple[str, str]) -> Target:
    """A text wherever it stands, such as a secret; the messages that hold it are found by it."""
    return Target("text", title, parts=(text,), messages=messages)


def learned_in(home: Home, session: str) -> list[int]:
    """Numbers of the facts that come from a session."""
    every = (*home.facts.snapshot().facts, *home.facts.archived())
    return sorted({f.number for f in every if f.source.session == session and f.number})


def log_of(home: Home, session: str) -> Path:
    """The log of a session, from the trash if it is there. StoreError when there is none."""
    if ids.is_session_id(session):
        for path in (home.paths.session_log(session), home.paths.trash / f"{session}.jsonl"):
            if path.exists():
                return path
    raise StoreError(f"There is no session {session}", "memagent-tui sessions list shows them")


def title_of(home: Home, session: str) -> str:
    """The session as a person knows it."""
    from sessions.store.meta import derive

    meta = home.catalog.get(session)
    if meta is None:
        path = home.paths.trash / f"{session}.jsonl"
        meta = derive(session, read_log(path).records) if path.exists() else None
    return meta.title if meta is not None and meta.title else "untitled"


def job_file(home: Home) -> Path:
    """Where it is said what is being erased."""
    return home.paths.local / "erasing.json"


def write_job(path: Path, target: Target) -> None:
    """Say durably what is about to be erased."""
    from sessions.store.atomic import make_folder, write_atomic

    make_folder(path.parent)
    write_atomic(path, json.dumps({"v": 1} | target.as_json(), ensure_ascii=False).encode())


def read_job(path: Path) -> Target | None:
    """What was being erased; None when nothing was, or when the file is none of ours."""
    try:
        return Target.from_json(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _telling(text: str) -> bool:
    return telling(text) and len(text.split()) + text.count("-") > 3


def _phrase(text: str) -> str:
    return text.strip()[:_PHRASE].rstrip(" .!?")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return f"“{line[:60]}…”" if len(line) > 60 else f"“{line}”"


def text_of(record: Record) -> str:
    """What a record says, without what the program notes about it."""
    match record:
        case UserMessage() | ToolMessage():
            return record.content
        case AssistantMessage():
            calls = [json.dumps(c.arguments or c.arguments_text or "", ensure_ascii=False) for c in record.tool_calls]
            return "\n".join([record.content, record.reasoning or "", *calls])
        case _:
            found = record.data if not hasattr(record, "raw") else record.raw
            return "\n".join(v for v in found.values() if isinstance(v, str))
