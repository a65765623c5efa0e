from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from sessions.agent.replay import replay
from sessions.erase import erase, of_fact, survey
from sessions.errors import FactError, LockedError
from sessions.events import Notice, ToolCallFinished, TurnStarted
from sessions.memory.fact import By
from sessions.store.log import LogWriter, read_log
from tests.sessions.erase.told_home import (
    OTHER,
    TOLD,
    WORD,
    content_of,
    holding,
    home_at,
    propose,
    saved,
    talk,
    told_home,
)

PERSON = By("user")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    root = tmp_path_factory.mktemp("told") / "home"
    told_home(root)
    return root


@pytest.fixture
def home(told, tmp_path):
    shutil.copytree(told, tmp_path / "home")
    return home_at(tmp_path / "home")


def erased(home, ref, **more):
    return erase(home, survey(home, of_fact(home, ref)), **more)


def session_of(home, title):
    return next(meta.id for meta in home.catalog.list() if meta.title == title and not meta.forked_from)


def test_no_byte_under_the_home_holds_an_erased_fact(home):
    root = home.paths.root
    assert len(holding(root, WORD)) > 10
    result = erased(home, 3)
    assert holding(root, WORD) == []
    assert (result.traces, result.words()[0]) == (0, f"0 traces left under {root}")
    assert [f.number for f in home.facts.snapshot().facts] == [1, 2]


def test_lines_are_replaced_in_place_and_all_others_stay_as_they_were(home):
    session = session_of(home, TOLD)
    path = home.paths.session_log(session)
    before = path.read_bytes().split(b"\n")
    result = erased(home, 3)
    after = path.read_bytes().split(b"\n")
    assert len(before) == len(after)
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert result.lines > len(changed) >= 4
    for old, new in changed:
        assert json.loads(new) == {"v": 1, "id": json.loads(old)["id"], "erased": True}
    kept = [r.content for r in read_log(path).records if getattr(r, "content", "")]
    assert kept[0] == "What's 2 and 2?"


def test_a_log_with_erased_lines_is_told_and_its_title_comes_from_what_is_left(home):
    session = session_of(home, TOLD)
    erased(home, 3)
    events = [*replay(read_log(home.paths.session_log(session)).records, session)]
    prompts = [e.text for e in events if isinstance(e, TurnStarted)]
    assert prompts == ["", "What's 2 and 2?"]
    assert [e for e in events if isinstance(e, Notice)] == []
    assert home.catalog.get(session).title == "What's 2 and 2?"
    asked = session_of(home, "What do you know about my codeword?")
    events = [*replay(read_log(home.paths.session_log(asked)).records, asked)]
    assert [(e.name, e.content) for e in events if isinstance(e, ToolCallFinished)] == [("recall_memory", "erased")]


def test_the_index_forgets_the_lines_and_finds_the_others(home):
    assert home.index.search("xylocarp")
    erased(home, 3)
    assert home.index.search("xylocarp", include_off=True) == []
    assert OTHER in [hit.text for hit in home.index.search("Celsius")]


def test_other_facts_stay_with_their_history_and_name_the_erased_one_no_more(home):
    known = len(home.facts.history(1))
    erased(home, 3)
    facts = home.facts
    assert facts.reconcile() == []
    fact = facts.get(1)
    assert (fact.related, fact.body) == ((), "See (erased).")
    assert len(facts.history(1)) == known
    assert facts.undo(by=PERSON, ref=1).fact.summary == "Lives in Tokyo"
    assert home_at(home.paths.root).facts.reconcile() == []


def test_its_number_is_never_given_again_not_even_where_only_the_journal_knows_it(home):
    root = home.paths.root
    erased(home, 3)
    shutil.rmtree(root / "local")
    fact = saved(home_at(root), "cat", "Has a cat").fact
    assert fact.number > 3


def test_a_forgotten_a_waiting_and_a_superseded_fact_can_be_erased(home):
    root = home.paths.root
    saved(home, "cat", "Has a wombat called Bruno", "user")
    home.facts.forget("cat", by=PERSON)
    erased(home, "cat")
    assert holding(root, "wombat") == []
    number = propose(home, 2, "Prefers numbats to Celsius")
    erased(home, number)
    assert holding(root, "numbat") == []
    assert home.facts.get(2).summary == "Prefers Celsius"
    saved(home, "dog", "Has a bandicoot at home", "user")
    saved(home, "parrot", "Has a parrot", "user", replaces="dog")
    erased(home, "dog")
    assert holding(root, "bandicoot") == []
    assert home.facts.get("parrot").supersedes == ()
    assert home.facts.reconcile() == []


