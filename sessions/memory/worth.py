"""What is worth remembering: one claim a fact, still true and of use in a month, and nobody's guess.

Each rule gives its reason as a sentence for the model. A person who asks to have something remembered overrules those
on worth, never those on form.
"""

from __future__ import annotations

import re
from pathlib import Path

from sessions.memory.fact import Draft
from sessions.memory.unsure import hedged
from sessions.memory.values import always_one, class_of
from sessions.memory.wording import count_words, fold, full_stop, plain

BODY_MAX = 2_000
"""Characters of details that are still one fact."""
_SENTENCES = re.compile(r"[.!?]\s+(?=[A-Z])|;\s|\n")
_VERB = (
    r"(?:lives|likes|loves|hates|dislikes|prefers|uses|works|wants|has|owns|is|was|needs|speaks|plays|drives|studies|"
    r"avoids|drinks|eats|reads|writes|runs|moved|keeps|takes)"
)
_TWO_CLAIMS = re.compile(
    rf"^(?:the user |user )?{_VERB}\b.*(?:,\s*|\s)(?:and|but)\s+(?:also\s+|he\s+|she\s+|they\s+)?{_VERB}\b", re.I
)
_GUESS = re.compile(
    r"\b(?:seems?|seemingly|appears? to|probably|presumably|likely|perhaps|maybe|might be|may be|could be|possibly|"
    r"suggests? that|implies|implied|apparently|i (?:think|believe|assume|guess|infer)|inferred|assumed|scheint|"
    r"vermutlich|wahrscheinlich|semble|probablement|parece|probablemente)\b|らしい|ようだ|たぶん|似乎|好像|大概",
    re.I,
)
_ACTS = (
    r"debugg|fix|test|implement|refactor|edit|build|compil|deploy|investigat|troubleshoot|try|"
    r"check|ask|search|install|updat|upgrad|rebas|merg|commit|cod"
)
_TASK = re.compile(
    rf"\b(?:is|was|are|were) (?:currently |now |still |just |busy )*(?:{_ACTS})(?:t|m|n|g)?ing\b|"
    r"\b(?:debugging|troubleshooting|refactoring|bisecting) (?:a|an|the|this|their|his|her)\b|"
    r"\b(?:working on|dealing with|stuck (?:on|with|in)|in the middle of) (?:a|an|the|this|that|"
    r"some) (?:\w+ ){0,2}(?:bug|"
    r"issue|error|fix|test|tests|task|function|file|script|ticket|pr|pull request|patch|build|merge|query|"
    r"report|email|mail|"
    r"document|refactoring|migration|exercise|essay|slide\w*)\b|"
    r"\b(?:this|the current|current) (?:session|conversation|chat|task|step|request|question|file|message)\b|"
    r"\b(?:next step|step \d+|in progress|to-?do list|work in progress)\b|"
    r"\b(?:asked|asks|wants|wanted|requested|told) (?:me|the (?:assistant|agent|model|ai)|you) (?:to|for|about|"
    r"how|what|whether)\b|"
    r"^(?:the user |user )?(?:asked|asks|inquired|wanted to know|requested|is asking|is looking for|is trying)\b|"
    r"\b(?:tests?|build|ci|server) (?:is|are|was|were) (?:failing|passing|broken|red|green|down|running)\b|"
    r"\b(?:is|feels?|was) (?:currently |now |a bit |very |so |quite )*(?:tired|hungry|bored|stressed|sleepy|"
    r"angry|sad|"
    r"in a (?:hurry|meeting)|on (?:a|the) (?:train|bus|plane|phone)|at (?:lunch|the airport))\b|"
    r"^(?:the user |user )?(?:is |currently |now )*(?:at|in) (?:the|a) (?:dentist|doctor|gym|office|airport|"
    r"station|shop|"
    r"store|hairdresser|supermarket|cinema|restaurant|caf[eé]|pub|bank|park|library|hospital|queue)(?:'s)?"
    r"(?: (?:now|today|right now))?$|"
    r"\b(?:build|tests?|server|app|program|deploy\w*|pipeline|script|job|browser|laptop|"
    r"computer) (?:\w+ )?(?:crashe[sd]|"
    r"failed|fails|broke|hangs?|hung|timed out|times out|froze)\b|"
    r"\bneeds? (?:this|that|the|these|those) (?:\w+ ){1,3}(?:to be |to )?(?:fixed|faster|done|finished|ready|"
    r"shorter|longer|"
    r"reviewed|merged|changed|deployed|translated|corrected|today|now)\b",
    re.I,
)
_READABLE = re.compile(
    r"\b(?:repo(?:sitory)?|codebase|code base|folder|directory|file|module|package|function|class|method|readme|"
    r"test suite|dockerfile|makefile|script)\b.{0,60}\b(?:contains?|has|have|holds?|defines?|lists?|includes?|"
    r"consists?|imports?|"
    r"exports?|returns?|calls?|implements?|is (?:in|at|located|defined|written|called)|are (?:in|at)|lives? in)\b|"
    r"\b(?:is|are) (?:defined|implemented|located|declared|documented|configured|set) (?:in|at) \S+\.\w+",
    re.I,
)
_FILE = re.compile(
    r"(?<![\w/])(?:\.{0,2}/)?(?:[\w.-]+/)*[\w-]+\.[A-Za-z][\w]{0,7}(?![\w/])|(?<![\w/])(?:[\w.-]+/)+[\w.-]+"
)
_STATES_CJK = re.compile(r"[叫吃喝住养養][\u3400-\u9fff]|[\u3040-\u30ff\u3400-\u9fff]{3,}")
"""Few signs are a whole sentence there."""
_CHAT = re.compile(
    r"^(?:谢谢\S{0,2}|謝謝\S{0,2}|你好\S?|再见|好的\S?|没关系|不客气|ありがとう\S*|こんにちは|こんばんは|おはよう\S*|"
    r"すみません|"
    r"はい\S{0,2}|いいえ|わかりました|了解です|감사합니다|안녕\S*)[\s!.,。！、]*$|^(?:thanks?|thank you|hello|hi|hey|"
    r"ok(?:ay)?|yes|no|bye|good (?:morning|night)|great|cool|nice|lol)\b[\s!.,]*$",
    re.I,
)


