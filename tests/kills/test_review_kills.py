from __future__ import annotations

import json
import shutil

import pytest

from tests.kills.harness import SOME, deaths
from tests.sessions.memory.homes import MODEL, draft, store_of
from tests.sessions.memory.test_review import WISH, propose

CHANGE = """
import sys
from pathlib import Path
from tests.sessions.memory.homes import store_of
from tests.sessions.memory.test_review import propose

root, what = Path(sys.argv[1]), sys.argv[2]
store = store_of(root)
if what == "propose":
    propose(store, "coffee", "Likes coffee")
elif what == "accept update":
    store.review.accept(3)
elif what == "accept in its place":
    store.review.accept(4)
elif what == "reject":
    store.review.reject(3)
else:
    store.review.undo(5)
"""


def prepared_home(root, what):
    store = store_of(root)
    store.save(draft(), by=MODEL)
    propose(store)
    propose(store, "lives-in-tokyo", "Lives in Osaka")
    propose(store, "home", "Lives in Nara", replaces=1)
    if what == "undo":
        propose(store, "cat", "Has a cat", "user")
        store.review.accept(5)


def state(store):
    live = [(f.number, f.name, f.summary) for f in store.snapshot().facts]
    return live, [(f.number, f.status) for f in store.archived()], [(p.number, p.proposes) for p in store.proposals()]


@pytest.mark.timeout(400)
@pytest.mark.parametrize(
    "what",
    ["propose", "accept update", "accept in its place", "reject", "undo"],
)
def test_a_kill_at_any_operation_of_a_decision_leaves_it_undone_or_done_and_never_half(tmp_path, what):
    prepared_home(tmp_path / "first", what)

    def prepared(n):
        root = tmp_path / str(n)
        shutil.copytree(tmp_path / "first", root)
        return (str(root), what)

    seen, n = [], 0
    for n in deaths(CHANGE, prepared, every=SOME):
        root = tmp_path / str(n)
        store = store_of(root)
        assert store.reconcile() == [] and store.snapshot().broken == ()
        seen.append(state(store))
        known = {}
        for line in next((root / "memory/journal").glob("*.jsonl")).read_text().splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                continue
            for file in entry["files"]:
                assert file["before"] == known.get(file["path"])
                known[file["path"]] = file["after"]
        on_disk = {str(p.relative_to(root / "memory")): p.read_text() for p in (root / "memory").glob("*/*.md")}
        assert on_disk == {path: text for path, text in known.items() if text is not None}
        assert propose(store, "next", "After the kill", "user", WISH) > max(
            number for number, *_ in seen[-1][2] or [(0,)]
        )
    states = [s for i, s in enumerate(seen) if i == 0 or s != seen[i - 1]]
    assert len(states) == 2
    assert n > 8
