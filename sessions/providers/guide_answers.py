"""What the guide answers: weather, facts, past sessions, and what waits."""

from __future__ import annotations

import re
from calendar import month_name
from datetime import date, timedelta
from typing import Any

from sessions.dates import add_months, find_due, named, past_range
from sessions.providers.guide_facts import Seen, best, matches, place_of, units_of
from sessions.providers.guide_help import KEEP, NO_MODEL, NOT_A_FACT
from sessions.providers.guide_learn import line, said_of, to_query
from sessions.providers.guide_said import passages_of, said_here
from sessions.providers.guide_statements import KIN, about_user
from sessions.providers.guide_turn import Call, Steps, Turn
from sessions.providers.guide_ways import no_search, off, refusal, tell_me
from sessions.providers.guide_words import capital, clauses, meets, to_you, words

_PLACE = re.compile(
    r"\b(?:weather|temperature|forecast|warm|cold|hot|rain\w*|snow\w*|sunny|windy|cloudy|humid|umbrella|coat|"
    r"jacket|degrees|"
    r"outside|today|now|tomorrow|it|be|like)\b[^?]*?\b(?:in|for|at|over in) (?P<x>(?!the (?:morning|evening|"
    r"afternoon)\b).+)$",
    re.I,
)
_BARE = re.compile(
    r"^(?:the )?(?:current )?(?:weather|temperature|forecast):? (?P<x>[^\W\d].*)$|"
    r"^(?P<y>(?!What|How|The\b|Current|Any|Show|Tell|Give|Today)[A-Z][\w ,'-]*?)(?:'s)? (?:weather|forecast)$"
)
_OF = re.compile(r"\bis (?P<x>[A-Z][\w ,'-]*)'s (?:weather|temperature|forecast)|\bweather of (?P<y>.+)$")
_TAIL = re.compile(
    r"[,\s]+(?:right now|now|today|tonight|tomorrow|at the moment|currently|these days|like|please|"
    r"this (?:week(?:end)?|morning|"
    r"afternoon|evening)|next week|on \w+day|in (?:celsius|fahrenheit|degrees|metric|imperial)\b.*|thanks?|"
    r"for me|outside|be)$",
    re.I,
)
_UNITS = re.compile(r"\bin (?:degrees )?(?P<u>celsius|fahrenheit|metric|imperial)\b", re.I)
_HERE = re.compile(
    r"^(?:here|me|my (?:city|town|place|area|home)|home|general|town|the city|the (?:next|coming).*)$", re.I
)
_VERB = re.compile(r"(?:Lives|Prefers|Likes|Dislikes|Loves|Hates|Speaks|Uses|Works|Has|Owns|Is|Was|Does)\b")
_DUE_LINE = re.compile(r"\bdue \d{4}-\d\d-\d\d\.?\s*$", re.I)
_FAMILY = re.compile(rf"\b(?:the user's|your|my) {KIN}\b", re.I)
_UNKNOWN = "I don't know that yet: no fact and no past session speaks of it. I follow rules and am no language model."
_NO_FACT = "I know no fact about that. This was said:"
_SAID_CHARS = 2_000
_SAID_MESSAGES = 30
_AHEAD = re.compile(r"\b(?:tomorrow|forecast|weekend|next week|later|tonight|this week|on \w+day)\b", re.I)


def places_in(text: str) -> list[str]:
    """The places that a question about the weather names."""
    m = _PLACE.search(text) or _OF.search(text) or _BARE.search(text)
    place = next((g for g in m.groups() if g), "") if m else ""
    before = None
    while before != place:
        before, place = place, _TAIL.sub("", place.strip(" ?.,!"))
    if not place or _HERE.match(place) or re.fullmatch(_TAIL, f" {place}"):
        return []
    return [p.strip(" ,") for p in re.split(r"\s+(?:and|or|vs\.?|versus)\s+(?:in )?", place) if p.strip(" ,")]


