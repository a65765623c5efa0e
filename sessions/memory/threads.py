"""Whether a claim is an open matter: what the person waits for, owes or must do, and words that tell of one.

"Pay the rent" says nothing of the person and is said of them all the same: "I have to pay the rent". So claim and words
are read without what only tells that the matter is open, and must then say the same as those of any other fact.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from sessions.dates import find_due
from sessions.memory import endings
from sessions.memory.clauses import SOMEBODY_ELSE, Clause, clauses_of, most_of
from sessions.memory.days import days_said
from sessions.memory.fact import Draft, Fact
from sessions.memory.orders import is_manner, to_somebody
from sessions.memory.rules import Kind
from sessions.memory.said import Saying
from sessions.memory.subjects import subject
from sessions.memory.ways import is_cjk, is_state, orders_cjk
from sessions.memory.wording import content, denies, plain

THREAD = "open-thread"
NOT_OPEN = "it is kept as an open matter, and the user's words tell of none: nothing they wait for, owe or must do"
NO_THREAD = "#{} is no open matter, and an open matter takes the place of none but another one"
STILL_OPEN = "#{} is an open matter, and the user's words do not say that it is settled"
_I = re.I
_DO = (
    r"(?:(?:will|shall) (?:still )?(?:have|need) to|(?:(?:have |has )?got|have|has|need|needs|ought|want|wants|plans?|"
    r"intends?|means?|agreed|promised|remember|forgot|supposed|going|about|due|would like|'d like) to|"
    r"needs? (?:a|an) (?=new\b)|must|should|shall|will|(?<=\bi)'ll|(?<=\bwe)'ll|gotta|"
    r"(?:please )?(?:remind|help) me (?:to|of|about|that)|(?:don't|do not) let me forget (?:to|about)?|"
    r"(?:don't|do not|not|never) (?:to )?forget (?:to|about)|(?:mustn't|must not|can't) forget (?:to)?|"
    r"to-?do:?|still (?=to\b)|left to do:?|"
    r"(?:muss|müssen|soll|sollte|sollen|will|wollte|werde|möchte)|(?:darf|nicht vergessen)(?: nicht vergessen)?,?|"
    r"erinner\w* mich (?:daran|an),?|denk(?:e)? (?:bitte )?daran,?|"
    r"(?:je )?(?:dois|devons|doit|vais|veux|voudrais)|il faut(?: que je)?|rappelle-moi (?:de|d')|"
    r"(?:tengo|tiene|tenemos|hay) que|debo|debe|deber?ía|voy a|quiero|recuérdame|"
    r"devo|deve|dobbiamo|vorrei|ricordami di|(?:мне )?(?:надо|нужно|должен|должна)|напомни(?: мне)?)"
)
_MUST = re.compile(
    rf"(?:\b|(?='))(?:'ve |'s |still |really |just |also |noch |encore |todavía |aún |ancora )*{_DO}(?!\w)", _I
)
_MUST_CJK = re.compile(
    r"(?:し)?な(?:ければ|くては|いと|きゃ)(?:なら|いけ|だめ)?(?:ない|ません|なりません)?|(?:する|る)?(?:必要が(?:ある|あります)|"
    r"つもり(?:だ|です)?|予定(?:だ|です)?)|べき(?:だ|です)?|(?<=[我们們])(?:还|還)?(?:要|得|必须|必須|需要|应该|應該|打算)|"
    r"^(?:要|得|必须|必須|需要|应该|應該|打算)|记得|記得|해야 (?:한다|해요|합니다)"
)
_FOR_ME = re.compile(
    r"^.*?\b(?:wants?|needs?|expects?|would like|is waiting for|are waiting for) (?:me|us) to\b|"
    r"^.*?\b(?:it's|it is) (?:my|our) (?:turn|job) to\b",
    _I,
)
"""What somebody wants of the person is theirs to do."""
_APPOINTED = re.compile(
    r"\b(?:(?P<en>i(?:'ve| have)?(?: got)? an? )|ich habe eine?n? )(?=\w+ ?(?:appointment|meeting|interview|exam|"
    r"flight|call|date|deadline|viewing|checkup|termin)?\b.*(?:\d|day\b))",
    _I,
)
"""An appointment that they have is one of theirs."""
_COMES = re.compile(r"\b(?:promised|owes?|needs?|wants?|has to|have to)(?: (?:me|us))?\b", _I)
"""What is awaited is what they want of somebody, or were promised."""
_AWAITED = re.compile(r"\b(?:is|are|am)?(?:\s+still)? wait(?:s|ing)? (?:for|on) (?=(?:me|my|us|our)\b)", _I)
_NOT_YET = re.compile(
    r"\b(?:haven't|hasn't|have not|has not|didn't|did not|isn't|aren't|is not|are not|not|never) (?=.*\byet\b)|"
    r"\bstill (?:haven't|hasn't|have not|has not|didn't|isn't|is not|don't|doesn't)\b|\bnoch nicht\b|\bnoch kein\w*\b|"
    r"(?:n'ai|n'a|n') ?(?=.*\bpas encore\b)|\bpas encore\b|\b(?:todavía|aún) no\b|\bnon (?:ho |ha )?ancora\b|"
    r"まだ|(?:还|還)[没沒]有?|ещё не|아직",
    _I,
)
_HAVE_NOT = re.compile(r"\b(?:habe?n?|hat|ist|sind) (?=.*\bnoch (?:nicht|kein))", _I)
_YET = re.compile(r"\byet\b|\bpas encore\b|\bencore\b", _I)
_ANY_DAY = date(2000, 1, 1)
_NOT_YET_JA = re.compile(r"(?:て|で)(?:い)?(?:ない|ません)")
_OPEN = re.compile(
    r"\b(?:wait\w*|await\w*|expect\w*|ow(?:e|es|ed|ing)|promis\w*|pending|due|overdue|deadline|undecided|unanswered|"
    r"unpaid|outstanding|open|to-?do|follow(?:ing)?[- ]up|hear(?:ing)? back|g[eo]t(?:ting)? back to|needs? \w+|yet|"
    r"remind\w*|looking for|planning|decid\w+ (?:on|between|whether|about)|still (?:to|no|open|missing|waiting)|tbd|"
    r"warte\w*|schulde\w*|versprochen|verspr\w+|erwarte\w*|fällig|offen|aussteh\w*|frist|noch kein\w*|noch nicht|"
    r"attend\w*|doi[ts]|promis|dû|due|échéance|en attente|pas encore|"
    r"esper\w*|deb[eo]\w*|prometi\w*|pendiente|vence|todavía|aspett\w*|devo|deve|attes\w*|scadenza|"
    r"жд\w+|долж\w+|обеща\w+)\b|待|借り|返事|約束|まだ|締め?切|期限|等|欠|答应|答應|还没|還沒|未|기다|빚",
    _I,
)
"""What tells that a matter is open."""
_TOLD = (_OPEN, _MUST, _MUST_CJK, _FOR_ME, _NOT_YET)
_WAITS = re.compile(r"^(?:the )?(?:user )?(?:is |still )*(?:wait|await|expect)", _I)
_WAITING = re.compile(r"\bwait|待|等", _I)
_NO_ORDER = re.compile(r"^(?:\w+ing|\w+[^su\W]s)\b", _I)
"""An order begins with neither "pushing" nor "uses"."""
_UNTIL = (
    r"(?:\b(?:by|on|until|till|before|bis(?: zum)?|am|vor(?: dem)?|avant(?: le)?|d'ici(?: le)?|le|para el|el|entro il|"
    r"do|до|к)\s+)?"
)
_WHEN = re.compile(
    r"\b(?:soon(?:er or later)?|asap|at some point|one of these days|(?:as soon|early) as possible|some ?time|later|"
    r"bald|demnächst|bientôt|pronto|(?:bis|vor|am|ab|avant|d'ici|antes del?|para el|el|entro|до|к) (?:\d[\d./-]*|"
    r"(?:nächste\w* )?(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|woche|monat|"
    r"lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lunedì|martedì|giovedì|venerdì)))(?!\w)|"
    r"(?:今日|明日|明後日|来週|来月|来年|今週|今月|[月火水木金土日]曜日?|\d+月\d+日|\d+日)(?:中)?(?:まで)?(?:に)?(?=[^\s])|"
    r"(?:今天|明天|后天|下周.?|下个月|这周.?|本周.?|周[一二三四五六日]|\d+月\d+[日号])(?:之?前)?",
    _I,
)
_MAY = re.compile(
    r"\b(?:(?<!\d )(?<!in )(?<!of )(?<!by )may(?! \d)|can|could|might|allowed|darfst|kannst|peux|puedes)\b", _I
)


def against(draft: Draft, saying: Saying, today: date) -> str:
    """Why a draft is no open matter, or the words tell of none; empty when both do. Other kinds pass."""
    if draft.kind != THREAD:
        return ""
    claim, sentence = plain(draft.summary), plain(saying.sentence)
    dated = draft.due is not None or any(day >= today for day in days_said(sentence, today))
    opens = any(rule.search(claim) for rule in (_OPEN, _MUST, _MUST_CJK))
    if not opens and not _to_be_done(claim, dated=dated):
        return NOT_OPEN
    told = any(rule.search(sentence) for rule in _TOLD)
    best = most_of(content(claim), clauses_of(saying.quote))
    if _WAITS.match(claim) and best and all(c.who not in {"", "me"} and _WAITING.search(c.text) for c in best):
        return SOMEBODY_ELSE
    dated = dated and not any(_of_acts(c, claim) for c in best)
    return "" if told or dated or any(_ordered(c) for c in best) else NOT_OPEN


def read(draft: Draft, saying: Saying) -> tuple[Draft, Saying]:
    """Claim and words of an open matter as those of a fact about the person, without what tells that it is open."""
    if draft.kind != THREAD:
        return draft, saying
    first = find_due(saying.sentence, _ANY_DAY)
    # Of two dates each belongs to something.
    undated = first is not None and find_due(saying.sentence.replace(first[1], " ", 1), _ANY_DAY) is None
    waits = _WAITS.match(plain(draft.summary)) is not None
    sentence, quote = (_bare(text, undated, waits) for text in (saying.sentence, saying.quote))
    said = replace(saying, sentence=sentence, quote=quote)
    best = most_of(content(draft.summary), clauses_of(saying.quote))
    told = any(rule.search(plain(saying.sentence)) for rule in _TOLD)
    kind: Kind = "feedback" if not told and any(_ordered(c) for c in best) else "user"
    return replace(
        draft, kind=kind, summary=_claim(draft.summary, undated), body=_claim(draft.body, undated), due=None
    ), said


def crosses(draft: Draft, old: Fact) -> bool:
    """Whether one of the two is an open matter and the other is none."""
    return (draft.kind == THREAD) != (old.kind == THREAD)


def against_crossing(draft: Draft, old: Fact, saying: Saying) -> str:
    """Why an open matter and a fact of another kind do not take each other's place, empty when they may.

    They may only where the person says that the matter is settled.
    """
    if not crosses(draft, old):
        return ""
    if draft.kind == THREAD:
        return NO_THREAD.format(old.number)
    return STILL_OPEN.format(old.number) if endings.says_so(old, saying) else ""


def _to_be_done(claim: str, *, dated: bool) -> bool:
    """Whether a line tells of something to be done, and not of what is so or of how things are done."""
    if denies(claim) or _MAY.search(claim):
        return False
    return dated or not (is_state(claim) or subject(claim))


def _of_acts(clause: Clause, claim: str) -> bool:
    """Whether a clause tells the agent how to work, or speaks of doing something: "deploying on Friday is fine"."""
    first, own = (plain(t).partition(" ")[0].casefold() for t in (clause.text, claim))
    return (not clause.who and is_manner(clause.text)) or (first.endswith("ing") and first != own)


def _ordered(clause: Clause) -> bool:
    """Whether a clause orders something that is still to be done, and not how the agent is to work."""
    text = plain(clause.text)
    if is_cjk(text):
        return orders_cjk(text) and not denies(text)
    if clause.who or denies(text) or is_state(text) or _NO_ORDER.match(text) or content(text) == ():
        return False
    return not is_manner(text) or to_somebody(text)


def _bare(text: str, undated: bool, waits: bool) -> str:
    """The words of the person without what tells that a matter is open; `waits`: the claim says that they wait."""
    text = _APPOINTED.sub(lambda m: "my " if m["en"] else "mein ", _FOR_ME.sub("I", plain(text)))
    if waits:
        text = _COMES.sub(" ", text)
    if _NOT_YET.search(text):
        text = _NOT_YET_JA.sub("", _HAVE_NOT.sub("", text))
        text = _YET.sub("", _NOT_YET.sub("still ", text))
    return _without(_AWAITED.sub(" ", text), undated)


def _claim(text: str, undated: bool) -> str:
    bare = _without(re.sub(r"^(?:the )?user(?:'s)?\s+", "", plain(text), flags=_I), undated)
    return bare[:1].upper() + bare[1:]


def _without(text: str, undated: bool) -> str:
    """A text without words for a duty and for when it is due: of that the date is asked for itself."""
    text = _MUST_CJK.sub("", _MUST.sub(" ", text))
    if found := find_due(text, _ANY_DAY) if undated else None:
        text = re.sub(rf"{_UNTIL}{re.escape(found[1])}", " ", text, count=1, flags=_I)
    return "\n".join(" ".join(line.split()) for line in _WHEN.sub(" ", text).split("\n")).strip()
