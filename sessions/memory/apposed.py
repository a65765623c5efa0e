"""Somebody who is told of with an apposition: "Hugo, my son's teacher, is allergic to cats" speaks of Hugo alone."""

from __future__ import annotations

import re

from sessions.memory.wording import content, held, plain

_NAME = r"[^\W\d_a-zß-ÿ][\w'-]*(?: [^\W\d_a-zß-ÿ][\w'-]*){0,2}"
_WHOSE = (
    r"(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Tt]he|[Aa]n?|[Oo]ne of|[Mm]ein\w*|[Uu]nser\w*|[Dd]er|[Dd]ie|[Dd]as|"
    r"[Ee]in\w*|"
    r"[Mm]on|[Mm]a|[Mm]es|[Nn]otre|[Ll]e|[Ll]a|[Uu]ne?|[Ee]l|[Mm]i|[Nn]uestr[oa]|[Uu]na?|[Ss]u)"
)
_NOUNS = rf"{_WHOSE} (?:[\w'-]+ ){{0,6}}?[\w'-]+|[Ll]'(?:[\w'-]+ ){{0,6}}?[\w'-]+"
_WHO = r"(?:who|which|der|die|das|qui|que|quien) (?:[\w'-]+ ){0,6}?[\w'-]+"
_NO_VERB = (
    r"(?!(?:i|i'm|i've|i'd|i'll|we|you|he|she|it|they|ich|wir|du|je|j'|tu|nous|yo|tú|please|bitte|and|or|but|und|oder|"
    r"aber|et|ou|mais|y|o|pero|in|on|at|with|from|for|to|near|not|so|because|that|which|an?|the|my|our|mein\w*|der|die|"
    r"das|le|la|el|mon|ma|mi|also|too)\b)"
)
_NOT_WHO = r"(?:not|unlike|nicht|anders als|pas|contrairement à|no|a diferencia de) [\w' -]+?"
_APPOSED = re.compile(
    rf"(?:^|(?<=[.!?;\n] )|(?<=\band )|(?<=\bbut )|(?<=\bund ))(?P<one>{_NAME}'s [\w-]+|{_NAME}|{_NOUNS}), "
    rf"(?P<other>{_NAME}|{_NOUNS}|{_WHO}|{_NOT_WHO}), (?P<says>(?i:{_NO_VERB})[^\W\d_A-Z][^.;!?\n]*)"
)
_VERB = re.compile(
    r"\b(?:am|is|are|was|were|has|have|had|bin|ist|sind|hat|est|sont|tiene|lives?|works?|likes?|hates?)\b", re.I
)
_OF = re.compile(
    r"'s |s' | (?:of|von|de|du|des|del|d'|meine[rsm]|unsere[rsm]|seine[rsm]|ihre[rsm]|from|in|at|for|bei|aus) ?", re.I
)


def of_another(piece: str, sentence: str) -> bool:
    """Whether a claim has what is said of somebody who is told of with an apposition, and does not name them.

    They are named by their name, or by what they are: the teacher of "my son's teacher", not the son.
    """
    wanted = content(piece)
    for m in _APPOSED.finditer(plain(sentence)):
        if _VERB.search(m["one"]) or (_VERB.search(m["other"]) and not re.match(_WHO, m["other"])):
            continue  # two statements
        said = content(m["says"])
        if not held(said, wanted) or len(held(wanted, said)) < len(held(wanted, content(sentence))) / 2:
            continue
        named = [w for part in (m["one"], m["other"]) if not re.match(_NOT_WHO, part) for w in _head(part)]
        if named and not held(named, (*wanted, *piece.casefold().split())):
            return True
    return False


def _head(part: str) -> tuple[str, ...]:
    """The words that name whoever a part names, and none of those to whom they belong."""
    owned = re.match(rf"(?:{_WHOSE} )?[\w ]+(?:'s|s') (?P<what>.+)$", part)
    if owned:
        return _words(owned["what"])
    return _words(_OF.split(part)[0])


def _words(text: str) -> tuple[str, ...]:
    return content(text) or tuple(text.casefold().split()[-1:])
