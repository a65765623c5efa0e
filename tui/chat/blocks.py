"""What a transcript consists of. Plain data: no width, no colour, nothing that a replay could not rebuild."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from sessions.events import Level
from tui.chat.pieces import Piece
from tui.widgets.calls import told_arguments

CallState: TypeAlias = Literal["running", "waiting", "done", "failed"]


@dataclass(slots=True, kw_only=True)
class Block:
    """One part of the transcript. `id` names it while the document lives, `rev` grows when it changes."""

    id: int = field(default=0, compare=False)
    rev: int = field(default=0, compare=False)
    turn: int = 0
    place: int = field(default=0, compare=False)
    """Index at which it came into the document; others may have come before it since."""

    @property
    def source(self) -> str:
        """The text that selection and copy work on; empty for what is not part of the conversation."""
        return ""


class Said(NamedTuple):
    """Where something was said."""

    message: str
    """Id of the message in the log."""
    turn: int = 0
    tool: str = ""
    """Of a call or a result the tool's name; such a message is found by it, in the turn."""


@dataclass(slots=True, kw_only=True)
class Prompt(Block):
    text: str
    at: str = ""
    name: str | None = None
    message: str = ""
    unremembered: bool = False
    """It was said with memory off."""
    older: tuple[Way, ...] = ()
    """How the conversation went on from here before, the oldest way first."""

    @property
    def source(self) -> str:
        return self.text


Way: TypeAlias = tuple[Block, ...]
"""A prompt and all that followed it, until the conversation went back before it."""


@dataclass(slots=True, kw_only=True)
class More(Block):
    """A further piece of a prompt of megabytes."""

    text: str

    @property
    def source(self) -> str:
        return self.text


@dataclass(slots=True, kw_only=True)
class TakenBack(Block):
    """The place of a prompt that was taken back, until another is said."""

    text: str
    older: tuple[Way, ...] = ()

    @property
    def source(self) -> str:
        return f"Taken back: {self.text}"


@dataclass(slots=True, kw_only=True)
class Growing(Block):
    """Text that arrives in pieces; they are joined when somebody reads."""

    text_: str = ""
    open: bool = field(default=True, compare=False)
    """More may come."""
    pending: list[str] = field(default_factory=list, compare=False, repr=False)

    def add(self, text: str) -> None:
        self.pending.append(text)

    @property
    def text(self) -> str:
        if self.pending:
            self.text_ = "".join([self.text_, *self.pending])
            self.pending.clear()
        return self.text_

    @property
    def source(self) -> str:
        return self.text


@dataclass(slots=True, kw_only=True)
class Answer(Growing):
    message: str = ""
    """Id of the message in the log, once it is there."""
    piece: Piece | None = None
    """Set when it goes on from the block before."""


@dataclass(slots=True, kw_only=True)
class Thought(Growing):
    ms: int | None = None
    message: str = ""
    """As of the answer."""


@dataclass(slots=True, kw_only=True)
class Call(Block):
    call_id: str
    name: str
    arguments: dict[str, Any] | str
    state: CallState = "running"
    content: str = ""
    file: str = ""
    """Where the whole of a large result is kept, as long as `content` is its beginning."""
    ms: int = 0
    recalled: int = 0
    """How many facts its result showed."""
    changed: tuple[int, ...] = ()
    """Numbers of the facts that it wrote, proposed or took away."""
    progress: str = field(default="", compare=False)

    @property
    def source(self) -> str:
        line = told_arguments(self.name, self.arguments)
        return f"{self.name}  {line}" if line else self.name


@dataclass(slots=True, kw_only=True)
class Learned(Block):
    """What became of facts: a line in the chat."""

    op: str
    """created, updated, restored, confirmed, proposed, forgotten."""
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    summaries: tuple[str, ...]
    call_id: str | None = None

    @property
    def source(self) -> str:
        shown = self.summaries or self.names
        return f"{LEARNED.get(self.op, self.op.capitalize())}: {'; '.join(shown)}"


LEARNED = {
    "created": "Remembered",
    "updated": "Changed",
    "restored": "Remembered again",
    "confirmed": "Known already",
    "proposed": "To review",
    "forgotten": "Forgotten",
}


@dataclass(frozen=True, slots=True)
class FootItem:
    """A fact, or the always-sent ones (`kind` always), that the foot of an answer names."""

    kind: Literal["recalled", "saved", "forgot", "always"]
    name: str = ""
    number: int = 0
    count: int = 0


@dataclass(slots=True, kw_only=True)
class Foot(Block):
    """The line under a turn's answer: the facts behind it, and how long it took."""

    stop: str = "stop"
    """stop, length, cancelled, max_steps, repeat, failed."""
    ms: int = 0
    items: tuple[FootItem, ...] = ()
    who: tuple[str, str] = ("", "")
    """Profile and model that answered."""


@dataclass(slots=True, kw_only=True)
class Failed(Block):
    error: str
    advice: str = ""

    @property
    def source(self) -> str:
        return f"{self.error}\n{self.advice}" if self.advice else self.error


@dataclass(slots=True, kw_only=True)
class Divider(Block):
    """What stands above, the model knows in short only (a compaction), or no more (`cleared`)."""

    cleared: bool = False
    messages: int = 0
    counted: bool = True
    """All messages above, to the divider before, were counted."""
    tokens_before: int = 0
    tokens_after: int | None = None
    content: str = ""
    message: str = ""
    """Id of its line in the log."""

    @property
    def source(self) -> str:
        return self.content


@dataclass(slots=True, kw_only=True)
class Gap(Block):
    """Something was said here that is not read yet: the bytes `[start, end)` of the log."""

    start: int
    end: int
    messages: int = 0
    """Counted from the divider above to here, as far as they are read."""


@dataclass(slots=True, kw_only=True)
class Note(Block):
    level: Level
    text: str

    @property
    def source(self) -> str:
        return self.text


def goes_on(block: Block) -> bool:
    """Whether it is a further piece of the text in the block before."""
    return isinstance(block, More) or (isinstance(block, Answer) and block.piece is not None)


ROWS = (Thought, Call, Learned)
"""Blocks of one line that stand together without blanks."""
