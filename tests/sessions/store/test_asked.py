from __future__ import annotations

from collections.abc import Sequence

import pytest

from sessions.store import signals as s
from sessions.store.asked import ask
from sessions.store.words import near_spellings


class Known:
    """A small vocabulary."""

    def __init__(self, *terms: str, speakers: dict[str, int] | None = None) -> None:
        self._terms = terms
        self.speakers = speakers or {}

    def count(self, term: str) -> int:
        return self._terms.count(term)

    def starting(self, prefix: str, most: int) -> list[str]:
        return [t for t in self._terms if t.startswith(prefix)][:most]

    def containing(self, part: str, ends: Sequence[str], most: int) -> list[str]:
        found = [t for t in self._terms if part in t and len(t) >= len(part) + 3]
        return [*found, *(t for e in ends for t in self._terms if t.endswith(e) and len(t) >= len(e) + 3)][:most]

    def alike(self, word: str, most: int) -> list[str]:
        return [t for t in self._terms if t in near_spellings(word)][:most]


KNOWN = Known("roadmap", "road", "meet", "mietvertrag", "budget", "会議")


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("roadm", [("roadm", "roadmap")]),
        ("meetin", [("meetin", "meet")]),
        ("vertrag budget", [("mietvertrag",), ("budget",)]),
        ("budegt meet", [("budget",), ("meet",)]),
        ("What about the road?", [("road",)]),
        ("会議", [("会議",)]),
        ("the what", [("the",), ("what",)]),
        ("xyzzy plugh?", [("xyzzi",), ("plugh",)]),
    ],
)
def test_words_are_looked_for_in_the_forms_that_there_are(query, terms):
    assert ask(query, KNOWN).terms == terms


@pytest.mark.parametrize(
    ("query", "cues"),
    [
        ("When did we meet?", {"when", "question"}),
        ("what month was the road closed", {"when", "question"}),
        ("In which city is the meeting?", {"where", "question"}),
        ("Who is the owner?", {"name", "question"}),
        ("roadmap budget", set()),
    ],
)
def test_the_kind_of_answer_is_told_from_the_question(query, cues):
    asked = ask(query, KNOWN)
    assert {c for c in ("when", "where", "name", "question") if getattr(asked, c)} == cues


@pytest.mark.parametrize(
    ("query", "month", "day"),
    [
        ("What was on 3 March 2026?", "2026-03", "2026-03-03"),
        ("the talk of May 14th", "-05", "-05-14"),
        ("in April", "-04", ""),
        ("roadmap", "", ""),
        ("may I?", "", ""),
        ("last march", "-03", ""),
        ("on the 5th of May, 2026", "2026-05", "2026-05-05"),
    ],
)
def test_a_date_is_the_end_of_an_iso_date(query, month, day):
    asked = ask(query, KNOWN)
    assert (asked.month, asked.day) == (month, day)


def test_one_named_speaker_is_a_signal_and_no_word_and_two_are_neither():
    known = Known("road", speakers={"zoë lang": 16, "ben": 17})
    known.speakers = {"zoe lang": 16, "ben": 17}
    one = ask("What did Zoë's road look like?", known)
    assert (one.speakers, one.terms[:1], one.named) == (frozenset({16}), [("road",)], True)
    assert ask("Did Zoe and Ben meet on the road?", known).speakers == frozenset()
    assert ask("zoe", known).terms == [("zoe",)]


def test_roles_stand_for_speakers_when_nobody_is_named():
    mine, yours = ask("What did I say about the road?", KNOWN), ask("What road have you suggested to me?", KNOWN)
    assert (mine.speakers, yours.speakers) == ({s.USER}, {s.ASSISTANT})
    assert mine.speaker_weight == yours.speaker_weight == 0.5 and not mine.named


def test_the_shape_of_a_document_tells_what_it_says():
    packed = s.shape('Did I read "Dune" with Ana in Rome last week, for two hours?', 12, s.USER, off=True)
    assert packed & s.LENGTH == 12
    assert packed & s.ASKS and packed & s.QUOTED and packed & s.OFF and packed & s.THERE
    assert [packed >> n & 3 for n in (s.FIRST_PERSON, s.TIMES, s.CAPITALS)] == [1, 2, 2]
    assert packed >> s.SPEAKER == s.USER
    plain = s.shape("all is well", 3, 300)
    assert plain == s.THERE | 3 | 300 << s.SPEAKER


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [("budget", "budegt", True), ("budget", "budgt", True), ("budget", "budgets", True), ("budget", "bidget", True),
     ("budget", "gadget", False), ("road", "raod", True), ("road", "dora", False)],
)  # fmt: skip
def test_words_one_letter_apart(one, other, near):
    assert (other in near_spellings(one)) is near
