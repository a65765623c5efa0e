"""Whether a person's words say that something is to be forgotten, or is over."""

from __future__ import annotations

import re

from sessions.memory import said
from sessions.memory.clauses import clauses_of, related, speaks_of_another
from sessions.memory.fact import Fact
from sessions.memory.said import Saying
from sessions.memory.wording import content, held, plain

NOT_SAID = "the user's words do not say that it is over or to be forgotten"
_KEEP = re.compile(
    r"\b(?:don't|do not|didn't|did not|doesn't|never|not|won't|will not|can't|cannot|shouldn't|mustn't)\s+(?:\w+\s+)?"
    r"(?:forget|forgot|delete|remove|erase|drop|discard|clear)\w*\b|\bvergiss (?:bitte )?nicht\b|"
    r"\bn'oublie (?:pas|jamais)\b|"
    r"\bno (?:lo )?olvides\b|\bnon dimenticare\b|忘れないで|忘れず|别忘|別忘|不要忘|잊지",
    re.I,
)
_ORDER = re.compile(
    r"\b(?:forget|delete|remove|erase|drop|discard|scratch|clear|undo|get rid of|vergiss|vergessen|lösche?n?|"
    r"entfernen?|"
    r"streiche?n?|oublie[rz]?|supprime[rz]?|efface[rz]?|olvida[rd]?|borra[rd]?|elimina[rd]?|dimentica(?:re)?|"
    r"cancella(?:re)?|esquece[r]?|apaga[r]?)\b|忘れて|削除|消して|忘记|忘記|删除|刪除|잊어|지워",
    re.I,
)
_POLITE = re.compile(
    r"\b(?:can|could|would|will) (?:you|we)\b|\bplease\b|\bbitte\b|\bkannst du\b|\bpeux-tu\b|\bpuedes\b|\bpor favor\b|"
    r"\bs'il te plaît\b|ください|くれ|请|請|줘",
    re.I,
)
_WRONG = r"(?:wrong|incorrect|false|untrue|mistaken|outdated|obsolete|out of date|falsch|faux|incorrecto|errado)"
_UNTRUE = re.compile(
    rf"\b(?:that|this|it|these|those|they|which|(?:the |this )?fact|#?\d+|memory)(?:'s|\s+(?:is|was|are|were))?\s+"
    rf"(?:(?:just|also|all|plainly|simply|completely|now)\s+)*(?:{_WRONG}|not (?:true|right|correct|so)|no longer\b)|"
    r"\b(?:isn't|aren't|wasn't) (?:true|right|correct)\b|\bnot (?:true|correct)\b|違います|違う|不对|不對|틀려",
    re.I,
)
_GONE = (
    r"(?:stopped?|quit|left|sold|cancel\w*|gave up|given up|broke up|got rid|moved (?:out|away|from)|resigned|dropped|"
    r"verkauft|gekündigt|aufgehört|beendet|arrêté|vendu|quitté|dejé|vendí|cancelé)"
)
_OVER = re.compile(
    rf"\b(?:no longer|any ?more|not?|never|nothing|{_GONE}|{_WRONG}|over|ended|nicht|nichts|kein\w*|nie|nunca|ya no|"
    r"ne\b.*\bplus|plus (?:de|du|jamais)|n'\w+ (?:plus|pas))\b|n't\b|もう.{0,12}(?:ない|ません)|ません|ない|"
    r"不再|已经不|안\s|지\s?않",
    re.I,
)
_TWICE = re.compile(
    rf"(?:\b(?:not|never|no|nothing|haven't|hasn't|hadn't|cannot|nicht|nie|kein\w*|pas|nunca)|n't)\s+(?:\w+\s+){{0,2}}?"
    rf"(?:{_GONE}|{_WRONG}|over|ended|done|finish\w*|settled|closed?|resolved|solved|answered|replied|sent|"
    rf"paid|decided|"
    r"approved|signed|got|received|arrived|delivered|erledigt|fertig|geklärt)\b",
    re.I,
)
_DONE = re.compile(
    r"\b(?:done|finish\w*|settled|closed?|resolved|solved|answer\w*|replied|reply|sent|paid|decided|approved|"
    r"signed|got|"
    r"received|arrived|delivered|came|handed in|submitted|booked|bought|fixed|erledigt|fertig|geklärt|bezahlt|"
    r"fini|réglé|payé|"
    r"listo|hecho|pagado)\b|終わ|済|完了|完成|끝",
    re.I,
)


def says_so(fact: Fact, saying: Saying) -> str:
    """Why the words do not end a fact, empty when they do."""
    text = _KEEP.sub(" ", plain(saying.sentence))
    order = _ORDER.search(text)
    if said.kind_of(saying) == "asks" and not (order and _POLITE.search(text)):
        return "the quote is a question"
    if order or _UNTRUE.search(text):
        return ""
    about = f"{fact.name.replace('-', ' ')} {fact.summary} {fact.body}"
    clauses = clauses_of(text)
    for clause in clauses:
        if _TWICE.search(clause.text):
            continue
        if fact.kind == "open-thread" and _DONE.search(clause.text):
            return ""
        if not _OVER.search(clause.text) or speaks_of_another(clause, about, fact.kind):
            continue
        bears = held(content(clause.text), content(about)) or len(clauses) == 1
        if bears and (fact.kind == "open-thread" or related(fact.summary, clause)):
            return ""
    return NOT_SAID
