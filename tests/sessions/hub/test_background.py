from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from sessions.agent.replay import replay
from sessions.agent.trace import Trace
from sessions.errors import ProviderError
from sessions.events import DistillFinished, FactWritten
from sessions.messages import Marker, Usage
from sessions.providers.base import Finished, TextPiece
from sessions.store.log import read_log
from tests.sessions.agent.scripted import says, tool
from tests.sessions.memory.homes import store_of
from tests.sessions.memory.talking import PERSON, forget, known, save
from tests.sessions.resting import FERRY, FOUND, Quiet, answers, claim, quiet_in
from tests.waiting import until


async def test_what_is_found_in_a_conversation_at_rest_waits_with_its_words_and_its_message(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say()
        quiet.model.steps = []
        done = await quiet.rest(FOUND)
        assert (done.turn, done.facts, done.stop) == (1, ("takes-the-ferry-to-work",), "")
        (proposal,) = quiet.facts.proposals()
        source = proposal.fact.source
        (message,) = [r.id for r in quiet.hub._get(quiet.session).records if getattr(r, "content", "") == FERRY]
        assert (proposal.proposes, source.origin, source.session) == ("new", "distilled", quiet.session)
        assert (source.message, source.quote) == (message, "I take the ferry to work")
        assert quiet.active() == []
        await until(quiet.marks, "the mark is written")
        assert quiet.marks() == [
            {"turn": 1, "facts": [proposal.fact.name], "numbers": [1], "summaries": ["Takes the ferry to work"]}
        ]
        assert quiet.facts.review.groups()[0].title == "Learned from chats"


async def test_nothing_is_asked_before_it_rests_and_a_conversation_is_read_once(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say()
        assert [r.purpose for r in quiet.model.requests] == ["chat"]
        await quiet.rest()
        assert [r.purpose for r in quiet.model.requests] == ["chat", "distill"]
        await quiet.say("What is a ferry?")
        await quiet.rest_in_vain()
        await quiet.say("My desk is by the window.")
        await quiet.rest()
        assert "desk" in quiet.asked().split("</typed>")[-2] and quiet.asked().count("ferry to work") == 1


async def test_by_itself_what_the_words_carry_is_kept_and_all_else_waits(tmp_path: Path) -> None:
    async with quiet_in(tmp_path, "auto") as quiet:
        await quiet.say()
        done = await quiet.rest(FOUND, claim("Hates the sea", "what a view"), claim("Sails boats", "I sail my boats"))
        assert quiet.active() == ["Takes the ferry to work"]
        assert quiet.waiting() == ["Hates the sea", "Sails boats"]
        (written,) = quiet.heard.of(FactWritten)
        assert (written.names, written.turn, written.op) == (("takes-the-ferry-to-work",), 1, "created")
        assert done.facts[0] == "takes-the-ferry-to-work"
        await quiet.say("Hello")
        assert "Facts changed since the list was made: #1" in quiet.model.requests[-1].environment


async def test_off_learns_nothing(tmp_path: Path) -> None:
    async with quiet_in(tmp_path, "off") as quiet:
        await quiet.say()
        await quiet.rest_in_vain()
        assert quiet.marks() == []


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("What's the weather in Oslo?", None),
        ("If I were you, what would I do?", None),
        ("I live in Tokyo", save("Lives in Tokyo", "I live in Tokyo")),
        ("I read that page", save("Reads a page", "something else said")),
        ("Please forget that I like tea", forget(1, "Please forget that I like tea")),
    ],
)
async def test_turns_that_say_nothing_of_the_person_or_wrote_already_are_not_read(
    tmp_path: Path, text: str, call: tuple[str, dict[str, object]] | None
) -> None:
    async with quiet_in(tmp_path) as quiet:
        known(quiet.facts, "tea", "Likes tea")
        await quiet.say(text, *([call] if call else []))
        await quiet.rest_in_vain()


async def test_only_typed_words_are_given_to_the_model(tmp_path: Path) -> None:
    page = tool("read_page", lambda *_: "I am a page with canaries")
    async with quiet_in(tmp_path, "review", page) as quiet:
        known(quiet.facts, "budgies", "Keeps budgies", "user")
        await quiet.say("I read this page:\n> we have parrots\n```\nmy finches\n```\nand my wrens", ("read_page", {}))
        await quiet.say("And my robins: I paste owls", typed=((0, 13),))
        await quiet.rest()
        for word in ("canaries", "budgies", "parrots", "finches", "owls", "Ok."):
            assert word not in quiet.asked(), word
        assert "my wrens" in quiet.asked() and "my robins" in quiet.asked()


