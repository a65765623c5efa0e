from __future__ import annotations

import json

import pytest

from sessions.memory.fact import By
from tests.kills.harness import SOME, deaths
from tests.sessions.memory.homes import MODEL, draft, store_of

CHANGE = """
import sys
from pathlib import Path
from tests.sessions.memory.homes import MODEL, PERSON, draft, store_of

root, what = Path(sys.argv[1]), sys.argv[2]
store = store_of(root)
if what == "create":
    store.save(draft("new", "A new fact"), by=MODEL)
elif what == "update":
    store.save(draft(summary="Lives in Osaka"), by=MODEL)
elif what == "forget":
    store.forget(1, by=MODEL)
elif what == "rename":
    store.edit(1, by=MODEL, name="home-town")
elif what == "replace":
    store.save(draft("home", "Lives in Osaka", replaces=1), by=MODEL)
else:
    store.undo(by=MODEL)
"""


def state(store):
    live = [(f.number, f.name, f.summary) for f in store.snapshot().facts]
    return live, [(f.number, f.name, f.status) for f in store.archived()]


@pytest.mark.parametrize("what", ["create", "update", "forget", "rename", "replace", "undo"])
def test_a_kill_at_any_operation_of_a_change_leaves_the_old_fact_or_the_new_and_never_a_users(tmp_path, what):
    def prepared(n):
        root = tmp_path / str(n)
        store = store_of(root)
        store.save(draft(body="Near Nakano."), by=MODEL)
        return (str(root), what)

    old, seen, n = None, [], 0
    for n in deaths(CHANGE, prepared, every=SOME):
        root = tmp_path / str(n)
        old = old or ([(1, "lives-in-tokyo", "Lives in Tokyo")], [])
        store = store_of(root)
        assert store.reconcile() == []
        seen.append(state(store))
        assert store.snapshot().broken == ()
        facts = [*store.snapshot().facts, *store.archived()]
        assert all(f.source.origin == "model" for f in facts)
        for fact in facts:
            assert {e.by.origin for e in store.history(fact.number)} == {"model"}
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
        after = store.save(draft("next", "After the kill"), by=By("model"))
        assert after.fact.number > max(f.number for f in facts) if facts else True
    states = [s for i, s in enumerate(seen) if i == 0 or s != seen[i - 1]]
    assert len(states) == 2 and states[0] == old
    assert n > 10
