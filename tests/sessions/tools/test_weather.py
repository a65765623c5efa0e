from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from pathlib import Path

import pytest

from sessions.clock import SystemClock
from sessions.settings import WeatherSettings
from sessions.tools import weather as weather_module
from sessions.tools.base import ToolContext, ToolResult
from sessions.tools.registry import Registry
from sessions.tools.weather import weather_tool
from tests.servers.weather_server import WeatherServer
from tests.waiting import until

CONTEXT = ToolContext("s", 1, "call-1", "m", Path("/"), SystemClock())


async def ask(url: str, **arguments: str) -> ToolResult:
    tool = weather_tool(WeatherSettings(url, url))
    result = await tool.run(Registry([tool]).check(tool, arguments), CONTEXT)
    assert isinstance(result, ToolResult)
    return result


@pytest.fixture
def server():
    with WeatherServer() as server:
        yield server


async def test_the_weather_is_told_in_exactly_this_format(server):
    result = await ask(server.url, location="Tokyo")
    assert result.ok
    assert result.content == (
        "Here is the weather information for Tokyo, Japan:\n\n🌡️ 19°C\n💨 wind 11 km/h\n☁️ cloud coverage 40%"
    )


async def test_the_two_requests_are_those_that_the_service_documents(server):
    await ask(server.url, location="  Kyoto ", units="fahrenheit")
    (path, query), (path2, query2) = server.requests
    assert (path, query) == ("/v1/search", {"name": "Kyoto", "count": "10", "language": "en", "format": "json"})
    assert path2 == "/v1/forecast"
    assert query2 == {
        "latitude": "35.02107",
        "longitude": "135.75385",
        "current": "temperature_2m,wind_speed_10m,cloud_cover",
        "temperature_unit": "fahrenheit",
        "wind_speed_unit": "kmh",
    }


async def test_fahrenheit_is_asked_for_and_shown(server):
    assert "🌡️ 63°F\n💨 wind 3 km/h" in (await ask(server.url, city="Kyoto", units="fahrenheit")).content


@pytest.mark.parametrize(
    ("location", "temperature", "place"),
    [
        ("Berlin", 0, "Berlin, Germany"),  # -0.4
        ("Oslo", -13, "Oslo, Norway"),  # -12.5
        ("London, Ontario", -8, "London, Canada"),  # -7.5
        ("London, UK", 10, "London, United Kingdom"),  # 9.5
        ("Paris", 13, "Paris, France"),  # 12.5
    ],
)
async def test_numbers_are_whole_and_halves_go_away_from_zero(server, location, temperature, place):
    lines = (await ask(server.url, location=location)).content.split("\n")
    assert lines[0] == f"Here is the weather information for {place}:"
    assert lines[2] == f"🌡️ {temperature}°C"


@pytest.mark.parametrize(
    ("location", "country"),
    [
        ("Paris, France", "France"),
        ("paris,fr", "France"),
        ("Paris, Texas", "United States"),
        ("Paris, TX", "United States"),
        ("Paris, Texas, USA", "United States"),
        ("Paris, ile de france region", "France"),
        ("Sao Paulo, Brazil", None),
        ("São Paulo, Sao Paulo", "Brazil"),
    ],
)
async def test_what_follows_a_comma_chooses_by_country_code_and_region(server, location, country):
    result = await ask(server.url, location=location)
    first = result.content.split("\n")[0]
    assert first.endswith(f", {country}:") if country else first == "⚠️ No place called Sao Paulo was found."


async def test_a_place_that_is_elsewhere_only_says_where(server):
    result = await ask(server.url, location="Paris, Narnia")
    assert (result.ok, result.content) == (
        False,
        "⚠️ No Paris in Narnia was found; there is one in Île-de-France Region, France or Texas, United States.",
    )


@pytest.mark.parametrize("location", ["Atlantis", "", " , France", "X"])
async def test_an_unknown_place_is_one_line_with_a_warning(server, location):
    result = await ask(server.url, location=location)
    assert not result.ok
    assert result.content.startswith("⚠️ ")
    assert "\n" not in result.content


async def test_a_service_that_cannot_be_reached_is_one_line_that_names_it():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        result = await ask(url, location="Tokyo")
    assert (result.ok, result.content) == (False, f"⚠️ The weather service at {url[7:]} cannot be reached.")


@pytest.mark.parametrize("path", ["/v1/search", "/v1/forecast"])
async def test_a_silent_service_is_given_up_in_time(server, monkeypatch, path):
    assert weather_module.LIMIT_S + 0.5 < 10
    monkeypatch.setattr(weather_module, "LIMIT_S", 0.3)
    server.answers[path] = threading.Event()
    begun = time.monotonic()
    result = await ask(server.url, location="Tokyo")
    assert time.monotonic() - begun < 3
    assert (result.ok, result.content) == (False, "⚠️ The weather service did not answer within 0.3 s.")


