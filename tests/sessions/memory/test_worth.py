from __future__ import annotations

import pytest

from sessions.memory.fact import Draft
from sessions.memory.worth import against

ONE = (
    "Geburtstag ist am 5. Mai",
    "Wohnt im 2. Stock",
    "Sohn geht in die 3. Klasse",
    "Miete ist zum 3. Werktag fällig",
    "Hochzeitstag ist der 12. Juni",
    "Lawyer is Ms. Weber",
    "Thesis is supervised by Prof. Kim",
    "Wohnt in St. Gallen",
    "Wohnt in der Lindenstraße Nr. 5 B",
    "Mag Obst, z. B. Birnen",
    "Works at Acme Inc. Berlin",
    "Uses Python 3.12 for everything",
    "Likes J. R. R. Tolkien",
)
SEVERAL = (
    "Lives in Rome. Likes cats",
    "Is 41. Likes cats",
    "Lives on floor 5. Has a cat",
    "I am 5. My brother is 7",
    "Mag Tee. Wohnt in Bonn",
    "Ist am Freitag da. Hat eine Katze",
    "Lives in Rome; likes cats",
    "Has a lawyer, Ms. Weber. Likes cats",
)


def why(summary: str) -> str:
    return against(Draft("x", summary, "user"), "", asked=False, cwd=None)


@pytest.mark.parametrize("summary", ONE)
def test_a_number_or_an_abbreviation_with_a_full_stop_ends_no_sentence(summary: str) -> None:
    assert why(summary) == ""


@pytest.mark.parametrize("summary", SEVERAL)
def test_two_sentences_are_two_claims(summary: str) -> None:
    assert "more than one claim" in why(summary)
