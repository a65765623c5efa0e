"""Whether a person's words say that something is to be forgotten, or is over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from sessions.memory import said, unended
from sessions.memory.clauses import Clause, clauses_of, related, speaks_of_another
from sessions.memory.dropping import runs_on
from sessions.memory.fact import Fact
from sessions.memory.near import slot_of
from sessions.memory.said import Saying
from sessions.memory.unended import A_CLAUSE, NOTED
from sessions.memory.wording import content, denies, held, negative, plain

NOT_SAID = "the user's words do not say that it is over or to be forgotten"
OTHER = "the user's words do not speak of this fact"
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
    rf"(?:{_GONE}|{_WRONG}|over|ended|done|sorted|taken care|dealt with|wrapped up|finish\w*|settled|closed?|resolved|"
    rf"solved|answered|replied|sent|"
    rf"paid|decided|"
    r"approved|signed|got|received|arrived|delivered|erledigt|fertig|geklärt)\b",
    re.I,
)
_DONE = re.compile(
    r"\b(?:done|finish\w*|settled|closed?|resolved|solved|answer\w*|replied|reply|sent|paid|decided|approved|"
    r"signed|got|"
    r"received|arrived|delivered|came|sorted|taken care of|dealt with|wrapped up|got back to (?:me|us)|handed in|"
    r"submitted|booked|bought|fixed|erledigt|fertig|geklärt|bezahlt|"
    r"fini|réglé|payé|"
    r"listo|hecho|pagado)\b|終わ|済|完了|完成|끝",
    re.I,
)


_IT = re.compile(
    r"(?:forget|drop|scratch|delete|vergiss|oublie|olvida)(?:-le|lo)?\b(?: (?:about )?(?:it|that|this|es|das|ça|cela|"
    r"eso))?"
    r"(?: (?:please|bitte))?\W*\Z",
    re.I,
)
_PUT_OFF = re.compile(
    r"\b(?:can wait|later|tomorrow|anyway|not (?:now|urgent|important)|no (?:hurry|rush)|kann warten|später|"
    r"peut attendre|plus tard|puede esperar|luego)\b",
    re.I,
)
_WAITED = re.compile(r"wait|wart|attend|esper|en attente", re.I)
_OWN_PART = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:\w+ly )?(?:answered|replied|wrote|sent|called|asked|told|reminded|paid|booked)\b|"
    r"\b(?:ich|wir) habe?n?\b.*\b(?:geantwortet|geschrieben|geschickt|gefragt|erinnert)\b",
    re.I,
)
"""What who waits has done does not end the waiting."""
_STILL_OPEN = re.compile(
    r"\b(?:has to wait|have to wait|must wait|will take|needs? (?:more )?time|on hold|postponed|delayed|verschoben|"
    r"reporté\w*|aplazad\w*)\b|\bsent\b.*\bback with\b|\bwith (?:some |more |a few )?questions?\b|"
    r"\banswer\w* (?:the|my|his|her) (?:phone|call|door)\b|\b(?:not yet|undecided|unclear|pending|no (?:decision|"
    r"answer|"
    r"result|news|word|reply|luck|date))\b|\b(?:but|although|though|yet|aber|doch|mais|pero)\b.*(?:\b(?:no|not|nothing|"
    r"nobody|without|still|later|wants?|needs?|ask\w*|nicht\w*|kein\w*|noch|pas|rien|nada)\b|n't\b)|"
    r"\b(?:noch|bisher) (?:nicht|kein\w*)\b|まだ|还没|還沒|아직",
    re.I,
)
"""Whoever was waited for spoke, and that was not it."""


def says_so(fact: Fact, saying: Saying) -> str:
    """Why the words do not end a fact, empty when they do. In doubt they do not: a wish can wait for a yes."""
    text = _KEEP.sub(" ", plain(saying.sentence))
    asked = said.kind_of(saying)
    if asked == "asks" and not (_ORDER.search(text) and _POLITE.search(text)):
        return "the quote is a question"
    about = f"{fact.name.replace('-', ' ')} {fact.summary} {fact.body}"
    later = fact.kind == "open-thread" and _WHEN_EVER.search(text)
    if unended.is_question(_ASKED.sub("", text)):
        return "the quote is a question"
    home = slot_of(fact.summary) == "home"
    if asked == "supposes" or later or _UNSURE.search(text) or unended.denied(text) or (home and unended.trip(text)):
        return NOT_SAID
    clauses = clauses_of(text)
    affirmed = any(_bears(c.text, about) and c.who == "me" and not _ends(c.text) for c in clauses)
    for clause, after in zip_longest(clauses, clauses[1:]):
        if _waved_off(clause.text, [c.text for c in clauses], about):
            continue
        ordered = _ordered(clause.text, after.text if after else "", fact, about)
        if ordered and after is not None and unended.only_dropped(clause.text, after):
            return NOT_SAID
        if ordered is not None:
            return OTHER if not ordered else NOT_SAID if _KEPT_BACK.search(text) else ""
        if _TWICE.search(clause.text) or speaks_of_another(clause, about, fact.kind):
            continue
        if _UNTRUE.search(clause.text):
            if not affirmed and not re.search(rf"\b{_GONE}\b", clause.text, re.I):
                return ""
            continue
        if fact.kind == "open-thread":
            if _STILL_OPEN.search(text):
                continue
            if _WAITED.match(fact.summary) and _OWN_PART.search(clause.text):
                continue
            if unended.by_an_outsider(clause, about):
                continue
            if (_DONE.search(clause.text) or _NO_MORE.search(clause.text)) and _meant(clause.text, fact, about):
                return ""
        elif _bears(clause.text, about) and _over(clause.text, fact):
            return ""
    return NOT_SAID


def _waved_off(text: str, clauses: Sequence[str], about: str) -> bool:
    """Whether a clause is a "forget it" that puts off what the others are about: "forget it, the list can wait"."""
    if not _IT.match(_ASKED.sub("", text)):
        return False
    at = clauses.index(text)
    others = [_ASKED.sub("", c) for c in clauses if c != text]
    telling = [c for c in others[:at] if len(held(content(c), content(about))) < len(content(c)) or _PUT_OFF.search(c)]
    return bool(telling) or any(content(c) and not re.match(r"(?:that|dass|que)\b", c, re.I) for c in others[at:])


def _bears(text: str, about: str) -> bool:
    return bool(held(content(text), content(about)))


def _ends(text: str) -> bool:
    return any(rule.search(text) for rule in (_ORDER, _OVER, _UNTRUE))


def _meant(text: str, fact: Fact, about: str) -> bool:
    """Whether a clause speaks of a matter that is open, by its words or by pointing to it.

    Whom one waits for is not the matter: what they did counts when it was that, or when nothing else is named.
    """
    if any(not held(content(m[1]), content(about)) for m in _OWNER.finditer(text)):
        return False
    who = {w for m in _WHO.finditer(plain(fact.summary)) for w in content(m[0])}
    words = content(_WHEN.sub(" ", _DONE.sub(" ", _OVER.sub(" ", text))))
    matter = [w for w in content(about) if w not in who]
    if matter and not held(words, matter) and [w for w in words if not held([w], content(about))]:
        return False
    if matter and runs_on(NOTED.sub(" ", _DONE.sub(" and ", _OVER.sub(" and ", text))), matter):
        return False
    return _bears(text, about) or re.match(r"^(?:it|that|this|all)\b|^\w+(?: \w+)?$", text, re.I) is not None


def _ordered(text: str, after: str, fact: Fact, about: str) -> bool | None:
    """Whether a clause begins with an order to forget, and what it names is the fact; None for no order."""
    bare = _ASKED.sub("", text)
    m = _ORDER.search(bare)
    if m is None or (m.start() and not _ENDS_IN_ORDER.search(bare)):
        return None
    rest = bare if m.start() else bare[m.end() :]
    if not content(_POLITE.sub("", rest)) and re.match(r"(?:dass?|that|what|que|où|where|was|wo)\b", after, re.I):
        rest = after
    if re.search(rf"(?:#|\bfact |\bnumber |\bno\.? ?)0*{fact.number}(?!\d)|^\s*#?{fact.number}\W*$", rest, re.I):
        return True
    if asks_for(fact, rest):
        return True
    if fact.kind in {"feedback", "self"} and not NOTED.search(rest) and not A_CLAUSE.search(rest) and content(rest):
        if len(held(content(fact.summary), content(rest))) < min(2, len(content(fact.summary))):
            return False  # "forget the deploy" drops a plan, and no rule
    if (_THING.search(rest) and not _THING.search(about)) or _elsewhere(rest, about):
        return False
    return _bears(rest, about) or (not content(rest) and len(rest.split()) <= 4)


def _elsewhere(text: str, about: str) -> bool:
    """Whether an order names something that only has to do with a fact, or a place to take it from."""
    words = content(about)
    if not A_CLAUSE.search(text) and _bears(text, about) and runs_on(NOTED.sub(" ", text), words):
        return True
    return any(not held(content(m["where"]), words) for m in _TAKEN_FROM.finditer(text))


def answered(fact: Fact, text: str) -> bool:
    """Whether a text says of an open thread that whoever was waited for spoke, and not what they said."""
    words = content(_WHEN.sub(" ", _DONE.sub(" ", text)))
    return fact.kind == "open-thread" and len(held(words, content(fact.summary))) == len(words)


def asks_for(fact: Fact, text: str) -> bool:
    """Whether a text names the fact by the question that it answers: "where I live"."""
    slot = slot_of(fact.summary)
    return any(
        slot in _ASKED_FOR[m["what"].casefold()] and re.search(_VERB_FOR[slot], text[m.end() :], re.I)
        for m in _WHERE.finditer(text)
    )


def is_over(clause: Clause, fact: Fact) -> bool:
    """Whether a clause that nobody told as an order says that what a fact says came to an end, or is not so."""
    about = f"{fact.summary} {fact.body}"
    text = _KEEP.sub(" ", clause.text)
    if (
        _UNSURE.search(text)
        or _TWICE.search(text)
        or unended.denied(text)
        or speaks_of_another(clause, about, fact.kind)
    ):
        return False
    if slot_of(fact.summary) == "home" and unended.trip(text):
        return False
    return _bears(text, about) and _over(text, fact)


def _over(text: str, fact: Fact) -> bool:
    """Whether a clause denies what the fact says, or says that it came to an end."""
    if denies(fact.summary):
        return not negative(text) and _AGAIN.search(text) is not None
    words = content(f"{fact.name.replace('-', ' ')} {fact.summary}")
    if negative(fact.summary):  # who cannot eat peanuts is still allergic to them
        words = content(fact.summary)[:1]
    verb = fact.summary.split()[0].casefold() if fact.summary else ""
    rule = content(fact.summary) if fact.kind in {"feedback", "self"} else ()
    if len(held(rule, content(text))) < min(2, len(rule)) or _of_something_else(text, words):
        return False
    if unended.of_another_object(_WHEN.sub(" ", _END.sub(" ", _MORE.sub(" ", text))), fact.summary):
        return False
    for m in _END.finditer(text):
        after = " ".join(text[m.end() :].split()[:4])
        if runs_on(_MORE.sub(" ", text), content(fact.summary)):
            continue
        if held(content(after), words) or re.search(rf"\b{re.escape(verb[:3])}\w*", after, re.I):
            return related(fact.summary, Clause(text, ""))
    return _PAST.search(text) is not None


def _of_something_else(text: str, words: Sequence[str]) -> bool:
    """Whether what ended is another thing that only was where the fact is: "I left my umbrella in Tokyo"."""
    m = max(_END.finditer(text), key=lambda m: m.start(), default=None)
    if m is None:
        return False
    *before, last = _PLACES.split(_MORE.sub(" ", text[m.end() :]))
    return bool(before and held(content(last), words)) and any(
        content(part) and not held(content(part), words) for part in before
    )


_NO_MORE = re.compile(
    rf"\b(?:no longer|any ?more|{_GONE}|{_WRONG}|over|ended|nicht mehr|kein\w* mehr|ya no|ne\b.*\bplus|"
    r"n'\w+ plus)\b|もう.{0,12}(?:ない|ません)|不再",
    re.I,
)
"""What ends an open matter; that something is not so leaves it open."""
_MORE = re.compile(r"\b(?:mehr|plus|más|più|mais)\b", re.I)
_PLACES = re.compile(
    r"\b(?:in|at|on|to|from|for|near|with|of|about|auf|aus|bei|mit|nach|à|en|chez|avec|con|de)\b", re.I
)
_OWNER = re.compile(r"\b([^\W\d_a-zß-ÿ]\w+)'s\s+(?!an?\b|the\b|not?\b|still\b|\w+(?:ed|ing)\b)")
_TAKEN_FROM = re.compile(
    r"\b(?:from|off|aus|von|de)\s+(?:the|my|our|this|de[rm]|la|le|mon|ma|mi|el)\s+(?!(?:memor\w+|facts?|notes?|profile|"
    r"gedächtnis|mémoire)\b)(?P<where>\w+)",
    re.I,
)
_WHO = re.compile(r"(?<!^)\b[^\W\d_a-zß-ÿ][\w'-]*|\b(?:for|on|from|auf|von) (?:the |my |our )?[\w'-]+")
_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|now|already|finally|just|this|last|morning|afternoon|evening|night|week|month|"
    r"\w+day|"
    r"back|me|by|heute|gestern|endlich|schon|hier|aujourd'hui|enfin|hoy|ayer|ya|por fin)\b",
    re.I,
)
_END = re.compile(rf"\b(?:no longer|not|never|no|{_GONE}|nicht|kein\w*|ne|n'|pas|ya no)\b|n't\b", re.I)
_AGAIN = re.compile(r"\b(?:again|now|after all|wieder|de nouveau|otra vez)\b", re.I)
_PAST = re.compile(r"\b(?:any ?more|died|passed away|laid off)\b|もう|ません|ない|不再|지\s?않", re.I)
_ENDS_IN_ORDER = re.compile(r"[\u3040-\u9fff\uac00-\ud7af]|^(?:ich|du|das|bitte|le|la|lo)\b", re.I)
"""In these languages an order may stand at the end."""
_UNSURE = re.compile(
    r"\bthe only\b|^not\b.*\bagain\b|\b(?:might|(?<!in )may|nearly|almost|dreamt|dreamed|hope|wish|imagin\w*|"
    r"pretend\w*|if|"
    r"unless|"
    r"once \w+ (?:has|have|is)|when (?:he|she|they|it)|silly|always forget|not only|regret|secret|"
    r"like you to forget)\b",
    re.I,
)
_WHEN_EVER = re.compile(
    r"\b(?:when|whenever|until|till|as soon as|once)\b(?!.*,?\s*(?:i|we)\b)|^(?:after|before)\b", re.I
)
_ASKED = re.compile(
    r"^(?:(?:please|pls|ok|okay|hey|now|so|then|well|yes|no|just|also|and|bitte|por favor|s'il te plaît|"
    r"(?:can|could|would|will) (?:you|we)|you (?:can|should|may|must)|i(?:'d| would) like you to|i want you to|"
    r"kannst du|peux-tu|puedes|to)\b[\s,]*)+",
    re.I,
)
_KEPT_BACK = re.compile(r"\b(?:except|but not|keep|apart from|other than)\b|,\s*not\b", re.I)
_THING = re.compile(
    r"\b(?:file|files|folder|calendar|line|lines|row|rows|table|mail|e-?mail|branch|event|meeting|entry|item|items|"
    r"message|"
    r"column|page|paragraph|sentence|word|test|function|weather)\b|\.\w{2,4}\b",
    re.I,
)
_WHERE = re.compile(
    r"\b(?P<what>where|how old|when|who|what|wo|wie alt|wann|où|dónde)\b(?=.*\b(?:i|my|ich|mein|je|yo)\b)", re.I
)
_ASKED_FOR = {
    "where": ("home", "employer", "origin", "birth place"),
    "how old": ("age",),
    "when": ("birth day", "birthday"),
    "who": ("employer",),
    "what": ("name", "job"),
    "wo": ("home", "employer"),
    "wie alt": ("age",),
    "wann": ("birth day",),
    "où": ("home", "employer"),
    "dónde": ("home", "employer"),
}
"""What a fact gives a value to, by the word that asks for it: "forget where I live"."""
_VERB_FOR = {
    "home": r"\b(?:live|reside|stay|home|wohn\w*|leb\w*|habite|vis|vivo)\b",
    "employer": r"\b(?:work|job|arbeit\w*|travaille|trabajo)\b",
    "origin": r"\bfrom\b",
    "birth place": r"\bborn\b",
    "birth day": r"\b(?:born|geboren)\b",
    "birthday": r"\b(?:born|birthday)\b",
    "age": r"\b(?:am|bin)\b",
    "name": r"\b(?:name|called)\b",
    "job": r"\b(?:do|work|job)\b",
}
