"""What a person says about others, and what they wait for: contacts and open threads."""

from __future__ import annotations

import dataclasses
import re
from datetime import date

from sessions.dates import find_due
from sessions.providers.guide_statements import Statement
from sessions.providers.guide_words import Clause, capital, fold, slug, to_them, to_you

ROLES = (
    r"manager|boss|lead|leader|colleague|co-?worker|teammate|friend|wife|husband|spouse|partner|brother|"
    r"sister|mother|father|mom|"
    r"mum|dad|son|daughter|cousin|uncle|aunt|nephew|niece|grandmother|grandfather|grandma|grandpa|neighbou?r|"
    r"landlord|landlady|"
    r"doctor|dentist|lawyer|accountant|teacher|tutor|coach|mentor|client|customer|designer|developer|engineer|"
    r"pm|ceo|cto|cfo|coo|vp|"
    r"director|head|chief|assistant|secretary|intern|roommate|flatmate|girlfriend|boyfriend|fianc[ée]e?|"
    r"therapist|professor|advisor|"
    r"adviser|supervisor|report|recruiter|investor|co-?founder|founder|contact|trainer|nanny|babysitter|vet|"
    r"plumber|electrician|"
    r"buddy|pal|owner|analyst|consultant|counterpart|chef|agent|editor|reviewer|person|guy|woman|man|nurse|"
    r"architect|president"
)
_NAME = r"(?P<n>(?:(?:Dr|Mr|Mrs|Ms|Prof)\.? )?[A-Z][\w'\-]+(?: (?:[a-z]{2,3} )?[A-Z][\w'\-]+){0,2})"
_NOT_NAMES = re.compile(
    r"^(?:I|It|This|That|There|Here|What|Where|When|Who|How|Why|The|My|Our|Your|His|Her|Their|He|She|They|We|"
    r"You|Today|Tomorrow|"
    r"Yesterday|Nothing|Everything|Someone|Remember|Please|Yes|No|If|And|But|So|Let|Is|Are|Do|Does|Did|Can|"
    r"Could|Will|Would|"
    r"Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?(?:'\w+)?\b"
)
_ROLE_OF = re.compile(
    rf"^{_NAME}(?:'s| is| are) (?P<x>(?:now |also )?(?:my|our|the|an?|in charge of|head of|responsible for) ?.*)$"
)
_IS_MY = re.compile(
    rf"^(?P<r>(?:[Mm]y|[Oo]ur) (?:[\w-]+ )*?(?i:{ROLES}))(?:'s name)? (?:is|is called|is named) (?:called |"
    rf"named )?{_NAME}$"
)
_DOES = re.compile(
    rf"^{_NAME} (?P<x>(?:now |also )?(?:owns|leads|runs|manages|works|lives|likes|loves|hates|prefers|handles|"
    rf"speaks|joined|reports|"
    r"looks after|takes care of|decides|knows|teaches|has|wants|uses|is (?:on|in|at|from|based|allergic|"
    r"responsible|away|vegetarian|vegan)) ?.*)$"
)
_HAS = re.compile(
    rf"^{_NAME}'s (?P<x>(?:birthday|email|e-mail|phone|number|phone number|address|title|role|job|team|name|office|"
    r"partner|wife|husband|desk|time zone|timezone|favou?rite [\w ]+) (?:is|are) .+)$"
)
_WHO_DOES = re.compile(rf"^(?P<r>[Mm]y (?:[\w-]+ )*?(?i:{ROLES})),? {_NAME},? (?P<x>(?!and\b|or\b)[a-z]\w* .+)$")
_WORKS_WITH = re.compile(rf"^I (?:work|met|live) (?:closely )?(?:with )?{_NAME}(?P<x>.*)$")
_WAIT = re.compile(
    r"^(?:i(?:'m| am)(?: still| now)? |we(?:'re| are)(?: still)? |still )?waiting (?:on|for|"
    r"to hear (?:back )?from) (?P<x>.+)$",
    re.I,
)
_OWES = re.compile(rf"^(?:{_NAME} (?:still )?owes me|(?P<i>I (?:still )?owe) (?P<to>[A-Z][\w'-]+)) (?P<x>.+)$")
_NEEDS = re.compile(rf"^{_NAME} (?:still )?(?:needs|wants|expects|is waiting for|waits for) (?P<x>.+)$")
_TASK = re.compile(
    r"^(?:i (?:still )?(?:need to|have to|must|should|ought to|want to|promised to|'ve got to|gotta)|i(?:'ve|"
    r" have) got to|remind me (?:to|that|about)|"
    r"to-?do:?|i owe) (?P<x>.+)$",
    re.I,
)
# Where a sentence may name its date.
_SENTENCE_CHARS = 600


