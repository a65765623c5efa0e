from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from sessions.hub import SessionHub
from sessions.messages import Marker
from sessions.settings import MemorySettings, Settings
from sessions.store.log import read_log
from tests.kills.harness import SOME, deaths
from tests.sessions.agent.scripted import Scripted
from tests.sessions.hub_home import ScriptedHome, hub_of
from tests.sessions.resting import FERRY, FOUND, answers, claim
from tests.waiting import until

LEARN = """
import asyncio, sys
from pathlib import Path
from tests.kills.test_learning_kills import learn
asyncio.run(learn(Path(sys.argv[1]), sys.argv[2]))
"""
UNSAID = claim("Owns the ferry", "I own that ferry")


def home_in(folder: Path, distill: str) -> tuple[ScriptedHome, Scripted]:
    model = Scripted(answers(FOUND, UNSAID), profile="guide")
    settings = Settings(memory=MemorySettings(distill=distill))  # type: ignore[arg-type]
    return ScriptedHome(folder, model, settings=settings), model


async def talk(folder: Path) -> str:
    """A session that another program had."""
    home, model = home_in(folder, "off")
    model.steps = []
    async with hub_of(home) as (hub, heard):
        state = await hub.new(folder)
        await hub.send(state.id, FERRY)
        await heard.over(state.id)
    return state.id


async def learn(folder: Path, distill: str) -> int:
    """The workbench opens, rests, and looks that session through; how often the model was asked."""

    async def at_once() -> None:
        await asyncio.sleep(0)

    home, model = home_in(folder, distill)
    async with SessionHub(home, rest=at_once) as hub:
        await hub.new(folder)
        await until(lambda: not hub.work.busy, "all is done")
    return len(model.requests)


@pytest.mark.timeout(400)
def test_a_kill_at_any_operation_learns_all_or_learns_it_later_and_never_twice(tmp_path: Path) -> None:
    # By itself: one of the two is saved at once, the other waits.
    session, distill = asyncio.run(talk(tmp_path / "first")), "auto"

    def prepared(n: int) -> tuple[str, ...]:
        shutil.copytree(tmp_path / "first", tmp_path / str(n))
        return (str(tmp_path / str(n)), distill)

    after: set[tuple[int, int, int]] = set()
    for n in deaths(LEARN, prepared, every=SOME):
        root = tmp_path / str(n)
        home, _ = home_in(root, distill)
        assert home.facts.reconcile() == [] and home.facts.snapshot().broken == ()
        names = {p.fact.name for p in home.facts.proposals()} | {f.name for f in home.facts.snapshot().facts}
        before = [r.data for r in read_log(home.paths.session_log(session)).records if isinstance(r, Marker)]
        marked = [data for data in before if "facts" in data]
        assert len(marked) <= 1 and all(
            set(data["facts"]) == names == {FOUND["name"], UNSAID["name"]} for data in marked
        )
        after.add((len(home.facts.proposals()), len(home.facts.snapshot().facts), len(marked)))
        asked = asyncio.run(learn(root, distill))
        assert asked + len(marked) <= 1
        home, _ = home_in(root, distill)
        saved = [f.summary for f in home.facts.snapshot().facts]
        waiting = [p.fact.summary for p in home.facts.proposals()]
        assert sorted(saved + waiting) == [UNSAID["summary"], FOUND["summary"]]
        assert saved == [FOUND["summary"]]
        told = [r for r in read_log(home.paths.session_log(session)).records if isinstance(r, Marker)]
        assert [r.kind for r in told if r.kind in {"fact", "distilled"}] == ["fact", "distilled"]
    assert {(0, 0, 0), (1, 1, 0), (1, 1, 1)} <= after
