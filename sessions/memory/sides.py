"""On which side of what a word stands: "tea to coffee" and "coffee to tea" have the same words and say the contrary.

Of two texts the words that both have are compared: what governs them (a preposition, a "not"), and for those that are
governed alike their order around a verb. Lists may be told in any order, and so may what "is" the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile

from sessions.memory.wording import alike, content, plain

_TOKEN = re.compile(r"n't\b|'s\b|[^\W_]+(?:[@./:-]+[^\W_]+)*|[,;:.!?。、，\n]|(?<=\s)-+(?=\s)")
_BREAKS = frozenset(
    ", ; : . ! ? 。 、 ， \n and or but und oder aber sondern et ou mais y o pero e ma & - -- ---".split(" ")
)
_IN_GERMAN = frozenset("ich mein meine der die das den dem ein eine einen ist und vermiete schick schicke".split())
"""Where they stand "an" is no English article."""
_FRENCH = frozenset("est je j avec chez pour et le les".split())
"""Where they stand "ma" is no Italian "but"."""
_LISTS = frozenset("and or nor und oder et ou y o e".split())
_NEGATORS = frozenset(
    "not n't no never without nor neither kein keine keinen keinem keiner nicht nie niemals ohne pas jamais sans nunca "
    "sin non mai senza".split()
)
_GOVERNORS = frozenset(
    "to in on at from for of by over under than before after between against into onto about as through toward "
    "towards until till since per via unlike instead rather when while if unless because near beside behind "
    "above below around off "
    "zu zum zur in im am an auf aus von vom bei beim nach vor seit für gegen über unter um als statt anstatt wenn "
    "falls während weil bis "
    "à au aux en dans de d du des pour par chez sur sous avant après depuis contre que quand si "
    "al del por para sobre antes después desde hasta contra cuando".split()
)
_ARTICLES = frozenset(
    "a an the my our your his her their its this that these those der die das den dem des ein eine einen einem einer "
    "mein meine meinen meinem meiner unser unsere le la les l un une mon ma mes el los las una mi mis".split()
)
_EQUALS = frozenset(
    "is are was were be been being am 's called named ist sind war heißt heiße est sont es son "
    "married engaged related verheiratet mariée marié casado casada with mit avec con to".split()
)
"""Between two words they set both alike."""
_WITH = frozenset({"with", "mit", "durch", "avec", "con"})
_MUTUAL = frozenset("married engaged related close next similar identical".split())
"""With a "to" after it, it is so of both."""
_IN_PLACE = re.compile(r"(?:replac|swap|substitut|exchang|switch|ersetz|tausch|remplac|reemplaz)\w*")
"""With a "with" after it, one goes and the other comes."""
_VERBS = re.compile(r"(?:lik|lov|hat|dislik|prefer|enjoy|avoid|us|want|need)(?:e|es|ed|s|ing)?")
"""They are said of much, and of two things two of them."""
_CONDITIONS = frozenset("when while if unless because wenn falls während weil bis quand si cuando".split())
"""They govern a whole clause, its subject too."""
_SUBJECTS = frozenset("i we he she they you ich wir er je nous yo it".split())
_USER = frozenset("i me we us user ich mich mir wir uns je me moi nous yo mí".split())
_OBJECTS = frozenset("me us mich mir uns moi mí".split())
_MINE = frozenset("my our mein meine meinen meinem meiner unser unsere mon ma mes notre mi mis nuestro nuestra".split())
_OWNED = frozenset({"'s", "of", "von", "de", "d", "du", "di", "del"})
"""They set somebody beside what is theirs."""
_CONTRARY = tuple(
    frozenset(pair.split())
    for pair in (
        "to from", "before after", "above below", "over under", "for against", "an von", "vor nach", "über unter",
        "für gegen", "avant après", "sur sous", "pour contre", "antes después", "para contra",
    )
)  # fmt: skip
_THEN = re.compile(r"\b(?:and then|then|afterwards|after that|dann|danach|puis|ensuite|luego|después|poi|dopo)\b", re.I)
_GENITIVE = re.compile(r"(?<![.!?] )\b([A-ZÄÖÜ][a-zäöüß]{2,}(?<!s))s (?=[A-ZÄÖÜ])")
"""German: "Evas Chefin"."""
_LABELLED = re.compile(r"\b([^\W\d_]{3,}) ([A-HJ-Z])\b(?!')")
"""One of several that a letter tells apart: "service A"."""
_BACK = ("who", "which", "that", "has", "have", "had", "do", "does", "er", "sie", "also", "too", "auch")
_OTHERS = frozenset("his hers her their theirs its yours mine ours".split())
_PASSIVE = frozenset("is are was were be been being get gets got am wird wurde werden wurden worden".split())
_ME = "(user)"
_SUBJECTLESS = re.compile(
    r"(?:is|was|has|does|ist|hat|war|est|es|tiene|[^\W\d_]{2,}(?:[^\Ws]s|ed)|taught|met|told|gave|lent|sold|"
    r"bought|paid)\s(?!(?:is|are|was|were|has|have|runs?|uses?)\b)|"
    r"(?:arbeitet|wohnt|lebt|travaille|habite|trabaja|vive)\b",
    re.I,
)
"""A claim that begins with what somebody does is about the person, whatever its kind."""
_GERMAN = re.compile(r"\b(?:ist|sind|war|hat|bin|die|der|das)\b", re.I)
_US = re.compile(r"\bUS\b")
"""The country, where it is not the person."""
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that tells something, where it stands in a text."""

    text: str
    at: int
    part: int
    """Between two breaks."""
    role: str
    """What governs it; empty for a subject or an object."""


