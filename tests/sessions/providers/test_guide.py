from __future__ import annotations

import subprocess
import sys
from datetime import date

import pytest

from sessions.agent import recaps
from sessions.agent.compaction import asked
from sessions.clock import FixedClock
from sessions.messages import AssistantMessage, UserMessage
from sessions.providers.base import Finished, Request, TextPiece
from sessions.providers.guide import documented_sentences, help_text, make
from sessions.settings import Profile
from tests.sessions.providers.guide_loop import NOW, OFF, READ_ONLY, WEATHER, Talk, due


async def test_living_in_tokyo_and_preferring_celsius_gives_two_preferences():
    talk = Talk()
    answer = await talk.say("I live in Tokyo, and I prefer Celsius.")
    assert answer == "Noted: you live in Tokyo and prefer Celsius."
    assert talk.names() == ["lives-in-tokyo", "prefers-celsius"]
    assert {f["kind"] for f in talk.facts.values()} == {"preference"}
    assert talk.facts["lives-in-tokyo"]["quote"] == "I live in Tokyo"
    assert talk.facts["lives-in-tokyo"]["summary"] == "Lives in Tokyo"


async def test_the_weather_question_recalls_first_then_asks_for_the_weather_and_answers_with_exactly_the_tools_text():
    talk = Talk()
    await talk.say("I live in Tokyo, and I prefer Celsius.")
    answer = await talk.say("What's the weather?")
    assert talk.steps() == [["recall_memory"], ["get_weather"]]
    assert talk.calls[1] == [("get_weather", {"location": "Tokyo", "units": "celsius"})]
    assert answer == WEATHER.format(city="Tokyo", unit="°C")


async def test_facts_that_only_a_recall_shows_are_used():
    talk = Talk(inject=False, contents=False)
    await talk.say("I live in Tokyo, and I prefer Fahrenheit.")
    await talk.say("What’s the weather?")
    assert talk.calls[1] == [("get_weather", {"location": "Tokyo", "units": "fahrenheit"})]


async def test_a_move_updates_the_same_fact_before_the_weather_is_asked_for():
    talk = Talk()
    await talk.say("I live in Tokyo, and I prefer Celsius.")
    number = talk.facts["lives-in-tokyo"]["number"]
    answer = await talk.say("I moved to Osaka, what's the weather?")
    assert talk.steps() == [["save_memory"], ["get_weather"]]
    assert talk.names() == ["lives-in-osaka", "prefers-celsius"]
    assert talk.facts["lives-in-osaka"]["number"] == number
    assert answer == "Noted: you live in Osaka.\n\n" + WEATHER.format(city="Osaka", unit="°C")


async def test_a_corrected_line_counts_more_than_the_name_it_came_with():
    talk = Talk()
    await talk.say("I live in Tokyo")
    talk.facts["lives-in-tokyo"] |= {"summary": "Lives in Nara", "body": "The user lives in Tokyo."}
    await talk.say("What's the weather?")
    assert talk.calls[1][0][1]["location"] == "Nara"


async def test_a_weather_error_is_passed_on_as_it_is():
    talk = Talk()
    talk.refuse["get_weather"] = "⚠️ no place named “Hakonne”"
    assert await talk.say("weather in Hakonne?") == "⚠️ no place named “Hakonne”"


async def test_without_a_known_place_the_guide_asks_for_one():
    talk = Talk()
    assert await talk.say("what's the weather") == "Where? Name a place, or tell me once: I live in Tokyo."
    assert talk.steps() == [["recall_memory"]]


