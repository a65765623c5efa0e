"""Whether the person wants none of what they say to be kept, or says it in confidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sessions.memory.place import opening, pieces_of, sentences_of
from sessions.memory.said import ORDER, Saying
from sessions.memory.wording import plain
from sessions.typed import Typed

NOT_TO_KEEP = "the user asked that it is not remembered"
IN_CONFIDENCE = "the user said it in confidence"
_I = re.I
_KEEP = (
    r"(?:sav(?:e|ing)|remember(?:ing)?|stor(?:e|ing)|keep(?:ing)?|record(?:ing)?|log(?:ging)?|not(?:e|ing)|"
    r"memori[sz](?:e|ing)|"
    r"writ(?:e|ing)|put(?:ting)?|add(?:ing)?|retain(?:ing)?|learn(?:ing)?)"
)
_KEPT = r"(?:saved|stored|remembered|kept|recorded|logged|noted|memori[sz]ed|written down|retained|added)"
_NEXT_THING = (
    r"(?:the|my) (?:next|following) (?:(?:few|two|three) )?(?:things?|messages?|parts?|bits?|lines?|sentences?|facts?|"
    r"statements?|words?|info\w*|details?)"
)
_IT = (
    r"(?:this|that|it|these|those|any(?:thing| of (?:this|that|it))?|(?:this|that) (?:one|fact|info\w*|message|part|"
    r"bit|"
    rf"detail)|{_NEXT_THING}(?: (?:that )?i\b[^.!?]{0, 80})?|what (?:follows|comes next)|"
    r"what i(?:'m| am)? (?:just |now )?(?:say|said|tell|told|write|wrote|about to|going to)\b[^.!?]{0,80})"
)
_MEMORY = (
    r"(?:(?:your|the|any|long[- ]term) )?(?:long[- ]term )?memor(?:y|ies)|your (?:notes?|records?|files?|profile|head|"
    r"mind|brain|notebook|journal|database|storage|logs?|facts)"
)
_STOPS = (
    r"(?=[\s)\"']*(?:$|[,.;:!?\n]|(?:down|please|anywhere|for|of (?:this|that|it)|"
    rf"(?:in|to|into|on) (?:{_MEMORY})|"
    r"about me|i (?:say|said|tell|told|write)|though|ok|okay|either|yet|now|today|or|and|but|as|because)\b))"
)
_NOT_KEPT = re.compile(
    r"(?:^|[,;:(]\s*|\s-+\s*|\b(?:please|but|and|so|just|you|or|also|i'd|rather|me|hey|hi|ok|okay|psst|then)[\s,]+)"
    rf"(?:(?:don't|do not|never|needn't|shouldn't|should not|mustn't|must not|without|better not)(?: (?:you|ever|"
    rf"have to|need to|"
    rf"go and|bother|try to))*|not to) {_KEEP}(?: down)? {_IT}{_STOPS}|"
    rf"\b(?:no|without any|isn't any|not any) need (?:for you )?to {_KEEP}(?: down)? {_IT}{_STOPS}|"
    r"\bforget (?:that |what |everything |all |anything )?i (?:ever |just )*(?:said|told|mentioned|"
    r"wrote)\b(?! (?:about|on)\b)|"
    r"\boff the record\b|\bnot for (?:the|your) (?:record|memory|notes|files)\b|"
    r"\b(?:not|n't|never) (?:to )?be (?:saved|remembered|stored|kept|recorded|noted)\b|\bunrecorded\b|"
    r"\b(?:merk|speicher|notier|behalt|schreib)\w*(?: (?:dir|mir|bitte))* (?:das|dies\w*|es)(?: (?:bitte|auch|ja|"
    r"jetzt|hier|nächste|folgende))* nicht\b|"
    r"\bnicht (?:zu )?(?:merken|speichern|notieren|aufschreiben|behalten)\b|\bvergiss,? (?:dass|was) ich\b|"
    r"\bn(?:e |')(?:(?:le|la|les|en) |l')?(?:retiens|retenez|enregistre\w*|not(?:e|ez)|mémorise\w*|garde\w*|"
    r"sauvegarde\w*) "
    r"(?:pas|rien)(?: (?:ça|cela|ceci|tout ça|de (?:ça|tout ça)|ce qui suit|ce que je vais [^.!?]*))?"
    r"(?: (?:en|dans (?:ta|votre|la)) mémoire| dans (?:tes|vos) notes)?\s*(?=$|[,.;:!?\n]|s'il|stp)|"
    r"\boublie (?:que j'ai|ce que j'ai)\b|"
    r"\bno (?:(?:lo|la|los|las) )?(?:guardes|recuerdes|anotes|registres|apuntes|memorices)(?: (?:eso|esto|nada|"
    r"lo (?:siguiente|que (?:sigue|voy a|te voy a)[^.!?]*)))?(?: en (?:tu|la) memoria| en tus notas)?"
    r"\s*(?=$|[,.;:!?\n]|por favor)|\bolvida (?:que|lo que) (?:he |te )?(?:dicho|dije)\b|"
    r"(?:覚え|記憶し|保存し|メモし|記録し)(?:て(?:おか|)|)(?:ないで|なくて)|(?:不要|别|別|勿|不用)(?:记住|记录|记下|记|記|保存|存)|"
    r"(?:기억|저장)하지 ?마",
    _I | re.M,
)
"""An order to keep nothing of what is said."""
_I_CANNOT = re.compile(r"\b(?:i|we|they|he|she|people) (?:don't|do not|never)\b", _I)
_NOT_WANTED = re.compile(
    # What the person does not want: "I don't want that stored", "I'd rather you didn't save this".
    r"\bi(?:'d| really| just)? (?:don't|do not|wouldn't|would not|not) (?:really )?(?:want|like|wish)(?: for)? "
    r"(?:to have )?"
    rf"(?:you to {_KEEP}(?: down)? {_IT}|{_IT} (?:to be |being )?{_KEPT}){_STOPS}|"
    rf"\b(?:rather|prefer)\b[^.!?]{{0,30}}\b(?:didn't|did not|don't|not|never) {_KEEP}(?: down)? {_IT}{_STOPS}|"
    # "Something you must not save".
    r"\b(?:something|things?|stuff|a secret|a fact)(?: that| which)?(?: you| nobody| no one)? (?:(?:must|should|may|"
    r"can|"
    r"do|need|are|is)(?:n't| not)|cannot|can't|mustn't|shouldn't|needn't|not)(?: to| be| ever| supposed to| "
    rf"allowed to)* (?:{_KEEP}|{_KEPT})\b|"
    # Out of the memory again.
    rf"\b(?:keep|leave|take|get) {_IT} (?:out of|off|away from) (?:{_MEMORY})\b|"
    rf"\b(?:delete|erase|remove|wipe|drop|clear) {_IT} (?:again )?(?:from|out of|off) (?:{_MEMORY})\b|"
    r"(?:^|[,;:]\s*|\s-+\s*|\b(?:please|then|just|now|so|can you|could you|you can|you may|you should) )forget "
    r"(?:it|that|"
    r"this|these|all (?:of )?(?:it|this|that)|everything)(?: (?:again|right (?:after|away)|afterwards?|immediately|"
    r"please|when we're done|at once))+\s*(?=$|[.!?,])|"
    r"\b(?:please|then) forget (?:it|this|all (?:of )?(?:it|this|that))\s*(?=$|[.!?])|"
    r"\b(?:delete|erase|remove|wipe|forget|drop) (?:what|everything|all|anything) (?:that )?(?:you(?:'ve| have)?) "
    r"(?:know|"
    r"knew|saved|stored|remember\w*|noted|kept|learn\w*|got)(?: (?:about|of|on) (?:this|that|it|me))?\s*(?=$|[.!?,])|"
    # German, French, Spanish.
    r"\b(?:das|dies\w*|es)\b[^.!?]{0,25}\bnicht\b[^.!?]{0,12}\b(?:gespeichert|notiert|gemerkt|aufgeschrieben|"
    r"festgehalten)\b(?= (?:werden|wird|wissen|haben|sein)\b)|"
    r"\bnicht (?:in|zu) (?:dein\w*|die|das) (?:gedächtnis|notizen|speicher)\b|"
    r"\b(?:aus|raus aus) (?:dein\w*|dem) (?:gedächtnis|notizen)\b|"
    r"\bmerk\w* dir (?:bitte )?nicht,? was\b|\bmerk\w* dir (?:bitte )?(?:das (?:nächste|folgende)|was (?:jetzt|gleich|"
    r"folgt|ich)[^.!?]*) nicht\b|\b(?:brauchst|musst) (?:du )?(?:dir )?(?:das|es) (?:dir )?nicht (?:zu )?(?:merken|"
    r"speichern|notieren)\b|\bvergiss (?:das|es) (?:bitte )?(?:wieder|gleich wieder|danach|sofort)\b|"
    r"\bje ne (?:veux|voudrais|souhaite) pas que (?:tu |vous )?(?:ce |ça |cela |le |l')?(?:ça |cela |ce )?(?:soit )?"
    r"(?:retien\w*|enregistr\w*|not\w*|mémoris\w*|gard\w*|sauvegard\w*)|"
    r"\b(?:inutile|pas besoin|pas la peine) de (?:le |la |l'|les )?(?:retenir|enregistrer|noter|mémoriser|garder)"
    r"(?: ça| cela)?\s*(?=$|[,.;:!?\n])|\boublie(?:-le|-la)? (?:ça |cela )?(?:tout de suite|après|ensuite)\b|"
    r"\bno quiero que (?:lo |esto |eso |se |quede )*(?:guard\w*|recuerd\w*|anot\w*|registr\w*|memori\w*)|"
    r"\bno (?:hace falta|es necesario) (?:que lo )?(?:guard|anot|record|recuerd|registr|memori)\w*(?: esto| eso)?"
    r"\s*(?=$|[,.;:!?\n])|"
    # Japanese, Chinese.
    r"(?:(?:今|さっき|先ほど)(?:の|言った)[^。]{0,6}|これ|それ|この話|その話)(?:は|を|も)?(?:もう)?忘れて(?!い|る|た|しま)|"
    r"^忘れて(?:ください|ね|くれ)?$|(?:記録|メモ|記憶)に(?:は)?残さ(?:ないで|なくて)|"
    r"(?:忘掉|忘记|忘了)(?:刚才|刚刚|这|那|我说)|从记忆(?:中|里)?删",
    _I | re.M,
)
"""Other words for the same; "I don't …" may stand in them."""
_FROM_HERE = re.compile(
    r"\b(?:anything|nothing|what(?:ever)?|everything|all) (?:that )?i(?:'m| am)? (?:say|tell|write|type|going|about)\b|"
    r"\b(?:from (?:here|now) on|in this (?:chat|session|conversation))\b",
    _I,
)
_NEXT_ONE = re.compile(
    r"\b(?:next|following) (?:(?:few|two|three) )?(?:things?|messages?|parts?|bits?|lines?|sentences?|facts?|"
    r"statements?|info\w*|words?|details?)\b|\bwhat (?:follows|comes next)\b|"
    r"\bi(?:'m| am|'ll| will)? (?:going to|about to|gonna|now|tell|say)\b[^.!?]*\b(?:something|things?|a secret|"
    r"stuff)\b|"
    r"\b(?:das nächste|das folgende|was (?:jetzt|gleich|folgt))\b|\bce qui suit\b|\bce que je vais\b|"
    r"\blo (?:siguiente|que (?:sigue|voy a|te voy a))\b|次の|これから|接下来|下面",
    _I,
)
_PRIVATE = (
    r"(?:private|confidential|secret|a secret|personal|our secret|for your ears only|just between us|"
    r"not for (?:anyone|anybody|others?))"
)
_IN_CONFIDENCE = re.compile(
    rf"^(?:(?:but|and|so|ps|also)\s+)?(?:that|this|it|all of (?:this|that|it))(?:'s| is|'re| are) (?:strictly |all |"
    rf"very |"
    rf"quite |really |just |highly |top |rather |a bit |of course )*{_PRIVATE}(?: (?:though|please|by the way|btw|ok|"
    rf"okay|of course))?$|"
    rf"^(?:strictly |this is |just )*(?:private|confidential|secret)(?: please)?$|"
    r"^(?:(?:but|and|so|strictly|just|only|this is|that's|this stays|that stays|it stays|let this stay|can this stay|"
    r"keep (?:it|this|that)|let's keep (?:it|this|that))\s+)*between (?:you and me|me and you|us|ourselves|the two "
    r"of us)"
    r"(?: (?:please|ok|okay|only|though|two))?$|"
    r"\b(?:keep|treat) (?:this|that|it) (?:all )?(?:to yourself|between us|private|secret|a secret|confidential\w*|"
    r"quiet(?= please|$)|"
    r"under wraps|under your hat|as confidential|in confidence)\b|"
    r"\b(?:don't|do not|never|please not) (?:tell|share (?:this|that|it)|repeat (?:this|that|it)|mention (?:this|"
    r"that|it)|"
    r"breathe a word)(?: (?:this|that|it))?(?: (?:to|with))?(?: (?:anyone|anybody|a soul|others))?$|"
    r"^(?:i tell you this |i'm telling you this |told |said )?in (?:strict |strictest )?confidence$|^confidentially$|"
    r"^mum's the word$|^(?:nobody|no one) (?:else (?:knows|may know|must know|should know)(?: yet)?|"
    r"(?:knows|may know|must know|should know|is to know) (?:this|that|it|about (?:this|that|it)|yet))$|"
    r"^(?:nur )?unter uns(?: gesagt| beiden?)?$|\b(?:das |es |dies )?bleibt (?:bitte )?unter uns\b|"
    r"^(?:das|dies|es) ist (?:streng |sehr )?(?:privat|vertraulich|geheim|ein geheimnis)$|^im vertrauen(?: gesagt)?$|"
    r"^vertraulich$|\bbehalt\w* (?:das|es) (?:bitte )?für dich\b|\b(?:sag|erzähl)\w* (?:das |es )?(?:bitte )?(?:keinem|"
    r"niemandem)\b|"
    r"^(?:juste |strictement )?entre nous(?: deux)?$|\breste entre nous\b|"
    r"^c'est (?:strictement |très )?(?:privé|confidentiel|secret|un secret|personnel)$|"
    r"\bgarde(?:z)?[ -](?:ça|cela|le) pour (?:toi|vous)\b|\bne (?:le )?(?:dis|dites|répète\w*)(?: rien)?(?: ça)? à "
    r"personne\b|"
    r"^(?:en confidence|confidentiellement)$|"
    r"^(?:solo |esto |que esto )*(?:queda |quede )?entre (?:nosotros|tú y yo|nos)$|"
    r"^(?:eso |esto )?es (?:muy |estrictamente )?(?:privado|confidencial|secreto|un secreto|personal)$|"
    r"\bguárda(?:telo|lo para ti)\b|\bno se lo (?:digas|cuentes) a nadie\b|^en confianza$|"
    r"ここだけの話|内緒|他言無用|誰にも言わないで|^(?:これは)?秘密(?:です|だよ|だ|ね|に)?|"
    r"保密|私下说|别告诉(?:别人|任何人)|不要告诉|这是(?:个)?秘密",
    _I,
)


def not_to_keep(saying: Saying, typed: Sequence[Typed]) -> bool:
    """Whether the person asked to keep none of it: in that message, the next one, or before, for what follows."""
    if forbids(saying.typed.text):
        return True
    at = next((i for i, t in enumerate(typed) if t.message == saying.typed.message), None)
    if at is None:
        return False
    nexts = [t.text for t in typed[at + 1 : at + 2]]
    if any(forbids(opening(text)) for text in nexts):
        return True
    forbidden = False
    for text in (t.text for t in typed[:at]):
        if forbids(text) and _FROM_HERE.search(plain(text)):
            forbidden = True
        elif ORDER.search(plain(text)) and not forbids(text):
            forbidden = False
    just_now = [t.text for t in typed[at - 1 : at]] if at else []
    forbidden = forbidden or any(forbids(text) and _NEXT_ONE.search(plain(text)) for text in just_now)
    return forbidden and not ORDER.search(plain(saying.typed.text))


def forbids(text: str) -> bool:
    """Whether a text asks that nothing of it is kept."""
    return any(
        (_NOT_KEPT.search(sentence) and not _I_CANNOT.search(sentence)) or _unwanted(sentence)
        for sentence in re.split(r"(?<=[.!?。！？])\s*|\n", plain(text))
    )


def in_confidence(saying: Saying) -> bool:
    """Whether something in the message says that it is private, or a secret between the person and the agent."""
    pieces = pieces_of("\n".join(saying.typed.parts))
    whole = (sentence for sentence, _ in sentences_of(pieces))
    return any(_IN_CONFIDENCE.search(s.strip(" \"'()[]-")) for s in (*(p.words for p in pieces), *whole))


def _unwanted(sentence: str) -> bool:
    return _NOT_WANTED.search(sentence.rstrip("。！")) is not None
