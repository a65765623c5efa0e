"""Finds a quote in the words that the person typed, and tells what kind of saying it stands in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sessions.memory.wording import content, count_words, fold, full_stop, held, plain
from sessions.typed import Typed

LEAST_WORDS = 3
_EDGE = " \t\n\"'.,;:!?…-()[]*_。、！？"
_SENTENCE = re.compile(r"(?:[.!?…。！？]+[\"')\]]*(?=\s|$|[^\x00-\x7f])|\n)\s*")
_CLAUSE = re.compile(
    r"[,;:]\s+|\s-+\s|[、，；：]|(?<!anything)\s(?:and|but|so|because|und|aber|et|mais|y|pero)\s+", re.I
)
_AUX = r"(?:is|are|am|was|were|do|does|did|can|could|should|would|will|shall|may|might|have|has|had)"
_WHO = r"(?:i|you|he|she|it|we|they|my|your|our|the|this|that|there|anyone|someone)"
_ASKS = re.compile(
    rf"^(?:(?:and|but|so|or|hey|hi|ok|okay|well|please|also)\b[\s,]*)*(?:(?:what|where|who|when|why|which|how|whose)"
    rf"(?:'s|'re|\s+(?:else\s+)?(?:{_AUX}|about|if|much|many|long|far|time|day|kind|old)\b)|{_AUX}(?:n't)?\s+{_WHO}\b|"
    r"(?:wo|was|wann|wer|warum|wieso|welche[rsn]?|wieviel|où|quand|pourquoi|comment|quel(?:le)?s?|qué|dónde|cuándo|"
    r"quién|cómo|por qué|cuál)\b|(?:(?:can|could|would) you )?(?:tell|show|explain to|remind|let) (?:me|us) (?:know )?"
    r"(?!(?:when(?:ever)?|if) (?:(?:i'm|i am) (?:wrong|mistaken|incorrect|off|unclear|vague|rude|too|being|not|making)|"
    r"i (?:make|get|forget|miss|sound)|you're|you are|you (?:don't|do not|can't|cannot)|something|anything)\b)"
    r"(?:whether|if|what|how|why|when|where|who|which)\b)",
    re.I,
)
_ASKS_CJK = re.compile(r"(?:ですか|ますか|でしょうか|かな|吗|嗎|呢|까요|나요)[?？。]*$")
_IF = re.compile(
    r"^(?:(?:and|but|so|ok|well|now|then)\b[\s,]*)*(?:if\b|imagine\b|suppose\b|supposing\b|assume\b|assuming\b|"
    r"pretend\b|"
    r"let's (?:say|imagine|pretend|assume)\b|say (?:i|we|that i)\b|what if\b|hypothetically\b|in (?:a|this|my) "
    r"(?:story|novel|role ?play|game|poem|joke)\b|i wish\b|if only\b|had i\b|were i\b|for example\b|e\.g\.|"
    r"wenn ich\b|falls\b|angenommen\b|stell dir vor\b|nehmen wir an\b|ich wünschte\b|si (?:je|j'|"
    r"yo)\b|imagine\b|once (?:i|we)\b|unless\b|whether\b|in case\b|as soon as\b|"
    r"supposons\b|imagina\b|supongamos\b|ojalá\b|もし|仮に|假如|如果|要是|만약)",
    re.I,
)
_WOULD = re.compile(
    r"\bi(?:'d| would)(?! (?:like|prefer|rather|(?:pick|choose|take) .+ over .+ any ?(?:day|time)|love it if|"
    r"appreciate|say|call|describe))\b",
    re.I,
)
_PLAYED = re.compile(
    r"\b(?:write|tell|make up|invent|compose)\b[^.!?\n]{0,40}\b(?:story|poem|joke|song|dialogue|scene)\b", re.I
)
_ROLES = re.compile(
    r"\byou(?:'re| are|'ll be| be| play) (?:the|an?|my) [\w ]{2,30}(?:,| and|,? while) (?:i'm|i am|i'll be|i play)\b|"
    r"\brole[ -]?play|\blet's (?:play|act out)\b|\bin character\b|\bact as (?:if|an?|my|the)\b|\bspiel(?:en)? wir\b",
    re.I,
)
_SETS_UP = re.compile(
    r"\blet's (?:do|have) an? (?:quiz|riddle|role|sketch|scene|story)\b|\bmy character\b|"
    r"\bplay an? \w+ (?:called|named|who)\b|\bwrite (?:me )?an? (?:bio|story|poem|dialogue|scene|letter) (?:for|"
    r"about|from)\b",
    re.I,
)
_JOKE = re.compile(
    r"\b(?:(?:just |only )?(?:kidding|joking)|jk|j/k|as a joke|lol|lmao|rofl|(?:ha|he|hi){2,}|sarcas\w*|not really|"
    r"nur spaß|war (?:nur )?ein (?:witz|scherz)|je plaisante|je rigole|es broma|mdr|jaja)\b|(?<!\S)/s\b|"
    r"\bwhat an? (?:joy|treat|delight|pleasure|surprise|thrill)\b|^(?:how|so) (?:lovely|nice|wonderful|great|fun)\b|"
    r"\boh,? (?:sure|yeah|great|right)\b|\byeah,? right\b|\bas if\b|\bjust testing\b|"
    r"\bonly testing\b|[😂🤣😜😝😉🙃]|[;:]-?[pPdD)](?!\w)|冗談|"
    r"笑笑|ｗｗ|开玩笑|哈哈|ㅋㅋ",
    re.I,
)
_EARNEST = re.compile(
    r"^(?:(?:ha|he|hi){2,}|lol|lmao)\b[\s,.!]*(?=.*\b(?:really do|seriously|no joke|not kidding|for real)\b)", re.I
)
"""A laugh before what is meant."""
_TALE = re.compile(
    r"\b(?:in|on|at|for|from|of)\s+(?:(?:the|my|our|an?|this|that|another|his|her|"
    r"your)\s+)?(?:\w+\s+)?(?P<tale>video ?games?|"
    r"games?|novel|story|film|movie|dreams?|theory|simulation|universe|imagination|screenplay|script|fantasy|sims|"
    r"(?<=on )paper|(?:past|previous|other|next|former|parallel) li(?:fe|ves))\b",
    re.I,
)
_SAYS = (
    r"(?:said|says|say|told|tells|tell|wrote|writes|claims?|claimed|thinks?|thought|believes?|mention(?:s|ed)|texted|"
    r"texts|tweeted|posted|asks?|asked|announced|insist(?:s|ed)?|"
    r"state[sd]? that|stated|declare[sd]?|demand(?:s|ed)?|replied|quotes?|quoted|reckons?|sings|sagte?|meinte?|schrieb|"
    r"schreibt|erzählte?|behauptet|puts? it|a dit|dit que|a écrit|dijo|dice que|escribió)"
)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
_OTHER_SAYS = re.compile(
    rf"\b(?<!rather )(?<!prefer )(?<!it if )(?!(?:i|i've|we|ich|je|yo)\b)(?P<who>[^\W\d_][\w'-]*)\s+(?:(?:has|had|"
    rf"have|always|once|just|also|even|hat|has)\s+)*"
    rf"{_SAYS}\b|\b(?:according to|in the words of)\s+(?P<who2>\w+)|\b(?:laut|selon|según)\s+(?P<who3>\w+)|"
    r"\bas (?P<who4>(?!you\b|i\b|we\b)(?:\w+ )?\w+) (?:knows?|says?|puts?|likes? to|always)\b|"
    r"(?:さん|彼|彼女|友達|上司)(?:は|が).{0,30}(?:と言|と話|って言)|(?:他|她|朋友|老板)说",
    re.I,
)
_ME = frozenset(
    "i i've we ich je yo please pls then and but or as to never always also "
    "still just may might could can should would will".split()
)
_MATERIAL = re.compile(
    r"\b(?:translate|proofread|spell-?check|rewrite|rephrase|reword|paraphrase|summari[sz]e|shorten|correct|"
    r"fix the (?:grammar|spelling)|improve|explain|what does|analy[sz]e|classify|parse|übersetz\w*|korrigier\w*|"
    r"fasse?\b.{0,30}\bzusammen|traduis|traduire|corrige|résume|traduce|traducir|resume)\b|翻訳|要約|翻译|翻譯",
    re.I,
)
_NEXT = re.compile(
    r"\b(?:next (?:message|text|line|sentence|one)|what(?:ever)? i (?:write|type|send|say|paste) (?:next|now|then)|"
    r"(?:the )?following|(?:the )?texts? that follows?|nächste\w*|folgende\w*|suivant\w*|prochain\w*|siguiente\w*)\b|"
    r"次の|下一",
    re.I,
)
_LEAD = re.compile(r"[^.!?\n:：]+[:：]\s*[\"']?$")
"""What comes before a colon and tells whose words follow."""
_OF_ME = re.compile(
    r"\b(?:me|myself|i|i'm|about|facts?|details?|things?|preferences?|profile|context|background|info|update|note|"
    r"correction|fyi|know|these|following|to-?dos?)\b",
    re.I,
)
_WORK_ELSEWHERE = re.compile(
    r"\b(?:this|that|the|these|those|my) (?:[\w-]+ )?(?:articles?|papers?|documents?|reports?|books?|chapters?|pages?|"
    r"websites?|pdfs?|files?|videos?|podcasts?|stud(?:y|ies)|contracts?|code|functions?|errors?|logs?|talks?|lectures?)"
    r"(?: (?:for me|to me|please|briefly|in detail|in \w+ \w+))*,\s*$",
    re.I,
)
"""A text of more than a sentence that lies elsewhere: what follows the comma is the person's own."""
_NO_WORK = re.compile(r"\b(?:no need to|don't|do not|needn't|never|stop|without)\s+\w+", re.I)
"""What is not to be done makes no text to work on."""
_OPENS = re.compile(
    r"^\s*(?:(?:and|so|ok|okay|hi|hey|hello|dear|also|well|btw|by the way|p\.?s|fyi|now|quick|one|random|side|thing|"
    r"things|first|second|third|finally|lastly|yes|no|question|important|reminder|again|anyway|actually|honestly|"
    r"thanks|sorry|wait|edit|one more|another|next|my|our|"
    r"\w+ly|ach|übrigens|au fait|por cierto|ちなみに|实は|其实)\b[\s.,]*)+(?:\w+\s*)?[:：]\s*[\"']?$",
    re.I,
)
_UNREAL = re.compile(
    r"\b(?:ignor\w*|disregard|forget|false|fake|not|never|example|test\w*|lie|lies|myth|joke|sample|pretend|imagine|"
    r"untrue|wrong)\b",
    re.I,
)
_RECITED = re.compile(
    r"\b(?:repeat after|say after|after me|recite|read (?:it |this )?(?:out|aloud)|echo|sprich\b.*\bnach|répète|"
    r"repite)\b",
    re.I,
)
"""What is only to be said again."""
_LABEL = re.compile(r"(?:^|(?<=[.!?\n]))\s*([^.!?:\n]{2,60}):(?=\s)")
_WRITTEN = re.compile(
    r"\b(?:headline|title|caption|lyrics?|line|verse|chorus|song|quote|poem|proverb|saying|slogan|motto|joke|"
    r"article|news|"
    r"tweet|post|e-?mail|mail|letter|message|transcript|log|subject|review|story|book|page|text|überschrift|"
    r"zitat|betreff)"
    r"\b[^.!?\n]{0,30}[:：]\s*[\"']?$|\b(?:here's|here is|this is) what (?!i\b)[^.!?\n]{0,40}[:：]",
    re.I,
)
_DEAR = re.compile(
    r"(?:^|[:\n]\s*)(?:hi|hello|dear|hey|hallo|liebe[rs]?|cher|chère|hola)\s+(?:all|team|everyone|folks|[A-Z]\w+)\b",
    re.I,
)
_YOURS = re.compile(
    r"\b(?:cheers|regards|best|sincerely|yours|love|thanks|xx?|greetings|grüße|lg|mfg|saludos|cordialement|bises)\b"
    r"[,\s]+[A-Z]\w+",
    re.I,
)
ORDER = re.compile(
    r"\b(?:remember|memori[sz]e|note (?:that|this|it|down|:)|take (?:a )?note|make a (?:mental )?note|"
    r"keep (?:this |that |it )?in mind|(?:don't|do not|never) forget|"
    r"(?:save|store|keep|record) (?:this|that|it|these|the fact)|write (?:this |that |it )?down|"
    r"for (?:the record|your memory|future reference)|from now on|to your memory|"
    r"merke? dir|notiere?|denk dran|vergiss nicht|speichere?|retiens|souviens-toi|n'oublie pas|prends note|"
    r"recuerda|acuérdate|anota|no olvides|ricorda|ricordati|lembre|lembra|onthoud|kom ihåg|husk|zapamiętaj|запомни)\b|"
    r"覚えて|記憶して|メモして|记住|記住|기억해",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Saying:
    """A quote where it was typed."""

    typed: Typed
    quote: str
    """As typed, extended to whole clauses."""
    sentence: str
    before: str
    """The sentence up to the quote, and the one before it where that ends with a colon."""
    after: str
    """The rest of the sentence and the next one."""
    whole: bool
    """The quote is all of what was typed."""
    lead: str = ""
    """All of the message before the quote."""
    rest: str = ""
    """All of it after the quote."""


def find_quote(quote: str, typed: Sequence[Typed]) -> Saying | None:
    """The newest place where the quote was typed, word by word but for case, spaces and Unicode forms."""
    wanted = fold(quote).strip(_EDGE)
    if not wanted:
        return None
    for words in reversed(typed):
        for i, part in enumerate(words.parts):
            found = _in_part(wanted, part)
            if found:
                return _saying(words, *found, part=i)
    return None


def enough_words(quote: str) -> bool:
    # Of Japanese and Chinese a word has one sign or two.
    signs = sum(round(len(run) / 1.5) - max(1, (len(run) + 1) // 3) for run in _CJK.findall(quote))
    return count_words(fold(quote)) + signs >= LEAST_WORDS


def _in_part(wanted: str, part: str) -> tuple[str, int, int] | None:
    """The part in plain form, and where in it the folded quote stands."""
    text = plain(part)
    folded: list[str] = []
    at: list[int] = []
    for i, char in enumerate(text):
        if char.isspace():
            if folded and folded[-1] != " ":
                folded.append(" ")
                at.append(i)
            continue
        for c in char.casefold():
            folded.append(c)
            at.append(i)
    flat = "".join(folded)
    start = flat.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if _whole_words(flat, start, end):
            return text, at[start], at[end - 1] + 1
        start = flat.find(wanted, start + 1)
    return None


def _whole_words(text: str, start: int, end: int) -> bool:
    def inside(i: int) -> bool:
        return 0 < i < len(text) and text[i - 1].isalnum() and text[i].isalnum() and text[i].isascii()

    return not inside(start) and not inside(end)


def _saying(typed: Typed, text: str, start: int, end: int, *, part: int) -> Saying:
    first, last, earlier, later = 0, len(text), 0, len(text)
    for m in _sentence_ends(text):
        if m.end() <= start:
            earlier, first = first, m.end()
        elif m.start() >= end or m.end() > end:
            if last == len(text):
                last = m.end()
            else:
                later = m.end()
                break
    begin = max((m.end() for m in _CLAUSE.finditer(text, first, last) if m.end() <= start), default=first)
    stop = min((m.start() for m in _CLAUSE.finditer(text, first, last) if m.start() >= end), default=last)
    before = text[first:start]
    if text[earlier:first].rstrip().endswith((":", "：")):
        before = text[earlier:start]
    whole = len(typed.parts) == 1 and fold(text).strip(_EDGE) == fold(text[start:end]).strip(_EDGE)
    quote = text[begin:stop].strip()
    begin, stop = text.index(quote, begin), text.index(quote, begin) + len(quote)
    parts = [*map(plain, typed.parts)]
    around = ("\n".join([*parts[:part], text[:begin]]), "\n".join([text[stop:], *parts[part + 1 :]]))
    return Saying(typed, quote, text[first:last].strip(), before, text[end:later], whole, *around)


def bearing(wanted: Sequence[str], saying: Saying) -> Saying:
    """The sentence of the quoted message that holds most of the words; the quote's own where none holds more."""
    best, most = replace(saying, quote=saying.sentence), len(held(wanted, content(saying.sentence)))
    for i, part in enumerate(saying.typed.parts):
        text, at = plain(part), 0
        for stop in [*(m.end() for m in _sentence_ends(text)), len(text)]:
            count = len(held(wanted, content(text[at:stop])))
            if count > most and text[at:stop].strip():
                found = _saying(saying.typed, text, at, at + len(text[at:stop].rstrip()), part=i)
                best, most = replace(found, quote=found.sentence), count
            at = stop
    return best


def _sentence_ends(text: str) -> list[re.Match[str]]:
    return [m for m in _SENTENCE.finditer(text) if full_stop(text, m.start())]


def statements(text: str) -> list[str]:
    """The clauses of a text that state something: no questions, nothing that begins with "if"."""
    return [clause for clause, kind in _clauses(plain(text)) if kind == "states"]


def kind_of(saying: Saying) -> str:
    """`states`, `asks`, or `supposes`: what all of the quote's clauses do, `states` when one does."""
    kinds = {kind for _, kind in _clauses(saying.quote)}
    if "states" in kinds and not _IF.match(saying.sentence) and not _PLAYED.search(saying.before):
        return "states"
    return "supposes" if "states" in kinds or "supposes" in kinds else "asks"


def _clauses(text: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    at = 0
    ends = _sentence_ends(text)
    for stop, sign in [*((m.start(), m[0]) for m in ends), (len(text), "")]:
        sentence = text[at:stop]
        at = stop + len(sign)
        if not sentence.strip(_EDGE):
            continue
        supposed = _IF.match(sentence.strip()) is not None
        pieces = [p for p in _CLAUSE.split(sentence) if p.strip(_EDGE)]
        for i, piece in enumerate(pieces):
            asks = _ASKS.match(piece.strip(_EDGE)) or _ASKS_CJK.search(piece.strip())
            if asks or (i == len(pieces) - 1 and ("?" in sign or "？" in sign)):
                kind = "asks"
            else:
                kind = "supposes" if supposed or _WOULD.search(piece) else "states"
            out.append((piece.strip(), kind))
    return out


def played(saying: Saying, claim: str) -> bool:
    """Whether roles were given out before the quote, or it stands in a tale of which the claim says nothing."""
    text = plain(saying.typed.text)
    if any(not held(content(m["tale"]), content(claim)) for m in _TALE.finditer(saying.sentence)):
        return True
    return _ROLES.search(text[: text.find(saying.sentence) + len(saying.sentence)]) is not None


def joking(saying: Saying) -> bool:
    return _JOKE.search(_EARNEST.sub("", saying.sentence)) is not None or _JOKE.search(saying.after) is not None


def somebody_said(saying: Saying) -> str:
    """Whose words the quote repeats ("my friend said …"); empty when they are the person's own."""
    head = saying.before + saying.quote
    for m in _OTHER_SAYS.finditer(head):
        who = m["who"] or m["who2"] or m["who3"] or m["who4"] or m[0]
        if who.casefold() not in _ME and not ORDER.search(head[: m.end()]):
            return who
    return ""


def in_quotation_marks(saying: Saying) -> bool:
    """Whether the quote stands between quotation marks, and not after "remember"."""
    before = plain(saying.before)
    return before.count('"') % 2 == 1 and '"' in plain(saying.after) + plain(saying.quote) and not ORDER.search(before)


def under_a_label(saying: Saying, claim: str) -> bool:
    """Whether the quote holds a label before a colon of which the claim says nothing: "Bad idea: …"."""
    for m in _LABEL.finditer(plain(saying.quote)):
        label = content(m[1])
        told = _OF_ME.search(m[1]) or _OPENS.match(m[0]) or ORDER.search(m[1])
        if _RECITED.search(m[1]) or (label and not told and not held(label, content(claim))):
            return True
    return False


def announced(text: str) -> bool:
    """Whether a message says that the next one is a text to work on: "translate what I write next"."""
    return _MATERIAL.search(_NO_WORK.sub(" ", plain(text))) is not None and _NEXT.search(text) is not None


def gives_parts(text: str) -> bool:
    """Whether a message gives out roles, or sets up a tale, for what is said next."""
    return _ROLES.search(plain(text)) is not None or _SETS_UP.search(text) is not None


def is_material(saying: Saying) -> bool:
    """Whether the quote is a text to work on, to translate, to correct, or one that somebody wrote."""
    before = plain(saying.before)
    if ORDER.search(before):
        return False
    if lead := _LEAD.search(before):
        if _UNREAL.search(lead[0]) or _RECITED.search(lead[0]) or not (_OF_ME.search(lead[0]) or _OPENS.match(lead[0])):
            return True
    if re.match(r"\s*(?:dear|liebes?|cher|chère|querid[oa]|car[oa])\s+\w+,", saying.sentence, re.I):
        return True
    letter = _DEAR.search(before) is not None and _YOURS.search(plain(saying.after)) is not None
    works = _MATERIAL.search(_NO_WORK.sub(" ", before)) is not None and not _WORK_ELSEWHERE.search(before)
    return letter or works or _WRITTEN.search(before) is not None
