"""Whether the person was sure of what they said."""

from __future__ import annotations

import re

from sessions.memory.said import Saying
from sessions.memory.wording import plain

_HEDGE = re.compile(
    r"\b(?:might|maybe|suppose|reckon|suspect\w*|looks like|seems?|as far as|"
    r"for all i know|perhaps|possibly|probably|presumably|likely|supposedly|apparently|i guess|"
    r"i (?:think|believe) (?:i|my|our)|not sure|"
    r"not certain|unsure|an? (?:hunch|guess)|gut feeling|something tells me|i'd bet|(?:odds|chances) are|could swear|"
    r"considering|thinking (?:of|about)|wondering|toying with|vielleicht|womöglich|wahrscheinlich|"
    r"eventuell|überlege|peut-être|probablement|sans doute|quizás?|tal vez|probablemente|a lo mejor|forse|talvez)\b|"
    r"かも|たぶん|多分|也许|可能|아마",
    re.I,
)
_AFTER = (
    r"(?:(?:and|but|though|aber|mais|pero)\s+)?(?:"
    r"i (?:guess|think|believe|suppose|reckon)|maybe|perhaps|probably|possibly|presumably|apparently|or so|"
    r"(?:i'm |i am |but )?(?:not|un) ?(?:so |too |quite |entirely |really |100% )?(?:sure|certain)|"
    r"if i remember (?:right|correctly)|"
    r"(?:glaube|denke|schätze|vermute) ich|(?:ich bin )?(?:mir )?nicht (?:ganz )?sicher|vielleicht|wahrscheinlich|"
    r"je (?:crois|pense|suppose)|peut-être|(?:je ne suis )?pas (?:très )?sûre?|probablement|"
    r"creo|supongo|quizás?|tal vez|no estoy segur[oa]|probablemente|たぶん|多分|と思う|と思います|かも"
    r")(?:\s+(?:so|though|tho|anyway|honestly|actually|aber|allerdings|du moins))?\s*(?:[.!?…。]|$)"
)
_HEDGED_AFTER = re.compile(rf"[\s,.;:()–—-]*{_AFTER}", re.I)
_AT_END = re.compile(rf"(?:[,;:(–—]|\s-)\s*{_AFTER}\)?\s*\Z", re.I)


def hedged(text: str) -> bool:
    return _HEDGE.search(plain(text)) is not None


def hedged_after(saying: Saying) -> bool:
    """Whether the words after a statement take some of it back: "…, I think", "…. Not sure though."."""
    return _HEDGED_AFTER.match(plain(saying.after)) is not None or _AT_END.search(plain(saying.quote)) is not None
