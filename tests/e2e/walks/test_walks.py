from __future__ import annotations

import re
from pathlib import Path

import pytest

from sessions.store.log import LogWriter
from tests.e2e.terminal import terminal
from tests.servers.weather_server import WeatherServer
from tests.sessions.importers.claude_files import Chain
from tests.sessions.store.records import answer, first, user
from tests.sessions.store.records import home as store_home
from tests.sessions.wire_home import holding
from tests.waiting import wait_until

SIZES = ["120x40", "80x24"]
READY = r"Ask anything"


def weather_at(server: WeatherServer) -> dict[str, str]:
    return {"MEMAGENT_WEATHER_GEOCODING_URL": server.url, "MEMAGENT_WEATHER_FORECAST_URL": server.url}


@pytest.mark.parametrize("size", SIZES)
def test_walk_1_from_nothing_to_a_first_useful_answer(tmp_path: Path, size: str):
    with WeatherServer() as weather, terminal(home=tmp_path / "home", size=size, **weather_at(weather)) as t:
        t.wait(READY)
        t.say("What's the weather in Tokyo?", r"cloud coverage \d+%")
        assert t.keys <= 1


@pytest.mark.parametrize("size", SIZES)
def test_walk_2_a_fact_just_saved_is_undone(tmp_path: Path, size: str):
    with terminal(home=tmp_path / "home", size=size) as t:
        t.wait(READY)
        t.say("I live in Tokyo.", r"saved #1")
        t.keys = 0
        t.press("Up", "u")
        t.wait(r"memory on, 0 facts")
        assert t.keys <= 2
        assert list((tmp_path / "home/memory/user").glob("*.md")) == []


@pytest.mark.parametrize("size", SIZES)
def test_walk_3_the_next_day_the_last_talk_goes_on(tmp_path: Path, size: str):
    home = tmp_path / "home"
    with terminal(home=home, size=size, MEMAGENT_CLOCK="2026-11-28T17:14:00Z") as t:
        t.wait(READY)
        t.say("Sarah Chen is my engineering manager, she owns the Q3 roadmap.", r"memory on, 1 fact\b")
        t.quit()
    with terminal(home=home, size=size, MEMAGENT_CLOCK="2026-11-29T09:00:00Z") as t:
        t.wait(READY)
        t.wait(r"Take up again|continue")
        t.press("Enter")
        t.wait(r"› Sarah Chen is my engineering manager")
        assert t.keys <= 1
        t.say("Who is Sarah?", r"engineering manager(?s:.*)engineering manager")
        assert len(list((home / "sessions").glob("*.jsonl"))) == 1, "it went on in the same session"


@pytest.mark.parametrize("size", SIZES)
def test_walk_4_a_wrong_fact_that_spoiled_an_answer_is_corrected_and_it_answers_again(tmp_path: Path, size: str):
    with WeatherServer() as weather, terminal(home=tmp_path / "home", size=size, **weather_at(weather)) as t:
        t.wait(READY)
        t.say("I live in Osaka.", r"memory on, 1 fact\b")
        t.say("What's the weather?", r"information for Osaka, Japan:")
        t.keys = 0
        t.press("Up")
        t.wait(r"Answer again")
        t.press("Enter")
        t.wait(r"in one line +▌? ?Lives in Osaka")
        t.type("Lives in Kyoto")
        t.wait(r"in one line +▌? ?Lives in Kyoto")
        t.press("C-s")
        t.wait(r"Answer again")
        t.press("r")
        t.wait(r"information for Kyoto, Japan:")
        t.wait(r"What's the weather\? +< 2/2 >")
        assert not t.shows(r"information for Osaka, Japan:"), "the old answer is behind the new one"
        assert t.keys <= 4
        facts = [file.read_text() for file in (tmp_path / "home/memory/user").glob("*.md")]
        assert len(facts) == 1 and "Lives in Kyoto" in facts[0]


@pytest.mark.parametrize("size", SIZES)
def test_walk_5_a_sentence_of_three_months_ago_is_found_and_landed_on(tmp_path: Path, size: str):
    paths = store_home(tmp_path / "home")
    for day, sentence in (
        ("2026-08-24", "Sarah said the importer slips to October if the parser is late."),
        ("2026-08-28", "The offsite is in Hakone, and Kenji books the train."),
        ("2026-11-27", "Sarah asked for the staffing numbers of the importer team."),
    ):
        at = f"{day}T10:00:00.000Z"
        log = LogWriter.create(paths, f"{day.replace('-', '')}-100000-7f3a9c", first(at=at))
        for turn in range(1, 41):
            log.append(user(f"u{turn}", sentence if turn == 20 else f"And what about point {turn}?", turn, at))
            log.append(answer(f"a{turn}", f"Point {turn} is as it was.", turn, at))
        log.close()
    with terminal(home=paths.root, size=size, MEMAGENT_CLOCK="2026-11-29T09:00:00Z") as t:
        t.wait(READY)
        t.press("C-r")
        t.wait(r"Search all that was said(?s:.*)▌")
        t.type("/importer slips to october")
        t.wait(r"1 hit in 1 session(?s:.*)Sarah said")
        t.press("Enter")
        t.wait(r"▌› Sarah said the importer slips to October")
        assert t.keys <= 2


