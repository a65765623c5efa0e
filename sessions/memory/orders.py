"""Whether words order something to be done now: of an order no rule is made for always.

"Send Ann my address", "Unlock the front door" and "Reply yes to Dana" are done once. "Answer briefly" and "Use Celsius"
tell how the agent is to work, which is always so; what is ordered with "always" or "every Friday" is a rule as well.
"""

from __future__ import annotations

import re

from sessions.memory import occasion, ways
from sessions.memory.clauses import Clause, clauses_of, most_of
from sessions.memory.said import Saying
from sessions.memory.wording import content, fold, plain

ORDERED = "it is an order for now, and the fact would stand for always"
NOT_SELF = "it is kept of the agent itself, and the user's words are not about the agent"
ALWAYS = "it says more than the user's words: {}"
_I = re.I
_LASTS = (
    r"(?:always|never|every\w*|each|whenever|once (?:a|per)|from (?:now|today) on\w*|as of now|in (?:the )?future|"
    r"by default|as a rule|generally|usually|any ?time|(?<!the )(?<!my )(?<!our )(?<!this )(?:daily|weekly|monthly|"
    r"yearly)|"
    r"(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:on )?weekdays|only (?:if|when|after|once)|remember|"
    r"immer|nie|niemals|jede\w*|künftig|ab (?:jetzt|heute|sofort)|von (?:jetzt|nun) an|täglich|wöchentlich|"
    r"toujours|jamais|chaque|désormais|dorénavant|à partir de maintenant|tous les|toutes les|"
    r"siempre|nunca|cada|todos los|todas las|a partir de ahora|de ahora en adelante|"
    r"sempre|mai|ogni|d'ora in poi|всегда|никогда|кажд\w+|впредь)"
)
_LASTING = re.compile(rf"\b{_LASTS}\b|いつも|常に|必ず|毎|今後|これから|总是|每|以后|永远|从现在|항상|앞으로|매", _I)
_WHEN = (
    r"(?:(?:when|if|unless|until|before|after) (?!noon|lunch|dinner|midnight|tomorrow|tonight|\d)|wenn|falls|bevor|"
    r"nachdem|quand|lorsque|avant|cuando|antes|quando|когда)"
)
_STANDING = re.compile(rf"{_LASTING.pattern}|\b{_WHEN}", _I)
_DENIES = re.compile(r"^(?:don't|do not|no|never|stop|avoid|nicht|kein\w*|ne|no|non|не)\b", _I)
_FRAMES = re.compile(rf"^(?:and |but |please |so )*(?!(?:always|never) \w+ \w)(?:{_LASTS}\b|{_WHEN})", _I)
"""A clause that only says when another holds."""
_POLITE = re.compile(
    r"^(?:(?:please|pls|ok|okay|now|then|so|and|just|also|bitte|s'il te plaît|por favor|hey|well|oh|yes|"
    r"(?:can|could|will|would) you(?: please)?|you (?:may|can|could|should|must|have to|need to)|go ahead and|"
    r"i(?:'d| would)? (?:need|want|like) you to|i allow you to)\b[\s,:]*)+",
    _I,
)
_ACTS = re.compile(
    r"^(?:forward|send|e-?mail|mail|delete|remove|erase|pay|transfer|share|post|publish|upload|book|buy|order|"
    r"cancel|merge|"
    r"deploy|push(?! back)|grant|invite|approve|sign|wire|refund|ship|text|print|accept|allow|trust|install|uninstall|"
    r"open|"
    r"close|"
    r"lock|unlock|restart|reset|block|unblock|disable|enable|deactivate|activate|turn (?:on|off)|switch (?:on|off)|"
    r"shut|"
    r"stop the|start the|kill|drop|move|copy|rename|revoke|withdraw|subscribe|unsubscribe|vote|"
    r"call(?! me\b| us\b)|ring|"
    r"invoice|charge|donate|lend|sell|hire|fire|ban|mute|ignore|skip the|bypass|overwrite|format the disk|wipe|log in|"
    r"sign in|log out|let(?! (?:me|us) know)|download|execute|"
    r"schick\w*|sende\w*|leite\w*|überweis\w*|lösch\w*|zahl\w*|buch\w*|bestell\w*|öffne\w*|sperr\w*|entsperr\w*|"
    r"deaktivier\w*|aktivier\w*|schalte?|gib(?! mir\b| uns\b)|lade?|kündig\w*|"
    r"envoi\w*|envoyez|transf[èé]re\w*|supprime\w*|paie\w*|paye\w*|réserve\w*|achète\w*|ouvre\w*|désactive\w*|"
    r"donne(?! moi)|partage\w*|"
    r"envía\w*|manda\w*|reenvía\w*|borra\w*|elimina\w*|paga\w*|reserva\w*|compra\w*|transfiere\w*|abre\w*|desactiva\w*|"
    r"comparte\w*|отправь|перешли|переведи|удали|оплати|закажи|открой|отключи)(?!\w)",
    _I,
)
"""What is done once when it is ordered."""
_MANNER = re.compile(
    r"^(?:answer|reply|respond|write|use|keep|call (?:me|us)|be|talk|speak|explain|show|give|format|stop|avoid|"
    r"prefer|put|"
    r"add|start|begin|end|cite|ask|tell|address|assume|include|summari[sz]e|translate|round|spell|limit|shorten|skip|"
    r"leave out|say|make|wrap|comment|document|list|think|check|do|don't|never|no|less|more|fewer|short\w*|run|quote|"
    r"describe|challenge|question|critici[sz]e|push back|double-?check|point out|flag|describe|stick|go|treat|"
    r"consider|follow|prefix|sort|indent|test|commit|name|number|style|draw|count|measure|"
    r"frag\w*|demande\w*|pregunta\w*|antwort\w*|schreib\w*|nenn\w*|sag\w*|verwende\w*|nutze?|benutze?|sei|sprich|"
    r"halte?|erklär\w*|zeig\w*|duze?|"
    r"répon\w*|écri\w*|utilise\w*|parle\w*|sois|explique\w*|respond\w*|escrib\w*|usa|habla\w*|sé|explica\w*|llám\w*|"
    r"rispond\w*|scriv\w*|отвечай|пиши|говори|называй)\b",
    _I,
)
"""How something is said, written or shown."""
_OF_THE_MOMENT = re.compile(
    r"\b(?:money|cash|funds|payments?|salary|rights?|admins?|access|permissions?|roots?|doors?|gates?|locks?|alarm|"
    r"login|"
    r"log-?in|passwords?|two-factor|2fa|mfa|firewall|antivirus|accounts?|bank|tokens?|keys?|credit|cards?|vault|safe|"
    r"for (?:the|this|my|a) (?:test|demo|call|meeting|trip|moment|day|job|move|migration)|euros?|dollars?|pounds?|"
    r"geld|zugang|rechte|tür|konto|passwort|argent|accès|droits|porte|compte|dinero|acceso|derechos|puerta|cuenta)\b|"
    r"[$€£¥]|\bat (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon)|\b(?:yes|ja|oui|sí) to\b",
    _I,
)
_ONE_THING = re.compile(r"\b(?:the|this|that|these|those|my|our|his|her|their|an?|\d+|de[rmn]|die|das|la|le|el)\b", _I)
_NOT_WHO = (
    r"(?!(?:English|German|French|Spanish|Italian|Portuguese|Dutch|Japanese|Chinese|Mandarin|Korean|Russian|Arabic|"
    r"Polish|"
    r"Swedish|Danish|Norwegian|Finnish|Turkish|Greek|Latin|Hindi|Ukrainian|Czech|British|American|Celsius|Fahrenheit|"
    r"Kelvin|Markdown|Python|Java\w*|Type[Ss]cript|Rust|Deutsch|Englisch|Französisch|Spanisch|Italienisch|I)\b)"
)
_NAME = rf"{_NOT_WHO}[^\W\d_a-zß-ÿ][a-zß-ÿ]\w*"
_TO_SOMEBODY = re.compile(
    rf"\bto {_NAME}|^(?:[Aa]nswer|[Rr]eply|[Rr]espond|[Tt]ell|[Aa]sk|[Ss]how|[Gg]ive|[Cc]all|[Ss]ay|[Ll]et|[Rr]emind|"
    rf"[Hh]elp|[Tt]reat|[Aa]ddress|[Ss]ag|[Nn]enn\w*|[Ss]chreib|[Zz]eig|[Gg]ib|[Dd]is|[Dd]onne|[Dd]i|[Dd]a) {_NAME}|"
    rf"\b(?:an|à) {_NAME}"
)
_NAMED = re.compile(rf"(?<=\w)\s+{_NAME}")
_OF_AGENT = re.compile(
    r"\byour(?:s|self)?\b|\b(?:call|calls|name|named|want|need|made|make|expect|see|treat|consider|would like|'d like) "
    r"(?:\w+ )?you\b|^(?:act|behave|pretend|pose|sign|introduce|present|refer to yourself)\b|^(?:du|dein\w*|dich|"
    r"dir|tu|"
    r"ton|ta|tes|vous|tú|eres|ты|твоё?)\b|^(?:你|君|あなた)",
    _I,
)
_WIDER = re.compile(
    r"\b(?:always|whenever|every ?time|at all times|in every case|by default|immer|stets|toujours|siempre|sempre|"
    r"всегда)\b|いつも|常に|总是|항상",
    _I,
)


