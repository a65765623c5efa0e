from __future__ import annotations

from pathlib import Path

from sessions.events import Notice
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.settings import AgentSettings, MemorySettings, Profile, Settings
from tests.servers.embedding_server import EmbeddingServer
from tests.waiting import until


def home_at(root: Path, server: EmbeddingServer, embedder: str = "auto") -> Home:
    profiles = {"here": Profile("here", base_url=server.url, model="chat")}
    memory = MemorySettings(embedder=embedder)
    settings = Settings(AgentSettings(discover=False), profiles=profiles, memory=memory)
    return Home(root / "home", settings=settings)


async def talk(hub: SessionHub, text: str, *, private: bool = False) -> str:
    state = await hub.new(Path("/"), private=private)
    await hub.send(state.id, text)
    await until(lambda: not hub.running(state.id), "the end of the turn")
    return state.id


async def test_what_is_said_is_found_by_meaning_and_private_words_go_to_no_embedder(tmp_path: Path) -> None:
    with EmbeddingServer() as server:
        async with SessionHub(home_at(tmp_path, server)) as hub:
            await talk(hub, "The physician in Nara is Doctor Ito.")
            await talk(hub, "My canaryword is a private vehicle.", private=True)
            await until(lambda: any("Nara" in text for text in server.sent), "the sentence at the embedder")
            await until(lambda: hub.home.index.ranking()[1] == 0, "all vectors")
            answer = await hub.search.ask("hospital?", meaning="anywhere")
            assert answer is not None
            assert "physician" in answer.found.sessions[0].hits[0].text
            assert answer.ranker == "by words and meaning (text-embedding-test · this machine)"
            assert not any("canaryword" in text for text in server.sent)


async def test_an_embedder_that_fails_is_told_once_and_what_is_said_is_found_by_its_words(tmp_path: Path) -> None:
    with EmbeddingServer() as server:
        server.status = 500
        async with SessionHub(home_at(tmp_path, server)) as hub, hub.subscribe() as events:
            told: list[str] = []
            await talk(hub, "The physician in Nara is Doctor Ito.")
            async for event in events:
                if isinstance(event, Notice):
                    told.append(event.text)
                    break
            await talk(hub, "And the vehicle is green.")
            await until(lambda: hub.home.index.search("vehicle green"), "the second sentence")
            assert len(told) == 1 and "by words only" in told[0] and "out of order" in told[0]


async def test_switched_off_nothing_is_asked_and_a_missing_profile_is_named(tmp_path: Path) -> None:
    with EmbeddingServer() as server:
        home = home_at(tmp_path, server, "off")
        home.index.learn()
        assert home.index.ranking() == ("by words", 0) and server.paths == []
        home.close()
        home = home_at(tmp_path, server, "nobody:model")
        assert home.index.ranking() == ("by words", 0)
        assert "there is no profile 'nobody'" in home.index.questions.take_problem()
        home.close()