@pytest.mark.parametrize("size", SIZES)
def test_walk_6_all_that_was_said_to_claude_code_on_this_machine_is_searchable(tmp_path: Path, size: str):
    for n in range(3):
        talk = Chain(cwd="/code/atlas", sessionId=f"s{n}")
        talk.user(f"u{n}", f"Where is heron {n}?")
        talk.answer(f"a{n}", f"Heron {n} sits by pond {n * 7}.", id=f"m{n}", stop="end_turn")
        talk.write(tmp_path / ".claude", f"0000000{n}-0000-4000-8000-000000000000.jsonl")
    with terminal(home=tmp_path / "home", size=size) as t:
        t.wait(READY)
        t.wait(r"3 Claude Code sessions")
        t.type("/import all")
        t.press("Enter")
        t.wait(r"3 sessions of other agents")
        assert t.keys <= 1
        t.press("C-r")
        t.wait(r"Search all that was said(?s:.*)▌")
        t.type("/heron pond 14")
        t.wait(r"Heron 2 sits by pond 14(?s:.*)in 1 session|in 1 session(?s:.*)[Hh]eron 2")
        t.press("Enter")
        t.wait(r"Heron 2 sits by pond 14")
        t.wait(r"only read here")


@pytest.mark.parametrize("size", SIZES)
def test_walk_8_a_private_question_leaves_nothing_behind(tmp_path: Path, size: str):
    home = tmp_path / "home"
    with terminal(home=home, size=size) as t:
        t.wait(READY)
        t.say("Sarah Chen is my engineering manager, she owns the Q3 roadmap.", r"memory on, 1 fact\b")
        t.quit()
    before = {p: p.read_bytes() for folder in ("sessions", "memory") for p in (home / folder).rglob("*") if p.is_file()}
    with terminal("--private", home=home, size=size) as t:
        t.wait(READY)
        t.wait(r"private: nothing is kept")
        t.say("What do you know about Sarah, for zebrafish4711?", r"engineering manager")
        assert t.keys <= 1
        t.wait(r"private: nothing is kept")
        t.quit()
    after = {p: p.read_bytes() for folder in ("sessions", "memory") for p in (home / folder).rglob("*") if p.is_file()}
    assert after == before
    assert holding(tmp_path, "zebrafish4711") == []


@pytest.mark.parametrize("size", SIZES)
def test_walk_9_something_is_erased_for_good(tmp_path: Path, size: str):
    home = tmp_path / "home"
    with terminal(home=home, size=size) as t:
        t.wait(READY)
        t.say("Remember that my codeword is xylocarp-quokka.", r"memory on, 1 fact\b")
        t.say("What do you know about my codeword?", r"recalled codeword-is-xylocarp")
        t.keys = 0
        t.press("F4")
        t.wait(r"D Erase")
        t.press("D")
        t.wait(r"Erase fact 1: (?s:.*)you: Remember that my codeword")
        t.press("y")
        t.wait(r"\d+ traces? left under")
        assert t.shows(r" 0 traces left under"), t.screen()
        t.wait(r"memory on, 0 facts")
        assert t.keys <= 3
        wait_until(lambda: not t.shows("quokka"), "it is off the screen")
        assert holding(home, "quokka") == []
        t.press("F2")
        t.wait(r"› erased(?s:.*)› ")


def test_the_weather_follows_a_move_over_a_restart(tmp_path: Path):
    home = tmp_path / "home"
    with WeatherServer() as weather:
        env = weather_at(weather)
        with terminal(home=home, size="160x45", **env) as t:
            t.wait(READY)
            t.say("I live in Tokyo, and I prefer Celsius.", r"memory on, 2 facts")
            t.say("What's the weather?", r"information for Tokyo, Japan:")
            tree = t.screen()
            assert re.search(r"recall_memory(?s:.*)get_weather", tree)
            t.quit()
        with terminal(home=home, **env) as t:
            t.wait(READY)
            t.say("What's the weather?", r"information for Tokyo, Japan:")
            t.say("I moved to Osaka, what's the weather?", r"information for Osaka, Japan:")
            t.quit()
        with terminal(home=home, **env) as t:
            t.wait(READY)
            t.say("What's the weather?", r"information for Osaka, Japan:")
            t.quit()
