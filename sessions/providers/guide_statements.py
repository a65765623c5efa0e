"""What a person says about themselves, read as facts: where they live, what they like, how they want things done."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from sessions.providers.guide_words import Clause, capital, slug, to_them, to_you

_ADVERB = (
    r"(?:(?:really|also|usually|mostly|generally|always|currently|now|just|still|only|actually|definitely|"
    r"absolutely|much|strongly|recently|have|typically|mainly) )*"
)
_I = rf"^i(?:'ve)? {_ADVERB}"
_AM = rf"^i(?:'m| am) {_ADVERB}"
_PLACE_END = re.compile(
    r"[,\s]+(?:with|since|for|because|near|now|at the moment|these days|right now|currently|at present|again|"
    r"where|which|as of|"
    r"this|last|next|until|on my own|alone|nowadays|anymore|so|though|by the way|from)\b.*$|\s*\(.*$",
    re.I,
)
_NO_OBJECT = re.compile(
    r"^(?:it|this|that|them|these|those|you|your|him|her|what|when|how|to think|the way|the idea|where)\b", re.I
)
_NATIONALITY = (
    r"japanese|chinese|vietnamese|portuguese|german|french|dutch|spanish|italian|british|english|scottish|"
    r"welsh|irish|polish|"
    r"turkish|swedish|danish|finnish|norwegian|swiss|austrian|american|canadian|mexican|brazilian|korean|"
    r"indian|australian|"
    r"russian|ukrainian|greek|egyptian|nigerian|kenyan|israeli|pakistani|thai"
)
_TRAIT = (
    r"(?:a )?(?:vegetarian|vegan|pescatarian)|(?:left|right)-handed|lactose[- ]intolerant|"
    r"gluten[- ]intolerant|coeliac|celiac|"
    r"diabetic|asthmatic|dyslexic|colou?r[- ]?blind|deaf|an? (?:night owl|early bird|morning person|"
    r"non-native speaker.*)|married|single|divorced|engaged|widowed|retired|self-employed|bilingual"
)
KIN = (
    r"(?:(?:older|younger|elder|little|big|twin|eldest|oldest|youngest|step|half|ex|late|only)[- ]?)?(?:wife|husband|"
    r"spouse|partner|girlfriend|boyfriend|fianc[ée]e?|brothers?|sisters?|siblings|mother|father|mom|mum|dad|parents|"
    r"sons?|daughters?|kids?|child|children|baby|twins?|grand(?:mother|father|ma|pa|parents|sons?|daughters?|children|"
    r"kids)|cousins?|uncles?|aunts?|nephews?|nieces?|(?:mother|father|brother|sister)-in-law|family)"
)
TRAITS = rf"vegetarian|vegan|diabetic|retired|self-employed|bilingual|single|married|divorced|{_NATIONALITY}"
_RELATIVE = (
    r"an? (?:(?:single|proud|new|stay-at-home|working) )*(?:father|mother|dad|mum|mom|parent|grand\w+|uncle|aunt|"
    r"twin|widow|widower)\b(?: (?:of|to) .+)?|(?:the )?(?:father|mother|dad|mum|mom|parent) of .+|an only child"
)
_PERSONAL = (
    r"an? (?:[\w-]+ )?(?:(?:non-)?smoker|drinker|beginner|foreigner|newcomer|runner|swimmer|cyclist|gamer|reader|"
    r"singer-songwriter|hiker|climber|dancer|believer|owner|lover|christian|muslim|buddhist|hindu|jew|atheist|"
    r"vegetarian|libertarian|minor|senior|survivor|speaker|introvert|extrovert|perfectionist|optimist|pessimist)"
)
AGE = r"(?P<age>\d{1,3})(?:[- ]years?[- ](?:old|of age)| years)?"
_JOB = (
    r"\w*(?:er|or|ist|ian|eer|ant|nurse|chef|student|pilot|architect|scientist|researcher|consultant|founder|"
    r"cto|ceo|lead|dev|"
    r"programmer|sre|analyst|journalist|artist|professor|intern|postdoc|freelancer)s?"
)
_WHEREABOUTS = (
    r"(?:at (?:work|home|school|lunch|the (?:moment|office))|in (?:a|the) |on (?:a |my )?(?:call|break|leave|hol))"
)
"""After a job: where somebody is for now."""
_MINE = (
    r"(?:favou?rite|preferred|usual|default|native|first|home|work|personal) [\w -]+?|birthday|anniversary|"
    r"(?:full |first |last |middle )?name|"
    r"nickname|e-?mail(?: address)?|phone(?: number)?|address|time ?zone|mother tongue|language|languages|job|"
    r"job title|role|employer|"
    r"company|team|car|dog|cat|pet|hobby|hobbies|pronouns|blood type|shoe size|size|height|home ?town|city|"
    r"editor|shell|"
    r"operating system|os|laptop|computer|github(?: handle| username)?|handle|username|diet|allerg(?:y|ies)|"
    r"school|university|major|"
    r"(?:dog|cat|pet|son|daughter|wife|husband)'s name|project|locker|desk|bank|gym|doctor's name|commute|flight|seat"
)
SECRET = re.compile(
    r"\b(?:password|passphrase|passcode|pin(?: code| number)?|api[- ]?key|secret key|access token|private key|"
    r"cvv|card number)\b"
    r"(?:\s+\w+){0,4}\s+(?:is|are|=)\s|\bsk-[A-Za-z0-9_-]{16,}|\bgh[pous]_[A-Za-z0-9]{20,}|\bAKIA[0-9A-Z]{16}",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact that a clause states."""

    name: str
    summary: str
    kind: str
    body: str
    you: str
    """The same, said back: `you live in Tokyo`."""
    quote: str = ""
    topic: tuple[str, ...] = ()
    """Names, or beginnings of names that end in `-`, of facts that this one takes the place of."""
    due: date | None = None
    adds_to: str = ""
    """The person whose fact gains `body`, instead of a new fact."""


