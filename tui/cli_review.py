"""`memagent-tui review`, and yes and no by number: what waits to be remembered, decided on in any shell."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sessions.clock import from_environment
from sessions.errors import FactError, LockedError, UsageError
from sessions.memory.export import fact_json
from sessions.numbers import whole
from sessions.paths import make_home, resolve_home
from tui.cli_output import safe, say, say_json, say_rows, tell
from tui.widgets.when import counted

if TYPE_CHECKING:
    from sessions.memory.fact import Fact
    from sessions.memory.review import Item, Review
    from sessions.memory.store import FactStore

HOW = "facts accept N and facts reject N decide on one; review in a terminal asks for a key on each"
_KEYS = "a accept · e edit the line, then accept · x reject · s skip · u undo · q quit"
MARKS = {"new": "+", "update": "~", "supersede": "~", "forget": "-", "merge": "="}


def run(args: argparse.Namespace) -> int:
    from sessions.memory.store import FactStore

    paths = resolve_home(args.home)
    make_home(paths)
    store = FactStore(paths, from_environment())
    with suppress(LockedError):
        store.reconcile(wait_s=0.5)
    store.review.refresh()
    if args.json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return listed(args, store)
    return _asked(store.review)


def item_json(item: Item) -> dict[str, Any]:
    """The fact as it would be, as `facts list` gives it, with what the proposal is about."""
    proposal = item.proposal
    about = {"proposes": proposal.proposes, "targets": [f.number for f in item.now], "why": item.why}
    return fact_json(item.fact) | about | {"does": item.does, "group": item.group}


def listed(args: argparse.Namespace, store: FactStore) -> int:
    """What waits, and how to decide on it."""
    items = [item for group in store.review.groups() for item in group.items]
    if args.json:
        say_json([item_json(item) for item in items])
        return 0
    say_rows(
        [(MARKS.get(i.proposal.proposes, "?"), str(i.number), i.fact.name, i.does, i.fact.summary) for i in items],
        right=(1,),
    )
    tell(HOW if items else "Nothing waits for review")
    return 0


def decide(args: argparse.Namespace, store: FactStore) -> int:
    """`facts accept N`, `facts reject N`."""
    number = whole(args.fact.lstrip("#"))
    if number is None or number not in {p.number for p in store.proposals()}:
        raise UsageError(f"Nothing waits as {args.fact}", "memagent-tui facts list --proposed shows what waits")
    decided = getattr(store.review, args.do)(number)
    fact = decided.fact
    if args.json:
        say_json(fact_json(fact))
    else:
        say(f"{fact.number} {fact.name} — {fact.summary}")
        tell("rejected" if args.do == "reject" else f"accepted: {decided.op}")
    return 0


def _asked(review: Review) -> int:
    """Ask for a key on each. What was skipped still waits."""
    numbers = [item.number for group in review.groups() for item in group.items]
    if not numbers:
        tell("Nothing waits for review")
        return 0
    done: list[int] = []
    at = 0
    while at < len(numbers):
        try:
            item = review.item(numbers[at])
        except FactError:  # decided on elsewhere
            at += 1
            continue
        for line in _shown(item, at + 1, len(numbers)):
            say(line)
        key = _key()
        if key in {"q", "\x04", ""}:
            break
        if key == "u":
            at = _undone(review, done, numbers, at)
        elif key in {"a", "e", "x"}:
            if _decided(review, item, key):
                done.append(item.number)
                at += 1
        elif key == "s":
            at += 1
    left = len(review.items())
    tell(counted(left, "still waits", "still wait") if left else "Nothing waits any more")
    return 0


def _decided(review: Review, item: Item, key: str) -> bool:
    try:
        if key == "x":
            review.reject(item.number)
            tell("rejected")
            return True
        fields: dict[str, Any] = {}
        if key == "e":
            sys.stderr.write(safe("in one line (empty: as it is): "))
            sys.stderr.flush()
            if text := sys.stdin.readline().strip():
                fields["summary"] = text
        change = review.accept(item.number, **fields)
        tell(f"accepted: {change.op} #{change.fact.number}")
    except FactError as error:
        tell(str(error))
        return False
    return True


def _undone(review: Review, done: list[int], numbers: list[int], at: int) -> int:
    """Take back the last decision of this call, and go there."""
    if not done:
        tell("nothing to undo yet; facts undo takes back earlier changes")
        return at
    try:
        review.undo(done[-1])
    except FactError as error:
        tell(str(error))
        return at
    return numbers.index(done.pop())


def _shown(item: Item, at: int, of: int) -> list[str]:
    """The proposal as a diff, why it waits, what it is close to."""
    out = ["", f"{at} of {of}  #{item.number}  {item.does}  ({item.group})"]
    before = [line for fact in item.now for line in _fields(fact)]
    after = [] if item.proposal.proposes == "forget" else _fields(item.fact)
    out += [f"  - {line}" for line in before if line not in after]
    out += [f"{'  + ' if line not in before else '    '}{line}" for line in after]
    if item.proposal.proposes != "forget":
        out.append(f"  holds in: {f'the project {item.project} only' if item.project else 'every folder'}")
    out.append(f"  why it waits: {item.why or 'it was proposed'}")
    if item.fact.source.quote:
        out.append(f"  “{item.fact.source.quote}”")
    out += [f"  close to #{fact.number} {fact.name} — {fact.summary}" for fact in item.against]
    return out


def _fields(fact: Fact) -> list[str]:
    lines = [fact.summary, f"kind: {fact.kind}", f"always send: {'yes' if fact.pinned else 'no'}"]
    lines += [f"due: {fact.due}"] if fact.due else []
    return lines + fact.body.splitlines()


def _key() -> str:
    """One key, without enter where the terminal can do that; empty at the end of the input."""
    sys.stderr.write(f"{_KEYS} > ")
    sys.stderr.flush()
    try:
        import termios
        import tty
    except ImportError:
        return sys.stdin.readline()[:1]
    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    try:
        tty.setcbreak(fd, termios.TCSADRAIN)  # what was typed ahead is kept
        key = sys.stdin.read(1)
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, before)
    sys.stderr.write(f"{safe(key.strip())}\n")
    return key
