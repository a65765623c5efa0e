"""The stem of an English word (Porter 1980), after a table of irregular forms and number words.

Words of other languages pass through the same rules: what matters is that a text and a question lose the same endings.
"""

from __future__ import annotations

from functools import lru_cache

_IRREGULAR = """
go went gone goes going | have had has having | make made | take took taken | get got gotten | give gave given
see saw seen | say said | tell told | think thought | know knew known | feel felt | find found | buy bought
bring brought | teach taught | catch caught | write wrote written | run ran | begin began begun | come came
become became | meet met | leave left | lose lost | keep kept | hold held | stand stood | win won | sell sold
send sent | spend spent | build built | break broke broken | speak spoke spoken | choose chose chosen
drive drove driven | ride rode ridden | eat ate eaten | fall fell fallen | fly flew flown | grow grew grown
draw drew drawn | wear wore worn | swim swam swum | sing sang sung | drink drank drunk | sleep slept | sit sat
hear heard | pay paid | mean meant | fight fought | hang hung | hide hid hidden | shake shook | steal stole stolen
wake woke woken | throw threw thrown | understand understood | lead led | learn learnt | lend lent | light lit
deal dealt | dream dreamt | forget forgot forgotten | forgive forgave forgiven | freeze froze frozen | bite bit bitten
blow blew blown | rise rose risen | shoot shot | sweep swept | tear tore torn | stick stuck | feed fed | bend bent
child children kid kids | man men | woman women | person people | foot feet | tooth teeth | mouse mice
wife wives | mom mother mum | dad father | photo picture pic | movie film | zero 0 | one 1 | two 2 | three 3 | four 4
five 5 | six 6 | seven 7 | eight 8 | nine 9 | ten 10 | eleven 11 | twelve 12
"""
"""Groups of one meaning; the first stands for all."""
_SAME = {
    word: words[0]
    for line in _IRREGULAR.strip().splitlines()
    for group in line.split("|")
    if (words := group.split())
    for word in words[1:]
}
_STEP2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize",
    "al", "er", "ic", "ou",
)  # fmt: skip


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a folded word; words of one or two letters and those with other letters stay as they are."""
    word = _SAME.get(word, word)
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    return _step5(_step4(_replaced(_replaced(_step1(word), _STEP2), _STEP3)))


def _shape(word: str) -> str:
    """The word as a row of `v` and `c`; y is a vowel after a consonant."""
    out = ""
    for letter in word:
        out += "v" if letter in "aeiou" or (letter == "y" and out[-1:] == "c") else "c"
    return out


def _measure(word: str) -> int:
    return _shape(word).count("vc")


def _short(word: str) -> bool:
    """Ends consonant, vowel, consonant, the last not w, x or y: an e was cut off."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _step1(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        if _measure(word[:-3]):
            word = word[:-1]
    else:
        for ending in ("ed", "ing"):
            rest = word.removesuffix(ending)
            if rest != word:
                if "v" in _shape(rest):
                    word = _repaired(rest)
                break
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    return word


def _repaired(word: str) -> str:
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and word[-1] not in "aeioulsz" and _shape(word)[-1] == "c":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _short(word) else word


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, other in endings:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + other if _measure(rest) else word
    return word


def _step4(word: str) -> str:
    for ending in _STEP4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if ending == "ion" and rest[-1:] not in ("s", "t"):
                return word
            return rest if _measure(rest) > 1 else word
    return word


def _step5(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _short(rest)):
            word = rest
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word
