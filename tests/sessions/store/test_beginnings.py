from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from sessions.store.index_db import IndexDb
from sessions.store.postings import Reader, add

TERMS = [f"rao{n:02d}" for n in range(20)]
GROUPS, EACH = 3_000, 150
STEPS = 50_000
"""Of SQLite's machine; looked up group by group, three to fifteen times as many are taken."""


def told(db: sqlite3.Connection) -> None:
    random_ = random.Random(4)
    held: dict[int, list[str]] = {n: ["other"] for n in range(GROUPS)}
    for term in TERMS:
        for n in random_.sample(range(GROUPS), EACH):
            held[n].append(term)
    days = random_.sample(range(GROUPS), GROUPS)
    for n, words in held.items():
        at = f"2026-{days[n]:06d}"
        add(db, n << 2, [(words, 1)], (at, at))


@pytest.mark.parametrize("most", [GROUPS * 20, 1_500, 100])
def test_a_beginning_of_many_rare_words_is_looked_up_in_few_steps_and_the_newest_are_found(
    tmp_path: Path, most: int
) -> None:
    def work(db: sqlite3.Connection) -> None:
        told(db)
        reader = Reader()
        reader.refresh(db)
        steps: list[int] = []
        db.set_progress_handler(lambda: steps.append(100) or 0, 100)
        found = reader.postings(TERMS, None, most)
        db.set_progress_handler(None, 0)
        assert sum(steps) < STEPS
        assert min(most, EACH * len(TERMS)) <= len(found) <= EACH * len(TERMS)
        times = sorted((reader.groups[g].last for g, _, _ in reader.postings(TERMS)), reverse=True)
        assert sorted((reader.groups[g].last for g, _, _ in found), reverse=True) == times[: len(found)]

    IndexDb(tmp_path).run(work)
