"""What a claim leaves out of a person's words, and whether that may govern what they say.

Governing words are many ("half a mind to buy a Tesla", "the son of a baker", "on paper I'm a director"), and those
that govern nothing are few in every language: pronouns, articles, "to be" and "to have", the prepositions of place,
adverbs of stress, and what may stand in place of the claim's own verb. Up to the last word of the claim, a clause may
have those beside the claim's words and no other; after it nothing that takes the words back or hangs them on something.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from sessions.memory.claims import changed_verb, same_verb
from sessions.memory.clauses import LEFT_OUT, Clause, clauses_of, most_of, of_kin, predicate, speaks_of_another
from sessions.memory.occasion import FROM_NOW_ON
from sessions.memory.otherwise import MEANS
from sessions.memory.signs import CJK, dropped_signs
from sessions.memory.tokens import tokens_of
from sessions.memory.wording import alike, content, held, opposes, pieces

_I = re.I
_SELF = (
    "i we me my our us mine ours myself ourselves ich wir mich mir uns mein meine meinem meinen meiner unser unsere je "
    "j nous moi m mon ma mes notre nos yo nosotros mi mis nuestro nuestra io noi mio mia eu meu minha ik mijn wij ons "
    "я мой моя меня 저는 저 제가 나는 내가 우리"
)
_BEING = (
    "am is are be been being have has had having do does did got get was were bin sind ist habe hab haben hat war suis "
    "sommes est ai avons avoir être soy estoy somos está es tengo tenemos sono siamo è ho abbiamo sou estou tenho ben "
    "heb hebben zijn"
)
_LINKS = (
    "a an the this these of in on at to for as and into since der die das den dem des ein eine einen einem einer eines "
    "im am an auf zu zum zur von vom bei beim für als seit und la le les l un une du de d en à au aux chez dans sur "
    "pour comme depuis et el los las una unos unas del al por para como desde y il lo gli uno di della dello nel nella "
    "nei da dal per o os as um uma em na do het op te в на и у"
)
_STRESS = (
    "really actually just still now currently always usually often mostly mainly generally normally also very so quite "
    "pretty totally absolutely definitely honestly personally already recently finally officially truly certainly "
    "deeply especially both all lot lots well these days nowadays here there year years month months week weeks today "
    "last this back jetzt derzeit zurzeit aktuell noch immer meistens meist oft gern gerne sehr wirklich eigentlich "
    "schon auch ganz gerade eben jahr jahren monat woche letzten letztem letztes letzte letzter "
    "maintenant actuellement toujours souvent très vraiment aussi déjà "
    "encore ans ahora actualmente siempre muy realmente también ya todavía años ora adesso attualmente sempre molto "
    "davvero anche già ancora anni теперь сейчас"
)
_NAMING = "called named name names namens heiße heißt nenne appelle llamo llama chiama chiamo зовут qui que s se che"
_HARMLESS = frozenset(f"{_SELF} {_BEING} {_LINKS} {_STRESS} {_NAMING}".split())
_OTHERS = frozenset("he she it him 's er sie es il elle él ella lui lei".split())
"""Of a person they point back; of the one who speaks they speak of somebody else."""
_SPEAKER = frozenset("i we my our me ich wir mein meine je j nous mon ma yo mi io mio mia".split())
_COPULAS = frozenset("is am are be been being ist bin est suis es soy è sono".split())
_NOT_BEING = frozenset(
    "have has had having do does did got get of in on at to for as from hab habe haben hat avons ai tengo tenemos ho "
    "abbiamo zu zum bei für als à chez pour comme para como per da di".split()
) | frozenset(_NAMING.split())
"""Before what somebody is they say what it is to them: "I have a nurse", "I am to be a nurse"."""
_BECAME = frozenset("became become promoted turned".split())
_OF_USER = re.compile(r"^(?:the )?user(?:'s)?\s+|\b(?:the )?user's\s+", _I)
_WAY = frozenset("to for at on of by from in about with over against through".split())
_PLACED = frozenset("in at near on bei à en".split())
_TIMES = re.compile(
    r"\b(?:in|on|at|by|for|during) (?:\w+ )?(?:january|february|march|april|june|july|august|september|october|"
    r"november|december|month|\w+days?|weekends?|winter|summer|spring|autumn|fall|lent|home|work|night|heart|name|"
    r"training|marriage|christmas|holidays?|parties|weddings?)\b"
)
"""When or how far somebody is something: for the rest of the year they are not."""
_ARTICLES = frozenset(
    "a an the my our der die das ein eine einen einem mein meine le la les un une mon ma el los una mi il".split()
)
_OF_A_NOUN = frozenset("with named called who whose which mit namens der die das avec qui con que".split())
"""What stands before them is no adjective: "a friend with a dog"."""
_MEASURES = frozenset("cup cups glass mug pair couple bunch lot lots kind sort type member resident citizen".split())
_NOT_SO = frozenset(
    "former ex retired aspiring would wannabe failed fake pretend imaginary fictional virtual toy model honorary "
    "lapsed recovering so potential future prospective past late dead borrowed rented hired stolen lost half little "
    "bit onetime occasional terrible bad lousy reluctant dream ideal old previous last next other first second third "
    "many few several most some any no each every part whole ehemaliger ehemalige früherer frühere falscher ancien "
    "ancienne faux futur antiguo antigua falso falsa futuro".split()
)
"""Before a noun they make it another thing, another's or none."""
_DEGREES = frozenset(
    "big huge senior junior proud keen avid devoted passionate professional full time certified registered licensed "
    "qualified trained freelance fluent lifelong strict great dear lovely beloved older younger elder new own".split()
)
_DENIALS = tuple(
    "stop* quit gave give given up off no not never avoid* without hate* dislike* less fewer kein* nicht nie pas plus "
    "jamais ne n ningún nunca non mai refuse longer anymore any more can smesso dejado".split()
)
_DENYING = frozenset(
    "not never no stop stopped quit avoid without hate dislike refuse kein keine keinen nicht nie niemals ohne pas "
    "jamais sans nunca sin mai senza nooit zonder sem".split()
)
_HOLDING_BACK = frozenset(
    "if unless when whenever while before after except besides but instead than only never not no nobody none or would "
    "could might may until till without wenn falls sofern bis bevor nachdem außer statt nicht nie kein keine ohne si "
    "sauf jusqu quand avant sans pas cuando hasta salvo sin nunca se quando finché tranne senza mai".split()
)
"""After what is said, they take a part of it back or hang it on something."""
_AFTER = frozenset(
    "with from by about near too please btw tbh thanks which who that where because though again ago once daily "
    "weekly per every each over under up out around between through during ever mit aus nach hier da bitte weil wo "
    "avec ici qui con aquí anche lol haha originally together alone mondays tuesdays wednesdays thursdays fridays "
    "saturdays sundays weekdays weekends best most much more your you it everywhere anywhere anymore any old "
    "tomorrow yesterday tonight".split()
)
"""What may follow a noun without making another word of it."""
_RARELY = frozenset(
    "rarely occasionally hardly barely supposedly allegedly reportedly reluctantly theoretically".split()
)
_PARTICIPLE = re.compile(r"(?:um|ein|hin|her|zu)?ge\w+(?:en|t)\Z")
"""A German verb that stands behind its object: "nach Osaka gezogen"."""
_BIDDING = frozenset("please use always bitte".split())
_AFTER_IS = frozenset("a an the my our called named not on at in from very still now".split())
_A_PART = re.compile(r"\b(?:hour|day|week|month)s? (?:a|per|each|every|of the|out of)\b|\bpart time\b|\bhalf\b")


