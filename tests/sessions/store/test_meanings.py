from __future__ import annotations

import dataclasses
import random
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.clock import SystemClock
from sessions.messages import THIS_MACHINE
from sessions.paths import HomePaths
from sessions.providers.embeddings import Embedder, named
from sessions.settings import MemorySettings, Profile, Settings
from sessions.store.index import Index
from sessions.store.log import LogWriter
from sessions.store.meanings import Likeness, Meanings, sentences, signs
from sessions.store.query import Query
from tests.servers.embedding_server import EmbeddingServer
from tests.sessions.store.records import answer, first, home, result, user


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        yield server


@pytest.fixture
def paths(tmp_path: Path) -> HomePaths:
    paths = home(tmp_path / "home")
    said(paths, 1, user("u1", "I sold my old automobile in Kyoto. It was green."), answer("a1", "A pity."))
    said(paths, 2, user("u1", "The physician was late again"), result("t1", "resultword of a tool"))
    said(paths, 3, user("u1", "secretword about my wage", memory="off"), answer("a1", "offword, I see"))
    return paths


def said(paths: HomePaths, n: int, *records: object) -> str:
    name = f"20261129-171408-{n:06x}"
    log = LogWriter.create(paths, name, first())
    for record in records:
        log.append(record)  # type: ignore[arg-type]
    log.close()
    return name


def embedder(server: EmbeddingServer, **profile: object) -> Embedder:
    values = {"name": "local", "base_url": server.url, "model": "text-embedding-test"} | profile
    return Embedder(Profile(**values), None)  # type: ignore[arg-type]


def index_of(paths: HomePaths, source: Embedder | None) -> Index:
    index = Index(paths, SystemClock(), lambda: source)
    index.catch_up()
    return index


def learnt(paths: HomePaths, source: Embedder | None) -> Index:
    index = index_of(paths, source)
    while index.learn():
        pass
    return index


def found(index: Index, query: str) -> list[tuple[str, str]]:
    return [(hit.session[-1], hit.message) for hit in index.search(query)]


def vectors(paths: HomePaths) -> int:
    (file,) = paths.local.glob("index-*.sqlite")
    with sqlite3.connect(file) as db:
        return db.execute("SELECT count(*) FROM meanings").fetchone()[0]


def test_what_shares_no_word_is_found_by_its_meaning_and_it_says_so(paths, server):
    index = learnt(paths, embedder(server))
    assert found(index, "Did I have a vehicle?")[0] == ("1", "u1")
    assert index.ranker == "by words and meaning (text-embedding-test · this machine)"
    assert found(index, "a doctor")[0] == ("2", "u1")
    found_ = index.find(Query("a doctor"))
    assert found_.near and found_.sessions[0].hits[0].message == "u1"
    index.close()
    words = index_of(paths, None)
    assert found(words, "Did I have a vehicle?") == [] and words.ranker == "by words"
    words.close()


def test_words_still_come_first_and_a_phrase_or_a_tool_needs_no_meaning(paths, server):
    said(paths, 4, user("u1", "The doctor called"))
    index = learnt(paths, embedder(server))
    assert found(index, "doctor") == [("4", "u1")]
    server.sent.clear()
    index.search(Query('"physician was"'))
    index.search(Query("late", tool="get_weather"))
    assert server.sent == []
    index.close()


def test_what_was_said_with_memory_off_and_tool_results_never_go_to_the_embedder(paths, server):
    index = learnt(paths, embedder(server))
    sent = " ".join(server.sent)
    assert "automobile" in sent and "physician" in sent
    assert not any(word in sent for word in ("secretword", "offword", "resultword"))
    index.close()


def test_a_private_session_asks_no_embedder_and_the_person_beside_it_none_elsewhere(paths, server, monkeypatch):
    index = learnt(paths, embedder(server))
    server.sent.clear()
    index.search("a vehicle of canaryword", exclude="20261129-171408-ffffff")
    monkeypatch.setattr(Embedder, "local", property(lambda _: False))
    index.find(Query("canaryword vehicle"), meaning="here")
    assert server.sent == []
    index.find(Query("a vehicle"))
    assert server.sent == ["a vehicle"]
    index.close()


