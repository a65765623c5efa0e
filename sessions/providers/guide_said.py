"""What the guide quotes of what was said: passages of past sessions, and the person's words earlier in this one."""

from __future__ import annotations

import re

from sessions.no_news import no_news
from sessions.providers.guide_questions import question
from sessions.providers.guide_turn import Result, Turn
from sessions.providers.guide_words import Clause, clauses, meets

_PASSAGE = re.compile(
    r"^- (?P<day>\S+) · (?P<title>.*) · (?P<role>[\w -]+) · session \S+$(?P<text>(?:\n[ \t]*>.*$)*)", re.M
)
_WHO = {"user": "you", "assistant": "the answer"}
# What the guide says of a fact repeats the person, and may have been taken back since.
_REPEATS = re.compile(r"(?:Noted|Already noted|To review before I keep it|Forgotten|Closed|Not kept): ")
_CHARS = 2_000
_MESSAGES = 200
_MOST = 5


def passages_of(result: Result, asked: list[str], *, but: str = "") -> str:
    """A search's passages as a list, those that speak of what was asked; empty when there are none.

    `but` is the question itself: its own echo in an earlier session says nothing. Nor does an answer that is no
    news, or a tool's call.
    """
    if not result.ok:
        return ""
    out: list[str] = []
    asks: list[str] = []
    for m in _PASSAGE.finditer(result.content):
        said = re.sub(r"(?m)^\s*>\s?", "", m["text"]).strip()
        if m["role"].endswith((" call", " result")) or (but and but.strip().lower() in said.lower()):
            continue
        if m["role"] == "assistant" and (no_news(said) or _REPEATS.match(said)):
            continue
        if said and (not asked or meets(asked, f"{m['title']} {said}") >= 0.5):
            quoted = "\n".join(f"  > {line}".rstrip() for line in said.split("\n"))
            line = f"- {m['day']}, {m['title']}, {_WHO.get(m['role'], m['role'])}:\n{quoted}"
            (asks if m["role"] == "user" and _only_asks(said) else out).append(line)
    return "\n".join(out or asks)


def said_here(turn: Turn, asked: list[str]) -> str:
    """What the person said of it earlier in this very session, which no search of past ones finds."""
    out: dict[str, None] = {}
    for text in turn.earlier[-_MESSAGES:] if asked else ():
        for clause in clauses(text[:_CHARS]):
            if not _asks(clause) and meets(asked, clause.sentence or clause.text) >= 0.5:
                out[" ".join((clause.sentence or clause.text).split())] = None
    if not out:
        return ""
    return "\n".join(["- earlier in this session, you:", *(f"  > {sentence}" for sentence in list(out)[-_MOST:])])


def _only_asks(said: str) -> bool:
    found = clauses(said[:_CHARS])
    return bool(found) and all(map(_asks, found))


def _asks(clause: Clause) -> bool:
    """A question or an order names a thing and says nothing of it."""
    return clause.question or (not clause.kept and question(clause) is not None)
