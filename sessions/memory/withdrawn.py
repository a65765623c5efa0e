"""Whether the person takes back what they say, or asks whether it is so.

They may do so in the same clause, sentences later, or in the next message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sessions.memory import lapsed
from sessions.memory.clauses import clauses_of
from sessions.memory.near import same_slot, slot_of
from sessions.memory.place import Piece, Place, opening, pieces_of, place_of
from sessions.memory.said import Saying, statements
from sessions.memory.unkept import forbids
from sessions.memory.wording import content, denies, held, negative, plain
from sessions.typed import Typed

TAKEN_BACK = "the user took it back, or asked whether it is so"
LATER = "the user took it back later"
OTHERWISE = "the user said otherwise later"
_I = re.I
_UNTRUE = (
    r"(?:lie|lies|joke|jokes|prank|story|trick|hoax|fiction|nonsense|rubbish|bullshit|bogus|made[ -]up|invented|"
    r"fictional|false|untrue|wrong|fake|test|quiz|not (?:true|so|right|real|correct|(?:about )?me\b|mine)|typo|"
    r"misprint|autocorrect|slip of the (?:tongue|pen)|tippfehler|vertipper|versprecher|coquille|faute de frappe|"
    r"errata|gelogen|"
    r"erfunden|falsch|unwahr|quatsch|"
    r"unsinn|nicht wahr|witz|scherz|lüge|spaß|faux|fausse|inventé|mensonge|blague|pas vrai|mentira|broma|falso|falsa|"
    r"inventado|no es (?:verdad|cierto))"
)
_FILLS = (
    r"(?:(?:all|just|only|really|actually|of course|completely|totally|obviously|nur|alles|ein|eine|gar|ja|an?|the|un|"
    r"une|"
    r"una|que) )*"
)
_THAT = (
    r"(?:that|this|it|which|all(?: of)? (?:this|that|it)|everything(?: i (?:just )?(?:said|wrote|told you)| above|"
    r" here)?|"
    r"what i (?:just )?(?:said|wrote|told you)|das|dies|es|alles|c|ça|cela|tout|eso|esto|todo)"
)
_IS = r"(?:'s| is| was| were| are|'est|'était| ist| war| es| era| est| était)"
_AT_END = r"(?=[\s.!?)\"']*$| (?:in|on|for|from|though|too|sorry|again|anyway|just|now|i|you|haha|folks|guys)\b)"
_HUMS = (
    r"^(?:(?:well|oh|ah|hm+|um|er|but|and|or|so|actually|sorry|oops|ok|okay|no|ach|aber|nein|mais|non|pero|でも|あ)\b"
    r"[\s,]*)*"
)
_WITHDRAWS = re.compile(
    _HUMS
    + r"(?:"
    + rf"{_THAT}(?:{_IS}) {_FILLS}{_UNTRUE}\b{_AT_END}|"
    + rf"{_THAT} (?:isn't|wasn't|aren't|weren't) (?:\w+ )?(?:true|so|right|real|correct|(?:about )?me\b|mine)|"
    r"not me[\s.!]*$|"
    r"(?:hypothetically|theoretically|figuratively|metaphorically|wrong|false|untrue|lies|fiction|in theory|"
    r"in (?:another|a past|my next) life|in (?:my|your) dreams?|in an ideal world|i wish|if only|wishful thinking|"
    r"wouldn't that be \w+|falsch|faux|falso|falsa|schön wär's|à moitié|en mis sueños)[\s.!]*$|"
    r"(?:es|era|c'est|c'était) (?:una? |un )?(?:mentira|broma|falso|inventado|faux|mensonge|blague)\b|"
    r"(?:none|nothing (?:of|i|above|here|so far|that i)|not (?:all|one word|any))\b[^.!?]{0,30}\b(?:is|was|are|were|"
    r"'s) (?:\w+ )?(?:true|so|real|"
    r"right)\b|"
    r"(?:scratch|strike|ignore|disregard|forget|delete|undo) (?:that|it|this|all (?:of )?(?:that|this|it)|everything|"
    r"the above|what i (?:just )?(?:said|wrote)|i (?:ever )?said)\b(?! (?:file|line|test|one|folder|branch|error|"
    r"about|on)\b)|"
    r"(?:never ?mind|no wait|wait,? no|scratch that|hold on|take (?:that|it) back)\b|(?<=no )wait\b|"
    r"(?:not|no|nope|nah)[\s.!]*$|not (?:really|true)[\s.!]*$|doch nicht[\s.!]*$|en fait non|"
    r"(?:i(?:'m| am| was)?|just|only) (?:just |only )?(?:kidding|joking|lying|messing with you|pulling your leg|"
    r"teasing|bluffing)\b|april fools?|aprilscherz|poisson d'avril|gotcha\b|got you[\s.!]*$|"
    r"(?:had|fooled|tricked) you\b|psych[\s.!]*$|you believed (?:that|it|me)\b|reingelegt|te engañé|"
    r"i (?:did|had|was|used to)[\s.!]*$|"
    r"i(?:'ve| have)? (?:just )?(?:made (?:that|this|it)(?: all)? up|lied(?! to (?!you\b))|misspoke|mistyped|"
    r"misremembered|"
    r"meant\b(?! (?:it|"
    r"that|what i))|mixed (?:it|that|this|them) up|got (?:it|that|this|them) wrong|take (?:it|that) back|"
    r"was wrong(?! (?:about|to|on)\b))|"
    r"quatsch\b|(?:das )?stimmt (?:ja |gar |so )*nicht|(?:vergiss|streich) (?:das|es)\b|gelogen\b|erfunden\b|"
    r"ich (?:meinte\b(?! es\b)|hab(?:e)? mich (?:vertippt|verschrieben|versprochen|vertan|geirrt))|"
    r"ce n'est pas (?:vrai|exact|ça|moi)\b|je (?:voulais|veux) dire\b|je me suis trompée?\b|me refería a\b|"
    r"quise decir\b|quería decir\b|me (?:he )?equivo(?:qué|cado)\b|intendevo\b|volevo dire\b|mi sono sbagliat[oa]\b|"
    r"je (?:plaisante|rigole|blague|mens)|oublie (?:ça|cela|ce que)|n'importe quoi|c'est faux|"
    r"mentira|olvídalo|olvida (?:eso|lo que)|no es (?:verdad|cierto)|te he mentido|es broma|"
    r"嘘|うそ|冗談|なんてね|違います|違った|間違え|取り消|今のなし|骗你|假的|不是真的|开玩笑|开个玩笑|我撒谎|"
    r"当我没说|说错了|거짓말|농담|취소)",
    _I,
)
"""At the beginning of a clause: takes back what was said before."""
_ANSWERS = re.compile(
    r"^(?:well|oh|actually|sorry|[\s,])*(?:(?:no|nope|nah|not|not (?:really|true)|never ?mind|hold on|wrong|false|"
    r"untrue|quatsch|"
    r"ce n'est pas (?:vrai|exact)|no es (?:verdad|cierto)|falsch|faux|falso|i (?:did|had|was)|"
    r"(?:das )?stimmt (?:\w+ )*nicht|違います)[\s.!]*$|"
    r"(?:that|this|it|which|das|es|c)(?:'s| is| ist|'est| isn't|'s not| is not)\b)",
    _I,
)
"""At the beginning of a message: may be said of what was answered or asked."""
_DOUBTS = re.compile(
    r"^(?:is|was|are) (?:that|this|it|all of (?:that|this)) (?:really |actually |even )?(?:true|so|right|correct|real)"
    r"\s*[?？]|^(?:stimmt das|ist das (?:wahr|so|richtig)|est-ce (?:vrai|exact)|c'est vrai|es (?:verdad|cierto|"
    r"eso cierto))"
    r"\s*[?？]|^(?:本当|ほんと|真的|是吗)(?:ですか|吗|嗎)?\s*[?？]",
    _I,
)
"""A sentence that asks whether it is so."""
_TAG = re.compile(
    r"^[\s,;.!、，。]*(?:¿\s*)?(?:or )?(?:am i right|right|correct|no|eh|huh|innit|yes|oder|nicht(?: wahr)?|gell|"
    r"stimmt's|n'est-ce pas|non|hein|pas vrai|verdad|no es así|cierto|vero|né|真的|对吧|对吗|是吧|ですよね|よね|"
    r"でしょう|맞죠|"
    r"(?:am|are|do|did|have|was|is|can|would|should|will|ain't|aren't|don't|didn't|haven't|wasn't|isn't|can't|"
    r"wouldn't)\s+(?:i|we|it|he|she|they|that)\b\s*(?:not)?)\s*[?？]",
    _I,
)
_CUT_SHORT = re.compile(
    r"^[\s,;.!)-]*(?:(?:or|and|but) )?(?:(?<=or )so\b|in (?:my|your) (?:dreams?|head)|in theory|"
    r"on paper|not!|not really|not any ?more|wait[,.!]|wait no|no wait|hold on\b|oops|scratch that|no[,.!]|nah\b|"
    r"nope\b|sorry,? (?:i meant|no|not|that)|my (?:foot|arse|ass)\b|yeah,? right|(?:just )?kidding|"
    r"that(?:'s| is) (?:not (?:true|so|right|correct|really|me\b|mine|the case|what i (?:said|meant))|what (?!i\b))|"
    r"at least (?:that|on|in|so)|(?:said|says|claims?|thinks?|according)\b|if only\b|"
    r"if (?!you\b|it\b|that\b|possible\b)|unless\b|until\b|back (?:in|when|then)\b|years? ago|"
    r"(?:as|when i was) an? (?:kid|child|boy|girl|student|teen\w*)\b|not\b(?=[\s.!]*$)|"
    r"(?:well|or rather|i mean|that is),? (?:\w+ed|had|was|used to|not)\b)",
    _I,
)
"""Right after the words: what holds them to another time, or ends them."""
_FEELS = re.compile(
    r"\b(?:lik(?:e|ed|es)|lov(?:e|ed|es)|enjoy\w*|hat(?:e|ed|es)|prefer\w*|kn[oe]w\w*|miss\w*|visit\w*|saw|seen?|"
    r"trust\w*|"
    r"mag|mochte|liebe|hasse|kenn\w*|aim\w*|connais|gusta\w*|encanta\w*|conozco)\b|好き|嫌い|喜欢|讨厌",
    _I,
)
"""What is felt about a thing is not whether it is so."""
_ME = re.compile(r"\b(?:i'm|i am|ich bin|je suis|soy|i've|i|ich|my|mein\w*|je|j'|yo|mi|mon|ma)\b\s*", _I)
_AS_CLAIM = {
    "i'm": "is ", "i am": "is ", "ich bin": "ist ", "je suis": "est ", "soy": "es ", "i've": "has ", "i": "", "ich": "",
    "je": "", "j'": "", "yo": "",
}  # fmt: skip
_FIRST_FORMS = {"wohne": "wohnt", "lebe": "lebt", "heiße": "heißt", "vivo": "vive", "arbeite": "arbeitet"}


def taken_back(saying: Saying, claim: str) -> bool:
    """Whether what follows the words that carry the claim takes them back, or asks whether it is so."""
    found = place_of(saying, claim)
    if _CUT_SHORT.match(found.tail) or _TAG.match(found.tail):
        return True
    return _withdrawn(found) or _otherwise(claim, found.carries.text, found.tail)


def later(saying: Saying, claim: str, typed: Sequence[Typed]) -> str:
    """Why a message after the one with the quote speaks against it, empty when none does."""
    at = next((i for i, t in enumerate(typed) if t.message == saying.typed.message), len(typed))
    after = [t.text for t in typed[at + 1 :]]
    if after and _withdraws(after[0], answers=not lapsed.states_only(saying.typed.text)):
        return LATER
    carrying = place_of(saying, claim).carries.text if after else ""
    return OTHERWISE if any(_otherwise(claim, carrying, text) for text in after) else ""


def speaks_back(text: str) -> bool:
    """Whether a message may take back the one before it, or want nothing of it to be kept."""
    return _withdraws(text, answers=False) or forbids(opening(text)) or lapsed.ends_it(text)


def _withdraws(text: str, *, answers: bool) -> bool:
    """`answers`: it may be said of what the agent answered, and what can be is."""
    opens = pieces_of(opening(text))[:2]
    return any(_WITHDRAWS.match(p.words) and not (answers and _ANSWERS.match(p.words)) for p in opens)


def _withdrawn(found: Place) -> bool:
    """Whether a clause further on takes it back: one that goes on with another statement, what stands right before."""
    here = found.carries.sentence
    stated = here
    for i, piece in enumerate(found.after):
        asks = _DOUBTS.match(piece.words + piece.close.strip())
        if not asks and not _WITHDRAWS.match(piece.words):
            stated = piece.sentence if _states(piece) else stated
            continue
        rest = [p for p in found.after[i + 1 :] if p.sentence == piece.sentence and _states(p)]
        if not rest or stated == here:
            return True
    return False


def _states(piece: Piece) -> bool:
    return len(piece.words.split()) > 2 and bool(statements(piece.text + piece.close))


def _otherwise(claim: str, carrying: str, text: str) -> bool:
    """Whether a text denies what the claim says, or gives another value to what the claim gives one to."""
    about = content(claim)
    who = {c.who for c in clauses_of(carrying) if held(about, content(c.text))} | {"me", ""}
    for clause in (c for statement in statements(text) for c in clauses_of(statement)):
        if clause.who not in who and not clause.who.startswith("my "):
            continue
        if clause.who in who and _denied(claim, clause.text):
            return True
        if slot_of(claim) and not denies(clause.text) and _other_value(claim, clause.text):
            return True
    return False


def _denied(claim: str, clause: str) -> bool:
    about = content(claim)
    if not about or len(held(about, content(clause))) < len(about):
        return False
    # "Vegan" is a denial of its own, and "not vegan" none.
    if negative(_without(about, clause)) == negative(_without(about, claim)):
        return False
    return _FEELS.search(clause) is None or _FEELS.search(claim) is not None


def _without(words: Sequence[str], text: str) -> str:
    return " ".join(w for w in plain(text).split() if not (content(w) and held(content(w), words)))


def _other_value(claim: str, clause: str) -> bool:
    return any(
        same_slot(claim, said) and len(held(content(claim), content(said))) < len(content(claim))
        for said in _as_claims(clause)
    )


def _as_claims(clause: str) -> Iterable[str]:
    """What the person says of themselves, as facts say it."""
    for m in _ME.finditer(clause):
        rest = clause[m.end() :]
        first = rest.split(" ", 1)
        rest = " ".join([_FIRST_FORMS.get(first[0].casefold(), first[0]), *first[1:]])
        yield _AS_CLAIM.get(m[0].strip().casefold(), "") + rest
