from __future__ import annotations

from pathlib import Path

import pytest

from sessions.memory.fact import By, Draft, Fact
from sessions.memory.near import says_the_same
from tests.sessions.memory.talking import save, talk_in

OTHERWISE = (
    ("Use pnpm, not npm", "Use npm, not pnpm"),
    ("Prefers tea to coffee", "Prefers coffee to tea"),
    ("Prefers Vim over Emacs", "Prefers Emacs over Vim"),
    ("Sarah reports to Tom", "Tom reports to Sarah"),
    ("Deploy main before dev", "Deploy dev before main"),
    ("Drinks tea, not coffee", "Drinks coffee, not tea"),
    ("Answer in German, comments in English", "Answer in English, comments in German"),
    ("Tom hired Sarah", "Sarah hired Tom"),
    ("Trinkt Tee, keinen Kaffee", "Trinkt Kaffee, keinen Tee"),
    ("Likes green tea with honey", "Likes green tea"),
    ("Likes green tea", "Likes green tea with honey"),
    ("Has a daughter", "Has a son"),
    ("Has a wife", "Has a husband"),
)
THE_SAME = (
    ("Use pnpm, not npm", "Use pnpm and not npm"),
    ("Prefers tea to coffee", "The user prefers tea to coffee"),
    ("Landlord is Tom", "Tom is the landlord"),
    ("Speaks English, German and French", "Speaks French, English and German"),
    ("Plays tennis with Tom on Thursdays", "Plays tennis on Thursdays with Tom"),
    ("Sarah is married to Tom", "Tom is married to Sarah"),
    ("Sarah was hired by Tom", "Tom hired Sarah"),
    ("Works at Bosch as an engineer", "Works as an engineer at Bosch"),
)


def same(one: str, other: str) -> bool:
    return says_the_same(Draft("a", one, "feedback"), Fact("b", other, "feedback"))


@pytest.mark.parametrize(("one", "other"), OTHERWISE)
def test_the_same_words_on_other_sides_say_another_thing(one: str, other: str) -> None:
    assert not same(one, other)
    assert not same(other, one)


@pytest.mark.parametrize(("one", "other"), THE_SAME)
def test_the_same_in_another_order_is_the_same(one: str, other: str) -> None:
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("before", "said", "after", "kind"),
    [
        ("Use pnpm, not npm", "I changed my mind: use npm, not pnpm", "Use npm, not pnpm", "feedback"),
        ("Prefers tea to coffee", "I prefer coffee to tea now", "Prefers coffee to tea", "preference"),
        ("Sarah reports to Tom", "Sorry, Tom reports to Sarah", "Tom reports to Sarah", "contact"),
    ],
)
async def test_who_says_the_contrary_is_not_told_that_it_is_known(
    tmp_path: Path, before: str, said: str, after: str, kind: str
) -> None:
    async with talk_in(tmp_path) as talk:
        number = talk.facts.save(Draft("old", before, kind), by=By("user")).fact.number  # type: ignore[arg-type]
        (told,) = await talk.say(said, save(after, said, kind))
        assert f"close to #{number}" in told and f"replaces={number}" in told
        assert talk.active() == [before]
        (told,) = await talk.say(said, save(after, said, kind, replaces=str(number)))
        assert talk.active() == [after], told
