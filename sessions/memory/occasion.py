"""Whether words are meant for this occasion alone: this file, this mail, today, just this once.

Such a wish is carried out and changes nothing that stands: no rule of how things are done, and no preference, goes or
gets another text by it, and none is made of it. What cannot be told for sure waits for the person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from sessions.memory.clauses import Clause, clauses_of, most_of
from sessions.memory.fact import Fact
from sessions.memory.said import Saying
from sessions.memory.wording import content, denies, fold, held, plain

ONCE = "it was said for this occasion, and the fact would stand for all of them"
_STANDING = frozenset({"preference", "feedback", "self"})
_WAYS = frozenset({"feedback", "self"})
"""Of these kinds are the rules of how the agent works."""
_I = re.I
FROM_NOW_ON = re.compile(
    r"\b(?:from (?:now|today|this (?:day|moment)|here)(?: on\w*)?|(?:as of|starting) (?:now|today|this \w+)|"
    r"(?:now|today) and (?:always|forever|in (?:the )?future)|these days|this (?:year|month|spring|summer|autumn|fall|"
    r"winter|semester)|(?:ab|von) (?:jetzt|heute|sofort)(?: an| ab)?|à partir (?:de maintenant|d'aujourd'hui)|"
    r"dorénavant|désormais|(?:a partir de|desde) (?:ahora|hoy)(?: en adelante)?|d'ora in poi|da oggi in poi|"
    r"(?:a partir de|de) (?:agora|hoje)(?: em diante)?|vanaf (?:nu|vandaag)|dieses jahr|diesen monat|cette année|"
    r"ce mois(?:-ci)?|este (?:año|mes))\b|(?:今日|今)から|これから|今後|今年|今月|从(?:现在|今天)(?:起|开始)|以后|"
    r"今年|这个月|"
    r"(?:с|отныне) (?:сегодняшнего|этого) (?:дня|момента)|с этого момента|впредь|отныне|(?:지금|오늘|이제)부터|앞으로",
    _I,
)
"""What begins now and lasts."""
_TIME = (
    r"(?:this (?:once|one|time|morning|afternoon|evening|week|weekend)|(?:for|only|just) once|today|tonight|for now|"
    r"for the (?:moment|time being)|at the moment|diesmal|dies(?:es)? (?:eine )?mal|ausnahmsweise|fürs erste|vorerst|"
    r"heute|cette fois(?:-ci)?|pour une fois|pour (?:l'instant|le moment)|aujourd'hui|ce soir|esta (?:vez|noche)|"
    r"(?:por|de) (?:el momento|ahora)|hoy|questa volta|per ora|oggi|desta vez|por enquanto|hoje|deze keer|voorlopig|"
    r"vandaag|в этот раз|на этот раз|сегодня|пока)"
)
_TIMES = re.compile(
    rf"\b{_TIME}\b|今回|今日|今夜|今だけ|この度|とりあえず|(?:这|這)(?:次|一次|回)|今天|今晚|暂时|이번|오늘", _I
)
_NOUN = r"\s+(?!is\b|was\b|are\b|were\b|means?\b|one\b|fact\b|rule\b|memory\b|preference\b|note\b|thing\b)\w+"
_THING = (
    r"(?:files?|folders?|mails?|e-?mails?|messages?|branch|release|invoice|document|draft|task|project|repo|report|"
    r"letter|table|list|row|line|question|answer|text|order|payment|meeting|event|ticket|build|test|one)"
)
_THESE = re.compile(
    rf"\b(?:this|these){_NOUN}|\b(?:that|those) {_THING}\b|\bthe (?:following|above|attached|rest of)\b|"
    r"\b(?:dies(?:e[rsmn]?|er)|jene[rsmn]?|cet(?:te)?|ces|est[aeo]s?|es[ae]s?|quest[aeio]|quell[aeo]|dess[ae]s?|"
    r"nest[ae]|deze|эт(?:о[йтм]?|ого|у|их?|а))\s+\w+|\bce\s+(?!que\b|qui\b|sont\b|n'|mois\b)\w+|"
    r"(?:この|その)[^\W\d_]|(?:这|這)(?:些|个|個|份|封|张|張|条|條|篇|本)|\b이 \w+",
    _I,
)
_NOW = re.compile(
    r"\b(?:(?:right |just )?now|here|jetzt|gerade|hier|maintenant|ici|ahora|aquí|adesso|qui|agora|aqui|nu|сейчас|"
    r"здесь)\b|現在|今すぐ|ここ|现在|這裡|这里|지금|여기",
    _I,
)
_ORDERING = re.compile(
    r"\b(?:please|pls|bitte|s'il (?:te|vous) plaît|por favor|per favore|alstublieft|пожалуйста|go ahead|"
    r"you (?:may|can|could|should|must|need|don't|do not|needn't)|no need|du (?:darfst|kannst|sollst|musst)|"
    r"tu (?:peux|dois|puedes|debes)|vous pouvez|puedes|puoi|podes|можешь)\b|ください|してい?い|てもいい|请|可以",
    _I,
)
_ACT = re.compile(
    r"(?:^|(?:please|pls|and|then|can you|could you|will you|you (?:may|can|should))\s+)(?:forward|send|e-?mail|"
    r"mail|"
    r"delete|remove|erase|pay|transfer|share|post|publish|upload|book|buy|order|cancel|merge|deploy|push|grant|give|"
    r"invite|approve|sign|wire|refund|ship|call|text|print|accept|allow|trust|install|open|close|restart|reset|"
    r"block)\s+(?:the|this|that|these|those|it|them|him|her|my|our|his|"
    r"their|an?|\d+|two|both)\b(?! \w+ly\b)|"
    r"^(?:bitte )?(?:schick\w*|send\w*|leite\w*|lösch\w*|zahl\w*|überweis\w*|buch\w*|bestell\w*|teil\w*)\s+(?:de[rmns]|"
    r"die|das|es|sie|ihn|mein\w*|unser\w*|ein\w*|dies\w*)\b|"
    r"^(?:envoie\w*|transf[èé]re\w*|supprime\w*|paie\w*|réserve\w*|achète\w*|partage\w*)(?:-l[ae]s?\b|\s+(?:l[ae]s?|"
    r"mon|"
    r"ma|mes|une?|ce\w*)\b|\s+l')|^(?:envía|manda|reenvía|borra|elimina|paga|reserva|compra|comparte)(?:l[oa]s?\b|\s+"
    r"(?:el|l[oa]s?|mis?|una?|est\w+)\b)|^(?:отправь|перешли|удали|оплати|закажи)\b|(?:送|転送し|削除し|消し|払っ|"
    r"支払っ|"
    r"予約し|注文し)て|(?:发送|转发|轉發|删除|支付|预订)",
    _I,
)
"""An order to do something once: what it is done with is one thing, or those that lie there."""
_EVER = re.compile(
    r"\b(?:always|never|every|each|any|all|whenever|when(?:ever)?|once|if|before|after|unless|without|only|daily|"
    r"weekly|monthly|\w+days|from now on|in (?:the )?future|by default|as a rule|generally|don't|do not|not|no|stop|"
    r"immer|nie|niemals|jede\w*|alle\w*|wenn|bevor|künftig|nicht|kein\w*|toujours|jamais|chaque|tou[st]\w*|quand|avant|"
    r"pas|siempre|nunca|cada|tod[oa]s|cuando|antes|no|sempre|mai|ogni|всегда|никогда|кажд\w+|все|не)\b|いつも|常に|"
    r"必ず|"
    r"毎|全て|すべて|ないで|总是|每|永远|不要|别|所有",
    _I,
)
_POLITE = re.compile(
    r"^(?:(?:please|pls|ok|okay|now|then|so|and|just|also|bitte|(?:can|could|will) you|you (?:may|can|should)|"
    r"go ahead and|"
    r"i (?:need|want|would like) you to)\b[\s,]*)+",
    _I,
)
_FOR_THE = re.compile(
    r"\b(?:for|in|on|with|für|bei|auf|pour|dans|para|en)\s+(?:the|that|my|our|de[rmn]|die|das|les?|la|el|los|"
    r"las)\s+(\w+)",
    _I,
)
"""For what a denial holds: everywhere else the fact stands."""
_LASTING = re.compile(
    r"\b(?:always|never|every|each|whenever|from now on|in (?:the )?future|any ?more|generally|as a rule|by default|"
    r"immer|nie|künftig|mehr|toujours|jamais|désormais|siempre|nunca|sempre|mai|всегда|никогда|больше)\b|いつも|今後|"
    r"总是|以后",
    _I,
)
_EACH = re.compile(r"\b(?:always|every|each|any|all|whenever)\b", _I)
_ONE = re.compile(r"\b(?:the|an?|one|my|our|this|that|on|next|la|le|el|un|une|una|mon|ma|mi) (\w+)(?: (\w+))?")
_ANSWERS = frozenset(
    "answer reply response message summary explanation list comment heading example sentence date number unit name "
    "title line word table réponse respuesta".split()
)
"""What the agent writes: of one is said what is meant for all."""
_I_SAY = re.compile(
    r"(?:[今现現][在天日]?は?|теперь |сейчас |сегодня )?(?:[我私僕俺]|わたし|ぼく|저는|나는|제가|я\b)", _I
)
_NO_NEED = re.compile(
    r"\b\w+n't\b|\b(?:never|need\w*|bother\w*|mind|worry|necessary|required?|any ?more|(?:any|no) longer|again|ever|"
    r"thanks|okay|ok)\b",
    _I,
)
_CHANGED = re.compile(
    r"\b(?:mov(?:ed|ing)|switch\w*|chang\w*|quit|start\w*|stopp\w*|gave up|left|join\w*|sold|became|turned|got|bought|"
    r"married|divorced|signed|(?:not?|n't|no longer)\b.*\b(?:any ?more|longer)|um(?:ge)?zogen|gezogen|gewechselt|"
    r"geworden|aufgehört|angefangen|gekündigt|déménagé|changé|commencé|arrêté|mud(?:é|ado)|cambi\w*|empe[cz]\w*|"
    r"dej[éo]|trasferit\w*|mudei|переехал\w*)\b|引っ?越|変え|始め|やめ|搬|换|开始|이사",
    _I,
)
"""What happened today and lasts."""
_ALONE = re.compile(rf"^\W*(?:(?:but|and|just|only|nur|seulement|solo|sólo|for|für|pour|por)\s+)*{_TIME}\W*$", _I)
_SETS = re.compile(
    r"^(?:for|in|on|with|as for|about|just|only|but only|für|bei|in|nur|pour|dans|seulement|para|en|solo|per|при|"
    r"для)\b",
    _I,
)
"""Before a clause that is no statement of its own."""


def against(claim: str, kind: str, saying: Saying, changes: Sequence[Fact]) -> str:
    """Why words for one occasion do not carry a claim, empty when they do or are no such words.

    `changes`: the facts that will be others by it.
    """
    near = clauses_of(saying.quote)
    best = most_of(content(claim), near)
    rule = kind in _WAYS or any(f.kind in _WAYS for f in changes)
    mine = any(c.who == "me" or _I_SAY.match(c.text) for c in best) or (not rule and goes_on(best, saying.sentence))
    stands = [f for f in changes if f.kind in _STANDING]
    if not mine and (rule or any(c.who in {"you", ""} for c in best)):
        return ONCE if _ordered_once(claim, kind, saying, best, [f for f in changes if f.kind != "open-thread"]) else ""
    if any(_act(c.text) for c in best) and not _EVER.search(saying.sentence):
        return ONCE
    thread = kind == "open-thread" and content(" ".join(claim.split()[:1])) != ()
    if mine and (rule or thread):
        mark = _mark(_bearing(best, saying.sentence), now=False)
        if mark and mark not in fold(claim) and not (thread and _TIMES.search(mark)):
            return ONCE
    return ONCE if stands and _lasts_not(saying, mine=mine) else ""


def goes_on(best: Sequence[Clause], sentence: str) -> bool:
    """Whether a clause without a subject goes on from one of the person: "I sold it and drive a Kia now"."""
    texts = {c.text for c in best if not c.who}
    return any(a.who == "me" and b.text in texts for a, b in pairwise(clauses_of(sentence)))


def _ordered_once(claim: str, kind: str, saying: Saying, best: Sequence[Clause], changed: Sequence[Fact]) -> bool:
    """Whether an order or a permission is for this occasion, or for one thing of which the claim makes many."""
    order = any(_same_verb(claim, c.text) for c in best)
    if kind == "open-thread" and not changed and not order:
        return False
    rule = kind in _WAYS or any(f.kind in _WAYS for f in changed)
    order = rule or order or _ORDERING.search(saying.sentence) is not None
    said = saying.sentence if changed else _bearing(best, saying.sentence)
    mark = _mark(said, now=order) or _follows(saying)
    # What somebody tells of today, and a claim has as a date, is no order.
    if mark and (changed or (mark not in fold(claim) and (order or not _TIMES.search(mark)))):
        return True
    if (order and _widened(claim, saying.sentence)) or any(_set_apart(c.text, claim) for c in best):
        return True
    if changed and any(_act(c.text) for c in clauses_of(saying.sentence)) and not _LASTING.search(saying.sentence):
        return True
    return any(_act(c.text) for c in best) and not _EVER.search(saying.sentence)


def _widened(claim: str, sentence: str) -> bool:
    """Whether a claim speaks of things where the words speak of one: scripts, Fridays."""
    said, wanted = _tokens(sentence), _tokens(claim)
    if _EACH.search(sentence):
        return False
    ones = {w for m in _ONE.finditer(fold(sentence)) for w in m.groups() if w} - _ANSWERS
    many = ({f"{w}s", f"{w}es", f"{w[:-1]}ies"} for w in ones)
    return any(forms & wanted and not forms & said for forms in many)


def _set_apart(clause: str, claim: str) -> bool:
    """Whether a clause begins with the place or the readers that it holds for, of which the claim says nothing."""
    m = _FOR_THE.match(clause)
    return m is not None and not held(content(m[0]), content(claim))


def _tokens(text: str) -> set[str]:
    return set(re.findall(r"\w+", fold(text)))


def _act(clause: str) -> bool:
    """Whether a clause orders something to be done once with something."""
    return _ACT.search(_POLITE.sub("", clause)) is not None


def _same_verb(claim: str, clause: str) -> bool:
    """Whether a claim begins with the word with which an order begins, or tells what is to be done."""
    return bool(held(content(" ".join(claim.split()[:1])), content(" ".join(_POLITE.sub("", clause).split()[:1]))))


def for_forget(fact: Fact, saying: Saying) -> str:
    """Why words for one occasion do not end a fact that stands, empty when they do or are no such words."""
    if fact.kind == "open-thread":
        return ""
    clauses = clauses_of(saying.sentence)
    mine = any(c.who == "me" or _I_SAY.match(c.text) for c in clauses)
    rule = fact.kind in _WAYS
    if not mine and (rule or any(c.who in {"you", ""} for c in clauses)):
        words = content(f"{fact.summary} {fact.body}")
        for_one = denies(saying.sentence) and any(
            not held(content(m[1]), words) for m in _FOR_THE.finditer(saying.sentence)
        )
        for_one = for_one or (rule and any(_denies_some(c.text, words) for c in clauses))
        return ONCE if for_one or _mark(saying.sentence, now=rule) or _follows(saying) else ""
    return ONCE if fact.kind in _STANDING and _lasts_not(saying, mine=mine) else ""


def _denies_some(clause: str, rule: Sequence[str]) -> bool:
    """Whether a denial of a rule names more than the rule does: "no need to ask before sending the money to Bob"."""
    said = content(_NO_NEED.sub(" ", clause))
    return denies(clause) and bool(held(said, rule)) and len(held(said, rule)) < len(said)


def _lasts_not(saying: Saying, *, mine: bool) -> bool:
    """Whether a statement tells of today or of one thing."""
    text = FROM_NOW_ON.sub(" ", plain(saying.sentence))
    these = _THESE.search(_TIMES.sub(" ", text))
    if these and (mine or these.start()):
        return True
    return _CHANGED.search(text) is None and (_TIMES.search(text) is not None or bool(_follows(saying)))


def _mark(text: str, *, now: bool) -> str:
    """The words that hold a wish to this occasion; empty without any."""
    text = FROM_NOW_ON.sub(" ", plain(text))
    found = _TIMES.search(text) or _THESE.search(text) or (_NOW.search(text) if now else None)
    return fold(found[0]) if found else ""


def _follows(saying: Saying) -> str:
    """What is said after the sentence and holds it to this occasion: "Just this once."."""
    pieces = re.split(r"[.!?。！？\n]+", plain(saying.after))
    return next((fold(p) for p in pieces[:2] if _ALONE.match(p)), "")


def _bearing(best: Sequence[Clause], sentence: str) -> str:
    """The clauses that hold a claim, and those that set it in a place or a time."""
    texts = {c.text for c in best}
    said = (c.text for c in clauses_of(sentence))
    return ", ".join(t for t in said if t in texts or _SETS.match(t) or _ALONE.match(t))
