"""What two texts have in common: their words folded and compared, whatever their language and inflection."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from sessions.memory.folded import words

_QUOTES = {ord(c): "'" for c in "’‘‛ʼ´`′"} | {ord(c): '"' for c in "“”„‟«»″「」『』‹›"}
_DASHES = {ord(c): "-" for c in "‐‑‒–—―−"}
_TENS = (
    "ten twenty thirty forty fifty sixty seventy eighty ninety",
    "zehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "dix vingt trente quarante cinquante soixante",
    "diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
)
_UP = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "zéro - deux trois quatre cinq - sept huit - dix onze douze",
    "cero - dos tres cuatro cinco seis siete ocho nueve diez once doce",
)
NUMBER_WORDS = (
    {word: str(n) for line in _UP for n, word in enumerate(line.split()) if word != "-"}
    | {word: str(10 * n) for line in _TENS for n, word in enumerate(line.split(), 1)}
    | {"twice": "2", "dozen": "12", "hundred": "100", "hundert": "100", "cent": "100", "cien": "100"}
    | {"thousand": "1000", "tausend": "1000", "mille": "1000", "mil": "1000", "million": "1000000"}
)
# Said of anybody about anything: they tell nothing of what a text is about.
GENERIC = frozenset(
    "a an the and or but if of in on at to for from by with about as into out up down over off per via than then so "
    "is are am was were be been being do does did done have has had having can could will would shall should may might "
    "must not no yes i im ive me my mine myself you your yours we us our ours he she they them his her hers its it "
    "their theirs this that these those there here what which who whom whose where when why how some any all each "
    "every both very really just also too only own same other such more most much many lot now currently still "
    "already always usually often sometimes generally mostly please "
    "user users person people someone name called known "
    "live living lives reside resides based located moved moving move home city town place location "
    "prefer prefers preferred preference like likes love loves enjoy enjoys want wants wish wishes need needs "
    "dislike dislikes hate hates avoid avoids use uses using used work works working worked job "
    "say says said ask asks asked asking tell tells told state states stated answer answers reply "
    "due wait waiting waits thing things something favourite favorite "
    "ich bin habe hat ist sind der die das den dem ein eine einen und in im am zu mit für von mein meine nicht "
    "lebe lebt wohne wohnt mag heißt heiße gerne je suis ai un une le la les et de du des en dans mon ma mes "
    "habite vis s'appelle appelle se llama llamo chiama chiamo soy vivo tengo el los las y en mi mis que es".split()
)
_GENERIC_STEMS = GENERIC | {stem for word in GENERIC for stem in words(word)}
_SYNONYMS = (
    "brief short concise terse succinct",
    "boss manager supervisor chief",
    "wife husband spouse partner",
    "kid child children son daughter kids",
    "mom mum mother",
    "dad father",
    "flat apartment",
    "company employer",
    "mail email",
    "holiday vacation",
    "colour color",
    "film movie",
    "begin start begins starts",
    "finish end ends",
    "weekly week",
    "daily day",
    "answer reply response responses answers replies",
    "doctor physician",
    "car automobile",
    "phone telephone",
    "big large",
    "photo picture",
    "buy purchase",
)
_SAME = {w: group.split()[0] for group in _SYNONYMS for w in group.split()}
_CJK_PAIR = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_SPACELESS = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
)
_ABBREVIATED = re.compile(
    r"(?:(?<![^\W_])[^\W\d_]|\b(?:Dr|Mr|Mrs|Ms|Mx|Prof|St|Sr|Jr|vs|No|Nos|Nr|Hr|Fr|Inc|Ltd|Co|Corp|Gen|Col|Sgt|Lt|Capt|"
    r"Rev|Dipl|Ing|Str|Tel|Abt|Bd|ca|approx|bzw|ggf|inkl|evtl|Ave|Blvd|Mt|Ft|Fig|Vol|Bldg|Apt|Dept|Ste|Sta|Mme|Mlle|"
    r"M|Sra|Dra|e\.g|i\.e|z\.B|d\.h|u\.a))\Z"
)
"""What a full stop belongs to."""
_MONTH = (
    r"(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|january|february|march|may|"
    r"june|july|october|december|jan|feb|mär|apr|jun|jul|aug|sep|sept|okt|oct|nov|dez|dec)\b"
)
_BEFORE_ORDINAL = re.compile(
    r"(?:(?<!\bi )\bam|\b(?:im|zum|zur|vom|beim|der|die|das|den|dem|des|mein\w*|unser\w*|jede[nrms]?|ab|seit|bis|und|"
    r"oder))\s+\d{1,2}\Z",
    re.I,
)
_PIECE = re.compile(r"(?<=[.;!?])\s+|\n")
_SHORT = 500
"""Characters of a text that is kept in its plain form."""
_POLARITY = re.compile(
    r"\b(?:not?|never|none|nothing|nobody|neither|nor|cannot|without|no longer|any ?more|"
    r"nicht|nichts|kein\w*|nie|niemals|ohne|ne|pas|jamais|sans|non|nunca|jamás|sin|não|nunca|niet|geen|nooit|inte|"
    r"aldrig|ikke|nie|nigdy|не|нет|никогда)\b|n't\b|\bn'|ません|ない|なかった|不|没|沒|無|안\s|지\s?않",
    re.I,
)
_NEGATIVE = re.compile(
    r"\b(?:dislik|hat(?:e|es|ed|ing)\b|avoid|refus|reject|quit|stop|left\b|lack|allerg|intoleran|vegan|vegetarian|"
    r"free\b|"
    r"against|detest|loath|forbid|forbidden|banned|former|ex-|un\w{3,}|dis\w{4,}|only\b|instead|away\b|"
    r"verabscheu|hasse|hasst|meide|déteste|odi)",
    re.I,
)
_AGAINST = re.compile(
    r"\b(?:dislik\w*|hat(?:e|es|ed|ing)|avoid\w*|detest\w*|loath\w*|refus\w*|reject\w*|distrust\w*|can't stand|"
    r"forbid\w*|forbidden|banned|prohibit\w*|out of (?:the )?question|off[ -]limits|no[ -]go|taboo|unacceptable|"
    r"hands off|steer clear|stay clear|tabu|verboten|untersagt|hors de question|interdite?s?|prohibid[oa]s?|"
    r"descartad[oa]s?|"
    r"vietat[oa]|proibid[oa]|verabscheu\w*|hass[et]\w*|meide\w*|déteste\w*|odi[ao]\w*)\b|"
    r"禁止|厳禁|[だ駄]目|ダメ",
    re.I,
)
_DON_T_FORGET = re.compile(
    r"\b(?:don't|do not|never) forget\b|\bvergiss nicht\b|\bn'oublie pas\b|\bno olvides\b|\bwhy not\b|\bnot only\b|"
    r"\bcan't wait\b|\bno doubt\b|\bif not\b|\bno problem\b|\bnot (?:sure|certain)\b|\bno\. ?\d",
    re.I,
)


def plain(text: str) -> str:
    """The text in one Unicode form, straight quotes and dashes, without characters that do not show."""
    # The lines of facts are asked for again with every save; what was typed may be long and is not kept.
    return _plain_kept(text) if len(text) <= _SHORT else _plain(text)


@lru_cache(maxsize=1 << 14)
def _plain_kept(text: str) -> str:
    return _plain(text)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text.translate(_QUOTES).translate(_DASHES))
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in {"Cf", "Cc", "Cs"})


def full_stop(text: str, at: int) -> bool:
    """Whether the sign at a place ends a sentence, and no abbreviation ("Ms. Weber") or number ("am 5. Mai")."""
    if text[at : at + 1] != "." or text[at + 1 : at + 2] == ".":
        return True
    before, after = text[max(0, at - 24) : at], text[at + 1 :].lstrip(" ")
    if not after or after[0] in "\n\r":
        return True
    if text[at + 1 : at + 2].isalnum() or _ABBREVIATED.search(before):
        return False
    if not re.search(r"(?<!\d)\d{1,2}\Z", before) or not after[:1].isalpha():
        return True
    return not (_BEFORE_ORDINAL.search(before) or re.match(_MONTH, after, re.I))


def pieces(text: str) -> list[str]:
    """The sentences of a claim."""
    ends = [m for m in _PIECE.finditer(text) if full_stop(text, m.start() - 1)]
    starts = [0, *(m.end() for m in ends)]
    found = (text[a:b] for a, b in zip(starts, [*(m.start() for m in ends), len(text)], strict=True))
    return [piece for piece in found if piece.strip()]


def fold(text: str) -> str:
    """`plain` without case and with single spaces: two texts that read the same are equal."""
    return " ".join(plain(text).casefold().split())


def count_words(text: str) -> int:
    """How many words a text has; scripts without spaces have one for about every two or three characters."""
    spaceless = sum(max(1, (len(run) + 1) // 3) for run in _SPACELESS.findall(text))
    short = len(re.findall(r"\b(?:i'm|i've|we're|we've)\b", text, re.I))
    return spaceless + short + len(re.findall(r"[^\W_]+(?:'[^\W_]+)*", _SPACELESS.sub(" ", text)))


@lru_cache(maxsize=4096)
def content(text: str) -> tuple[str, ...]:
    """The words that tell what a text is about, each once, in order; all of them where it has no other."""
    found = dict.fromkeys(_SAME.get(w, NUMBER_WORDS.get(w, w)) for w in words(plain(text).replace("'s", " ")))
    told = tuple(w for w in found if w not in _GENERIC_STEMS and (len(w) > 1 or w.isdigit() or _CJK_PAIR.match(w)))
    return told


def alike(a: str, b: str) -> bool:
    """Whether two folded words are one word in two inflections."""
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    if len(short) < 4 or any(c.isdigit() for c in a + b) or _CJK_PAIR.match(a):
        return False
    if len(long) <= 5:
        return long.startswith(short)
    shared = next((i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    return shared >= max(4, round(0.6 * len(long)))


def held(wanted: Iterable[str], pool: Iterable[str]) -> list[str]:
    """Which of the words the pool has in some inflection."""
    pool = list(pool)
    known = set(pool)
    return [w for w in wanted if w in known or any(alike(w, p) for p in pool)]


def denies(text: str) -> bool:
    """Whether a text says that something is not so."""
    return _POLARITY.search(_DON_T_FORGET.sub(" ", plain(text))) is not None


def opposes(text: str) -> bool:
    """Whether a text says that something is not so, or that somebody is against it."""
    return denies(text) or _AGAINST.search(plain(text)) is not None


@lru_cache(maxsize=4096)
def negative(text: str) -> bool:
    """Whether a text is about what is not so, or not wanted, in any words."""
    return denies(text) or _NEGATIVE.search(plain(text)) is not None