def test_earlier_versions_of_it_go_too(home):
    root = home.paths.root
    saved(home, "pet", "Has an echidna", "user")
    home.facts.edit("pet", by=PERSON, summary="Has a cat", name="cat-at-home")
    erased(home, "cat-at-home")
    assert holding(root, "echidna") == []
    assert holding(root, "cat-at-home") == []


def test_the_list_is_made_anew_and_not_kept_beside_as_if_a_person_had_edited_it(home):
    assert WORD in home.paths.memory_md.read_text()
    erased(home, 3)
    assert "lives-in-tokyo" in home.paths.memory_md.read_text()
    assert [p.name for p in home.paths.memory.glob("MEMORY*")] == ["MEMORY.md"]
    assert holding(home.paths.memory, WORD) == []


def test_a_list_that_a_person_edited_is_kept_beside_without_what_was_erased(home):
    saved(home, "vegan", "Vegan", "user")
    home.paths.memory_md.write_text(home.paths.memory_md.read_text() + "- Likes tea\n")
    erased(home, "vegan")
    erased(home, 3)
    beside = [p for p in home.paths.memory.glob("MEMORY*") if p.name != "MEMORY.md"]
    assert len(beside) == 1
    text = beside[0].read_text()
    assert "- Likes tea\n" in text
    assert "lives-in-tokyo" in text
    assert "vegan" not in text.lower() + home.paths.memory_md.read_text().lower()
    assert holding(home.paths.memory, WORD) == []


def test_what_was_said_stays_when_only_the_fact_goes(home):
    session = session_of(home, TOLD)
    log = home.paths.session_log(session).read_bytes()
    target = of_fact(home, 3).kept_messages()
    result = erase(home, survey(home, target))
    assert home.paths.session_log(session).read_bytes() == log
    assert result.lines == 0
    assert result.traces > 0
    assert {t.path.suffix for t in result.left} <= {".jsonl", ".json"}


def test_a_session_that_another_program_has_open_is_refused_and_nothing_is_changed(home):
    session = session_of(home, TOLD)
    before = content_of(home.paths.root)
    other = LogWriter.open(home.paths, session)
    try:
        with pytest.raises(LockedError, match="open in another window, so nothing was erased"):
            erased(home, 3)
        assert content_of(home.paths.root) == before
        assert not (home.paths.local / "erasing.json").exists()
    finally:
        other.close()
    assert erased(home, 3).traces == 0


def test_another_fact_that_says_the_same_is_left_and_named(home):
    saved(home, "the-other", "The codeword is xylocarp-quokka on Mondays", "user")
    result = erased(home, 3)
    assert {t.path.name.split(".")[0].split("-")[0] for t in result.left} >= {"the", "MEMORY"} or result.left == ()
    assert home.facts.get("the-other") is not None


def test_what_only_shares_a_word_stays(home):
    session = asyncio.run(talk(home, "How many people live in Osaka?", "Is Tokyo larger than Osaka?", "And Kyoto?"))
    for text in ("Tell me about Tokyo", "Is Tokyo far?", "Tokyo in winter?", "Tokyo trains?", "Tokyo food?"):
        asyncio.run(talk(home, text, session=session))
    result = erased(home, 1)
    said = [r.content for r in read_log(home.paths.session_log(session)).records if getattr(r, "content", "")]
    assert "Is Tokyo larger than Osaka?" in said
    assert dict(result.elsewhere)["Tokyo"] >= 6
    assert any("Tokyo also stands in" in line for line in result.words())


def test_a_fact_that_is_not_there_is_said(home):
    with pytest.raises(FactError, match="There is no fact 99"):
        of_fact(home, 99)


def test_the_question_names_what_goes(home):
    from sessions.erase.words import goes, question

    found = survey(home, of_fact(home, 3))
    lines = goes(found, most=30)
    assert question(found).startswith("Erase fact 3: ")
    assert lines[0] == "its file, 3 entries of the journal, 1 change that waits, MEMORY.md"
    assert any(line.strip() == f"you: {TOLD}" for line in lines)
    assert any("(in the trash)" in line for line in lines)
    assert lines[-1].startswith("what is made of it")


def test_what_is_said_between_the_question_and_the_yes_goes_too(home):
    found = survey(home, of_fact(home, 3))
    asyncio.run(talk(home, TOLD))
    session = session_of(home, TOLD)
    assert erase(home, found).traces == 0
    assert holding(home.paths.root, WORD) == []
    assert session in [m.id for m in home.catalog.list()]
