"""A turn of the guide from the person's message to the answer: what was said is read, then done in order."""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from sessions.providers import guide_answers as answers
from sessions.providers.guide_help import CONNECT, HELLO, HELLO_ONLY, NO_MODEL, WHO, help_text
from sessions.providers.guide_learn import close, forget, save
from sessions.providers.guide_people import contact, thread
from sessions.providers.guide_predicates import relative, several
from sessions.providers.guide_questions import Question, question
from sessions.providers.guide_statements import SECRET, Statement, about_user, note
from sessions.providers.guide_turn import Steps, Turn
from sessions.providers.guide_ways import tell_me
from sessions.providers.guide_words import Clause, clauses, fold

_SECRET = "That looks like a secret, so I keep no fact of it."
_LOGGED = " It stands in this session's log; erase the session if it should not."
_KEEP_NOT = re.compile(
    r"\b(?:don't|do not|never) (?:save|remember|keep|store|note|memori[sz]e) (?:this|that|it|any)", re.I
)
_SMALL = frozenset({"hello", "thanks", "bye", "how"})
_LONGEST_CHARS = 8_000
# A sentence to the guide is short; what is longer, or comes after so many, is a paste.
_CLAUSE_CHARS = 400
_CLAUSES = 40


@dataclass(frozen=True, slots=True)
class _Secret:
    pass


@dataclass(frozen=True, slots=True)
class _Unknown:
    text: str


_Intent = Statement | Question | _Secret | _Unknown


def script(turn: Turn) -> Steps:
    """The plan of a turn: its calls step by step, and the answer."""
    intents = list(_intents(turn))
    known = [i for i in intents if not isinstance(i, _Unknown) and not _small(i)]
    if _KEEP_NOT.search(fold(turn.message)):
        known = [i for i in known if not isinstance(i, Statement)]
        if not known:
            return "As you wish: no fact is kept of that. It stands in this session only."
    if not known:
        if intents and all(isinstance(i, Question) for i in intents):
            return "\n\n".join(dict.fromkeys(_small_talk(turn, i.ask) for i in intents if isinstance(i, Question)))
        return (yield from answers.anything(turn, turn.message))
    parts: list[str] = []
    at = 0
    while at < len(known):
        statements: list[Statement] = []
        while at < len(known) and isinstance(known[at], Statement):
            statements.append(known[at])  # type: ignore[arg-type]
            at += 1
        if statements:
            _take_in(turn, statements)
            parts.append((yield from save(turn, _each_once(statements))))
            continue
        intent = known[at]
        at += 1
        if isinstance(intent, _Secret):
            parts.append(_SECRET if turn.private else _SECRET + _LOGGED)
        elif isinstance(intent, Question):
            parts.append((yield from _answer(turn, intent)))
    return "\n\n".join(dict.fromkeys(p for p in parts if p))


def statements(text: str, today: date) -> list[Statement]:
    """What a message states, outside of any turn; nothing when it asks to keep nothing."""
    if _KEEP_NOT.search(fold(text)):
        return []
    turn = Turn(text, today, "", frozenset(), [])
    return _each_once([intent for intent in _intents(turn) if isinstance(intent, Statement)])


def _intents(turn: Turn) -> Iterator[_Intent]:
    said = clauses(turn.message[:_LONGEST_CHARS])[:_CLAUSES]
    skip = 0
    for i, clause in enumerate(said):
        if skip:
            skip -= 1
            continue
        if len(clause.text) > _CLAUSE_CHARS:
            yield _Unknown(clause.text)
            continue
        if SECRET.search(clause.text):
            yield _Secret()
            continue
        after = []
        for more in said[i + 1 :]:
            if not more.goes_on or more.question:
                break
            after.append(more)
        asked = question(clause)
        if asked and not (clause.kept and not clause.question and asked.ask in {"detail", "about", "close", *_SMALL}):
            yield asked
            continue
        found = None if clause.question else _statement(clause, after, turn)
        row = [] if clause.question or (found and found.kind in {"contact", "open-thread"}) else several(clause)
        if row:
            yield from row
        elif found:
            skip = len(after) if found.kind in {"contact", "open-thread"} else 0
            yield found
        else:
            yield _Unknown(clause.text)


def _statement(clause: Clause, after: list[Clause], turn: Turn) -> Statement | None:
    if clause.kept and re.match(r"to \w", clause.text):
        clause = replace(clause, text=f"remind me {clause.text}")
    found = thread(clause, after, turn.today) or contact(clause, after) or relative(clause) or about_user(clause)
    return found or (note(clause) if clause.kept else None)


def _each_once(statements: list[Statement]) -> list[Statement]:
    """The last word on each name counts."""
    return list({s.name: s for s in statements}.values())


def _take_in(turn: Turn, statements: list[Statement]) -> None:
    """What this turn's own words say holds for the rest of it, saved or not."""
    for statement in statements:
        if statement.name.startswith("lives-in-"):
            turn.place = statement.summary.removeprefix("Lives in ")
        elif statement.name.startswith("prefers-") and "units" in statement.topic:
            other = statement.summary.endswith(("Fahrenheit", "imperial units"))
            turn.units = "fahrenheit" if other else "celsius"


def _small(intent: _Intent) -> bool:
    return isinstance(intent, Question) and intent.ask in _SMALL


def _small_talk(turn: Turn, ask: str) -> str:
    hello = HELLO if turn.has("save_memory") else HELLO_ONLY
    kept = "Nothing of this session is kept." if turn.private else "This session is kept; History has it."
    return {
        "hello": hello,
        "thanks": "You're welcome.",
        "bye": f"Until next time. {kept}",
        "how": "Ready. " + hello.removeprefix("Hello. "),
    }.get(ask, NO_MODEL)


def _nothing(turn: Turn) -> str:
    return "I know nothing about you yet." + tell_me(turn, "I live in Tokyo, and I prefer Celsius.")


def _answer(turn: Turn, asked: Question) -> Steps:
    match asked.ask:
        case "help":
            return help_text()
        case "self":
            return WHO
        case "model":
            return CONNECT
        case "date":
            day = f"{day_name[turn.today.weekday()]} {turn.today.day} {month_name[turn.today.month]} {turn.today.year}"
            return f"It is {day}{f', {turn.time}' if turn.time else ''}."
        case "weather":
            return (yield from answers.weather(turn, asked.about))
        case "history":
            return (yield from answers.history(turn, asked.about))
        case "forget":
            return (yield from forget(turn, asked.about))
        case "close":
            return (yield from close(turn, asked.about, sure=False))
        case "waiting":
            return (yield from answers.waiting(turn, soon=False))
        case "today":
            return (yield from answers.waiting(turn, soon=True, text=turn.message))
        case "home":
            return (yield from answers.home(turn))
        case "name":
            return (yield from answers.name(turn))
        case "preferences":
            nothing = "I know none of your preferences yet." + tell_me(turn, "I prefer Celsius.")
            return (yield from answers.of_kinds(turn, ["preference"], nothing))
        case "me":
            return (yield from answers.of_kinds(turn, ["preference", "user", "feedback"], _nothing(turn), family=True))
        case "all":
            kinds = ["preference", "user", "feedback", "contact", "project", "reference", "open-thread"]
            return (yield from answers.of_kinds(turn, kinds, _nothing(turn)))
        case "about":
            return (yield from answers.about(turn, asked.about))
        case "detail":
            return (yield from answers.detail(turn, asked.about))
        case _:
            return _small_talk(turn, asked.ask)
