"""Which lines of logs go because of what they say, and which stay though a word of it stands in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sessions.erase.target import Target, text_of
from sessions.erase.telling import own_words, rare_words, says_no_more, value_of
from sessions.memory.folded import words
from sessions.memory.wording import content, held, plain
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, UserMessage
from sessions.store.lines import decode
from sessions.store.traces import Finder

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
_FEW_SESSIONS = 5
"""Sessions that know nothing of the target in which such a word may stand."""
_QUIET = {"session", "turn_end", "rewound", "cleared", "approval"}


@dataclass(slots=True)
class Line:
    """A line that may have to go."""

    record: Record | None
    hit: bool
    own: frozenset[str]
    """The target's own words in it, inflected too."""
    alone: bool = False
    """It speaks of nothing else."""
    echo: bool = False
    """It goes with a line of its turn that goes."""
    turn: tuple[str, int] = ("", 0)
    """Its session and the number of its turn, 0 for none."""


class Look:
    """Decides about lines."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.finder = target.in_lines
        self.own = own_words(target.lines) if target.says else ()
        others = dict.fromkeys(w.casefold() for w in (*rare_words(target.says), *target.tells))
        self.rare = tuple(w for w in others if w not in {o.casefold() for o in self.own})
        tells = {w.casefold() for w in target.tells}
        self.tells = frozenset(w for w in (*self.own, *self.rare) if w.casefold() in tells)
        self._known = {w for text in (*target.lines, *target.says) for w in content(text)}
        self._values = {w for text in target.says for w in content(value_of(plain(text)))}
        self._own = [(word, Finder((), words=(word,))) for word in (*self.own, *self.rare)]
        self._all = Finder((), words=(*self.own, *self.rare))
        self._hints = Finder((), words=target.hints)
        told = (tuple(_told(line)) for line in target.lines)
        self.told = tuple(dict.fromkeys(t for t in told if len(t) > 1))
        self.origins = (
            frozenset(s for s, _ in target.messages) if target.what in {"session", "message"} else frozenset()
        )
        """Sessions of which something goes; what a search of the model showed of them elsewhere goes too."""
        self._excerpts = [_plain(line)[:_EXCERPT] for line in target.lines or target.echoes]
        longest = {max(re.findall(r"\w+", line) or [line], key=len).casefold()[:4] for line in target.lines}
        longest |= {max(t, key=len)[:4] for t in self.told}
        words_ = (*self.own, *self.rare, *target.also)
        self._any = Finder(target.phrases, target.names, target.parts, words_)
        self._words = re.compile("|".join(re.escape(beginning) for beginning in sorted(longest)))

    def may(self, data: bytes) -> bool:
        """Whether a log is to be read at all."""
        return self._any.in_bytes(data) or bool(
            self.told and self._words.search(data.decode("utf-8", "replace").casefold())
        )

    def lines(self, data: bytes, wanted: set[str], session: str) -> tuple[list[Line], list[Record]]:
        """The lines to think about, and all records of the log of a session."""
        out: list[Line] = []
        every: list[Record] = []
        for raw in data.split(b"\n"):
            if not raw.strip():
                continue
            records = decode(raw).records
            if not records:
                hit = self.target.in_logs and self.finder.in_bytes(raw)
                out += [Line(None, True, frozenset())] if hit else []
            for record in records:
                every.append(record)
                line = self._line(record, raw, wanted)
                if line is not None:
                    line.turn = session, _turn(record)
                    out.append(line)
        return out, every

    def _line(self, record: Record, raw: bytes, wanted: set[str]) -> Line | None:
        if isinstance(record, Unknown) and record.erased:
            return None
        if isinstance(record, Marker) and record.kind == "session":
            return None
        if record.id in wanted or self._cites(record):
            return Line(record, True, frozenset())
        if not self.target.in_logs or (isinstance(record, Marker) and record.kind in _QUIET):
            return Line(record, True, frozenset()) if self.target.in_logs and self.finder.in_bytes(raw) else None
        if self._about(record) or self.finder.in_bytes(raw) or self._restates(record):
            return Line(record, True, self._own_in(record))
        own = self._own_in(record)
        echo = self._echoes(record, own)
        if not (own or echo):
            return None
        return Line(record, False, own, says_no_more(_said(record), self._known, self._values) if own else False, echo)

    def _echoes(self, record: Record, own: frozenset[str]) -> bool:
        """Whether a model takes up the target in it, if that is spoken of: to look for the thing without its value
        takes up nothing, while an answer that names the thing does. What a person said stands for itself."""
        match record:
            case AssistantMessage(content=answer) if answer:
                return bool(own) or self._hints.in_text(_said(record))
            case AssistantMessage() | ToolMessage():
                return bool(own & self.tells) or self._hints.in_text(_said(record))
            case _:
                return False

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
        if not (number or self.target.called):
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
        if not self._all.in_text(text):
            return frozenset()
        return frozenset(word for word, finder in self._own if finder.in_text(text))

    def settle(self, lines: list[Line]) -> tuple[dict[str, int], tuple[str, ...]]:
        """Lines go too that hold a word which is mostly said because of the target: a name, or another word where
        nothing else is spoken of; and what takes a word of it up in a turn of which a line goes.

        The words in lines that stay, and in how many; and those that are in none.
        """
        rare = set()
        for word in (*self.own, *self.rare):
            # What tools show follows from what was said, and tells nothing of how often that was.
            every = [line for line in lines if word in line.own and not isinstance(line.record, ToolMessage)]
            if every and len(every) <= 2 * sum(line.hit for line in every):
                rare.add(word)
        told_in = {line.turn[0] for line in lines if line.hit and isinstance(line.record, UserMessage)}
        names = rare.intersection(self.own)
        for line in lines:
            line.hit = line.hit or bool(line.own & names) or (line.alone and bool(line.own & rare))
        turns = {line.turn for line in lines if line.hit and line.turn[1]}
        for line in lines:
            line.hit = line.hit or (line.echo and line.turn in turns)
        left: dict[str, int] = {}
        for word, _ in self._own:
            stay = [line for line in lines if word in line.own and not line.hit]
            said = [line for line in stay if not isinstance(line.record, ToolMessage)]
            everywhere = len({line.turn[0] for line in said} - told_in) > _FEW_SESSIONS
            if not (word in self.rare and word not in rare and len(said) > _FEW and everywhere):
                left[word] = len(stay)
        return {w: n for w, n in left.items() if n}, tuple(w for w, n in left.items() if not n)


def _turn(record: Record) -> int:
    turn = record.data.get("turn") if isinstance(record, Marker) else getattr(record, "turn", 0)
    return turn if isinstance(turn, int) else 0


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