def exchanged(one: str, other: str, *, of_user: bool = False) -> bool:
    """Whether two words that both texts have stand there the other way round.

    `of_user`: the first text says of the person what it says, also where it does not name them.
    """
    if _CJK.search(one) or _CJK.search(other):
        return False
    first, second = _tokens(one), _tokens(other)
    done = _done_by_the_user(first, second)
    if (of_user or _SUBJECTLESS.match(one)) and not _USER.intersection(first):
        first = ["i", *first]
    mine, theirs = _words(first), _words(second)
    if _later_first(one, other):
        return True
    if _same_parts(mine, theirs, first):
        return False
    if done or _the_other_way(mine, theirs):
        return True
    shared = [(w, [t for t in theirs if _same(w.text, t.text)]) for w in mine]
    for (a, as_), (b, bs) in combinations([s for s in shared if s[1]], 2):
        if not _same(a.text, b.text) and all(_turned(a, b, x, y, first, second) for x in as_ for y in bs if x is not y):
            return True
    return False


def put_together(claim: str, clauses: Sequence[str]) -> bool:
    """Whether a claim gives to what one clause speaks of what another clause says of something else, though the first
    has a word in just that place: "Answer in German, comment in English" holds all words of "Comment in German"."""
    if len(clauses) < 2 or _CJK.search(claim):
        return False
    wanted = [w for w in _words(_tokens(claim), verbs=True) if w.text != _ME]
    said = [_tokens(c) for c in clauses]
    words = [[w for w in _words(t, verbs=True) if w.text != _ME] for t in said]

    def has(n: int, word: _Word) -> list[_Word]:
        return [w for w in words[n] if _same(w.text, word.text)]

    for value in wanted:
        (homes, rest) = ([n for n in range(len(said)) if has(n, value)], [w for w in wanted if w is not value])
        if len(homes) != 1:
            continue
        role = has(homes[0], value)[0].role
        for n in range(len(said)):
            if n == homes[0] or (homes[0] > n and _goes_on(said[homes[0]], claim)):
                continue
            own = [w for w in rest if has(n, w) and not has(homes[0], w)]
            last = max((has(n, w)[0].at for w in own), default=None)
            if last is None:
                continue
            others = (w for w in words[n] if w.at > last and not any(_same(w.text, c.text) for c in wanted))
            if any(w.role == role and w.text[0].isdigit() == value.text[0].isdigit() for w in others):
                return True
    return False


