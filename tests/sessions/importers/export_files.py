"""Small exports of web chats, made message by message."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from sessions.importers.base import Report
from sessions.importers.export import Export, Talk
from sessions.messages import Record
from tests.sessions.importers.claude_files import shape

GPT = "67a1c3e0-1111-4222-8333-000000000001"
AI = "5f0e9b7a-1111-4222-8333-000000000001"
START = 1_772_438_400
"""2026-03-02T08:00:00Z."""


def uuid(name: str) -> str:
    """An id as long as those of the exports, that ends with a short name."""
    return f"00000000-0000-4000-8000-{name:0>12}"


class Tree:
    """A conversation of ChatGPT: each message hangs on the one before, unless told otherwise."""

    def __init__(self, id_: str = GPT, title: Any = "Tea in Tokyo") -> None:
        self.nodes: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
        self.above = "root"
        self.raw: dict[str, Any] = {"title": title, "create_time": START + 0.5, "update_time": START + 9}
        self.raw |= {"mapping": self.nodes, "conversation_id": id_, "id": id_, "default_model_slug": "gpt-5"}

    def add(self, name: str, role: str, *parts: Any, under: str | None = None, **more: Any) -> str:
        key, parent = uuid(name), self.above if under is None else uuid(under) if under != "root" else under
        content = more.pop("content", {"content_type": "text", "parts": list(parts)})
        metadata = {"model_slug": "gpt-5"} if role == "assistant" else {}
        message = {"id": key, "author": {"role": role, "name": None, "metadata": {}}, "recipient": "all"}
        message |= {"create_time": START + len(self.nodes), "content": content, "metadata": metadata}
        message |= {"status": "finished_successfully", "weight": 1.0} | more
        self.nodes[key] = {"id": key, "message": message, "parent": parent, "children": []}
        self.nodes[parent]["children"].append(key)
        self.above = self.raw["current_node"] = key
        return key


class Chat:
    """A conversation of Claude.ai: a list of messages."""

    def __init__(self, id_: str = AI, name: Any = "Tea in Tokyo") -> None:
        self.messages: list[Any] = []
        self.raw: dict[str, Any] = {"uuid": id_, "name": name, "summary": "", "created_at": "2026-03-02T08:00:00.5Z"}
        self.raw |= {"updated_at": "2026-03-02T09:00:00Z", "account": {"uuid": uuid("account")}}
        self.raw["chat_messages"] = self.messages

    def add(self, name: str, sender: str, *blocks: Any, **more: Any) -> str:
        content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        text = "\n".join(b["text"] for b in content if b.get("type") == "text")
        at = f"2026-03-02T08:00:{len(self.messages) + 1:02}.123456Z"
        message = {"uuid": uuid(name), "text": text, "content": content, "sender": sender, "created_at": at}
        self.messages.append(message | {"attachments": [], "files": []} | more)
        return uuid(name)


def tea() -> Tree:
    tree = Tree()
    tree.add("1", "user", "Which tea is drunk in Tokyo?")
    tree.add("2", "assistant", "Sencha, mostly.")
    return tree


def written(folder: Path, *raws: Any, name: str = "conversations.json", indent: int | None = None) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(raws), indent=indent))
    return path


def zipped(path: Path, **files: Any) -> Path:
    """A ZIP with files, `__` in a name for a dot."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, value in files.items():
            out.writestr(name.replace("__", "."), value if isinstance(value, bytes | str) else json.dumps(value))
    return path


def talks(one: Export, path: Path) -> tuple[list[Talk], Report]:
    report = Report()
    return [*one.talks(path, report, lambda _: None)], report


def records(talk: Talk) -> list[Record]:
    return list(talk.read(talk.source).records)


def told(talk: Talk) -> list[str]:
    """The shape of its records, with the short names for ids."""
    return [line.replace("00000000-0000-4000-8000-", "").replace("00000000000", "") for line in shape(records(talk))]
