"""The same statement in plainer words: without what asks to have it kept, and wishes as they are told of somebody.

"Merk dir bitte, dass ich in Ulm wohne" is "ich in Ulm wohne", "I'd rather you asked first" is "please ask first", and
"I moved from Austin to Reno" is "I moved to Reno".
"""

from __future__ import annotations

import re
from dataclasses import replace

from sessions.memory.fact import Draft
from sessions.memory.replaced import without_the_old
from sessions.memory.said import Saying

_I = re.I
_NAME = r"(?P<name>(?-i:[^\W\d_a-zß-ÿ])[\w'-]*(?:,? (?:not|nicht|pas|no) (?-i:[^\W\d_a-zß-ÿ])[\w'-]*)?)"
_PLEASE = r"(?:please|pls|bitte|s'il te plaît|por favor|per favore)"
_KEPT = re.compile(
    rf"^(?:{_PLEASE}[\s,]+)?(?:merke? dir|notiere?(?: dir)?|speichere?|denk dran|vergiss nicht|retiens|souviens-toi|"
    rf"note|"
    r"n'oublie pas|recuerda|acuérdate|anota|no olvides|ricorda(?:ti)?|lembre(?:-se)?|onthoud)"
    rf"(?:[\s,]+(?:{_PLEASE}|mal))*[\s,:]+(?:dass|daß|que|qu'|de que|che|dat)\s*",
    _I,
)
_VERB_LAST = re.compile(r"^(?P<who>ich|wir) (?P<what>[^,.;!?]+) (?P<verb>[a-zäöüß]+)[.!]*$")
"""German, after "dass"."""
_PAST = {
    "used": "use", "explained": "explain", "wrote": "write", "kept": "keep", "told": "tell", "spoke": "speak",
    "gave": "give", "put": "put", "left": "leave", "made": "make", "didn't": "do not", "shared": "share",
    "merged": "merge", "closed": "close", "changed": "change", "described": "describe", "translated": "translate",
}  # fmt: skip
_RATHER = re.compile(
    r"^i(?:'d| would) (?:rather|prefer(?: it)?(?: if)?|like it(?: better)? if|appreciate it if)(?: that)? you "
    r"(?:always )?(?P<verb>\w+ed|[\w']+)\b",
    _I,
)
_PICKS = re.compile(
    r"^i(?:'d| would) (?:always |rather )?(?:pick|choose|take|go for) (?P<what>[^.,;!?]+? over [^.,;!?]+?)"
    r"(?: (?:any ?(?:day|time)|every time|always|anytime))[.!]*$",
    _I,
)
_CALLS = re.compile(
    rf"^(?:{_PLEASE}[\s,]+)?(?:just )?(?:call me|nenn(?:t|en sie)? mich|appell?e[sz]?-moi|llám[ae]n?me) "
    rf"(?:{_PLEASE} )?{_NAME}[.!]*$",
    _I,
)
_TO_BE_CALLED = (
    (re.compile(r"^(?:the user )?wants? to be called\b", _I), "I want to be called {}"),
    (re.compile(r"^möchte\b", _I), "ich möchte {} genannt werden"),
    (re.compile(r"^veut être\b", _I), "je veux être appelé {}"),
    (re.compile(r"^quiere que\b", _I), "quiero que me llamen {}"),
)
"""How a claim tells of it, and the same of oneself."""
_MEETS = re.compile(
    r"^(?:we|our team) (?:have|hold|do) (?:an? |the |our )?(?P<what>[\w-]+(?: [\w-]+){0,2}?) "
    r"(?P<when>(?:at \d|on \w+days?|every |each )[^.,;!?]*)[.!]*$",
    _I,
)
_STATES = frozenset({"user", "preference", "project", "contact"})
_RUNS = re.compile(
    r"^(?:ask|call|contact|ping|talk to|write to|see) (?P<who>(?-i:[^\W\d_a-zß-ÿ])\w+(?: (?-i:[^\W\d_a-zß-ÿ])\w+)?) "
    r"(?:about|for|regarding) (?P<what>(?:the|our|my) [\w -]+?), (?:he|she|they) (?P<verb>\w+) it[.!]*$",
    _I,
)


def plainer(saying: Saying, draft: Draft) -> Saying:
    """The saying in plainer words where it is one of these wishes; as it is otherwise."""
    sentence = _plainer(saying.sentence, draft)
    if sentence == saying.sentence:
        return saying
    quote = _plainer(saying.quote, draft)
    # A quote that ends before the wish does is read with the whole of it.
    return replace(saying, sentence=sentence, quote=quote if quote != saying.quote or quote in sentence else sentence)


def _plainer(text: str, draft: Draft) -> str:
    kept = _KEPT.match(text := text.strip())
    if kept:
        text = text[kept.end() :]
        if m := _VERB_LAST.match(text):
            return f"{m['who']} {m['verb']} {m['what']}"
    if m := _RATHER.match(text):
        verb = m["verb"].casefold()
        return f"please {_PAST.get(verb) or re.sub(r'(?<=[^e])ed$', '', verb)}{text[m.end() :]}"
    if m := _PICKS.match(text):
        return f"I prefer {m['what']}"
    if m := _CALLS.match(text):
        of_oneself = next((plain for rule, plain in _TO_BE_CALLED if rule.match(draft.summary)), "")
        return of_oneself.format(m["name"]) or text
    if (m := _MEETS.match(text)) and re.search(r"\bis (?:at|on|every|each)\b", draft.summary):
        return f"Our {m['what']} is {m['when']}"
    if m := _RUNS.match(text):
        return f"{m['who']} {m['verb']} {m['what']}"
    return without_the_old(text, draft.summary) if draft.kind in _STATES else text
