"""What a line of a Claude Code session is. Fields are checked before use; what is unknown keeps the chain."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from sessions.importers.jsonl import dict_of, list_of, text_of
from sessions.messages import Json

USER, ANSWER, RESULTS = "user", "answer", "results"
BOUNDARY, SUMMARY, RECAP, ERROR, STOPPED = "boundary", "summary", "recap", "error", "stopped"
CHAIN = "chain"
"""Says nothing, but others hang on it."""
TASKS = ("Task", "Agent")
"""Tools that start a sub-agent."""

_COMMAND = re.compile(
    r"\s*<(?:command-(?:name|message|args|contents)|local-command-[a-z]+|bash-(?:input|stdout|stderr)|task-notification"
    r"|user-memory-input|user-prompt-submit-hook)\b"
)
_NOT_SAID = re.compile(r"\s*<(?:system-reminder|ide_[a-z_]+)>")
_INTERRUPTED = "[Request interrupted by user"
_FILES = ("image", "document")
_CALLS = ("tool_use", "server_tool_use", "mcp_tool_use")
_TITLES = {"custom-title": 3, "ai-title": 2, "agent-name": 1, "summary": 0}
"""Lines with a title -> which goes before which."""
_TITLE_KEYS = ("customTitle", "aiTitle", "agentName", "summary", "title")


@dataclass(slots=True, eq=False)
class Node:
    """A line of the conversation's chain, without its words."""

    kind: str
    uuid: str
    offset: int
    length: int
    part: int
    place: int
    """Among the lines of its chain, in the order of the file."""
    parent: str | None = None
    """The uuid of the line above while that line is not known; None for the first line of a chain."""
    above: Node | None = None
    message: str = ""
    """The reply that it is a part of; empty when it is whole."""
    calls: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    """Ids of the calls that it has results of."""
    segment: int = -1
    """Number of the stretch between two compactions."""
    on: bool = False
    """Whether it is on the branch."""
    joined: bool = False
    """Whether it is told together with an earlier line of the same reply."""
    more: list[Node] | None = None
    """Other lines of the same reply."""

    @property
    def speaks(self) -> bool:
        """Whether something is said in it."""
        return self.kind is not CHAIN


def is_record(raw: Json) -> bool:
    """Whether an object inside a damaged line is a line of its own, and not a part of one."""
    keys = ("sessionId", "parentUuid", "leafUuid", "messageId")
    return isinstance(raw.get("type"), str) and any(key in raw for key in keys)


def kind_of(raw: Json, parts: Sequence[Json]) -> tuple[str, str]:
    """(kind, what it is counted as when it says nothing) of a line with these blocks."""
    type_ = raw.get("type")
    if type_ == "assistant":
        return _answer_kind(raw, parts)
    if type_ == "user":
        return _user_kind(raw, parts)
    if type_ == "system":
        subtype = text_of(raw.get("subtype"))
        if subtype == "compact_boundary":
            return BOUNDARY, ""
        if subtype == "away_summary" and text_of(raw.get("content")).strip():
            return RECAP, ""
        return CHAIN, subtype or "system"
    return CHAIN, sys.intern(type_) if isinstance(type_, str) and len(type_) < 40 else "unknown"


def title_of(raw: Json) -> tuple[int, str]:
    """(rank, title) of a line that holds one; an empty title for all others."""
    rank = _TITLES.get(text_of(raw.get("type")))
    if rank is None:
        return -1, ""
    found = next((raw[key] for key in _TITLE_KEYS if isinstance(raw.get(key), str)), "")
    return rank, " ".join(found.split())


def blocks(raw: Json) -> list[Json]:
    """The blocks of a line's message; a plain text is one block."""
    content = dict_of(raw.get("message")).get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [block for block in list_of(content) if isinstance(block, dict)]


def call_ids(parts: Sequence[Json]) -> tuple[str, ...]:
    """Ids of the calls among blocks, in order."""
    return tuple([sys.intern(block["id"]) for block in parts if is_call(block)])


def result_ids(parts: Sequence[Json]) -> tuple[str, ...]:
    """Ids of the calls whose results are among blocks, in order."""
    return tuple([sys.intern(block["tool_use_id"]) for block in parts if is_result(block)])


def is_call(block: Json) -> bool:
    id_ = block.get("id")
    return block.get("type") in _CALLS and isinstance(id_, str) and bool(id_)


def is_result(block: Json) -> bool:
    id_, type_ = block.get("tool_use_id"), block.get("type")
    return isinstance(type_, str) and type_.endswith("tool_result") and isinstance(id_, str) and bool(id_)


def said(block: Json) -> str:
    """The text of a block, as far as a person or the model said it."""
    text = block.get("text") if block.get("type") == "text" else None
    return "" if not isinstance(text, str) or _NOT_SAID.match(text) else text


def is_file(block: Json) -> bool:
    return block.get("type") in _FILES


def tasks(parts: Sequence[Json]) -> list[tuple[str, str]]:
    """(call, prompt) of each sub-agent that blocks of a reply start."""
    found: list[tuple[str, str]] = []
    for block in parts:
        if is_call(block) and block.get("name") in TASKS:
            found.append((block["id"], text_of(dict_of(block.get("input")).get("prompt"))))
    return found


def agent_of(raw: Json) -> str:
    """The sub-agent whose work a result tells."""
    return text_of(dict_of(raw.get("toolUseResult")).get("agentId"))


def message_of(raw: Json) -> Json:
    return dict_of(raw.get("message"))


def _user_kind(raw: Json, parts: Sequence[Json]) -> tuple[str, str]:
    if raw.get("isCompactSummary") is True:
        return SUMMARY, ""
    has_results = False
    texts: list[str] = []
    files = False
    for block in parts:
        has_results = has_results or is_result(block)
        files = files or is_file(block)
        if text := said(block).strip():
            texts.append(text)
    if raw.get("isMeta") is True:
        return (RESULTS, "") if has_results else (CHAIN, "meta")
    if texts and all(text.startswith(_INTERRUPTED) for text in texts):
        return STOPPED, ""
    if texts and _COMMAND.match(texts[0]):
        return (RESULTS, "") if has_results else (CHAIN, "command")
    if texts or files:
        return USER, ""
    return (RESULTS, "") if has_results else (CHAIN, "empty")


def _answer_kind(raw: Json, parts: Sequence[Json]) -> tuple[str, str]:
    if raw.get("isApiErrorMessage") is True:
        return ERROR, ""
    if message_of(raw).get("model") == "<synthetic>":
        return CHAIN, "synthetic"
    for block in parts:
        if is_call(block) or is_result(block) or said(block).strip() or thought(block):
            return ANSWER, ""
    return CHAIN, "empty"


def thought(block: Json) -> str:
    """What a thinking block says; redacted ones say nothing."""
    return text_of(block.get("thinking")).strip() if block.get("type") == "thinking" else ""
