"""Several things said of one in a row: "I'm vegetarian, 34 and allergic to nuts", "my wife is a doctor from Lyon"."""

from __future__ import annotations

import re
from dataclasses import replace

from sessions.providers.guide_statements import AGE, KIN, TRAITS, Statement, about_user
from sessions.providers.guide_words import Clause, capital, to_them

_I_AM = re.compile(r"^i(?:'m| am) (?!not\b|never\b|no\b|n't\b)(?P<x>.+)$", re.I)
_CUT = re.compile(r"\s*,\s*(?:(?:and|but|also)\s+)*|\s+(?:and|but)\s+(?:also\s+)?", re.I)
_LISTING = re.compile(r"^(?:allergic|intolerant|from|a fan of|fan of|learning|studying|father|mother|parent)\b", re.I)
"""What goes on with another thing of the same sort after a comma."""
_NUMBER = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+)"
_WITH = re.compile(rf"\s+with (?={_NUMBER} (?:[\w-]+ )?{KIN}\b)", re.I)
_FROM = re.compile(r"\s+(?=from [A-Z])")
_ADJECTIVE = re.compile(rf"^an? (?P<t>{TRAITS}) (?=[\w-]+)", re.I)
_KIN = re.compile(
    rf"^(?:my|our) (?P<r>{KIN})(?P<v>'s| is| are| was| were| works?| lives?| speaks?| likes?| loves?| hates?| prefers?|"
    r" has| have| owns?| drives?| doesn't| don't| does not| do not| can't| cannot) (?P<x>.+)$",
    re.I,
)
_FIRST = {"'s": "'m", "is": "am", "are": "am", "were": "was", "has": "have", "doesn't": "don't", "does not": "do not"}
_AGES = re.compile(rf"^(?:(?:now|already|just|almost) )?{AGE}(?:(?:,| and|, and) \d{{1,3}}(?: years old)?)*$", re.I)


def several(clause: Clause) -> list[Statement]:
    """The facts of a clause that says more than one thing of the person after one "I am"; none for another one."""
    m = _I_AM.match(clause.text.rstrip(" .!,"))
    parts = _parts(m["x"]) if m else []
    if len(parts) < 2:
        return []
    found: list[Statement] = []
    said = ""
    """The part that the newest fact was made of."""
    for part in parts:
        one = _said(part, clause)
        if one and said and one.name.startswith("name-is-"):
            one = None  # a place, a company: nobody has two names in one sentence
        if one is None and said and (_LISTING.match(said) or part[:1].isupper()):
            # "Allergic to nuts, shellfish", "from Lyon, France": more of the same.
            longer = f"{said} and {part}" if part == parts[-1] and not part[:1].isupper() else f"{said}, {part}"
            if (joined := _said(longer, clause)) is not None:
                found[-1], said = joined, longer
            continue
        said = part if one else ""
        if one:
            found.append(one)
    return found


def _parts(text: str) -> list[str]:
    """The predicates, each as it would stand alone after "I am", or with its own verb."""
    out: list[str] = []
    for part in _CUT.split(text):
        for piece in _FROM.split(part):
            first, *more = _WITH.split(piece)
            if m := _ADJECTIVE.match(first):
                out.append(m["t"])
                first = f"a {first[m.end() :]}"
            out += [first, *(f"have {rest}" for rest in more)]
    return [part for part in (p.strip(" .!,") for p in out) if part]


def _said(part: str, clause: Clause) -> Statement | None:
    text = f"I {part}" if re.match(r"(?:have|live|work|speak|own) ", part) else f"I'm {part}"
    return about_user(replace(clause, text=text))


def relative(clause: Clause) -> Statement | None:
    """What is said of one of the person's family without a name: who they are, how old, where they live or work."""
    m = _KIN.match(clause.text.rstrip(" .!,"))
    if not m:
        return None
    role, verb, what = m["r"].lower(), m["v"].strip().lower(), m["x"].strip()
    if not (verb in {"is", "are", "'s"} and _AGES.match(what)):
        # What would be kept of the person is kept of them: no whereabouts, no moods.
        first = _FIRST.get(verb) or (verb if verb.endswith("ss") else verb.removesuffix("s"))
        alike = replace(clause, text=f"I{'' if first.startswith(chr(39)) else ' '}{first} {what}")
        if about_user(alike) is None and not several(alike):
            return None
    line = f"{role}{'' if verb.startswith(chr(39)) else ' '}{verb} {to_them(what)}"
    third = f"the user's {line}"
    name = re.sub(r"[^a-z]+", "-", role).strip("-")
    return Statement(
        name, capital(third)[:120], "contact", f"{capital(third)}.", f"your {line}", clause.quote, adds_to=role
    )