def weather(turn: Turn, text: str) -> Steps:
    """Recall where and in which units, then ask the weather service; its answer is the answer."""
    if not turn.has("get_weather"):
        return "The weather tool is switched off here, so I can't look."
    places = places_in(text)
    asked = _UNITS.search(text)
    recalled: list[Seen] = []
    settled = turn.place is not None and (turn.units or units_of(turn.known)) is not None
    if turn.has("recall_memory") and not settled:
        query = "celsius or fahrenheit" if places or turn.place else "location: lives in; celsius or fahrenheit"
        results = yield [Call("recall_memory", {"query": query})]
        recalled = results[0].facts
    home = turn.place or place_of(recalled) or place_of(turn.known) or _said_home(turn)
    places = places or ([home] if home else [])
    if not places:
        return "Where? Name a place" + (", or tell me once: I live in Tokyo." if turn.has("save_memory") else ".")
    units = turn.units or units_of(recalled) or units_of(turn.known)
    if asked:
        units = "fahrenheit" if asked["u"].lower() in {"fahrenheit", "imperial"} else "celsius"
    results = yield [Call("get_weather", {"location": p} | ({"units": units} if units else {})) for p in places[:4]]
    answers = [r.content.strip() or "⚠️ The weather service did not answer." for r in results]
    if any(r.ok for r in results) and _AHEAD.search(text):
        answers.append("That is the weather now; I have no forecast.")
    return "\n\n".join(answers)


def _said_home(turn: Turn) -> str | None:
    """Where the person said in this session that they live, for a session that keeps no facts."""
    for text in reversed(turn.earlier[-_SAID_MESSAGES:]):
        for clause in clauses(text[:_SAID_CHARS]):
            said = None if clause.question else about_user(clause)
            if said and said.name.startswith("lives-in-"):
                return said.summary.removeprefix("Lives in ")
    return None


def home(turn: Turn) -> Steps:
    facts = yield from _recall(turn, {"query": "location: lives in"})
    if facts is None:
        return off(turn)
    place = place_of(facts) or place_of(turn.known)
    return f"You live in {place}." if place else "I don't know that yet." + tell_me(turn, "I live in Tokyo.")


def name(turn: Turn) -> Steps:
    facts = yield from _recall(turn, {"query": "name"})
    if facts is None:
        return off(turn)
    for fact in sorted([*facts, *turn.known], key=lambda f: -f.number):
        m = re.match(
            r"(?:(?:the )?user(?:'s)? )?(?:name is|is called|is named|goes by|called|name:) (.+)$", fact.summary, re.I
        )
        if m:
            return f"Your name is {m[1].rstrip('.')}."
    return "I don't know your name yet." + tell_me(turn, "call me Ken.")


def of_kinds(turn: Turn, kinds: list[str], nothing: str, *, family: bool = False) -> Steps:
    """All facts of some kinds, as a list; with `family` of people those of the person's own."""
    if not turn.has("recall_memory"):
        return off(turn)
    results = yield [Call("recall_memory", {"kind": kind}) for kind in [*kinds, *(["contact"] if family else [])]]
    facts = [fact for r in results for fact in r.facts]
    if family:
        facts = [f for f in facts if f.kind != "contact" or _FAMILY.search(f.text)]
    return "\n".join(map(line, dict.fromkeys(facts))) if facts else nothing


def about(turn: Turn, what: str) -> Steps:
    """What is known about a person or thing; where nothing is, what was said about it."""
    if not turn.has("recall_memory"):
        return off(turn)
    if re.match(r"(?:and )?(?:in )?[A-Z]", what) and any(call == "get_weather" for call, _ in turn.earlier_calls):
        return (yield from weather(turn, f"weather in {what}"))
    facts = (yield from _recall(turn, {"query": to_query(what)})) or []
    fits = [fact for _, fact in best(facts, words(what), least=0.5)] or (
        matches(what, turn.known) if words(what) else []
    )
    if fits:
        return _facts(turn, fits)
    found = [said_here(turn, words(what))]
    if turn.has("search_history"):
        results = yield [Call("search_history", {"query": to_query(what)})]
        found.append(passages_of(results[0], words(what)))
    if any(found):
        return "\n\n".join([f"No fact about {to_you(what)}, but this was said:", *filter(None, found)])
    return f"I know nothing about {to_you(what)} yet."


