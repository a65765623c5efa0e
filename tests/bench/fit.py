"""Fits the weights of the ranker: `python -m tests.bench.fit DATA` prints those that suit a file of conversations.

For a question each candidate has exp(score) as its weight; fitted is the likelihood of the evidence, by Newton steps.
`leave_one_out` measures with weights that have not seen the conversation which is measured.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from math import exp
from pathlib import Path
from statistics import fmean
from typing import Any

from sessions.clock import SystemClock
from sessions.paths import HomePaths
from sessions.store.asked import ask
from sessions.store.corpus import PLACE, Asked
from sessions.store.index import Index
from sessions.store.index_db import IndexDb
from sessions.store.meanings import Embedder, Likeness, Meanings
from sessions.store.postings import Reader
from sessions.store.rank import SHARP, signals
from sessions.store.signals import MEANING, WEIGHTS
from tests.bench.locomo import EVIDENCE, Conversation, Key, make, read

Question = tuple[list[tuple[tuple[float, ...], Key]], set[Key]]
"""The candidates, each its values and its message; the evidence."""
LEARNT_FROM = 150
"""Candidates of a question that the fit looks at: the best by the weights as they are, and the evidence."""
STEPS = 3
RIDGE = 2e-4


def gather(paths: HomePaths, conversation: Conversation, embedder: Embedder | None = None) -> list[Question]:
    """The candidates of all questions of categories 1 to 4, from the index of the home, which has the vectors."""
    Index(paths, SystemClock()).catch_up()
    reader, meanings, db, out = Reader(), Meanings(), IndexDb(paths.local), []

    def like(asked: Asked) -> Likeness | None:
        return meanings.ask(embedder.embed([asked.about])[0]) if embedder is not None else None

    def work(connection: object) -> None:
        reader.refresh(connection)  # type: ignore[arg-type]
        meanings.refresh(connection)  # type: ignore[arg-type]
        ids = connection.execute("SELECT id, message FROM rows WHERE role = 'user'")  # type: ignore[attr-defined]
        keys = {id_: (int(m[1]), int(m[2])) for id_, message in ids if (m := EVIDENCE.match(message))}
        for question, category, evidence in conversation.questions:
            if category != 5:
                asked = ask(question, reader)
                found = signals(asked, reader, meaning=like(asked))
                rows = [(v, keys.get(g << PLACE | i)) for v, g, i in found]
                out.append(([(v, key) for v, key in rows if key], evidence))

    db.run(work)
    db.close()
    return out


def fit(questions: Sequence[Question]) -> list[float]:
    """The weights that suit these questions."""
    weights = [*WEIGHTS.values(), *MEANING.values()]
    learnt = []
    for rows, evidence in questions:
        there = [r for r in rows if r[1] in evidence]
        if there:
            best = sorted(rows, key=lambda r: -_dot(weights, r[0]))[:LEARNT_FROM]
            learnt.append((best + [r for r in there if r not in best], evidence))
    size = len(weights)
    for _ in range(STEPS):
        slope = [-2 * RIDGE * w * len(learnt) for w in weights]
        bend = [[2 * RIDGE * len(learnt) * (i == j) for j in range(size)] for i in range(size)]
        for rows, evidence in learnt:
            scores = [_dot(weights, v) for v, _ in rows]
            top = max(scores)
            shares = [exp(s - top) for s in scores]
            total, found = sum(shares), sum(key in evidence for _, key in rows)
            mean = [0.0] * size
            for (values, key), share in zip(rows, shares, strict=True):
                p = share / total
                pull = (key in evidence) / found - p
                there = [(i, x) for i, x in enumerate(values) if x]
                for i, x in there:
                    slope[i] += pull * x
                    mean[i] += p * x
                    if p > 1e-4:
                        row, px = bend[i], p * x
                        for j, y in there:
                            row[j] += px * y
            for i in range(size):
                for j in range(size):
                    bend[i][j] -= mean[i] * mean[j]
        weights = [w + d for w, d in zip(weights, _solved(bend, slope), strict=True)]
    return weights


def measure(questions: Sequence[Question], weights: Sequence[float]) -> tuple[list[float], list[float]]:
    """Of each question the recall of messages at 10 and of sessions at 5."""
    messages, sessions = [], []
    for rows, evidence in questions:
        scored = sorted(((_dot(weights, v), key) for v, key in rows), reverse=True)
        first = list(dict.fromkeys(key for _, key in scored))[:10]
        top = scored[0][0] if scored else 0.0
        sums: dict[int, float] = {}
        for score, (session, _) in scored:
            sums[session] = sums.get(session, 0.0) + exp(SHARP * (score - top))
        wanted = {session for session, _ in evidence}
        best = sorted(sums, key=lambda s: -sums[s])[:5]
        messages.append(len(evidence & set(first)) / len(evidence))
        sessions.append(len(wanted & set(best)) / len(wanted))
    return messages, sessions


def leave_one_out(
    homes: Sequence[HomePaths], conversations: Sequence[Conversation], embedder: Embedder | None = None
) -> dict[str, Any]:
    """The figures with weights fitted to the other conversations."""
    gathered = [gather(p, c, embedder) for p, c in zip(homes, conversations, strict=True)]
    messages: list[float] = []
    sessions: list[float] = []
    for n, left_out in enumerate(gathered):
        others = [q for k, questions in enumerate(gathered) if k != n for q in questions]
        m, s = measure(left_out, fit(others))
        messages += m
        sessions += s
    return {"recall@10": round(100 * fmean(messages), 2), "session_recall@5": round(100 * fmean(sessions), 2)}


def _dot(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(w * v for w, v in zip(weights, values, strict=True))


def _solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """x of matrix x = right, by elimination."""
    rows = [[*row, r] for row, r in zip(matrix, right, strict=True)]
    size = len(rows)
    for k in range(size):
        pivot = max(range(k, size), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, size):
            factor = rows[i][k] / rows[k][k]
            if factor:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    out = [0.0] * size
    for k in reversed(range(size)):
        out[k] = (rows[k][size] - sum(rows[k][j] * out[j] for j in range(k + 1, size))) / rows[k][k]
    return out


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="memagent-bench-") as folder:
        found = []
        for n, conversation in enumerate(read(Path(sys.argv[1]))):
            found += gather(make(Path(folder) / str(n), conversation), conversation)
        for name, weight in zip([*WEIGHTS, *MEANING], fit(found), strict=True):
            print(f"{name:<16}{weight:6.2f}")


if __name__ == "__main__":
    main()
