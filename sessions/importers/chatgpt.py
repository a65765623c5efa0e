"""Reads the exports of ChatGPT: each conversation is a tree of messages, of which one way is the conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sessions.importers.base import Report
from sessions.importers.conversations import Conversations
from sessions.importers.jsonl import dict_of, list_of, text_of
from sessions.importers.spoken import Said, stamp
from sessions.messages import Json
from sessions.numbers import whole

_NOT_SAID = frozenset(
    {"user_editable_context", "model_editable_context", "reasoning_recap", "app_pairing_content", "system_error"}
)
"""Contents that stand beside what was said."""
_POINTERS = {"image_asset_pointer": "image", "audio_asset_pointer": "audio", "video_container_asset_pointer": "video"}


class ChatGPT(Conversations):
    """The reader of ChatGPT's exports."""

    kind = "chatgpt"
    name = "ChatGPT"

    def uuid(self, raw: Json) -> str:
        return text_of(raw.get("conversation_id")) or text_of(raw.get("id"))

    def began(self, raw: Json) -> str:
        return stamp(raw.get("create_time"))

    def title(self, raw: Json) -> str:
        return text_of(raw.get("title"))

    def model(self, raw: Json) -> str:
        return text_of(raw.get("default_model_slug"))

    def said(self, raw: Json, report: Report) -> Iterator[Said]:
        """What was said on the way that the person was on last."""
        nodes = dict_of(raw.get("mapping"))
        thought: list[str] = []
        way = path_of(nodes, raw.get("current_node"))
        for key in way:
            message = dict_of(dict_of(nodes[key]).get("message"))
            if not message:
                continue
            if why := skipped(message):
                report.skipped[why] += 1
                continue
            content = dict_of(message.get("content"))
            if content.get("content_type") == "thoughts":
                thought += _thoughts(content)
                continue
            text, files = _content(content, dict_of(message.get("metadata")))
            if not text and not files:
                report.skipped[text_of(content.get("content_type")) or "empty"] += 1
                continue
            asks = dict_of(message.get("author")).get("role") == "user"
            yield Said(
                "user" if asks else "assistant",
                text_of(message.get("id")) or key,
                stamp(message.get("create_time")),
                text,
                "" if asks else "\n\n".join(thought),
                text_of(dict_of(message.get("metadata")).get("model_slug")),
                files=files,
            )
            thought.clear()
        on_it = set(way)
        others = (dict_of(dict_of(node).get("message")) for key, node in nodes.items() if key not in on_it)
        report.other_ways += sum(1 for message in others if message and not skipped(message))


def path_of(nodes: Json, leaf: Any) -> list[str]:
    """The keys from the root to the leaf: that which is named, else the newest end. Pure; no cycle holds it."""
    key = leaf if isinstance(leaf, str) and leaf in nodes else _newest(nodes)
    way: dict[str, None] = {}
    while isinstance(key, str) and key in nodes and key not in way:
        way[key] = None
        key = dict_of(nodes[key]).get("parent")
    return [*way][::-1]


def _newest(nodes: Json) -> str | None:
    above = {parent for node in nodes.values() if isinstance(parent := dict_of(node).get("parent"), str)}
    ends = [key for key in nodes if key not in above and dict_of(dict_of(nodes[key]).get("message"))] or [*nodes]
    when = {key: stamp(dict_of(dict_of(nodes[key]).get("message")).get("create_time")) for key in ends}
    return max(reversed(ends), key=lambda key: when[key], default=None)


def skipped(message: Json) -> str:
    """What a message is counted as that is not told; empty for one that is."""
    role = text_of(dict_of(message.get("author")).get("role"))
    metadata, content = dict_of(message.get("metadata")), dict_of(message.get("content"))
    if role not in {"user", "assistant"}:
        return role or "no author"
    if metadata.get("is_visually_hidden_from_conversation") is True:
        return "hidden"
    if message.get("recipient", "all") not in ("all", None):
        return "to a tool"
    kind = text_of(content.get("content_type"))
    return kind if kind in _NOT_SAID else ""


def _thoughts(content: Json) -> Iterable[str]:
    for one in map(dict_of, list_of(content.get("thoughts"))):
        parts = [text_of(one.get("summary")).strip(), text_of(one.get("content")).strip()]
        if any(parts):
            yield "\n".join(filter(None, parts))


def _content(content: Json, metadata: Json) -> tuple[str, tuple[Json, ...]]:
    """Its words, and what was put beside them."""
    files: list[Json] = []
    texts: list[str] = []
    for part in list_of(content.get("parts")):
        if isinstance(part, str):
            texts.append(part)
            continue
        one = dict_of(part)
        kind = text_of(one.get("content_type"))
        if kind in _POINTERS:
            files.append(_file(_POINTERS[kind], f"{_POINTERS[kind]}-{len(files) + 1}", "", one.get("size_bytes")))
            texts.append(f"[{_POINTERS[kind]}: {files[-1]['name']}]")
        else:
            # What was spoken, a quotation, or what a later version has.
            texts.append(text_of(one.get("text")))
    texts += [text_of(content.get(key)) for key in ("text", "result") if not texts]
    for one in map(dict_of, list_of(metadata.get("attachments"))):
        mime = text_of(one.get("mime_type")) or text_of(one.get("mimeType"))
        name = text_of(one.get("name"))
        if name and not (mime.startswith("image/") and files):
            files.append(_file("file", name, mime, one.get("size")))
            texts.append(f"[file: {name}]")
    return "\n".join(text for text in texts if text.strip()), tuple(files)


def _file(kind: str, name: str, mime: str, size: object) -> Json:
    out: Json = {"kind": kind, "name": name, "mime": mime}
    bytes_ = whole(size)
    return out | ({"bytes": bytes_} if bytes_ is not None else {})


READER = ChatGPT()
