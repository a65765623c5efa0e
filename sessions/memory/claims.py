"""What a claim adds to the words it rests on: names, numbers, addresses, and whole statements."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import date

from sessions.memory.fact import Draft
from sessions.memory.rules import slug
from sessions.memory.wording import GENERIC, NUMBER_WORDS, alike, content, fold, held, negative, plain

_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]*://\S+|\b\S+@\S+\.\w+|(?<!\w)www\.\S+|(?<![\w@])@\w{2,}|"
    r"(?<![\w.])(?:[\w-]+\.)+[^\W\d_]{2,}(?:/\S*)?\b|"
    r"\b[\w-]+\s?[\[({]\s?(?:\.|dot|at)\s?[\])}]\s?[\w-]+|"
    r"(?<!\w)~?/(?:[\w.-]+/)*[\w.-]+",
    re.I,
)
_NUMBER = re.compile(r"\d+(?:[.,:/ -]?\d+)*")
_CAPITAL = re.compile(r"(?<![\w'])[^\W\d_a-z][\w']*(?:-[\w']+)*")
_KATAKANA = re.compile(r"[\u30a0-\u30ff]{2,}")
_START = re.compile(r"(?:^|[.!?:;—\n]\s*|[\"(]\s*)$")
_VERBS = frozenset(
    "wohnt lebt mag möchte hat ist heißt heisst veut quiere se arbeitet spricht trinkt isst bevorzugt nutzt liebt "
    "hasst besitzt nutzer "
    "est habite vit aime préfère travaille parle utilise possède mange boit déteste "
    "vive tiene es prefiere trabaja habla usa odia mora gosta tem abita ha preferisce lavora parla "
    "woont heeft werkt".split()
)
"""In other languages than English: they are in another form in every claim."""
_NOT_NAMES = (
    frozenset(
        "i the a an user user's is are was has have had name from to in on at by for with no not never always only "
        "prefers prefer likes like loves love enjoys dislikes hates lives live works work uses use wants needs owns "
        "drives speaks "
        "plays studies learns eats drinks drives avoids reads writes runs keeps takes goes moved born married single "
        "allergic waiting owes due favourite favorite birthday timezone answer answers be keep use please write "
        "don't do does did doesn't isn't hasn't haven't aren't wasn't weren't didn't can't cannot won't "
        "says asks see he she they it his her their my our this that these those there here "
        "when where who what which how if and or but as all any each both most some more".split()
    )
    | _VERBS
)
_LABELS = frozenset(
    "fact note info detail details about thread open task topic item data status current new old main primary "
    "default "
    "home city town country location place residence address contact person people family friend colleague team role "
    "job title employer company school language languages food drink diet allergy hobby hobbies pet units unit "
    "temperature format style tone length time zone timezone date day birthday age email phone number project repo "
    "tool tools stack editor decision question answer reply meeting deadline preferences settings setup style".split()
)
_ALL = re.compile(
    r"\b(?:all|every|any|each|everything|everyone|everybody|anyone|anything|alle[ns]?|jede[rsmn]?|tous|toutes?|chaque|"
    r"tod[oa]s|cada|tutt[ie]|ogni|все|всех|кажд\w+)\b|全部|すべて|全て|全員|所有|每",
    re.I,
)
_ALWAYS = re.compile(r"\b(?:always|whenever|from now on|immer|toujours|siempre|sempre|всегда)\b|いつも|常に|总是", re.I)
_BEFORE_A_NOUN = frozenset("the a an all every any each my our his her their new old".split())
_LABEL_STEMS = frozenset(w for word in _LABELS for w in content(word))
_DONE_DAILY = frozenset({"drink", "speak"})
"""Where a claim begins with one, it is no label but what somebody does."""
_SAYING = frozenset(
    "mention mentions mentioned note notes noted report reports reported describe describes described explain "
    "refer refers referred go goes going by nickname call calls identify identifies personal personally own themselves "
    "himself herself specific specifically particular particularly generally regular regularly present presently today "
    "speak speaks speaker native origin originally include includes including namely kind sort type form way "
    "respond responds response responses reply replies regarding concerning related relates "
    "cannot without keep keeps named called "
    "come comes daily weekly monthly yearly morning evening day week month year member".split()
)
_NEGATED = frozenset("doesn isn hasn haven aren wasn weren didn couldn won wouldn don".split())
"""What stands before the apostrophe; that the words deny it, too, is looked at elsewhere."""
_MAY_BE_ADDED = {w for word in _LABELS | _SAYING | _VERBS | _NEGATED for w in (word, *content(word))}
_IN_FULL = {
    "gf": "girlfriend", "bf": "boyfriend", "hubby": "husband", "bday": "birthday", "prod": "production",
    "k8s": "kubernetes", "db": "database", "repo": "repository", "mgr": "manager", "appt": "appointment",
    "mum": "mother", "mom": "mother", "dad": "father", "grandma": "grandmother", "grandpa": "grandfather",
}  # fmt: skip
_ABBREVIATED = re.compile(rf"\b(?:{'|'.join(_IN_FULL)})\b(?!-)", re.I)
_ENDING = frozenset("quit stop stopped gave given".split())
"""They say one thing: one may stand for another."""
_CHANGED_MOST = 8
"""Letters of such a verb."""
_CHANGING = re.compile(r"(?P<before>[^aeiouäöü]*)(?P<vowel>ie|au|äu|[aeiouäöü])(?P<after>[^aeiouäöü]*)\Z")
_VOWELS = frozenset({("ie", "e"), ("i", "e"), ("ä", "a"), ("äu", "au")})
_POSSESSIVES = frozenset("su sus suo sua suoi sue son sa ses sein seine seinem seinen ihr ihre leur zijn".split())
"""What a claim says where the person says "my"."""
_HIRAGANA = re.compile(r"[\u3040-\u309f]+\Z")
"""In Japanese the endings of words, which tell how something is said and not what."""
_VERB_JA = re.compile(r"[\u4e00-\u9fff][\u3040-\u309f]\Z")
_OF_A_NAME = frozenset("is was has had likes lives wants needs owns works said says and or".split())
"""What follows a name at the beginning of a sentence."""
_NOT = re.compile(r"(?<=\b(?:do|is))n't\b|(?<=\bdoes)n't\b", re.I)
_NOT_EVER = re.compile(r"(?:\bnot|n't) ever\b", re.I)
_PIECES = re.compile(r"[.;:!?\n—–]+\s|,\s+|\s+(?:and|but|und|et|y)\s+|[、。，；]")


def written_out(text: str) -> str:
    """The text with usual abbreviations in full."""
    return _ABBREVIATED.sub(lambda m: _IN_FULL[m[0].casefold()], text)


def added_addresses(texts: Iterable[str], known: Sequence[str]) -> str:
    """The first web or mail address, handle or path in the texts that is in none of the known ones."""
    pool = [fold(k) for k in known]
    for text in texts:
        for m in _ADDRESS.finditer(plain(text)):
            wanted = fold(m[0]).rstrip(".,;:!?)\"'")
            if not any(wanted in k for k in pool):
                return wanted
    return ""


def added_numbers(texts: Iterable[str], known: Sequence[str], days: Iterable[date] = ()) -> str:
    """The first number in the texts that is in none of the known ones, nor a part of one of the days."""
    pool = {n for k in known for n in _numbers(k)}
    pool |= {str(n) for d in days for n in (d.year, d.month, d.day)}
    digits = [re.sub(r"\D", "", plain(k)) for k in known]
    for text in texts:
        for m in _NUMBER.finditer(plain(text)):
            parts = [p.lstrip("0") or "0" for p in re.findall(r"\d+", m[0])]
            whole = "".join(re.findall(r"\d+", m[0]))
            if all(p in pool or p == "0" for p in parts) or (len(whole) > 3 and any(whole in d for d in digits)):
                continue
            return str(m[0])
        for word in re.findall(r"[^\W\d_]+", fold(text)):
            if word in NUMBER_WORDS and word != "one" and NUMBER_WORDS[word] not in pool:
                return str(word)
    return ""


def _numbers(text: str) -> set[str]:
    text = fold(text)
    out = {n.lstrip("0") or "0" for n in re.findall(r"\d+", text)}
    return out | {NUMBER_WORDS[w] for w in re.findall(r"[^\W\d_]+", text) if w in NUMBER_WORDS}


def added_names(texts: Iterable[str], known: Sequence[str]) -> str:
    """The first name in the texts that is in none of the known ones: a word with a capital that needs none."""
    pool = {w for k in known for w in re.findall(r"[^\W_]+", _bare(k))}
    for text in texts:
        shown = plain(text)
        for m in _CAPITAL.finditer(shown):
            if not m[0][0].isupper():
                continue  # a script without capitals
            name = re.sub(r"'s?$", "", m[0])
            words = re.findall(r"[^\W_]+", _bare(name))
            if not words or all(w in pool or f"{w}s" in pool or w.rstrip("s") in pool for w in words):
                continue
            if _START.search(shown[: m.start()]) and _ordinary(words, shown[m.end() :], pool):
                continue
            digits = re.findall(r"\d+", name)
            if fold(name) in _NOT_NAMES or (digits and set(digits) <= pool):
                continue
            return str(name)
        flat = fold(" ".join(known))
        for m in _KATAKANA.finditer(shown):
            if m[0] not in flat:
                return str(m[0])
    return ""


def _ordinary(words: list[str], after: str, pool: set[str]) -> bool:
    """Whether the first word of a sentence has its capital only from standing there."""
    word = words[0]
    if len(word) <= _CHANGED_MOST and any(changed_verb(word, p) for p in pool):
        return True
    if (
        len(word) == 1
        or word in _LABELS | _NOT_NAMES | _POSSESSIVES
        or word in GENERIC
        or any(alike(word, p) for p in pool)
    ):
        return True
    following = re.match(r"\s+([\w']+)", after)
    then = following[1] if following else ""
    if len(word) <= 6 and fold(then) not in _OF_A_NAME and any(p[:3] == word[:3] and len(p) >= 3 for p in pool):
        return True  # a short verb in another form
    if then[:1].isupper() or after.startswith("'s"):
        return False
    verb = re.search(r"(?:[^s]s|ed|ing)$", word) is not None
    return fold(then) not in _OF_A_NAME and (word in _ENDING or (verb and fold(then) in GENERIC))


def _bare(text: str) -> str:
    """Folded and without diacritics: Zoë is Zoe."""
    flat = unicodedata.normalize("NFKD", fold(text))
    return "".join(c for c in flat if not unicodedata.combining(c))


def supported(texts: Iterable[str], stated: Sequence[str], beside: Sequence[str], known: Sequence[str]) -> bool:
    """Whether every piece of the claim is for the greater part in the person's statements or the old fact.

    Names may stand anywhere in what was typed.
    """
    pool = {w for text in (*stated, *beside) for w in content(text)}
    names = {w for text in known for m in _CAPITAL.finditer(plain(text)) for w in content(m[0])}
    for text in texts:
        for piece in _PIECES.split(text):
            words = content(piece)
            if words and 2 * len(held(words, pool | (names & set(words)))) < len(words):
                return False
    return True


def added_words(texts: Iterable[str], known: Sequence[str]) -> str:
    """The first word in the texts that tells something and is in none of the known ones; empty without any.

    One new word can turn what was said round. Labels such as "city" and words that only say that something was said
    may be added.
    """
    pool = {w for text in known for w in content(text)}
    if any(_NOT_EVER.search(plain(text)) for text in known):
        pool.add("never")
    for text in texts:
        # A line that was cut ends in the beginning of a word; a "one" at the end points back.
        wanted = content(_NOT.sub(" not", plain(re.sub(r"\w+…\Z|\bones?\W*\Z", "", text))))
        there = set(held(wanted, pool))
        for word in wanted:
            if word in _DONE_DAILY and word not in there and fold(text).startswith(word):
                return word
            if (
                word in there
                or word in _MAY_BE_ADDED
                or (word in _ENDING and _ENDING & pool)
                or word in _POSSESSIVES
                or _HIRAGANA.match(word)
                or _inflected(word, pool)
                or any(same_verb(word, p) or changed_verb(word, p) for p in pool)
            ):
                continue
            return word
    return ""


def added_scope(texts: Iterable[str], known: Sequence[str], *, way: bool) -> str:
    """The word by which a claim speaks of all where only some were spoken of, or of a thing that nobody named.

    `way`: it is how the agent is to work, which is always so.
    """
    wide = any(_ALL.search(plain(k)) or _ALWAYS.search(plain(k)) for k in known)
    pool = {w for text in known for w in content(text)}
    for text in texts:
        m = _ALL.search(plain(text)) or (None if way else _ALWAYS.search(plain(text)))
        if m and not wide and not (fold(m[0]) == "any" and negative(text)):
            return str(m[0])
        said = [w for w in re.findall(r"[^\W_]+", fold(text)) if w not in _BEFORE_A_NOUN]
        for i, word in enumerate(said):
            stems = content(word)
            if stems and _LABEL_STEMS.issuperset(stems) and not held(stems, pool) and _acted_on(said, i):
                return str(word)
    return ""


def _acted_on(said: Sequence[str], at: int) -> bool:
    """Whether a word is what something is done with, and no label: the mail of "Forward mail to Bob"."""
    after = said[at + 1] if at + 1 < len(said) else ""
    if after.endswith("ed") or (at == 1 and content(said[0]) and said[0] not in _LABELS):
        return True
    return at == 0 and after not in _LABELS and re.fullmatch(r"(?!is|was|has)\w+[^s]s|go", after) is not None


def _inflected(word: str, pool: Iterable[str]) -> bool:
    """Whether a Japanese verb stands in the pool with another ending."""
    return _VERB_JA.match(word) is not None and any(p[0] == word[0] for p in pool)


def same_verb(word: str, other: str) -> bool:
    """Whether two short words may be one verb in two forms."""
    short, long = sorted((word, other), key=len)
    stem = short.removesuffix("s")
    if len(stem) > 2 and long in {f"{stem}{stem[-1]}ing", f"{stem}{stem[-1]}ed"}:
        return True
    return word[:3] == other[:3] and min(len(word), len(other)) >= 3 and max(len(word), len(other)) <= 6


def changed_verb(word: str, other: str) -> bool:
    """Whether a word is a German verb in the third person, whose vowel changes there, and the other is one of its other
    forms: liest and lese, nimmt and nehmen."""
    if not (word.endswith("t") and other.endswith(("e", "en")) and len(word) <= _CHANGED_MOST):
        return False
    one, two = (_CHANGING.match(w) for w in (word.removesuffix("t"), re.sub(r"en?$", "", other)))
    if not (one and two) or (one["vowel"], two["vowel"]) not in _VOWELS or one["before"] != two["before"]:
        return False
    ends = (re.sub(r"(.)\1", r"\1", m["after"].removeprefix("h")).removesuffix("t") for m in (one, two))
    return len(set(ends)) == 1


def fitting_name(draft: Draft, known: Iterable[str]) -> str:
    """The draft's name, or one made of its summary when it says what neither the claim nor the typed words say.

    A name stands in the table of contents like the claim itself; it may add no more than a label such as "city".
    """
    own = {w for text in (draft.summary, draft.body, *known) for w in content(text)}
    label = [w for w in content(draft.name.replace("-", " ")) if w not in _LABELS]
    return draft.name if len(held(label, own)) == len(label) else slug(draft.summary)
