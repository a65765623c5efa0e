"""Whether the words are a text that the person hands over, or a tale: something to translate, to correct, to play.

What announces such a text governs all that follows it in the message, however many sentences, until a blank line and
a turn back to oneself. What points back to it ("please translate", "is this sentence right?") governs what is before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sessions.memory import letters
from sessions.memory.place import Piece, pieces_of, place_of, sentences_of
from sessions.memory.said import ORDER, Saying
from sessions.memory.wording import plain

MATERIAL = "the quote is a text to work on, not a statement of the user"
_I = re.I
_WORK = (
    r"(?:translate|proof-?read|spell-?check|rewrite|rephrase|reword|paraphrase|summari[sz]e|shorten|correct|polish|"
    r"edit|"
    r"improve|continue|complete|finish|review|rate|judge|criti(?:que|ci[sz]e)|grade|classify|parse|repeat|recite|echo|"
    r"say|send|post|tweet|print|quote|read|check|analy[sz]e|format|"
    r"übersetz\w*|korrigier\w*|überarbeite\w*|verbesser\w*|prüf\w*|lies|kürz\w*|wiederhol\w*|schreib\w*|"
    r"traduis\w*|traduire|corrige\w*|relis\w*|résume\w*|reformule\w*|répète|continue\w*|"
    r"traduce\w*|traducir|corrige\w*|revisa\w*|resume|repite|continúa)"
)
_TEXT = (
    r"(?:text|texts|sentences?|paragraph|passage|lines?|bio|profile|message|msg|mail|e-?mail|letter|post|tweet|essay|"
    r"story|tale|poem|lyrics?|song|quote|quotation|statement|transcript|diary|journal|script|dialogue|speech|cv|"
    r"resume|reply|caption|extract|excerpt|data|review|testimonial|ad|joke|words|grammar|spelling|english|german|"
    r"satz|sätze|nachricht|brief|profil|lebenslauf|gedicht|geschichte|rede|phrases?|texte|lettre|poème|histoire|"
    r"texto|frase|carta|mensaje|perfil|poema|historia)"
)
_POINTS = (
    rf"(?:(?:this|these|the following|the next|das folgende|folgende\w*|diese[nsr]?|das hier|dies|ceci|ça|ce|cette|"
    rf"esto|este|esta|lo siguiente|la siguiente|el siguiente)(?: (?:[\w-]+ )?{_TEXT})?|what follows|"
    rf"(?:the |my )?(?:[\w-]+ )?{_TEXT} (?:below|that follows)|below)"
)
_TO = (
    r"(?=\s*$|[\s,]+(?:to|into|in|for|from|please|as|and|with|like|out loud|aloud|auf|ins|für|bitte|en|au|al|por|pour|"
    r"s'il)\b)"
)
_ASKED = (
    r"(?:^|\b(?:please|can you|could you|would you|will you|you|to|and|then|now|just|let's|bitte|kannst du|peux-tu|"
    r"puedes)\s+)"
)
_FICTION = (
    r"^(?:(?!(?:i|we|you|he|she|they|it|is|are|was|has|have|need|want|love|like)\b)[\w'-]+ ){0,4}(?:novel|play|film|"
    r"movie|"
    r"riddle|screenplay|lyrics|lines?|verse|dialogue|monologue|vocabulary|dictation|exercise|practice|sample|alter ego|"
    r"character|persona|template|fan ?fiction)(?: (?:practice|below|for|of|from|by|in|i'm|i am)\b[^.!?]{0,30})?$"
)
"""A few words without a verb that name what follows."""
_NO_WORK = re.compile(r"\b(?:no need to|don't|do not|needn't|never|stop|without)\s+\w+", _I)
_HANDS_OVER = re.compile(
    rf"{_ASKED}{_WORK}\s+(?:(?:me|us|the bot|bitte|mir|uns) )*(?:{_POINTS}|das|es){_TO}|"
    rf"{_ASKED}(?:complete|finish|continue|correct|translate|proof-?read|rewrite|rephrase) the (?:[\w-]+ )?{_TEXT}$|"
    r"\bfill in the (?:blanks?|gaps?)\b|(?:翻訳して|訳して|添削して|要約して|校正して|翻译|翻譯|校对|总结)|"
    # What somebody else wrote.
    r"\bwhat (?!i\b|you\b|we\b)(?:[\w']+ ){1,4}?(?:wrote|said|sent|told|posted|texted|says|writes|claims|claimed)"
    r"(?: me| us| to me)?$|\b(?:wrote|said|sent|posted|texted|told|says|writes|schrieb|écrit|escribió)(?: me| us)? "
    r"(?:this|the following|das|folgendes|ceci|ça|esto)(?: to me| for me)?$|"
    rf"\b(?:{_TEXT}|it|he|she|they|who)\b[^.!?]*\b(?:went|goes|go|reads?|began|begins?|starts?|ran|runs|said|says|"
    r"sounds?|continues?)(?: like this| as follows| thus)$|"
    rf"\b(?:here(?:'s| is| are| comes?)|this is|these are|below is|das ist|hier ist|voici|c'est|aquí está|este es) "
    rf"(?!my (?:own )?{_TEXT}\b|mein\w* {_TEXT}\b|mon {_TEXT}\b|mi {_TEXT}\b)(?:[\w'-]+ ){{0,4}}?{_TEXT}\b|"
    rf"^(?:(?:an?|some|the|quick|for|more|ein|eine|un|une|here(?:'s| is| are)|this is)\s+)*(?:sample|test|example|"
    rf"dummy|"
    rf"fake|placeholder|fictional|fictitious|hypothetical|mock|demo|beispiel\w*|testdaten|testtext|exemple|ejemplo)s?"
    rf"(?: (?:[\w-]+ )?(?:{_TEXT}|input|persona|user|answer|entry|case))?(?: below| here)?$|"
    rf"\b(?:found|copied|overheard|received|saw|read|heard) (?:this|these|the following)(?: {_TEXT})?"
    r"(?: (?:online|somewhere|(?:on|in|at|from) [\w ]+))?$|"
    r"^(?:this|these|it) (?:was|were|is|are|stood|appeared) (?:in|on|from) (?:the|an?|my|some) (?:\w+ )?(?:paper|"
    r"news\w*|book|novel|film|movie|article|magazine|internet|web|letter|chat|forum)\b|"
    rf"{_FICTION}|\bin (?:this|my|our|the) (?:next )?(?:story|novel|tale|game|role-?play|scenario|play|dream|"
    r"simulation|poem|joke|sketch|scene)\b|"
    rf"\b(?:diary|journal|log|letter|tagebuch|journal intime|diario) (?:of|from|von|de) ",
    _I,
)
_BEFORE_COLON = re.compile(
    rf"{_ASKED}{_WORK}\b|\b{_TEXT} (?:of|from|by|for) (?!me\b|my\b|myself\b)|\b(?:begins?|starts?|goes|reads|says|"
    rf"went)$|"
    rf"^(?!(?:as )?(?:i|we)\b)[^.!?]*\b(?:wrote|writes|said|sent|posted|texted|told|asked|schrieb|sagte|a dit|a écrit|"
    rf"dijo|"
    rf"escribió)\b[^.!?]{{0,20}}$|\b(?:{_TEXT}|prompt|input|headline|title) (?:is|was)$|"
    r"^(?:not true|untrue|false|fiction|lies?|invented|made up)\b",
    _I,
)
_PRETENDS = re.compile(
    r"^(?:(?:ok|okay|now|so|hey|please|let's|then)[\s,]+)*(?:pretend\b|imagine (?:this|the following|that you|"
    r"you(?:'re)?\b)|"
    r"(?:suppose|assume) (?:this|the following|that you|you(?:'re)?\b)|make believe|picture this|role-?play|"
    r"play (?:the part|a role|me\b)|opposite day|(?:it's|today is) opposite day|once upon a time|"
    r"stell dir (?:das |folgendes )?vor|tu so,? als|angenommen$|nehmen wir an$|imagine (?:ceci|que tu)|fais comme si|"
    r"imagina (?:esto|que eres)|finge|haz como si|想像して|ふりをして|(?:假设|想象)一下|假装)",
    _I,
)
_UNTRUE = re.compile(
    r"\b(?:all|none|nothing|everything|half|most|any|whatever|anything|what|two|three)\b[^.!?]{0,40}\b(?:(?:of|"
    r"in) (?:this|these|"
    r"that|it)|following|below|next|i(?:'m| am| will|'ll)? (?:\w+ )?(?:say|write|tell|type|saying|telling|"
    r"post))\b[^.!?]{0,40}"
    r"\b(?:is|are|will be|'s|was)\b[^.!?]{0,20}\b(?:false|untrue|lies?|true|made up|invented|fiction\w*|fake|jokes?|"
    r"nonsense|wrong|real)\b|"
    r"\b(?:the following|what follows|(?:my|the) next (?:message|sentence|line|text|statement|thing|part|bit|words|"
    r"paragraph)s?)\b[^.!?]{0,20}"
    r"\b(?:is|are|will be)\b[^.!?]{0,20}\b(?:false|untrue|lies?|made up|invented|fiction\w*|fake|jokes?|tests?|wrong|"
    r"not "
    r"(?:true|real|mine|about me))\b|"
    r"\b(?:two|2|three|3) (?:truths|lies)\b|^(?:this|it)(?:'s| is) (?:just |only )?an? (?:test|joke|lie|drill|game|"
    r"prank)$|"
    r"\balles? (?:folgende|was (?:jetzt )?folgt|was ich (?:gleich |jetzt )?(?:sage|"
    r"schreibe))\b[^.!?]{0,20}\b(?:falsch|gelogen|"
    r"erfunden|unwahr)\b|\btout ce qui suit est (?:faux|inventé)\b|\btodo lo que sigue es (?:falso|mentira|"
    r"inventado)\b|"
    r"以下は(?:全部)?(?:嘘|フィクション|冗談)|(?:以下|下面)(?:全部|都)?(?:是|都是)(?:假|谎|编)",
    _I,
)
_NOT_UNTRUE = re.compile(r"\b(?:all|everything)\b[^.!?]{0,60}\b(?:true|real)\b", _I)
_KINDLY = r"^(?:(?:please|now|can you|could you|would you|kindly|then|so|and|bitte|ok|kannst du|peux-tu|puedes)[\s,]+)*"
_REWORK = (
    r"(?:translate|proof-?read|spell-?check|rewrite|rephrase|reword|paraphrase|correct|polish|übersetz\w*|korrigier\w*|"
    r"traduis|traduire|corrige|reformule|traduce|traducir)"
)
_ORDERS_WORK = re.compile(
    # "Paraphrase.": the bare order. "Correct." and "Polish." alone may be an answer, and a language.
    rf"{_KINDLY}(?:translate|proof-?read|spell-?check|rewrite|rephrase|reword|paraphrase|summari[sz]e|shorten|"
    r"übersetz\w*|korrigier\w*|kürz\w*|formulier\w* um|umformulieren|traduis|traduisez|reformule\w*|résume\w*|"
    r"raccourcis|"
    r"traduce|parafrasea|reformula|resume)(?: please| bitte| s'il te plaît| por favor)?$|"
    # "Turn this into a haiku", "make this sound nicer".
    rf"{_KINDLY}(?:turn|convert|transform|rework|mach\w*|verwandl\w*|transforme\w*|convierte) (?:this|these|the "
    r"following|daraus|das hier|ceci|esto) (?:into|to|ein\w*|en) |"
    rf"{_KINDLY}make (?:this|these|the following) (?:sound|read|nicer|friendlier|more polite|more formal|rhyme)\b|"
    # "Is this sentence correct?", "does this text sound natural?"
    rf"^(?:is|are) (?:this|these|the following) (?:[\w-]+ )?{_TEXT} (?:[\w-]+ )?(?:correct|ok|okay|right|good|fine|"
    rf"grammatical\w*|natural|polite|clear|proper|idiomatic|wrong|formal)\b|"
    rf"^do(?:es)? (?:this|these|the following)(?: (?:[\w-]+ )?{_TEXT})? (?:sound|read|flow|make sense)\b|"
    rf"^(?:ist|sind) (?:dieser?|diese[sn]?|der folgende|das folgende) {_TEXT} (?:richtig|korrekt|gut|ok|okay|so)\b|"
    rf"^(?:est-ce que )?cette {_TEXT} est(?:-elle)? (?:correcte|juste|bonne)\b|"
    rf"^¿?\s*(?:es|está) (?:correcta|correcto|bien) est[ae] {_TEXT}\b|^¿?\s*est[ae] {_TEXT} (?:es|está) "
    rf"(?:correct[ao]|bien)\b|"
    # "Check this LinkedIn summary for typos".
    rf"{_KINDLY}(?:check|{_REWORK}|summari[sz]e|shorten|improve|edit|fix|grade|rate|review) (?:this|these|the "
    rf"following) "
    rf"(?:[\w-]+ )*?(?:{_TEXT}|summary|abstract|note|memo|comment|voicemail|chat)\b{_TO}",
    _I,
)
"""An order to work on what follows, or a question whether it is well put."""
_NEXT = re.compile(
    r"\b(?:next|following|follows|i(?:'m| am| will|'ll)? (?:\w+ )?(?:say|write|tell|type|saying)|folgt|sage|suit|"
    r"sigue)\b",
    _I,
)
_SHOULD_SAY = re.compile(
    r"\b(?:it|which|that|he|she|they|(?:the|my) \w+) (?:should|must|has to|needs to|can|could|will|ought to|"
    r"would)\s+(?:just )?"
    r"(?:say|read|state|mention|begin|start|go|sound like)\b|\b(?:saying|that says|which says|with the (?:text|"
    r"words))\b|"
    r"\bit (?:begins|starts|goes|reads)\b",
    _I,
)
_POINTS_BACK = re.compile(
    rf"{_KINDLY}(?:{_WORK}) (?:the above|above|(?:this|that|these|the) (?:[\w-]+ )?{_TEXT}|my (?:grammar|spelling|"
    rf"english|german|"
    rf"french|sentence|text))\b{_TO}|"
    rf"{_KINDLY}(?:{_REWORK}|improve|shorten|edit|fix) (?:this|that|all of (?:it|this|that))\b{_TO}|"
    rf"{_KINDLY}{_REWORK}(?: (?:it|these|das|es|ça|cela|eso|esto))?(?:\s+(?:to|into|in|ins|en|al|auf|for me)\b.*)?\s*$|"
    rf"^(?:is|are|was) (?:this|that|the|my|these) (?:{_TEXT})\b|"
    r"^(?:is|was) (?:this|that|it) (?:correct|proper|good|grammatical\w*|idiomatic|natural|right) (?:english|german|"
    r"french|spanish|grammar|japanese|\w+ly)\b|"
    r"\b(?:how|what) (?:do|would|can|should|could) (?:you|i|we|one) (?:say|write|translate|spell|phrase) (?:this|that|"
    r"it)\b|"
    r"\bhow is (?:this|that|it) (?:said|written|spelled|spelt|translated)\b|"
    r"\bwhat(?:'s| is| does| would)? (?:this|that|it)(?: mean| be)? in (?:english|german|french|spanish|japanese|"
    r"\w+ese|\w+ish)\b|"
    r"^(?:please |can you |could you |now )*make (?:this|that|it) (?:sound|read|shorter|nicer|longer|better|more|less|"
    r"formal|polite)\b|"
    r"^(?:please |can you |could you |now )*fix (?:the|this|that|my|it)\b[^.!?]*\b(?:grammar|spelling|typos?|above|"
    r"sentence|text|english|wording)\b|"
    r"^(?:which|what) (?:film|movie|book|song|show|poem|series|play) is (?:this|that|it) from\b|"
    r"^who (?:said|wrote|sang|sings|says) (?:this|that|it)\b|"
    r"^(?:this|that|it|the above|these)(?:'s| is| are| was| were) (?:from|an? (?:quote|quotation|line|lyric|"
    r"translation|"
    r"test sentence)|(?:not )?(?:my|\w+'s) words|somebody else's|what (?!i\b)[\w ']+(?:said|wrote|says|told|sent|"
    r"posted))\b|"
    r"^as (?!i\b|you\b|we\b)[\w ]+ (?:put|puts|says?|said|wrote|sings?|sang)\b|"
    r"^(?:(?:[\w-]+ ){0,2}[\w-]+'s|not my|not mine|his|her|their)(?: own)? words\b|^(?:a )?(?:quote|quotation|line|"
    r"lyrics?|extract|excerpt|"
    r"words) (?:from|of|by)\b|^(?:end (?:of )?(?:quote|quotation)|unquote)\b|"
    r"^(?:wie sagt man das|ist der satz|wer hat das gesagt|comment dit-on (?:ça|cela)|c'est correct en|"
    r"cómo se dice (?:eso|esto))\b|"
    r"(?:この|今の|上の)(?:文|文章)|英語で(?:は|何|なん)|フランス語で|(?:这|上面)(?:句|段)话?|用英语怎么说",
    _I,
)
_BACK = re.compile(
    r"^(?:(?:ok|okay|so|now|and|well|anyway)[\s,]+)*(?:as for me|about me|for my part|on my side|me,|myself|"
    r"in real life|in "
    r"reality|in truth|actually|seriously|for real|by the way|btw|back to (?:me|reality)|end of (?:the )?(?:text|"
    r"quote|story|"
    r"bio|message)|that (?:was|is) (?:it|all|the text)|so much for|what do you|can you|could you|"
    r"übrigens|zu mir|im ernst|was mich|au fait|pour ma part|en vrai|sérieusement|quant à moi|por cierto|en serio|"
    r"en cuanto a mí|ちなみに|さて|ところで|顺便)",
    _I,
)
_GREETS = re.compile(
    r"^\s*(?:dear|hi|hello|hey|liebe[rs]?|sehr geehrte[rs]?|hallo|cher|chère|bonjour|estimad[oa]|querid[oa]|hola)"
    r"(?: [^\W\d_][\w.'-]*){1,4},?[ \t]*\n",
    _I,
)
_CLOSES = re.compile(
    r"^[ \t]*(?:(?:best|kind|warm) (?:regards|wishes)|regards|cheers|sincerely|yours|love|best|(?:viele|liebe|beste|"
    r"schöne) grüße|"
    r"mit freundlichen grüßen|mfg|lg|grüße|cordialement|bises|bien à (?:toi|vous)|saludos|un abrazo|atentamente|敬具)\b"
    r"[^\n]{0,30}$",
    _I | re.M,
)
_SPEAKER = re.compile(
    r"^[ \t]*(user|assistant|human|ai|bot|system|agent|q|a|question|answer|customer|interviewer|interviewee|patient|"
    r"doctor|"
    r"speaker(?: \w)?|caller|host|guest|me|you|him|her|he|she|person \w)[ \t]*:[ \t]",
    _I | re.M,
)


def is_handed(saying: Saying, claim: str) -> bool:
    """Whether the words that carry the claim are governed by something that makes them a text or a tale."""
    found = place_of(saying, claim)
    start, carrying = found.carries.start, found.carries.text
    lead = " ".join([*(p.text for p in found.ahead if p.sentence == found.carries.sentence), carrying])
    asked = any(letters.asks_about(s) for s in _questions(found.after))
    if _announced(found.ahead, found.text, start, carrying, asked=asked):
        return True
    nexts = found.after[:1]
    if any(p.sentence == found.carries.sentence and letters.is_said_by(p.words) for p in nexts):
        return True
    if (m := _SHOULD_SAY.search(lead)) and not ORDER.search(lead[: m.end()]):
        return True
    if any(_POINTS_BACK.search(s) or letters.tells_whose(s) for s in _questions(found.after)):
        return True
    if _GREETS.match(found.text) and _CLOSES.search(found.tail):
        return True
    speakers = {m[1].casefold() for m in _SPEAKER.finditer(found.text)}
    return len(speakers) > 1 and _SPEAKER.match(found.text[found.text.rfind("\n", 0, start) + 1 :]) is not None


def hands_over_next(text: str) -> bool:
    """Whether a message announces that what comes next is untrue: "everything I say next is false"."""
    return any(_is_untrue(s) and _NEXT.search(s) for s, _ in sentences_of(pieces_of(plain(text))))


def _announced(ahead: Sequence[Piece], text: str, start: int, carrying: str, *, asked: bool) -> bool:
    """Whether a sentence, or what stands before a colon, announces a text and nothing turns back to the person.

    `asked`: what comes after it asks about a text.
    """
    governed = fresh = False
    end = 0
    for group in _groups(ahead):
        words = " ".join(p.text.strip() for p in group)
        words, close = words.strip(" \"'()"), group[-1].close
        blank = re.search(r"\n[ \t]*\n", text[max(0, end - 2) : group[0].start]) is not None
        if governed and ((blank and _BACK.match(words)) or (not fresh and ORDER.search(words))):
            governed = False
        fresh = False
        # After a comma the same sentence goes on: "I got a mail from HR, I start on Monday".
        letter = close.strip() != "," and (letters.announces(words) or (asked and letters.mentions(words)))
        if letter or _announces(words, colon=":" in close or "：" in close):
            governed = fresh = True
        end = group[-1].end + len(group[-1].close)
    if governed:
        blank = re.search(r"\n[ \t]*\n", text[max(0, end - 2) : start]) is not None
        if (blank and _BACK.match(carrying)) or (not fresh and ORDER.search(carrying)):
            return False
    return governed


def _groups(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of each sentence; what stands before a colon is one by itself."""
    out: list[list[Piece]] = []
    for piece in pieces:
        last = out[-1][-1] if out else None
        if last is not None and last.sentence == piece.sentence and not re.match(r"\s*[:：]", last.close):
            out[-1].append(piece)
        else:
            out.append([piece])
    return out


def _announces(words: str, *, colon: bool) -> bool:
    if ORDER.search(words):
        return False
    words = _NO_WORK.sub(" ", words)
    if _HANDS_OVER.search(words) or _ORDERS_WORK.search(words) or _PRETENDS.match(words):
        return True
    if _is_untrue(words):
        return True
    return colon and _BEFORE_COLON.search(words) is not None


def _is_untrue(words: str) -> bool:
    return _UNTRUE.search(words) is not None and _NOT_UNTRUE.search(words) is None


def _questions(pieces: tuple[Piece, ...]) -> list[str]:
    """The sentences that follow, and their clauses."""
    whole = [sentence.strip(" \"'()[]") for sentence, _ in sentences_of(pieces)]
    return [*whole, *(p.words for p in pieces)]
