"""`memagent-tui facts reflect` and `facts defragment`: a model looks through the facts, and what it finds waits."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from tui.cli_output import say_json, say_rows, tell
from tui.cli_review import HOW, MARKS, item_json
from tui.reflecting import outcome

if TYPE_CHECKING:
    from sessions.home import Home
    from sessions.hub.reflecting import Reflection


def run(args: argparse.Namespace) -> int:
    from sessions.home import Home

    home = Home(args.home)
    found = asyncio.run(_reflect(home, args.do))
    review = home.facts.review
    items = [review.item(one.proposal.number) for one in found.proposed]
    if args.json:
        say_json([item_json(item) | {"tokens": one.tokens} for item, one in zip(items, found.proposed, strict=True)])
    else:
        marks = [MARKS.get(item.proposal.proposes, "?") for item in items]
        say_rows(
            [(mark, str(i.number), i.does, i.fact.summary, i.why) for mark, i in zip(marks, items, strict=True)],
            right=(1,),
        )
    tell(outcome(found))
    if items:
        tell(HOW)
    return 0


async def _reflect(home: Home, task: str) -> Reflection:
    from sessions.hub.pool import Pool
    from sessions.hub.reflecting import reflect

    pool = Pool(home)
    try:
        return await reflect(home, pool, "reflect" if task == "reflect" else "defragment", Path.cwd())
    finally:
        await pool.close()
        home.close()