_FRAME = re.compile(
    r"^(?:and |but |so )?(?!for (?:context|reference|the record|your|what it)\b|by the way\b|in (?:fact|general|"
    r"addition|"
    r"case|short|other words)\b|as (?:for|an aside|a side|you|i|we|mentioned|a reminder|a heads|usual|always)\b|"
    r"to (?:be (?:clear|honest|fair|precise)|answer|clarify|add|confirm)\b|on (?:that|another|a side|"
    r"an unrelated) note\b|"
    r"at the moment\b|after all\b|with that (?:said|in)\b|like i\b|before (?:i|we|you)\b|if (?:you|it|that)\b)"
    r"(?:in|on|at|as|under|within|during|before|after|until|till|back|once|growing up|every|per|to|by|according|for|"
    r"with|"
    r"without|like|unlike|if|when|whenever|while|im|am|an|auf|bei|als|wenn|dans|en|au|quand|si|nel|nella|cuando)\b",
    re.I,
)


_DETAIL = re.compile(
    r"\s*(?:since|at|in|on|with|for|from|near|by|until|till|of|as|seit|bei|im|am|mit|aus|depuis|chez|avec|desde|con)\b",
    _I,
)
_POINTING = frozenset(
    {"this", "these", "today", "now", "once", "tonight", "dieser", "diese", "dieses", "heute", "jetzt"}
)
"""What is said with one of them holds here and now."""
_POLITE = ("please", "pls", "thanks", "ok", "okay", "always", "ever", "again", "everywhere", "bitte", "danke", "immer")


