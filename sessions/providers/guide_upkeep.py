"""What the guide finds by rules in what was typed, and in facts that were kept for a while."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from sessions.clock import Clock, parse_iso
from sessions.messages import UserMessage
from sessions.providers.base import Request
from sessions.providers.guide_facts import Seen, read_facts
from sessions.providers.guide_script import statements
from sessions.providers.guide_turn import now_of
from sessions.providers.guide_words import meets, words

_TYPED = re.compile(r'<typed at="(?P<at>[\d-]*)">\n(?P<text>.*?)\n</typed>', re.S)
_FACTS = re.compile(r"<remembered-facts>\n(?P<facts>.*?)\n</remembered-facts>", re.S)
_NOT = re.compile(r"\b(?:no|not|never|without|dislikes?|hates?|avoids?)\b|n't\b", re.I)
_ALIKE = 0.75


def distill(request: Request, clock: Clock) -> str:
    """What the typed words state, as a JSON array of claims."""
    today, _ = now_of(request.environment, clock)
    out: list[dict[str, Any]] = []
    for m in _TYPED.finditer(_asked(request)):
        at = parse_iso(m["at"])
        for found in statements(m["text"], at.date() if at else today):
            claim = {"name": found.name, "summary": found.summary, "kind": found.kind, "body": found.body}
            claim["quote"] = found.quote
            out.append(claim | ({"due": found.due.isoformat()} if found.due else {}))
    return json.dumps(out, ensure_ascii=False)


def reflect(request: Request, clock: Clock) -> str:
    """Facts that say nearly the same, to be merged, and open threads that are overdue, to be closed."""
    today, _ = now_of(request.environment, clock)
    m = _FACTS.search(_asked(request))
    facts = read_facts(m["facts"]) if m else []
    found = [*_closed(facts, today), *_merged(facts)] if "Task: reflect" in request.system else _merged(facts)
    return json.dumps(list(found), ensure_ascii=False)


def _asked(request: Request) -> str:
    return "\n".join(m.content for m in request.messages if isinstance(m, UserMessage))


def _closed(facts: Iterable[Seen], today: date) -> list[dict[str, Any]]:
    return [
        {"do": "close", "facts": [fact.number], "why": f"it was due on {fact.due.isoformat()}"}
        for fact in facts
        if fact.kind == "open-thread" and fact.due is not None and fact.due < today
    ]


def _merged(facts: list[Seen]) -> list[dict[str, Any]]:
    out = []
    taken: set[int] = set()
    for i, fact in enumerate(facts):
        if fact.number in taken:
            continue
        same = [other for other in facts[i + 1 :] if other.number not in taken and _alike(fact, other)]
        if not same:
            continue
        # The oldest stays, with the line that says most.
        group = sorted([fact, *same], key=lambda f: f.number)
        taken |= {f.number for f in group}
        kept = max(group, key=lambda f: len(words(f.summary)))
        lines = dict.fromkeys(line for f in group for line in f.body.split("\n") if line)
        item = {"do": "merge", "facts": [f.number for f in group], "summary": kept.summary, "kind": kept.kind}
        out.append(item | {"body": "\n".join(lines), "why": "they say nearly the same"})
    return out


def _alike(a: Seen, b: Seen) -> bool:
    if a.kind != b.kind or a.due != b.due or bool(_NOT.search(a.summary)) != bool(_NOT.search(b.summary)):
        return False
    first, second = meets(words(a.summary), b.summary), meets(words(b.summary), a.summary)
    return max(first, second) == 1.0 and min(first, second) >= _ALIKE
