from __future__ import annotations

import asyncio
import shutil

import pytest

from sessions.agent.replay import replay
from sessions.erase import erase, finish, of_fact, of_session, pending, survey
from sessions.store.log import read_log
from tests.kills.harness import SOME, deaths
from tests.sessions.erase.told_home import WORD, content_of, holding, home_at, saved, talk

ERASE = """
import sqlite3
import sys
from pathlib import Path
from sessions.erase import erase, of_fact, of_session, survey
from sessions.store import catalog, index
from tests.sessions.erase.told_home import home_at

root, what, session = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
home = home_at(root)
target = of_fact(home, 1) if what == "fact" else of_session(home, session, facts=True)
erase(home, survey(home, target))
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    root = tmp_path_factory.mktemp("told") / "home"
    home = home_at(root)
    session = asyncio.run(talk(home, "Remember that my codeword is xylocarp-quokka.", "Is it raining?"))
    saved(home, "cat", "Has a cat", "user", related=("codeword-is-xylocarp-quokka",))
    home.index.catch_up()
    home.close()
    return root, session


@pytest.mark.timeout(400)
@pytest.mark.parametrize("what", ["fact", "session"])
def test_a_kill_at_any_operation_of_an_erasing_leaves_the_old_or_what_can_be_finished(tmp_path, told, what):
    root, session = told

    def prepared(n):
        shutil.copytree(root, tmp_path / str(n))
        return (str(tmp_path / str(n)), what, session)

    old = content_of(root)
    began = finished = 0
    for n in deaths(ERASE, prepared, every=SOME):
        home = home_at(tmp_path / str(n))
        for log in home.paths.sessions.glob("*.jsonl"):
            read = read_log(log)
            assert read.problems == []
            assert [*replay(read.records, log.stem)]
        facts = {f.number: f.summary for f in home.facts.snapshot().facts}
        assert home.facts.snapshot().broken == ()
        if pending(home):
            began += 1
            assert finish(home).traces == 0
        elif content_of(home.paths.root) == old:
            assert facts[1].endswith(WORD)
            target = of_fact(home, 1) if what == "fact" else of_session(home, session, facts=True)
            assert erase(home, survey(home, target)).traces == 0
        else:
            finished += 1
        assert not pending(home)
        assert holding(home.paths.root, WORD) == []
        assert [f.summary for f in home.facts.snapshot().facts] == ["Has a cat"]
        assert home.facts.reconcile() == []
        assert len(home.facts.history("cat")) == 1
        shutil.rmtree(home.paths.root)
    assert began > 20 // SOME
    assert finished == 1, "the last run came to its end"