@pytest.mark.parametrize(
    ("asked", "cities"),
    [
        ("Weather in Kyoto?", ["Kyoto"]),
        ("how warm is it in Paris, France right now?", ["Paris, France"]),
        ("What's the weather like in São Paulo tomorrow?", ["São Paulo"]),
        ("Do I need an umbrella in London today?", ["London"]),
        ("Will it rain in Portland, Oregon this weekend?", ["Portland, Oregon"]),
        ("compare the weather in Kyoto and Hakone", ["Kyoto", "Hakone"]),
        ("What’s the temperature in New York in Fahrenheit?", ["New York"]),
        ("Berlin weather", ["Berlin"]),
        ("Do I need an umbrella?", ["Tokyo"]),
        ("How cold is it?", ["Tokyo"]),
        ("is it raining", ["Tokyo"]),
        ("what is the weather today", ["Tokyo"]),
        ("What's the weather here?", ["Tokyo"]),
        ("WHAT IS THE WEATHER LIKE", ["Tokyo"]),
    ],
)
async def test_the_place_of_a_weather_question_is_found(asked: str, cities: list[str]):
    talk = Talk()
    await talk.say("I live in Tokyo")
    await talk.say(asked)
    assert [given["location"] for name, given in talk.calls[-1] if name == "get_weather"] == cities


async def test_a_person_becomes_a_contact_and_later_words_join_the_same_fact():
    talk = Talk()
    answer = await talk.say("Sarah Chen is my engineering manager, she owns the Q3 roadmap.")
    assert answer == "Noted: Sarah Chen is your engineering manager and owns the Q3 roadmap."
    assert talk.facts["sarah-chen"]["kind"] == "contact"
    await talk.say("Sarah prefers email.")
    assert talk.names() == ["sarah-chen"]
    known = await talk.say("What do you know about Sarah?")
    assert "engineering manager" in known and "prefers email" in known


async def test_what_is_known_is_said_once_with_its_date_in_words():
    talk = Talk()
    await talk.say("Sarah Chen is my engineering manager, she owns the Q3 roadmap.")
    await talk.say("I'm waiting on Sarah about the Q3 staffing decision by Friday.")
    known = await talk.say("What do you know about Sarah?")
    assert known.count("staffing decision") == 1
    assert "Waiting on Sarah about the Q3 staffing decision, due Friday" in known
    assert "Due 20" not in known


async def test_waiting_on_someone_opens_a_thread_due_on_the_next_friday_after_today():
    talk = Talk()
    said = "I'm waiting on Sarah about the Q3 staffing decision — she needs my answer by Friday."
    answer = await talk.say(said)
    [thread] = talk.facts.values()
    assert (thread["kind"], due(thread), thread["quote"]) == ("open-thread", date(2026, 12, 4), said)
    assert thread["name"] == "q3-staffing-decision"
    assert answer.endswith("due Friday 4 December.")
    assert await talk.say("What am I waiting on?") == (
        "- Waiting on Sarah about the Q3 staffing decision, due Friday 4 December · #1"
    )


async def test_what_needs_me_today_shows_overdue_and_near_threads_and_counts_the_rest():
    talk = Talk()
    await talk.say("I'm waiting on Kenji about the visa by 24 December.")
    await talk.say("Remind me to send the contract tomorrow.")
    talk.facts["send-the-contract"]["due"] = "2026-11-27"
    answer = await talk.say("What needs me today?")
    assert answer == "- Send the contract, overdue 2 d · #2\n\n1 more open thread has time or no date."


@pytest.mark.parametrize(
    "said",
    ["Sarah answered.", "Sarah got back to me", "close the Q3 staffing thread", "the Q3 staffing decision is settled",
     "Mark the staffing decision as done", "I've answered Sarah", "That's done.", "I'm no longer waiting on Sarah"],
)  # fmt: skip
async def test_a_thread_that_came_to_its_end_is_closed(said: str):
    talk = Talk()
    await talk.say("I'm waiting on Kenji about the visa.")
    await talk.say("I'm waiting on Sarah about the Q3 staffing decision by Friday.")
    answer = await talk.say(said)
    assert talk.names() == ["visa"]
    assert answer == "Closed: Waiting on Sarah about the Q3 staffing decision. /undo opens it again."


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("forget that I live in Tokyo", "lives-in-tokyo"),
        ("Forget #1.", "lives-in-tokyo"),
        ("delete fact 2", "prefers-celsius"),
        ("forget lives-in-tokyo", "lives-in-tokyo"),
        ("please forget about Celsius", "prefers-celsius"),
        ("I don't live in Tokyo anymore", "lives-in-tokyo"),
        ("I no longer prefer Celsius", "prefers-celsius"),
    ],
)
async def test_a_fact_is_forgotten_by_words_name_or_number(said: str, name: str):
    talk = Talk()
    await talk.say("I live in Tokyo, and I prefer Celsius.")
    answer = await talk.say(said)
    assert answer.startswith("Forgotten: ") and name not in talk.facts and len(talk.facts) == 1


