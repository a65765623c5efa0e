"""The blocks of Claude Code's messages as texts, calls, results and attachments of ours."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sessions.importers.base import Report
from sessions.importers.claude_lines import blocks, is_call, is_file, is_result, message_of, said, thought
from sessions.importers.jsonl import dict_of, list_of, text_of
from sessions.importers.plain import open_plain
from sessions.messages import Json, Stop, ToolCall, Usage
from sessions.numbers import whole

_PERSISTED = re.compile(r"<persisted-output>[^<]{0,600}?tool-results[\\/]([\w.-]{1,200}\.txt)")
_LARGEST = 64 << 20
"""Bytes of a result kept in a file of its own that are read."""
_STOPS: dict[str, Stop] = {"tool_use": "tool_calls", "max_tokens": "length", "model_context_window_exceeded": "length"}


def spoken(raw: Json) -> tuple[str, tuple[Json, ...]]:
    """What a person said in a line: text with a mark for each file, and the files without their bytes."""
    texts: list[str] = []
    files: list[Json] = []
    for block in blocks(raw):
        if is_file(block):
            files.append(attachment(block, len(files) + 1))
            texts.append(f"[{files[-1]['kind']}: {files[-1]['name']}]")
        elif text := said(block):
            texts.append(text)
    return "\n".join(texts), tuple(files)


def attachment(block: Json, number: int) -> Json:
    """`{kind, name, mime, bytes, sha256}` of an image or a document; the last two when its bytes can be read."""
    source, kind = dict_of(block.get("source")), text_of(block.get("type"))
    mime = text_of(source.get("media_type"))
    suffix = re.sub(r"[^a-z0-9]", "", mime.rpartition("/")[2].partition("+")[0].lower())
    name = text_of(block.get("title")) or f"{kind}-{number}" + (f".{suffix}" if suffix else "")
    out: Json = {"kind": kind, "name": name, "mime": mime}
    data = source.get("data")
    if isinstance(data, str):
        try:
            decoded = (
                base64.b64decode(data, validate=True)
                if source.get("type") != "text"
                else data.encode("utf-8", "replace")
            )
            out |= {"bytes": len(decoded), "sha256": hashlib.sha256(decoded).hexdigest()}
        except (binascii.Error, ValueError):
            pass
    return out


def words(parts: Iterable[Json]) -> tuple[str, str | None]:
    """(text, reasoning) of a reply's blocks; what an earlier one says already is not said again."""
    texts: dict[str, None] = {}
    thoughts: dict[str, None] = {}
    for block in parts:
        if (text := said(block)).strip():
            texts[text] = None
        elif thinking := thought(block):
            thoughts[thinking] = None
    return "\n\n".join(texts), "\n\n".join(thoughts) or None


def calls(parts: Iterable[Json]) -> dict[str, ToolCall]:
    """The calls of a reply's blocks by their ids there, each once, in order of first appearance."""
    out: dict[str, ToolCall] = {}
    for block in parts:
        if is_call(block) and block["id"] not in out:
            id_, given = block["id"], block.get("input")
            arguments = given if isinstance(given, dict) else None
            text = None if arguments is not None else given if isinstance(given, str) else json.dumps(given)
            out[id_] = ToolCall(id_, text_of(block.get("name")) or "tool", arguments, text, id_)
    return out


def usage(lines: Iterable[Json]) -> Usage | None:
    """Tokens of a reply: rows before the last one are partial."""
    found: Json = {}
    for raw in lines:
        found = dict_of(message_of(raw).get("usage")) or found
    if not found:
        return None
    keys = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    new, written, cached, output = (whole(found.get(key)) or 0 for key in keys)
    return Usage(new + written + cached, output, cached)


def stop(lines: Iterable[Json], has_calls: bool) -> Stop:
    """Why a reply ended; older versions do not say."""
    if has_calls:
        return "tool_calls"
    last = None
    for raw in lines:
        last = message_of(raw).get("stop_reason") or last
    found = _STOPS.get(last, "stop") if isinstance(last, str) else "stop"
    return found if found != "tool_calls" else "stop"


def result_block(raw: Json, call: str) -> Json | None:
    """The result of a call in a line."""
    return next((b for b in blocks(raw) if is_result(b) and b["tool_use_id"] == call), None)


def result_text(raw: Json, block: Json, folder: Path, report: Report) -> str:
    """What a tool answered; a large answer stands in a file of the session's `folder`, and nowhere outside of it."""
    content = _text(block.get("content"))
    named = _PERSISTED.search(content[:2_000])
    if named is None:
        return content
    path = folder / "tool-results" / named[1]
    try:
        if path.resolve() != folder.parent.resolve() / folder.name / "tool-results" / named[1]:
            report.cannot(path.name, 0, "a link out of the session's folder")
            return content
        with open_plain(path) as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError as e:
        if not isinstance(e, FileNotFoundError):
            report.cannot(path.name, 0, e.strerror or "cannot be opened")
        return content


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return _part(content)
    return "\n".join(_part(part) for part in list_of(content) if isinstance(part, dict | str))


def _part(part: Json | str) -> str:
    if isinstance(part, str):
        return part
    if part.get("type") == "text":
        return text_of(part.get("text"))
    if is_file(part):
        return f"[{part['type']}: {text_of(dict_of(part.get('source')).get('media_type')) or 'no type'}]"
    if text_of(part.get("url")):
        return f"{text_of(part.get('title'))}\n{part['url']}".strip()
    return json.dumps(part, ensure_ascii=False, default=str)
