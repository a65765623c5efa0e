"""What a service wants to read again with the next request: opaque to us, kept beside the answer, sent back as it came.

Gemini signs its calls, and its answers, in `extra_content`, and refuses a call that comes back unsigned; OpenRouter
hands on the reasoning of models that must see it again as `reasoning_details`. It is told by what comes, for services
in front of these hand it on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sessions.messages import AssistantMessage, ToolCall, clean_json
from sessions.providers.limits import DEPTH, ITEMS, too_deep

_DETAILS = "reasoning_details"
_EXTRA = "extra_content"
_GROWS = ("text", "summary")
"""Fields of a detail that come in pieces; of every other field the newest counts."""


class Returned:
    """Feed it the deltas of an answer; `items` is what goes back with it."""

    def __init__(self) -> None:
        self._details: list[dict[str, Any]] = []
        self._extra: dict[str, Any] | None = None

    def feed(self, delta: Mapping[str, Any]) -> None:
        """Take what of the delta goes back; what has another shape is skipped."""
        if isinstance(details := delta.get(_DETAILS), list):
            for detail in details:
                if isinstance(detail, dict):
                    self._detail(detail)
        extra = delta.get(_EXTRA)
        if (
            isinstance(extra, dict)
            and isinstance(google := extra.get("google"), dict)
            and "thought_signature" in google
        ):
            self._extra = {"google": {"thought_signature": google["thought_signature"]}}

    @property
    def items(self) -> dict[str, Any] | None:
        """None where nothing goes back."""
        found = {name: value for name, value in ((_DETAILS, self._details), (_EXTRA, self._extra)) if value}
        return _kept(found) if found else None

    def _detail(self, piece: dict[str, Any]) -> None:
        last = self._details[-1] if self._details else None
        if last is None or any(piece.get(name) != last.get(name) for name in ("type", "index")):
            self._details.append(dict(piece))
            return
        if "data" in piece and "data" in last:  # encrypted ones come whole
            self._details.append(dict(piece))
            return
        for name, value in piece.items():
            if name in _GROWS and isinstance(value, str) and isinstance(last.get(name), str):
                last[name] += value
            elif value is not None:
                last[name] = value


def of_call(delta: Mapping[str, Any]) -> dict[str, Any] | None:
    """What of a call's piece goes back with the call."""
    extra = delta.get(_EXTRA)
    return _kept({_EXTRA: extra}) if isinstance(extra, dict) and extra else None


def with_message(message: AssistantMessage) -> dict[str, Any]:
    """The keys to add to an answer that is sent again."""
    items = message.provider_items or {}
    out: dict[str, Any] = {}
    if isinstance(details := items.get(_DETAILS), list):
        out[_DETAILS] = details
    if message.content and isinstance(extra := items.get(_EXTRA), dict):
        out[_EXTRA] = extra
    return out


def with_call(call: ToolCall) -> dict[str, Any]:
    """The keys to add to a call that is sent again."""
    extra = (call.provider_items or {}).get(_EXTRA)
    return {_EXTRA: extra} if isinstance(extra, dict) else {}


def _kept(value: dict[str, Any]) -> dict[str, Any] | None:
    """The value as it can be written; None when it is too much."""
    if too_deep(value, DEPTH) or len(json.dumps(value)) > ITEMS:
        return None
    cleaned = clean_json(value)
    return cleaned if isinstance(cleaned, dict) else None
