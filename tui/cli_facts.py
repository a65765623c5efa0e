"""`memagent-tui facts …`"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.clock import from_environment
from sessions.errors import FactError, StoreError, UsageError
from sessions.memory.export import fact_json
from sessions.memory.rules import check_kind, check_scope
from sessions.paths import HomePaths, make_home, resolve_home
from tui.cli_erase import finish_cut_off
from tui.cli_output import agreed, needs_words, say, say_json, say_rows, tell
from tui.widgets.when import counted

if TYPE_CHECKING:
    from sessions.memory.entries import JournalEntry
    from sessions.memory.fact import By, Fact
    from sessions.memory.store import FactStore

_BUSY_S = 0.5
"""Who only reads waits no longer for another program."""


def run(args: argparse.Namespace) -> int:
    if args.do == "erase":
        from tui.cli_erase import fact

        return fact(args)
    from sessions.memory.fact import By
    from sessions.memory.store import FactStore

    if args.do != "search" and getattr(args, "fact", None) is not None and not args.fact.strip(" #"):
        raise UsageError("No fact is named", "Give its name or number; memagent-tui facts list shows them")
    paths = resolve_home(args.home)
    make_home(paths)
    finish_cut_off(paths)
    store = FactStore(paths, from_environment())
    with suppress(StoreError):  # a home that cannot be written to, or is busy, can be read
        store.reconcile(wait_s=_BUSY_S)
    by = By(origin="user")
    match args.do:
        case "list":
            return _list(args, store)
        case "show":
            return _show(args, find(store, args.fact))
        case "add":
            return _add(args, store, by)
        case "edit":
            return _edit(args, store, by)
        case "forget":
            return _forget(args, store, by)
        case "close":
            return _close(args, store, by)
        case "reflect" | "defragment":
            from tui.cli_reflect import run as reflect

            return reflect(args)
        case "pin":
            return _changed(args, store.edit(_ref(store, args.fact), by=by, pinned=not args.off))
        case "lock":
            return _changed(args, store.edit(_ref(store, args.fact), by=by, locked=not args.off))
        case "search":
            return _search(args, paths, store)
        case "accept" | "reject":
            from tui.cli_review import decide

            return decide(args, store)
        case "export":
            return _export(args, store)
        case "history":
            return _history(args, store)
        case _:
            return _undo(args, store, by)


def find(store: FactStore, ref: str) -> Fact:
    """The fact of a name or number. Raises UsageError."""
    fact = store.get(ref)
    if fact is None:
        raise UsageError(f"No fact {ref}", "memagent-tui facts list shows them")
    return fact


def _list(args: argparse.Namespace, store: FactStore) -> int:
    if args.proposed:
        from tui.cli_review import listed

        return listed(args, store)
    snapshot = store.snapshot()
    facts = sorted(snapshot.facts, key=lambda fact: fact.number)
    if args.kind:
        _meant(check_kind, args.kind)
        facts = [fact for fact in facts if fact.kind == args.kind]
    if args.json:
        say_json([fact_json(fact) for fact in facts])
    else:
        if not facts:
            tell("No facts yet")
        _print(facts)
    if snapshot.proposed:
        tell(f"{counted(len(snapshot.proposed), 'more waits', 'more wait')} for review: memagent-tui review")
    for broken in snapshot.broken:
        tell(f"{broken.path}: {broken.why}")
    return 0


def _print(facts: list[Fact]) -> None:
    say_rows([(_mark(f), str(f.number), f.name, f.kind, f.summary) for f in facts], right=(1,))


def _mark(fact: Fact) -> str:
    return "○" if not fact.active else "◆" if fact.pinned else "◇"


def _show(args: argparse.Namespace, fact: Fact) -> int:
    if args.json:
        say_json(fact_json(fact))
        return 0
    say(f"{_mark(fact)} {fact.number} {fact.name} — {fact.summary}")
    facts = [fact.kind, fact.status, "always sent" if fact.pinned else "recalled on demand"]
    facts += ["locked"] if fact.locked else []
    facts += [f"due {fact.due}"] if fact.due else []
    facts += [fact.scope] if fact.scope != "user" else []
    say("  " + " · ".join(facts))
    if fact.body:
        say("\n" + fact.body)
    if fact.source.quote:
        say(f"\n  “{fact.source.quote}” ({fact.source.origin}, {fact.source.session or 'no session'})")
    if fact.related:
        say("  related: " + ", ".join(fact.related))
    return 0


def _add(args: argparse.Namespace, store: FactStore, by: By) -> int:
    from sessions.memory.fact import Draft, Fact
    from sessions.memory.fields import checked

    if args.text and args.summary:
        raise UsageError("The summary stands there twice", "Give it once, as SUMMARY or with --summary")
    summary = args.summary or args.text
    if not summary:
        raise UsageError("A fact needs a summary", 'As in: memagent-tui facts add "Lives in Tokyo" --kind preference')
    if args.name and store.get(args.name) is not None:
        raise UsageError(f"There is a fact named {args.name}", "Change it with facts edit, or give another --name")
    due = _due(args.due)
    _meant(checked, Fact("", ""), {"summary": summary, "kind": args.kind or "user", "due": due}
           | ({"name": args.name} if args.name else {}))  # fmt: skip
    draft = Draft(
        name=args.name or "",
        summary=summary,
        kind=args.kind or "user",
        body=_body(args.body) or "",
        scope=_scope(args.scope, store) or "user",
        due=due,
        pinned=None if args.pinned is None else args.pinned == "yes",
        share=args.share,
    )
    return _beside(store, _changed(args, change := store.save(draft, by=by)), change.fact)


def _edit(args: argparse.Namespace, store: FactStore, by: By) -> int:
    from sessions.memory.fields import checked

    fields: dict[str, Any] = {
        key: value
        for key in ("name", "kind", "summary", "status")
        if (value := getattr(args, key)) is not None
    }  # fmt: skip
    if args.body is not None:
        fields["body"] = _body(args.body)
    if args.scope is not None:
        fields["scope"] = _scope(args.scope, store)
    if args.pinned is not None:
        fields["pinned"] = args.pinned == "yes"
    if args.share is not None:
        fields["share"] = args.share
    if args.due is not None:
        fields["due"] = _due(args.due)
    if args.related is not None:
        fields["related"] = tuple(name.strip() for name in args.related.split(",") if name.strip())
    if not fields:
        raise UsageError("Nothing to change", "Name a field, as in --summary TEXT")
    _meant(checked, find(store, args.fact), fields)
    return _beside(store, _changed(args, change := store.edit(_ref(store, args.fact), by=by, **fields)), change.fact)


def _beside(store: FactStore, code: int, fact: Fact) -> int:
    """Name the active facts that give another value to the same thing: a hand takes none of them away."""
    from sessions.memory.near import beside

    for other in beside(fact, store.snapshot().facts):
        tell(f"{other.number} {other.name} is on too: {other.summary}. Only one can hold: facts edit "
             f"{other.number} --status off, or facts forget {other.number}")  # fmt: skip
    return code


def _forget(args: argparse.Namespace, store: FactStore, by: By) -> int:
    fact = find(store, args.fact)
    if not agreed(f"Forget {fact.number} {fact.name}: {fact.summary}?", args.yes):
        tell("Nothing changed")
        return 1
    return _changed(args, store.forget(fact.name, by=by), word="forgotten")


def _close(args: argparse.Namespace, store: FactStore, by: By) -> int:
    fact = find(store, args.fact)
    if fact.kind != "open-thread":
        raise UsageError(f"{fact.number} {fact.name} is no open thread", "facts forget takes any fact away")
    if not agreed(f"Close {fact.number} {fact.name}: {fact.summary}?", args.yes):
        tell("Nothing changed")
        return 1
    return _changed(args, store.forget(fact.number or fact.name, by=by), word="closed")


def _undo(args: argparse.Namespace, store: FactStore, by: By) -> int:
    ref = args.fact
    from tui.memory.undone import question, undone

    entry = store.to_undo(ref)
    if not agreed(question(entry), args.yes):
        tell("Nothing changed")
        return 1
    change = store.undo(by=by, ref=ref, op=entry.op)
    return _changed(args, change, word=undone(change))


def _search(args: argparse.Namespace, paths: HomePaths, store: FactStore) -> int:
    from sessions.home import Home
    from sessions.memory.recall import recall

    needs_words(args.query)
    with closing(Home(paths)) as home:
        facts = store.visible(Path.cwd())
        found = recall(facts, query=" ".join(args.query), limit=args.limit, meanings=home.meanings)
        if problem := home.index.questions.take_problem():
            tell(problem)
    if args.json:
        say_json([fact_json(fact) for fact in found])
    else:
        if not found:
            tell("Nothing found")
        _print(list(found))
    return 0


def _export(args: argparse.Namespace, store: FactStore) -> int:
    from sessions.memory.export import export, export_folder, kept_here
    from sessions.store.atomic import write_atomic

    facts = store.snapshot().facts
    here = kept_here(facts) if args.format in {"claude-code", "memory-json"} else 0
    left = f"; {counted(here, 'fact')} with share = local left out" if here else ""
    if args.format == "claude-code":
        if not args.path:
            raise UsageError("This needs a folder", "As in: memagent-tui facts export --format claude-code DIR")
        written = export_folder(facts, Path(args.path), store.scopes.title)
        tell(f"{counted(len(written) - 1, 'fact')} and MEMORY.md are in {args.path}{left}")
        return 0
    text = export(facts, args.format)
    if not args.path:
        say(text.rstrip("\n"))
        if left:
            tell(left.strip("; "))
        return 0
    if Path(args.path).exists():
        raise UsageError(f"{args.path} is there already", "Name a new file")
    try:
        write_atomic(Path(args.path), text.encode())
    except OSError as e:
        raise StoreError(f"{args.path} cannot be written: {e.strerror or e}") from e
    tell(f"written to {args.path}{left}")
    return 0


def _history(args: argparse.Namespace, store: FactStore) -> int:
    entries = store.history(args.fact)
    if not entries:
        raise UsageError(f"No fact {args.fact}", "memagent-tui facts list shows them")
    if args.json:
        say_json([_entry_json(entry) for entry in entries])
        return 0
    from tui.memory.versions import changed_lines, differences, versions_of

    versions = versions_of(entries)[::-1]
    rows = [(str(v.number), v.at[:16].replace("T", " "), v.who, v.text) for v in versions]
    if not args.diff:
        say_rows(rows, right=(0,))
        return 0
    for row, version in zip(rows, versions, strict=True):
        say("  ".join(row))
        for label, old, new in differences(version.before, version.after):
            for sign, text in changed_lines(old, new):
                say(f"  {sign} {label.ljust(12)}{text}".rstrip())
    return 0


def _entry_json(entry: JournalEntry) -> dict[str, Any]:
    by = {k: v for k in ("origin", "session", "message", "quote", "client") if (v := getattr(entry.by, k))}
    before = entry.before or entry.replaced
    return {
        "op": entry.op,
        "at": entry.at,
        "action": entry.action,
        "by": by,
        "before": fact_json(before) if before else None,
        "after": fact_json(entry.after) if entry.after else None,
    }


def _changed(args: argparse.Namespace, change: Any, word: str = "") -> int:
    fact = change.fact
    if args.json:
        say_json(fact_json(fact))
    else:
        say(f"{fact.number} {fact.name} — {fact.summary}")
        tell(word or str(change.op))
    return 0


def _ref(store: FactStore, ref: str) -> str:
    return find(store, ref).name


def _meant(check: Callable[..., Any], *args: Any) -> None:
    """What was typed on the command line keeps the rules of facts. Raises UsageError."""
    try:
        check(*args)
    except FactError as e:
        raise UsageError(e.message, e.advice) from None


def _body(text: str | None) -> str | None:
    return sys.stdin.read().rstrip("\n") if text == "-" else text


def _due(text: str | None) -> date | None:
    if text in {None, "", "none"}:
        return None
    try:
        return date.fromisoformat(str(text))
    except ValueError:
        raise UsageError(f"{text!r} is no date", "Dates look like 2026-12-04") from None


def _scope(text: str | None, store: FactStore) -> str | None:
    if text == "project":
        # The store's own, which then notes where the project is.
        return store.scopes.of(Path.cwd())
    if text is not None:
        _meant(check_scope, text)
    return text