def against(claim: str, kind: str, saying: Saying) -> str:
    """Why an order makes no fact, empty when the words are none, or one that is meant for always."""
    if kind == "open-thread":
        return ""
    near = clauses_of(saying.quote)
    best = most_of(content(claim), near)
    said = [c.text for c in clauses_of(saying.sentence)]
    if kind == "self" and not any(_of_the_agent(c) for c in best):
        return NOT_SELF
    told = any(is_manner(c.text) for c in best) and not ways.is_state(claim)
    if kind == "feedback" and not told and (why := ways.against(claim, best)):
        return why
    if kind not in {"feedback", "self"} and occasion.goes_on(best, saying.sentence):
        return ""
    framed = any(_FRAMES.match(t) for t in said if t not in {c.text for c in best})
    if not framed and best and all(_for_now(c, kind) for c in best):
        return ORDERED
    return _widened(claim, saying.sentence, framed) if kind in {"feedback", "self"} else ""


def is_manner(text: str) -> bool:
    """Whether a text tells how the agent is to work: "Translate quotes to English"."""
    return _MANNER.match(_POLITE.sub("", plain(text))) is not None


def to_somebody(text: str) -> bool:
    """Whether what is ordered goes to somebody with a name: "Answer Dana"."""
    return _TO_SOMEBODY.search(_POLITE.sub("", plain(text))) is not None


