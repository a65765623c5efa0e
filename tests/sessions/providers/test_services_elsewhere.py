from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.clock import SystemClock
from sessions.errors import ProviderError
from sessions.events import Event, Notice, StepFinished, TextDelta, TurnFailed, TurnFinished
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.hub.connecting import Connecting
from sessions.hub.spending import Spending
from sessions.providers.chat import ChatProvider, make
from sessions.providers.known import KEY_PLACES
from sessions.providers.listing import Model
from tests.servers.asking import WITH_TOOL, failure
from tests.servers.chat_server import Reply, calls, error, text
from tests.servers.model_servers import ModelServer
from tests.servers.model_services import DETAILS, KEY, NO_CREDIT, SERVICES, SIGNED, broken_off
from tests.servers.reached import VARIABLE, connected, profile_of, served
from tests.waiting import until

HOSTS = {place.name: place.host for place in KEY_PLACES}
RECALL = ("recall_memory", {"query": "boats"})


@pytest.fixture(params=list(SERVICES))
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with served(request.param, monkeypatch) as server:
        server.name = request.param  # type: ignore[attr-defined]
        yield server


@pytest.fixture
def router(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with served("OpenRouter", monkeypatch) as server:
        yield server


def home_at(tmp_path: Path, server: ModelServer, more: str = "", agent: str = "") -> Home:
    home = Home(tmp_path / "home")
    home.paths.config.write_text('[memory]\nembedder = "off"\n')
    connected(home, server)
    lines = home.paths.config.read_text().replace("[profiles.here]\n", f"[profiles.here]\n{more}")
    home.paths.config.write_text(lines.replace("[agent]\n", f"[agent]\n{agent}"))
    home.reload_settings()
    return home


async def talk(home: Home, *messages: str, model: str | None = None) -> tuple[str, list[Event]]:
    seen: list[Event] = []
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root, model=model)
        events = hub.subscribe(state.id)
        for message in messages:
            await hub.send(state.id, message)
            await hub.idle(state.id)
    async for one in events:
        seen.append(one)
    return state.id, seen


async def failing(server: ModelServer, reply: Reply, request: object = WITH_TOOL) -> ProviderError:
    server.script(reply, reply, reply)
    provider = ChatProvider(profile_of(server), KEY, sleep=_no_sleep)
    try:
        return await failure(provider, request)  # type: ignore[arg-type]
    finally:
        await provider.close()


async def _no_sleep(seconds: float) -> None:
    pass


async def test_its_models_that_chat_are_listed_with_what_is_told_of_them(server: ModelServer, tmp_path: Path) -> None:
    engine = Connecting(Home(tmp_path / "home"))
    assert (
        list(await engine.models(profile_of(server), KEY))
        == {
            "OpenAI": [Model("gpt-5"), Model("gpt-4o")],
            "OpenRouter": [
                Model("anthropic/claude-sonnet-4.5", None, 200000, price_in=3.0, price_out=15.0),
                Model("qwen/qwen3-32b:free", None, 40960, price_in=0.0, price_out=0.0),
                Model("openrouter/auto", None, 2000000),
            ],
            "Anthropic": [Model("claude-sonnet-4-5", None, 200000), Model("claude-haiku-4-5", None, 200000)],
            "Gemini": [Model("gemini-3-flash", None, 1048576)],
        }[server.name]
    )  # type: ignore[attr-defined]
    assert server.hosts == {HOSTS[server.name]}  # type: ignore[attr-defined]


async def test_a_wrong_key_is_told_from_all_else_in_a_listing_and_in_a_turn(
    server: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "sk-wrong")
    _, seen = await talk(home_at(tmp_path, server), "Hello")
    (failed,) = [one for one in seen if isinstance(one, TurnFailed)]
    assert f"{HOSTS[server.name]} refuses access" in failed.error  # type: ignore[attr-defined]
    assert failed.advice == f"Check the key in the variable {VARIABLE}" and "sk-wrong" not in failed.error
    if not server.kind.reads({":path": ""}):
        with pytest.raises(ProviderError, match="refuses access"):
            await Connecting(Home(tmp_path / "other")).models(profile_of(server), "sk-wrong")


async def test_an_empty_account_is_said_and_not_asked_again(server: ModelServer) -> None:
    e = await failing(server, NO_CREDIT[server.name]())  # type: ignore[attr-defined]
    assert "the account's quota is used up" in e.message and "credit" in e.advice
    assert len(server.requests) == 1


