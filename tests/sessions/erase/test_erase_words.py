from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sessions.erase import erase, of_fact, survey
from sessions.erase.telling import rare_words, says_no_more, telling_words
from sessions.erase.words import goes
from sessions.home import Home
from sessions.store.log import read_log
from tests.sessions.erase.told_home import holding, home_at, saved, talk
from tests.sessions.memory.talking import save, talk_in

WORD = "quokkaword"
TOLD = f"Remember that my codeword is {WORD}."


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = home_at(tmp_path / "home")
    asyncio.run(talk(home, TOLD))
    return home


def said(home: Home, session: str) -> list[str]:
    return [r.content for r in read_log(home.paths.session_log(session)).records if getattr(r, "content", "")]


def test_a_plain_word_of_the_fact_goes_where_nothing_else_is_spoken_of(home: Home) -> None:
    asked = asyncio.run(talk(home, f"Did I tell you about {WORD}?", "What's 2 and 2?"))
    home.index.catch_up()
    result = erase(home, survey(home, of_fact(home, 1)))
    assert holding(home.paths.root, WORD) == []
    assert said(home, asked)[0] == "What's 2 and 2?"
    assert home.catalog.get(asked).title == "What's 2 and 2?"
    assert result.words()[0] == f"0 traces left under {home.paths.root}"
    assert not any(WORD in line for line in result.words())


def test_where_more_is_said_it_stays_and_is_told_before_and_after(home: Home) -> None:
    text = f"Is {WORD} a good name for a boat?"
    asked = asyncio.run(talk(home, text))
    found = survey(home, of_fact(home, 1))
    assert any(line.startswith(f"{WORD} also stands in ") for line in goes(found))
    result = erase(home, found)
    assert text in said(home, asked)
    assert any(line.startswith(f"{WORD} also stands in ") for line in result.words())


def test_who_asks_for_the_thing_without_its_value_keeps_the_question(home: Home) -> None:
    asked = asyncio.run(talk(home, "Do you know my codeword?"))
    result = erase(home, survey(home, of_fact(home, 1)))
    assert "Do you know my codeword?" in said(home, asked)
    assert holding(home.paths.root, WORD) == []
    assert any(line.startswith("codeword also stands in ") for line in result.words())


def test_an_everyday_word_takes_no_message_along_and_where_it_stands_everywhere_it_tells_nothing(home: Home) -> None:
    saved(home, "chess", "Plays chess")
    once = asyncio.run(talk(home, "How do I castle in chess?"))
    result = erase(home, survey(home, of_fact(home, "chess")))
    assert "How do I castle in chess?" in said(home, once)
    assert any(line.startswith("chess also stands in ") for line in result.words())
    saved(home, "chess", "Plays chess")
    for n in range(7):
        asyncio.run(talk(home, f"How do I castle in chess in {n} moves?", f"Is chess game {n} older than football?"))
    result = erase(home, survey(home, of_fact(home, "chess")))
    assert not any(line.startswith("chess also stands in ") for line in result.words())


def test_another_fact_with_the_word_is_told(home: Home) -> None:
    saved(home, "bank", f"Says {WORD} at the bank")
    result = erase(home, survey(home, of_fact(home, 1)))
    assert f"{WORD} also stands in 1 other fact, kept" in result.words()


async def test_what_a_model_searched_for_goes(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talking:
        await talking.say(f"My codeword is {WORD}", save(f"Codeword is {WORD}", f"My codeword is {WORD}", "user"))
        await talking.later()
        await talking.say("And what else?", ("recall_memory", {"query": WORD}))
        await talking.hub.run(talking.home.index.catch_up)
        found = await talking.hub.keeping.survey(lambda home: of_fact(home, 1))
        result = await talking.hub.keeping.erase(found)
        assert result.traces == 0
        assert "And what else?" in said(talking.home, talking.session)
    assert holding(talking.home.paths.root, WORD) == []


def test_the_words_that_tell_a_fact() -> None:
    assert rare_words(["Codeword is quokkaword"]) == ("codeword", "quokkaword")
    assert rare_words(["Hint is blue giraffe."]) == ("blue giraffe", "giraffe")
    assert rare_words(["Please remember the question"]) == ()
    known = ("codeword", "quokkaword")
    assert says_no_more("Do you remember quokkaword?", known, known[1:])
    assert not says_no_more("Do you remember my codeword?", known, known[1:])
    assert not says_no_more("Is quokkaword a boat?", known, known[1:])


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        ("Codeword is gryphonette", ("gryphonette",)),
        ("Codeword is blue", ("blue",)),
        ("Cat is called Tom", ("Tom",)),
        ("Zenobia is the secret lover", ("zenobia", "secret", "lover")),
        ("Salary is 123456 euros", ("123456",)),
        ("Lives in Tokyo", ("Tokyo",)),
        ("Plays chess", ("chess",)),
        ("Works with Zenobia on the gryphonette project", ("Zenobia", "gryphonette", "project")),
        ("Das Codewort lautet Gryphonette", ("gryphonette",)),
        ("Le chat s'appelle Biscotte", ("biscotte",)),
        ("El perro se llama Canelo", ("canelo",)),
        ("合言葉はグリフォネットです", ("グリフォネット",)),
        ("암호는 무지개고래입니다", ("무지개고래",)),
    ],
)
def test_the_words_by_each_of_which_a_fact_is_told(fact: str, words: tuple[str, ...]) -> None:
    assert tuple(map(str.casefold, telling_words([fact]))) == tuple(map(str.casefold, words))