Build = Callable[[re.Match[str]], Statement | None]


def _about(name: str, third: str, you: str, *, kind: str = "preference", topic: tuple[str, ...] = ()) -> Statement:
    return Statement(
        slug(name) or slug(third), capital(third)[:120], kind, f"The user {third}.", f"you {you}", "", topic
    )


def _place(text: str) -> str:
    return _PLACE_END.sub("", text).strip(" ,.")


def _home(m: re.Match[str]) -> Statement | None:
    place = _place(m["x"])
    # "I live in a small flat": no place that a map knows.
    if not place or re.match(r"(?:a|an|the|my|our|fear|peace|hope)\b(?! hague)", place, re.I) or len(place.split()) > 6:
        return None
    place = place if place != place.lower() else place.title()
    return _about(
        f"lives in {place}", f"lives in {place}", f"live in {place}", topic=("lives-in-", "location", "home", "city")
    )


def _units(m: re.Match[str]) -> Statement:
    unit = m["u"].lower()
    said = (
        f"{unit} units"
        if unit in {"metric", "imperial"}
        else "Celsius"
        if unit.startswith(("c", "°c"))
        else "Fahrenheit"
    )
    topic = ("prefers-celsius", "prefers-fahrenheit", "prefers-metric-units", "prefers-imperial-units", "units")
    return _about(f"prefers {said}", f"prefers {said}", f"prefer {said}", topic=topic)


def _taste(third: str, you: str, against: tuple[str, ...] = ()) -> Build:
    def build(m: re.Match[str]) -> Statement | None:
        what = m["x"].strip()
        if not what or _NO_OBJECT.match(what):
            return None
        topic = tuple(f"{word}-{slug(what)}" for word in against)
        return _about(f"{third} {what}", f"{third} {to_them(what)}", f"{you} {to_you(what)}", topic=topic)

    return build


def _plain(third: str, you: str, *, kind: str = "user", topic: tuple[str, ...] = (), name: str = "") -> Build:
    def build(m: re.Match[str]) -> Statement | None:
        what = m["x"].strip()
        if not what or _NO_OBJECT.match(what):
            return None
        label = name or f"{third} {what}"
        return _about(label, f"{third} {to_them(what)}", f"{you} {to_you(what)}", kind=kind, topic=topic)

    return build


