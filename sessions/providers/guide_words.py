"""Words for the guide: a message cut into clauses, turned from "I" to "you", and reduced to what it is about."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_FOLD = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "`": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "}
)
_FENCE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.M | re.S)
_QUOTED = re.compile(r"^[ \t]*>.*$", re.M)
_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"')\]]*(?:\s+|$)|\n+|;\s+")
_ABBREVIATED = re.compile(r"\b(?:mr|mrs|ms|dr|st|prof|vs|e\.g|i\.e|inc|ltd|jr|sr|mt|ft|[a-z])\.\s*$", re.I)

_ASK = (
    r"(?:what|where|when|who|why|which)(?:'s|'re|\s+(?:is|are|am|was|were|do|does|did|do|should|can|will|have|"
    r"has|needs|"
    r"about|time|day|temperature|weather|kind|city))\b|how(?:'s|\s+(?:is|are|do|does|did|warm|cold|hot|much|"
    r"many|about))\b|"
    r"(?:do|did|should|will|can|could|am|would) (?:i|you|it|we)\b|is it\b|is there\b"
)
_MINE = r"i\b|i'(?:m|ve|ll|d)\b|my\b|call me\b|we\b|our\b|people call me\b"
_ORDER = (
    r"please\b|remember\b|note that\b|note:\s|keep in mind\b|forget\b|tell me\b|show me\b|remind me\b|always\b|never\b"
)
_OTHER = r"(?:she|he|they|it)(?:'s|'re|'ll)?\b"
_ELIDED = (
    r"(?:really |also |usually |mostly )?(?:prefer|like|love|enjoy|hate|dislike|work|live|speak|use|go by|"
    r"moved|come from|"
    r"am|'m|was born|don't like|can't stand|have a|have two)\b(?!\s*[.,?!]?$)"
)
_BREAK = re.compile(
    r"(?:\s*(?:,|;|—|–|\s-\s|:)\s*(?:(?:and|but|so|also|then|plus|oh|anyway)\b[\s,]*)*|\s+(?:and|but|so|then|"
    r"also|plus|&)\s+"
    rf"(?:(?:also|then|so)\s+)*)(?={_ASK}|{_MINE}|{_ORDER}|{_OTHER}|{_ELIDED})",
    re.I,
)
_LEAD = re.compile(
    r"^(?:[-*•]\s+|(?:no|nope|yes|yeah|yep|ok|okay|oh|ah|well|actually|sorry|also|and|but|so|hey|hi|hello|"
    r"by the way|btw|fyi|"
    r"for the record|just so you know|just to let you know|in fact|now|then|please|hm+|um+|right|correction|wait|"
    r"good (?:morning|afternoon|evening))\b(?:\s+there\b)?\s*[,:.!—–-]*\s*)+(?=\S)",
    re.I,
)
_ORDERED = re.compile(
    r"^(?:(?:can|could|would|will) you\s+)?(?:please\s+)?(?:remember|note|keep in mind|save|store|write down|"
    r"memori[sz]e|"
    r"don't forget|do not forget|make a note)"
    r"(?:\s+(?:the fact\s+)?that\b|\s+this\b|\s+for me\b|\s+it\b)?\s*[:,]?(?:\s+|$)",
    re.I,
)
_KNOW = re.compile(
    r"^(?:i want you to know|you should know|let it be known|i should mention|i forgot to say)(?: that)?\s+", re.I
)

STOP_WORDS = frozenset(
    "a an the and or but if of in on at to for from by with about as is are am was were be been being do "
    "does did done have has had "
    "i i'm me my mine myself you your yours we us our he she they them his her their its it this that these "
    "those there here "
    "what which who whom whose where when why how can could will would shall should may might must not no "
    "yes so than then too very "
    "just any some all tell show know knew say said says ask asked talk talked mention mentioned discuss "
    "discussed remember "
    "please give get got let lets what's who's where's how's when's that's it's don't isn't ever again also "
    "now still more "
    "something anything everything thing things stuff let's want like ok okay hi hello up out into over "
    "find search look history memory memories recall".split()
)


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing said."""

    text: str
    """Without lead-ins ("no, actually", "remember that") and without the sign at the end."""
    quote: str
    """The person's exact words, three or more where the message has them."""
    question: bool = False
    kept: bool = False
    """The person asked to have it remembered."""
    goes_on: bool = False
    """Starts with she, he, they or it: says more about the clause before."""
    sentence: str = ""
    """The whole sentence, as typed: another clause of it may name a date."""


def fold(text: str) -> str:
    """Straight quotes for curly ones, character by character, so that offsets stay."""
    return text.translate(_FOLD)