async def test_forgetting_what_fits_several_facts_asks_which_and_deletes_nothing():
    talk = Talk()
    await talk.say("I like green tea. I like black tea.")
    answer = await talk.say("forget tea")
    assert answer.startswith("Which one?") and "#1" in answer and "#2" in answer and len(talk.facts) == 2


async def test_questions_about_oneself_are_answered_from_facts():
    talk = Talk()
    await talk.say("Hi! My name is Ken. I live in Portland, Oregon and like tea. My birthday is 3 May.")
    assert await talk.say("Where do I live?") == "You live in Portland, Oregon."
    assert await talk.say("what’s my name") == "Your name is Ken."
    assert await talk.say("When is my birthday?") == "Your birthday is 3 May."
    assert "Likes tea" in await talk.say("What are my preferences?")
    everything = await talk.say("What do you know about me?")
    assert "Lives in Portland, Oregon" in everything and "Birthday is 3 May" in everything


async def test_questions_about_the_past_search_the_days_they_name():
    talk = Talk()
    talk.passages = "- 2026-03-12 · Q3 plans · user · session 20260312-101500-aaaaaa\n  > The roadmap slips to June."
    answer = await talk.say("What did I say about the roadmap last March?")
    [[(name, given)]] = talk.calls
    assert (name, given) == ("search_history", {"query": "roadmap", "after": "2026-03-01", "before": "2026-04-01"})
    assert answer == "- 2026-03-12, Q3 plans, you:\n  > The roadmap slips to June."
    talk.passages = ""
    assert await talk.say("What did Sarah say about the budget in 2025?") == (
        "I find nothing about Sarah, the budget in 2025 in past sessions."
    )


async def test_read_only_memory_recalls_but_says_that_it_cannot_save():
    talk = Talk(READ_ONLY)
    assert (await talk.say("I live in Tokyo")).startswith("Memory is set to use, don't save")
    assert (await talk.say("forget #1")).startswith("Memory is set to use, don't save")
    assert "get_weather" in [name for step in talk.steps() for name in step] or await talk.say("weather in Kyoto?")


async def test_with_memory_off_nothing_is_recalled_and_the_sessions_own_words_still_help():
    talk = Talk(OFF)
    assert (await talk.say("I live in Tokyo")).startswith("Memory is off")
    assert (await talk.say("where do I live?")).startswith("Memory is off")
    assert (await talk.say("what did I say about tea last week?")).startswith("Memory is off")
    assert "Tokyo" in await talk.say("What's the weather?")
    assert talk.steps() == [["get_weather"]]


async def test_without_any_tool_the_guide_still_answers():
    talk = Talk(())
    for sentence, _ in documented_sentences():
        assert await talk.say(sentence)
        assert talk.calls == []


@pytest.mark.parametrize("sentence", [s for s, _ in documented_sentences()])
async def test_every_documented_sentence_does_something_and_is_understood(sentence: str):
    talk = Talk()
    await talk.say("I live in Tokyo, and I prefer Celsius. My name is Ken.")
    await talk.say("Sarah Chen is my engineering manager. I'm waiting on Sarah about the budget.")
    answer = await talk.say(sentence)
    assert answer and "no language model, so I have no answer" not in answer and "!" not in answer
    assert talk.calls or answer == help_text()


