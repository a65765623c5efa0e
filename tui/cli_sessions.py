"""`memagent-tui sessions …`"""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sessions.clock import from_environment, iso, parse_iso
from sessions.errors import UsageError
from sessions.ids import is_session_id
from sessions.memory.rules import one_line
from sessions.paths import HomePaths, make_home, resolve_home
from tui.cli_erase import finish_cut_off
from tui.cli_output import needs_words, say, say_json, say_rows, tell
from tui.widgets.when import turns_told

if TYPE_CHECKING:
    from sessions.home import Home
    from sessions.store.catalog import Catalog, Meta


def run(args: argparse.Namespace) -> int:
    if args.do == "erase":
        from tui.cli_erase import session

        return session(args)
    from sessions.store.catalog import Catalog

    paths = resolve_home(args.home)
    make_home(paths)
    finish_cut_off(paths)
    catalog = Catalog(paths, from_environment())
    match args.do:
        case "list":
            return _list(args, catalog, paths)
        case "show":
            return _show(args, catalog, paths)
        case "search":
            return _search(args, paths)
        case "fork":
            return _fork(args, catalog)
        case "recap":
            return _write_recap(args, catalog)
        case "delete" | "restore" | "clear" | "export":
            from tui.cli_keeping import keeping

            return keeping(args, catalog, paths)
        case "rename":
            title = one_line(" ".join(args.title))
            if not title:
                raise UsageError("A title needs a text", "As in: memagent-tui sessions rename ID A better title")
            return _meta(args, catalog, paths, {"title": title})
        case "pin":
            return _meta(args, catalog, paths, {"pinned": not args.off})
        case "share":
            return _meta(args, catalog, paths, {"share": "local" if args.off else "any"})
        case _:
            return _meta(args, catalog, paths, {"archived": not args.off})


def find(catalog: Catalog, ref: str) -> Meta:
    """The session of an id or of the only id that begins so. Raises UsageError."""
    if not ref.strip():
        raise UsageError("No session is named", "Give its id or the beginning of it; sessions list shows them")
    found = catalog.get(ref) if is_session_id(ref) else None
    if found:
        return found
    starts = [meta for meta in catalog.list() if ref and meta.id.startswith(ref)]
    if len(starts) == 1:
        return starts[0]
    if starts:
        raise UsageError(f"{len(starts)} sessions begin with {ref}", "Give more of the id")
    raise UsageError(f"No session {ref}", "memagent-tui sessions list shows them")


def _list(args: argparse.Namespace, catalog: Catalog, paths: HomePaths) -> int:
    from sessions.store.trash import trashed

    found = trashed(paths) if args.trash else catalog.list()
    shown = (meta for meta in found if args.trash or not meta.repeats)
    metas = [meta for meta in shown if args.archived or args.trash or not meta.archived][: args.limit]
    if args.json:
        say_json([meta.as_json() for meta in metas])
        return 0
    if not metas:
        tell("The trash is empty" if args.trash else "No sessions yet")
    rows = [
        (m.id, _when(m.updated_at), turns_told(m.turns, fork=bool(m.forked_from)), m.title or "untitled") for m in metas
    ]
    say_rows(rows, right=(2,))
    return 0


def _show(args: argparse.Namespace, catalog: Catalog, paths: HomePaths) -> int:
    from sessions.messages import AssistantMessage, ToolMessage, UserMessage
    from sessions.store.log import read_log

    meta = find(catalog, args.id)
    if args.json:
        say_json(meta.as_json())
        return 0
    say(f"{meta.title or 'untitled'} · {meta.id} · {_when(meta.created_at)} · {meta.cwd}")
    recap = _recap(meta)
    if recap:
        for line in recap.split("\n"):
            say(f"  {line}")
    read = read_log(paths.session_log(meta.id))
    for record in read.records:
        match record:
            case UserMessage():
                say(f"\n› {record.content}")
            case AssistantMessage() if record.content:
                say(f"\n{record.content}")
            case ToolMessage():
                result = record.content.strip().split("\n", 1)[0]
                say(f"{'✓' if record.ok else '✗'} {record.name}  {result}")
            case _:
                pass
    for problem in read.problems:
        tell(f"line {problem.line}: {problem.why}")
    return 0