async def test_calls_without_arguments_have_none(server: ModelServer, tmp_path: Path) -> None:
    server.script(server.kind.calls(("list_facts", {}), RECALL), server.kind.says("None."))
    _, seen = await talk(home_at(tmp_path, server), "What do you know?")
    assert [one.text.strip() for one in seen if isinstance(one, TurnFinished)] == ["None."]
    sent = server.requests[1]["messages"][-3]["tool_calls"]
    assert [json.loads(call["function"]["arguments"]) for call in sent] == [{}, RECALL[1]]


async def test_the_window_is_that_of_the_listing_where_the_settings_have_none(
    server: ModelServer, tmp_path: Path
) -> None:
    home = home_at(tmp_path, server)
    provider = make(home.settings.profiles["here"], SystemClock())
    assert provider.context_window == 128_000
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root)
        await hub.send(state.id, "Hello")
        await hub.idle(state.id)
        most = server.kind.window or 128_000
        await until(lambda: provider.context_window == most, "the listing is there")
        view = await hub.context(state.id, "")
        asked = len(server.gets)
        await hub.send(state.id, "Hello again")
        await hub.idle(state.id)
    assert view.window == most
    assert len(server.gets) == asked, "it is asked once"
    await provider.close()


async def test_what_a_service_gave_along_goes_back_to_it_and_to_no_other(server: ModelServer, tmp_path: Path) -> None:
    home = home_at(tmp_path, server)
    with home.paths.config.open("a") as file:
        here = home.paths.config.read_text().partition("[profiles.here]\n")[2].partition("\n[")[0]
        file.write(f"\n[profiles.second]\n{here}\n")
    home.reload_settings()
    server.script(server.kind.calls(RECALL), server.kind.says("Nothing."), server.kind.says("Well."), text("No."))
    async with SessionHub(home) as hub:
        state = await hub.new(home.paths.root)
        for message in ("What of boats?", "And now?"):
            await hub.send(state.id, message)
            await hub.idle(state.id)
        await hub.set_profile(state.id, "second")
        await hub.send(state.id, "And you?")
        await hub.idle(state.id)
    first, second, third, other = (
        [message for message in body["messages"] if message["role"] == "assistant"] for body in server.requests
    )
    assert first == [] and third[:1] == second, "what stands before stays as it was"
    [call] = second[0]["tool_calls"]
    back = {"OpenRouter": DETAILS}.get(server.name)  # type: ignore[attr-defined]
    signed = {"Gemini": SIGNED}.get(server.name)  # type: ignore[attr-defined]
    assert (second[0].get("reasoning_details"), call.get("extra_content")) == (back, signed)
    assert (third[1].get("reasoning_details"), third[1].get("extra_content")) == (back, signed)
    assert len(other) == 3
    assert "extra_content" not in json.dumps(other) and "reasoning_details" not in json.dumps(other)


async def test_what_was_given_along_is_there_after_a_restart_but_not_for_another_model(
    tmp_path: Path, router: ModelServer
) -> None:
    home = home_at(tmp_path, router)
    router.script(router.kind.calls(RECALL), router.kind.says("Nothing."))
    session, _ = await talk(home, "What of boats?")
    for model, there in ((router.kind.model, True), ("qwen/qwen3-32b:free", False)):
        router.kind.refuses = lambda body: None
        async with SessionHub(Home(home.paths)) as hub:
            await hub.open(session)
            await hub.set_profile(session, "here", model)
            await hub.send(session, "And now?")
            await hub.idle(session)
        assert ("reasoning_details" in json.dumps(router.requests[-1]["messages"])) is there


async def test_a_failure_in_the_middle_of_an_answer_is_none_that_was_finished(
    tmp_path: Path, router: ModelServer
) -> None:
    router.script(broken_off("The boat "))
    _, seen = await talk(home_at(tmp_path, router), "What of boats?")
    assert "".join(one.text for one in seen if isinstance(one, TextDelta)) == "The boat "
    (failed,) = [one for one in seen if isinstance(one, TurnFailed)]
    assert "openrouter.ai has trouble (502): Provider disconnected" in failed.error
    assert not [one for one in seen if isinstance(one, TurnFinished)]