def spoken(text: str) -> str:
    """The text with fenced code and quoted lines blanked: they are not the person's own words."""
    blank = _FENCE.sub(lambda m: re.sub(r"\S", " ", m[0]), text)
    return _QUOTED.sub(lambda m: " " * len(m[0]), blank)


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and end sign of each sentence."""
    start = 0
    for m in _SENTENCE_END.finditer(text):
        if m[0].startswith(".") and _ABBREVIATED.search(text[start : m.start() + 1]) and m.end() < len(text):
            continue
        if text[start : m.start()].strip():
            yield start, m.start(), m[0].strip()
        start = m.end()
    if text[start:].strip():
        yield start, len(text), ""


def clauses(message: str) -> list[Clause]:
    """What a message says, one clause after the other."""
    text = fold(spoken(message))
    out: list[Clause] = []
    for start, end, sign in _sentences(text):
        sentence = text[start:end]
        whole = message[start : end + len(sign)].strip()
        cuts = [0, *(m.end() for m in _BREAK.finditer(sentence)), len(sentence)]
        ends = [*(m.start() for m in _BREAK.finditer(sentence)), len(sentence)]
        kept, mine = False, False
        for i, stop in enumerate(ends):
            raw = sentence[cuts[i] : stop]
            said = _LEAD.sub("", raw.strip()).strip(" ,;:—–")
            said_first, ordered = said, _ORDERED.sub("", said)
            kept = kept or ordered != said
            said = _KNOW.sub("", _LEAD.sub("", ordered))
            if i and mine and re.match(_ELIDED, said, re.I) and not re.match(_MINE, said, re.I):
                said = "I" + said if said.startswith("'m") else "I " + said
            goes_on = bool(out) and i > 0 and re.match(_OTHER, said, re.I) is not None
            goes_on = goes_on or (bool(out) and i == 0 and re.match(r"(?:she|he|they)\b", said, re.I) is not None)
            mine = re.match(_MINE, said, re.I) is not None
            if not said:
                continue
            exact = message[start + cuts[i] : start + stop].strip(" ,;:—–\t\n")
            quote = next((q for q in (exact, whole) if len(q.split()) >= 3), message.strip())
            last = i == len(ends) - 1
            # "Can you remember that I am vegetarian?" asks for nothing.
            asks = (
                ordered == said_first
                and ("?" in sign or "？" in sign)
                and (last or re.match(_ASK, said, re.I) is not None)
            )
            out.append(Clause(said, quote, asks, kept, goes_on, whole))
    return out


def words(text: str) -> list[str]:
    """The words that say what a text is about, lower case, in order, each once."""
    found = re.findall(r"[^\W_]+(?:['.\-][^\W_]+)*", fold(text).lower())
    plain = (w[:-2] if w.endswith("'s") else w for w in found)
    return list(dict.fromkeys(w for w in plain if w not in STOP_WORDS and (len(w) > 1 or w.isdigit())))


def stem(word: str) -> str:
    """A word without its commonest endings, so that *roadmaps* meets *roadmap*."""
    if word.startswith("allerg"):
        return "allerg"
    for ending in ("ing", "ies", "es", "ed", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word.removesuffix("e") if len(word) > 4 else word


def meets(query: list[str], text: str) -> float:
    """The share of the query's words that the text holds, 0 to 1."""
    if not query:
        return 0.0
    held = {stem(w) for w in words(text.replace("-", " "))} | {stem(w) for w in words(text)}
    return sum(stem(w) in held for w in query) / len(query)


def slug(text: str, *, limit: int = 48) -> str:
    """`lives-in-tokyo`: ASCII letters and digits joined by dashes, cut at a word; empty when there is none."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower().replace("'", "")
    out = ""
    for word in re.findall(r"[a-z0-9]+", plain):
        if out and len(out) + len(word) + 1 > limit:
            break
        out = f"{out}-{word}" if out else word[:limit]
    return out


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_TO_YOU = {
    "i'm": "you're",
    "i've": "you've",
    "i'll": "you'll",
    "i'd": "you'd",
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "myself": "yourself",
    "am": "are",
    "we": "you",
    "us": "you",
    "our": "your",
    "ours": "yours",
    "your": "my",
    "you": "me",
}
_TO_THEM = {
    "i'm": "they are",
    "i've": "they have",
    "i'll": "they will",
    "i'd": "they would",
    "i": "they",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "am": "are",
}
_PERSON = re.compile(r"(?<![\w'])(?:i'm|i've|i'll|i'd|i|me|my|mine|myself|am|we|us|our|ours|you|your)(?![\w'])", re.I)


def _turned(text: str, table: dict[str, str]) -> str:
    def swap(m: re.Match[str]) -> str:
        new = table.get(m[0].lower(), m[0])
        return capital(new) if m.start() == 0 and m[0][0].isupper() else new

    # A capital US is a country.
    return _PERSON.sub(lambda m: m[0] if m[0] in {"US", "AM"} else swap(m), text)


def to_you(text: str) -> str:
    """*I need my keys* as the guide says it back: *you need your keys*."""
    return _turned(text, _TO_YOU)


def to_them(text: str) -> str:
    """*my coffee* as a fact says it: *their coffee*."""
    return _turned(text, _TO_THEM)


def listed(parts: list[str]) -> str:
    """`a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""
