"""The one question, and what goes, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sessions.erase.beside import Beside
from sessions.erase.survey import FoundLog, Kept, Survey
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
    beside = [other for other in found.beside if other.word in found.standing]
    return [*out, *also(found.elsewhere, found.kept), *also_beside(beside), MADE]


def these(found: Survey) -> list[str]:
    """All that stays though it holds a word that tells the target, a line each."""
    out = [f"{', '.join(found.standing)} also stands in"]
    title = ""
    for line in found.kept:
        if (where := f"{line.title}{' (in the trash)' if line.trashed else ''}") != title:
            title = where
            out.append(f"  {title}")
        out.append(f"    {line.role}: {short(line.text, 60)}")
    for other in found.beside:
        if other.word in found.standing and other.fact is not None:
            history = "" if other.held else "the history of "
            out.append(f"  {history}fact {other.fact.number}: {short(other.fact.summary, 60)}")
        elif other.word in found.standing:
            out.append(f"  {other.path}")
    return list(dict.fromkeys(out))


def also(elsewhere: Sequence[tuple[str, int]], kept: Sequence[Kept] = ()) -> list[str]:
    """In how many messages words of its own stand that stay, a line each, with those that tell it by such a word."""
    out = []
    for word, lines in elsewhere[:SHOWN]:
        out.append(f"{word} also stands in {counted(lines, 'other message')}, kept")
        out += _told(line for line in kept if word in line.words)
    more = len(elsewhere) - SHOWN
    return [*out, f"{more:,} more of its words also stand in other messages, kept"] if more > 0 else out


def _told(kept: Iterable[Kept]) -> list[str]:
    every = [*kept]
    out = [
        f"  {line.title}{' (in the trash)' if line.trashed else ''}: {line.role}: {short(line.text, 60)}"
        for line in every[:SHOWN]
    ]
    return [*out, f"  and {len(every) - SHOWN:,} more"] if len(every) > SHOWN else out


def also_beside(beside: Sequence[Beside]) -> list[str]:
    """In which other facts, their history and files words of its own stand that stay."""
    out: list[str] = []
    for word in dict.fromkeys(b.word for b in beside):
        own = [b for b in beside if b.word == word]
        facts = [b.fact for b in own if b.fact is not None and b.held]
        past = [b.fact for b in own if b.fact is not None and not b.held]
        if facts:
            out.append(f"{word} also stands in {counted(len(facts), 'other fact')}, kept")
            out += [f"  fact {f.number}: {short(f.summary, 60)}" for f in facts[:SHOWN]]
        if past:
            out.append(f"{word} also stands in the history of {counted(len(past), 'other fact')}, kept")
            out += [f"  fact {f.number}: {short(f.summary, 60)}" for f in past[:SHOWN]]
        out += [f"{word} also stands in {b.path}, kept" for b in own if b.path][:SHOWN]
    return out


def question(found: Survey) -> str:
    """Asks once."""
    return f"Erase {found.target.title} for good? Nothing brings it back"


def short(text: str, width: int) -> str:
    """The text in one line."""
    line = " ".join(clean(text[: 4 * width]).split())
    return line if len(line) <= width else line[: width - 1] + "…"


def counted(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
