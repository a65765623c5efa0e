from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from sessions.errors import FactError
from sessions.memory.fact import By, Draft
from sessions.memory.guard import Guard, Wish, rank
from sessions.typed import Typed
from tests.sessions.agent.scripted import NOW
from tests.sessions.memory.talking import PERSON, forget, known, save, talk_in

WAYS = (
    ("Green tea is what I like", "Likes green tea"),
    ("I like green tea", "Likes green tea"),
    ("I like green tea", "The user likes green tea."),
    ("I do like green tea a lot", "likes green teas"),
    ("I like green tea very much", "Likes green tea very much"),
    ("I really like green tea", "User really likes green tea"),
    ("as I said I like green tea", "Always likes green tea"),
    ("you know I like green tea", "Generally likes green tea"),
    ("still, I like green tea", "Still likes green tea"),
    ("I like tea, the green one", "Likes tea (green)"),
)


async def test_one_statement_told_twenty_times_leaves_one_fact(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        for n in range(20):
            said, summary = WAYS[n % len(WAYS)]
            await talk.say(said, save(summary, said, name=f"tea-{n}"))
        assert talk.active() == ["Likes green tea"] and talk.waiting() == []
        assert [e.op for e in talk.written()] == ["created"] + ["confirmed"] * 19


async def test_one_statement_in_other_words_is_offered_by_its_number_and_leaves_one_fact(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        await talk.say("I like green tea", save("Likes green tea", "I like green tea"))
        said = "I like strong green tea best"
        told = await talk.say(
            said, save("Likes strong green tea", said), save("Likes strong green tea", said, replaces=1)
        )
        assert told[0] == (
            "Not saved: it is close to #1 likes-green-tea: Likes green tea. Save it again with replaces=1 if it "
            "changes that fact, or with distinct=true if it is another matter"
        )
        assert talk.active() == ["Likes strong green tea"]


async def test_a_correction_keeps_the_old_text_in_the_history_and_undo_brings_it_back(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        await talk.say("I live in Tokyo", save("Lives in Tokyo", "I live in Tokyo", name="home"))
        await talk.say("I moved to Osaka", save("Lives in Osaka", "I moved to Osaka", name="home"))
        assert talk.active() == ["Lives in Osaka"]
        history = talk.facts.history(1)
        assert [(e.action, e.before and e.before.summary) for e in history] == [
            ("created", None),
            ("updated", "Lives in Tokyo"),
        ]
        assert [e.by.quote for e in history] == ["I live in Tokyo", "I moved to Osaka"]
        talk.facts.undo(by=PERSON, ref=1)
        assert talk.active() == ["Lives in Tokyo"]


async def test_a_hand_edited_fact_follows_the_persons_later_words_and_a_locked_one_does_not(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        known(talk.facts, "home", "Lives in Tokyo")
        talk.facts.edit(1, by=PERSON, summary="Lives in Kyoto")
        talk.home.at(NOW + timedelta(minutes=1))
        await talk.say("I moved to Osaka", save("Lives in Osaka", "I moved to Osaka", name="home"))
        assert talk.active() == ["Lives in Osaka"]
        talk.facts.edit(1, by=PERSON, locked=True)
        talk.home.at(NOW + timedelta(minutes=2))
        moved = save("Lives in Nara", "I moved to Nara", name="home")
        replaced = save("Lives in Nara", "I moved to Nara", replaces=1)
        gone = forget(1, "forget that I live in Osaka")
        told = await talk.say("I moved to Nara, forget that I live in Osaka", moved, replaced, gone)
        assert all("#1 home is locked. Only the person changes it, by hand" in text for text in told)
        assert talk.active() == ["Lives in Osaka"] and talk.waiting() == []


async def test_words_older_than_the_persons_own_edit_do_not_win_over_it(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        known(talk.facts, "home", "Lives in Tokyo")
        await talk.say("I moved to Osaka")
        talk.home.at(NOW + timedelta(minutes=1))
        talk.facts.edit(1, by=PERSON, summary="Lives in Kyoto")
        (told,) = await talk.say("Go on please", save("Lives in Osaka", "I moved to Osaka", name="home"))
        assert told == "Waits for the user's review as #2: the fact was changed after these words."
        assert talk.active() == ["Lives in Kyoto"]


async def test_what_the_person_forgot_comes_back_by_their_later_words_only_and_with_its_history(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        call = save("Lives in Tokyo", "I live in Tokyo")
        await talk.say("I live in Tokyo", call)
        talk.home.at(NOW + timedelta(minutes=1))
        talk.facts.forget(1, by=PERSON)
        assert "was forgotten by the person" in (await talk.say("Go on", call))[0]
        guard = Guard(talk.facts)
        for origin in ("distilled", "import", "mcp"):
            for draft in (
                Draft("lives-in-tokyo", "Lives in Tokyo", "preference"),
                Draft("x", "The user lives in Tokyo", "user"),
            ):
                with pytest.raises(FactError, match="#1 lives-in-tokyo was forgotten by the person"):
                    guard.save(draft, Wish(By(origin), at_once="always"))  # type: ignore[arg-type]
        assert (talk.active(), talk.waiting()) == ([], [])
        talk.home.at(NOW + timedelta(minutes=2))
        (told,) = await talk.say("I live in Tokyo", save("Lives in Tokyo", "I live in Tokyo", name="home"))
        assert told == "Saved #1 lives-in-tokyo: Lives in Tokyo (it had been forgotten and is known again)"
        assert [e.action for e in talk.facts.history(1)] == ["created", "forgotten", "restored"]


async def test_what_ranks_lower_waits_and_what_ranks_the_same_is_changed(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        guard, always = Guard(talk.facts), Wish(By("mcp", client="other"), at_once="always")
        mine = guard.save(Draft("city", "Lives in Rome", "user"), always)
        assert mine.change is not None and rank(mine.change.fact) == 1
        assert guard.save(Draft("city", "Lives in Bern", "user"), always).change is not None
        wish = Wish(By("import", client="notes"), at_once="never", why="imported")
        waits = guard.save(Draft("pet", "Has a cat", "user"), wish).proposal
        assert waits is not None
        accepted = talk.facts.review.accept(waits.number).fact
        assert rank(accepted) == 2 and accepted.source.origin == "import" and accepted.source.accepted
        over = guard.save(Draft("pet", "Has a dog", "user"), always)
        assert over.proposal is not None and "that wins" in over.why
        said = [Typed("m1", "2026-11-29T17:14:00.000Z", ("I have a dog, no cat",))]
        own = guard.save(Draft("pet", "Has a dog", "user"), Wish(By("model", quote="I have a dog"), said, "m1"))
        assert own.change is not None and rank(own.change.fact) == 3