@pytest.mark.parametrize("path", ["/v1/search", "/v1/forecast"])
@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (500, b"<html>", "has trouble (500)"),
        (429, b'{"error": true, "reason": "Hourly limit\\nexceeded."}', "refused: Hourly limit exceeded."),
        (200, b"<html>", "cannot be read"),
        (200, b"[]", "cannot be read"),
        (200, b"\xff\xfe\x00", "cannot be read"),
        (200, b"[" * 5_000, "cannot be read"),
        (200, b" " * 1_000_001, "cannot be read"),
    ],
)
async def test_a_bad_reply_is_one_line(server, path, status, body, says):
    server.answers[path] = (status, body)
    result = await ask(server.url, location="Tokyo")
    assert not result.ok
    assert result.content.startswith("⚠️ The weather service")
    assert says in result.content
    assert "\n" not in result.content


@pytest.mark.parametrize(
    "current",
    [
        {},
        None,
        {"temperature_2m": None, "wind_speed_10m": 1, "cloud_cover": 1},
        {"temperature_2m": "12", "wind_speed_10m": 1, "cloud_cover": 1},
        {"temperature_2m": float("nan"), "wind_speed_10m": 1, "cloud_cover": 1},
        {"temperature_2m": float("-inf"), "wind_speed_10m": 1, "cloud_cover": 1},
        {"temperature_2m": 1e308, "wind_speed_10m": 1, "cloud_cover": 1},
        {"temperature_2m": 10**400, "wind_speed_10m": 1, "cloud_cover": 1},
    ],
)
async def test_a_reply_without_numbers_is_one_line(server, current):
    server.answers["/v1/forecast"] = (200, json.dumps({"current": current}).encode())
    result = await ask(server.url, location="Tokyo")
    assert (result.ok, result.content.startswith("⚠️ ")) == (False, True)


AT = [{"name": "Tokyo", "latitude": at, "longitude": 1} for at in (float("inf"), 1e308, 10**400)]


@pytest.mark.parametrize("results", [None, {}, "x", [1, {}, {"name": "Tokyo"}, {"name": "T", "latitude": "1"}], AT])
async def test_results_without_a_position_are_no_place(server, results):
    server.answers["/v1/search"] = (200, json.dumps({"results": results}).encode())
    assert (await ask(server.url, location="Tokyo")).content == "⚠️ No place called Tokyo was found."


async def test_a_place_without_a_country_is_named_alone(server):
    raw = {"results": [{"name": "Nowhere\nLand", "latitude": 0, "longitude": 0}]}
    server.answers["/v1/search"] = (200, json.dumps(raw).encode())
    first = (await ask(server.url, location="Nowhere")).content.split("\n")[0]
    assert first == "Here is the weather information for Nowhere Land:"


async def test_a_cancelled_call_ends_at_once(server):
    server.answers["/v1/search"] = threading.Event()
    task = asyncio.create_task(ask(server.url, location="Tokyo"))
    await until(lambda: server.requests, "the request arrived")
    begun = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begun < 0.5


async def test_several_places_are_asked_at_once(server):
    results = await asyncio.gather(*(ask(server.url, location=c) for c in ("Tokyo", "Osaka", "Kyoto")))
    assert [r.content.split("\n")[0].split()[-2] for r in results] == ["Tokyo,", "Osaka,", "Kyoto,"]


async def test_a_proxy_of_the_environment_is_not_asked_about_this_machine(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert (await ask(server.url, location="Tokyo")).ok


async def test_another_place_is_followed_to_the_same_host_only(server):
    with WeatherServer() as other:
        server.answers["/v1/search"] = (307, f"{other.url}/v1/search?name=Tokyo".encode())
        assert (await ask(server.url, location="Tokyo")).ok
        assert [path for path, _ in other.requests] == ["/v1/search"]
        server.answers["/v1/search"] = (
            307,
            other.url.replace("127.0.0.1", "localhost").encode() + b"/v1/search?name=Tokyo",
        )
        result = await ask(server.url, location="Tokyo")
        assert (result.ok, len(other.requests)) == (False, 1)
        assert "wants to be asked at http://localhost; nothing was sent there" in result.content
    server.answers["/v1/search"] = (302, b"/v1/search")
    assert "from one place to the next" in (await ask(server.url, location="Tokyo")).content


async def test_a_location_that_is_a_story_is_not_sent(server):
    result = await ask(server.url, location="Tokyo " * 1_000)
    assert (result.ok, server.requests, len(result.content) < 100) == (False, [], True)
