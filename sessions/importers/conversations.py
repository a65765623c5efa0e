"""Exports of web chats: each is an array of conversations, and all of them have the same file name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from sessions.errors import UsageError
from sessions.importers.base import Report, Source
from sessions.importers.elements import Element, Elements
from sessions.importers.export import Talk
from sessions.importers.export_files import Part, modified, parts, reading
from sessions.importers.memories import Remembered
from sessions.importers.spoken import Said, digest, stamp
from sessions.messages import Json, clean
from sessions.store.recap import one_line

_NAMES = {"chatgpt": "ChatGPT", "claude-ai": "Claude.ai"}


def kind_of(raw: Json) -> str:
    """Whose conversation it is; empty when it is none."""
    if isinstance(raw.get("chat_messages"), list):
        return "claude-ai"
    return "chatgpt" if isinstance(raw.get("mapping"), dict) else ""


def sniff(path: Path) -> str:
    """Whose export it is, by the first conversation that can be read; empty when it is none. Raises as `parts`."""
    for part in parts(path):
        with reading(part, lambda _: None) as read:
            for element in Elements(read, part.name, lambda raw: bool(kind_of(raw)), Report()):
                return kind_of(element.raw)
    return ""


class Conversations(ABC):
    """A reader of such exports."""

    kind: str
    name: str

    def size(self, path: Path) -> int:
        """Bytes of all its files, unpacked."""
        return sum(part.size for part in parts(path))

    def talks(self, path: Path, report: Report, told: Callable[[int], None]) -> Iterator[Talk]:
        """Each conversation once, also when two files have it. UsageError when it is the export of another."""
        met: set[str] = set()
        wrong: UsageError | None = None
        for part in parts(path):
            own = False
            with reading(part, told) as read:
                for element in Elements(read, part.name, lambda raw: bool(kind_of(raw)), report):
                    other = kind_of(element.raw)
                    if other != self.kind and not own:
                        # A folder may hold the exports of both.
                        advice = f"Use: memagent-tui import {other} {path}"
                        wrong = UsageError(f"{part.name} is an export of {_NAMES[other]}, not of {self.name}", advice)
                        break
                    if other != self.kind:
                        report.cannot(part.name, element.line, f"a conversation of {_NAMES[other]}")
                        continue
                    own = True
                    talk = self._talk(part, element)
                    if talk.source.uuid in met:
                        report.skipped["the same conversation again"] += 1
                        continue
                    met.add(talk.source.uuid)
                    yield talk
        if wrong is not None and not met:
            raise wrong

    def remembered(self, path: Path, report: Report) -> Iterator[Remembered]:
        """There are no facts in it."""
        yield from ()

    @abstractmethod
    def said(self, raw: Json, report: Report) -> Iterable[Said]:
        """The messages of a conversation, in order."""

    @abstractmethod
    def began(self, raw: Json) -> str:
        """When; empty when it does not say."""

    @abstractmethod
    def uuid(self, raw: Json) -> str:
        """Of the conversation; empty when it has none."""

    @abstractmethod
    def title(self, raw: Json) -> str: ...

    def model(self, raw: Json) -> str:
        """That answered at first; empty when it is not told."""
        return ""

    def _talk(self, part: Part, element: Element) -> Talk:
        raw, data = element.raw, element.text.encode("utf-8", "replace")
        title, at = clean(one_line(self.title(raw))), self.began(raw)
        of_all = sha256(data).hexdigest()[:32]
        uuid = clean(self.uuid(raw)) or (digest(f"{title}\0{at}") if title or at else of_all)
        mtime_ns = modified(part.path)
        source = Source(self.kind, uuid, part.path, len(data), mtime_ns, digest=of_all)
        return Talk(
            source, lambda report: self.said(raw, report), title, at or stamp(mtime_ns / 10**9),
            clean(self.model(raw)),
        )  # fmt: skip
