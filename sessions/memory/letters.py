"""Whether somebody else wrote or said the words: a mail, a note, a chat that the person shows.

It is told ahead ("Email from Ines."), or afterwards (", she said.", "These were her words."). Where the person only
mentions a letter ("I got an email from a client."), what follows is its text if they ask about it later.
"""

from __future__ import annotations

import re

_I = re.I
_LETTER = (
    r"(?:(?:[ck]over ?|news)?letters?|e-?mails?|mails?|messages?|msg|notes?|texts?|text messages?|sms|dms?|chats?|"
    r"voice ?mails?|voice messages?|posts?|tweets?|comments?|reviews?|repl(?:y|ies)|essays?|summar(?:y|ies)|abstracts?|"
    r"memos?|paragraphs?|statements?|testimonials?|captions?|quotes?|bios?|profiles?|ads?|poems?|stor(?:y|ies)|"
    r"nachricht(?:en)?|briefe?|sprachnachricht|notiz(?:en)?|zettel|kommentare?|rezension|aufsatz|"
    r"courriels?|lettres?|mots?|commentaires?|avis|textos?|rédaction|"
    r"correos?|mensajes?|cartas?|notas?|comentarios?|reseñas?|redacción)"
)
_OF = r"(?:from|by|von|vom|de|del|du|d')"
_NOT_ME = r"(?!(?:me|myself|us|mir|uns|moi|nous|mí|nosotros|yo)\b)"
_ARTICLES = (
    r"(?:(?:an?|the|this|that|another|new|ein\w*|eine[rnms]?|der|die|das|diese[rsn]?|un|une|le|la|ce|cette|una|el|"
    r"este|esta)\s+)*"
)
_HAS_IT = (
    r"(?:got|received|found|saw|have|had|read|get|forwarded|bekam|bekommen|erhielt|habe|hab|hatte|ai reçu|reçu|"
    r"recibí|recibido|tengo|me llegó)"
)
_GAVE = (
    r"(?:submitted|wrote|sent|posted|gave|handed in|left|shared|forwarded|dictated|published|texted|emailed|mailed|"
    r"schrieb|schickte|a écrit|a envoyé|m'a (?:écrit|envoyé)|escribió|mandó|envió|me (?:escribió|mandó|envió))"
)
_SAID = (
    r"(?:said|says|wrote|writes|replied|replies|answered|texted|told me|tells me|asked|posted|sagte|sagt|schrieb|"
    r"schreibt|meinte|antwortete|a dit|a écrit|dit|écrit|m'a dit|m'a écrit|dijo|dice|escribió|escribe|respondió)"
)
_NOT_I = (
    r"(?!(?:i|we|you|as|and|but|so|if|what|who|that|this|it|nobody|nothing|ich|wir|wie|je|nous|on|comme|yo|como|"
    r"nosotros)\b)"
)
_ANNOUNCES = re.compile(
    # "Email from Ines", "A voice message from my dad": no verb.
    rf"^{_ARTICLES}(?:[\w-]+ )?{_LETTER} {_OF} ?{_NOT_ME}[\w'.-]+(?: [\w'.-]+){{0,3}}$|"
    # "What follows is a chat from my uncle".
    rf"^(?:what follows|the following|below|next|was folgt|das folgende|ce qui suit|lo que sigue|lo siguiente) "
    rf"(?:is|are|comes?|was|ist|sind|kommt|est|es) (?!(?:my|mein\w*|mon|ma|mi)\b)(?![^.!?]*\b(?:about (?:me|myself|us)|"
    rf"über mich|sur moi|sobre mí)\b)[^.!?]*\b{_LETTER}\b|"
    # "Got this text from my sister".
    rf"\b{_HAS_IT} (?:this|these|the following|diese\w*|folgende\w*|ce|cette|este|esta) (?:[\w-]+ ){{0,2}}?{_LETTER} "
    rf"(?:{_OF}|in|on|today|yesterday)\b|"
    # "My student submitted this essay".
    rf"^{_NOT_I}[^.!?]*\b{_GAVE}(?: (?:me|us|mir|uns))? (?:this|the following|diese\w*|folgende\w*|ce|cette|este|esta) "
    rf"(?:[\w-]+ ){{0,2}}?{_LETTER}\b|"
    # "Patient says".
    rf"^{_NOT_I}(?:[\w'.-]+ ){{1,4}}?{_SAID}$|"
    # "The opening line of my short story".
    r"\b(?:opening|first|last|closing|final|next|erste[rn]?|letzte[rn]?|première|dernière|primera|última) (?:lines?|"
    r"sentences?|words|paragraph|scene|verse|stanza|satz|zeile|phrase|ligne|frase|línea) (?:of|for|from|in|meine\w*|de|"
    r"für) [^.!?]{0,60}(?:story|novel|book|poem|song|speech|letter|essay|thriller|play|script|film|tale|memoir|"
    r"roman\w*|geschichte|gedichts?|rede|histoire|livre|poème|novela|cuento|historia|libro|poema)\b|"
    r"^[^。]{1,20}からの(?:メール|手紙|メッセージ|返事|留守電)(?:です)?$|^(?:来自)?[^。]{1,12}(?:发来|写来)的(?:邮件|信|消息|短信)$",
    _I,
)
_MENTIONS = re.compile(
    rf"\b{_HAS_IT} (?:back )?{_ARTICLES}(?:[\w-]+ ){{0,2}}?{_LETTER} {_OF} ?{_NOT_ME}\w|"
    rf"\b{_LETTER} {_OF} ?{_NOT_ME}(?:[\w'.-]+ ){{1,4}}?(?:bekommen|erhalten|came|arrived|gekommen|angekommen)$|"
    rf"^{_NOT_I}[^.!?]*\b{_GAVE} (?:me|us|mir|uns)?\b[^.!?]{{0,20}}$|"
    rf"^(?:her|his|their|the|my [\w-]+'s|[\w-]+'s|ihre?|seine?|sa|son|leur|su) (?:[\w-]+ )?(?:{_LETTER}|answer|antwort|"
    rf"réponse|respuesta) (?:was|is|came|war|ist|est|était|es|fue)\b|"
    rf"^(?:this|that|diese[rs]?|ce|cette|este|esta) (?:[\w-]+ )?{_LETTER}"
    r"(?: (?:on|from|by|in|at|von|auf|de|en) [^.!?]*)? (?:is|was|made|makes|sounds?|ist|est|es)\b|"
    rf"\b(?:help|trouble|feedback|hilfe|aide|ayuda) (?:with|on|bei|mit|avec|con) (?:this|these|the following|diese\w*|"
    rf"ce|cette|este|esta) (?:[\w-]+ ){{0,2}}?{_LETTER}\b|"
    r"から(?:の)?(?:メール|手紙|メッセージ|ライン|LINE|連絡)が(?:来|届)|(?:收到|来了)[^。]{0,12}(?:邮件|信|消息|短信)",
    _I,
)
_ASKS_ABOUT = re.compile(
    r"\b(?:how|what) (?:do|should|shall|would|could|can|might) (?:i|we|you) (?:best )?(?:answer|reply|react|respond|"
    r"say|write)\b|^(?:what now|thoughts|your thoughts|any thoughts|believable)$|"
    r"\b(?:draft|write|compose|suggest|prepare|help me with|need)\b[^.!?]{0,40}\b(?:answer|reply|response)\b|"
    r"^(?:please |can you |could you )*(?:answer|reply to|respond to|summari[sz]e|shorten|translate|analy[sz]e|grade) "
    r"(?:this|that|it|him|her|them|the (?:mail|e-?mail|letter|message))\b|"
    r"^is (?:it|this|that) (?:a )?(?:fake|genuine|real|legit|phishing|scam|spam|rude|legal|serious|good|any good|ok|"
    r"okay)\b|"
    r"^does (?:it|this|that) (?:flow|sound|read|work|make sense)\b|\bhow would you (?:grade|rate|judge|read) (?:it|"
    r"this)\b|"
    r"\bwhat (?:does|do|did) (?:he|she|they|it) (?:mean|want)\b|"
    r"\bwas (?:antworte|schreibe|sage|soll) ich\b|\bwie (?:antworte|reagiere|soll ich antworten)\b|"
    r"\b(?:que|quoi|comment) (?:lui |leur |dois-je |puis-je )*(?:répondre|dire|réagir|réponds)\b|"
    r"\b(?:qué|cómo) (?:le |les |debo |puedo )*(?:contesto|respondo|digo|responder|contestar|reacciono)\b|"
    r"(?:どう|何と)(?:返事|返信|答え|返せ)|(?:返事|返信)(?:を|し|す)|(?:怎么|如何)(?:回复|回答|回)",
    _I,
)
_WHO = r"(?:he|she|they|er|sie|il|elle|ils|elles|él|ella|ellos|(?:my|the|mein|meine|mon|ma|mi) [\w-]+|[^\W\d_][\w-]+)"
_SAID_BY = re.compile(
    rf"^{_NOT_I}{_WHO} (?:just |then |once )?{_SAID}(?: (?:once|yesterday|today|to me|me))?$|"
    rf"^{_SAID} {_NOT_I}[\w'.-]+(?: [\w'.-]+){{0,3}}$|"
    r"^(?:と|って)[^。]{0,12}(?:言|書)",
    _I,
)
_WHOSE = re.compile(
    r"^(?:these|those|this|that) (?:were|are|was|is) (?:her|his|their|the [\w-]+'s|my [\w-]+'s|[\w-]+'s) (?:own |"
    r"exact |very |last )*words\b|"
    rf"^{_NOT_I}[^.!?]{{2,40}} (?:said|wrote|sent|posted|texted|told me) (?:this|that|it)(?: to me| me| yesterday| "
    rf"today|"
    r" last \w+)?$|"
    r"^(?:that's|that is|this is|that was|so) (?:how|what) [^.!?]*\b(?:novel|story|book|poem|song|letter|speech|essay|"
    r"e-?mail|mail|text|message|post|film|play|script|chapter|tale)\b[^.!?]*\b(?:starts?|begins?|opens?|ends?|goes|"
    r"says|say|reads?|closes?)$|"
    r"^(?:das (?:waren|sind)) (?:ihre|seine|deren|die) worte\b|^so (?:beginnt|fängt|endet) (?:mein|der|das|die)\b|"
    r"^(?:ce sont|c'étaient) (?:ses|leurs) mots\b|^c'est ainsi que (?:commence|finit)\b|"
    r"^(?:esas|estas) (?:son|fueron|eran) sus palabras\b|^así (?:empieza|comienza|termina)\b",
    _I,
)


def announces(words: str) -> bool:
    """Whether a sentence tells that what follows is what somebody else wrote or said."""
    return _ANNOUNCES.search(words) is not None


def mentions(words: str) -> bool:
    """Whether a sentence speaks of a letter whose text may follow."""
    return _MENTIONS.search(words) is not None


def asks_about(words: str) -> bool:
    """Whether a sentence asks what to make of a text, or to answer it."""
    return _ASKS_ABOUT.search(words) is not None


def is_said_by(words: str) -> bool:
    """Whether the clause right after some words names somebody else who said them: "she said"."""
    return _SAID_BY.match(words) is not None


def tells_whose(words: str) -> bool:
    """Whether a sentence says that the words before it are somebody's, or those of a tale."""
    return _WHOSE.match(words) is not None
