"""What holds a statement to a case, a place or a figure of speech: "in an emergency", "on TV", "married to my job".

Who leaves it out says more than was said.
"""

from __future__ import annotations

import re

from sessions.memory.wording import content, fold, held, plain

_I = re.I
_CASES = re.compile(
    r"\b(?:on (?:the )?conditions? (?:that|of)|provided|providing|(?:as|so) long as(?! i can remember| i live)|"
    r"in (?:an? )?(?:\w+ )?emergenc(?:y|ies)|in case of|in (?:dire )?need\b|if need be|under (?:certain|special|"
    r"some|rare|extreme) circumstances|under (?:duress|stress|pressure|protest|supervision)|at gunpoint|"
    r"as a last resort|(?:on|for) special occasions|at (?:weddings|parties|funerals|festivals|christmas|carnival)|"
    r"solange|sofern|vorausgesetzt|unter der bedingung|im notfall|in notfällen|auf (?:hochzeiten|partys|feiern)|"
    r"zur not|à (?:la )?condition|pourvu qu|tant qu|sous réserve|en cas d|aux mariages|au besoin|siempre (?:que|y "
    r"cuando)|"
    r"con tal de|a condición|en caso de|en (?:bodas|fiestas)|purché|a condizione|in caso di|desde que seja|em caso de|"
    r"mits|op voorwaarde|in geval van)|(?<=, )(?:wenn|falls|quand|lorsque|cuando)\b|"
    r"限り|場合|非常時|緊急時|只要|紧急|緊急|万一|한에서|경우",
    _I,
)
_ONLY = re.compile(
    r"\b(?:(?<!not )(?:solely|exclusively|merely|purely|only)|just (?=on|in|at|for|with|when)|ausschließlich|lediglich|"
    r"(?<!nicht )nur|uniquement|exclusivement|seulement|únicamente|exclusivamente|solamente|sólo|soltanto|alleen)\b|"
    r"だけ|しか|只(?![要])|仅",
    _I,
)
_NOT_CJK = re.compile(r"不要|不许|不可以?|[别別勿不]|没有?|せずに?|[^\W_]ずに|なしで|ない|ません")
"""Two of them say what none of them says, and one the contrary."""
_LIMITED = re.compile(rf"{_ONLY.pattern}|\b(?:solo|one|single|at most|nothing but|no other)\b", _I)
_SEGMENT = re.compile(r"\s(?:and|but|und|aber|et|mais|y|pero|e|ma|maar|en)\s|[;.!?。；\n]", _I)
_PART = re.compile(rf"{_SEGMENT.pattern}|,(?: (?:and|but|und|aber|et|mais|y|pero))?\s", _I)
_IS = re.compile(r"^(?:the user )?(?:name is|is|was|ist|war|est|es|está|è|sono|foi|é)\b", _I)
_COMPLEMENT = re.compile(
    r"\b(?:(?P<state>blind|deaf|allergic|addicted|hooked|glued|attached|committed|bound|tied|immune|numb|dead|stuck|"
    r"buried|drowning|lost|sick|starving|hungry|thirsty|crazy|mad)(?: (?:to|of|in|for|about|with|from|on)\b)|"
    r"(?P<dying>dying) (?:to|for)\b|(?P<engaged>engaged) in\b|"
    r"(?P<married>married|wed) to (?:my|the|his|her|their|our|this) (?-i:[a-z])|"
    r"(?P<mariée>mariée?) (?:à|avec) (?:mon|ma|la|le|l')(?! ?(?:femme|mari))|"
    r"(?P<casado>casad[oa]) con (?:mi|el|la)(?! (?:mujer|marido|esposa|esposo))|"
    r"mit (?:meine[rm]|der|dem) (?!(?:frau|mann|freund\w*)\b)\w+ (?P<verheiratet>verheiratet))",
    _I,
)
"""Words that say another thing with what follows them."""
_STAGE = re.compile(
    r"\b(?:on (?:tv|telly|television|stage|screen|film|radio|youtube|twitch|tiktok|instagram|paper|camera|the "
    r"(?:show|radio|internet|court|pitch))|in (?:spirit|disguise|training|waiting|jest|theory|name(?: only)?|"
    r"(?:the|an?|this|that|my|our|his|her|your|their|some) (?:\w+ )?(?:play|show|series|sitcom|soap|movie|film|musical|"
    r"panto\w*|simulator|simulation|kitchen|eyes|shower|dreams?|mind|head|making|heart|soul|opinion|way|sense|novel|"
    r"story|book|game)s?)|at heart|by (?:marriage|night|day)|for (?:the|a) (?:day|night|moment)|to (?:my|our|his|her|"
    r"the|"
    r"some|many|these|those|everyone|everybody) ?\w*|im (?:fernsehen|film|herzen|geiste?|theater|spiel|kopf)|"
    r"auf (?:der bühne|dem papier)|à la (?:télé|télévision)|au (?:théâtre|cinéma)|(?:de|dans l)'?\s?(?:cœur|âme)|"
    r"en (?:la )?(?:tele|televisión)|en (?:el )?(?:teatro|cine|papel)|de corazón|in (?:tv|televisione)|nel cuore)\b",
    _I,
)
"""Where somebody only plays what they are, or is it in a manner of speaking."""


def left_out(piece: str, sentence: str) -> str:
    """The words of a sentence that hold a claim to less than it says, when it leaves them out; empty without any."""
    said, wanted = plain(sentence), content(piece)
    for m in _CASES.finditer(said):
        rest = content(said[m.end() :])
        told = _CASES.search(piece) or (rest and held(rest[:2], wanted))
        if not told and _bears(said, m, wanted, _SEGMENT):
            return fold(m[0])
    denied, wanted_not = len(_NOT_CJK.findall(said)), len(_NOT_CJK.findall(piece))
    if denied > wanted_not > 0:
        return str(_NOT_CJK.findall(said)[0])
    if not _LIMITED.search(piece):
        for m in _ONLY.finditer(said):
            after = content(_PART.split(said[m.end() :])[0])
            if after and len(held(after, wanted)) < len(after) and _bears(said, m, wanted, _PART):
                return fold(m[0])
    return _figure(piece, said, wanted) if _IS.match(piece) else ""


def _bears(said: str, m: re.Match[str], wanted: tuple[str, ...], breaks: re.Pattern[str]) -> bool:
    """Whether a match stands in a part of the sentence that the claim rests on, or right after or before it."""
    ends = [(0, 0), *(s.span() for s in breaks.finditer(said)), (len(said), len(said))]
    at = max(n for n, (_, end) in enumerate(ends[:-1]) if end <= m.start())
    begin, end = ends[at][1], ends[at + 1][0]
    alone = not content(said[begin : m.start()])
    if alone and at:
        begin = ends[at - 1][1]
    return bool(held(wanted, content(said[begin : m.start()] + " " + said[m.end() : max(end, m.end())])))


def _figure(piece: str, said: str, wanted: tuple[str, ...]) -> str:
    """What makes another thing of what somebody is, when the claim says only what they are."""
    low = fold(piece)
    for m in _COMPLEMENT.finditer(said):
        word = next((g for g in m.groups() if g), "")
        if fold(m[0]) not in low and fold(word) in low and not held(content(said[m.end() - 1 :])[:1], wanted):
            return fold(m[0])
    for m in _STAGE.finditer(said):
        before = content(said[: m.start()])
        if before and held(before[-1:], wanted) and not held(content(m[0]) or (m[0],), (*wanted, *low.split())):
            return fold(m[0])
    return ""
