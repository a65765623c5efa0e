"""Whether words tell how the agent is to work: an order to it, a wish of the person about its work, or a rule for all.

What people tell of themselves or of others is none of these, whatever a claim calls it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sessions.memory.clauses import Clause
from sessions.memory.wording import denies, plain

NOT_A_WAY = "it is kept as a way of working, and the user's words give the agent no order and make no rule"
FOR_OTHERS = "it is what somebody else wants of the agent"
_I = re.I
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LEAD = re.compile(r"^(?:the )?user(?:'s)?\s+", _I)
_STATE = re.compile(
    r"^(?:(?:also|still|now|currently|always|never|often|usually|only)\s+)*(?:is|are|am|was|were|has|have|had|lives?|"
    r"living|"
    r"resides|owns|drives|likes|loves|hates|dislikes|enjoys|prefers|works|speaks|plays|drinks|eats|studies|comes|goes|"
    r"moved|grew|sits|lies|belongs|depends|trusts|pays|rents|walks|collects|knows|has been|does|did|smokes|runs|wears|"
    r"takes|keeps|needs|wants|sleeps|reads|writes|teaches|supports|visits|visited|bought|sold|married|became|"
    r"ist|war|hat|hatte|wohnt|lebt|mag|heißt|arbeitet|spricht|isst|trinkt|raucht|fährt|besitzt|liebt|hasst|mietet|"
    r"est|était|a|avait|habite|vit|aime|adore|déteste|travaille|parle|mange|boit|fume|possède|"
    r"es|era|tiene|tenía|vive|vivía|gusta|trabaja|habla|come|bebe|fuma|odia|"
    r"è|era|ha|aveva|abita|lavora|parla|mangia|beve|fuma|ama|"
    r"живёт|живет|любит|работает|имеет)\b(?!-)",
    _I,
)
_STATE_CJK = re.compile(
    r"(?:[てで]い(?:る|ます|た|ました)|である|です|だ|がある|がいる|がいます|が好き|が嫌い)$|(?:住在|有一|喜欢|喜歡|是|叫)"
)
_WANTS = re.compile(
    r"^(?:(?:also|always|never|does not|doesn't)\s+)*(?:wants?|likes?|loves?|hates?|dislikes?|enjoys?|prefers?|needs?|"
    r"allows?|has to|need not|mag|möchte|will|hasst|bevorzugt|aime|déteste|préfère|veut|odia|quiere|prefiere|vuole)\b",
    _I,
)
"""What somebody has told of how they want it."""
_WISHES = re.compile(
    r"\b(?:want\w*|wish\w*|lik(?:e|ed)|lov(?:e|ed)|prefer\w*|need\w*|hat(?:e|ed)|dislik\w*|appreciat\w*|expect\w*|allow\w*|"
    r"mind|enjoy\w*|rather|hope\w*|asks?|asked|insist\w*|require\w*|forbid\w*|trust\w*|can't stand|tired|sick|annoy\w*|"
    r"bother\w*|bug|bugs|möchte|will|wünsche|mag|hasse|bevorzuge|hätte|bitte|brauche|"
    r"veux|voudrais|préfère|aime|aimerais|déteste|souhaite|quiero|quisiera|prefiero|gusta|gustaría|odio|necesito|"
    r"vorrei|voglio|preferisco|хочу|предпочитаю|хотел\w*)\b",
    _I,
)
_WORK = re.compile(
    r"\b(?:you|your|yourself|answers?|answered|repl(?:y|ies)|respon\w+|summar\w+|explanations?|explain\w*|code|comments?|"
    r"commits?|tests?|output\w*|format\w*|lists?|tables?|bullet\w*|bullets|emojis?|emoticons?|tone|examples?|sources?|"
    r"reviews?|pull requests?|prs?|snippets?|diffs?|markdown|text|texts|language|units?|dates?|messages?|headings?|"
    r"questions?|details?|jargon|paragraphs?|sentences?|words?|drafts?|"
    r"du|dich|dir|dein\w*|sie|ihnen|antwort\w*|erklär\w*|tu|te|toi|ton|ta|tes|vous|votre|réponses?|"
    r"tú|ti|respuestas?|usted|rispost\w*|ты|тебя|ответ\w*)\b",
    _I,
)
"""The agent, and what it makes."""
_POLITE = re.compile(r"\b(?:please|pls|bitte|s'il (?:te|vous) plaît|por favor|per favore|пожалуйста)\b", _I)
_RULES = re.compile(
    r"\b(?:always|never|must|mustn't|should|shouldn't|shall|may|can|cannot|can't|don't|do not|need\w*|allowed|"
    r"forbidden|"
    r"permitted|required|requires?|ok|okay|fine|welcome|approved|pre-approved|taboo|no-go|off limits|banned|every|only|"
    r"no|not|too|are to|is to|has to|have to|immer|nie|niemals|muss|müssen|soll\w*|darf|dürfen|nicht|kein\w*|verboten|"
    r"erlaubt|toujours|jamais|doi\w+|faut|interdit\w*|siempre|nunca|deb\w+|prohibid\w*|sempre|mai|"
    r"всегда|никогда|нельзя)\b",
    _I,
)
_ORDER_CJK = re.compile(
    r"(?:て|で)(?:ください|下さい|欲しい|ほしい|くれ|ね|よ)*[。！!]*$|ないで|しないこと|こと[。]?$|なさい|お願い|希望|必ず|いつも|常に|"
    r"答え|返事|回答|返信|説明|書い|使っ|使う|禁止|请|請|不要|别|別|勿|以后|以後|总是|總是|永远|永遠|从现在|必须|必須|"
    r"希望你|你|应该|應該|주세요|해줘|하지 ?마|답|항상"
)
_OF_OTHERS = re.compile(
    r"\b(?:wants?|wanted|would like|'d like|needs?|asks?|asked|expects?|tells?|told|begs?|urges?|orders?|ordered|"
    r"wishes|likes?|allows?|will|veut|quiere|vuole|möchte) (?:for )?(?:it (?:when|if|that) )?(?:you|dich|dir|que tu|"
    r"que tú|che tu)\b",
    _I,
)
_OWN_DEED = re.compile(
    r"\b(?:want|need|like|love|hope|wish|prefer|have|try|plan|hate) to (?!see\b|have\b|be\b|get\b)", _I
)


def is_state(text: str) -> bool:
    """Whether a line tells what somebody is, has, likes or does: "Lives in Tokyo"."""
    line = _LEAD.sub("", plain(text)).strip().rstrip(".。")
    return _STATE.match(line) is not None or (is_cjk(line) and _STATE_CJK.search(line) is not None)


def is_cjk(text: str) -> bool:
    return _CJK.search(text) is not None


def orders_cjk(text: str) -> bool:
    """Whether a text in Japanese, Chinese or Korean has the form of an order; a subject is not told there."""
    return _ORDER_CJK.search(text) is not None


def against(claim: str, best: Sequence[Clause]) -> str:
    """Why the clauses that hold a claim do not tell how the agent is to work, empty when one does."""
    if best and all(_of_others(c) for c in best):
        return FOR_OTHERS
    return "" if any(_tells(c, claim) for c in best) else NOT_A_WAY


def _of_others(clause: Clause) -> bool:
    return clause.who not in {"", "me", "you"} and _OF_OTHERS.search(plain(clause.text)) is not None


def _tells(clause: Clause, claim: str) -> bool:
    text = plain(clause.text)
    if is_cjk(text):
        return orders_cjk(text) and not (is_state(claim) and is_state(text))
    if clause.who == "you":
        return not is_state(claim) or _WANTS.match(_LEAD.sub("", plain(claim))) is not None
    works = _WORK.search(text) is not None
    wished = works and _WISHES.search(text) is not None
    if clause.who == "me":
        ruled = _RULES.search(text) is not None and not is_state(claim)
        own = _OWN_DEED.search(text) is not None and not works
        return not own and (wished or ruled or (_WISHES.search(text) is not None and not is_state(claim)))
    if is_state(claim) and not _WANTS.match(_LEAD.sub("", plain(claim))):
        return False
    if not clause.who:
        return not is_state(text) and (not is_state(claim) or works or _POLITE.search(text) is not None)
    return works or _RULES.search(text) is not None or denies(text)
