"""How the guide writes to memory: saves what was stated, forgets, and closes what waited."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from sessions.dates import named
from sessions.providers.guide_facts import Seen, best, matches
from sessions.providers.guide_statements import Statement
from sessions.providers.guide_turn import Call, Result, Steps, Turn
from sessions.providers.guide_ways import choosing, refusal, undo
from sessions.providers.guide_words import capital, clauses, listed, slug, words

_TOO_MANY = "facts were saved in this turn already"
_CLOSE = re.compile(r"\breplaces=(?P<n>\d+) if\b")


def save(turn: Turn, statements: Sequence[Statement]) -> Steps:
    """Save all of them in one step; a person who may be known already is looked up first."""
    if not turn.has("save_memory"):
        return refusal(turn)
    joined = yield from _people(turn, statements)
    calls = [Call("save_memory", _arguments(s, _replaced(turn.known, s))) for s in joined]
    results = yield calls
    again = [
        (i, retry)
        for i, (call, r, s) in enumerate(zip(calls, results, joined, strict=True))
        if (retry := _retry(call, r, s)) is not None
    ]
    if again:
        for (i, _), result in zip(again, (yield [call for _, call in again]), strict=True):
            results[i] = result
    return _noted(turn, joined, results)


def _people(turn: Turn, statements: Sequence[Statement]) -> Generator[list[Call], list[Result], list[Statement]]:
    """The statements, with those about a known person joined to that person's fact."""
    asked = [s for s in statements if s.kind == "contact" and turn.has("recall_memory") and _may_be_known(turn, s)]
    found: dict[str, list[Seen]] = {}
    if asked:
        results = yield [Call("recall_memory", {"query": s.adds_to or s.name.replace("-", " ")}) for s in asked]
        found = {s.name: r.facts for s, r in zip(asked, results, strict=True)}
    return [_joined(s, found.get(s.name, [])) for s in statements]


def _may_be_known(turn: Turn, statement: Statement) -> bool:
    first = statement.name.split("-")[0]
    return bool(statement.adds_to) or any(first in fact.name.split("-") for fact in turn.known)


def _joined(statement: Statement, facts: list[Seen]) -> Statement:
    parts = statement.name.split("-")
    for fact in facts:
        theirs = fact.name.split("-")
        if fact.kind not in {"", "contact"} or theirs[0] != parts[0] or not (len(theirs) <= 3 and fact.name):
            continue
        if len(theirs) > 1 and len(parts) > 1 and theirs != parts:
            continue
        known = fact.body or f"{fact.summary.rstrip('.')}."
        body = known if statement.body in known else f"{known}\n{statement.body}"
        if not statement.adds_to:
            return replace(statement, topic=(fact.name,), body=body)
        return replace(statement, name=fact.name, summary=fact.summary, body=body)
    return statement


def _replaced(known: Sequence[Seen], statement: Statement) -> str | None:
    """The name of the fact that the statement takes the place of, where its own name is another."""
    for fact in reversed(sorted(known, key=lambda f: f.number)):
        if fact.name == statement.name:
            continue
        if any(fact.name.startswith(t) if t.endswith("-") else fact.name == t for t in statement.topic):
            return fact.name
        # A person may have changed the line and left the name: the line says what the fact is about.
        if statement.name.startswith("lives-in-") and re.match(r"lives? in\b", fact.summary, re.I):
            return fact.name
    return None


def _arguments(statement: Statement, replaces: str | None) -> dict[str, Any]:
    out: dict[str, Any] = {
        "name": statement.name,
        "summary": statement.summary,
        "kind": statement.kind,
        "body": statement.body,
        "quote": statement.quote,
    }
    if replaces:
        out["replaces"] = replaces
    if statement.due:
        out["due"] = statement.due.isoformat()
    return out


def _retry(call: Call, result: Result, statement: Statement) -> Call | None:
    """A save refused for what is not wrong with the statement, asked again."""
    if result.ok:
        return None
    if "names no fact" in result.content:
        return Call(call.name, {k: v for k, v in call.arguments.items() if k != "replaces"})
    close = _CLOSE.search(result.content)
    if close is None:
        return None
    # Where the person lives, what they are called: of some things there is one.
    one = {"units", "age"} & {*statement.topic} or any(t.endswith("-") for t in statement.topic)
    instead: dict[str, Any] = {"replaces": int(close["n"])} if one else {"distinct": True}
    return Call(call.name, call.arguments | instead)


def _noted(turn: Turn, statements: Sequence[Statement], results: Sequence[Result]) -> str:
    pairs = list(zip(statements, results, strict=True))
    lines = []
    for word, kept in (
        ("Noted", [s for s, r in pairs if r.ok and not r.proposed and not r.known_before]),
        ("Already noted", [s for s, r in pairs if r.known_before]),
        ("To review before I keep it", [s for s, r in pairs if r.proposed]),
    ):
        if kept:
            said = listed(_joint([s.you for s in kept]))
            dues = list(dict.fromkeys(named(s.due, turn.today) for s in kept if s.due))
            lines.append(f"{word}: {said}{f', due {listed(dues)}' if dues else ''}.")
    many = [s for s, r in pairs if not r.ok and _TOO_MANY in r.content]
    if many:
        lines.append(f"Not kept: {listed(_joint([s.you for s in many]))}. Two facts a turn are kept; say it once more.")
    lines += [
        f"Not kept: {r.content.strip().removeprefix('Not saved: ') or 'the memory did not answer.'}"
        for _, r in pairs
        if not r.ok and _TOO_MANY not in r.content
    ]
    return "\n\n".join(lines)