@pytest.mark.parametrize(
    ("name", "reply", "says", "advice"),
    [
        (
            "OpenRouter",
            error(404, "No endpoints found for qwen/none.", code=404),
            "openrouter.ai has no model",
            "Set model",
        ),
        (
            "OpenRouter",
            error(403, 'qwen/x requires moderation. Your input was flagged for "x"', code=403),
            "openrouter.ai will not answer this (403)",
            "Say it otherwise",
        ),
        (
            "Gemini",
            error(404, "models/none is not found for API version v1main, or is not supported for generateContent"),
            "has no model",
            "Set model",
        ),
        ("OpenAI", error(404, "The model `none` does not exist", code="model_not_found"), "has no model", "Set model"),
        ("Anthropic", error(404, "model: none", type="not_found_error"), "has no model", "Set model"),
        (
            "OpenAI",
            error(400, "Unsupported value: 'temperature' does not support 0.2 with this model.", param="temperature"),
            "api.openai.com refused the request (400)",
            "Check model, temperature",
        ),
    ],
)
async def test_what_each_refuses_is_said_with_what_to_do(
    name: str, reply: Reply, says: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(name, monkeypatch) as server:
        e = await failing(server, reply)
    assert says in e.message and e.advice.startswith(advice)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        ("You exceeded your current quota, please check your plan and billing details. Please retry in 32.5s.", 32.5),
        ("Rate limit reached for gpt-5 on requests per min (RPM): Limit 3. Please try again in 1m2.5s.", 62.5),
        ("Rate limit reached for gpt-5. Please try again in 20ms.", 0.02),
        ("Rate limit reached.", None),
    ],
)
async def test_a_wait_that_is_told_in_words_is_waited_for(
    said: str, wait: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served("Gemini", monkeypatch) as server:
        e = await failing(server, error(429, said))
    assert e.retryable and e.retry_after_s == (pytest.approx(wait) if wait is not None else None)


async def test_a_request_that_is_beyond_the_limit_of_a_minute_is_too_long_and_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said = "Request too large for gpt-5 on tokens per min (TPM): Limit 30000, Requested 50000. Please try again in 2s."
    with served("OpenAI", monkeypatch) as server:
        e = await failing(server, error(429, said, code="rate_limit_exceeded"))
        assert e.too_long and len(server.requests) == 1


async def test_a_model_that_takes_tools_only_without_reasoning_gets_them_and_it_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "Function tools with reasoning_effort are not supported for gpt-5 in /v1/chat/completions. To use function "
    why += "tools, use /v1/responses or set reasoning_effort to 'none'."
    with served("OpenAI", monkeypatch) as server:

        def refuses(body: dict[str, object]) -> Reply | None:
            return error(400, why, code=None) if body.get("reasoning_effort") != "none" else None

        server.kind.refuses = refuses
        server.script(calls(RECALL), text("Nothing."), text("Still nothing."))
        _, seen = await talk(home_at(tmp_path, server, 'reasoning_effort = "high"\n'), "What of boats?", "And now?")
    assert [one.text for one in seen if isinstance(one, TurnFinished)] == ["Nothing.", "Still nothing."]
    said = [one.text for one in seen if isinstance(one, Notice)]
    assert said == ["gpt-5 uses tools at api.openai.com only without reasoning: it answers without"]
    assert all(body["tools"] for body in server.requests)


async def test_what_an_answer_costs_is_as_its_service_tells_and_stops_at_the_limit(
    tmp_path: Path, router: ModelServer
) -> None:
    home = home_at(tmp_path, router, agent="spend_limit = 0.6\n")
    router.script(router.kind.says("One."), text("Two.", tokens=(100_000, 10_000)), text("Three."))
    session, seen = await talk(home, "one", "two", "three")
    ends = [one.error for one in seen if isinstance(one, TurnFailed)]
    assert ends == ["Today's limit of $0.60 is reached: $0.70 spent"] and len(router.requests) == 2
    used = [one.usage.usd for one in seen if isinstance(one, StepFinished) and one.usage]
    assert used == [0.25, pytest.approx(0.45)], "what it says of the answer, else by the prices that it lists"
    again = Spending(Home(home.paths))
    assert again.today().usd == pytest.approx(0.7) == again.of_session(session).usd
    assert again.today().source == ", as openrouter.ai tells it"


async def test_a_price_of_the_settings_counts_before_what_a_service_tells(tmp_path: Path, router: ModelServer) -> None:
    home = home_at(tmp_path, router, "price_in = 100.0\nprice_out = 200.0\n")
    router.script(router.kind.says("One."), router.kind.says("Two."))
    session, _ = await talk(home, "one")
    spent = Spending(home).of_session(session)
    assert (spent.usd, spent.source) == (pytest.approx(0.002), "")
    other, _ = await talk(home, "two", model="qwen/qwen3-32b:free")
    spent = Spending(home).of_session(other)
    assert (str(spent), spent.source) == ("$0.25", ", as openrouter.ai tells it"), "of another model than its own"