def _age(m: re.Match[str]) -> Statement | None:
    years = int(m["age"])
    # "I'm 5" may be anything.
    if not 5 < years < 120 or (years < 10 and "year" not in m[0]):
        return None
    return _about("age", f"is {years} years old", f"are {years} years old", kind="user", topic=("age",))


def _called(m: re.Match[str]) -> Statement | None:
    name = m["x"].strip(" .,'\"")
    if not 0 < len(name.split()) <= 4 or re.match(
        r"(?:later|back|tomorrow|when|if|at|on|in|a|an|the|not|old|by|for)\b", name, re.I
    ):
        return None
    name = name if name != name.lower() else name.title()
    topic = ("name-is-", "goes-by-", "name")
    return Statement(slug(f"name is {name}") or "name", f"Name is {name}", "preference", f"The user's name is {name}.",
                     f"your name is {name}", "", topic)  # fmt: skip


def _mine(m: re.Match[str]) -> Statement | None:
    what, value = m["w"].strip(), m["x"].strip()
    if (
        not value
        or len(value) > 90
        or re.match(r"(?:that|to know|how|why|if|whether|not|broken|late|ready|here|down|up)\b", value, re.I)
    ):
        return None
    if re.fullmatch(r"(?:home ?town|city|home city)", what, re.I) and re.fullmatch(r"city|home city", what, re.I):
        return _about(
            f"lives in {value}",
            f"lives in {value}",
            f"live in {value}",
            topic=("lives-in-", "location", "home", "city"),
        )
    always = re.match(r"favou?rite|preferred|usual|default|native|time|language|pronoun|mother|diet|allerg", what, re.I)
    kind = "preference" if always else "user"
    verb = "are" if "are" in m["v"].lower() else "is"
    line = f"{what} {verb} {to_them(value)}"
    said = f"your {what} {verb} {to_you(value)}"
    return Statement(slug(what) or "detail", capital(line)[:120], kind, f"The user's {line}.", said)


def _feedback(m: re.Match[str]) -> Statement | None:
    text = re.sub(
        r"^(?:please|from now on|going forward|in future|in the future)[,\s]+", "", m["x"].strip(), flags=re.I
    )
    text = re.sub(r"[,\s]+(?:please|from now on|going forward)$", "", text, flags=re.I)
    if len(text.split()) < 2 or re.match(r"(?:never ?mind|always welcome|don't (?:worry|know|care|mind))", text, re.I):
        return None
    return Statement(
        slug(text, limit=40), capital(text)[:120], "feedback", f"The user asks: {text}.", text[:1].lower() + text[1:]
    )


def _project(m: re.Match[str]) -> Statement | None:
    verb, what = m["v"].lower(), m["x"].strip()
    if _NO_OBJECT.match(what):
        return None
    bare = verb.removesuffix("s")
    line = f"the project {bare}s {what}"
    return Statement(
        slug(f"{bare}s {what}"), capital(line)[:120], "project", f"{capital(line)}.", f"{m['s'].lower()} {verb} {what}"
    )


