"""The one question, and what goes, in words."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.erase.survey import FoundLog, Survey
from sessions.messages import clean

SHOWN = 5
"""Words that are told to stand elsewhere, too."""
MADE = "what is made of it: titles, recaps, the search index, past prompts"


def goes(found: Survey, *, most: int = 8, width: int = 70) -> list[str]:
    """What is erased, a line each: files, then the messages, at most `most` of them shown."""
    target = found.target
    out = [", ".join(target.holds)] if target.holds and target.what == "fact" else [*target.holds]
    every = [(log, role, text) for log in found.logs for role, text in log.shown]
    if every:
        out.append(f"{counted(len(every), 'message')} in {counted(len(found.logs), 'session')}:")
    last: FoundLog | None = None
    for log, role, text in every[:most]:
        if log is not last:
            out.append(f"  {log.title}{' (in the trash)' if log.trashed else ''}")
            last = log
        out.append(f"    {role}: {short(text, width)}")
    if len(every) > most:
        out.append(f"    and {len(every) - most:,} more")
    return [*out, *also(found.elsewhere), MADE]


def also(elsewhere: Sequence[tuple[str, int]]) -> list[str]:
    """In how many messages words of its own stand that stay, a line each."""
    out = [f"{word} also stands in {counted(lines, 'other message')}, kept" for word, lines in elsewhere[:SHOWN]]
    more = len(elsewhere) - SHOWN
    return [*out, f"{more:,} more of its words also stand in other messages, kept"] if more > 0 else out


def question(found: Survey) -> str:
    """Asks once."""
    return f"Erase {found.target.title} for good? Nothing brings it back"


def short(text: str, width: int) -> str:
    """The text in one line."""
    line = " ".join(clean(text[: 4 * width]).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def counted(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
