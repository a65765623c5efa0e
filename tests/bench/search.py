"""What finding costs: `python -m tests.bench.search [--json] [--sessions N] [--facts N]`.

Queries, asked of 10,000 sessions of 20 messages and of 10,000 facts, 60 of each kind: *questions* ("What did Sarah say
about the <three words>?"), *single words*, *prefixes* (the first two to four letters of a word), and *no hit* (words
that nobody said). The homes: one whose 20,000 words are as frequent as in a language, and one of 30 words that are all
everywhere, which is the worst case. *Append* is a message into a log of the first home and into its index.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sessions.clock import SystemClock, iso
from sessions.memory.recall import recall
from sessions.memory.store import FactStore
from sessions.messages import UserMessage
from sessions.paths import HomePaths
from sessions.store.index import Index
from sessions.store.log import LogWriter
from tests.bench import homes
from tests.bench.locomo import Watch

LIMITS = {"search": 50.0, "recall": 10.0, "append": 2.0}
EACH = 60


def queries(words: list[str]) -> dict[str, list[str]]:
    """The queries of each kind; the words are drawn alike from frequent and rare ones."""
    random_ = random.Random(3)
    return {
        "questions": [f"What did Sarah say about the {' '.join(random_.sample(words, 3))}?" for _ in range(EACH)],
        "words": [random_.choice(words) for _ in range(EACH)],
        "prefixes": [random_.choice(words)[: random_.choice((2, 3, 4))] for _ in range(EACH)],
        "no hit": [f"zzq{random_.randrange(10**6):x}xqv" for _ in range(EACH)],
    }


def timed(ask: Callable[[str], object], asked: list[str]) -> dict[str, float]:
    watches = []
    for query in asked:
        with Watch() as watch:
            ask(query)
        watches.append(watch)
    return figures(watches)


def figures(watches: list[Watch]) -> dict[str, float]:
    ms, cpu = sorted(w.ms for w in watches), sorted(w.cpu_ms for w in watches)
    last = int(len(ms) * 0.95)
    return {
        "p50_ms": round(statistics.median(ms), 2),
        "p95_ms": round(ms[last], 2),
        "p95_cpu_ms": round(cpu[last], 2),
    }


def searched(paths: HomePaths, words: list[str], out: dict[str, Any], name: str) -> None:
    index = Index(paths, SystemClock())
    with Watch() as watch:
        index.catch_up()
    size = sum(f.stat().st_size for f in paths.local.glob("index-*"))
    out[f"{name}: index"] = {
        "seconds": round(watch.ms / 1e3, 1),
        "cpu_s": round(watch.cpu_ms / 1e3, 1),
        "mb": round(size / 1e6, 1),
    }
    index.search("warm")
    for kind, asked in queries(words).items():
        out[f"{name}: search, {kind}"] = timed(lambda q: index.search(q, limit=20), asked)
    index.close()


def recalled(paths: HomePaths, words: list[str], out: dict[str, Any], name: str) -> None:
    facts = FactStore(paths, SystemClock()).visible(None)
    with Watch() as watch:
        recall(facts, query="warm")
    out[f"{name}: facts taken in"] = {"seconds": round(watch.ms / 1e3, 2), "cpu_s": round(watch.cpu_ms / 1e3, 2)}
    for kind, asked in queries(words).items():
        out[f"{name}: recall, {kind}"] = timed(lambda q: recall(facts, query=q), asked)


def appended(paths: HomePaths, words: list[str], out: dict[str, Any]) -> None:
    session = max(f.stem for f in paths.sessions.glob("*.jsonl"))
    index, log, clock = Index(paths, SystemClock()), LogWriter.open(paths, session), SystemClock()
    random_ = random.Random(5)
    logged, indexed, both = [], [], []
    for n in range(EACH * 2):
        message = UserMessage(f"x{n}", iso(clock.now()), 100 + n, " ".join(random_.choices(words, k=14)))
        with Watch() as all_of_it:
            with Watch() as writing:
                log.append(message)
            with Watch() as indexing:
                index.catch_up(only=[session])
        logged.append(writing)
        indexed.append(indexing)
        both.append(all_of_it)
    log.close()
    index.close()
    for name, watches in (("log", logged), ("index", indexed), ("log and index", both)):
        out[f"append, {name}"] = figures(watches)


def run(sessions: int, facts: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="memagent-bench-") as folder:
        for name, size in (("language", 20_000), ("30 words", 0)):
            words = homes.vocabulary(size) if size else homes.WORDS
            root = Path(folder) / name.replace(" ", "-")
            paths = homes.make(root, sessions=sessions, facts=facts, words=size)
            searched(paths, words, out, name)
            recalled(paths, words, out, name)
            if size:
                appended(paths, words, out)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one object with everything")
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--facts", type=int, default=10_000)
    options = parser.parse_args()
    found = run(options.sessions, options.facts)
    if options.json:
        print(json.dumps(found))
        return
    for name, row in found.items():
        limit = next((f"at most {ms:g}" for word, ms in LIMITS.items() if word in name and "p95_ms" in row), "")
        print(f"{name:<32}" + "  ".join(f"{k} {v:>8}" for k, v in row.items()) + f"   {limit}")


if __name__ == "__main__":
    main()
