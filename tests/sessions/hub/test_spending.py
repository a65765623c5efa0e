from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions.clock import FixedClock, SystemClock
from sessions.events import TurnFailed, TurnFinished
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.hub.spending import Spending, money
from tests.servers.chat_server import ChatServer, text

MILLION = 1_000_000


def home_of(folder: Path, server: ChatServer, limit: str = "") -> Home:
    folder.mkdir(exist_ok=True)
    agent = f'[agent]\nprofile = "p"\n{limit}[memory]\nembedder = "off"\n'
    profile = f'[profiles.p]\nbase_url = "{server.url}"\nmodel = "m"\ncontext_window = 128000\n'
    free = profile.replace("profiles.p", "profiles.free")
    (folder / "config.toml").write_text(f"{agent}{profile}price_in = 2.0\nprice_out = 8.0\n{free}")
    return Home(folder)


async def talk(home: Home, *messages: str, private: bool = False, profile: str | None = None) -> tuple[str, list[str]]:
    """The session, and how its turns ended."""
    ends: list[str] = []
    async with SessionHub(home, profile=profile) as hub:
        state = await hub.new(home.paths.root, private=private)
        events = hub.subscribe(state.id)
        for message in messages:
            await hub.send(state.id, message)
            await hub.idle(state.id)
    async for event in events:
        if isinstance(event, TurnFailed | TurnFinished):
            ends.append(event.error if isinstance(event, TurnFailed) else "answered")
    return state.id, ends


@pytest.fixture
def server():
    with ChatServer() as server:
        server.answer = lambda body: text("Yes.", tokens=(100_000, 25_000))
        yield server


async def test_what_a_day_and_a_session_cost_follows_from_the_logs(tmp_path: Path, server: ChatServer) -> None:
    home = home_of(tmp_path / "home", server)
    one, _ = await talk(home, "hi", "again")
    two, _ = await talk(home, "hi")
    await talk(home, "hi", profile="free")
    spending = Spending(home)
    assert (spending.of_session(one).usd, spending.of_session(two).usd) == pytest.approx((0.8, 0.4))
    assert spending.today().usd == pytest.approx(1.2) == spending.today().usd
    await talk(home, "hi")
    assert spending.today().usd == pytest.approx(1.6), "of another program as well"
    path = home.paths.session_log(two)
    with path.open("a") as file:
        file.write(
            '{"role":"assistant","usage":{"input":1e400}}\n{"role":"assistant","usage":[1]}\n"usage" "assistant"\n'
        )
    assert spending.today().usd == pytest.approx(1.6)
    lines = [json.loads(line) for line in path.read_text().splitlines()[:4]]
    old = [json.dumps(line | {"at": "2026-01-02T10:00:00.000Z"}) for line in lines if "at" in line]
    path.write_text("\n".join(old) + "\n")
    assert spending.today().usd == pytest.approx(1.2), "what was said another day does not count"
    assert spending.of_session(two).usd == pytest.approx(0.4)


async def test_the_limit_of_a_day_stops_before_a_request_with_one_sentence(tmp_path: Path, server: ChatServer) -> None:
    home = home_of(tmp_path / "home", server, "spend_limit = 0.5\n")
    _, ends = await talk(home, "one", "two", "three")
    assert ends == ["answered", "answered", "Today's limit of $0.50 is reached: $0.80 spent"]
    assert len(server.requests) == 2
    _, ends = await talk(Home(home.paths), "four")
    assert ends[0].startswith("Today's limit of $0.50 is reached") and len(server.requests) == 2, "another program"
    _, ends = await talk(home, "five", profile="free")
    assert ends == ["answered"]
    tomorrow = Home(home.paths, clock=FixedClock(SystemClock().now().replace(year=2031)))
    _, ends = await talk(tomorrow, "six")
    assert ends == ["answered"]


async def test_what_leaves_no_line_counts_as_long_as_the_program_runs(tmp_path: Path, server: ChatServer) -> None:
    home = home_of(tmp_path / "home", server, "spend_limit = 0.5\n")
    _, ends = await talk(home, "one", "two", "three", private=True)
    assert ends[-1] == "Today's limit of $0.50 is reached: $0.80 spent" and len(server.requests) == 2
    assert not Spending(home).today()


async def test_what_summaries_recaps_and_titles_cost_is_known_after_a_restart(
    tmp_path: Path, server: ChatServer
) -> None:
    home = home_of(tmp_path / "home", server)
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root)
        for message in ("one " * 400, "two " * 400, "three " * 400):
            await hub.send(state.id, message)
            await hub.idle(state.id)
        said = len(server.requests)
        hub.compact(state.id)
        await hub.idle(state.id)
        assert len(server.requests) == said + 1
        await hub.set_profile(state.id, "free")
        await hub.send(state.id, "hi")
        await hub.idle(state.id)
        assert Spending(home).today().usd == pytest.approx(0.4 * (said + 1)) == hub.spending.today().usd
        await hub.set_profile(state.id, "p")
        await hub.send(state.id, "hi")
        await hub.idle(state.id)
        before = len(server.requests)
        await hub.recaps.make(state.id)
        assert len(server.requests) == before + 2, "a recap and a title"
        cost = hub.spending.today().usd
    assert cost == pytest.approx(0.4 * (before + 1))
    assert Spending(home).today().usd == pytest.approx(cost)
    assert home.catalog.refresh(state.id).profile == "p"


def test_money_is_told_in_as_many_places_as_say_something() -> None:
    assert [money(usd) for usd in (0, 0.00213, 0.4249, 12)] == ["$0", "$0.0021", "$0.42", "$12.00"]


async def test_another_model_of_a_profile_has_a_price_that_is_not_known_and_counts_for_the_limit(
    tmp_path: Path, server: ChatServer
) -> None:
    home = home_of(tmp_path / "home", server, "spend_limit = 0.5\n")
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root, model="larger")
        await hub.send(state.id, "hi")
        await hub.idle(state.id)
        assert str(hub.spending.of_session(state.id)) == str(hub.spending.today()) == "price unknown"
        await hub.set_profile(state.id, "p")
        await hub.send(state.id, "hi")
        await hub.idle(state.id)
        spent = hub.spending.of_session(state.id)
        assert (str(spent), spent.brief) == ("$0.40 + price unknown", "$0.40 + ?")
        assert spent.usd == pytest.approx(spent.guess) == pytest.approx(0.4)
    _, ends = await talk(home, "again")
    assert ends == ["Today's limit of $0.50 is reached: $0.40 + price unknown spent"]
