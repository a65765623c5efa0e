"""What a session was about, by rules: a title and a recap made of what stands in its log.

Words said with memory off, and the answers to them, are in neither: a recap may be read by a model. Lines of
sub-agents are left out too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, Unknown, UserMessage

TITLE = 60
"""Longest title, in characters."""
_LINE = 160
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
_MARKUP = re.compile(r"^(?:[#>*+-]+\s+|\d+[.)]\s+|`{3,}\w*\s*)+")
_ITEM = re.compile(r"^\s*(?:[*+•-]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_STRESS = re.compile(r"(\*\*|__|`)(?=\S)(.+?)(?<=\S)\1")
_LEARNED = {"created", "updated", "restored", "accepted"}
_GONE = {"forgotten", "deleted", "undone"}


def one_line(text: str, most: int = TITLE) -> str:
    """The text as one line of at most `most` characters without control characters, cut between words."""
    line = " ".join(_CONTROL.sub(" ", text[: most * 20]).split())
    if len(line) <= most:
        return line
    words = line[:most].rsplit(" ", 1)[0]
    return (words if most // 2 < len(words) < most else line[: most - 1]).rstrip(" ,;:.") + "…"


@dataclass(slots=True)
class Digest:
    """A log read once, record by record; title and recap can be asked for at any point."""

    request: str = ""
    """The first request, from its first line with words on."""
    newest: str = ""
    """The newest request."""
    requests: int = 0
    tools: dict[str, int] = field(default_factory=dict)
    facts: dict[str, None] = field(default_factory=dict)
    """Names of facts learned here and not forgotten here, oldest first."""
    answer: str = ""
    """The newest answer, or its beginning."""
    upto: str = ""
    """Id of the newest message that was looked at."""
    off: bool = False
    """Whether the current turn was said with memory off."""

    def feed(self, record: Record) -> None:
        """Take the next record of the log."""
        if isinstance(record, Unknown):
            return
        if isinstance(record, Marker):
            self._marker(record)
            return
        if record.parent is not None:
            return
        if isinstance(record, UserMessage):
            self.off = record.memory == "off"
        self.upto = record.id
        if self.off:
            return
        match record:
            case UserMessage() if record.content.strip():
                self.requests += 1
                self.newest = _first_words(record.content)
                self.request = self.request or self.newest
            case AssistantMessage() if record.content.strip():
                self.answer = record.content.strip()[: _LINE * 20]
            case ToolMessage() if record.name:
                self.tools[record.name] = self.tools.get(record.name, 0) + 1
            case _:
                pass

    def title(self) -> str:
        """The first request in at most 60 characters; empty when there is none to show."""
        return one_line(self.request)

    def recap(self, title: str = "") -> str:
        """A line each for request, newest request, tools, facts and answer, as far as there are any.

        The request is left out when the title already says it whole.
        """
        lines = []
        if self.request and one_line(self.request, _LINE) != (title or None):
            lines.append(f"Asked: {one_line(self.request, _LINE)}")
        if self.requests > 1:
            others = f" (and {self.requests - 2} more)" if self.requests > 2 else ""
            lines.append(f"Then: {one_line(self.newest, _LINE)}{others}")
        if self.tools:
            lines.append("Used: " + ", ".join(f"{t} {n}×" if n > 1 else t for t, n in self.tools.items()))
        if self.facts:
            lines.append("Learned: " + ", ".join(self.facts))
        if answer := _in_words(self.answer):
            lines.append(f"Answer: {answer}")
        return "\n".join(lines)

    def _marker(self, marker: Marker) -> None:
        name, op = marker.data.get("name"), marker.data.get("op")
        if marker.kind != "fact" or not isinstance(name, str) or self._copied(marker):
            return
        if op in _GONE:
            self.facts.pop(name, None)
        elif op in _LEARNED:
            self.facts[name] = None

    @staticmethod
    def _copied(marker: Marker) -> bool:
        return marker.data.get("copied") is True


def rule_title(records: Iterable[Record]) -> str:
    """The title of a session that nobody named: its first request, at most 60 characters, one line."""
    return _fed(records).title()


def rule_recap(records: Iterable[Record]) -> str:
    """What the session did, in up to five lines: first request, newest request, tools, facts learned, last answer."""
    return _fed(records).recap()


def _fed(records: Iterable[Record]) -> Digest:
    digest = Digest()
    for record in records:
        digest.feed(record)
    return digest


def _in_words(answer: str) -> str:
    """An answer as one line of words: no marks of Markdown, no signs before a line; a list is its first point."""
    said, points, heading = "", 0, False
    for source in answer.split("\n"):
        point = _ITEM.match(source) is not None
        text = _STRESS.sub(r"\2", _LINK.sub(r"\1", _MARKUP.sub("", source.strip())))
        bare = text.lstrip("".join(c for c in text if unicodedata.category(c) in {"So", "Sk", "Mn"}) + " \ufe0f\u200d")
        if not any(c.isalnum() for c in bare):
            continue
        points += point
        if points > 1 or (points and not point):
            continue
        ends = said[-1:].isalnum()
        said += (", " if ends and bare != text else ": " if ends and heading else " ") + bare if said else bare
        heading = source.startswith("#")
    more = f" (and {points - 1} more)" if points > 1 else ""
    return one_line(said, _LINE - len(more)) + more


def _first_words(text: str) -> str:
    """The text from its first line that has words, without the marks of Markdown before them."""
    for line in text[:10_000].split("\n"):
        words = _MARKUP.sub("", line.strip())
        if any(c.isalnum() for c in words):
            return words
    return text.strip()[:_LINE]
