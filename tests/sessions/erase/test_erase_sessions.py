from __future__ import annotations

import asyncio
from contextlib import closing

import pytest

from sessions.erase import erase, of_message, of_session, of_text, survey
from sessions.errors import LockedError, StoreError, UsageError
from sessions.events import SessionChanged
from sessions.hub import SessionHub
from sessions.memory.secrets import find_secrets, secret_value
from sessions.messages import ToolMessage, UserMessage
from sessions.store.log import LogWriter, read_log
from sessions.store.sidefiles import full_content
from sessions.store.trash import delete
from tests.sessions.erase.told_home import holding, home_at, talk
from tests.waiting import until

CANARY = "mongoose-4711"


def said(home, session):
    return [r.content for r in read_log(home.paths.session_log(session)).records if isinstance(r, UserMessage)]


def messages(home, session):
    return [r.id for r in read_log(home.paths.session_log(session)).records if isinstance(r, UserMessage)]


@pytest.fixture
def home(tmp_path):
    return home_at(tmp_path / "home")


def test_a_session_goes_with_its_files_its_index_its_prompts_and_its_copies(home):
    session = asyncio.run(talk(home, f"What do you think of {CANARY} in the garden?", "And now?"))
    with closing(LogWriter.open(home.paths, session)) as log:
        big = ToolMessage("big", "2026-11-29T17:14:08.000Z", 9, "call-1", "read", f"{CANARY} " * 9000)
        log.append(big)
    other = asyncio.run(talk(home, "Is it raining in the garden?"))
    fork = home.sessions.fork(session)
    home.index.catch_up()
    home.catalog.list()
    assert len(holding(home.paths.root, CANARY)) > 4
    result = erase(home, survey(home, of_session(home, session)))
    assert holding(home.paths.root, CANARY) == []
    named = [name for name in holding(home.paths.root, session) if not name.startswith("local/")]
    assert named == [f"sessions/{fork}.jsonl", f"sessions/{fork}.meta.json"], "a fork says from which it was made"
    assert result.traces == 0
    assert {m.id for m in home.catalog.list()} == {other, fork}
    assert said(home, other) == ["Is it raining in the garden?"]


def test_facts_learned_in_an_erased_session_stay_without_its_words_unless_they_are_to_go_too(home):
    session = asyncio.run(talk(home, "Remember that my codeword is xylocarp-quokka."))
    assert home.facts.get(1).source.quote
    result = erase(home, survey(home, of_session(home, session)))
    fact = home.facts.get(1)
    assert (fact.source.quote, fact.summary) == ("", "Their codeword is xylocarp-quokka")
    assert home.facts.reconcile() == []
    assert result.traces == 0, "the words of the session are gone; the fact says its own"
    again = asyncio.run(talk(home, "Remember that my locker is wombat-blue."))
    result = erase(home, survey(home, of_session(home, again, facts=True)))
    assert [f.number for f in home.facts.snapshot().facts] == [1]
    assert holding(home.paths.root, "wombat") == []


def test_one_message_goes_and_the_others_of_its_session_stay(home):
    session = asyncio.run(talk(home, "Is it raining?", f"The gate opens with {CANARY} at night", "And now?"))
    fork = home.sessions.fork(session)
    home.index.catch_up()
    message = messages(home, session)[1]
    result = erase(home, survey(home, of_message(home, session, message)))
    assert result.traces == 0
    assert said(home, session) == said(home, fork) == ["Is it raining?", "And now?"]
    assert holding(home.paths.root, "The gate opens") == []
    with pytest.raises(StoreError, match="no message nothing"):
        of_message(home, session, "nothing")


@pytest.mark.parametrize(
    "text",
    [
        "My password is hunter2-and-more, keep it",
        "the key is sk-proj-abcdefghijklmnop1234567890 ok?",
        "card 4111 1111 1111 1111 please",
    ],
)
def test_a_secret_is_erased_wherever_it_stands(home, text):
    (secret,) = find_secrets(text)
    value = secret_value(text, secret)
    session = asyncio.run(talk(home, "Is it raining?", text, f"again: {value}"))
    home.index.catch_up()
    assert holding(home.paths.root, value)
    result = erase(home, survey(home, of_text(value, "the secret")))
    assert holding(home.paths.root, value) == []
    assert result.traces == 0
    assert said(home, session) == ["Is it raining?"]


