"""Reads the exports of Claude.ai: a list of messages each, made of blocks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sessions.importers.base import Report
from sessions.importers.claude_ai_memory import remembered
from sessions.importers.conversations import Conversations
from sessions.importers.jsonl import dict_of, list_of, text_of
from sessions.importers.memories import Remembered
from sessions.importers.spoken import Called, Said, stamp
from sessions.messages import Json
from sessions.numbers import whole

_SENDERS = {"human": "user", "user": "user", "assistant": "assistant"}


class ClaudeAI(Conversations):
    """The reader of Claude.ai's exports."""

    kind = "claude-ai"
    name = "Claude.ai"

    def uuid(self, raw: Json) -> str:
        return text_of(raw.get("uuid"))

    def began(self, raw: Json) -> str:
        return stamp(raw.get("created_at"))

    def title(self, raw: Json) -> str:
        return text_of(raw.get("name"))

    def model(self, raw: Json) -> str:
        return text_of(raw.get("model"))

    def remembered(self, path: Path, report: Report) -> Iterator[Remembered]:
        return remembered(path, report)

    def said(self, raw: Json, report: Report) -> Iterator[Said]:
        """What was said, with the calls of tools; of what was asked again the newest."""
        messages = [dict_of(one) for one in list_of(raw.get("chat_messages"))]
        way = way_of(messages, raw.get("current_leaf_message_uuid"))
        report.other_ways += len(messages) - len(way)
        for message in way:
            sender = _SENDERS.get(text_of(message.get("sender")))
            if sender is None:
                report.skipped[text_of(message.get("sender")) or "no sender"] += 1
                continue
            told = [*(_user(message) if sender == "user" else _answer(message, self.model(raw), report))]
            if not told:
                report.skipped["empty"] += 1
            yield from told


def way_of(messages: list[Json], leaf: Any) -> list[Json]:
    """The messages from the first to the leaf, or all of them where none was asked again. Pure; no cycle holds it."""
    named = {uuid: one for one in messages if (uuid := text_of(one.get("uuid")))}
    children = Counter(above for one in messages if (above := text_of(one.get("parent_message_uuid"))))
    if not messages or max(children.values(), default=0) < 2:
        return messages
    last = max(reversed(messages), key=lambda one: stamp(one.get("created_at")))
    one: Json | None = named.get(leaf) if isinstance(leaf, str) else None
    one = one if one is not None else last
    way: dict[int, Json] = {}
    while one is not None and id(one) not in way:
        way[id(one)] = one
        one = named.get(text_of(one.get("parent_message_uuid")))
    return [*way.values()][::-1]


def _user(message: Json) -> Iterator[Said]:
    texts = [text_of(block.get("text")) for block in _blocks(message)]
    texts = [text for text in texts if text.strip()] or [text_of(message.get("text"))]
    files: list[Json] = []
    for one in filter(None, map(dict_of, list_of(message.get("attachments")))):
        name, inside = text_of(one.get("file_name")) or "pasted text", text_of(one.get("extracted_content"))
        files.append(_file(name, text_of(one.get("file_type")), one.get("file_size")))
        texts.append(f"[file: {name}]" + (f"\n{inside}" if inside.strip() else ""))
    met = {one["name"] for one in files}
    for one in [dict_of(f) for key in ("files", "files_v2") for f in list_of(message.get(key))]:
        name = text_of(one.get("file_name"))
        if name and name not in met:
            met.add(name)
            files.append(_file(name, "", None))
            texts.append(f"[file: {name}]")
    text = "\n".join(text for text in texts if text.strip())
    if text:
        yield Said("user", text_of(message.get("uuid")), _at(message), text, files=tuple(files))


def _answer(message: Json, model: str, report: Report) -> Iterator[Said]:
    """An answer is a message for each of its steps: words, then the calls that they led to."""
    blocks = _blocks(message)
    results = _results(blocks, report)
    uuid, at = text_of(message.get("uuid")), _at(message)
    steps: list[tuple[list[str], list[str], list[Called]]] = [([], [], [])]
    for i, block in enumerate(blocks):
        texts, thoughts, calls = steps[-1]
        kind = text_of(block.get("type"))
        text = text_of(block.get("text")).strip()
        thought = text_of(block.get("thinking")).strip()
        if calls and kind in {"text", "thinking"} and (text or thought):
            steps.append((texts := [], thoughts := [], calls := []))
        if kind == "tool_use":
            result = results.get(i)
            told, failed = (None, False) if result is None else _result(result)
            arguments = block.get("input") if isinstance(block.get("input"), dict) else {"input": block.get("input")}
            name = text_of(block.get("name"))
            calls.append(Called(text_of(block.get("id")), name, arguments, told, not failed))
        elif kind == "thinking":
            thoughts += [thought] if thought else []
        elif text:
            texts.append(text)
        elif kind not in {"tool_result", "text"}:
            report.skipped[kind or "block"] += 1
    if len(steps) == 1 and not any(steps[0]):
        steps[0][0].append(text_of(message.get("text")).strip())
    for n, (texts, thoughts, calls) in enumerate(steps, 1):
        words = "\n\n".join(filter(None, texts))
        if words or calls:
            id_ = uuid if n == 1 else f"{uuid}-s{n}"
            yield Said("assistant", id_, at, words, "\n\n".join(thoughts), text_of(message.get("model")) or model,
                       tuple(calls))  # fmt: skip
        elif thoughts:
            report.skipped["thinking"] += 1


def _blocks(message: Json) -> list[Json]:
    content = message.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in list_of(content) if isinstance(block, dict)]


def _results(blocks: list[Json], report: Report) -> dict[int, Json]:
    """Which call has which result: by its id, else the next call of that name that has none."""
    calls = [i for i, block in enumerate(blocks) if block.get("type") == "tool_use"]
    out: dict[int, Json] = {}
    for at, block in enumerate(blocks):
        if block.get("type") != "tool_result":
            continue
        there, name = text_of(block.get("tool_use_id")), text_of(block.get("name"))
        fits = [i for i in calls if there and text_of(blocks[i].get("id")) == there]
        if not fits and not there:
            fits = [i for i in calls if i < at and i not in out and text_of(blocks[i].get("name")) == name]
        free = next((i for i in fits if i not in out), None)
        if free is not None:
            out[free] = block
        elif fits:
            report.duplicate_results += 1
        else:
            report.orphan_results += 1
    return out


def _result(block: Json) -> tuple[str, bool]:
    content = block.get("content")
    if isinstance(content, str):
        text = content
    else:
        parts = [part if isinstance(part, str) else _part(dict_of(part)) for part in list_of(content)]
        text = "\n".join(filter(None, parts))
    return text, block.get("is_error") is True


def _part(part: Json) -> str:
    if text := text_of(part.get("text")):
        return text
    if part.get("type") == "image":
        return "[image]"
    shown = {key: value for key, value in part.items() if key in {"title", "url"} and isinstance(value, str)}
    return " ".join(shown.values()) if shown else json.dumps(part, ensure_ascii=False) if part else ""


def _file(name: str, mime: str, size: object) -> Json:
    out: Json = {"kind": "file", "name": name, "mime": mime}
    bytes_ = whole(size)
    return out | ({"bytes": bytes_} if bytes_ is not None else {})


def _at(message: Json) -> str:
    return stamp(message.get("created_at"))


READER = ClaudeAI()
