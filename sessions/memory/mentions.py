"""A sentence that is only named, and not said: a song's title, a text for a sign, a phrase that is talked about."""

from __future__ import annotations

import re

from sessions.memory.wording import plain

_I = re.I
_ME = (
    r"(?:I(?:'m|'ve|'d|'ll)? (?=[a-z])|Ich (?=[a-zäöü])|ich (?=[a-zäöü]+\b(?! (?:bin|habe)\b))|"
    r"[Jj](?:e |')(?=[a-zàâéèêîïôûç])|Yo )"
)
_VERBS_ES = r"(?:Vivo|Soy|Tengo|Amo|Odio|Trabajo|Hablo|Como|Bebo)\b"
_TITLED = re.compile(
    r"\b(?:called|titled|entitled|named|reads?|headed|labell?ed|goes like|heißt|lautet|namens|betitelt|s'appelle|"
    rf"intitulée?|dit|se llama|titulad[oa]|llamad[oa])\s*:? [\"']?(?-i:{_ME}|{_VERBS_ES})",
    _I,
)
_TEXT = (
    r"(?:sentences?|phrases?|titles?|songs?|texts?|lines?|examples?|samples?|passwords?|mott?os?|slogans?|lyrics?|"
    r"words?|"
    r"quotes?|names?|headlines?|questions?|statements?|strings?|prompts?|tests?|captions?|placeholders?|tongue "
    r"twisters?|"
    r"satz|sätze|titel|lied|text|beispiel\w*|testsatz|zitat|spruch|chanson|titre|texte|exemple|citation|frase|frases|"
    r"título|canción|texto|ejemplo|cita)"
)
_IS_TEXT = re.compile(
    rf"(?:^|[\"'\s])(?-i:{_ME}|{_VERBS_ES})[^.,;!?\n]*? (?:is|was|are|would be|would make|sounds like|makes|has|ist|"
    rf"wäre|"
    rf"klingt "
    rf"wie|est|serait|es|sería) (?:\w+ ){{0,4}}?{_TEXT}\b",
    _I,
)
_TYPED = re.compile(
    r"^(?:(?:please|pls|now|then|ok|bitte|can you|could you|let's|just)\s+)*(?:use|type|write|print|echo|put|enter|"
    r"insert|output|log|spell|paste|render|display|read|sing|say|send|search for|search|google|look up|find|replace|"
    r"try|"
    r"take|copy|engrave|paint|how about|what about|nimm|nutze|verwende|benutze|schreib\w*|tipp\w*|such\w* nach|"
    r"druck\w*|"
    r"sag|utilise[rz]?|écri[st]|écrivez|tape[rz]?|mets|cherche|prends|usa|escribe|pon|busca|imprime)\s+[\"']?"
    rf"(?-i:{_ME}|{_VERBS_ES})",
    _I,
)
_AS_TEXT = re.compile(
    rf"\b(?:as|als|comme|como)\s+(?:\w+ ){{0,2}}?(?:{_TEXT}|input|data|dummy|filler|beispieltext|platzhalter|"
    rf"mustertext)"
    r"(?=\W*$|[.,;!?]| (?:for|in|on|please|here|text|sentence)\b)|"
    rf"\b(?:the|der|den|dem|la) (?:\w+ ){{0,2}}?{_TEXT} [\"']?(?-i:{_ME}|{_VERBS_ES})",
    _I,
)
_SPEAKS = re.compile(rf"(?-i:{_ME}|{_VERBS_ES})", _I)


def is_mentioned(sentence: str) -> bool:
    """Whether a sentence names another one, in the first person, as a title, a sample or a text for something."""
    text = plain(sentence)
    if any(rule.search(text) for rule in (_TITLED, _IS_TEXT, _TYPED)):
        return True
    return _SPEAKS.search(text) is not None and _AS_TEXT.search(text) is not None