async def test_words_said_while_memory_was_off_or_only_read_are_never_read(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        for mode in ("off", "read-only"):
            await quiet.hub.set_memory(quiet.session, mode)
            await quiet.say("I keep canaries at home")
            await quiet.rest_in_vain()
        await quiet.hub.set_memory(quiet.session, "on")
        await quiet.say()
        await quiet.rest(claim("Keeps canaries", "I keep canaries at home"))
        assert "canaries" not in quiet.asked()
        assert all("typed by" in p.why for p in quiet.facts.proposals())


async def test_a_private_session_does_nothing_in_the_background(tmp_path: Path) -> None:
    async with quiet_in(tmp_path, private=True) as quiet:
        await quiet.say()
        await quiet.rest_in_vain()
        assert quiet.facts.proposals() == []


async def test_what_was_taken_back_is_not_read(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say("I keep canaries at home")
        await quiet.hub.rewind(quiet.session)
        await quiet.rest_in_vain()
        await quiet.say()
        await quiet.rest()
        assert "canaries" not in quiet.asked()


async def test_a_stopped_turn_is_not_read(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        hold = asyncio.Event()
        quiet.model.steps = [[TextPiece("Well"), hold]]
        await quiet.hub.send(quiet.session, FERRY)
        await until(lambda: quiet.model.streaming, "the model answers")
        quiet.hub.cancel(quiet.session)
        await quiet.heard.over(quiet.session)
        await until(lambda: quiet.rests.waiting, "it is quiet")
        await quiet.rest_in_vain()


async def test_a_new_message_ends_it_and_it_is_read_at_the_next_rest(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say()
        hold = asyncio.Event()
        quiet.model.steps = [[TextPiece("["), hold]]
        quiet.rests.over()
        await until(lambda: quiet.model.streaming, "the model looks")
        at_work: list[int] = []
        quiet.model.steps = [[lambda: at_work.append(quiet.model.streaming), *says("Ok.")]]
        await quiet.hub.send(quiet.session, "What is a ferry?")
        await quiet.heard.over(quiet.session, 2)
        quiet.turns = 2
        assert at_work == [1], "the person's message has the model to itself"
        assert [e.stop for e in quiet.finished()] == ["cancelled"]
        assert quiet.marks() == [] and quiet.facts.proposals() == []
        assert (await quiet.rest(FOUND)).turn == 1
        assert quiet.waiting() == ["Takes the ferry to work"]


async def test_what_is_being_written_when_a_message_comes_is_written_whole_and_before_it(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say()
        elsewhere, held, free = store_of(quiet.home.paths.root), threading.Event(), threading.Event()

        def hold() -> None:
            with elsewhere.locked():
                held.set()
                free.wait(20)

        holding = asyncio.create_task(asyncio.to_thread(hold))
        await until(held.is_set, "another program writes")
        quiet.model.steps = [answers(FOUND), says("Ok.")]
        quiet.rests.over()
        await until(lambda: len(quiet.model.requests) == 2 and not quiet.model.streaming, "the model answered")
        await until(lambda: len(quiet.model.steps) == 1, "what it found is being written")
        await quiet.hub.send(quiet.session, "What is a ferry?")
        free.set()
        await holding
        await quiet.heard.over(quiet.session, 2)
        assert quiet.waiting() == ["Takes the ferry to work"]
        lines = read_log(quiet.home.paths.session_log(quiet.session)).records
        kinds = [r.kind if isinstance(r, Marker) else "message" for r in lines]
        assert kinds == ["session", "message", "message", "turn_end", "distilled", "message", "message", "turn_end"]
        assert [e.stop for e in quiet.finished()] == [""]


async def test_memory_that_is_switched_off_meanwhile_keeps_nothing(tmp_path: Path) -> None:
    async with quiet_in(tmp_path, "auto") as quiet:
        await quiet.say()
        hold = asyncio.Event()
        quiet.model.steps = [[hold, *answers(FOUND)]]
        quiet.rests.over()
        await until(lambda: quiet.model.streaming, "the model looks")
        await quiet.hub.set_memory(quiet.session, "off")
        hold.set()
        await until(quiet.finished, "it is over")
        assert quiet.finished()[0].stop == "cancelled"
        assert quiet.active() == quiet.waiting() == quiet.marks() == []


async def test_a_model_that_fails_is_asked_again_at_another_rest_and_nobody_is_bothered(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say()
        quiet.model.steps = [[ProviderError("No", "Never")]]
        quiet.rests.over()
        await until(lambda: quiet.finished(), "it failed")
        assert quiet.finished()[0].stop == "failed" and quiet.marks() == []
        await quiet.say("What is a ferry?")
        assert (await quiet.rest(FOUND)).facts == ("takes-the-ferry-to-work",)


@pytest.mark.parametrize(
    "answer", ["", "nothing", "[1, 2]", '{"summary": "x"}', "[[]]", '[{"summary": 1}]', "[" * 5000]
)
async def test_an_answer_that_makes_no_sense_finds_nothing(tmp_path: Path, answer: str) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say()
        quiet.model.steps = [says(answer)]
        quiet.rests.over()
        await until(lambda: quiet.marks(), "it was looked through")
        assert quiet.marks() == [{"turn": 1, "facts": []}]


async def test_it_pauses_while_twenty_wait_and_goes_on_when_the_person_has_looked(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say()
        quiet.model.steps = []
        from tests.sessions.memory.test_review import propose

        for n in range(20):
            propose(quiet.facts, f"bird-{n}", f"Keeps bird number {n}", "user")
        await quiet.rest_in_vain()
        quiet.facts.review.reject(quiet.facts.proposals()[0].number)
        await quiet.say("What is a ferry?")
        await quiet.rest(FOUND)
        assert "Takes the ferry to work" in quiet.waiting()


async def test_what_the_person_forgot_is_not_learned_again_and_what_they_rejected_not_proposed(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        number = known(quiet.facts, "ferry", "Takes the ferry to work", "user")
        quiet.facts.forget(number, by=PERSON)
        await quiet.say()
        await quiet.rest(FOUND, claim("Likes the view", "and what a view", "preference"))
        for proposal in quiet.facts.proposals():
            quiet.facts.review.reject(proposal.number)
        await quiet.say("I do like the view, and I take the ferry to work")
        await quiet.rest(FOUND, claim("Likes the view", "I do like the view", "preference"))
        assert quiet.waiting() == [] and quiet.active() == []


async def test_what_is_close_to_a_forgotten_fact_is_asked_first_and_a_new_value_is_not(tmp_path: Path) -> None:
    async with quiet_in(tmp_path, "auto") as quiet:
        for name, summary in (("ferry", "Takes the ferry to work"), ("home", "Lives in Tokyo")):
            quiet.facts.forget(known(quiet.facts, name, summary, "user"), by=PERSON)
        await quiet.say("I take the morning ferry to work. I live in Osaka. It is true, I live in Osaka.")
        await quiet.rest(
            claim("Takes the morning ferry to work", "I take the morning ferry to work"),
            claim("Lives in Osaka", "I live in Osaka"),
        )
        assert quiet.active() == ["Lives in Osaka"]
        assert quiet.waiting() == ["Takes the morning ferry to work"]


async def test_live_and_replay_grow_the_same_tree_with_what_it_cost(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say()
        quiet.model.steps = [[*answers(FOUND), Finished("stop", usage=Usage(300, 20))]]
        quiet.rests.over()
        await until(quiet.finished, "it was looked through")
        await quiet.say("I have a desk by the window")
        quiet.model.steps = [[*answers(), Finished("stop", usage=Usage(200, 2))]]
        quiet.rests.over()
        await until(lambda: len(quiet.finished()) == 2, "it was looked through")
        live = Trace([e for e in quiet.heard if e.session == quiet.session])
        told = Trace(replay(read_log(quiet.home.paths.session_log(quiet.session)).records, quiet.session))
        seen = [[(t.learning, t.learned, t.learning_usage) for t in trace.turns] for trace in (live, told)]
        assert seen[0] == seen[1]
        assert [(state, len(found), usage) for state, found, usage in seen[0]] == [
            ("done", 1, Usage(300, 20)),
            ("done", 0, Usage(200, 2)),
        ]
        assert live.usage == told.usage and told.usage.input == 500
        assert quiet.home.catalog.refresh(quiet.session).tokens == {"input": 500, "output": 22}


async def test_a_session_that_is_left_is_read_at_once_and_closed_ones_when_the_workbench_rests(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        await quiet.say()
        other = await quiet.hub.new(quiet.home.paths.root)
        quiet.model.steps = [answers(FOUND)]
        await quiet.hub.leave(quiet.session)
        await until(quiet.marks, "what was left was read")
        assert quiet.waiting() == ["Takes the ferry to work"]
        assert other.id != quiet.session


async def asked_elsewhere(quiet: Quiet, text: str) -> str:
    """A session that another program had, as `ask` has one: no rest in it."""
    from tests.sessions.hub_home import hub_of

    quiet.model.steps = [says("Ok.")]
    async with hub_of(quiet.home) as (hub, heard):
        state = await hub.new(quiet.home.paths.root)
        await hub.send(state.id, text)
        await heard.over(state.id)
        assert not hub.work.busy and not heard.of(DistillFinished)
    return state.id


async def test_what_ask_had_is_read_when_the_workbench_rests(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        session = await asked_elsewhere(quiet, FERRY)
        assert quiet.marks(session) == []
        await until(lambda: quiet.rests.waiting, "it is quiet")
        done = await quiet.rest(FOUND)
        assert done.session == session
        assert len(quiet.marks(session)) == 1 and quiet.waiting() == ["Takes the ferry to work"]


async def test_a_message_typed_days_ago_dates_its_tomorrow_from_then(tmp_path: Path) -> None:
    async with quiet_in(tmp_path) as quiet:
        session = await asked_elsewhere(quiet, "I owe Sarah the report by tomorrow")
        from datetime import timedelta

        quiet.home.at(quiet.home.clock.now() + timedelta(days=3))
        await until(lambda: quiet.rests.waiting, "it is quiet")
        await quiet.rest(
            claim("Owes Sarah the report by tomorrow", "I owe Sarah the report by tomorrow", "open-thread")
        )
        assert quiet.marks(session)
        assert quiet.waiting() == ["Owes Sarah the report by 2026-11-30"]
