"""The one question, and what goes, in words."""

from __future__ import annotations

from sessions.erase.survey import FoundLog, Survey
from sessions.messages import clean

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
    return [*out, MADE]


def question(found: Survey) -> str:
    """Asks once."""
    return f"Erase {found.target.title} for good? Nothing brings it back"


def short(text: str, width: int) -> str:
    """The text in one line."""
    line = " ".join(clean(text[: 4 * width]).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def counted(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