def leaves_out(claim: Sequence[str], kind: str, sentence: str, quote: str, before: str = "") -> str:
    """Why a claim that goes against no word of a quote does not keep what the words hang on, empty when it does.

    What the fact said `before` is not asked about.
    """
    old = content(before)
    near = clauses_of(quote)
    about_user = kind in {"user", "preference"}
    word = ""
    for piece in (p for text in claim for p in pieces(text)):
        if before and len(held(content(piece), old)) == len(content(piece)):
            continue
        # A short text beside the one line tells more of the same in the person's own words.
        if _DETAIL.match(piece) and " ".join(tokens_of(piece)) in " ".join(tokens_of(sentence)):
            continue
        best = [c for c in most_of(content(piece), near) if not speaks_of_another(c, piece, kind)]
        if best and kind in {"feedback", "self"}:
            missing = [dropped_way(piece, c.text, quote) for c in best]
            word = word or (missing[0] if all(missing) else "")
        elif best:
            word = word or _dropped(piece, best, near, about_user=about_user)
    if not word and about_user:
        word = _frame(claim[0], sentence, near)
    return LEFT_OUT.format(word) if word else ""


def _dropped(piece: str, best: Sequence[Clause], near: Sequence[Clause], *, about_user: bool) -> str:
    """The governing word that the claim leaves out, of what it rests on first of all and then of what adds to that."""
    mine = about_user and not of_kin(piece)
    missing = [dropped(piece, predicate(c, about_user=about_user), about_user=mine) for c in best]
    if all(missing):
        return missing[0]
    there = {w for c in best for w in content(c.text)}
    for other in near if about_user else ():
        more = [w for w in content(piece) if w in content(other.text) and w not in there]
        if more and (word := dropped(piece, predicate(other, about_user=True), about_user=mine, whole=False)):
            return word
    return ""


def _frame(claim: str, sentence: str, near: Sequence[Clause]) -> str:
    """What stands before the clauses and sets them in a place, a time or a tale of which the claim says nothing."""
    said = clauses_of(sentence)
    for i, (before, after) in enumerate(pairwise(said)):
        if not after.who and any(c.who for c in said[:i]):
            continue  # more of what was said before
        if after in near and _FRAME.match(before.text) and not held(content(before.text), content(claim)):
            return before.text
    return ""


def harmless(word: str) -> bool:
    """Whether a word governs nothing, wherever it stands."""
    return word in _HARMLESS or word in _OTHERS


def dropped(piece: str, clause: str, *, about_user: bool, whole: bool = True) -> str:
    """The first word of a clause that a claim leaves out and that may govern what it says; empty for none.

    `whole`: the words after the claim's last one are looked at, too.
    """
    if CJK.search(clause):
        return dropped_signs(piece, clause)
    whose = _OF_USER.search(piece) is not None and not about_user
    piece = _OF_USER.sub("", piece)
    claim, said = tokens_of(piece), tokens_of(clause)
    wanted = content(piece)
    told = [w != "'s" and bool(held(content(w), wanted)) for w in said]
    if not wanted:  # nothing but words that are said of much: "Works from home"
        told = [w not in _HARMLESS and _same(w, claim) for w in said]
    if not any(told) or not claim:
        return ""
    if whose and "'s" in said and not _SPEAKER.intersection(said):
        return "'s"
    last = len(told) - 1 - told[::-1].index(True)
    here = [told[i] or _same(w, claim) or (w.isdigit() and w != "0") for i, w in enumerate(said)]
    if word := _turned(said, claim, told.index(True)):
        return word
    free = _free(piece, said, about_user=about_user)
    if not about_user and len(held(wanted, content(clause))) < len(wanted):
        free = (*free, "his", "her", "their", "its")  # of somebody whom the claim names and this clause does not
    fits = [here[i] or (w == "'s" and said[i + 1] in _AFTER_IS) or _in(w, free) for i, w in enumerate(said[:last])]
    for i, word in enumerate(said[:last]):
        if not fits[i] and not _describes(said, fits, i, claim):
            return word
    if sum(w in _DENYING for w in said[: last + 1]) >= 2 > sum(w in _DENYING for w in claim):
        return "not"
    rest = _AGO.sub("ago", " ".join(said[last + 1 :])).split()
    ends = bool(rest) and _PARTICIPLE.match(rest[0]) is not None and _in(rest[0], free)
    began = not any(_same(w, claim[:1]) for w in said)
    return _after(rest[ends:], claim, began=began) if whole else ""


