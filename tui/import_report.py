"""What came of taking over files, in words: the command line and the screen say the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tui.widgets.when import counted

if TYPE_CHECKING:
    from sessions.importers.bringing import Brought
    from sessions.importers.passing import Tally
    from sessions.importers.proposing import Proposed

_CAME = {
    "grown": "grown",
    "same": "as before",
    "deleted": "deleted here, and left so",
    "empty": "with nothing said",
    "busy": "open in another program: try again",
}
_WAIT = {"known": "known already", "same": "as before", "refused": "left out"}


def sessions_came(tally: Tally) -> str:
    """`2 new sessions, 1 grown; 12 messages came`"""
    n = tally.statuses
    said = [f"{counted(n['new'], 'new session')}"]
    said += [f"{n[status]:,} {words}" for status, words in _CAME.items() if n[status]]
    return f"{', '.join(said)}; {counted(tally.messages, 'message')} came"


def would_come(due: int, rest: int, deleted: int) -> str:
    """`1 session would be taken over, 3 are here already, 1 deleted here, and left so`

    `rest`: all that are not due, those `deleted` here among them.
    """
    text = f"{counted(due, 'session')} would be taken over, {rest - deleted:,} are here already"
    return f"{text}, {deleted:,} deleted here, and left so" if deleted else text


def facts_came(done: Proposed) -> str:
    """`1 fact waits for your review, 2 known already`"""
    n = done.statuses
    said = [f"{counted(n['waits'], 'fact waits', 'facts wait')} for your review"]
    return ", ".join([*said, *(f"{n[status]:,} {words}" for status, words in _WAIT.items() if n[status])])


def unread(bad: Iterable[tuple[str, int, str]]) -> list[str]:
    """Which lines could not be read; without a line it is the whole file, or a key that the words name."""
    return [f"{file}, line {line:,}: {why}" if line else f"{file}: {why}" for file, line, why in bad]


def in_all(count: int, named: int) -> list[str]:
    """How many could not be read, when fewer were named."""
    return [f"{counted(count, 'line')} in all could not be read, or not wholly"] if count > named else []


def failed(tally: Tally) -> list[str]:
    """Files that were not taken over at all."""
    return [f"{path}: {why}" for path, why in tally.failed]


def refused(done: Proposed) -> list[str]:
    """What is no fact, and why."""
    return [f"{path}: {text}: {why}" for path, text, why in done.refused]


def of_file(done: Brought) -> tuple[list[str], list[str]]:
    """What came of a file that the person named, and what was left out, a line each."""
    tally, proposed = done.tally, done.proposed
    came = ["stopped, /import with the same file goes on"] if tally.stopped else []
    if tally.statuses or not proposed.statuses:
        came.append(sessions_came(tally))
    if proposed.statuses:
        came.append(facts_came(proposed))
    left = [*unread(tally.bad), *in_all(tally.bad_lines, len(tally.bad)), *failed(tally)]
    return came, [*left, *unread(done.bad), *refused(proposed)]
