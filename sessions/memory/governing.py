"""Words that govern what is said: who leaves them out says something else.

"I stopped eating meat", "I know a nurse from Kyoto" and "ask me before sending mail" hold all words of "Eats meat",
"Is a nurse from Kyoto" and "Send mail". A claim that lacks the governing word of its words waits for the person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from sessions.memory.wording import content, fold, negative

_I = re.I
# What is said, and what the claim must then say too; None = the claim must say that something is not so.
_ALWAYS: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    (
        re.compile(
            r"\b(?:stopp?(?:ed|ing)?|quit|gave up|given up|giving up|hardly|barely|rarely|seldom|scarcely|far from|"
            r"anything but|no fan|sick of|tired of|fed up|scared|afraid|terrified|fear|allergic|intolerant|"
            r"kaum|selten|aufgehört|aufhör\w*|satt|angst|arrêté|arrête|rarement|à peine|peur|dej[éeo]|dejado|apenas|"
            r"rara vez|miedo|smesso|parei)\b",
            _I,
        ),
        None,
    ),
    (
        re.compile(
            r"\b(?:deny|denied|just testing|lie|lied|dream(?:t|ed|s)?|imagin\w*|pretend\w*|ignore|"
            r"disregard|argu\w+|doubt\w*|"
            r"by mistake|mistaken\w*|rumou?r\w*|joke|scratch that)\b|"
            r"\b(?:want|like|need|please|ask) (?:you )?to forget\b|"
            r"(?<!don't )(?<!never )(?<!not )\bforget (?:that |what )?i\b",
            _I,
        ),
        None,
    ),
    (
        re.compile(
            r"\b(?:whether|unless|in case|as soon as|if i|if we|if it|if this|falls|sofern|à moins|" r"a menos)\b", _I
        ),
        re.compile(r"\b(?:whether|unless|in case|as soon as|if|when|falls)\b", _I),
    ),
    (
        re.compile(
            r"\bonce (?:a|per|every|in a) (?:year|decade|lifetime|blue moon|while|century)\b|"
            r"\bevery (?:few|couple of|\w+) (?:years|months)\b|\beinmal im jahr\b|\bune fois par an\b",
            _I,
        ),
        re.compile(r"\b(?:once|year\w*|annual\w*|rare\w*|seldom|occasional\w*|months|decade|einmal|jahr\w*|an)\b", _I),
    ),
    (
        re.compile(
            r"\b(?:hope\w*|hoping|wish\w*|goal|plan\w*|want to|would love|dying for|dream of|aim\w*|hoffe|"
            r"möchte|espère|espero|quiero|quisiera)\b",
            _I,
        ),
        re.compile(
            r"\b(?:hope\w*|wish\w*|want\w*|goal|plan\w*|dream\w*|aim\w*|would|like\w*|love\w*|möchte|will|"
            r"hofft|espera|quiere|veut)\b",
            _I,
        ),
    ),
    (
        re.compile(
            r"\b(?:appl(?:ied|y|ying)|interview\w*|have to|had to|got to|must|could|supposed to|about to|going to|will|"
            r"next (?:week|month|year|spring|summer|autumn|fall|winter|\w+day)|this (?:week|weekend|month|"
            r"summer|winter)|"
            r"soon|one day|some ?day|moving to|for now|temporarily|training to|trying to|trial)\b|\b\w+'ll\b",
            _I,
        ),
        re.compile(
            r"\b(?:appl\w+|interview\w*|have to|has to|must|could|can|will|going|next|this|soon|mov(?:es|ing)|plan\w*|"
            r"want\w*|temporar\w*|train\w*|tr(?:y|ies|ying)|due|start\w*|flies|fly|\d{4}|would)\b",
            _I,
        ),
    ),
    (
        re.compile(
            r"\bi (?:\w+ )?(?:know|met|married|dated?|saw|hired|helped|bought|gave|told|asked|share|drove|"
            r"rent out|rented out|"
            r"look after|visit\w*|watched|read about|heard)\b(?= (?:someone|somebody|a |an |my |his |her |"
            r"their |out |about ))",
            _I,
        ),
        re.compile(
            r"\b(?:know|met|marri\w+|dat(?:es|ing)|saw|hire\w*|help\w*|bought|buy\w*|g(?:ave|ives)|told|"
            r"ask\w*|share\w*|dr[oi]ve\w*|rents? out|look\w* after|visit\w*|watch\w*|read\w*|hear\w*)\b",
            _I,
        ),
    ),
    (
        re.compile(r"^(?:please )?(?:tell|reply to|write to|inform|say to|answer) (?!me\b|us\b)\w+", _I),
        re.compile(r"^(?:tell|reply|write|inform|say|answer)\b", _I),
    ),
    (
        re.compile(r"\b(?:except|everyone but|all but|but (?:not )?me|besides)\b", _I),
        re.compile(r"\b(?:except|but|besides|without|not)\b", _I),
    ),
)
# Of how the agent is to work, a condition is half of the wish.
_OF_WAYS: tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...] = (
    (
        re.compile(
            r"\b(?:stop|drop|enough (?:with|of)|refrain|cut out|cease|quit|skip|leave out|avoid|lass|"
            r"arrête|deja de)\b",
            _I,
        ),
        None,
    ),
    (
        re.compile(
            r"\b(?:before|until|unless|only|if|once|ask|after i|(?<!it )when(?! you\b)|except|with my|approv\w+|"
            r"permission|bevor|nur|wenn|avant|seulement|si|antes|solo)\b",
            _I,
        ),
        re.compile(
            r"\b(?:before|until|unless|only|if|once|ask\w*|after|when|except|with|approv\w+|permission|"
            r"bevor|nur|wenn|avant|seulement|si|antes|solo|at most)\b",
            _I,
        ),
    ),
)
_BEGAN = re.compile(r"\b(?:moved|joined|started|became|married|bought|adopted|switched|quit)\b", _I)
_LATELY = re.compile(r"\bthis (?:week|weekend|month|summer|winter)\b", _I)
"""When that was which began and lasts."""
_NOT = re.compile(
    r"\b(?:quit|stopp?\w*|gave up|no more|former\w*|skip\w*|drop\w*|leave out|scared|afraid|"
    r"fears?|sick|tired|rare\w*|hardly|seldom|kaum|selten|angst|free)\b",
    _I,
)
_COMPARES = re.compile(
    r"\b(?:than|over|between|instead of|rather|before|after|reports? to|owes?|owe|from|more|older|younger|"
    r"lieber|statt|als|que|avant|après|antes)\b",
    _I,
)


_OWNER = re.compile(r"\b([^\W\d_a-zß-ÿ]\w+)'s\s+(?!an?\b|the\b|my\b|our\b|called\b|not\b)")


def left_out(piece: str, kind: str, clauses: Sequence[str]) -> str:
    """The governing word that stands in all of the clauses and that the claim leaves out; empty without any."""
    missing = ""
    for clause in clauses:
        missing = _left_out(piece, kind, clause)
        if not missing:
            return ""
    return missing


def _left_out(piece: str, kind: str, clause: str) -> str:
    if _BEGAN.search(clause):
        clause = _LATELY.sub(" ", clause)
    rules = (*_ALWAYS, *_OF_WAYS) if kind in {"feedback", "self"} else _ALWAYS
    for said, wanted in rules:
        m = said.search(clause)
        if m is None or fold(m[0]) in fold(piece):
            continue
        if wanted is None:
            if negative(piece) or _NOT.search(piece):
                continue
        elif wanted.search(piece):
            continue
        return m[0].strip()
    return ""


def turned_round(piece: str, sentence: str) -> bool:
    """Whether a claim has words of the sentence in another order where the order says which is which."""
    owners = {m[1] for m in _OWNER.finditer(sentence)}
    if owners and any(m[1] not in owners and m[1] in sentence for m in _OWNER.finditer(piece)):
        return True
    said = [*content(sentence)]
    numbers = [w for w in said if w[0].isdigit()]
    if len(numbers) < 2 and not _COMPARES.search(sentence):
        return False
    at = {w: i for i, w in enumerate(said)}
    places = [at[w] for w in content(piece) if w in at]
    if places != sorted(places):
        return True
    mine = set(content(piece))
    for a, b in pairwise(places):
        between = said[a + 1 : b]
        if said[a][0].isdigit() and any(w[0].isdigit() and w not in mine for w in between):
            return True
    return False


# What a claim says with words that tell little, and what must be said for it.
_RELATIONS = (
    (
        re.compile(
            r"\b(?:liv(?:es?|ing)|resid\w+|based in|home(?: ?town| city)?|wohn\w*|lebt|habite|vit|vive|abita|"
            r"mora)\b|住んで|住在",
            re.I,
        ),
        re.compile(
            r"\b(?:liv(?:e|es|ing)|resid\w+|based|home\w*|mov(?:e|ed|ing)|relocat\w+|settl\w+|stay\w*|rent\w*|"
            r"flat|apartment|"
            r"house|from|address|city|town|now|back in|located|wohn\w*|leb\w*|zieh\w*|zog\w*|umgezogen|gezogen|zuhause|"
            r"daheim|habit\w*|viv\w*|vi[st]|déménag\w*|install\w*|mud\w*|mor[ao]\w*|abit\w*|trasferit\w*|woon\w*|"
            r"bor|mieszka\w*)\b|住|引っ?越|移り|暮ら|搬|살|이사",
            re.I,
        ),
    ),
    (
        re.compile(r"\b(?:wants?|wishes|möchte|will haben|quiere|veut)\b", re.I),
        re.compile(
            r"\b(?:want\w*|wish\w*|like|need\w*|would|hop(?:e|ing)|plan\w*|please|lov\w+|aim|looking|prefer\w*|"
            r"möchte|will|"
            r"wünsch\w*|quier\w*|quisiera|veux|voudrais|vorrei|quero|dream\w*|goal|saving|should|must|can you|"
            r"could you)\b|"
            r"欲し|たい|想|원",
            re.I,
        ),
    ),
    (
        re.compile(r"\bworks? (?:at|for|as|in)\b|\bjob\b", re.I),
        re.compile(
            r"\b(?:work\w*|jobs?|employ\w*|at|company|team|office|career|profession|freelanc\w*|run|teach\w*|"
            r"hired|joined|"
            r"start\w*|an?|am|i'm an?|i am|i'm|arbeit\w*|bin|travaill\w*|suis|trabaj\w*|soy)\b|働|勤|工作|上班|"
            r"일하|다니",
            re.I,
        ),
    ),
    (
        re.compile(r"^(?:answer|reply|respond)\b", re.I),
        re.compile(
            r"\b(?:answer\w*|repl\w+|respon\w+|writ\w+|speak\w*|talk\w*|language|please|be|keep|use|tell|say|"
            r"give|explain|"
            r"short|brief|concise|antwort\w*|schreib\w*|répon\w*|respond\w*)\b|答|返事|回答",
            re.I,
        ),
    ),
)


def unsaid(piece: str, clauses: Sequence[str]) -> str:
    """The word of a claim that tells how it stands to its object, when no clause says anything like it."""
    for claimed, said in _RELATIONS:
        m = claimed.search(piece)
        if m and not any(said.search(c) for c in clauses):
            return m[0]
    return ""
