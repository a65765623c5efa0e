"""How well search finds what answers a question: `python -m tests.bench.locomo DATA [--json] [--loo] [--embedder URL]`.

DATA is a file in the form of LoCoMo: samples of `conversation` (sessions of messages by two speakers, with dates) and
`qa` (questions with the messages that hold the evidence). Each conversation becomes a home, each session a log, and
the questions go through the index as a person's would. *recall@k* is the share of a question's evidence among the
first k messages, *session recall@k* among the first k sessions. Beside it stands plain FTS5 over the same messages.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sessions.clock import SystemClock, iso
from sessions.messages import Marker, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.providers.embeddings import Embedder
from sessions.settings import Profile
from sessions.store.cues import STOP
from sessions.store.index import Index
from sessions.store.log import LogWriter

EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
KS = (1, 3, 5, 10, 20)
Key = tuple[int, int]
"""(session, message) as the data number them."""


class Watch:
    """How long a block takes, by the clock and in this thread's CPU time."""

    ms = cpu_ms = 0.0

    def __enter__(self) -> Watch:
        self._start = time.perf_counter(), time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.ms = (time.perf_counter() - self._start[0]) * 1e3
        self.cpu_ms = (time.thread_time() - self._start[1]) * 1e3


@dataclass
class Conversation:
    sessions: list[tuple[int, datetime, list[tuple[Key, str, str]]]] = field(default_factory=list)
    """(number, when, messages of (key, speaker, text))."""
    questions: list[tuple[str, int, set[Key]]] = field(default_factory=list)
    """(question, category, evidence)."""


@dataclass
class Figures:
    """What one ranker found."""

    messages: dict[int, list[float]] = field(default_factory=lambda: {k: [] for k in KS})
    sessions: dict[int, list[float]] = field(default_factory=lambda: {k: [] for k in KS})
    ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    """Of this thread: what a machine with nothing else to do would take."""

    def add(self, evidence: set[Key], messages: list[Key], sessions: list[int], watch: Watch) -> None:
        wanted = {session for session, _ in evidence}
        for k in KS:
            self.messages[k].append(len(evidence & set(messages[:k])) / len(evidence))
            self.sessions[k].append(len(wanted & set(sessions[:k])) / len(wanted))
        self.ms.append(watch.ms)
        self.cpu_ms.append(watch.cpu_ms)

    def as_json(self) -> dict[str, float]:
        out: dict[str, float] = {"questions": len(self.ms)}
        if self.ms:
            out |= {f"recall@{k}": _percent(self.messages[k]) for k in KS}
            out |= {f"session_recall@{k}": _percent(self.sessions[k]) for k in KS}
            out |= {"p50_ms": round(statistics.median(self.ms), 2), "p95_ms": round(_p95(self.ms), 2)}
            out["p95_cpu_ms"] = round(_p95(self.cpu_ms), 2)
        return out


def read(path: Path) -> list[Conversation]:
    return [_conversation(sample) for sample in json.loads(path.read_text(encoding="utf-8"))]


