from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sessions.clock import iso
from sessions.memory.fact import By, Draft, Fact, slug
from sessions.memory.guard import Wish
from sessions.typed import Typed, typed_parts
from tests.sessions.memory.deciding import Deciding, Unwritten, saved
from tests.sessions.memory.ended import ENDED, STILL_SO
from tests.sessions.memory.given_up import CAME_FOR, GIVEN_UP
from tests.sessions.memory.governed import GOVERNED
from tests.sessions.memory.hinged import HINGED, UNHINGED
from tests.sessions.memory.homes import NOW, store_of
from tests.sessions.memory.mixed import HALVES, WHOLE
from tests.sessions.memory.ordered import FOR_ALWAYS, NOT_SELF, ONCE, SELF
from tests.sessions.memory.ordinary import SAID
from tests.sessions.memory.plainly import PLAIN
from tests.sessions.memory.sided import OF_ONESELF, OF_OTHERS, POINTED_AT, SAID_BY_OTHERS, TURNED, UPRIGHT
from tests.sessions.memory.standing import CHANGES, STAYS
from tests.sessions.memory.valued import ANOTHER_VALUE, STANDS_BESIDE
from tests.sessions.memory.wishes import NO_WISHES, WISHES


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Unwritten:
    real = store_of(tmp_path_factory.mktemp("governed"))
    return Unwritten(real.paths, real.clock)


def named(row: Any) -> str:
    return f"{row[0]} | {row[1]}"


@pytest.mark.parametrize("row", GOVERNED, ids=named)
def test_a_claim_that_leaves_out_what_the_words_hang_on_is_not_kept_at_once(
    store: Unwritten, row: tuple[str, str, str]
) -> None:
    assert saved(store, *row) == []


