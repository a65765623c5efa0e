"""A session as a document for people, or as the lines of its log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from sessions.clock import parse_iso
from sessions.messages import AssistantMessage, Marker, Record, ToolMessage, UserMessage
from sessions.paths import HomePaths
from sessions.store.log import read_log
from sessions.store.meta import Meta, derive
from sessions.store.sidefiles import full_content

Format = Literal["md", "jsonl"]
FORMATS: tuple[Format, ...] = ("md", "jsonl")


def export(paths: HomePaths, session: str, form: Format) -> str:
    """The session as text. StoreError when its log cannot be read.

    `md`: what was said, with times and tool calls. `jsonl`: the log's own lines, large results put back into them.
    """
    records = read_log(paths.session_log(session)).records
    if form == "md":
        return "".join(_document(paths, derive(session, records), records))
    import json

    from sessions.messages import clean, to_json

    lines = (json.dumps(to_json(_whole(paths, session, r)), ensure_ascii=False) for r in records)
    return "".join(clean(line) + "\n" for line in lines)


def file_name(meta: Meta, form: Format) -> str:
    """A name for the exported file: `2026-11-29-weather-in-tokyo.md`."""
    title = re.sub(r"[^\w]+", "-", meta.title.casefold()).strip("-")[:60].strip("-")
    return f"{meta.created_at[:10]}-{title or meta.id}.{form}"


def _whole(paths: HomePaths, session: str, record: Record) -> Record:
    import dataclasses

    if isinstance(record, ToolMessage) and record.file is not None:
        return dataclasses.replace(record, content=full_content(paths, session, record), file=None)
    return record


def _document(paths: HomePaths, meta: Meta, records: list[Record]) -> Iterator[str]:
    yield f"# {meta.title or 'Untitled'}\n\n"
    about = [_day(meta.created_at), meta.cwd, meta.model or meta.profile, f"session {meta.id}"]
    yield " · ".join(part for part in about if part) + "\n"
    for record in records:
        match record:
            case UserMessage():
                yield f"\n## {record.name or 'You'}{_at(record.at)}\n\n{record.content}\n"
            case AssistantMessage():
                if record.content.strip():
                    yield f"\n## {_speaker(record)}{_at(record.at)}\n\n{record.content}\n"
            case ToolMessage():
                content = full_content(paths, meta.id, record)
                fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", content)), default=0))
                yield f"\n**{record.name}**{'' if record.ok else ' (failed)'}\n\n{fence}\n{content}\n{fence}\n"
            case Marker(kind="compaction") if isinstance(text := record.data.get("content"), str):
                yield f"\n---\n\n*Earlier, in short:*\n\n{text}\n"
            case Marker(kind="cleared"):
                yield "\n---\n"
            case _ if getattr(record, "erased", False):
                yield "\n*erased*\n"
            case _:
                pass


def _speaker(record: AssistantMessage) -> str:
    name = record.extra.get("name")
    return name if isinstance(name, str) and name else "Answer"


def _day(text: str) -> str:
    at = parse_iso(text)
    return f"{at.astimezone():%A %d %B %Y}" if at else ""


def _at(text: str) -> str:
    at = parse_iso(text)
    return f" · {at.astimezone():%H:%M}" if at else ""