def detail(turn: Turn, what: str) -> Steps:
    """One thing about the person: *when is my birthday*, *where do I work*."""
    if not turn.has("recall_memory"):
        return off(turn)
    asked = words(what)
    facts = (yield from _recall(turn, {"query": to_query(what)})) or []
    pool = {fact.number: fact for fact in [*turn.known, *facts]}
    order = [*dict.fromkeys([*(f.number for f in facts), *pool])]
    fits = [fact for _, fact in best([pool[n] for n in order], asked)]
    if not re.search(rf"\b{KIN}\b", what, re.I):
        fits = [fact for fact in fits if fact.kind != "contact"] or fits
    if fits:
        top = [fact for fact in fits if meets(asked, fact.text) >= meets(asked, fits[0].text) - 0.001]
        return _facts(turn, top)
    return (yield from anything(turn, what, asked_memory=False, nothing=_UNKNOWN))


def _facts(turn: Turn, facts: list[Seen], *, a_list: bool = False) -> str:
    def told(fact: Seen) -> str:
        text = said_of(fact)
        lines = (_beyond(line, fact.summary) for line in fact.body.split("\n"))
        body = [said_of(Seen(0, "", part)) for part in lines if part]
        more = [capital(b) for b in body if meets(words(b), text) < 1]
        if fact.body.lower().startswith(f"the user's {fact.summary.lower()}"):
            text = f"Your {text[:1].lower()}{text[1:]}"
        whole = capital(". ".join([text, *more]).replace("..", "."))
        due = f", due {named(fact.due, turn.today)}" if fact.due and "due" not in whole.lower() else ""
        return whole + due

    facts = list(dict.fromkeys(facts))
    if len(facts) == 1 and not a_list:
        said = told(facts[0])
        mine = facts[0].body.lower().startswith(f"the user {facts[0].summary.lower()}") or _VERB.match(said)
        return (capital(to_second(said)) if mine and facts[0].kind != "contact" else said).rstrip(".") + "."
    return "\n".join(f"- {told(fact)} · #{fact.number}" for fact in facts[:8])


def _beyond(line: str, summary: str) -> str:
    """What a line of a body says beyond the summary that it begins with, and beyond the date that is told in words."""
    line = line.strip()
    if line.lower().startswith(summary.lower()) and not line[len(summary) : len(summary) + 1].isalnum():
        line = line[len(summary) :]
    return _DUE_LINE.sub("", line).strip(" .")


def to_second(line_: str) -> str:
    """*Lives in Tokyo* as *you live in Tokyo*."""
    verb, _, rest = line_.partition(" ")
    special = {"has": "have", "is": "are", "was": "were", "does": "do"}
    bare = special.get(verb.lower()) or re.sub(r"(?<=[oxzs])es$|(?<=ch)es$|(?<=sh)es$|s$", "", verb.lower())
    return f"you {bare} {re.sub(r'(?<![a-z])their(?![a-z])', 'your', rest)}"


def history(turn: Turn, what: str) -> Steps:
    """What was said before, in the days that the question names."""
    if not turn.has("search_history"):
        return no_search(turn)
    start, stop, rest = past_range(what, turn.today)
    query = to_query(rest) if words(rest) else rest.strip()
    arguments: dict[str, Any] = {"query": query}
    if start:
        arguments["after"] = start.isoformat()
    if stop:
        arguments["before"] = stop.isoformat()
    results = yield [Call("search_history", arguments)]
    now = (not start or start <= turn.today) and (not stop or stop > turn.today)
    found = [said_here(turn, words(rest)) if now else "", passages_of(results[0], [])]
    when = _when(start, stop, turn.today)
    if any(found):
        return "\n\n".join(filter(None, found))
    if not results[0].ok and results[0].content:
        return results[0].content.strip()
    return f"I find nothing{f' about {to_you(rest)}' if query else ''}{when} in past sessions."