def _goes_on(said: Sequence[str], claim: str) -> bool:
    """Whether the claim takes all of a clause, which then only goes on with what the one before it speaks of."""
    told = [*_tokens(claim), *_ARTICLES, *_BREAKS, *_GOVERNORS, *_EQUALS, *_SUBJECTS, *_BACK]
    return all(t in told or (t not in _OTHERS and any(_same(t, c) for c in told)) for t in said)


def _tokens(text: str) -> list[str]:
    text = _US.sub("usa", plain(text))
    if _GERMAN.search(text):
        text = _GENITIVE.sub(r"\1's ", text)
    text = _LABELLED.sub(r"\1-\g<2>0", text)  # the digit keeps two of them from being one word in two forms
    found = [m[0] for m in _TOKEN.finditer(text.casefold().replace("cannot", "can n't"))]
    return _active(found)


def _active(tokens: list[str]) -> list[str]:
    """The words with what is done by somebody told of who does it: "Tom was hired by Ida" is "Ida hired Tom"."""
    for i, word in enumerate(tokens):
        if word not in {"by", "von"} or i < 2:
            continue
        begin = max((n + 1 for n in range(i) if tokens[n] in _BREAKS), default=0)
        being = next((n for n in range(i - 1, begin - 1, -1) if tokens[n] in _PASSIVE), None)
        end = next((n for n in range(i + 1, len(tokens)) if tokens[n] in _BREAKS | _GOVERNORS), len(tokens))
        if being is None or being == i - 1 or not _content(tokens[i - 1]):
            continue
        whom = tokens[begin:being]
        return [*tokens[:begin], *tokens[i + 1 : end], *tokens[being + 1 : i], *whom, *tokens[end:]]
    return tokens


def _words(tokens: Sequence[str], *, verbs: bool = False) -> list[_Word]:
    """`verbs`: also those that tell little, such as "likes"."""
    out: list[_Word] = []
    role, part, denied, governed = "", 0, "", False
    german = _IN_GERMAN.intersection(tokens)
    for i, token in enumerate(tokens):
        if token in _BREAKS and not (token == "ma" and _FRENCH.intersection(tokens)):
            goes_on, listed = _list_goes_on(tokens, i)
            role, denied, governed = (role if goes_on else ""), (denied if listed else ""), False
            part += 1
        elif token in _NEGATORS:
            denied, role = "not ", ""
        elif token == "'s":
            if out and out[-1].at == i - 1 and not (i + 1 < len(tokens) and tokens[i + 1] in _ARTICLES):
                out[-1] = _Word(out[-1].text, out[-1].at, part, "'s")
        elif token in _USER:
            out.append(_Word(_ME, i, part, role if token in _OBJECTS or role in _CONDITIONS else ""))
            role = role if role in _CONDITIONS or token not in _SUBJECTS else ""
        elif (token in _GOVERNORS and (token != "an" or german)) or (
            token in _WITH and any(_IN_PLACE.fullmatch(t) for t in tokens[:i])
        ):
            role, governed = (f"{role} {token}" if governed else token), True
            if i and tokens[i - 1] in _MUTUAL:
                role = ""
            continue
        elif token in _SUBJECTS:
            role = role if role in _CONDITIONS else ""
        elif token in _MINE:
            out.append(_Word(_ME, i, part, "'s"))
        elif text := _content(token) or (token.rstrip("s") if verbs and _VERBS.fullmatch(token) else ""):
            out.append(_Word(text, i, part, denied + role))
        governed = governed and token in _ARTICLES
    return out


def _list_goes_on(tokens: Sequence[str], at: int) -> tuple[bool, bool]:
    """Whether after a break comes one more of what was told, and whether that is denied with it: "no meat or fish"."""
    end = next((n for n in range(at + 1, len(tokens)) if tokens[n] in _BREAKS), len(tokens))
    item = tokens[at + 1 : end]
    goes_on = bool(item) and all(t in _ARTICLES or _content(t) for t in item)
    listed = tokens[at] in _LISTS or (tokens[at] == "," and end < len(tokens) and tokens[end] in _LISTS)
    return goes_on, goes_on and listed