def _conversation(sample: dict[str, Any]) -> Conversation:
    out, said = Conversation(), sample["conversation"]
    numbers = sorted(int(m[1]) for key in said if (m := re.fullmatch(r"session_(\d+)", key)))
    for n in numbers:
        messages = []
        for line in said[f"session_{n}"]:
            found = EVIDENCE.search(line["dia_id"])
            caption = line.get("blip_caption")
            text = f"{line['text']} {caption}" if caption else line["text"]
            if found:
                messages.append(((int(found[1]), int(found[2])), line["speaker"], text))
        if messages:
            when = datetime.strptime(said[f"session_{n}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            out.sessions.append((n, when, messages))
    for asked in sample["qa"]:
        found_in = [EVIDENCE.findall(str(e)) for e in asked.get("evidence") or []]
        evidence = {(int(a), int(b)) for pairs in found_in for a, b in pairs}
        if evidence:
            out.questions.append((str(asked["question"]), int(asked["category"]), evidence))
    return out


def make(root: Path, conversation: Conversation) -> HomePaths:
    """A home in which the conversation was held."""
    paths = HomePaths(root, root / "config.toml")
    make_home(paths)
    for n, when, messages in conversation.sessions:
        start = {"cwd": "/", "profile": "", "model": "", "memory": "on"}
        log = LogWriter.create(paths, f"{when:%Y%m%d-%H%M%S}-{n:06x}", Marker("s0", iso(when), "session", start))
        for turn, (key, speaker, text) in enumerate(messages, 1):
            at = iso(when + timedelta(seconds=30 * turn))
            log.append(UserMessage(f"D{key[0]}:{key[1]}", at, turn, text, name=speaker))
        log.close()
    return paths


def ours(index: Index, conversation: Conversation, categories: dict[int, Figures]) -> None:
    for question, category, evidence in conversation.questions:
        with Watch() as watch:
            hits = index.search(question, limit=max(KS))
        sessions = index.sessions(question, limit=max(KS))
        categories[category].add(evidence, _keys(h.message for h in hits), _numbers(h.session for h in sessions), watch)


def plain(conversation: Conversation, categories: dict[int, Figures]) -> None:
    """FTS5 as it comes: BM25, porter stems, OR of the words that are no stop words."""
    db = sqlite3.connect(":memory:")
    tokenize = "tokenize = 'porter unicode61 remove_diacritics 2'"
    db.execute(f"CREATE VIRTUAL TABLE said USING fts5 (text, key UNINDEXED, session UNINDEXED, {tokenize})")
    db.execute(f"CREATE VIRTUAL TABLE talks USING fts5 (text, session UNINDEXED, {tokenize})")
    for n, _, messages in conversation.sessions:
        db.executemany("INSERT INTO said VALUES (?, ?, ?)", [(t, f"D{k[0]}:{k[1]}", n) for k, _, t in messages])
        db.execute("INSERT INTO talks VALUES (?, ?)", ("\n".join(t for _, _, t in messages), n))
    for question, category, evidence in conversation.questions:
        with Watch() as watch:
            words = [w for w in re.findall(r"[a-z0-9]+", question.lower()) if w not in STOP]
            match = " OR ".join(f'"{w}"' for w in words) or '""'
            best = "WHERE said MATCH ? ORDER BY rank LIMIT ?"
            keys = db.execute(f"SELECT key FROM said {best}", (match, max(KS))).fetchall()
        talks = db.execute("SELECT session FROM talks WHERE talks MATCH ? ORDER BY rank LIMIT ?", (match, max(KS)))
        categories[category].add(evidence, _keys(k for (k,) in keys), [n for (n,) in talks], watch)
    db.close()


def _keys(ids: Iterable[str]) -> list[Key]:
    return [(int(m[1]), int(m[2])) for i in ids if (m := EVIDENCE.match(i))]


def _numbers(sessions: Iterable[str]) -> list[int]:
    return [int(session.rsplit("-", 1)[1], 16) for session in sessions]


def _percent(shares: list[float]) -> float:
    return round(100 * statistics.fmean(shares), 2)


def _p95(values: list[float]) -> float:
    return sorted(values)[max(0, int(len(values) * 0.95 + 0.5) - 1)]


def _together(categories: dict[int, Figures], numbers: Iterable[int]) -> Figures:
    out = Figures()
    for n in numbers:
        figures = categories.get(n, Figures())
        for k in KS:
            out.messages[k] += figures.messages[k]
            out.sessions[k] += figures.sessions[k]
        out.ms += figures.ms
        out.cpu_ms += figures.cpu_ms
    return out


class _Categories(dict[int, Figures]):
    def __missing__(self, n: int) -> Figures:
        self[n] = Figures()
        return self[n]


def meant(paths: HomePaths, embedder: Embedder) -> tuple[Index, float]:
    """The index of a home with the vectors of an embedder, and how many seconds they took."""
    index = Index(paths, SystemClock(), lambda: embedder)
    start = time.perf_counter()
    while index.learn():
        pass
    if problem := index.questions.take_problem():
        raise SystemExit(problem)
    return index, time.perf_counter() - start


def run(path: Path, *, leave_one_out: bool = False, embedder: Embedder | None = None) -> dict[str, Any]:
    """All figures, in percent and milliseconds."""
    mine, other, with_meaning, index_s, learn_s = _Categories(), _Categories(), _Categories(), [], []
    conversations = read(path)
    with tempfile.TemporaryDirectory(prefix="memagent-bench-") as folder:
        homes = [make(Path(folder) / str(n), c) for n, c in enumerate(conversations)]
        for paths, conversation in zip(homes, conversations, strict=True):
            index = Index(paths, SystemClock())
            start = time.perf_counter()
            index.catch_up()
            index_s.append(time.perf_counter() - start)
            ours(index, conversation, mine)
            plain(conversation, other)
            index.close()
            if embedder is not None:
                index, took = meant(paths, embedder)
                learn_s.append(took)
                ours(index, conversation, with_meaning)
                index.close()
        left_out = None
        if leave_one_out:
            from tests.bench.fit import leave_one_out as fitted

            left_out = fitted(homes, conversations)
            if embedder is not None:
                left_out["with_embedder"] = fitted(homes, conversations, embedder)
    four = _together(mine, (1, 2, 3, 4)).as_json()
    return {
        "recall@10": four.get("recall@10"),
        "session_recall@5": four.get("session_recall@5"),
        "p95_ms": four.get("p95_ms"),
        "categories_1_to_4": four,
        "category_5": mine[5].as_json(),
        "by_category": {str(n): mine[n].as_json() for n in sorted(mine)},
        "baseline": _together(other, (1, 2, 3, 4)).as_json() | {"category_5": other[5].as_json()},
        "sessions": {
            "count": sum(len(c.sessions) for c in conversations),
            "messages": sum(len(m) for c in conversations for _, _, m in c.sessions),
            "index_ms_per_message": round(
                1e3 * sum(index_s) / max(1, sum(len(m) for c in conversations for _, _, m in c.sessions)), 3
            ),
            **{f"recall@{k}": four.get(f"session_recall@{k}") for k in KS},
        },
        "with_embedder": {
            "embedder": embedder.label,
            **_together(with_meaning, (1, 2, 3, 4)).as_json(),
            "category_5": with_meaning[5].as_json(),
            "seconds": round(sum(learn_s), 1),
        }
        if embedder is not None
        else None,
        "leave_one_out": left_out,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--json", action="store_true", help="one object with everything")
    parser.add_argument("--loo", action="store_true", help="fit the weights leaving each conversation out in turn")
    parser.add_argument("--embedder", metavar="URL", help="also with vectors of the server at this address")
    parser.add_argument("--model", default="", help="and of this model")
    options = parser.parse_args()
    embedder = Embedder(Profile("bench", base_url=options.embedder, model=options.model), None)
    found = run(options.data, leave_one_out=options.loo, embedder=embedder if options.embedder else None)
    if options.json:
        print(json.dumps(found))
        return
    for name in ("categories_1_to_4", "category_5", "baseline", *(["with_embedder"] if options.embedder else [])):
        row = found[name]
        print(f"{name:<20}" + "  ".join(f"{k} {v}" for k, v in row.items() if not isinstance(v, dict)))
    if options.loo:
        print(f"{'leave_one_out':<20}" + "  ".join(f"{k} {v}" for k, v in found["leave_one_out"].items()))


if __name__ == "__main__":
    main()
