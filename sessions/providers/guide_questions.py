"""What a person may ask of the guide, recognised by its words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sessions.providers.guide_words import Clause

Ask: TypeAlias = Literal[
    "help", "hello", "thanks", "bye", "how", "self", "model", "date", "history", "forget", "close", "waiting", "today",
    "home", "name", "me", "preferences", "all", "about", "detail", "weather",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and about what."""

    ask: Ask
    about: str = ""


_PRONOUN = r"(?:it|that|this|them|all that)"
_TALK = (
    r"say|said|tell you|told you|ask(?:ed)?|write|wrote|mention(?:ed)?|decided?|discuss(?:ed)?|talk(?:ed)?|"
    r"spoke|speak|chat(?:ted)?|agreed?|note"
)
_WEATHER = (
    r"\b(?:weather|forecast|umbrella|raincoat)\b|\b(?:what(?:'s| is) the|current|outside) temperature\b|"
    r"^temperatures?\b|"
    r"\bhow (?:warm|cold|hot|windy|cloudy|humid)\b|\b(?:is|will|does|was) it (?:be |going to )?(?:rain|snow|"
    r"cold|warm|hot|sunny|windy|"
    r"cloudy|freez|nice out)|\bdegrees (?:is it|outside)\b|\bneed (?:a|my) (?:coat|jacket|hat)\b"
)
_RULES: list[tuple[Ask, str]] = [
    (
        "help",
        r"^(?:/?help(?: me)?|what can (?:you|i) (?:do|say|ask)(?: here)?|how (?:do|does|can) (?:you|this|"
        r"i use this) ?(?:work)?|(?:show|list) (?:the )?commands|\?|what do you understand)$",
    ),
    (
        "hello",
        r"^(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening)|yo)(?: there| guide| again)?$",
    ),
    (
        "thanks",
        r"^(?:thanks|thank you|thx|ty|cheers|great|perfect|cool|nice|ok|okay|got it|good|fine|great,? thanks|"
        r"never ?mind|forget it)(?: (?:a lot|so much|very much|you))?$",
    ),
    ("bye", r"^(?:bye|goodbye|good night|see you(?: later| tomorrow)?|ciao|later)$"),
    ("how", r"^how(?:'s it going| are you(?: doing| today)?| do you do)$"),
    (
        "self",
        r"^(?:who|what) are you$|^what(?:'s| is) your name$|^are you (?:an? )?(?:ai|human|bot|robot|"
        r"language model|llm|real).*$|^what (?:model|llm|ai) (?:are you|is this|do you use)$|"
        r"^which model (?:are you|is this)$",
    ),
    (
        "model",
        r"\b(?:connect|use|add|set ?up|switch to|configure|install|choose|change)\b.*\b(?:models?|llm|gpt[\w.-]*|"
        r"openai|ollama|lm studio|llama[\w.]*|provider|api key)\b",
    ),
    (
        "date",
        r"^what(?:'s| is) (?:the |today's )?(?:date|day|time)(?: is it)?(?: today| now)?$|^what (?:day|date|"
        r"time) is it(?: today| now)?$|^what(?:'s| is) today(?:'s date)?$|^what day is today$",
    ),
    ("history", rf"\bwhat (?:(?:did|do|have|has) )?(?:\w+(?: \w+)? )?(?:{_TALK})\b(?P<x>.*)$"),
    (
        "history",
        rf"^(?:when|where|why|how often) (?:(?:did|have|was) )?(?:i|we|you) (?:last |first |"
        rf"ever )*(?:{_TALK})\b(?P<x>.*)$",
    ),
    ("history", rf"^(?:did|have) (?:i|we) (?:ever |already )?(?:{_TALK})\b(?P<x>.*)$"),
    (
        "history",
        r"^(?:can you |could you )?(?:search|find|look up|look for)(?: (?:in )?(?:my |our |the )?(?:history|"
        r"sessions|chats|conversations|past))?(?: for)? (?P<x>.+)$",
    ),
    (
        "history",
        r"^(?:what happened|what was i (?:doing|working on)|what have i been (?:doing|working on)|"
        r"what were we (?:doing|working on))\b(?P<x>.*)$",
    ),
    (
        "forget",
        rf"^(?:you can |can you )?forget (?!{_PRONOUN}$)(?:about |that |the fact that |the fact |fact |"
        rf"what i said about |everything about )*(?P<x>.+)$",
    ),
    (
        "forget",
        r"^(?:delete|remove|erase|drop) (?:the )?(?:fact|memory|note)s? (?:that |about |number |"
        r"no\.? )?(?P<x>.+)$|^(?:delete|remove|erase|drop) (?P<y>#?\d+|.+?) from (?:your |my |the )?memory$",
    ),
    ("forget", r"^(?:please )?(?:delete|remove|forget) (?P<x>#\d+|[a-z0-9]+(?:-[a-z0-9]+)+)$"),
    (
        "forget",
        r"^i(?: no longer|'m no longer| am no longer| don't| do not|'m not|"
        r" am not) (?P<x>(?!waiting).+?)(?: any ?more| any longer)$|^i no longer (?P<y>(?!wait).+)$|^i(?:'m|"
        r" am) no longer (?P<z>(?!waiting).+)$",
    ),
    (
        "close",
        r"^(?:can you )?(?:close|resolve|complete|finish|tick off|check off|mark)(?: off)? (?:the |my |"
        r"that )?(?:open )?(?:thread |task |item )?(?:on |about |with |for )?(?P<x>.+?)(?: threads?| tasks?|"
        r" items?)?(?: (?:as )?(?:done|closed|resolved|complete[d]?|finished))?$",
    ),
    (
        "close",
        r"^(?P<x>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)(?:'s| has| have)? (?:just |finally |now |already )*(?:answered|"
        r"replied|responded|got back|gotten back|came back|come back|decided|approved|confirmed|delivered|signed|"
        r"paid|called back|wrote back|said yes|said no|sent)\b(?P<y>.*)$",
    ),
    (
        "close",
        r"^(?:that|it|this|that one|this one)(?:'s| is| has been| was) (?:all |now )*(?:done|settled|resolved|"
        r"sorted(?: out)?|finished|over|closed|handled|taken care of|decided)$",
    ),
    (
        "close",
        r"^(?:the |my )?(?P<x>.+?)(?:'s| is| has been| was| are| have been) (?:all |now |finally )*(?:done|"
        r"settled|resolved|sorted(?: out)?|finished|closed|handled|taken care of|decided|signed|paid)$",
    ),
    (
        "close",
        r"^(?:i(?:'m| am) |all )?(?:done|finished) with (?P<x>.+)$|^i(?:'ve| have)? (?:just |finally |"
        r"already )*(?:answered|replied to|sent|called|emailed|paid|finished|completed|submitted|handled|did|"
        r"told) (?P<y>.+)$",
    ),
    (
        "close",
        r"^i(?:'m| am) (?:no longer|not) waiting (?:on|for) (?P<x>.+?)(?: any ?more)?$|^(?:no longer|"
        r"not) waiting (?:on|for) (?P<y>.+)$",
    ),
    (
        "waiting",
        r"^(?:who|what|whom)(?:'s| is| am| are)? (?:i|we|else|i'm)? ?(?:still )?waiting (?:on|for)\b.*$|^(?:what|"
        r"which|show|list|any)(?: me)?(?:'s| is| are)? ?(?:my |the )?(?:still )?(?:open|pending)(?: threads?|"
        r" items?| tasks?| loops?)?$|^(?:show|list)(?: me)? (?:my |the |all )*(?:open threads?|threads|to-?dos?|"
        r"tasks)$|^what do i (?:still )?owe.*$|^am i waiting (?:on|for) .+$|"
        r"^(?:what are )?(?:my )?(?:open threads?|to-?dos?|tasks)$",
    ),
    (
        "today",
        r"^what(?:'s| is| do| needs| should| else)?\b.*\b(?:needs? (?:me|my attention|doing)|due|overdue|"
        r"on my plate|urgent|on (?:my )?(?:agenda|list)|(?:i (?:need to |have to |should )(?:do|focus on|"
        r"work on)))\b(?: .*)?$|^what(?:'s| is) (?:up|on|next)(?: for me)?(?: today| tomorrow| this week)?$|"
        r"^(?:is |are )?(?:there )?anything (?:due|urgent|overdue|for me)\b.*$|^what needs me\b.*$|"
        r"^(?:my )?(?:agenda|to-?do list)(?: today| for today)?$",
    ),
    (
        "home",
        r"^where (?:do|am|did) i (?:live|living|based|located|from|stay|reside|move to|at home)(?: now| currently|"
        r" these days)?$|^(?:what|which) (?:city|town|place|country) (?:do|am) i (?:live|living|in|"
        r"based)(?: in)?$|^(?:what(?:'s| is)|where(?:'s| is)) (?:my )?(?:home|city|location|home ?town|"
        r"home city)(?: at)?$|^do you (?:know|remember) where i live$|^where's home$",
    ),
    (
        "name",
        r"^(?:what(?:'s| is)|tell me|say) my name$|^who am i$|^do you (?:know|remember) (?:my name|who i am|me)$|"
        r"^what am i called$|^what(?:'s| is) my (?:full|first) name$",
    ),
    (
        "preferences",
        r"^(?:what(?:'s| are| is)|list|show(?: me)?|tell me) my preferences?$|^what do i (?:prefer|like|hate|"
        r"dislike|love|enjoy)$|^what (?:are|were) my (?:likes|tastes)(?: and dislikes)?$|^my preferences$",
    ),
    (
        "me",
        r"^(?:what|tell me what|show me what|everything|all)? ?(?:(?:do|did|have|can) )?(?:you|"
        r"u)?(?: you)? ?(?:know|remember|learn(?:ed|t)?|have|noted?|stored?|saved?|tell me)(?: so far)? (?:about|"
        r"on|of) (?:me|myself)$|^tell me about me(?:self)?$|^(?:what )?about me$|^describe me$",
    ),
    (
        "all",
        r"^what (?:do|did|else do) you (?:know|remember|recall)$|^(?:list|show)(?: me)? (?:(?:all|everything|my|"
        r"your|the) )*(?:facts|memory|memories|notes|you know|you remember)$|^what(?:'s| is) in (?:your|my|"
        r"the) memory$|^who do you know$",
    ),
    (
        "about",
        r"^(?:do you |what do you |what can you |what else do you |tell me what you )?(?:know|remember|recall|"
        r"have|tell me)(?: anything| something)?(?: about| of| on)? (?P<x>(?!how\b|the answer).+)$",
    ),
    (
        "about",
        r"^(?:who|whos)(?:'s| is| are| was)? (?P<x>(?!i\b|you\b|there\b).+)$|^tell me (?:more |something |"
        r"everything )?about (?P<y>.+)$|^what about (?P<z>.+)$",
    ),
    ("about", r"^(?:what|when|where|how|which)(?:'s| is| are| old is) (?P<x>(?-i:[A-Z])[\w-]+'s .+)$"),
    (
        "detail",
        r"^(?:what|which|when|where|how)(?:'s|'re)?(?: \w+)? ?(?:is|are|was|were)? ?(?P<x>(?:my|our)\b.+)$|"
        r"^(?:what|which|when|where|how(?: old| many| long)?|who|why)(?P<n>(?: \w+){0,3}?) (?:do|did|am|was|have|can|"
        r"should) (?:i|we)\b ?(?P<y>.*)$|^(?:do|am|did|was|have|can) i\b ?(?P<z>.*)$",
    ),
    ("weather", _WEATHER),
]
_COMPILED = [(ask, re.compile(pattern, re.I)) for ask, pattern in _RULES]
# A name that answered is a capitalised one: "it answered" closes nothing.
_NO_NAMES = re.compile(r"^(?:i|i'\w+|you|he|she|it|they|we|this|that|who|what|nobody|someone)$", re.I)
_NEVER_WEATHER: frozenset[Ask] = frozenset({"detail", "about", "today", "date", "all"})
_MY_AGE = re.compile(r"^(?:how old am i\b|what(?:'s| is) my age\b)", re.I)
_NOT_ABOUT = re.compile(r"^(?:what |how |why |that )", re.I)


