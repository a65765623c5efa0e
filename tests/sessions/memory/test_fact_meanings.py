from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sessions.clock import FixedClock
from sessions.erase import erase, of_fact, survey
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.memory.fact import By
from sessions.memory.meaning import FactMeanings
from sessions.memory.recall import recall
from sessions.providers.embeddings import Embedder
from sessions.settings import AgentSettings, MemorySettings, Profile, Settings
from sessions.tools.base import ToolContext
from tests.servers.embedding_server import EmbeddingServer
from tests.sessions.memory.homes import NOW, draft

PERSON = By("user")
OTHERS = ("tea", "chess", "granite", "linen", "maps", "oats", "violins", "kites", "lamps", "ropes", "tiles", "nuts")


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer(dims=256) as server:
        yield server


def home_of(root: Path, server: EmbeddingServer, **memory: str) -> Home:
    settings = Settings(
        AgentSettings(discover=False),
        profiles={"here": Profile("here", base_url=server.url, model="chat")},
        memory=MemorySettings(**memory),  # type: ignore[arg-type]
    )
    return Home(root / "home", settings=settings, clock=FixedClock(NOW))


@pytest.fixture
def home(tmp_path: Path, server: EmbeddingServer) -> Iterator[Home]:
    with closing(home_of(tmp_path, server)) as home:
        home.facts.save(draft("car", "Drives a green automobile", "user"), by=PERSON)
        for thing in OTHERS:
            home.facts.save(draft(thing, f"Collects {thing}", "user"), by=PERSON)
        yield home


def learnt(home: Home) -> Home:
    while home.learn():
        pass
    return home


def found(home: Home, query: str) -> list[str]:
    return [f.name for f in recall(home.facts.snapshot().facts, query=query, meanings=home.meanings)]


def kept(home: Home) -> int:
    (file,) = home.paths.local.glob("index-*.sqlite")
    with closing(sqlite3.connect(file)) as db:
        return db.execute("SELECT count(*) FROM fact_meanings").fetchone()[0]


async def asked(home: Home, query: str, *, private: bool = False) -> str:
    (source,) = home.sources(home.paths.root, lambda: "on", private=private)
    tool = next(t for t in source.tools() if t.name == "recall_memory")
    context = ToolContext("s1", 1, "c1", "m1", home.paths.root, home.clock, typed=list)
    return (await tool.run({"query": query}, context)).content


async def test_the_model_recalls_a_fact_that_shares_no_word_with_its_question(home, server):
    assert "Nothing is remembered about" in await asked(home, "which vehicle?")
    learnt(home)
    assert "Drives a green automobile" in await asked(home, "which vehicle?")
    assert found(home, "which vehicle?") == ["car"]
    # Of many that are all far, none is the answer.
    assert found(home, "thermodynamics") == []
    # What shares its words comes first, and needs no meaning.
    assert found(home, "who collects chess?")[0] == "chess"


async def test_a_private_question_goes_to_no_embedder(home, server):
    learnt(home)
    server.sent.clear()
    assert "Nothing is remembered about" in await asked(home, "which vehicle?", private=True)
    assert server.sent == []


def test_each_fact_is_given_once_and_again_when_it_says_something_else(home, server):
    learnt(home)
    assert sorted(server.sent) == sorted([f"Collects {thing}" for thing in OTHERS] + ["Drives a green automobile"])
    server.sent.clear()
    home.facts.edit("tea", by=PERSON, summary="Collects teapots")
    home.facts.edit("chess", by=PERSON, pinned=True)
    home.facts.forget("oats", by=PERSON)
    learnt(home)
    assert server.sent == ["Collects teapots"]
    assert kept(home) == len(OTHERS)


def test_facts_go_to_no_embedder_elsewhere_and_not_while_memory_is_off(tmp_path, home, server, monkeypatch):
    home.close()
    with closing(home_of(tmp_path, server, mode="off")) as off:
        learnt(off)
        assert server.sent == []
    monkeypatch.setattr(Embedder, "local", property(lambda _: False))
    with closing(home_of(tmp_path, server, embedder="here:text-embedding-test")) as far:
        learnt(far)
        assert server.sent == [] and found(far, "which vehicle?") == []
    with closing(home_of(tmp_path, server, embedder="here:text-embedding-test", worker="here")) as worker:
        assert found(learnt(worker), "which vehicle?") == ["car"]


def test_no_server_is_looked_for_while_nothing_can_be_compared(home, server):
    assert found(home, "which vehicle?") == []
    assert server.paths == []


def test_another_model_begins_anew_and_a_lost_index_is_made_again(tmp_path, home, server):
    learnt(home)
    home.close()
    server.models[0] = "other-embedding"
    with closing(home_of(tmp_path, server)) as other:
        assert found(other, "which vehicle?") == []
        assert found(learnt(other), "which vehicle?") == ["car"]
        for file in other.paths.local.glob("index-*"):
            file.unlink()
        assert found(other, "which vehicle?") == []
        assert found(learnt(other), "which vehicle?") == ["car"]


def test_a_server_that_fails_leaves_the_words_and_is_told(home, server):
    learnt(home)
    server.status = 500
    assert found(home, "a vehicle for chess")[:1] == ["chess"]
    assert "by words only" in home.index.questions.take_problem()


def test_of_a_few_facts_none_stands_out(tmp_path, server):
    with closing(home_of(tmp_path / "few", server)) as few:
        few.facts.save(draft("car", "Drives a green automobile", "user"), by=PERSON)
        assert found(learnt(few), "which vehicle?") == []


def test_erasing_a_fact_takes_the_signs_of_what_it_said(home):
    learnt(home)
    number = home.facts.get("car").number
    erase(home, survey(home, of_fact(home, number)))
    assert kept(home) == len(OTHERS)


async def test_history_answers_a_question_with_the_fact_that_means_it(home):
    async with SessionHub(learnt(home)) as hub:
        answer = await hub.search.ask("which vehicle?", meaning="anywhere")
        assert answer is not None and [f.name for f in answer.facts] == ["car"]
        beside_private = await hub.search.ask("which vehicle?", meaning="here")
        assert beside_private is not None and beside_private.facts == ()


def test_two_programs_learn_one_at_a_time(home, server):
    other = FactMeanings(home.paths, lambda: home.index.questions)
    other._lock.acquire(0)
    assert home.meanings.learn(home.facts.snapshot().facts) == 0 and server.sent == []
    other._lock.release()
    assert kept(learnt(home)) == len(OTHERS) + 1