def _content(token: str) -> str:
    found = content(token) if token.isalnum() else ()
    if not found and not token.isalnum() and len(token) > 1:
        return token
    return found[0] if len(found) == 1 else token if found else ""


def _same(a: str, b: str) -> bool:
    return a == b or alike(a, b) or (len(a) > 3 and a.rstrip("s") == b.rstrip("s"))


def _same_parts(mine: Sequence[_Word], theirs: Sequence[_Word], tokens: Sequence[str]) -> bool:
    """Whether each part of the one stands in a part of the other as it is: a list in another order."""
    ones, others = _parts(mine), _parts(theirs)
    if len(ones) < 2:
        return False
    lead = next((t for t in tokens if t not in _USER), "")
    if ones[0] and _same(ones[0][0].text, _content(lead) or lead) and len(ones[0]) > 1:
        ones[0] = ones[0][1:]
    return all(any(_within(one, other) for other in others) for one in ones)


def _parts(words: Iterable[_Word]) -> list[list[_Word]]:
    out: dict[int, list[_Word]] = {}
    for word in words:
        if word.text != _ME:
            out.setdefault(word.part, []).append(word)
    return list(out.values())


def _within(one: Sequence[_Word], other: Sequence[_Word]) -> bool:
    rest = iter(other)
    return all(any(_same(w.text, o.text) and w.role == o.role for o in rest) for w in one)


def _turned(a: _Word, b: _Word, x: _Word, y: _Word, first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether `a` and `b` of the first text are `x` and `y` of the second one the other way round."""
    if a.role != b.role:
        return _alike(a.role, y.role) and _alike(b.role, x.role)
    if x.role != y.role or (a.at < b.at) == (x.at < y.at):
        return False
    here, there = _between(a, b, first), _between(x, y, second)
    return any(_same(t, o) for t in here for o in there)


def _alike(role: str, other: str) -> bool:
    return role == other or {role, other} <= _OWNED


def _the_other_way(mine: Sequence[_Word], theirs: Sequence[_Word]) -> bool:
    """Whether a word is governed by one preposition here and by its contrary there: "to Ida", "from Ida"."""
    return any(
        places and all({w.role, t.role} in _CONTRARY for t in places)
        for w in mine
        if w.text != _ME
        for places in [[t for t in theirs if _same(w.text, t.text)]]
    )


def _done_by_the_user(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether somebody does in the first text what in the second the person does with them: "I pay Pia", "Pia pays"."""
    acts = (i for i, t in enumerate(second[:-1]) if t in _USER & _SUBJECTS and second[i + 1].isalpha())
    at = next(acts, None)
    if at is None or _WITH.intersection(second):
        return False
    verb = second[at + 1]
    told = [t for t in first if t not in _ARTICLES]
    place = next((n for n, t in enumerate(told) if _verb(t, verb)), 0)
    rest = takewhile(lambda t: t not in _BREAKS and t not in _BACK, second[at + 2 :])
    if any(_verb(t, verb) for t in second[at + 2 :]):
        return False  # somebody else does it, too
    who, before, after = told[:place], second[:at], [*rest]
    return bool(who) and all(t.isalnum() and _content(t) and t in after and t not in before for t in who)


def _verb(one: str, other: str) -> bool:
    forms = {other, f"{other}s", f"{other}es", f"{other.removesuffix('e')}t"}
    return one in forms or (bool(_content(one)) and _same(one, other))


def _later_first(one: str, other: str) -> bool:
    """Whether what one text has before a "then" the other has after it, and the other way round."""
    halves = [_THEN.split(plain(t), maxsplit=1) for t in (one, other)]
    if any(len(h) < 2 for h in halves):
        return False
    (first, then), (early, late) = ([set(content(part)) for part in h] for h in halves)
    return bool((first - early) & (late - then)) and bool((then - late) & (early - first))


def _between(a: _Word, b: _Word, tokens: Sequence[str]) -> list[str]:
    """What stands between two words and tells which is which."""
    start, end = sorted((a.at, b.at))
    free = _ARTICLES | _EQUALS | _BREAKS | _USER | _GOVERNORS
    return [t for t in tokens[start + 1 : end] if t not in free]
