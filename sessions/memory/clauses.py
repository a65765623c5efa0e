"""Of whom, of when and of what a person's words speak, clause by clause, and whether a claim keeps to that.

The words of a claim are no proof alone: "I used to live in Tokyo", "my landlord lives in Tokyo" and "I read about
Tokyo" hold the words of "Lives in Tokyo". What cannot be told for sure waits for the person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sessions.memory import belonging, bygone
from sessions.memory.governing import left_out, turned_round, unsaid
from sessions.memory.said import ORDER
from sessions.memory.sides import exchanged, put_together
from sessions.memory.signs import CJK
from sessions.memory.subjects import IT_IS_NOW, LEAD, ME, OWN, subject
from sessions.memory.wording import content, full_stop, held, negative, opposes, pieces, plain

SOMEBODY_ELSE = "the user's words are about somebody else"
APART = "it puts together what the user said apart"
WAS = "the user's words tell of what was or nearly was, not of what is"
DENIED = "the user's words deny something, and the claim does not"
LEFT_OUT = "it leaves out what the user's words hang on: {}"
TURNED = "it has the user's words in another order"
UNSAID = "it says more than the user's words: {}"

_SPLIT = re.compile(
    r"(?:[.!?…。！？;；\n]+|[,:](?=[\u3040-\u9fff])|,\s+(?!who\b|which\b)|:\s+|\s-+\s|[、，]|"
    r"(?<!\beveryone)(?<!\beverybody)(?<!\banyone)(?<!\banybody)(?<!\banything)(?<!\bnothing)(?<!\bnobody)(?<!\bnone)(?<!\ball)\s+"
    r"(?:and|but|so|because|while|although|und|aber|weil|et|mais|y|pero)\s+)\s*",
    re.I,
)
_ADJUNCT = re.compile(r"(?:in|at|near|since|for|from|seit|bei|aus|depuis|chez|desde) [\w'-]+(?: \w+)?\Z", re.I)
"""Where and since when, after a comma: it belongs to the clause before it."""
_MINE = re.compile(
    r"\b(?:me|my|mine|our|ours|us|i|ich|mich|mir|uns|mein\w*|unser\w*|moi|mon|ma|mes|nous|mi|mis|mio|mia)\b", re.I
)
_IT_IS = re.compile(r"^(?:it|that)(?:'s| is|s)\b", re.I)
_BACK = frozenset("he she they it this that who which there here his her their its".split())
"""What points back to somebody named before."""
_CONTRAST = re.compile(
    r"(?<!\bam)(?<!\bis)(?<!\bare)(?<!\bwas)(?<!\bwere)(?<!\bdo)(?<!\bdoes)(?<!\bdid)(?<!\bhave)(?<!\bhas)(?<!\bhad)"
    r"(?<!\bcan)(?<!\bcould)(?<!\bwill)(?<!\bwould)(?<!\bshould)(?<!\bmay)(?<!\bmight)(?<!\bmust)(?<!'m)(?<!'s)(?<!'re)"
    r"(?<!\bif)(?<!\bor)(?<!\bwhy)(?<!\breally)(?<!\bjust)(?<!\bstill)(?<!\balso)(?<!ly)(?<=\w)\s+(?=not\s+\w)",
    re.I,
)
"""Before a "not" that sets a thing against another and denies no verb: "in Tokyo not Osaka"."""
_OF_MINE = re.compile(
    r"\b(?:names?|nickname|birthday|age|home|house|flat|apartment|place|address|city|town|country|"
    r"hometown|job|work|title|"
    r"employer|company|office|position|role|profession|phone|number|e-?mail|mail|time ?zone|"
    r"language|languages|diet|hobby|"
    r"hobbies|goal|plan|dream|weakness|height|weight|size|blood type|pronouns|editor|laptop|"
    r"computer|machine|keyboard|phone|"
    r"setup|stack|commute|morning|week|family name|surname|nationality|preference|taste|drink|"
    r"food|meal|sport|instrument|"
    r"name|wohnung|haus|heimat|geburtstag|adresse|beruf|arbeit|nom|prénom|maison|adresse|travail|"
    r"anniversaire|nombre|casa|"
    r"cumpleaños|trabajo|dirección)\b",
    re.I,
)
"""What somebody has of their own life: it speaks of them."""
_KIN = (
    r"(?:mothers?|fathers?|mom|mum|dad|brothers?|sisters?|wife|wifes|husband|hubby|partner|girlfriend|boyfriend|gf|bf|"
    r"ex|"
    r"sons?|daughters?|kids?|child|children|friends?|boss|manager|neighbou?rs?|landlord|aunt|uncle|cousins?|parents|"
    r"grand\w+|"
    r"gran|colleagues?|roommate|flatmate|roomie|budd(?:y|ies)|dogs?|cats?)"
)
_RELATIVE = re.compile(rf"\b(?<!with )(?:my|our)\s+(?:\w+\s)?(?P<who>{_KIN})\b", re.I)
_OF_KIN = re.compile(rf"\b{_KIN}\b", re.I)
_LIKED = re.compile(r"\b(?:favou?rite|preferred|lieblings\w*)\b", re.I)
_NOT_MINE = re.compile(
    r"\b(?:dream|ideal|old|former|ex|last|previous|first|next|other|second|future|late|worst)\b", re.I
)
"""What makes another thing of it: "my dream job"."""
_GONE = re.compile(r"\b(?:moved|left|sold|quit|stopp?\w*|cancel\w*|wrong|over)\b", re.I)
_LIMITS = re.compile(
    r"\b(?:at most|at least|up to|max\w*|only|fewer|less|more than|under|below|limit\w*|stop\w*|skip\w*|"
    r"leave out|omit\w*|"
    r"instead|rather)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that states something."""

    text: str
    who: str
    """Its subject: `me`, `you`, a pronoun, or the words for it; empty when it names none."""


