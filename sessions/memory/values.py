"""Of what kind a value is: a place, a time, a number, a name, a diet. Of one thing only values of one kind exclude each
other: "Dad is 80" stands beside "Dad is Karl", and "Is vegan" beside "Is diabetic"."""

from __future__ import annotations

import re
from itertools import pairwise

from sessions.memory.wording import NUMBER_WORDS, content, fold, plain

_I = re.I
MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|"
    r"juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|"
    r"enero|"
    r"febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
)
_DAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lundis?|"
    r"mardis?|"
    r"mercredis?|jeudis?|vendredis?|samedis?|dimanches?|lunes|martes|miércoles|jueves|viernes|sábados?|domingos?)"
)
_WHEN = re.compile(
    rf"^(?:the |every |each |le |la |los |las |el |am |im )?(?:{_DAY}|{MONTH}|weekends?|weekdays?|(?:the )?(?:early |"
    rf"late )?"
    r"(?:nights?|mornings?|evenings?|afternoons?|noon|midnight|dawn)|summers?|winters?|spring|autumn|fall|nachts|"
    r"\d{1,2}[:.]\d\d|\d{1,2} ?(?:am|pm|uhr|o'clock|h)\b|\d{4}-\d\d-\d\d|\d{1,2}(?:st|nd|rd|th)?\.? "
    rf"{MONTH}|{MONTH} \d)\b",
    _I,
)
TIMED = re.compile(
    rf"\b(?:on|at|in|during|over|every|each|am|im|le|los|por)\s+(?:the\s+)?(?:{_DAY}|{MONTH}|weekends?|weekdays?|"
    rf"nights?|"
    r"mornings?|evenings?|summers?|winters?|spring|autumn|fall|week|month|year)\b|\bpart[ -]time\b|\bnachts\b",
    _I,
)
"""When something is so: for the rest of the time it is not."""
_TIME_WORD = re.compile(rf"(?:{_DAY}|{MONTH}|weekends?|weekdays?|nights?|mornings?|evenings?|daily|weekly)", _I)
_NUMBER = re.compile(rf"^(?:#|no\.? ?|about |around )?(?:[+(]?\d|(?:{'|'.join(NUMBER_WORDS)})\b)")
_NATION = re.compile(
    r"^(?:english|british|scottish|welsh|irish|american|canadian|mexican|brazilian|german|french|spanish|italian|dutch|"
    r"belgian|swiss|austrian|danish|swedish|norwegian|finnish|polish|czech|hungarian|romanian|bulgarian|greek|turkish|"
    r"russian|ukrainian|japanese|chinese|korean|vietnamese|thai|indian|pakistani|iranian|egyptian|moroccan|nigerian|"
    r"australian|portuguese|catholic|protestant|muslim|jewish|hindu|buddhist|christian|deutsch\w*|französisch\w*|"
    r"italienisch\w*|japanisch\w*|türkisch\w*)$",
    _I,
)
_LANGUAGES = frozenset(
    "english german french spanish italian portuguese dutch japanese chinese mandarin cantonese korean russian arabic "
    "polish swedish danish norwegian finnish turkish greek latin hindi ukrainian czech hungarian romanian hebrew "
    "vietnamese thai catalan basque welsh irish englisch deutsch französisch spanisch italienisch portugiesisch "
    "niederländisch japanisch chinesisch koreanisch russisch polnisch schwedisch anglais allemand français espagnol "
    "italien portugais néerlandais japonais chinois coréen russe inglés alemán francés español italiano portugués "
    "japonés chino coreano ruso".split()
)
_CLASSES = {
    word: name
    for name, words in (
        (
            "diet",
            "vegan vegetarian pescatarian omnivore flexitarian veganer veganerin vegetarier vegetarierin végan végane "
            "végétarien végétarienne vegano vegana vegetariano vegetariana",
        ),
        (
            "marriage",
            "single married divorced widowed engaged separated ledig verheiratet geschieden verwitwet verlobt "
            "célibataire "
            "marié mariée divorcé divorcée soltero soltera casado casada divorciado divorciada",
        ),
        (
            "hand",
            "left-handed right-handed lefthanded righthanded ambidextrous linkshänder rechtshänder gaucher droitier",
        ),
        ("occupation", "unemployed self-employed retired student freelancer arbeitslos rentner retraité jubilado"),
        (
            "job",
            "nurse doctor teacher lawyer cook chef baker plumber pilot engineer developer programmer designer "
            "architect "
            "carpenter electrician dentist surgeon pharmacist paramedic accountant journalist writer editor "
            "photographer musician actor waiter waitress barista driver farmer gardener librarian translator "
            "interpreter scientist researcher professor lecturer consultant analyst manager salesman saleswoman "
            "cashier "
            "hairdresser mechanic firefighter policeman soldier judge notary banker broker director secretary "
            "arzt ärztin lehrer lehrerin anwalt anwältin koch köchin bäcker ingenieur ingenieurin krankenpfleger "
            "krankenschwester architekt architektin médecin infirmier infirmière professeur avocat avocate cuisinier "
            "ingénieur médico médica enfermero enfermera profesor profesora abogado abogada cocinero ingeniero",
        ),
        ("school", "school kindergarten nursery college university preschool schule uni école lycée escuela colegio"),
        ("browser", "firefox chrome chromium safari edge brave vivaldi opera"),
        ("editor", "vim neovim emacs vscode helix zed sublime intellij pycharm webstorm nano notepad kakoune"),
        ("system", "windows macos linux ubuntu fedora arch debian nixos mint"),
        ("phone", "android ios iphone pixel galaxy fairphone"),
        ("shell", "bash zsh fish powershell nushell"),
        ("packages", "npm pnpm yarn bun"),
        ("python packages", "pip uv poetry conda pipenv"),
        ("forge", "github gitlab bitbucket codeberg gitea forgejo"),
        ("builds", "jenkins circleci travis buildkite teamcity"),
        ("hosting", "heroku fly aws azure gcp hetzner vercel netlify render railway digitalocean"),
        ("music", "spotify tidal deezer qobuz"),
        ("layout", "qwerty qwertz azerty dvorak colemak workman"),
        ("search", "google duckduckgo kagi bing ecosia startpage"),
        ("chat", "slack teams discord mattermost zulip"),
        ("tracker", "jira linear asana trello"),
        ("drink", "tea coffee tee kaffee thé café té"),
        ("units", "metric imperial celsius fahrenheit"),
        ("indent", "tabs spaces"),
        ("hours", "nights days mornings"),
        ("part of hours", "full-time part-time vollzeit teilzeit"),
        ("theme", "dark light"),
    )
    for word in words.split()
}
_ALWAYS = frozenset({"diet", "marriage", "hand"})
"""Of these a person has one at a time, whatever was said."""
_FEW = 4
"""Words of a value that is nothing but its class."""
_BESIDE = frozenset({"with", "and", "mit", "und", "avec", "et", "con", "y", "who", "for", "für", "pour", "para"})
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_ARTICLE = re.compile(r"^(?:an?|the|ein\w*|der|die|das|une?|le|la|una?|el)\s+", _I)
_NAME = re.compile(r"^(?:(?:the|der|die|den|la|le|el) )?(?:[^\W\d_a-zß-ÿ]|[\u3040-\u9fff\uac00-\ud7af])")


