"""The words of the index: which documents hold a term, kept by group of documents."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from sessions.store.corpus import Group, Posting
from sessions.store.words import near_spellings, terms

if TYPE_CHECKING:
    import sqlite3

TALK, TOOLS, ABOUT = range(3)
"""The kinds of groups; a group's number is the session's << 2 | kind, a document's the group's << 20 | its place."""
_COUNTS = 4096
"""Terms whose counts are remembered."""
_CHUNK = 600
"""Groups that are looked through for a frequent term at once."""
_ALL = 8
"""So many times the rows that are wanted are still read at once."""
SHELF = 9
"""Groups whose numbers agree but for so many bits stand on one shelf: what is written at a time stays together on
disk, while a term is looked up once a shelf."""


def add(db: sqlite3.Connection, group: int, docs: Sequence[tuple[list[str], int]], at: tuple[str, str]) -> None:
    """Add documents, each its terms and its shape, to the end of a group; `at` the earliest and latest time."""
    row = db.execute("SELECT docs, length, first, last FROM groups WHERE id = ?", (group,)).fetchone()
    first_place, length, first, last = row or (0, 0, at[0], at[1])
    found: dict[str, list[int]] = {}
    often: Counter[str] = Counter()
    for place, (words, _) in enumerate(docs, first_place):
        length += len(words)
        for term, tf in Counter(words).items():
            found.setdefault(term, []).append(place << 8 | min(tf, 255))
            often[term] += tf
    db.executemany(
        "INSERT INTO postings VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET tf = tf + excluded.tf, "
        "docs = CAST(docs || excluded.docs AS BLOB)",
        [(group >> SHELF, term, group, often[term], array("I", places).tobytes()) for term, places in found.items()],
    )
    db.executemany(
        "INSERT INTO terms VALUES (?, ?) ON CONFLICT DO UPDATE SET docs = docs + excluded.docs",
        [(term, len(places)) for term, places in found.items()],
    )
    shapes = array("Q", [shape for _, shape in docs]).tobytes()
    db.execute(
        "INSERT INTO shapes VALUES (?, ?) ON CONFLICT DO UPDATE SET docs = CAST(docs || excluded.docs AS BLOB)",
        (group, shapes),
    )
    db.execute("UPDATE state SET generation = generation + 1")
    db.execute(
        "INSERT OR REPLACE INTO groups SELECT ?, ?, ?, ?, ?, generation FROM state",
        (group, first_place + len(docs), length, min(first, at[0]), max(last, at[1])),
    )


def drop(db: sqlite3.Connection, group: int, texts: Iterable[str]) -> None:
    """Remove a group; `texts` are those of all its documents."""
    gone = Counter(term for text in texts for term in set(terms(text)))
    db.executemany(
        "DELETE FROM postings WHERE shelf = ? AND term = ? AND grp = ?",
        [(group >> SHELF, term, group) for term in gone],
    )
    db.executemany("UPDATE terms SET docs = docs - ? WHERE term = ?", [(n, term) for term, n in gone.items()])
    db.executemany("DELETE FROM terms WHERE term = ? AND docs <= 0", [(term,) for term in gone])
    db.execute("DELETE FROM shapes WHERE id = ?", (group,))
    db.execute("DELETE FROM groups WHERE id = ?", (group,))
    db.execute("UPDATE state SET epoch = epoch + 1")


def cut(db: sqlite3.Connection, group: int, left: int, texts: Iterable[str], at: tuple[str, str]) -> None:
    """Leave the first `left` documents of a group: `texts` are those of the others, `at` the times of what is left."""
    gone = [terms(text) for text in texts]
    often = Counter(term for words in gone for term in words)
    docs = Counter(term for words in gone for term in set(words))
    for term, tf in often.items():
        key = (group >> SHELF, term, group)
        row = db.execute("SELECT docs FROM postings WHERE shelf = ? AND term = ? AND grp = ?", key).fetchone()
        places = array("I", row[0] if row else b"")
        places = array("I", [place for place in places if place >> 8 < left])
        if places:
            db.execute(
                "UPDATE postings SET tf = tf - ?, docs = ? WHERE shelf = ? AND term = ? AND grp = ?",
                (tf, places.tobytes(), *key),
            )
        else:
            db.execute("DELETE FROM postings WHERE shelf = ? AND term = ? AND grp = ?", key)
    db.executemany("UPDATE terms SET docs = docs - ? WHERE term = ?", [(n, term) for term, n in docs.items()])
    db.executemany("DELETE FROM terms WHERE term = ? AND docs <= 0", [(term,) for term in docs])
    if left:
        db.execute("UPDATE shapes SET docs = substr(docs, 1, ?) WHERE id = ?", (8 * left, group))
        db.execute(
            "UPDATE groups SET docs = ?, length = length - ?, first = ?, last = ? WHERE id = ?",
            (left, often.total(), *at, group),
        )
    else:
        db.execute("DELETE FROM shapes WHERE id = ?", (group,))
        db.execute("DELETE FROM groups WHERE id = ?", (group,))
    db.execute("UPDATE state SET epoch = epoch + 1")


class Reader:
    """The index as a corpus for the ranker. The sizes of all groups are kept, and read again where they changed."""

    def __init__(self) -> None:
        self.groups: dict[int, Group] = {}
        self.docs = self.length = self.talks = 0
        self.speakers: dict[str, int] = {}
        self._db: sqlite3.Connection | None = None
        self._epoch = self._generation = -1
        self._shelves: dict[int, None] = {}
        self._counts: dict[str, int] = {}
        self._by_time: list[int] | None = None
        """The groups, the one in which something was said last first; None = not told yet."""

    def refresh(self, db: sqlite3.Connection) -> None:
        """See the index as it is in `db` now."""
        epoch, generation = db.execute("SELECT epoch, generation FROM state").fetchone()
        if db is not self._db or epoch != self._epoch:
            self.groups, self._shelves, self._generation, self._by_time = {}, {}, -1, None
            self.docs = self.length = self.talks = 0
        if generation != self._generation:
            self._counts = {}
            rows = db.execute(
                "SELECT id, docs, length, first, last FROM groups WHERE generation > ?", (self._generation,)
            )
            for group, docs, length, first, last in rows:
                if not group & 3:
                    old = self.groups.get(group)
                    self.docs += docs - (old.docs if old else 0)
                    self.length += length - (old.length if old else 0)
                    self.talks += not old
                self.groups[group] = Group(docs, length, first, last)
                self._by_time = None
                self._shelves[group >> SHELF] = None
            self.speakers = dict(db.execute("SELECT name, id FROM speakers"))
        self._db, self._epoch, self._generation = db, epoch, generation

    def count(self, term: str) -> int:
        """Documents that hold the term."""
        known = self._counts.get(term)
        if known is None:
            row = self._get().execute("SELECT docs FROM terms WHERE term = ?", (term,)).fetchone()
            known = self._counts[term] = int(row[0]) if row else 0
            if len(self._counts) > _COUNTS:
                self._counts = {}
        return known

    def postings(
        self, terms: Sequence[str], groups: Collection[int] | None = None, most: int | None = None
    ) -> list[Posting]:
        """Where the terms stand, of `groups` only when they are given; with `most` in about so many of them, those
        where something was said last."""
        if most is not None:
            return self._newest(terms, groups, most)
        if groups is not None:
            return self._of(terms, groups)
        every = [*self._shelves]
        sql = f"SELECT grp, tf, docs FROM postings WHERE shelf IN ({_marks(every)}) AND term = ?"
        return [row for term in terms for row in self._get().execute(sql, (*every, term))]

    def _of(self, terms: Sequence[str], groups: Collection[int]) -> list[Posting]:
        found: list[Posting] = []
        some: dict[int, list[int]] = {}
        for group in groups:
            some.setdefault(group >> SHELF, []).append(group)
        on_a_shelf = sum(map(self.count, terms)) / max(len(self._shelves), 1)
        ours = f"SELECT grp, tf, docs FROM postings WHERE shelf = ? AND term IN ({_marks(terms)})"
        for shelf, there in some.items():
            if on_a_shelf < len(there) * len(terms):
                # Fewer rows than there are places to look at: the beginnings of many rare words.
                wanted = set(there)
                found += [row for row in self._get().execute(ours, (shelf, *terms)) if row[0] in wanted]
            else:
                found += self._get().execute(f"{ours} AND grp IN ({_marks(there)})", (shelf, *terms, *there))
        return found

    def _newest(self, terms: Sequence[str], groups: Collection[int] | None, most: int) -> list[Posting]:
        """Numbers tell nothing of the time: an index that was made anew has the newest sessions first, and what is
        taken over from elsewhere may be old."""
        if self._by_time is None:
            self._by_time = sorted(self.groups, key=lambda g: self.groups[g].last, reverse=True)
        allowed = self._by_time if groups is None else [g for g in self._by_time if g in groups]
        held: dict[int, list[Posting]] | None = None
        if sum(map(self.count, terms)) < _ALL * most:
            # Read at once, each of many rare words is looked up once a shelf, and not once for every group.
            held = {}
            for row in self.postings(terms):
                held.setdefault(row[0], []).append(row)
        found: list[Posting] = []
        for start in range(0, len(allowed), _CHUNK):
            some = allowed[start : start + _CHUNK]
            found += self._of(terms, some) if held is None else [r for g in some for r in held.get(g, ())]
            if len(found) >= most:
                break
        return found

    def shapes(self, groups: Sequence[int]) -> dict[int, array[int]]:
        """The shapes of all documents of the groups, in order."""
        rows = self._get().execute(f"SELECT id, docs FROM shapes WHERE id IN ({_marks(groups)})", list(groups))
        return {group: array("Q", blob) for group, blob in rows}

    def starting(self, prefix: str, most: int) -> list[str]:
        """The most frequent terms that begin so."""
        sql = "SELECT term FROM terms WHERE term >= ? AND term < ? ORDER BY docs DESC LIMIT ?"
        return [t for (t,) in self._get().execute(sql, (prefix, prefix + "\U0010ffff", most))]

    def containing(self, part: str, ends: Sequence[str], most: int) -> list[str]:
        """The most frequent longer terms with `part` in them or one of `ends` at the end: the compounds of a word."""
        least = min((part, *ends), key=len)
        shared = least if part.startswith(least) else ""  # asked first: every term has to be looked at
        rules = ["length(term) >= ? AND instr(term, ?)", *["length(term) >= ? AND substr(term, ?) = ?"] * len(ends)]
        sql = f"SELECT term FROM terms WHERE instr(term, ?) AND ({' OR '.join(rules)}) ORDER BY docs DESC LIMIT ?"
        values = [v for e in ends for v in (len(e) + 3, -len(e), e)]
        return [t for (t,) in self._get().execute(sql, (shared, len(part) + 3, part, *values, most))]

    def alike(self, word: str, most: int) -> list[str]:
        """The most frequent near spellings of the word."""
        near = [*near_spellings(word)] if 3 < len(word) < 20 else []
        sql = f"SELECT term FROM terms WHERE term IN ({_marks(near)}) ORDER BY docs DESC LIMIT ?"
        return [t for (t,) in self._get().execute(sql, (*near, most))]

    def _get(self) -> sqlite3.Connection:
        if self._db is None:
            raise RuntimeError("refresh() comes first")
        return self._db


def _marks(values: Sequence[object]) -> str:
    return ",".join("?" * len(values))