def test_a_result_kept_beside_the_log_goes_although_its_line_does_not_show_the_words(home):
    session = asyncio.run(talk(home, "Read it"))
    with closing(LogWriter.open(home.paths, session)) as log:
        text = "dull words " * 8000 + CANARY
        kept = log.append(ToolMessage("big", "2026-11-29T17:14:08.000Z", 9, "call-1", "read", text))
    assert CANARY not in kept.content
    result = erase(home, survey(home, of_text(CANARY, "a word")))
    assert holding(home.paths.root, CANARY) == []
    assert result.traces == 0
    assert full_content(home.paths, session, kept).startswith("dull words")


def test_a_session_in_the_trash_is_erased_too_and_a_held_one_is_not(home):
    session = asyncio.run(talk(home, f"What of {CANARY} in the garden?"))
    delete(home.paths, session)
    erase(home, survey(home, of_session(home, session)))
    assert holding(home.paths.root, CANARY) == []
    session = asyncio.run(talk(home, f"What of {CANARY} in the garden?"))
    with closing(LogWriter.open(home.paths, session)), pytest.raises(LockedError, match="open in another window"):
        erase(home, survey(home, of_session(home, session)))
    assert home.paths.session_log(session).exists()


async def test_lines_of_a_session_that_is_open_here_are_erased_and_its_next_answer_does_not_see_them(home):
    async with SessionHub(home) as hub:
        session = await talk(home, "Is it raining?", f"The gate opens with {CANARY} now", hub=hub)
        found = await hub.keeping.survey(lambda h: of_text(CANARY, "a word"))
        async with hub.subscribe(session) as events:
            result = await hub.keeping.erase(found)
            assert result.traces == 0
            async for event in events:
                if isinstance(event, SessionChanged) and event.what.get("erased"):
                    break
        assert CANARY not in str(await hub.context(session, "And now?"))
        assert CANARY not in str((await hub.state(session)).events)
        await talk(home, "And now?", hub=hub, session=session)
    assert said(home, session) == ["Is it raining?", "And now?"]
    assert holding(home.paths.root, CANARY) == []


async def test_while_a_turn_runs_nothing_is_erased(home):
    from tests.sessions.agent.scripted import Scripted
    from tests.sessions.hub_home import ScriptedHome

    model = Scripted()
    gate = asyncio.Event()

    async def stream(request):
        await gate.wait()
        for piece in ():
            yield piece

    model.stream = stream
    home = ScriptedHome(home.paths.root, model)
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root.parent)
        await hub.send(state.id, f"The gate opens with {CANARY} now")
        await until(lambda: holding(home.paths.root, CANARY), "the message is kept")
        found = await hub.keeping.survey(lambda h: of_text(CANARY, "a word"))
        with pytest.raises(UsageError, match="A turn is running"):
            await hub.keeping.erase(found)
        assert holding(home.paths.root, CANARY)
        await hub.keeping.still(state.id)
        await hub.keeping.erase(await hub.keeping.survey(lambda h: of_text(CANARY, "a word")))
        assert holding(home.paths.root, CANARY) == []
        gate.set()


async def test_who_follows_the_session_in_another_program_sees_it_erased_and_what_is_said_after_it(home):
    other = home_at(home.paths.root)
    async with SessionHub(home) as hub, SessionHub(other) as watching:
        session = await talk(home, "Is it raining?", f"The gate opens with {CANARY} and a very long sentence", hub=hub)
        state = await watching.open(session)
        assert not state.writable
        heard = []

        async def listen():
            async with watching.subscribe(session) as events:
                async for event in events:
                    heard.append(event)

        task = asyncio.ensure_future(listen())
        # Its first look at the file comes before the erasing: what is said here is heard there.
        await talk(home, "First look", hub=hub, session=session)
        await until(lambda: any(getattr(e, "text", "") == "First look" for e in heard), "the follower looks")
        await hub.keeping.erase(await hub.keeping.survey(lambda h: of_text(CANARY, "a word")))
        await until(lambda: any(isinstance(e, SessionChanged) and e.what.get("erased") for e in heard), "told")
        assert CANARY not in str((await watching.state(session)).events)
        await talk(home, "And now?", hub=hub, session=session)
        await until(lambda: any(getattr(e, "text", "") == "And now?" for e in heard), "what is said after it")
        task.cancel()
