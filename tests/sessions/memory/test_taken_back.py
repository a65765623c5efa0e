from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from sessions.clock import iso
from sessions.errors import FactError
from sessions.memory import distill, handed, lapsed, unkept, withdrawn
from sessions.memory.fact import By, Draft
from sessions.memory.guard import Guard, Wish
from sessions.messages import AssistantMessage, Marker, Record, UserMessage
from sessions.store.line import main_line
from sessions.typed import Typed, typed_parts
from tests.sessions.memory.homes import NOW, store_of
from tests.sessions.memory.lapsing import HOLDS_ON, LAPSED
from tests.sessions.memory.taking_back import (
    FORBIDDEN,
    FORBIDDEN_LATER,
    HANDED_OVER,
    IN_CONFIDENCE,
    LATER,
    MEANT,
    STILL_MEANT,
    TAKEN_BACK,
)

_N = count()
SAVED = "saved"


def saved(folder: Path, said: Sequence[str], claim: str, quote: str) -> str:
    """What comes of a claim: `SAVED`, or why it waits or is refused."""
    store = store_of(folder / str(next(_N)))
    typed = [Typed(f"m{i}", iso(NOW + timedelta(minutes=i)), typed_parts(text)) for i, text in enumerate(said)]
    newest = typed[-1].message
    try:
        done = Guard(store).save(
            Draft("it", claim, "user"), Wish(By("model", "s", newest, quote), typed, newest, distinct=True)
        )
    except FactError as e:
        assert not store.proposals()
        return str(e)
    return SAVED if done.change is not None else done.why


def quotes(said: str) -> Iterator[str]:
    """The message, and each of its clauses that is long enough."""
    yield said
    yield from (p for p in re.split(r"[.!?;,:\n。、]\s*", said) if len(p.split()) > 2 and p != said)


@pytest.mark.parametrize(("said", "claim"), [*TAKEN_BACK, *HANDED_OVER, *FORBIDDEN, *IN_CONFIDENCE])
def test_what_is_taken_back_forbidden_or_handed_over_is_not_saved_whatever_of_it_is_quoted(
    tmp_path: Path, said: str, claim: str
) -> None:
    came = {quote: saved(tmp_path, [said], claim, quote) for quote in quotes(said)}
    assert SAVED not in came.values(), came


@pytest.mark.parametrize(("said", "claim"), MEANT)
def test_what_is_meant_is_saved(tmp_path: Path, said: str, claim: str) -> None:
    assert saved(tmp_path, [said], claim, said) == SAVED


@pytest.mark.parametrize(("said", "claim"), FORBIDDEN)
def test_of_what_is_not_to_be_kept_nothing_is_even_proposed(tmp_path: Path, said: str, claim: str) -> None:
    assert saved(tmp_path, [said], claim, said) == unkept.NOT_TO_KEEP


@pytest.mark.parametrize(("said", "claim"), IN_CONFIDENCE)
def test_what_is_said_in_confidence_waits_for_review(tmp_path: Path, said: str, claim: str) -> None:
    assert saved(tmp_path, [said], claim, said) == unkept.IN_CONFIDENCE


def test_who_the_work_is_for_says_so_after_a_comma(tmp_path: Path) -> None:
    said = "Summarise this article for me, I'm a biologist so be technical"
    assert saved(tmp_path, [said], "Is a biologist", "I'm a biologist") == SAVED
    said = "Summarise this sentence, I'm a biologist"
    assert saved(tmp_path, [said], "Is a biologist", "I'm a biologist") == handed.MATERIAL


def test_an_order_for_the_next_thing_holds_for_the_next_message_alone(tmp_path: Path) -> None:
    said = ["Please don't remember the next thing.", "I own a boat"]
    assert saved(tmp_path, said, "Owns a boat", "I own a boat") == unkept.NOT_TO_KEEP
    assert saved(tmp_path, [said[0], "Thanks a lot", said[1]], "Owns a boat", "I own a boat") == SAVED


@pytest.mark.parametrize(("said", "later", "claim"), LATER)
def test_what_is_said_later_wins_over_the_quote_of_an_earlier_message(
    tmp_path: Path, said: str, later: tuple[str, ...], claim: str
) -> None:
    assert saved(tmp_path, [said, *later], claim, said) in {withdrawn.LATER, withdrawn.OTHERWISE}


@pytest.mark.parametrize(("said", "later", "claim"), LAPSED)
def test_what_the_next_message_ends_is_not_saved(tmp_path: Path, said: str, later: str, claim: str) -> None:
    assert saved(tmp_path, [said, later], claim, said) in {lapsed.ENDED, withdrawn.LATER, withdrawn.OTHERWISE}


@pytest.mark.parametrize(("said", "later", "claim"), HOLDS_ON)
def test_what_ends_another_matter_ends_nothing_here(tmp_path: Path, said: str, later: str, claim: str) -> None:
    assert saved(tmp_path, [said, later], claim, said) == SAVED


@pytest.mark.parametrize(("said", "later", "claim"), FORBIDDEN_LATER)
def test_what_was_said_before_the_order_to_keep_none_of_it_is_not_proposed(
    tmp_path: Path, said: str, later: tuple[str, ...], claim: str
) -> None:
    assert saved(tmp_path, [said, *later], claim, said) == unkept.NOT_TO_KEEP


@pytest.mark.parametrize(("said", "later", "claim"), STILL_MEANT)
def test_an_answer_or_another_matter_takes_nothing_back(
    tmp_path: Path, said: str, later: tuple[str, ...], claim: str
) -> None:
    assert saved(tmp_path, [said, *later], claim, said.split(",", maxsplit=1)[0]) == SAVED


def test_what_is_announced_as_untrue_is_so_in_the_next_message_and_an_order_for_all_that_follows_holds(
    tmp_path: Path,
) -> None:
    said = ["Everything I say next is false.", "I own a boat"]
    assert saved(tmp_path, said, "Owns a boat", "I own a boat") == handed.MATERIAL
    said = ["Don't remember anything I say in this chat.", "Hi there", "I own a boat"]
    assert saved(tmp_path, said, "Owns a boat", "I own a boat") == unkept.NOT_TO_KEEP
    assert saved(tmp_path, [*said, "Remember that I own a boat"], "Owns a boat", "Remember that I own a boat") == SAVED


def test_whoever_looks_a_session_through_knows_what_was_taken_back_and_is_not_asked_for_that_alone() -> None:
    def turns(*texts: str) -> list[list[str]]:
        records: list[Record] = []
        for n, text in enumerate(texts, 1):
            records += [
                UserMessage(f"u{n}", iso(NOW), n, text),
                AssistantMessage(f"a{n}", iso(NOW), n, "Ok", profile="p"),
            ]
            records.append(Marker(f"e{n}", iso(NOW), "turn_end", {"turn": n, "stop": "stop"}))
        return [[t.text for t in p.typed] for p in distill.portions(records, main_line(records))]

    assert turns("I own a boat", "Scratch that", "What day is it?") == [["I own a boat", "Scratch that"]]
    assert turns("I own a boat. Don't save that.") == turns("Scratch that") == []