def _joint(said: list[str]) -> list[str]:
    """`you live in Tokyo`, `prefer Celsius`: one subject for what has the same."""
    return [
        s.removeprefix("you ") if i and s.startswith("you ") and said[i - 1].startswith("you ") else s
        for i, s in enumerate(said)
    ]


def forget(turn: Turn, what: str) -> Steps:
    """Find the fact that the words mean and forget it; several that fit are named instead."""
    if not turn.has("delete_memory"):
        return refusal(turn, nothing="forget nothing")
    number = re.fullmatch(r"(?:fact |number |no\.? ?|#)*(\d+)", what.strip(), re.I)
    if re.fullmatch(r"(?:everything|all|it all|all (?:of it|facts))(?: .*)?", what.strip(), re.I):
        return "I forget one fact at a time. Name it by its number, or " + choosing(turn) + "."
    by_name = re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)+", what.strip())
    found: list[Seen] = []
    if turn.has("recall_memory"):
        query = {"fact": number[1] if number else what.strip()} if number or by_name else {"query": to_query(what)}
        results = yield [Call("recall_memory", query)]
        found = results[0].facts
    known = found or turn.known
    if number:
        fits = [f for f in known if f.number == int(number[1])]
    elif by_name:
        fits = [f for f in known if f.name == what.strip()]
    else:
        fits = _meant(what, known)
    if number and not fits:
        fits = [Seen(int(number[1]), number[1], f"fact {number[1]}")]
    if not fits:
        return f'No fact says "{what}", so there is nothing to forget.'
    if len(fits) > 1:
        return "Which one? Say, for example, " + f'"forget #{fits[0].number}".\n\n' + "\n".join(map(line, fits))
    results = yield [Call("delete_memory", {"fact": fits[0].name, "quote": _order(turn, what)})]
    if not results[0].ok:
        return f"Not forgotten: {results[0].content.strip()}"
    if results[0].proposed:
        return f"To review: forgetting {fits[0].summary}."
    return f"Forgotten: {capital(said_of(fits[0]))}. {undo(turn)} brings it back."


def _order(turn: Turn, what: str) -> str:
    """The sentence with which the person asked for it, as typed."""
    said = clauses(turn.message)
    meant = next((c for c in said if what and what.lower() in c.text.lower()), said[0] if said else None)
    return (meant.sentence or meant.quote) if meant else turn.message


def _meant(what: str, facts: list[Seen]) -> list[Seen]:
    """The facts that hold most of the words: half of them at least, those named exactly first."""
    asked = words(what)
    ranked = best(facts, asked, least=0.5)
    if not ranked:
        return []
    top = [fact for score, fact in ranked if score >= ranked[0][0] - 0.001]
    named_so = [fact for fact in top if fact.name == slug(what)]
    person = [fact for fact in top if asked and fact.name.split("-")[0] == asked[0] and fact.kind in {"", "contact"}]
    return named_so or (person if len(person) == 1 and len(asked) <= 2 else top)


def to_query(text: str) -> str:
    """The words worth searching for."""
    return " ".join(words(text)) or text.strip()


def close(turn: Turn, what: str, *, sure: bool) -> Steps:
    """Close the open thread that the words mean. `sure` is False for a sentence that may mean something else."""
    if not turn.has("delete_memory"):
        return refusal(turn, nothing="close nothing")
    results = yield [Call("recall_memory", {"kind": "open-thread"})]
    threads = results[0].facts
    if not threads:
        return "Nothing waits, so there is nothing to close."
    fits = matches(what, threads) if what else []
    if not fits and not what:
        recent = (matches(said, threads) for said in reversed(turn.earlier[-3:]))
        fits = threads if len(threads) == 1 else next((some for some in recent if len(some) == 1), [])
    if len(fits) != 1:
        said = "Which one is done?" if fits or not what or sure else f"No open thread speaks of {what}. Open are:"
        return f"{said}\n\n" + "\n".join(map(line, fits or threads))
    results = yield [Call("delete_memory", {"fact": fits[0].name, "quote": _order(turn, what)})]
    if not results[0].ok:
        return f"Not closed: {results[0].content.strip()}"
    if results[0].proposed:
        return f"To review: closing {fits[0].summary}."
    return f"Closed: {fits[0].summary}. {undo(turn)} opens it again."


def line(fact: Seen) -> str:
    """A fact as a list item."""
    return f"- {capital(said_of(fact))} · #{fact.number}"


def said_of(fact: Seen) -> str:
    """A fact's one line, said to the person it is about."""
    text = re.sub(r"\b[Tt]he user's\b", "your", fact.summary)
    return re.sub(r"\b(?:the|The) user\b", "you", text).rstrip(".")