@pytest.mark.parametrize(
    "said",
    ["What is the capital of France?", "Write a poem.", "I'm tired.", "I like it.", "I think we should go.", "ls -la",
     "def f(x): return x", "…", "?!", "🙂", "Is this a bug?", "If I move to Osaka, I need a flat.", "I'd like a coffee",
     "Paris is the capital of France.", "call me later"],
)  # fmt: skip
async def test_what_is_no_durable_statement_is_not_saved(said: str):
    talk = Talk()
    assert await talk.say(said)
    assert talk.facts == {}


async def test_what_no_rule_knows_is_answered_with_matching_facts_and_passages_or_a_plain_word():
    talk = Talk()
    await talk.say("Remember that the deploy runs on Tuesdays.")
    assert "The deploy runs on Tuesdays · #1" in await talk.say("deploy schedule")
    assert talk.steps() == [["recall_memory", "search_history"]]
    answer = await talk.say("What is the capital of France?")
    assert "no language model" in answer and "connect a model" in answer
    assert "config.toml" in await talk.say("connect a model")


async def test_code_and_quoted_lines_are_not_taken_for_the_persons_words():
    talk = Talk()
    await talk.say("Explain this:\n```\nI live in Paris.\n```\n> I moved to Rome.\n")
    assert talk.facts == {}


async def test_a_refused_save_is_said_with_its_reason():
    talk = Talk()
    talk.refuse["save_memory"] = "Refused: the summary holds a key."
    assert await talk.say("I live in Tokyo") == "Not kept: Refused: the summary holds a key."


async def test_secrets_are_not_kept():
    talk = Talk()
    assert "secret" in await talk.say("Remember that my password is hunter2 please")
    assert talk.facts == {}


async def test_a_long_paste_and_hostile_text_come_to_an_end():
    talk = Talk()
    for said in (
        "a, and " * 4000,
        "I like " * 3000,
        "I'm the " + "word " * 3000,
        "close " + ", and I " * 1000,
        "\x1b]52;c;x\x07[bold]x[/]",
        "((((" * 2000,
        "my " * 5000,
        "?" * 5000,
    ):
        assert await talk.say(said)


async def test_the_same_request_gets_the_same_answer_and_streams_in_pieces():
    talk = Talk()
    first = await talk.say("help")
    assert len(talk.pieces) > 10 and "".join(talk.pieces) == first
    assert await talk.say("help") == first


@pytest.mark.parametrize("purpose", ["title", "recap", "compact", "distill", "reflect"])
async def test_every_purpose_is_answered(purpose):
    messages = (
        UserMessage("1", "", 1, "I live in Tokyo. We decided on SQLite because it is one file, see /srv/atlas/db.py."),
        AssistantMessage("2", "", 1, "Noted."),
        UserMessage("3", "", 2, "I still need to pay 1,250 EUR to Sarah Chen by Friday."),
    )
    guide = make(Profile("guide", type="guide"), FixedClock(NOW))
    request = Request("", messages, purpose=purpose)
    if purpose == "compact":
        request = asked(messages, "Earlier:\n- Likes oolong", chars=30_000, words=400)
    elif purpose in {"recap", "title"}:
        request = recaps.request(messages, purpose)
    pieces = [p async for p in guide.stream(request)]
    text = "".join(p.text for p in pieces if isinstance(p, TextPiece))
    assert isinstance(pieces[-1], Finished) and pieces[-1].stop == "stop"
    if purpose == "compact":
        kept = ("Tokyo", "SQLite", "one file", "/srv/atlas/db.py", "1,250", "Sarah Chen", "Likes oolong", "Noted.")
        assert all(word in text for word in kept)
    elif purpose in {"distill", "reflect"}:
        assert text == "[]"
    else:
        assert "I live in Tokyo" in text and len(text) <= (60 if purpose == "title" else 400)


def test_the_guide_names_itself_and_its_place():
    guide = make(Profile("guide", type="guide"), FixedClock(NOW))
    assert (guide.profile, guide.model, guide.place, guide.context_window) == ("guide", "guide", "this machine", 32_000)


def test_the_guide_loads_no_network_library():
    code = (
        "import sys; import sessions.providers.guide; "
        "print([m for m in ('openai', 'httpx', 'textual', 'rich', 'sqlite3') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
