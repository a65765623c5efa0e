"""The facts that stand in a request, read back from the text that a model sees."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from sessions.providers.guide_words import meets, words

_LINE = re.compile(
    r"^\s*(?:[-*•◆◇]\s+)?#?(?P<number>\d+)[.:)]?\s+\**`?(?P<name>[a-z0-9][a-z0-9-]{0,63})`?\**"
    r"(?:\s*[(\[](?P<facts>[^)\]]*)[)\]])?\s*(?:—|–|--|-|:)\s+(?P<summary>\S.*?)\s*$"
)
_CHANGED = re.compile(
    r"#(?P<number>\d+)\s+(?P<name>[a-z0-9][a-z0-9-]{0,63})(?:\s*\((?P<facts>[^)]*)\))?:\s+(?P<summary>.+?)"
    r"(?=;\s+(?:forgotten:\s+)?#\d+\s+[a-z0-9-]+(?:\s*\(|;|$)|$)",
    re.M,
)
_META = re.compile(r"known since \d{4}-\d\d-\d\d\b")
_DUE = re.compile(r"\s*(?:[·,;(\[—-]\s*)?\bdue:?\s+(?P<due>\d{4}-\d\d-\d\d)[)\]]?", re.I)
_KIND = re.compile(r"\b(user|self|feedback|project|reference|preference|contact|open-thread)\b")
_ENDS = re.compile(r"^\s*(?:#{1,6}\s|\d+\s+(?:more|facts?)\b|and \d+ more|</|```)")


@dataclass(frozen=True, slots=True)
class Seen:
    """A fact as a request shows it; empty where the text did not say."""

    number: int
    name: str
    summary: str
    kind: str = ""
    due: date | None = None
    body: str = ""

    @property
    def text(self) -> str:
        return f"{self.name} {self.summary} {self.body}"


def read_facts(text: str) -> list[Seen]:
    """The facts of a numbered list, a table of contents or a recall result, in its order."""
    out: list[Seen] = []
    open_ = False
    for line in text.split("\n"):
        m = _LINE.match(line)
        if m:
            out.append(_seen(m["number"], m["name"], m["summary"], m["facts"] or ""))
            open_ = True
        elif not line.strip():
            # A blank line between a fact and its body keeps the fact open; the next line decides by its indent.
            continue
        elif open_ and line[:1] in " \t" and not _ENDS.match(line):
            out[-1] = _more(out[-1], line.strip())
        else:
            open_ = False
    return out


def changed_facts(text: str) -> list[Seen]:
    """The facts named in the one line on what changed: `#12 lives-in-osaka (preference): Lives in Osaka — …; …`."""
    out = []
    for m in _CHANGED.finditer(text):
        summary, _, body = m["summary"].partition(" — ")
        out.append(replace(_seen(m["number"], m["name"], summary.strip(), m["facts"] or ""), body=body.strip()))
    return out


def _seen(number: str, name: str, summary: str, extra: str) -> Seen:
    due = _DUE.search(summary) or _DUE.search(extra)
    kind = _KIND.search(extra)
    summary = _DUE.sub("", summary).rstrip(" ·,;—-")
    tail = re.search(
        r"\s+[(\[](?P<k>user|self|feedback|project|reference|preference|contact|open-thread)\b[^)\]]*[)\]]$", summary
    )
    if tail:
        summary = summary[: tail.start()]
    word = kind[1] if kind else tail["k"] if tail else ""
    return Seen(int(number), name, summary, word, _date(due["due"]) if due else None)


def _more(fact: Seen, line: str) -> Seen:
    if _META.match(line):
        return fact
    due = _DUE.search(line)
    fact = replace(fact, due=_date(due["due"]) if due and not fact.due else fact.due)
    return replace(fact, body=f"{fact.body}\n{line}".strip())


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def place_of(facts: Iterable[Seen]) -> str | None:
    """Where the person lives: the newest fact that says so."""
    found: list[tuple[int, str]] = []
    for fact in facts:
        m = re.search(
            r"^(?:(?:the )?user )?(?:now )?(?:lives?|is living|is based|based|resides?|moved) (?:in|to) (?P<x>.+)$|"
            r"^(?:home|location|home city|city|address)(?: is|:)? (?:in )?(?P<y>[A-Z].+)$",
            fact.summary,
            re.I,
        )
        if m and fact.kind not in {"contact", "project", "reference", "open-thread"}:
            place = re.split(r"\s+(?:near|with|since|and|but|for|until|at|on)\s|[.;(]", m["x"] or m["y"])[0]
            found.append((fact.number, place.strip(" ,")))
    return max(found)[1] if found else None


def units_of(facts: Iterable[Seen]) -> str | None:
    """`celsius` or `fahrenheit`, as the newest fact about it says."""
    found = [
        (fact.number, "fahrenheit" if m[1].lower() in {"fahrenheit", "imperial", "°f"} else "celsius")
        for fact in facts
        if (m := re.search(r"\b(celsius|centigrade|fahrenheit|metric|imperial)\b", fact.summary, re.I))
        and re.search(r"\b(?:prefers?|uses?|likes?|wants?|units?|in)\b", fact.summary, re.I)
    ]
    return max(found)[1] if found else None


def best(facts: list[Seen], query: list[str], *, least: float = 0.01) -> list[tuple[float, Seen]]:
    """Facts that share words with the query, the best first; equal ones in the given order."""
    scored = [(meets(query, fact.text), fact) for fact in facts]
    return sorted((s for s in scored if s[0] >= least), key=lambda s: -s[0])


def matches(query: str, facts: list[Seen]) -> list[Seen]:
    """The facts that hold as many of the query's words as the best one does."""
    ranked = best(facts, words(query))
    return [fact for score, fact in ranked if score >= ranked[0][0] - 0.001] if ranked else []