def clauses_of(text: str) -> list[Clause]:
    """The clauses of a text, in order."""
    out: list[Clause] = []
    at, comma, text = 0, False, plain(text)
    ends = (m for m in _SPLIT.finditer(text) if full_stop(text, m.start()))
    for start, stop, sign in [*((m.start(), m.end(), m[0].strip()) for m in ends), (len(text), 0, "")]:
        for part in _CONTRAST.split(text[at:start]):
            piece = part.strip(" \"'()[]*_")
            if comma and out and out[-1].who and _ADJUNCT.match(piece):
                out[-1] = Clause(f"{out[-1].text}, {piece}", out[-1].who)
            elif piece:
                out.append(Clause(piece, subject(piece)))
        at, comma = stop, sign == ","
    return out


def points_back(clause: Clause) -> bool:
    """Whether a clause speaks of somebody or something named before it: "he is four"."""
    return clause.who in {"he", "she", "they", "it"}


def corrects(claim: str, old: str, sentence: str) -> bool:
    """Whether a claim is the old fact with one thing put in the place of another, and just that is said: "no, it's
    Kyoto, not Tokyo"."""
    new, gone = content(claim), content(old)
    there = [w for w in new if w not in gone]
    away = [w for w in gone if w not in new]
    said = clauses_of(sentence)
    return bool(there and away) and any(
        _IT_IS.match(LEAD.sub("", a.text))
        and re.match(r"not\b", b.text, re.I)
        and content(_IT_IS.sub("", LEAD.sub("", a.text))) == tuple(there)
        and content(b.text) == tuple(away)
        for a, b in pairwise(said)
    )


def against(claim: Sequence[str], kind: str, sentence: str, quote: str) -> str:
    """Why a quote does not carry a claim, empty when it may. `claim`: its one line and its details."""
    near = clauses_of(quote)
    for text in claim:
        for piece in pieces(text):
            if why := _against(piece, kind, sentence, near):
                return why
    return ""


