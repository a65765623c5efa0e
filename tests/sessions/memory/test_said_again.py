"""An answer asked for once more states nothing new: what the person mended by hand in between stays mended."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sessions.events import ToolCallFinished, TurnStarted
from tests.sessions.agent.scripted import NOW, calls, says
from tests.sessions.memory.talking import PERSON, Talk, forget, save, talk_in

SAID = "I live in Osaka, what's the weather?"
QUOTE = "I live in Osaka"
OSAKA = save("Lives in Osaka", QUOTE, name="home")
MENDS: dict[str, tuple[Callable[[Any], object], list[str], str]] = {
    "edited": (lambda facts: facts.edit(1, by=PERSON, summary="Lives in Kyoto"), ["Lives in Kyoto"], "changed"),
    "forgotten": (lambda facts: facts.forget(1, by=PERSON), [], "forgotten"),
    "undone": (lambda facts: facts.undo(by=PERSON, ref=1), [], "undone"),
    "switched off": (lambda facts: facts.edit(1, by=PERSON, status="off"), [], "switched off"),
}
WORDINGS = (
    OSAKA,
    save("Lives in Osaka", QUOTE, "user", name="elsewhere"),
    save("Lives in Osaka", SAID, name="home"),
    save("Is living in Osaka", QUOTE, name="other"),
    save("Lives in Osaka", QUOTE, name="more", distinct=True),
)


OTHERWISE = (
    "Ok so I live in Osaka and what's the weather?",
    "I live in Osaka - what's the weather?",
    "What's the weather, and I live in Osaka",
)
"""The message with other words around what was said."""


class Clock:
    def __init__(self, talk: Talk) -> None:
        self.talk, self.now = talk, NOW

    def later(self) -> None:
        self.now += timedelta(minutes=1)
        self.talk.home.at(self.now)


async def again(talk: Talk, *wanted: Any, edit: str = "") -> list[str]:
    """The results of the calls of the turn in which the newest message is answered once more."""
    talk.model.steps = [*([calls(call)] for call in wanted), says("Ok.")]
    before = len(talk.heard.of(ToolCallFinished))
    if edit:
        await talk.hub.edit(talk.session, talk.heard.of(TurnStarted)[-1].message, edit)
    else:
        await talk.hub.retry(talk.session)
    talk.turns += 1
    await talk.heard.over(talk.session, talk.turns)
    return [e.content for e in talk.heard.of(ToolCallFinished)[before:]]


@pytest.mark.parametrize("mend", MENDS)
async def test_what_the_person_mended_by_hand_outlasts_every_answer_to_the_same_words(
    tmp_path: Path, mend: str
) -> None:
    by_hand, stays, why = MENDS[mend]
    async with talk_in(tmp_path) as talk:
        clock = Clock(talk)
        await talk.say(SAID, OSAKA)
        clock.later()
        by_hand(talk.facts)
        for edit in ("", "", SAID, "I live in Osaka, what's the weather tomorrow?", ""):
            clock.later()
            told = await again(talk, *WORDINGS, edit=edit)
            assert all(text.startswith("Not saved: #1 ") and why in text for text in told), told
            assert (talk.active(), talk.waiting()) == (stays, [])
        clock.later()
        await talk.say("I live in Osaka, I said", save("Lives in Osaka", "I live in Osaka, I said", name="home"))
        assert talk.active() == ["Lives in Osaka"], "said anew, it is the person's newest word"


@pytest.mark.parametrize("edit", OTHERWISE)
async def test_it_outlasts_other_words_around_what_was_said(tmp_path: Path, edit: str) -> None:
    async with talk_in(tmp_path) as talk:
        clock = Clock(talk)
        await talk.say(SAID, OSAKA)
        clock.later()
        talk.facts.edit(1, by=PERSON, summary="Lives in Kyoto")
        clock.later()
        (told,) = await again(talk, OSAKA, edit=edit)
        assert "changed by the person after these words" in told and talk.active() == ["Lives in Kyoto"]


async def test_it_does_so_in_a_fork_and_in_the_session_opened_again(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        clock = Clock(talk)
        await talk.say(SAID, OSAKA)
        clock.later()
        talk.facts.edit(1, by=PERSON, summary="Lives in Kyoto")
        clock.later()
        await again(talk)
        session = talk.session
        talk.session, talk.turns = await talk.hub.fork(session), 0
        await talk.hub.open(talk.session)
        clock.later()
        assert "changed by the person" in (await again(talk, OSAKA))[0]
    async with talk_in(tmp_path) as talk:
        clock = Clock(talk)
        clock.later(), clock.later(), clock.later(), clock.later()
        talk.session = session
        await talk.hub.open(session)
        assert "changed by the person" in (await again(talk, OSAKA))[0]
        assert talk.active() == ["Lives in Kyoto"]


async def test_what_was_taken_back_and_is_sent_once_more_is_no_new_statement(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        clock = Clock(talk)
        await talk.say(SAID, OSAKA)
        clock.later()
        talk.facts.forget(1, by=PERSON)
        await talk.hub.rewind(talk.session)
        clock.later()
        told = await talk.say(SAID, OSAKA)
        assert told == [
            "Not saved: #1 home was forgotten by the person. Only what they say from then on brings it back"
        ]


async def test_words_that_were_changed_are_new_and_what_the_model_saved_it_may_say_better(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        clock = Clock(talk)
        await talk.say(SAID, OSAKA)
        clock.later()
        told = await again(talk, OSAKA)
        assert told[0].startswith("Already known")
        clock.later()
        talk.facts.edit(1, by=PERSON, summary="Lives in Kyoto")
        clock.later()
        nara = save("Lives in Nara", "I live in Nara", name="home")
        await again(talk, nara, edit="I live in Nara, what's the weather?")
        assert talk.active() == ["Lives in Nara"]


async def test_what_the_person_brought_back_is_not_forgotten_by_the_same_words(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        clock = Clock(talk)
        await talk.say(SAID, OSAKA)
        clock.later()
        gone = forget("home", "Forget that I live in Osaka")
        await talk.say("Forget that I live in Osaka", gone)
        assert talk.active() == []
        clock.later()
        talk.facts.undo(by=PERSON, ref=1)
        clock.later()
        told = await again(talk, gone)
        assert told[0].startswith("Waits for the user's review") and "changed after these words" in told[0]
        assert talk.active() == ["Lives in Osaka"]
