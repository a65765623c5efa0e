"""Of whom a clause speaks: the person, somebody who is pointed back to, or whoever its words name."""

from __future__ import annotations

import re

LEAD = re.compile(
    r"^(?:(?:and|but|so|well|also|yes|yeah|no(?=[,:]|\s+(?:i|we|it|the|that|my)\b|$)|ok|okay|oh|hey|hi|hello|(?:ha|"
    r"he){2,}|lol|please|actually|btw|"
    r"by the way|fyi|(?:by )?now|then|meanwhile|mittlerweile|inzwischen|"
    r"anyway|honestly|today|currently|these days|remember|note|know|that|noted|sorry|thanks|"
    r"(?:please )?(?:don't|do not|never) forget|"
    r"i (?:think|guess|know|believe|heard|said|mean|told you|should (?:say|mention)|wanted to say))\b[\s,:]*"
    r"(?:that\b\s*)?)+",
    re.I,
)
_VERB_OF_ONE = (
    r"(?:is|was|has|had|will|would|can|could|should|must|may|might|does|did|told|said|left|went|got|took|made|came|"
    r"\w{2,}ed|(?!this\b|always\b)\w{2,}[^su]s|uses)(?:n't)?"
)
_VERB = rf"(?:{_VERB_OF_ONE}|(?:are|were|have|do|want|like|live|love|hate|need|use|tell|say|work|go)(?:n't)?)"
ME = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|mine|myself|we|we're|we've|us|ich|mir|mich|je|j'\w+|yo|me)\b", re.I)
_SELF = re.compile(r"^(?:i|i'm|i've|i'd|i'll|we|we're|we've|we'll|ich|wir|je|j'|nous|yo|io|eu|ik|jag)\b", re.I)
_PRONOUN = re.compile(
    rf"^(?P<who>he|she|they|it|this|that|these|those|who|which|there|here)(?:'s|'re|\s+{_VERB})\b", re.I
)
_PRONOUN_GAPPED = re.compile(
    r"^(?:he|she|they|er|sie|elle|il|ella|él|lei|lui) (?:at|in|on|to|from|for|near|um|im|am|bei|nach|à|en|dans|a|alle|"
    r"alla|\d)\b",
    re.I,
)
"""A pronoun without its verb: "I wake up at five, she at eight"."""
_PRONOUN_ELSEWHERE = re.compile(
    r"^(?:er|es|sie) (?:ist|hat|war|mag|will|kann|soll|\w+t)\b|^(?:elle|il|ella|él|lei|lui|egli) (?!mio|mi[oa]?\b)\w",
    re.I,
)
IT_IS_NOW = re.compile(r"^it(?:'s| is)\b.*\bnow\b", re.I)
_CALLED = re.compile(r"^(?:everyone|everybody|people|(?:all )?(?:my )?friends|most people) calls? me\b", re.I)
_YOU = re.compile(r"^(?P<who>you)(?:'re|'ve|'ll|\s+\w+)\b", re.I)
OWN = re.compile(
    rf"^(?P<whose>my|our|his|her|their|the|a|an|that|this|your|some|every)\s+"
    rf"(?P<who>(?:[\w'-]+\s+){{0,3}}?[\w-]+)(?:'s\s+(?=an?\b|the\b|my\b|\w+ing\b)|\s+{_VERB}\b)",
    re.I,
)
_GAPPED = re.compile(
    r"^(?P<whose>my|our|his|her|their|the|that|this)\s+(?P<who>(?:[\w-]+\s+){0,2}?[\w-]+)\s+(?:in|at|on|to|from|for|"
    r"near)\b",
    re.I,
)
"""A clause that leaves out the verb of the one before: "and my wife in Nara"."""
_NAMED = re.compile(rf"^(?P<who>[^\W\d_a-zß-ÿ][\w'-]*(?:\s+[^\W\d_a-zß-ÿ][\w'-]*){{0,2}})\s+{_VERB_OF_ONE}\b")
_ELSEWHERE = re.compile(
    r"^(?:\w+,?\s+)?(?:mein\w*|unser\w*|mon|ma|mes|mi(?! (?:sono|chiamo|piac\w+|trasferisco)\b)|"
    r"mis|mia|mio|mijn|meu|minha|мо[йяеи])\s+(?P<who>\w+)|"
    r"^我(?:的)?(?P<who_zh>[姐妹哥弟爸妈爷奶]{1,2}|朋友|同事|老板|女儿|儿子|太太|先生|老婆|老公)|"
    r"^(?:私の|うちの)?(?P<who_ja>兄|弟|姉|妹|父|母|友達|上司|同僚|妻|夫|息子|娘|彼女|彼|母親|父親)(?!が(?:[一二三四五六七八九\d]+人)?い(?:る|ます))(?:は|が|も)",
    re.I,
)
_BARE = re.compile(
    r"^(?!(?:i|what|whatever|nothing|no|not|never|always|please|just|only|to|for|in|on|at|with|of|and|born|called)\b)"
    r"(?P<who>[a-z]{3,}(?:\s+here)?)\s+(?:(?:am|is|has|was|lives?|likes?|loves?|hates?|speaks?|"
    r"plays?|drives?|owns?|eats?|drinks?|"
    r"works?|moved|left|quit|wants?|needs?)\b)",
)
_ITS_OWN = re.compile(r"(?:works|lives|likes|loves|hates|owns|drives|plays|speaks|studies|prefers|wants)\b", re.I)
"""Who speaks of themselves does not say so, with or without a subject."""
_QUANTITY = re.compile(
    r"^(?P<who>anyone|anybody|everyone|everybody|nobody|no one|none|someone|somebody|each|most|half|some|many|few|all|"
    r"both|others?|jeder|alle|niemand|jemand|tout le monde|personne|todos|nadie)\s+(?:but|except|other|of|in|at|on|"
    r"here|"
    r"else|who|besides|apart|außer|sauf|menos|excepto)\b(?! (?:this|the (?:day|time)|it)\b)",
    re.I,
)
"""Some of many, of whom nothing is known by it."""


def subject(clause: str) -> str:
    """Of whom a clause speaks."""
    bare = LEAD.sub("", clause)
    if _SELF.match(bare):
        return "me"
    if m := _YOU.match(bare):
        return "" if ME.search(bare) or re.search(r"\b(?:my|our)\b", bare, re.I) else "you"
    if IT_IS_NOW.match(bare) or _CALLED.match(bare):
        return ""
    if m := _QUANTITY.match(bare):
        return m["who"].casefold()
    if m := _PRONOUN.match(bare):
        return m["who"].casefold()
    if _PRONOUN_ELSEWHERE.match(bare) or _PRONOUN_GAPPED.match(bare):
        return "they"
    if m := OWN.match(bare):
        return f"{m['whose']} {m['who']}".casefold()
    if m := _ELSEWHERE.match(bare):
        return "my " + (m["who"] or m["who_zh"] or m["who_ja"])
    if m := _NAMED.match(bare) or _BARE.match(bare):
        return m["who"]
    if _ITS_OWN.match(bare):
        return "they"
    if m := _GAPPED.match(bare):
        return f"{m['whose']} {m['who']}".casefold()
    return ""
