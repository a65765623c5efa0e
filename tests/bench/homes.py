"""Homes of a given size, made of plain text by a fixed recipe: the same numbers give the same files."""

from __future__ import annotations

import itertools
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sessions.clock import iso
from sessions.paths import HomePaths, make_home

WORDS = (
    "roadmap staffing budget weather Tokyo Osaka offsite review release retry ledger index import latency parser "
    "Sarah Kenji Zoë Müller deadline contract invoice flat train ticket kernel socket buffer schema migration rollback"
).split()
SYLLABLES = "ba co di fu ga hel in jo kar lu men no or pel qui ra sto tan ul ver wi xen yor zu mar tel bri".split()
START = datetime(2025, 1, 1, 8, tzinfo=UTC)


def vocabulary(size: int) -> list[str]:
    """`size` words: those of WORDS among made-up ones."""
    random_ = random.Random(11)
    words: dict[str, None] = {}
    while len(words) < size - len(WORDS):
        words["".join(random_.choices(SYLLABLES, k=random_.choice((2, 3, 3, 4))))] = None
    mixed = [*words, *WORDS]
    random_.shuffle(mixed)
    return mixed


def make(root: Path, *, sessions: int = 0, messages: int = 20, facts: int = 0, words: int = 0) -> HomePaths:
    """A home of `sessions` sessions with `messages` messages each, and `facts` facts about the user.

    Its texts are of 30 equally frequent words; of so many `words` when given, frequent as in a language (1/rank).
    """
    paths = HomePaths(root, root / "config.toml")
    make_home(paths)
    random_ = random.Random(7)
    say = _Speech(random_, words)
    for i in range(sessions):
        _session(paths, i, messages, say)
    for i in range(1, facts + 1):
        _fact(paths, i, say)
    return paths


class _Speech:
    def __init__(self, random_: random.Random, words: int) -> None:
        self._random = random_
        self._words = vocabulary(words) if words else WORDS
        self._weights = list(itertools.accumulate(1 / n for n in range(1, words + 1))) if words else None

    def __call__(self, n: int = 14) -> str:
        if self._weights is None:
            return " ".join(self._random.choices(self._words, k=n)).capitalize() + "."
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=n)).capitalize() + "."


def _session(paths: HomePaths, i: int, messages: int, say: _Speech) -> None:
    at = START + timedelta(minutes=65 * i)
    name = f"{at:%Y%m%d-%H%M%S}-{i:06x}"
    start = {
        "kind": "session",
        "cwd": f"/home/me/project-{i % 20}",
        "profile": "guide",
        "model": "guide",
        "memory": "on",
    }
    lines = [{"v": 1, "id": "s0", "role": "marker", "at": iso(at), **start}]
    for k in range(messages):
        at += timedelta(seconds=20)
        head = {"v": 1, "id": f"m{k}", "role": "assistant" if k % 2 else "user", "at": iso(at), "turn": k // 2 + 1}
        line = head | {"content": say()}
        if k % 2:
            usage = {"input": 400, "output": 30, "cached": 0}
            line |= {"profile": "guide", "model": "guide", "usage": usage, "ms": 20, "stop": "stop"}
        lines.append(line)
        if k % 2:
            end = {"kind": "turn_end", "turn": k // 2 + 1, "stop": "stop", "usage": usage, "ms": 25}
            lines.append({"v": 1, "id": f"e{k}", "role": "marker", "at": iso(at), **end})
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    paths.session_log(name).write_text(text, encoding="utf-8")


def _fact(paths: HomePaths, n: int, say: _Speech) -> None:
    at = (START + timedelta(minutes=n)).strftime("%Y-%m-%dT%H:%M:%SZ")
    kind = ("preference", "contact", "project", "feedback", "reference")[n % 5]
    text = (
        f'+++\nschema = 1\nid = "00000000-0000-4000-8000-{n:012x}"\nnumber = {n}\nname = "fact-about-{n}"\n'
        f'summary = "{say(6)}"\nkind = "{kind}"\nscope = "user"\nstatus = "active"\n'
        f"pinned = {'true' if n <= 8 else 'false'}\nlocked = false\ncreated_at = {at}\nupdated_at = {at}\n"
        f"confirmed_at = {at}\nrelated = []\nsupersedes = []\n"
        f'\n[source]\norigin = "user"\n+++\n{say(20)}\n'
    )
    (paths.user_facts / f"fact-about-{n}.md").write_text(text, encoding="utf-8")
