"""Takes the reasoning that a model writes as `<think>…</think>` at the start of its answer out of the text."""

from __future__ import annotations

_BLANK = 1_000
"""Characters without a word after which no tag is waited for, nor the end of blank lines."""
_TAGS = {"<think>": "</think>", "<thinking>": "</thinking>"}


class ThinkSplitter:
    """Feed it text as it comes; it gives (is reasoning, text) pairs and holds back what may be a part of a tag.

    Only the start of an answer is looked at, and what follows a closing tag: a model that writes about the tag in
    the middle of a sentence keeps its words.
    """

    def __init__(self) -> None:
        self.plain = False
        """True from the first word of the answer on: everything that follows is text."""
        self._held = ""
        self._close = ""
        self._inside_began = False
        self._thought = False

    def feed(self, text: str) -> list[tuple[bool, str]]:
        out: list[tuple[bool, str]] = []
        self._held += text
        while self._held and not self.plain:
            if not (self._inside(out) if self._close else self._before(out)):
                return out
        if self._held:
            out.append((False, self._held))
            self._held = ""
        return out

    def close(self) -> list[tuple[bool, str]]:
        """What was held back when the answer ends."""
        held, self._held = self._held, ""
        if self._close:
            return [(True, held)] if held else []
        return [(False, held)] if held.strip() or (held and not self._thought) else []

    def _before(self, out: list[tuple[bool, str]]) -> bool:
        """Where a tag may stand. False while that is not decided."""
        if len(self._held) > _BLANK and self._held.isspace():
            self.plain = True
            return True
        start = self._held.lstrip()
        for tag, close in _TAGS.items():
            if start.startswith(tag):
                self._close, self._thought = close, True
                self._held = start[len(tag) :]
                return True
        if any(tag.startswith(start) for tag in _TAGS):
            return False
        self.plain = True
        if self._thought:
            self._held = start
        return True

    def _inside(self, out: list[tuple[bool, str]]) -> bool:
        """Between the tags. False when more is needed."""
        if not self._inside_began:
            self._held = self._held.lstrip("\n")
            self._inside_began = bool(self._held)
        found = self._held.find(self._close)
        if found >= 0:
            if thought := self._held[:found].rstrip("\n"):
                out.append((True, thought))
            self._held = self._held[found + len(self._close) :]
            self._close, self._inside_began = "", False
            return True
        keep = next((n for n in range(len(self._close) - 1, 0, -1) if self._held.endswith(self._close[:n])), 0)
        thought = self._held[: len(self._held) - keep]
        if thought := thought if len(thought) > _BLANK else thought.rstrip("\n"):
            out.append((True, thought))
        self._held = self._held[len(thought) :]
        return False
