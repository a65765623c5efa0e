"""What goes to the model with the next message, part by part, for a person to read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from sessions.agent.budget import Budget, messages_chars
from sessions.agent.context import Built, LeftOut
from sessions.agent.desk import Parts
from sessions.agent.offering import Why
from sessions.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from sessions.providers.base import Request, ToolSpec
from sessions.tools.base import FRAME_CHARS, ContextBlock, tools_chars

# So many messages that are no longer sent can be read here; the transcript has all.
_GONE = 200
NEXT = "next"
"""Id of the message that is not sent yet."""

PartKind: TypeAlias = Literal[
    "tools",
    "tool",
    "system",
    "self",
    "facts",
    "fact",
    "label",
    "summary",
    "messages",
    "user",
    "assistant",
    "call",
    "result",
    "environment",
    "changed",
    "next",
    "gone",
]


@dataclass(frozen=True, slots=True)
class ContextPart:
    """A part of a request, or several that belong together."""

    kind: PartKind
    title: str = ""
    """Name of a tool or fact; empty where the kind says it all."""
    text: str = ""
    """As it is sent; empty where the text stands in `parts`."""
    tokens: int = 0
    """Estimated, those of its `parts` included."""
    parts: tuple[ContextPart, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextView:
    """The next request, in the order in which the model gets it."""

    parts: tuple[ContextPart, ...]
    window: int
    left_out: LeftOut
    block: ContextBlock
    """How many facts are sent and listed, and how many did not fit."""
    off: bool
    request: Request
    gone: ContextPart | None = None
    """What was said earlier and is no longer sent: the newest of it in `parts`, all of it in `tokens`."""
    left_tools: tuple[str, ...] = ()
    """Names of the tools that are not offered."""
    why: Why = ""
    """What speaks against offering all tools, and in full."""

    @property
    def tokens(self) -> int:
        """Of the whole request, estimated."""
        return sum(part.tokens for part in self.parts)


def view(parts: Parts, built: Built, budget: Budget, window: int) -> ContextView:
    """The parts of a request that was built of `parts`."""
    return _View(budget).of(parts, built, window)


class _View:
    def __init__(self, budget: Budget) -> None:
        self._tokens = budget.tokens

    def of(self, parts: Parts, built: Built, window: int) -> ContextView:
        request = built.request
        *earlier, newest = request.messages
        out = [
            self._group("tools", [self._tool(spec) for spec in request.tools]),
            self._text("system", parts.system),
            *self._facts(parts.blocks),
            self._text("summary", request.summary),
            self._group("messages", [part for message in earlier for part in self._message(message)]),
            self._text("environment", parts.now),
            self._text("changed", parts.changed),
            self._text("next", newest.content, FRAME_CHARS),
        ]
        shown = tuple(p for p in out if p.text or p.parts or p.kind == "next")
        gone = self._gone(built.left_out.gone)
        left = parts.left, parts.why
        return ContextView(shown, window, built.left_out, _together(parts.blocks), parts.off, request, gone, *left)

    def _gone(self, messages: tuple[Message, ...]) -> ContextPart | None:
        if not messages:
            return None
        parts = tuple(part for message in messages[-_GONE:] for part in self._message(message))
        return ContextPart("gone", tokens=self._tokens(messages_chars(messages)), parts=parts)

    def _text(self, kind: PartKind, text: str, more: int = 0, title: str = "") -> ContextPart:
        return ContextPart(kind, title, text, self._tokens(len(text) + more) if text else 0)

    def _group(self, kind: PartKind, parts: list[ContextPart]) -> ContextPart:
        return ContextPart(kind, tokens=sum(part.tokens for part in parts), parts=tuple(parts))

    def _tool(self, spec: ToolSpec) -> ContextPart:
        text = f"{spec.description}\n{json.dumps(spec.parameters, ensure_ascii=False)}"
        return ContextPart("tool", spec.name, text, self._tokens(tools_chars([spec])))

    def _facts(self, blocks: tuple[ContextBlock, ...]) -> list[ContextPart]:
        pieces = [piece for block in blocks for piece in block.parts]
        about = [self._text("fact", p.text, 1, p.title) for p in pieces if p.group == "self"]
        facts = [self._text("fact", p.text, 1, p.title) for p in pieces if p.group == "fact"]
        labels = [self._text("label", p.text, 1) for p in pieces if p.group == "label"]
        whole = [self._text("facts", block.text) for block in blocks if block.text and not block.parts]
        if facts or not about:
            return [self._group("self", about), self._group("facts", facts + labels), *whole]
        return [self._group("self", about + labels), *whole]

    def _message(self, message: Message) -> list[ContextPart]:
        match message:
            case ToolMessage():
                return [self._text("result", message.content, FRAME_CHARS, message.name)]
            case AssistantMessage():
                said = [self._text("assistant", message.content, FRAME_CHARS)] if message.content else []
                return [*said, *map(self._call, message.tool_calls)]
            case UserMessage():
                return [self._text("user", message.content, FRAME_CHARS)]
            case _ as unreachable:
                assert_never(unreachable)

    def _call(self, call: ToolCall) -> ContextPart:
        text = json.dumps(call.arguments, ensure_ascii=False) if call.arguments is not None else call.arguments_text
        return self._text("call", text or "{}", len(call.name) + FRAME_CHARS, call.name)


def _together(blocks: tuple[ContextBlock, ...]) -> ContextBlock:
    return ContextBlock(
        count=sum(b.count for b in blocks),
        left_out=sum(b.left_out for b in blocks),
        listed=sum(b.listed for b in blocks),
        unlisted=sum(b.unlisted for b in blocks),
    )
