"""The rows on sessions: a long one opened at its end, and the list of many."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

from sessions.clock import SystemClock, iso
from sessions.paths import HomePaths
from sessions.store.catalog import Catalog
from sessions.store.index import Index
from tests.bench import homes
from tests.bench.tuibench import Tui

Open = Callable[[Path], AbstractContextManager[Tui]]
END = "ZZTAIL"
"""Stands in the last answer."""
LIMITS = {10: (200.0, 30.0), 100: (300.0, 60.0)}
"""Megabytes of log -> ms from Enter to its tail, and MB of memory gained."""


def long_session(paths: HomePaths, megabytes: float) -> int:
    """A session of that size: turns of about 5 KB with a call, its result and an answer in Markdown; how many."""
    random_ = random.Random(13)
    text = [" ".join(random_.choices(homes.WORDS, k=90)).capitalize() + "." for _ in range(200)]
    at = homes.START + timedelta(days=600)
    name = f"{at:%Y%m%d-%H%M%S}-00feed"
    turn = size = 0
    usage = {"input": 4000, "output": 300, "cached": 0}
    answered = {"profile": "guide", "model": "guide", "usage": usage, "ms": 900}
    with paths.session_log(name).open("w", encoding="utf-8") as file:

        def put(id_: str, role: str, **data: object) -> None:
            nonlocal size
            head = {"v": 1, "id": id_, "role": role, "at": iso(at)}
            size += file.write(json.dumps(head | data, ensure_ascii=False, separators=(",", ":")) + "\n")

        put("s0", "marker", kind="session", cwd=str(paths.root), profile="guide", model="guide", memory="on")
        while size < megabytes * 1e6:
            turn += 1
            at += timedelta(seconds=50)
            call = {"id": f"call-{turn}", "name": "search_history", "arguments": {"query": random_.choice(homes.WORDS)}}
            items = "\n".join(f"- **{t[:9]}** {t[9:80]}" for t in random_.sample(text, 5))
            last = f"\n\n{END}" if size + 5000 >= megabytes * 1e6 else ""
            code = f"```python\nfor word in {turn}:\n    print(word)\n```"
            said = f"## {turn}\n\n{random_.choice(text)}\n\n{items}\n\n{code}\n\n{random_.choice(text)}{last}"
            put(f"u{turn}", "user", turn=turn, content=f"Question {turn}: {random_.choice(text)[:80]}?")
            put(f"c{turn}", "assistant", turn=turn, content="", tool_calls=[call], stop="tool_calls", **answered)
            result = "\n".join(random_.sample(text, 3))
            put(
                f"t{turn}", "tool", turn=turn, tool_call_id=call["id"], name=call["name"], content=result, ok=True, ms=3
            )
            put(f"a{turn}", "assistant", turn=turn, content=said, stop="stop", **answered)
            put(f"e{turn}", "marker", kind="turn_end", turn=turn, stop="stop", usage=usage, ms=1900)
    listed(paths)
    return turn


def listed(paths: HomePaths) -> None:
    """As a program leaves them that has seen all sessions."""
    Catalog(paths, SystemClock()).list()
    index = Index(paths, SystemClock())
    index.catch_up()
    index.close()


def to_tail(home: Path, ours: Open, runs: int) -> tuple[float, float]:
    """(ms from Enter in History to the tail, MB gained when the tree is full too)."""
    ms, mb = [], []
    for _ in range(runs):
        with ours(home) as t:
            t.send("ctrl+r")
            t.wait("Question 1:")
            t.settle(1.0)
            before = t.rss_mb()
            ms.append(t.key_to_text("enter", END) * 1e3)
            t.wait(r"[0-9,]+ turns")
            t.settle(1.5)
            mb.append(t.rss_mb() - before)
    return statistics.median(ms), statistics.median(mb)


def to_list(home: Path, ours: Open, runs: int) -> float:
    """ms from the key to the list of a home's sessions, with the newest in it."""
    ms = []
    for _ in range(runs):
        with ours(home) as t:
            t.settle(1.5)
            ms.append(t.key_to_text("ctrl+r", r"9,9\d\d more") * 1e3)
    return statistics.median(ms)