def question(clause: Clause) -> Question | None:
    """What the clause asks for or orders, or None."""
    text = clause.text.strip(" .!?,;:")
    if not text:
        return Question("help") if clause.question else None
    for ask, rule in _COMPILED:
        m = rule.search(text)
        if not m:
            continue
        if ask == "weather" or (ask in _NEVER_WEATHER and re.search(_WEATHER, text, re.I)):
            return Question("weather", text)
        told = [g.strip(" ,.?") for g in m.groups() if g]
        # "How many kids do I have": what is counted stands before the verb.
        about = " ".join(told) if ask == "detail" else next(iter(told), "")
        if ask == "detail" and _MY_AGE.match(text):
            about = "age years old"
        if ask == "close" and (clause.question or _NO_NAMES.match(about) or clause.kept):
            continue
        if ask in {"about", "detail"} and not clause.question and re.match(r"(?:i|my|we)\b", text, re.I):
            continue
        if ask == "about" and _NOT_ABOUT.match(about):
            inner = question(Clause(about, clause.quote, True))
            return inner or Question("about", about)
        if ask == "history":
            about = re.sub(
                r"^(?:\s*(?:to (?:you|me)|with (?:you|me)|you|me|it|about|regarding|on|concerning|of|that|for)\b)+",
                "",
                about,
                flags=re.I,
            )
            if not about or "what" in text.lower():
                about = _said_by(text, about)
        return Question(ask, about.strip())
    return None


def _said_by(text: str, about: str) -> str:
    """*what did Sarah say about it*: the speaker belongs to what is searched."""
    m = re.search(r"\b[Ww]hat (?:did|has|have|was) (?P<who>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) ", text)
    return f"{m['who']}, {about}".strip(" ,") if m and not _NO_NAMES.match(m["who"]) else about