def _against(piece: str, kind: str, sentence: str, near: Sequence[Clause]) -> str:
    wanted = content(piece)
    best = most_of(wanted, [c for c in near if LEAD.sub("", f"{c.text} ")] or near)
    if not best:
        return ""
    about_user = kind in {"user", "preference"}
    if (about_user or kind == "contact") and belonging.of_another(piece, sentence):
        return SOMEBODY_ELSE
    foreign = [
        c
        for c in best
        if _foreign(c, piece, kind, about_user=about_user)
        or (about_user and _owned(c, piece))
        or belonging.of_other_kin(piece, c.text)
        or belonging.turned_on(piece, c.text, c.who)
    ]
    if len(foreign) == len(best):
        return SOMEBODY_ELSE
    best = [c for c in best if c not in foreign]
    if _apart(wanted, best, near):
        return APART
    ways = kind in {"feedback", "self"}
    if word := left_out(piece, kind, [c.text for c in best]):
        return LEFT_OUT.format(word)
    if turned_round(piece, sentence):
        return TURNED
    if word := belonging.not_there(piece, sentence):
        return LEFT_OUT.format(word)
    if word := belonging.oftener(piece, sentence):
        return UNSAID.format(word)
    if exchanged(piece, sentence, of_user=about_user):
        return TURNED
    if belonging.contrasted(piece, sentence):
        return APART
    if put_together(piece, [c.text for c in near]):
        return APART
    if not ways and all(bygone.was_done(c.text, piece) for c in best):
        return WAS
    if not ways:
        if all(
            bygone.was(c.text, LEAD.sub("", c.text), piece, wanted) or _of_the_gone(c, piece, sentence) for c in best
        ):
            return WAS
        if not negative(piece) and (_denied(wanted, near) or all(opposes(c.text) for c in best)):
            return DENIED
        if (word := _unsaid(piece, best, sentence)) and about_user:
            return UNSAID.format(word)
    if ways:
        if not negative(piece) and not _LIMITS.search(piece) and _all_denied(wanted, near):
            return DENIED
        bearing = [c for c in near if held(wanted, content(c.text))] or best
        if kind == "feedback" and (word := _unsaid(piece, bearing, sentence)):
            return UNSAID.format(word)
    return ""