def _when(start: date | None, stop: date | None, today: date) -> str:
    if start and stop:
        if start.day == 1 and stop == add_months(start, 1):
            return f" in {month_name[start.month]} {start.year}"
        if (start.month, start.day) == (1, 1) and stop == add_months(start, 12):
            return f" in {start.year}"
        last = stop - timedelta(days=1)
        return f" on {named(start, today)}" if last == start else f" from {start.isoformat()} to {last.isoformat()}"
    return f" since {start.isoformat()}" if start else f" before {stop.isoformat()}" if stop else ""


def waiting(turn: Turn, *, soon: bool, text: str = "") -> Steps:
    """The open threads, those due first; `soon` leaves out what has time."""
    facts = yield from _recall(turn, {"kind": "open-thread"})
    if facts is None:
        return off(turn)
    facts = sorted(facts, key=lambda f: (f.due is None, f.due or date.max, f.number))
    if not soon:
        return "\n".join(_thread(f, turn.today) for f in facts) if facts else "You are waiting on nothing."
    ahead = find_due(text, turn.today) if not re.search(r"\btoday\b", text, re.I) else None
    until = turn.today + timedelta(days=3)
    if ahead:
        until = max(ahead[0], until)
    elif re.search(r"\boverdue\b", text, re.I):
        until = turn.today - timedelta(days=1)
    near = [f for f in facts if f.due and f.due <= until]
    later = len(facts) - len(near)
    rest = f"{later} {'more ' if near else ''}open thread{' has' if later == 1 else 's have'} time or no date."
    rest = rest if later else ""
    if near:
        return "\n".join(_thread(f, turn.today) for f in near) + (f"\n\n{rest}" if rest else "")
    when = f"until {named(until, turn.today)}" if ahead else "now"
    return f"Nothing needs you {when}." + (f" {capital(rest)}" if rest else "")


def _thread(fact: Seen, today: date) -> str:
    if not fact.due:
        return line(fact)
    days = (today - fact.due).days
    when = f"overdue {days} d" if days > 0 else f"due {named(fact.due, today)}"
    return f"- {said_of(fact)}, {when} · #{fact.number}"


def _recall(turn: Turn, arguments: dict[str, Any]) -> Any:
    """Facts of one recall; None where there is no such tool."""
    if not turn.has("recall_memory"):
        return None
    results = yield [Call("recall_memory", arguments)]
    return results[0].facts


def anything(turn: Turn, text: str, *, asked_memory: bool = True, nothing: str = "") -> Steps:
    """The best facts and passages for words that no rule knows, or `nothing`, or how to get more than rules."""
    asked = words(text)
    calls = []
    if asked and asked_memory and turn.has("recall_memory"):
        calls.append(Call("recall_memory", {"query": " ".join(asked[:12])}))
    if asked and turn.has("search_history"):
        calls.append(Call("search_history", {"query": " ".join(asked[:12]), "limit": 5}))
    facts: list[Seen] = []
    said_before = [said_here(turn, asked)]
    if calls:
        for call, result in zip(calls, (yield calls), strict=True):
            if call.name == "recall_memory":
                facts = [fact for _, fact in best(result.facts, asked, least=0.34)][:5]
            else:
                said_before.append(passages_of(result, asked, but=turn.message))
    parts = []
    if facts:
        parts = [f"What I know about that:\n\n{_facts(turn, facts, a_list=True)}"]
    if any(said_before):
        head = "What was said about it:" if facts or not turn.has("recall_memory") else _NO_FACT
        parts += [head, *filter(None, said_before)]
    if parts:
        return "\n\n".join(parts)
    if nothing:
        return nothing
    said = clauses(text[:_SAID_CHARS])
    told = said and not any(c.question for c in said) and re.match(r"(?:i|my|we|our)\b", said[0].text, re.I)
    if told:
        return NOT_A_FACT if turn.has("save_memory") else refusal(turn)
    return f"{NO_MODEL} {KEEP}" if turn.has("save_memory") else NO_MODEL