def kind_of(value: str) -> str:
    """`when`, `number`, `nation`, `language`, `name`, `acronym`, `make` (an article and a name) or a class: `diet`.

    Nothing where that cannot be told.
    """
    value = plain(value).strip(" .!?")
    if found := class_of(value):
        return found
    if _WHEN.match(value):
        return "when"
    if _NUMBER.match(fold(value)):
        # What is counted or measured belongs to it: "80 kilos" and "40 years old" are two things.
        return " ".join(("number", *(w for w in content(value) if not w[0].isdigit())))
    bare = _ARTICLE.sub("", value)
    if _NATION.match(bare):
        return "nation"
    if fold(bare) in _LANGUAGES:
        return "language"
    if re.fullmatch(r"[A-Z]{2,4}", bare):
        return "acronym"
    if _NAME.match(value):
        return "name"
    return "make" if bare != value and _NAME.match(bare) else ""


def class_of(value: str) -> str:
    """The class of a value of few words: `diet` of "a strict vegan"; empty without one, and where there are two."""
    words = [w for w in _WORD.findall(fold(value).replace("vs code", "vscode"))]
    found = {_CLASSES[w] for w in (*words, *(f"{a}-{b}" for a, b in pairwise(words))) if w in _CLASSES}
    return found.pop() if len(found) == 1 and len(words) <= _FEW and not _BESIDE.intersection(words) else ""


def always_one(name: str) -> bool:
    """Whether of a class there is one value at a time, even where nothing is said of a change."""
    return name in _ALWAYS


def is_language(text: str) -> bool:
    """Whether a language is named in a text."""
    return (
        any(w in _LANGUAGES for w in re.findall(r"[^\W\d_]+", fold(text))) or re.search(r"[文語语]", text) is not None
    )


def is_time(word: str) -> bool:
    """Whether a word only says when: "mondays"."""
    return _TIME_WORD.fullmatch(word) is not None


def is_name(value: str) -> bool:
    """Whether a value begins as a name does; a line all in small letters has none that can be told."""
    return _NAME.match(plain(value).strip()) is not None


def has_month(text: str) -> bool:
    """Whether a text names a month or a day of one."""
    return re.search(rf"\b{MONTH}\b", text, _I) is not None