def _of_the_agent(clause: Clause) -> bool:
    """Whether a clause says what the agent is, or how it is to speak."""
    bare = _POLITE.sub("", plain(clause.text))
    if clause.who == "you" or _OF_AGENT.search(bare) or re.match(r"you\b", bare, _I):
        return True
    asked = not clause.who or bare != plain(clause.text)
    return asked and (_MANNER.match(bare) is not None or _LASTING.match(bare) is not None)


def _for_now(clause: Clause, kind: str) -> bool:
    """Whether a clause orders something that is done once."""
    text = plain(clause.text)
    bare = _POLITE.sub("", text)
    if (clause.who and bare == text) or _DENIES.match(bare) or _LASTING.search(text):
        return False
    if _ACTS.match(bare):
        return True
    if re.search(rf"\b{_WHEN}", text, _I):
        return False
    if _MANNER.match(bare):
        return _OF_THE_MOMENT.search(bare) is not None or _TO_SOMEBODY.search(bare) is not None
    if kind not in {"feedback", "self"} or not re.match(r"[^\W\d_]+ (?!is\b|are\b|has\b|was\b)\w", bare):
        return False
    return any(rule.search(bare) for rule in (_OF_THE_MOMENT, _ONE_THING, _NAMED, _TO_SOMEBODY))


def _widened(claim: str, sentence: str, framed: bool) -> str:
    """The word by which a claim makes a rule for always of what was said without one."""
    said = plain(sentence)
    if framed or _STANDING.search(said):
        return ""
    wide = _WIDER.search(plain(claim))
    return ALWAYS.format(fold(wide[0])) if wide else ""
