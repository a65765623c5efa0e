"""What echoes an erased fact goes with it; where its words stand otherwise is told, and goes when that is wanted."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.erase import erase, of_fact, survey, with_words
from sessions.erase.target import write_job
from sessions.erase.words import goes, these
from sessions.home import Home
from sessions.memory.fact import By
from sessions.store.log import read_log
from sessions.store.trash import delete
from tests.sessions.agent.scripted import calls, says
from tests.sessions.erase.told_home import holding, home_at, propose, saved
from tests.sessions.memory.talking import Talk, save, talk_in

WORD = "gryphonette"
PERSON = By("user")
ECHOES = [
    ("my codeword is gryphonette", "Codeword is gryphonette", "Got it: gryphonette.", "gryphonette"),
    ("my codeword is gryphonette", "Codeword is gryphonette", "Two gryphonettes, then, and a walrus?", "gryphonettes"),
    ("my codeword is gryphonette", "Codeword is gryphonette", "So it's “my_gryphonette”, hm.", "gryphonette"),
    ("my codeword is azul", "Codeword is azul", "Azul, a fine colour for walls!", "azul"),
    ("my cat is called Tom", "Cat is called Tom", "Hello Tom and everybody!", "Tom"),
    ("my salary is 123456 euros", "Salary is 123456 euros", "123,456 is rather decent.", "123,456"),
    ("I have a rash called pemphigoidal disease", "Has a rash called pemphigoidal disease",
     "**Pemphigoidal** illness is autoimmune.", "emphigoidal"),
    ("my secret lover is Zenobia", "Secret lover is Zenobia", "What a name, zénobia…", "nobia"),
    ("Mein Codewort lautet Kranichfeder", "Codewort lautet Kranichfeder", "Kranichfedern sind schön.", "ranichfeder"),
    ("Mon mot de code est girafon", "Mot de code est girafon", "Deux girafons, entendu.", "girafon"),
    ("Mi mascota es un ornitorrinco", "Mascota es un ornitorrinco", "¡Ornitorrincos, qué lindo!", "nitorrinco"),
    ("私の合言葉はグリフォネットです", "合言葉はグリフォネット", "グリフォネット、了解しました。", "グリフォネット"),
]  # fmt: skip


def said(home: Home, session: str) -> list[str]:
    return [r.content for r in read_log(home.paths.session_log(session)).records if getattr(r, "content", "")]


async def answered(talking: Talk, text: str, answer: str, *wanted: tuple[str, dict[str, object]]) -> None:
    """A turn that ends in this answer."""
    talking.model.steps = [*([calls(call)] for call in wanted), says(answer)]
    await talking.hub.send(talking.session, text)
    talking.turns += 1
    await talking.heard.over(talking.session, talking.turns)


@pytest.mark.parametrize(("told", "fact", "answer", "word"), ECHOES)
async def test_what_a_model_answers_to_the_fact_goes_with_it(
    tmp_path: Path, told: str, fact: str, answer: str, word: str
) -> None:
    async with talk_in(tmp_path) as talking:
        await answered(talking, "What is 2 and 2?", "It is four.")
        await answered(talking, told, answer, save(fact, told, "user"))
        assert talking.active() + talking.waiting() == [fact]
        number = (talking.facts.visible(talking.home.paths.root) or [p.fact for p in talking.facts.proposals()])[
            0
        ].number
        await talking.hub.run(talking.home.index.catch_up)
        found = await talking.hub.keeping.survey(lambda home: of_fact(home, number))
        result = await talking.hub.keeping.erase(found)
        assert (result.words()[0], result.standing) == (f"0 traces left under {talking.home.paths.root}", ())
        assert said(talking.home, talking.session) == ["What is 2 and 2?", "It is four."]
    assert holding(talking.home.paths.root, word) == []


async def test_what_is_answered_where_it_was_recalled_goes_and_what_is_asked_stays(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talking:
        await talking.say(f"My codeword is {WORD}", save(f"Codeword is {WORD}", f"My codeword is {WORD}", "user"))
        await talking.later()
        await answered(talking, "What was the word?", f"As for {WORD}s: a fine word.", ("recall_memory", {"fact": "1"}))
        found = await talking.hub.keeping.survey(lambda home: of_fact(home, 1))
        assert (await talking.hub.keeping.erase(found)).traces == 0
        assert said(talking.home, talking.session) == ["What was the word?"]
    assert holding(talking.home.paths.root, WORD) == []


@pytest.fixture
async def standing(tmp_path: Path) -> Home:
    """The codeword also stands in other turns and sessions, in the trash, in facts, in history and in notes."""
    async with talk_in(tmp_path) as talking:
        await talking.say(f"My codeword is {WORD}", save(f"Codeword is {WORD}", f"My codeword is {WORD}", "user"))
        await answered(talking, "What is new in Rome?", f"Rain, {WORD}, and a new tram.")
        await talking.later()
        await answered(talking, f"Are two {WORD}s too many for a garden?", "Perhaps.")
        await answered(talking, "Is it raining?", "No.")
        await talking.later()
        await answered(talking, f"Paint a {WORD.upper()} for the kitchen wall", "I can't paint.")
        await talking.hub.leave(talking.session)
        root = talking.home.paths.root
    home = home_at(root)
    delete(home.paths, next(m.id for m in home.catalog.list() if m.title.startswith("Paint a")))
    saved(home, "bank", f"The {WORD}'s bank is in Rome")
    saved(home, "pet", f"Has a {WORD} at home")
    home.facts.edit("pet", by=PERSON, summary="Has a walrus at home")
    saved(home, "tea", "Drinks green tea")
    propose(home, home.facts.get("tea").number, f"Drinks tea from {WORD} cups")
    home.paths.memory_md.write_text(home.paths.memory_md.read_text() + f"- Ask about the {WORD} again\n")
    (root / "notes.txt").write_text(f"{WORD} one\n")
    home.index.catch_up()
    return home


def test_where_its_words_stand_is_told_and_never_called_nothing(standing: Home) -> None:
    found = survey(standing, of_fact(standing, 1))
    assert found.standing == (WORD,)
    listed = "\n".join(these(found))
    for part in ("Rain, gryphonette", "Are two", "(in the trash)", "s bank is in Rome", "from gryphonette cups",
                 "the history of fact", "notes.txt"):  # fmt: skip
        assert part in listed, part
    assert set(map(str.strip, listed.split("\n")[1:])) & set(map(str.strip, goes(found)))
    result = erase(standing, found)
    assert result.left == () and result.traces > 0
    head = result.words()[0]
    assert not head.startswith("0 ") and f"what else holds {WORD} was kept" in head
    places = {str(t.path.relative_to(standing.paths.root)) for t in result.standing}
    assert places >= {"notes.txt", "memory/user/bank.md"} and any("trash/" in p for p in places)
    assert places == {p for p in holding(standing.paths.root, WORD)}


def test_what_holds_its_words_goes_when_that_is_wanted(standing: Home) -> None:
    other = next(m.id for m in standing.catalog.list() if m.title.startswith("Are two"))
    (standing.paths.root / "notes.txt").unlink()
    result = erase(standing, with_words(standing, survey(standing, of_fact(standing, 1))))
    assert result.words()[0] == f"0 traces left under {standing.paths.root}"
    assert holding(standing.paths.root, WORD) == []
    assert standing.index.search("gryphonettes", include_off=True) == []
    assert said(standing, other) == ["Perhaps.", "Is it raining?", "No."]
    facts = standing.facts
    assert [f.name for f in facts.snapshot().facts] == ["pet", "tea"]
    assert facts.reconcile() == []
    pet = facts.get("pet").number
    assert len(facts.history(pet)) == 2
    assert facts.undo(by=PERSON, ref=pet).fact.summary == "(erased)"
    assert home_at(standing.paths.root).facts.reconcile() == []


def test_a_file_that_no_program_here_wrote_is_left_and_counted(standing: Home) -> None:
    result = erase(standing, with_words(standing, survey(standing, of_fact(standing, 1))))
    assert [t.path.name for t in result.left] == ["notes.txt"]
    assert holding(standing.paths.root, WORD) == ["notes.txt"]


def test_what_was_cut_off_is_finished_with_the_words(standing: Home) -> None:
    from sessions.erase import finish

    (standing.paths.root / "notes.txt").unlink()
    found = with_words(standing, survey(standing, of_fact(standing, 1)))
    write_job(standing.paths.local / "erasing.json", found.target)
    assert finish(home_at(standing.paths.root)).traces == 0
    assert holding(standing.paths.root, WORD) == []


def test_where_no_word_tells_it_nothing_more_can_be_taken(tmp_path: Path) -> None:
    home = home_at(tmp_path / "home")
    saved(home, "tea", "Drinks green tea")
    found = survey(home, of_fact(home, 1))
    assert found.standing == () and with_words(home, found) is found
