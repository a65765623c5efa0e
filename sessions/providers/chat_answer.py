"""Puts a streamed answer together: text and reasoning as they come, tool calls and usage at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sessions.messages import Stop, Usage, clean
from sessions.numbers import amount
from sessions.numbers import whole as whole_number
from sessions.providers.base import Finished, Piece, ReasoningPiece, TextPiece
from sessions.providers.call_parts import CallParts, whole
from sessions.providers.limits import CALLS, TEXT, short
from sessions.providers.returned import Returned
from sessions.providers.think import ThinkSplitter

_LENGTH = {"length", "max_tokens", "model_length"}


class Answer:
    """Feed it the objects of a stream (deltas) or one whole completion; `take` gives what can be shown."""

    def __init__(self, meant: Callable[[str], str] = str) -> None:
        """`meant` gives the tool's own name for the one that the model used."""
        self.error: Any = None
        """What the service said had gone wrong in the middle of its answer: usually an object with `message`."""
        self.ended = False
        """Whether the service said that the answer is complete."""
        self.began = False
        """Whether any choice came."""
        self.said = False
        """Whether the answer holds any text."""
        self.reason = ""
        """The service's word for why the answer ended."""
        self.cut = ""
        """Why no more of it is taken; empty while more is."""
        self._room = TEXT
        self._calls = CallParts()
        self._meant = meant
        self._returned = Returned()
        self._think = ThinkSplitter()
        self._usage: Usage | None = None
        self._model: str | None = None
        self._pieces: list[Piece] = []
        self._parts: list[str] = []
        self._reasoning = False
        self._half = ""

    def feed(self, event: dict[str, Any]) -> None:
        """Take one object. Objects of unknown shape are skipped."""
        choices = event.get("choices")
        if (usage := event.get("usage")) or not choices:
            self._about(event, usage, bool(choices))
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return
        choice = choices[0]
        if choice.get("index") not in (0, None):
            return
        delta = choice.get("delta")
        if not isinstance(delta, dict) or not delta:
            delta = None if self.began else choice.get("message", {"content": choice.get("text")})
        self.began = True
        if isinstance(delta, dict):
            self._delta(delta)
        if error := choice.get("error") or event.get("error"):
            self.error = error
        if reason := choice.get("finish_reason"):
            self.ended, self.reason = True, reason if isinstance(reason, str) else ""
            if self.reason == "error":
                self.error = self.error or {"message": "it gave no reason"}
            if self._model is None and isinstance(event.get("model"), str):
                self._model = short(event["model"])

    def take(self) -> list[Piece]:
        """What came since the last time, neighbours of one kind as one piece."""
        self._flush()
        pieces, self._pieces = self._pieces, []
        return pieces

    def close(self) -> list[Piece]:
        """The last pieces, without `Finished`."""
        for reasoning, text in self._think.close():
            self._add(text, reasoning)
        if self._half:
            self._half = ""
            self._add("\ufffd", self._reasoning)
        return self.take()

    def finished(self) -> Finished:
        """The end of the answer. Of one that was cut no call is complete for sure."""
        if self.cut:
            return Finished("length", (), self._usage, self._model, cut=self.cut)
        calls = tuple(replace(call, name=self._meant(call.name)) for call in self._calls.calls())
        stop: Stop = "length" if self.reason in _LENGTH else "tool_calls" if calls else "stop"
        return Finished(stop, calls, self._usage, self._model, self._returned.items)

    def _delta(self, delta: dict[str, Any]) -> None:
        self._returned.feed(delta)
        reasoning = delta.get("reasoning_content") or delta.get("reasoning")
        if reasoning and isinstance(reasoning, str):
            self._add(reasoning, True)
        content = delta.get("content")
        if content:
            self._content(content)
        if refusal := delta.get("refusal"):
            self._content(refusal)
        if calls := delta.get("tool_calls"):
            self._calls.feed(calls)
        if call := delta.get("function_call"):  # the older form, one call an answer
            self._calls.feed({"index": 0, "function": call})
        if self._calls.full:
            self.cut = f"The answer was cut: it asked for more than {CALLS} tool calls at once"

    def _content(self, content: Any) -> None:
        if isinstance(content, str):
            if self._think.plain:
                self._add(content, False)
            else:
                for reasoning, text in self._think.feed(content):
                    self._add(text, reasoning)
        elif isinstance(content, list):  # parts, each with its kind
            for part in content:
                if isinstance(part, dict) and isinstance(part.get("text"), str):
                    self._content(part["text"])
                elif isinstance(part, dict) and isinstance(part.get("thinking"), list):
                    for thought in part["thinking"]:
                        if isinstance(thought, dict) and isinstance(thought.get("text"), str):
                            self._add(thought["text"], True)

    def _add(self, text: str, reasoning: bool) -> None:
        if len(text) > self._room:
            text = text[: self._room]
            self.cut = f"The answer was cut: it went on after {TEXT:,} characters"
        self._room -= len(text)
        if not text:
            return
        if not text.isascii() or self._half:
            text, self._half = self._half + text, ""
            if "\ud800" <= text[-1] <= "\udbff":
                text, self._half = text[:-1], text[-1]
            text = clean(whole(text))
        if reasoning != self._reasoning:
            self._flush()
            self._reasoning = reasoning
        if text:
            self._parts.append(text)
            self.said = self.said or not reasoning

    def _flush(self) -> None:
        if self._parts:
            text = "".join(self._parts) if len(self._parts) > 1 else self._parts[0]
            self._pieces.append(ReasoningPiece(text) if self._reasoning else TextPiece(text))
            self._parts = []

    def _about(self, event: dict[str, Any], usage: Any, choices: bool) -> None:
        """Usage, and errors, which come without choices."""
        if isinstance(usage, dict):
            self._usage = _usage(usage) or self._usage
            self.ended = self.ended or (not choices and self.began)
        elif isinstance(groq := event.get("x_groq"), dict) and isinstance(groq.get("usage"), dict):
            self._usage = _usage(groq["usage"])
        if not choices:
            if event.get("error"):
                self.error = event["error"]
            elif event.get("object") == "error":
                self.error = event


def _usage(raw: dict[str, Any]) -> Usage | None:
    """Tokens by either pair of names; None when the service counted nothing."""

    def number(source: Any, *names: str) -> int:
        values = [whole_number(source.get(n)) for n in names] if isinstance(source, dict) else []
        return next((v for v in values if v is not None), 0)

    sent, received = number(raw, "prompt_tokens", "input_tokens"), number(raw, "completion_tokens", "output_tokens")
    details = raw.get("prompt_tokens_details") or raw.get("input_tokens_details")
    cached = number(details, "cached_tokens") or number(raw, "prompt_cache_hit_tokens")
    return Usage(sent, received, cached, amount(raw.get("cost"))) if sent or received else None