@pytest.mark.parametrize("row", PLAIN, ids=named)
def test_a_plain_statement_is_kept_at_once(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("row", GIVEN_UP, ids=named)
def test_what_was_given_up_for_another_thing_is_not_kept_at_once(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == []


@pytest.mark.parametrize("row", CAME_FOR, ids=named)
def test_what_came_for_another_thing_is_kept_at_once(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("row", WISHES, ids=named)
def test_a_wish_is_kept_however_it_is_told(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("row", NO_WISHES, ids=named)
def test_what_only_sounds_like_a_wish_is_not_kept(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == []


@pytest.mark.parametrize("row", SAID, ids=named)
def test_what_people_say_of_themselves_is_kept_at_once(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("row", ONCE, ids=lambda row: f"{row[0]} | {row[1]} ({row[2]})")
def test_an_order_for_now_makes_no_rule_for_always(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == []


@pytest.mark.parametrize("row", FOR_ALWAYS, ids=named)
def test_a_manner_of_working_and_a_rule_for_always_are_kept_at_once(
    store: Unwritten, row: tuple[str, str, str]
) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("row", NOT_SELF, ids=named)
def test_what_is_not_about_the_agent_is_not_kept_of_it(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == []
    known = Fact("old", row[1], "preference", number=1, id="1", path=Path("1.md"))
    assert saved(store, *row, "", known, name="old") == []


@pytest.mark.parametrize("row", SELF, ids=named)
def test_what_is_about_the_agent_is_kept_of_it(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("row", TURNED, ids=named)
def test_words_on_other_sides_of_what_was_said_are_not_kept_at_once(
    store: Unwritten, row: tuple[str, str, str]
) -> None:
    assert saved(store, *row) == []


@pytest.mark.parametrize("row", UPRIGHT, ids=named)
def test_words_on_the_sides_where_they_were_said_are_kept_at_once(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("row", OF_OTHERS, ids=named)
def test_what_hangs_on_somebody_or_something_else_is_not_kept_at_once(store: Unwritten, row: tuple[str, ...]) -> None:
    assert saved(store, *row) == []


@pytest.mark.parametrize("row", OF_ONESELF, ids=named)
def test_what_is_ones_own_is_kept_at_once(store: Unwritten, row: tuple[str, ...]) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("row", SAID_BY_OTHERS, ids=named)
def test_what_somebody_says_of_themselves_is_not_the_word_of_the_person(store: Unwritten, row: tuple[str, ...]) -> None:
    assert saved(store, *row) == []
    known = Fact("old", row[1].replace(" no ", " "), row[2], number=1, id="1", path=Path("1.md"))  # type: ignore[arg-type]
    assert saved(store, *row, "", known, replaces=1) == []


@pytest.mark.parametrize(("before", "said", "claim", "kind", "kept"), POINTED_AT)
def test_who_is_pointed_at_is_not_the_person(
    store: Unwritten, before: str, said: str, claim: str, kind: str, kept: bool
) -> None:
    typed = [Typed(f"u{n}", iso(NOW), typed_parts(text)) for n, text in enumerate((before, said))]
    store.saved, store.known = [], ()
    draft = Draft(slug(claim), claim, kind)  # type: ignore[arg-type]
    Deciding(store).save(draft, Wish(By("model", "s1", "u1", said.rstrip(".")), typed, "u1"))
    assert store.saved == ([claim] if kept else [])


def quotes_of(said: str) -> list[str]:
    """All that may be quoted of it from its beginning or to its end."""
    words = said.rstrip(".!").split(" ")
    return [" ".join(part) for n in range(3, len(words) + 1) for part in (words[:n], words[-n:])]


@pytest.mark.parametrize("row", HALVES, ids=named)
def test_what_belongs_to_the_other_half_of_a_sentence_is_not_kept_whatever_is_quoted(
    store: Unwritten, row: tuple[str, str, str]
) -> None:
    assert [q for q in quotes_of(row[0]) if saved(store, *row, q)] == []


@pytest.mark.parametrize("row", WHOLE, ids=named)
def test_what_belongs_together_is_kept(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]


def fact_of(row: tuple[str, str, str, str, str]) -> Fact:
    return Fact(slug(row[3]), row[3], row[4], number=1, id="1", path=Path("1.md"))  # type: ignore[arg-type]


@pytest.mark.parametrize("row", HINGED, ids=named)
def test_words_that_a_statement_hangs_on_are_not_left_out_or_turned_round(
    store: Unwritten, row: tuple[str, str, str]
) -> None:
    assert saved(store, *row) == []


@pytest.mark.parametrize("row", UNHINGED, ids=named)
def test_a_statement_with_what_it_hangs_on_is_kept(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, *row) == [row[1]]


@pytest.mark.parametrize("way", ["replaces", "name"])
@pytest.mark.parametrize("row", (*STAYS, *STANDS_BESIDE), ids=lambda row: f"{row[0]} | {row[1]} ({row[2]})")
def test_what_one_occasion_asks_for_leaves_what_stands(
    store: Unwritten, row: tuple[str, str, str, str, str], way: str
) -> None:
    known = fact_of(row)
    more: dict[str, Any] = {"replaces": 1} if way == "replaces" else {"name": known.name}
    quote = row[0].partition(".")[0]
    assert saved(store, *row[:3], quote, known, **(more if row[1] else {})) == []


@pytest.mark.parametrize("row", (*CHANGES, *ANOTHER_VALUE), ids=named)
def test_what_is_meant_for_good_changes_what_stands(store: Unwritten, row: tuple[str, str, str, str, str]) -> None:
    assert saved(store, *row[:3], "", fact_of(row), **({"replaces": 1} if row[1] else {})) == [row[1] or "without 1"]


def of(row: tuple[str, str, str]) -> Fact:
    return Fact(slug(row[1]) or "fact", row[1], row[2], number=1, id="1", path=Path("1.md"))  # type: ignore[arg-type]


@pytest.mark.parametrize("row", STILL_SO, ids=named)
def test_a_question_a_trip_and_another_matter_end_nothing(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, row[0], "", "", known=of(row)) == []


@pytest.mark.parametrize("row", ENDED, ids=named)
def test_what_is_over_or_to_be_forgotten_goes(store: Unwritten, row: tuple[str, str, str]) -> None:
    assert saved(store, row[0], "", "", known=of(row)) == ["without 1"]


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ("Translate what I write next", False),
        ("Play a customer called Kim", False),
        ("What should my character say?", False),
        ("Let's do a quiz", False),
        ("Good morning", True),
    ],
)
def test_what_was_announced_as_a_text_or_a_part_is_no_statement(store: Unwritten, before: str, kept: bool) -> None:
    said = "I love my job at the post office"
    typed = [Typed(f"u{n}", iso(NOW), typed_parts(text)) for n, text in enumerate((before, said))]
    store.saved, store.known = [], ()
    claim = Draft("job", "Loves the job at the post office", "user")
    Deciding(store).save(claim, Wish(By("model", "s1", "u1", said), typed, "u1"))
    assert store.saved == ([claim.summary] if kept else [])
