"""What is left of other facts, and of the journal, when some facts are erased."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from sessions.errors import FactError
from sessions.memory.fact import Fact, parse_fact
from sessions.store.traces import Finder

SIDES = ("before", "after")
_ERASED = "(erased)"
_FIELD = re.compile(r"((?:summary|quote|related|supersedes) = )(.)")
"""A field without which a fact is still one; with another name it would be another."""


class Scrub:
    """Takes what is erased out of what stays. The same text always becomes the same, so that the journal goes on
    knowing the files."""

    def __init__(
        self, gone: set[str], names: set[str], said: set[str], finder: Finder, words: Iterable[str] = ()
    ) -> None:
        """`words` go from every text, and the entries that cannot be without them."""
        self._gone = gone
        self._said = said
        self._finder = finder
        self._masked = Finder((), words=words)
        one = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        self._rules: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = []
        if one:
            self._rules = [
                (re.compile(rf'^[ \t]*"(?:{one})",?[ \t]*\n', re.MULTILINE), ""),
                (re.compile(rf'^((?:related|supersedes) = \[.*?)"(?:{one})"(?:,[ \t]*)?', re.MULTILINE), r"\1"),
                (re.compile(rf"\[\[(?:{one})\]\]"), "(erased)"),
            ]

    def text(self, text: str) -> str:
        """A fact file without the names of erased facts, and without a quote of an erased message."""
        for rule, put in self._rules:
            text = rule.sub(put, text)
        fact = fact_in(text, "x.md")
        if fact is not None and fact.source.quote and self._quoted(fact.source.message, fact.source.quote):
            text = re.sub(r"^quote = .*\n", "", text, count=1, flags=re.MULTILINE)
        if self._masked.in_text(text):
            text = "\n".join(
                _ERASED if self._masked.in_text(line) else line for line in map(self._field, text.split("\n"))
            )
        return text

    def _field(self, line: str) -> str:
        """A line of the front matter whose value goes; any other as it is."""
        m = _FIELD.match(line)
        if m is None or not self._masked.in_text(line):
            return line
        return m[1] + ("[]" if m[2] == "[" else f'"{_ERASED}"')

    def _quoted(self, message: str, quote: str) -> bool:
        return message in self._said or self._finder.in_text(quote)

    def entry(self, raw: dict[str, Any]) -> dict[str, Any] | None:
        """A journal's entry as `Journal.erase` wants it."""
        if raw.get("id") in self._gone:
            return None
        files = [f for f in raw.get("files") or () if isinstance(f, dict)]
        kept = [self._change(f) for f in files if not any(_id_of(f.get(side)) in self._gone for side in SIDES)]
        by: dict[str, Any] = raw.get("by") or {}
        quote, message = str(by.get("quote") or ""), str(by.get("message") or "")
        if quote and self._quoted(message, quote):
            by = {k: v for k, v in by.items() if k != "quote"}
        if kept == files and by == raw.get("by", {}):
            return raw
        if not kept or self._masked.in_text(json.dumps([by, kept], ensure_ascii=False)):
            return None
        return raw | {"by": by, "files": kept}

    def _change(self, file: dict[str, Any]) -> dict[str, Any]:
        out = dict(file)
        for side in SIDES:
            text = file.get(side)
            if isinstance(text, str):
                out[side] = self.text(text)
                out[f"{side}_sha256"] = sha256(out[side].encode()).hexdigest()
        return out


def sides(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Path and text of the files of an entry, before and after."""
    for file in entry.get("files") or ():
        for side in SIDES if isinstance(file, dict) else ():
            if isinstance(text := file.get(side), str):
                yield str(file.get("path", "")), text


def fact_in(text: str | None, path: str) -> Fact | None:
    if text is None:
        return None
    try:
        return parse_fact(text, Path(path))
    except FactError:
        return None


def _id_of(text: object) -> str:
    fact = fact_in(text, "x.md") if isinstance(text, str) else None
    return fact.id if fact is not None else "-"
