"""`memagent-tui sessions delete | restore | clear | export`"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from sessions.paths import HomePaths
from tui.cli_output import say, say_json, tell

if TYPE_CHECKING:
    from sessions.store.catalog import Catalog


def keeping(args: argparse.Namespace, catalog: Catalog, paths: HomePaths) -> int:
    """Run one of them."""
    from tui.cli_sessions import find

    match args.do:
        case "delete":
            from sessions.store.trash import delete

            meta = find(catalog, args.id)
            delete(paths, meta.id)
            return _told(args, meta, f"in the trash; memagent-tui sessions restore {meta.id} brings it back")
        case "restore":
            return _restore(args, catalog, paths)
        case "clear":
            from sessions.errors import LockedError
            from sessions.home import Home

            meta = find(catalog, args.id)
            try:
                Home(args.home).sessions.clear(meta.id)
            except LockedError as e:
                raise LockedError("The session is open in another window", "Close it there, then try again") from e
            return _told(args, catalog.refresh(meta.id), "its context begins anew")
        case _:
            from sessions.store.export import export

            text = export(paths, find(catalog, args.id).id, args.format)
            say(text.rstrip("\n"))
            return 0


def _restore(args: argparse.Namespace, catalog: Catalog, paths: HomePaths) -> int:
    from sessions.errors import UsageError
    from sessions.store.trash import restore, trashed

    if not args.id.strip():
        raise UsageError("No session is named", "memagent-tui sessions list --trash shows them")
    found = [meta for meta in trashed(paths) if meta.id.startswith(args.id)]
    if len(found) != 1:
        what = f"{len(found)} sessions in the trash begin with" if found else "The trash has no session"
        raise UsageError(f"{what} {args.id}", "memagent-tui sessions list --trash shows them")
    restore(paths, found[0].id)
    return _told(args, catalog.refresh(found[0].id), "is back")


def _told(args: argparse.Namespace, meta: Any, words: str) -> int:
    if args.json:
        say_json(meta.as_json())
    else:
        tell(f"{meta.id}: {words}")
    return 0