def against(draft: Draft, quote: str, *, asked: bool, cwd: Path | None) -> str:
    """Why the draft is not to be remembered, empty when it may be. The summary is one clean line."""
    summary, body = plain(draft.summary), plain(draft.body)
    if why := _form(draft, summary, body):
        return why
    if _GUESS.search(summary) and not (hedged(quote) and not re.search(r"\b(?:seems?|appears?)\b", summary, re.I)):
        return "it is a guess; only what the user said is remembered"
    if asked:
        return ""
    if draft.kind != "open-thread" and _TASK.search(summary):
        return "it is about the task of the moment; only what still matters in a month is remembered"
    if draft.kind not in {"feedback", "open-thread", "contact"} and (
        _READABLE.search(summary) or _in_folder(summary, cwd)
    ):
        return "it can be read from the files whenever it is needed"
    return ""


def _form(draft: Draft, summary: str, body: str) -> str:
    if len(body) > BODY_MAX:
        return f"the details have {len(body):,} characters, at most {BODY_MAX:,} are one fact; save one claim a fact"
    one_word = count_words(summary) < 2 and not _STATES_CJK.match(summary)
    if _CHAT.match(summary) or (one_word and not body and draft.name in {"", fold(summary)}):
        return "it states nothing that could be of use later"
    if draft.kind not in {"contact", "open-thread"} and (
        any(full_stop(summary, m.start()) for m in _SENTENCES.finditer(summary.rstrip(".")))
        or (_TWO_CLAIMS.search(summary) and not _qualified(summary))
    ):
        return "it makes more than one claim; save one claim a fact"
    return ""


def _qualified(summary: str) -> bool:
    """Whether a "but" only says how far it goes: "Is a vegetarian but eats fish"."""
    first, but, rest = re.sub(r"^(?:the user |user )?is (?:an? )?", "", summary, flags=re.I).partition(" but ")
    return bool(but) and always_one(class_of(first)) and " and " not in rest


def _in_folder(text: str, cwd: Path | None) -> bool:
    """Whether the text names a file that stands in the folder."""
    if cwd is None:
        return False
    for m in _FILE.finditer(text):
        name = m[0].rstrip(".").removeprefix("./")
        try:
            if not name.startswith("/") and ".." not in name and (cwd / name).is_file():
                return True
        except (OSError, ValueError):
            continue
    return False