def _search(args: argparse.Namespace, paths: HomePaths) -> int:
    from sessions.home import Home
    from sessions.store.query import parse

    now = from_environment().now().astimezone()
    after, before = _day(args.after, now), _day(args.before, now)
    if not after and not before:
        needs_words(args.query)
    query = parse(" ".join(args.query), now, times=not (after or before))
    for problem in query.problems:
        tell(problem)
    query = replace(query, after=after or query.after, before=before or query.before)
    home = Home(paths)
    try:
        if args.trash:
            from sessions.store.trash_search import find_in_trash

            found = find_in_trash(paths, query, by_date=args.by_date)
        else:
            home.index.catch_up()
            found = home.index.find(query, limit=args.limit, by_date=args.by_date)
        if problem := home.index.questions.take_problem():
            tell(problem)
    finally:
        home.close()
    hits = [hit for session in found.sessions for hit in session.hits][: args.limit]
    if args.json:
        say_json([_hit(hit) for hit in hits])
        return 0
    if not hits:
        tell("Nothing found")
    elif found.near:
        tell("Nothing is quite so; near it are")
    for hit in hits:
        say(f"{hit.session}  {_when(hit.at)}  {hit.title or 'untitled'}")
        for line in hit.text.strip().split("\n"):
            say(f"    {line}")
    return 0


def _fork(args: argparse.Namespace, catalog: Catalog) -> int:
    from sessions.home import Home

    new = Home(args.home).sessions.fork(find(catalog, args.id).id, args.upto)
    if args.json:
        found = catalog.get(new)
        say_json(found.as_json() if found else {"id": new})
    else:
        say(new)
    return 0


def _write_recap(args: argparse.Namespace, catalog: Catalog) -> int:
    import asyncio

    from sessions.home import Home

    home = Home(args.home)
    session = find(catalog, args.id).id
    text = asyncio.run(_recap_by_model(home, session))
    if args.json:
        found = catalog.refresh(session)
        say_json(found.as_json())
    else:
        say(text)
    return 0


async def _recap_by_model(home: Home, session: str) -> str:
    from sessions.hub.pool import Pool
    from sessions.hub.recapping import Recaps
    from sessions.store.log import append_meta

    async def mark(session: str, data: dict[str, Any]) -> None:
        append_meta(home.paths, session, data, home.clock)
        home.catalog.refresh(session)

    pool = Pool(home)
    try:
        return await Recaps(home, pool, mark).make(session)
    finally:
        await pool.close()
        home.close()


def _meta(args: argparse.Namespace, catalog: Catalog, paths: HomePaths, data: dict[str, Any]) -> int:
    from sessions.store.log import append_meta

    meta = find(catalog, args.id)
    append_meta(paths, meta.id, data, from_environment())
    changed = catalog.refresh(meta.id)
    if args.json:
        say_json(changed.as_json())
    else:
        key, value = next(iter(data.items()))
        words = {True: key, False: f"not {key}"}
        tell(f"{meta.id}: {words[value] if isinstance(value, bool) else value}")
    return 0


def _hit(hit: Any) -> dict[str, Any]:
    import dataclasses

    out = {f.name: getattr(hit, f.name) for f in dataclasses.fields(hit)}
    return {key: iso(value) if isinstance(value, datetime) else value for key, value in out.items()}


def _recap(meta: Meta) -> str:
    recap = meta.recap
    text = recap.get("text") if isinstance(recap, dict) else getattr(recap, "text", None)
    return text if isinstance(text, str) else ""


def _when(at: Any) -> str:
    parsed = at if isinstance(at, datetime) else parse_iso(at)
    return f"{parsed.astimezone():%Y-%m-%d %H:%M}" if parsed else ""


def _day(text: str | None, now: datetime) -> datetime | None:
    from sessions.store.query import start_of

    if text is None:
        return None
    at = start_of(text, now)
    if at is None:
        raise UsageError(f"{text!r} is no date", 'Dates look like 2026-11-29, 2026-11, yesterday or "last march"')
    return at