def _turned(said: Sequence[str], claim: Sequence[str], first: int) -> str:
    """A word that is harmless elsewhere and here makes another verb of the claim's."""
    if (claim[0] in _COPULAS or claim[0] in said) and not _BECAME.intersection(said):
        return next((w for w in said[:first] if w in _NOT_BEING and not _same(w, claim)), "")
    for to, verb in pairwise(said):
        if to in {"to", "zu"} and claim[0] != verb and _same(verb, claim[:1]):
            return to  # "davon, in Rom zu wohnen"
    for verb, after in pairwise(said):
        if after in _WAY and after not in claim and _same(verb, claim[:1]) and {verb, after} != {"work", "for"}:
            return after
    return ""


def _free(piece: str, said: Sequence[str], *, about_user: bool) -> tuple[str, ...]:
    """The words that may stand beside those of a claim, for what it says and of whom."""
    free = [stem for rule, stems in MEANS if rule.search(piece) for stem in stems]
    if _denying(piece):
        free += _DENIALS
    if said[0] in _BIDDING:
        free += ["use", "please"]
    return (*free, *(() if about_user else _OTHERS))


def _denying(piece: str) -> bool:
    """Whether a claim says that something is not so, is not wanted or came to an end."""
    ended = re.search(r"\b(?:quit|stopp?\w*|gave up|skip\w*|leave out|less|fewer)\b", piece, _I)
    return opposes(piece) or ended is not None


def _in(word: str, free: Sequence[str]) -> bool:
    return word in _HARMLESS or any(word.startswith(f[:-1]) if f[-1] == "*" else word == f for f in free)


def _same(word: str, claim: Sequence[str]) -> bool:
    """Whether a word stands in the claim, in any form of it."""
    if not claim:
        return False
    if {"go": "goes", "do": "does", "have": "has"}.get(word, word) in claim:
        return True
    if any(alike(word, c) or same_verb(word, c) for c in claim) or changed_verb(claim[0], word):
        return True
    return same_verb(_stem(word), _stem(claim[0]))


def _stem(word: str) -> str:
    """A verb without what German changes in it: lese, liest; fahre, fährt."""
    if word.startswith(("hätt", "wär", "würd", "könnt", "möcht", "müsst", "dürft")):
        return word
    return word.replace("ie", "i").replace("e", "i").replace("ä", "a")


def _describes(said: Sequence[str], fits: Sequence[bool], at: int, claim: Sequence[str]) -> bool:
    """Whether a word only describes the noun after it, which the claim has: "an old blue Volvo"."""
    if said[at] in _NOT_SO:
        return False
    before = next((i for i in range(at - 1, -1, -1) if fits[i]), None)
    after = next((i for i in range(at + 1, len(said)) if i >= len(fits) or fits[i]), None)
    if before is not None and said[before] in _ARTICLES and said[at + 1 : at + 2] == ["from"] and "from" in claim:
        return True
    if said[at + 1] in _OF_A_NOUN:
        return False
    if before is None or after is None or (after < len(fits) and said[after] in _HARMLESS):
        return said[at] in _MEASURES and said[at + 1] == "of"
    if said[before] not in _ARTICLES:
        return False
    if before == 0 or claim[0] in {"is", "ist", "est", "es", "è"}:
        return said[at] in _DEGREES
    return True


_AGO = re.compile(r"^(?:about |some |over )?(?:an?|[^\W\d_]+|\d+|couple of) (?:years?|months?|weeks?|days?) ago\b")


