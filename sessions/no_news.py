"""Tells whether an answer is no news of what it names: it says that nothing was found, or quotes what was said."""

from __future__ import annotations

import re

_MOST = 240
"""Characters of such an answer; a longer one says something after all."""
_SORRY = r"(?:(?:sorry|unfortunately|hm+|no|i'm afraid|i am afraid|it seems|it looks like|that)\b[,.!: ]*)*"
_THING = r"(?:facts?|records?|mentions?|information|memor(?:y|ies)|notes?|passages?|results?|details?|answer)\b"
_RULES = (
    rf"i (?:currently )?(?:find|found|know|have|see|remember|recall) (?:of )?(?:nothing|no(?: \w+)? {_THING})",
    r"i (?:currently )?(?:do(?:n't| not)|can(?:'t|not)|could(?:n't| not)|did(?:n't| not)) "
    r"(?:actually )?(?:know|find|see|have|recall|remember)\b",
    rf"there(?:'s| is| are| was| were) (?:nothing|no(?: \w+)? {_THING})",
    r"nothing (?:is |was |has been )?(?:found|remembered|known|saved|stored|mentioned|noted|about)\b",
    rf"no(?: \w+)? {_THING}(?: (?:is|are|was|were))? (?:found|about|of|on|for|says|in)\b",
    r"i'm the guide: i follow rules",
    r"memory is (?:off|set to)",
    r"ich (?:finde|fand|weiß|habe) (?:dazu |darüber )?(?:nichts|kein)|ich weiß (?:es |das )?nicht",
    r"je (?:ne (?:trouve|sais|vois|connais)|n'ai (?:rien|aucun|pas))",
    r"no (?:encuentro|encontré|sé|tengo|recuerdo)\b",
)
_NOTHING = re.compile(rf"{_SORRY}(?:{'|'.join(_RULES)})", re.I)
_AFTER_ALL = re.compile(r"\b(?:but|however|though|except|aber|mais|pero)\b", re.I)

_QUOTES = re.compile(
    r"\A(?:Already n|N)oted: |^- (?:\d{4}-\d\d-\d\d, .*, (?:you|the answer)|earlier in this session, you):$", re.M
)


def no_news(answer: str) -> bool:
    """Whether the answer only repeats, or says only that there is nothing."""
    return _QUOTES.search(answer) is not None or says_nothing(answer)


def says_nothing(answer: str) -> bool:
    """Whether all that the answer says is that nothing was found or is known."""
    text = answer.strip().replace("\u2019", "'")
    return len(text) <= _MOST and _NOTHING.match(text) is not None and not _AFTER_ALL.search(text)
