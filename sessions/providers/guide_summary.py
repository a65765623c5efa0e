"""Titles, recaps and summaries by rules, for requests that are no conversation."""

from __future__ import annotations

import re

from sessions.messages import UserMessage
from sessions.providers.base import Request
from sessions.providers.guide_words import clauses

_TITLE_CHARS = 60
_RECAP_CHARS = 400
_ITEM_CHARS = 300
_SUMMARY_CHARS = 6_000
_EARLIER_CHARS = 3_000
_DECIDED = re.compile(r"\b(?:decid|agree|chose|choose|we'll|let's|because|settled|prefer|must|never|always)\w*", re.I)
_OPEN = re.compile(
    r"\b(?:to-?do|need to|have to|waiting|still|next|open|by (?:mon|tues|wednes|thurs|fri|satur|sun)day|remind)\b", re.I
)
_MINE = re.compile(r"(?<![\w'])(?:i|i'm|i've|my|me|call me|we|our)(?![\w'])", re.I)
_PATH = re.compile(r"(?<![\w/])(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@/\\-]{2,}|\bhttps?://\S+")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,:/-]*\d(?:\s?(?:%|[A-Za-z°€$]{1,4}))?|(?<!\w)#\d+")
_NAME = re.compile(r"(?<![.!?\n] )(?<!^)\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)*", re.M)

_UNTAGGED = {
    tag: re.compile(rf"<{tag}\b[^>\n]*>\n(.*?)\n</{tag}>", re.S) for tag in ("earlier", "user", "assistant", "result")
}
"""What stands in a request, by whose words they are."""


def title(request: Request) -> str:
    """The first thing asked, in at most 60 characters."""
    first = next(iter(_told(request, "user")), "")
    return _cut(re.sub(r"[.?!]+$", "", first.strip().split("\n")[0]), _TITLE_CHARS) or "New session"


def recap(request: Request) -> str:
    """First request, newest request, last answer, a line each, in at most 400 characters."""
    said, answers = _told(request, "user"), _told(request, "assistant")
    lines = [f"Asked: {_cut(said[0], 120)}"] if said else []
    if len(said) > 1:
        lines.append(f"Then {len(said) - 1} more, last: {_cut(said[-1], 80)}")
    if answers:
        lines.append(f"Answer: {_cut(answers[-1], 120)}")
    return _cut("\n".join(lines), _RECAP_CHARS, keep_lines=True)


def compact(request: Request) -> str:
    """Who the user is, decisions, open tasks, names, numbers and paths, sentence by sentence as they were said."""
    prompts, answers, others = (_told(request, tag) for tag in ("user", "assistant", "result"))
    earlier = "\n".join(_told(request, "earlier"))
    said = [s for prompt in prompts for s in _sentences(prompt)]
    mine = [s for s in said if _MINE.search(s) and not s.endswith("?")]
    everything = "\n".join([*prompts, *answers, *others])
    sections = [
        ("Earlier", _earlier(earlier)),
        ("The user said of themselves", mine),
        ("Decisions and reasons", [s for s in said if _DECIDED.search(s) and s not in mine]),
        ("Open", [s for s in said if _OPEN.search(s) and s not in mine]),
        ("Asked", [s for s in said if s.endswith("?")][-12:]),
        ("Last answer", [_cut(a, _ITEM_CHARS) for a in answers[-1:]]),
        ("Names", [", ".join(_once(_NAME.findall(everything))[:40])]),
        ("Numbers", [", ".join(_once(_NUMBER.findall(everything))[:40])]),
        ("Paths", [", ".join(_once(_PATH.findall(everything))[:40])]),
    ]
    lines = []
    for head, items in sections:
        kept = [item for item in _once([_cut(i, _ITEM_CHARS * 7) for i in items]) if item]
        if kept:
            lines.append(f"{head}:\n" + "\n".join(f"- {item}" for item in kept))
    return _cut("\n".join(lines), _SUMMARY_CHARS, keep_lines=True)


def _earlier(summary: str) -> list[str]:
    """The lines of the summary before, without the heads."""
    lines = (line.strip() for line in summary.split("\n"))
    kept, room = [], _EARLIER_CHARS
    for line in lines:
        item = line.removeprefix("- ")
        if not item or item.endswith(":"):
            continue
        room -= len(item)
        if room < 0:
            break
        kept.append(item)
    return kept


def _told(request: Request, tag: str) -> list[str]:
    text = "\n".join(m.content for m in request.messages if isinstance(m, UserMessage))
    return [words for words in _UNTAGGED[tag].findall(text) if words.strip()]


def _sentences(text: str) -> list[str]:
    return [clause.sentence for clause in clauses(text[:20_000])]


def _once(items: list[str]) -> list[str]:
    return list(dict.fromkeys(items))


def _cut(text: str, chars: int, *, keep_lines: bool = False) -> str:
    text = text if keep_lines else re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= chars else text[: chars - 1].rsplit(None, 1)[0].rstrip(" ,;:") + "…"