def runs_on(text: str, words: Sequence[str]) -> bool:
    """Whether the last of the words that a text has is half of another: the guidebook of "my Tokyo guidebook"."""
    said = tokens_of(text)
    told = [bool(held(content(w), words)) for w in said]
    if not any(told):
        return False
    rest = said[len(told) - told[::-1].index(True) :]
    return bool(rest) and not _closes(rest[0])


def _closes(word: str) -> bool:
    """Whether a word that comes after a noun leaves it what it is."""
    free = word in _HARMLESS | _AFTER | _HOLDING_BACK or (word in _OTHERS and word != "'s") or word.isdigit()
    return free or (word.endswith("ly") and word not in _RARELY)


def _after(rest: Sequence[str], claim: Sequence[str], *, began: bool) -> str:
    """The word after the claim's last one that takes back what was said, or makes one thing of two words.

    `began`: it was said of a beginning, which has its time: "joined in May".
    """
    known = list(takewhile(lambda w: w in claim, rest))
    rest = rest[len(known) :]
    if not rest:
        return ""
    if (m := _A_PART.search(" ".join(rest))) and m[0] not in " ".join(claim):
        return m[0]
    if (claim[0] in _COPULAS | {"lives"} or (claim[0] == "works" and not began)) and (
        m := _TIMES.search(" ".join(rest))
    ):
        return m[0]
    word = rest[0]
    if not _closes(word) and not (known and known[-1] in _PLACED):
        return word
    return next((w for w in rest if w in _HOLDING_BACK and w not in claim), "")


_WAYS = frozenset(
    "please pls kindly bitte merci svp you should must can could may need ought keep make sure try remember let want "
    "like love prefer would appreciate wish rather better it me us answer answers reply replies response responses "
    "output outputs text give show use using write explain tell say speak call describe format respond what that from "
    "future enough when whenever if be more your yours don do is are too go sound everything anything things how much "
    "long generally by default say du sag antworte schreib bitte dir réponds écris vous tu responde escribe".split()
)
"""What may stand before a wish of how the agent is to work, and after it."""
_COMPLAINING = frozenset("hate skip drop enough tired sick annoying annoys leave out cut time".split())
_TOLD = re.compile(
    r"^(?:(?:and|but|so|also|please|pls|now|ok)\b\s*)*you(?:'re| are)?\s+(?:\w+ly\s+|always\s+|often\s+|never\s+|"
    r"still\s+|"
    r"just\s+|keep\s+|kept\s+|only\s+)*"
    r"(?!should|must|can|could|may|need|have\b|ought|don't|do not|too|are|called|named|"
    r"sound|always|often|never|still|just|only)\w+",
    _I,
)
_SO_MUCH = re.compile(
    r"\b(?:all the time|(?:so|that|this) (?:much|often)|constantly|every (?:single )?time|ständig|dauernd|"
    r"tout le temps|sans arrêt|todo el tiempo)\b",
    _I,
)
"""What is never to be is not to be so often, either."""
_TOO = re.compile(r"\b(?:too|so|enough|please|annoy\w*|hate|stop|more|less)\b", _I)


def dropped_way(piece: str, clause: str, quote: str) -> str:
    """The same for how the agent is to work; and a word that only tells how it does work."""
    clause = FROM_NOW_ON.sub(" ", clause)
    if _denying(piece):
        clause = _SO_MUCH.sub("", clause)
    claim, said = tokens_of(piece), tokens_of(clause)
    wanted = content(piece)
    if (m := _TOLD.match(clause)) and not _TOO.search(quote):
        return m[0].strip()
    told = [w != "'s" and bool(held(content(w), wanted)) for w in said]
    if not any(told) or CJK.search(clause):
        return ""
    free = (*_WAYS, *((*_DENIALS, "ever") if _denying(piece) else ()))
    for word in said[: told.index(True)]:
        if not (_same(word, claim) or _in(word, free)) and not (_denying(piece) and word in _COMPLAINING):
            return word
    last = len(told) - told[::-1].index(True)
    if sum(w in _DENYING for w in said[:last]) >= 2 > sum(w in _DENYING for w in claim) > 0:
        return "not"
    # What comes after limits it: to this file, to one branch, for today.
    rest = [w for w in said[told.index(True) :] if not (_same(w, claim) or _in(w, free) or _in(w, _POLITE))]
    return next((w for w in rest if (content(w) and not held(content(w), wanted)) or w in _POINTING), "")