_RULES: list[tuple[str, Build]] = [
    (rf"{_I}(?:live|reside|stay|been living) in (?P<x>.+)", _home),
    (rf"{_AM}(?:living|based|located|residing) (?:in|out of) (?P<x>.+)", _home),
    (rf"{_I}(?:moved|relocated)(?: back| over)? to (?P<x>.+)", _home),
    (r"^we(?:'ve| have)? (?:just |recently |now )?(?:live in|moved to|relocated to) (?P<x>.+)", _home),
    (r"^(?:my )?home is (?:now )?(?:in )?(?P<x>[A-Z].+)", _home),
    (r"^i call (?P<x>.+) (?:my )?home$", _home),
    (
        r"^(?:my name(?:'s| is)|(?:people|everyone|you can|you may|please)? ?call me|i go by|i(?:'m|"
        r" am) (?:called|named)|everyone calls me) (?P<x>.+)",
        _called,
    ),
    (
        rf"{_I}(?:prefer|use|like|want|think in|need|am used to)(?: my)?(?: temperatures?(?: in)?| the weather in|"
        rf" weather in| degrees)? ?(?P<u>celsius|centigrade|fahrenheit|°c|°f|metric|imperial)\b",
        _units,
    ),
    (
        r"^(?:please )?(?:use|switch to|show(?: me)?(?: temperatures?)?(?: in)?|give me (?:temperatures?|"
        r"the weather) in|temperatures? in|in|always use) (?P<u>celsius|centigrade|fahrenheit|°c|°f|metric|"
        r"imperial)\b",
        _units,
    ),
    (r"^(?P<u>celsius|centigrade|fahrenheit|metric)(?: units)?(?: please)?$", _units),
    (rf"{_I}prefer (?P<x>.+)", _taste("prefers", "prefer")),
    (
        rf"{_I}(?:don't|do not) (?:really |much )?(?:like|enjoy) (?P<x>.+)",
        _taste("dislikes", "don't like", ("likes", "loves")),
    ),
    (
        rf"{_I}(?:hate|dislike|can't stand|cannot stand|detest) (?P<x>.+)",
        _taste("dislikes", "don't like", ("likes", "loves")),
    ),
    (rf"{_I}(?:like|enjoy) (?P<x>.+)", _taste("likes", "like", ("dislikes",))),
    (rf"{_I}(?:love|adore) (?P<x>.+)", _taste("loves", "love", ("dislikes",))),
    (rf"{_AM}(?:a )?(?:big |huge )?fan of (?P<x>.+)", _taste("likes", "like", ("dislikes",))),
    (
        rf"{_AM}(?:originally |born and raised )?from (?P<x>(?!now\b|here\b|there\b).+)",
        _plain("is from", "are from", topic=("is-from-",)),
    ),
    (rf"{_I}(?:come|came) from (?P<x>[A-Z].+)", _plain("is from", "are from", topic=("is-from-",))),
    (rf"{_I}was born (?P<x>(?:on|in) .+)", _plain("was born", "were born", topic=("was-born-",))),
    (rf"{_I}(?:work|am working) (?P<x>(?:at|for) .+)", _plain("works", "work", topic=("works-at-", "works-for-"))),
    (rf"{_I}work (?P<x>as .+)", _plain("works", "work", topic=("works-as-",))),
    (
        rf"{_I}work (?P<x>(?:in|on|from|with|remotely|part[- ]time|full[- ]time|nights|freelance).*)",
        _plain("works", "work"),
    ),
    (rf"{_AM}working (?P<x>(?:at|for) .+)", _plain("works", "work", topic=("works-at-", "works-for-"))),
    (rf"{_AM}working (?P<x>as .+)", _plain("works", "work", topic=("works-as-",))),
    (rf"{_AM}(?P<x>{_RELATIVE})$", _plain("is", "are")),
    (rf"{_AM}(?P<x>{_PERSONAL})$", _plain("is", "are")),
    (rf"{_AM}{AGE}$", _age),
    (rf"{_I}(?:turned|turn) {AGE}(?: (?:today|yesterday|last \w+|this \w+|recently))?$", _age),
    (
        rf"{_AM}(?:the |an? )(?P<x>(?:[\w-]+ ){{0,3}}{_JOB}(?: (?!{_WHEREABOUTS})(?:at|for|in|of|on) .+)?)$",
        _plain("works as", "work as", topic=("works-as-",)),
    ),
    (rf"{_AM}(?P<x>{_TRAIT})$", _plain("is", "are", kind="preference")),
    (rf"{_AM}(?P<x>{_NATIONALITY})$", _plain("is", "are")),
    (rf"{_AM}(?P<x>(?:allergic|intolerant) to .+)", _plain("is", "are", kind="preference")),
    (
        rf"{_I}have (?P<x>(?:an? )?(?:[\w-]+ ){{0,2}}(?:allergy|intolerance)\b.*)",
        _plain("has", "have", kind="preference"),
    ),
    (rf"{_I}(?:can't|cannot|don't|do not) eat (?P<x>.+)", _plain("does not eat", "don't eat", kind="preference")),
    (rf"{_I}(?:don't|do not) drink (?P<x>.+)", _plain("does not drink", "don't drink", kind="preference")),
    (rf"{_I}(?:speak|can speak) (?P<x>.+)", _plain("speaks", "speak", kind="preference")),
    (rf"{_AM}(?:learning|studying) (?P<x>.+)", _plain("is learning", "are learning")),
    (rf"{_I}use (?P<x>.+)", _plain("uses", "use")),
    (rf"{_I}(?:drive|own) (?P<x>an? .+)", _plain("owns", "own")),
    (
        rf"(?:{_I}|^we )have (?P<x>(?:\w+ )?(?:\w+ )?(?:{KIN}|dogs?|cats?|pets?)\b.*)",
        _plain("has", "have"),
    ),
    (rf"^my (?P<w>{_MINE})(?P<v>'s| is| are|:)\s+(?P<x>.+)", _mine),
    (r"^(?P<x>(?:(?:from now on|going forward|in (?:the )?future)[, ]+.+)|(?:please )?(?:always|never) .+)", _feedback),
    (
        r"^(?P<x>(?:please )?(?:keep (?:your |the )?(?:answers?|replies)|be (?:brief|concise|short|direct)|"
        r"answer (?:me )?(?:in|with|briefly)|reply (?:in|with)) ?.*)",
        _feedback,
    ),
    (
        r"^(?P<x>(?:please )?(?:don't|do not|stop) (?:ever )?(?:us(?:e|ing)|writ(?:e|ing)|call(?:ing)?|"
        r"add(?:ing)?|rewrit(?:e|ing)|includ(?:e|ing)|explain(?:ing)?|apologi[sz](?:e|ing)) .+)",
        _feedback,
    ),
    (
        r"^(?P<s>we|our team|the team|this project|this repo(?:sitory)?|this codebase) (?:always |now |"
        r"also )?(?P<v>uses?|deploys?|prefers?|runs? on|targets?|requires?) (?P<x>.+)",
        _project,
    ),
]
_WORK = re.compile(
    r"\b(?:deploy\w*|builds?|release\w*|repo(?:sitory)?|branch\w*|servers?|database|staging|production|api|codebase|"
    r"tests?|tickets?|sprint|pipeline|ci|project|roadmap|client|customers?|invoices?|docs?|documentation)\b|https?://",
    re.I,
)
"""Of somebody's work; all else that they want remembered is of themselves."""
_COMPILED = [(re.compile(pattern, re.I), build) for pattern, build in _RULES]
_BARE_NAME = re.compile(r"^I(?:'m| am) (?P<x>[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})$")


