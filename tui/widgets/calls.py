"""What a tool call was about and what came of it, in few words: the same in transcript, tree and details."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from tui.widgets.when import MONTHS, counted

_MAIN = {
    "save_memory": ("name", "summary"),
    "delete_memory": ("fact", "name"),
    "recall_memory": ("query", "fact", "kind"),
    "get_weather": ("location",),
    "search_history": ("query",),
}
"""The argument that says what a call is about; of other tools it is the first."""
_LIMITS = {"after": "since", "before": "until"}
_MOST = 400
_LEAD = re.compile(r"^(?:⚠️?\ufe0f?\s*|error:\s*)+", re.IGNORECASE)
_NO_PLACE = re.compile(r"^No place called (.+) was found\.?$")
_PASSAGES = re.compile(r"^\d+ passages?\b")


def told_arguments(name: str, arguments: Mapping[str, Any] | str) -> str:
    """What a call is about, in one line: its main argument, and the dates of a search."""
    if isinstance(arguments, str):
        return _one_line(arguments)
    given = {key: value for key, value in arguments.items() if value not in (None, "", [], {})}
    limits = {key: word for key, word in _LIMITS.items() if name == "search_history" and key in given}
    order = [*_MAIN.get(name, ()), *given]
    main = next((given[key] for key in order if key in given and key not in limits), "")
    words = [_one_line(_value(main)), *(f"{word} {_day(given[key])}" for key, word in limits.items())]
    return " · ".join(word for word in words if word)


def arguments_block(arguments: Mapping[str, Any] | str) -> str:
    """The arguments of a call, one a line."""
    if isinstance(arguments, str):
        return arguments
    texts = {key: _value(value) if _is_flat(value) else pretty(value) for key, value in arguments.items()}
    return "\n".join(f"{key}: {text}" for key, text in texts.items())


def pretty(value: object) -> str:
    """A JSON value, or a text that holds one, with a key a line; any other text as it is."""
    if isinstance(value, str):
        if value[:1] not in "{[" or len(value) > 200_000:
            return value
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    if value in ({}, []):
        return ""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def told_result(content: str, *, ok: bool, recalled: int = 0, changed: Sequence[int] = ()) -> str:
    """What came of a call: facts by count (`recalled`) or number (`changed`), passages by count, an error.

    Empty where the call's name says it all.
    """
    if not ok:
        return told_error(content).split("\n")[0]
    if recalled:
        return counted(recalled, "fact")
    if changed:
        return f"fact {changed[0]}" if len(changed) == 1 else counted(len(changed), "fact")
    if content.startswith(("Nothing found", "Nothing is remembered", "No facts of kind", "There is no fact")):
        return "nothing found"
    passages = _PASSAGES.match(content)
    return passages[0] if passages else ""


def told_error(content: str) -> str:
    """The text of an error without its signs: `no place named “Hakonne”`."""
    text = _LEAD.sub("", content.strip()) or "failed"
    place = _NO_PLACE.match(text)
    if place:
        return f"no place named “{place[1]}”"
    first, *more = text.split("\n")
    if more:
        return text
    sentence = first.removesuffix(".")
    return first if ". " in sentence else sentence


def _one_line(text: str) -> str:
    return " ".join(text[:_MOST].split())


def _is_flat(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(v, str | int) for v in value)
    return not isinstance(value, dict)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and _is_flat(value):
        return ", ".join(map(str, value))
    return json.dumps(value, ensure_ascii=False, default=str)


def _day(value: Any) -> str:
    """`2026-11-01` as `1 Nov 2026`, `2026-11` as `Nov 2026`; anything else as it is."""
    text = _one_line(_value(value))
    parts = text.split("-")
    try:
        day = date.fromisoformat(text[:10] if len(parts) > 2 else f"{text}-01")
    except ValueError:
        return text
    words = f"{MONTHS[day.month - 1][:3]} {day.year}"
    return f"{day.day} {words}" if len(parts) > 2 else words