def test_what_was_told_on_this_machine_only_goes_to_no_embedder_elsewhere(paths, server, monkeypatch):
    monkeypatch.setattr(Embedder, "local", property(lambda _: False))
    here = said(paths, 4, user("u1", "My hereword is a vehicle"), answer("a1", "I see", place=THIS_MACHINE))
    away = said(paths, 5, user("u1", "My awayword is green"), answer("a1", "I see", place="api.example"))
    index = learnt(paths, embedder(server))
    assert sorted(server.sent) == ["I see", "My awayword is green"]
    ranker, left = index.ranking()
    assert left == 0 and ranker.endswith("what only models on this machine were told is found by its words")
    # What a model asks goes no further than its session did.
    server.sent.clear()
    index.search("what of the hereword?", exclude=here)
    assert server.sent == []
    index.search("what of the awayword?", exclude=away)
    assert len(server.sent) == 1 and "awayword" in server.sent[0]
    # Gone on elsewhere, the whole conversation was sent there.
    log = LogWriter.open(paths, here)
    log.append(answer("a2", "Go on", place="api.example"))
    log.close()
    server.sent.clear()
    index.catch_up()
    while index.learn():
        pass
    assert {"My hereword is a vehicle", "Go on"} <= set(server.sent)
    index.close()


def test_an_embedder_elsewhere_that_is_named_for_the_background_is_given_all_of_it(paths, server, monkeypatch):
    monkeypatch.setattr(Embedder, "local", property(lambda _: False))
    profile = Profile("far", base_url=server.url)
    settings = Settings(profiles={"far": profile}, memory=MemorySettings(embedder="far:text-embedding-test"))
    index = learnt(paths, named(settings, "far:text-embedding-test"))
    assert server.sent == []
    index.close()
    worker = dataclasses.replace(settings, memory=dataclasses.replace(settings.memory, worker="far"))
    index = learnt(paths, named(worker, "far:text-embedding-test"))
    assert any("automobile" in text for text in server.sent)
    index.close()


def test_vectors_go_with_their_messages(paths, server):
    index = learnt(paths, embedder(server))
    before = vectors(paths)
    paths.session_log("20261129-171408-000001").unlink()
    index.catch_up()
    assert vectors(paths) == before - 2
    assert ("1", "u1") not in found(index, "Did I have a vehicle?")
    index.close()


def test_it_goes_on_where_it_was_left_and_gives_each_message_once(paths, server):
    said(paths, 4, *(user(f"u{n}", f"message {n} of many", turn=n) for n in range(60)))
    index = index_of(paths, embedder(server))
    assert index.learn() > 0
    index.close()
    once = len(server.sent)
    again = learnt(paths, embedder(server))
    assert len(server.sent) > once and len(server.sent) == len(set(server.sent)) == vectors(paths) + 1
    again.close()


def test_another_model_begins_anew(paths, server):
    learnt(paths, embedder(server)).close()
    index = index_of(paths, embedder(server, model="text-embedding-other"))
    assert found(index, "Did I have a vehicle?") == [], "vectors of another model are not compared"
    while index.learn():
        pass
    assert found(index, "Did I have a vehicle?")[0] == ("1", "u1")
    index.close()


@pytest.mark.parametrize("fault", ["status", "dims", "gone"])
def test_when_the_embedder_fails_search_goes_by_words_and_it_is_told_once(paths, server, fault):
    index = learnt(paths, embedder(server))
    if fault == "status":
        server.status = 500
    elif fault == "dims":
        server.dims = 128
    else:
        server.gone = True
    assert found(index, "Was the physician late?")[0] == ("2", "u1")
    assert index.ranker == "by words"
    assert "by words only" in index.questions.take_problem()
    index.search("Was the physician very late?")
    assert index.questions.take_problem() == ""
    index.close()


def test_vectors_of_another_size_are_refused_and_nothing_is_mixed(paths, server):
    learnt(paths, embedder(server)).close()
    said(paths, 4, user("u1", "A new one"))
    server.dims = 128
    index = index_of(paths, embedder(server))
    assert index.learn() == 0
    assert "128 numbers" in index.questions.take_problem()
    index.close()


def test_signs_are_compared_as_the_sum_over_the_questions_numbers():
    random_ = random.Random(3)
    for length in (8, 30, 384):
        question, other = ([random_.gauss(0, 1) for _ in range(length)] for _ in range(2))
        expected = sum(a * (1 if b > 0 else -1) for a, b in zip(question, other, strict=True))
        likeness = Likeness(Meanings(), question)
        padding = -length % 8
        assert len(signs(other)) == (length + padding) // 8
        assert likeness.exact(signs(other)) == pytest.approx(expected)


def test_short_sentences_join_the_one_before():
    assert sentences("I went home. Ok. Then it rained!\n\nAnd 会議は三時です。はい。") == [
        *("I went home. Ok.", "Then it rained!", "And 会議は三時です。 はい。")
    ]
    assert sentences("") == [] and len(sentences("A long enough sentence. " * 99)) == 24