def about_user(clause: Clause) -> Statement | None:
    """The fact that the clause states about the person or their work, or None."""
    text = clause.text.rstrip(" .!,")
    for rule, build in _COMPILED:
        m = rule.match(text)
        found = build(m) if m else None
        if found and found.name:
            return _quoted(found, clause)
    m = _BARE_NAME.match(text)
    if m and not re.search(r"^(?:OK|Sorry|Happy|Here|Back|Done|Sure|Fine|Not)\b", m["x"]):
        called = _called(m)
        return _quoted(called, clause) if called else None
    return None


def note(clause: Clause) -> Statement | None:
    """Whatever the person asked to remember, as it was said."""
    text = clause.text.rstrip(" .!,")
    name = slug(re.sub(r"^(?:the|a|an|i|i'm|my|we|our) ", "", text, flags=re.I), limit=40)
    if len(text.split()) < 2 and not name:
        return None
    mine = re.search(r"(?<![\w'])(?:i|i'm|i've|my|me|we|our)(?![\w'])", text, re.I)
    work = not mine and _WORK.search(text)
    body = f"The user said: {text}."
    found = Statement(
        name,
        capital(to_them(text) if mine else text)[:120],
        "reference" if work else "user",
        body,
        re.sub(r"^You", "you", to_you(text)),
    )
    return _quoted(found, clause)


def _quoted(found: Statement, clause: Clause) -> Statement:
    return Statement(found.name, found.summary, found.kind, found.body, found.you, clause.quote, found.topic, found.due)