def most_of(wanted: Iterable[str], clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses that hold most of the words, if any holds one."""
    wanted = list(wanted)
    counts = [len(held(wanted, content(c.text))) for c in clauses]
    most = max(counts, default=0)
    return [c for c, n in zip(clauses, counts, strict=True) if n == most] if most else list(clauses)


def predicate(clause: Clause, *, about_user: bool) -> str:
    """The clause without its opening words, and without a subject of the person's own life."""
    text = LEAD.sub("", clause.text)
    if order := ORDER.match(text):
        text = re.sub(r"^[\s,:]*(?:(?:that|dass|que|che|s'il te plaît|bitte)\b\s*)?", "", text[order.end() :])
    if IT_IS_NOW.match(text):
        return ""
    own = OWN.match(text) if about_user else None
    mine = own is not None and own["whose"].casefold() in {"my", "our"} and _NOT_MINE.search(own["who"]) is None
    if own and mine and (_OF_MINE.search(own["who"]) or _LIKED.search(own["who"])):
        return text[own.end("who") :]
    return text


def of_kin(text: str) -> bool:
    """Whether a text names somebody of the person's family or friends, or a pet."""
    return _OF_KIN.search(text) is not None


def _foreign(clause: Clause, piece: str, kind: str, *, about_user: bool) -> bool:
    """Whether a clause speaks of somebody or something that the claim does not name."""
    who = clause.who
    relative = _RELATIVE.search(clause.text) if about_user and who != "me" else None
    if relative and not held(_words(relative["who"]), content(piece)):
        return True
    if not who or who == "me":
        return False
    if who == "you":
        return about_user
    if who in {"here", "there", "this", "that", "these", "those", "who", "which"}:
        return about_user and not ME.search(clause.text) and not re.search(r"\b(?:my|our)\b", clause.text, re.I)
    if who in {"he", "she", "they", "it"}:
        return (about_user or kind == "feedback") and not _MINE.search(clause.text)
    whose, _, noun = who.partition(" ")
    own = whose in {"my", "our"}
    words = content(noun if noun and whose.islower() else who)
    named = held(words, content(piece)) if words else [who]
    if not named and CJK.match(noun) and piece.startswith(noun):
        named = [noun]
    if own and about_user and not named and belonging.of_a_thing(piece, noun):
        return True
    if own:
        return about_user and not named and not _OF_MINE.search(noun) and not _LIKED.search(noun)
    return (about_user or kind == "feedback") and not named


def _owned(clause: Clause, piece: str) -> bool:
    """Whether a claim makes the person's what a clause about something only speaks of: "That boat is Tom's"."""
    if not belonging.owns(piece):
        return False
    return clause.who in {"there", "here"} or (clause.who not in {"", "me"} and _MINE.search(clause.text) is None)


def speaks_of_another(clause: Clause, text: str, kind: str) -> bool:
    """Whether a clause speaks of somebody whom the text does not name."""
    return _foreign(clause, text, kind, about_user=kind in {"user", "preference"})


def related(text: str, clause: Clause) -> bool:
    """Whether a clause says of something what the text says of it, as far as that can be told."""
    return not _unsaid(text, [clause], clause.text) or _GONE.search(clause.text) is not None


def _words(text: str) -> tuple[str, ...]:
    return content(text) or (text.casefold(),)


def _apart(wanted: Iterable[str], best: Sequence[Clause], near: Sequence[Clause]) -> bool:
    """Whether words of the claim stand only in a clause about another than the one that holds most of it."""
    wanted = list(wanted)
    main = best[0]
    there = set(held(wanted, content(main.text)))
    for other in near:
        more = set(held(wanted, content(other.text))) - there
        if not more or other is main or not other.who or not main.who:
            continue
        same = any(w.partition(" ")[0] in _BACK for w in (other.who, main.who))
        if other.who != main.who and not same and not held(content(other.who), content(main.who)):
            return True
    return False


def _of_the_gone(clause: Clause, piece: str, sentence: str) -> bool:
    """Whether a clause only says more of what is gone: "I sold my car, a red Skoda"."""
    if bygone.parted(piece) or clause.who == "me":
        return False
    if bygone.parted(clause.text) and bygone.keeps(piece):
        return True
    said = [c.text for c in clauses_of(sentence)]
    beside = (f"{a} {b}" for a, b in pairwise(said) if clause.text in (a, b))
    return bygone.only_names(clause.text) and any(map(bygone.parted, beside))


def _unsaid(piece: str, best: Sequence[Clause], sentence: str) -> str:
    """The word of the claim that tells how it stands to its object, when nothing like it was said."""
    if len(sentence.split()) <= 4 and not any(c.who == "me" for c in best):
        return ""  # an answer of few words leaves it out
    return unsaid(piece, [c.text for c in best])


def _denied(wanted: Iterable[str], near: Sequence[Clause]) -> bool:
    """Whether a word of the claim stands only in clauses that deny."""
    for word in wanted:
        bearing = [c for c in near if held([word], content(c.text))]
        if bearing and all(opposes(c.text) for c in bearing):
            return True
    return False


def _all_denied(wanted: Iterable[str], near: Sequence[Clause]) -> bool:
    """Whether all that the claim has of the person's words stands in clauses that deny."""
    wanted = list(wanted)
    bearing = [c for c in near if held(wanted, content(c.text))]
    return bool(bearing) and all(opposes(c.text) for c in bearing)
