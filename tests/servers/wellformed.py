"""What a strict chat service demands of a request."""

from __future__ import annotations

import json
import re
from typing import Any

_ROLES = {"system", "user", "assistant", "tool"}
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


def problems(body: dict[str, Any]) -> list[str]:
    """One sentence for everything that is wrong; empty for a well-formed request."""
    found: list[str] = []
    if not body.get("model"):
        found.append("no model")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return [*found, "no messages"]
    seen: set[str] = set()
    waiting: list[str] = []
    for i, message in enumerate(messages):
        role = message.get("role")
        if role not in _ROLES:
            found.append(f"message {i}: role {role!r}")
        if role == "system" and i:
            found.append(f"message {i}: a system message that is not the first")
        if role == "tool":
            if not waiting or message.get("tool_call_id") != waiting[0]:
                found.append(f"message {i}: result {message.get('tool_call_id')!r}, expected {waiting[:1]}")
            waiting = waiting[1:]
            if not isinstance(message.get("content"), str):
                found.append(f"message {i}: a result without text")
            continue
        if waiting:
            found.append(f"message {i}: {role} before the results {waiting}")
            waiting = []
        calls = message.get("tool_calls", [])
        if role == "assistant":
            waiting = _calls(i, calls, seen, found)
            if not calls and not message.get("content"):
                found.append(f"message {i}: an empty answer")
        elif not isinstance(message.get("content"), str):
            found.append(f"message {i}: {role} without text")
    if waiting:
        found.append(f"no results for {waiting}")
    if messages[-1].get("role") == "assistant":
        found.append("the last message is the assistant's")
    for tool in body.get("tools", []):
        function = tool.get("function", {})
        if tool.get("type") != "function" or not _NAME.match(function.get("name", "")):
            found.append(f"tool {function.get('name')!r}")
        if function.get("parameters", {}).get("type") != "object":
            found.append(f"tool {function.get('name')!r}: parameters are no object")
    if "tools" in body and not body["tools"]:
        found.append("an empty list of tools")
    return found


def _calls(i: int, calls: list[dict[str, Any]], seen: set[str], found: list[str]) -> list[str]:
    ids = []
    for call in calls:
        id_, function = call.get("id"), call.get("function", {})
        if not id_ or id_ in seen:
            found.append(f"message {i}: call id {id_!r} empty or used before")
        seen.add(id_)
        ids.append(id_)
        if not _NAME.match(function.get("name", "")):
            found.append(f"message {i}: call of {function.get('name')!r}")
        try:
            if not isinstance(json.loads(function["arguments"]), dict):
                raise ValueError
        except (KeyError, TypeError, ValueError):
            found.append(f"message {i}: arguments {function.get('arguments')!r} are no JSON object")
    return ids
