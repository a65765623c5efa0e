"""Whether what a person types later ends what they said: they were fired, the parrot died, they gave it up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sessions.memory import bygone, endings
from sessions.memory.clauses import Clause, clauses_of, speaks_of_another
from sessions.memory.fact import By, Draft, Fact
from sessions.memory.near import slot_of
from sessions.memory.place import pieces_of
from sessions.memory.proposals import as_fact
from sessions.memory.replaced import given_up
from sessions.memory.said import Saying, statements
from sessions.memory.wording import content, held, plain
from sessions.typed import Typed

ENDED = "the user said later that it is over"
_I = re.I
_ADVERBS = r"(?:(?:just|finally|already|actually|since|then|all|now|schon|inzwischen|dann|leider|ya|finalmente) )*"
_HUMS = re.compile(
    r"^(?:(?:well|oh|ah|and|but|so|actually|sorry|no|wait|anyway|by the way|btw|unfortunately|aber|ach|leider|übrigens|"
    r"mais|en fait|pero|でも|もう|あ|実は)\b[\s,]*)+",
    _I,
)
_ENDS_IT = re.compile(
    rf"(?:(?:(?:i|we)(?:'ve| have|'d| had)? )?{_ADVERBS}(?:sold|gave|given|quit|stopped|dropped|cancell?ed|lost|"
    r"returned|ended|left|ditched|scrapped|deleted|donated) (?:it|that|this|him|her|them|those|there)\b|"
    rf"(?:that|this|it)(?:'s| is| was| got| has been) {_ADVERBS}(?:cancell?ed|over|history|in the past|finished|ended|"
    r"gone|off|no longer)\b|"
    rf"(?:he|she|it|they)(?:'s| has| have| is| was| got)? {_ADVERBS}(?:died|dead|passed away|moved out|left me|gone|"
    r"stolen|no more)\b|"
    rf"(?:ich|wir) hab(?:e|en)? (?:es|das|ihn|sie) {_ADVERBS}(?:\w+ )?(?:verkauft|aufgegeben|gekündigt|verloren|"
    r"abgegeben|verschenkt|beendet)\b|(?:er|sie|es) ist (?:\w+ ){0,2}(?:gestorben|tot|ausgezogen)\b|"
    r"das (?:ist|war) (?:\w+ )?(?:vorbei|abgesagt|geschichte)\b|"
    r"(?:je|nous) l'(?:ai|avons) (?:vendu|perdu|quitté|donné|arrêté)\w*|(?:il|elle) est (?:mort|parti|décédé)\w*|"
    r"c'est (?:fini|annulé|terminé)\b|"
    r"l[oa]s? (?:vendí|perdí|dejé|regalé|he (?:vendido|perdido|dejado))\b|(?:se )?murió\b|se acabó\b|"
    r"(?:売り|辞め|やめ|死に|亡くなり|終わり|別れ)(?:ました|ましたよ)|(?:売っ|辞め|やめ|死ん|亡くなっ|終わっ|別れ)[ただ])",
    _I,
)
"""At the beginning of the next message: ends what was just told, without naming it."""
_ASKED = re.compile(
    r"[?？]|\b(?:please|can you|could you|help|write|draft|fix|make|give me|tell me|show|explain|translate|find|"
    r"summari[sz]e|bitte|schreib\w*|hilf|erklär\w*|übersetz\w*|peux-tu|écris|aide|traduis|puedes|escribe|ayuda|"
    r"traduce)\b|ください|请|請",
    _I,
)
_FIRED = re.compile(
    r"\b(?:(?:got|was|were|been|am) (?:just )?(?:fired|laid off|let go|sacked|dismissed|made redundant)|"
    r"(?:lost|quit|left) my job|resigned|handed in my notice|gekündigt|entlassen|viré|licenciée?|démissionné|"
    r"despid\w+|despedid[oa]|renuncié|licenziat[oa]|demitid[oa])\b|解雇|退職|クビ|会社を辞め",
    _I,
)
_PARTED = re.compile(
    r"\b(?:we|my \w+ and i) (?:just |have |'ve |finally )*(?:broke|broken|split|separated|divorced)\b|"
    r"\b(?:i|we)(?:'m| am|'re| are| got| have) (?:just |now )?divorced\b|"
    r"\bwe(?:'re| are) (?:no longer together|separated|divorced|getting divorced)\b|\bwir haben uns getrennt\b|"
    r"\b(?:on s'est|nous nous sommes) séparés?\b|\b(?:hemos roto|nos separamos|rompimos)\b|別れ",
    _I,
)
_TOGETHER = re.compile(
    r"\b(?:with|band|partner|girlfriend|boyfriend|wife|husband|fianc\w+|married|engaged|dating|relationship|mit|"
    r"freundin|freund|verheiratet|verlobt|avec|copine|copain|marié\w*|con|novi[oa]|casad[oa])\b|彼女|彼氏|妻|夫|結婚",
    _I,
)
_KEPT_CJK = re.compile(r"飼っ|持って|有|养|養")
_HAN = re.compile(r"[\u30a0-\u30fa\u3400-\u9fff]+")
_TODAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening|week|weekend)|right now|yet|heute|"
    r"morgen|gestern|aujourd'hui|demain|hoy|mañana|ayer)\b",
    _I,
)
_NO_END = re.compile(
    r"\bstopp?\w* (?:by|at|in|over|off)\b|\bleft (?:[\w'-]+ ){1,4}(?:with|at|in|on|behind|to)\b|\blost (?:to|"
    r"against)\b",
    _I,
)
"""Nothing ends by it: "I left the parrot with my mum"."""
_FOR_GOOD = re.compile(
    r"\b(?:any ?more|died|dead|passed away|quit|sold|gave|given|stopped|cancell?ed|dropped|no longer|moved|for good|"
    r"mehr|gestorben|verkauft|aufgehört|mort\w*|vendu\w*|arrêté|murió|vendí|dejé)\b",
    _I,
)


def later(draft: Draft, saying: Saying, typed: Sequence[Typed]) -> str:
    """Why a message after the one with the quote ends what a draft says, empty when none does."""
    at = next((i for i, t in enumerate(typed) if t.message == saying.typed.message), len(typed))
    after = [t.text for t in typed[at + 1 :] if not t.off]
    if not after or draft.kind == "open-thread":
        return ""
    if ends_it(after[0]) and states_only(saying.typed.text):
        return ENDED
    fact = as_fact(draft, By("model"), None)
    return ENDED if any(_ends(fact, text) for text in after) else ""


def _gone(clause: Clause, fact: Fact) -> bool:
    """Whether a clause says that what a fact says somebody has was sold or lost, or died."""
    if not (bygone.keeps(fact.summary) or _KEPT_CJK.search(fact.summary)) or not bygone.parted(clause.text):
        return False
    about = content(fact.summary)
    named = held(content(clause.text), about) or any(c in clause.text for c in _HAN.findall(fact.summary)[:1])
    return bool(named) and not speaks_of_another(clause, fact.summary, fact.kind)


def ends_it(text: str) -> bool:
    """Whether a message begins by saying that what was told before it is over."""
    return any(_ENDS_IT.match(_HUMS.sub("", p.words)) for p in pieces_of(plain(text))[:2])


def states_only(text: str) -> bool:
    """Whether a message asks nothing of the agent: what comes next is then said of what it tells."""
    return _ASKED.search(plain(text)) is None


def _ends(fact: Fact, text: str) -> bool:
    for clause in (c for statement in statements(text) for c in clauses_of(statement)):
        mine = clause.who in {"me", ""}
        if mine and slot_of(fact.summary) == "employer" and _FIRED.search(clause.text):
            return True
        if (mine or clause.who.startswith("my ")) and _TOGETHER.search(fact.summary) and _PARTED.search(clause.text):
            return True
        if _TODAY.search(clause.text) and not _FOR_GOOD.search(clause.text):
            continue
        bare = replace(clause, text=_HUMS.sub("", clause.text))
        if _NO_END.search(bare.text):
            continue
        if _gone(bare, fact) or given_up(fact.summary, bare.text) or endings.is_over(bare, fact):
            return True
    return False