def contact(clause: Clause, after: list[Clause]) -> Statement | None:
    """A person and who they are; `after` are the clauses that say more about the same person."""
    text = clause.text.rstrip(" .!,")
    m = _ROLE_OF.match(text)
    if m and not _NOT_NAMES.match(m["n"]):
        what = m["x"].strip()
        mine = re.match(r"(?:now |also )?(?:my|our)\b", what)
        if re.search(
            r"\bfavou?rite\b|\b(?:project|dog|cat|pet|product|language|editor|city|home|team|company)\b", what, re.I
        ):
            return _thing(m["n"], what, clause)
        if mine or re.search(rf"\b(?:{ROLES})\b|in charge of|responsible for", what, re.I):
            return _person(m["n"], [f"is {what}"], clause, after)
        return None
    m = _IS_MY.match(text)
    if m and not _NOT_NAMES.match(m["n"]):
        return _person(m["n"], [f"is {m['r'][:1].lower()}{m['r'][1:]}"], clause, after)
    m = _DOES.match(text)
    if m and not _NOT_NAMES.match(m["n"]):
        found = _person(m["n"], [m["x"].strip()], clause, after)
        return dataclasses.replace(found, adds_to=m["n"])
    m = _HAS.match(text)
    if m and not _NOT_NAMES.match(m["n"]):
        line = f"{m['n']}'s {to_them_of(m['x'])}"
        found = _person(m["n"], [], clause, [])
        return dataclasses.replace(found, summary=line[:120], body=f"{line}.", you=to_you(line), adds_to=m["n"])
    m = _WHO_DOES.match(text)
    if m and not _NOT_NAMES.match(m["n"]):
        return _person(m["n"], [f"is {m['r'][:1].lower()}{m['r'][1:]}", m["x"]], clause, after)
    m = _WORKS_WITH.match(text)
    if m and not _NOT_NAMES.match(m["n"]) and text.startswith("I work"):
        return dataclasses.replace(_person(m["n"], [f"works with me{m['x']}"], clause, after), adds_to=m["n"])
    return None


def _person(name: str, says: list[str], clause: Clause, after: list[Clause]) -> Statement:
    name = name.strip()
    said = [*says, *(re.sub(r"^(?:she|he|they)(?:'s\b| (?=is\b)|\b) ?", _copula, c.text, flags=re.I) for c in after)]
    said = [s.strip(" .,") for s in said]
    line = f"{name} {' and '.join(said)}" if len(said) < 3 else f"{name} {', '.join(said[:-1])} and {said[-1]}"
    third = re.sub(r"\b(?:my|our)\b", "the user's", to_them_of(line), flags=re.I)
    quote = clause.sentence if after else clause.quote
    return Statement(slug(name), third[:120], "contact", f"{third}.", to_you(line), quote)


def _copula(m: re.Match[str]) -> str:
    return "is " if m[0].lower().rstrip().endswith("'s") else ""


def to_them_of(text: str) -> str:
    """*my* stays for the caller; *me* and *I* become the user."""
    return re.sub(r"(?<![\w'])(?:me|I)(?![\w'])", "the user", text)


def _thing(name: str, what: str, clause: Clause) -> Statement:
    kind = "project" if re.search(r"\b(?:project|product|team)\b", what, re.I) else "user"
    kind = "preference" if re.search(r"\bfavou?rite\b", what, re.I) else kind
    third = f"{name} is {re.sub(r'^(?:my|our)', 'the user' + chr(39) + 's', what, flags=re.I)}"
    return Statement(slug(name), third[:120], kind, f"{third}.", to_you(f"{name} is {what}"), clause.quote)


def thread(clause: Clause, after: list[Clause], today: date) -> Statement | None:
    """Something that waits: what, for whom, and until when."""
    text = clause.text.rstrip(" .!,")
    due = find_due(fold(clause.sentence)[:_SENTENCE_CHARS], today)
    more = " ".join(capital(_third(c.text)) + "." for c in after)
    m = _WAIT.match(text)
    if m:
        what = _undated(m["x"], today)
        return _thread(
            f"Waiting on {to_them(what)}", f"you are waiting on {to_you(what)}", clause, due, more, bool(after)
        )
    m = _OWES.match(text)
    if m:
        what = _undated(m["x"], today)
        if m["i"]:
            return _thread(
                f"Owes {m['to']} {to_them(what)}", f"you owe {m['to']} {to_you(what)}", clause, due, more, bool(after)
            )
        return _thread(
            f"Waiting on {m['n']}: {to_them(what)}", f"{m['n']} owes you {to_you(what)}", clause, due, more, bool(after)
        )
    m = _NEEDS.match(text)
    if m and not _NOT_NAMES.match(m["n"]) and (due or re.search(r"\b(?:me|my)\b", m["x"])):
        what = _undated(m["x"], today)
        return _thread(
            f"{m['n']} needs {_third(what)}", f"{m['n']} needs {to_you(what)}", clause, due, more, bool(after)
        )
    m = _TASK.match(text)
    if m and (due or re.match(r"remind|to-?do", text, re.I)):
        what = _undated(re.sub(r"^i (?:need|have) to ", "", m["x"], flags=re.I), today)
        return _thread(capital(to_them(what)), to_you(what), clause, due, more, bool(after))
    return None


def _third(text: str) -> str:
    return re.sub(r"(?<![\w'])my(?![\w'])", "the user's", to_them_of(text), flags=re.I)


def _undated(text: str, today: date) -> str:
    found = find_due(text, today)
    return re.sub(r"\s+", " ", text.replace(found[1], "")).strip(" ,.-—–") if found else text


def _thread(summary: str, you: str, clause: Clause, due: tuple[date, str] | None, more: str, whole: bool) -> Statement:
    topic = re.split(r"\b(?:about|regarding|concerning|for|re)\b", summary, maxsplit=1)[-1]
    topic = re.sub(r"^\s*(?:the|a|an|their|his|her)\s+", "", topic)
    name = slug(topic, limit=40) or slug(summary, limit=40)
    when = f" Due {due[0].isoformat()}." if due else ""
    body = f"{summary}. {more}".strip() + when
    return Statement(
        name,
        summary[:120],
        "open-thread",
        body,
        you,
        clause.sentence if whole else clause.quote,
        (),
        due[0] if due else None,
    )
