"""`memagent-tui facts erase` and `memagent-tui sessions erase`: asks once, erases, tells what is left."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from sessions.errors import FactError, MemagentError, UsageError
from sessions.paths import HomePaths
from tui.cli_output import agreed, say, say_json, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sessions.erase import Result, Target
    from sessions.home import Home


_MOST = 1_000
"""Messages that are listed before whatever holds a word goes."""


def fact(args: argparse.Namespace) -> int:
    """`facts erase N`"""
    from sessions.erase import of_fact

    def target(home: Home) -> Target:
        try:
            found = of_fact(home, args.fact)
        except FactError as e:
            raise UsageError(e.message, "memagent-tui facts list shows them") from e
        return found.kept_messages() if args.keep_messages else found

    return _erase(args, target)


def session(args: argparse.Namespace) -> int:
    """`sessions erase ID`"""
    from sessions.erase import of_message, of_session
    from sessions.erase.target import learned_in

    def target(home: Home) -> Target:
        id_ = find(home, args.id)
        if args.message:
            return of_message(home, id_, args.message)
        kept = [] if args.facts else learned_in(home, id_)
        if kept:
            numbers = ", ".join(f"#{n}" for n in kept)
            tell(f"Learned in it, and kept without the quote: {numbers}; --facts erases them too")
        return of_session(home, id_, facts=args.facts)

    return _erase(args, target)


def finish_cut_off(paths: HomePaths) -> None:
    """Go on with an erasing that was cut off, before anything else is done with the home."""
    if not (paths.local / "erasing.json").exists():
        return
    from sessions.erase import finish
    from sessions.home import Home

    home = Home(paths)
    try:
        if done := finish(home):
            tell(f"Went on with what was cut off: {done.target.title} is erased")
    except MemagentError as e:
        tell(f"An erasing was cut off and waits to be finished: {e}")
    finally:
        home.close()


def find(home: Home, ref: str) -> str:
    """The id of a session, in the trash too, by its beginning. Raises UsageError."""
    if not ref.strip():
        raise UsageError("No session is named", "Give its id or the beginning of it; sessions list shows them")
    trashed = {path.stem for path in home.paths.trash.glob("*.jsonl")}
    every = {path.stem for path in home.paths.sessions.glob("*.jsonl")} | trashed
    found = [id_ for id_ in every if id_ == ref] or [id_ for id_ in every if ref and id_.startswith(ref)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{len(found)} sessions begin with {ref}", "Give more of the id")
    raise UsageError(f"No session {ref}", "memagent-tui sessions list shows them")


def _erase(args: argparse.Namespace, target: Callable[[Home], Target]) -> int:
    from sessions.erase import erase, finish, survey, with_words
    from sessions.erase.words import goes, question
    from sessions.home import Home

    home = Home(args.home)
    try:
        before = finish(home)
        if before is not None:
            tell(f"Went on with what was cut off: {before.target.title} is erased")
        try:
            found = survey(home, target(home))
        except MemagentError:
            if before is None:
                raise
            return _told(args, before)
        if args.also:
            found = with_words(home, found)
        for line in goes(found, most=_MOST if args.also else 8):
            tell(f"  {line}")
        if found.standing and not (args.also or args.yes):
            tell("  --also erases these too")
        if not agreed(question(found), args.yes):
            tell("Nothing was erased")
            return 1
        return _told(args, erase(home, found))
    finally:
        home.close()


def _kept(result: Result) -> Iterator[dict[str, str | int]]:
    """Where words stand that tell what was erased: in a message, in another fact or its history, in a file."""
    for line in result.survey.kept:
        for word in line.words:
            yield {"word": word, "session": line.session, "message": line.message}
    for other in result.beside:
        if other.word not in result.told:
            continue
        if other.fact is None:
            yield {"word": other.word, "path": other.path}
        else:
            yield {"word": other.word, "fact" if other.held else "history": other.fact.number}


def _told(args: argparse.Namespace, result: Result) -> int:
    if args.json:
        say_json(
            {
                "erased": result.target.title,
                "lines": result.lines,
                "traces": result.traces,
                "left": [{"path": str(t.path), "places": t.places} for t in result.left],
                "standing": [{"path": str(t.path), "places": t.places} for t in result.standing],
                "kept": [*_kept(result)],
                "also": list(result.target.also),
                "out_of_reach": list(result.out_of_reach),
            }
        )
    else:
        for line in result.words():
            say(line)
    return 1 if result.left else 0
