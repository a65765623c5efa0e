"""The weather now, from Open-Meteo: no key, two requests (where is it, what is it like there).

The service's interface: https://open-meteo.com/en/docs and https://open-meteo.com/en/docs/geocoding-api.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sessions.address import shown
from sessions.settings import WeatherSettings
from sessions.tools.base import Tool, ToolContext, ToolResult
from sessions.tools.places import Place, choose, others, place_of

if TYPE_CHECKING:
    import httpx2

LIMIT_S = 9.0
"""For both requests together."""
_SILENCE_S = 4.5
_BYTES = 1_000_000
"""Of one reply."""
_REDIRECTS = 3
_CHARACTERS = 200
"""Of the name of a place."""
_LARGEST = 10_000
"""No temperature, wind or share of clouds is larger."""
_SIGNS = {"celsius": "°C", "fahrenheit": "°F"}

_DESCRIPTION = (
    "Current weather at a place: temperature, wind, cloud coverage. Give its answer to the user as it is. "
    "Use the units that the user prefers."
)
_BRIEF = "Current weather at a city. Give its answer to the user as it is."
_PARAMETERS = {
    "type": "object",
    "properties": {
        "location": {
            "type": "string",
            "description": "A city; where its name is not unique with region or country: Paris, Texas",
        },
        "units": {"type": "string", "enum": ["celsius", "fahrenheit"], "description": "Default: celsius"},
    },
    "required": ["location"],
}


def weather_tool(settings: WeatherSettings) -> Tool:
    """`get_weather(location, units?)`, answering in the fixed format or with one line that begins with ⚠️."""

    async def run(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        units = "fahrenheit" if arguments.get("units") == "fahrenheit" else "celsius"
        try:
            async with asyncio.timeout(LIMIT_S):
                return ToolResult(await _weather(settings, str(arguments["location"]), units))
        except TimeoutError:
            return _failed(f"The weather service did not answer within {LIMIT_S:g} s.")
        except WeatherError as e:
            return _failed(str(e))

    aliases = {"city": "location", "place": "location", "unit": "units"}
    return Tool("get_weather", _DESCRIPTION, _PARAMETERS, run, aliases=aliases, brief=_BRIEF)


class WeatherError(Exception):
    """Why there is no weather, in one sentence for the person."""


@dataclass(frozen=True, slots=True)
class _Source:
    """One of the service's two addresses."""

    base: str
    path: str

    @property
    def url(self) -> str:
        return self.base.rstrip("/").removesuffix(self.path) + self.path

    @property
    def host(self) -> str:
        return urlsplit(self.base).netloc.rpartition("@")[2] or shown(self.base)

    @property
    def local(self) -> bool:
        return urlsplit(self.base).hostname in {"127.0.0.1", "localhost", "::1"}


async def _weather(settings: WeatherSettings, location: str, units: str) -> str:
    name, *qualifiers = [" ".join(part.split()) for part in location.split(",")]
    if not name:
        raise WeatherError("Which place? The location is empty.")
    if len(location) > _CHARACTERS:
        raise WeatherError(f"Which place? A location has at most {_CHARACTERS} characters.")
    geocoding, forecast = _Source(settings.geocoding_url, "/v1/search"), _Source(settings.forecast_url, "/v1/forecast")
    client = await asyncio.to_thread(_client, geocoding.local and forecast.local)
    async with client:
        query: dict[str, str | float] = {"name": name, "count": 10, "language": "en", "format": "json"}
        place = _place(await _get(client, geocoding, query), name, [q for q in qualifiers if q])
        query = {
            "latitude": place.latitude,
            "longitude": place.longitude,
            "current": "temperature_2m,wind_speed_10m,cloud_cover",
            "temperature_unit": units,
            "wind_speed_unit": "kmh",
        }
        reply = await _get(client, forecast, query)
    current = reply.get("current")
    values = [current.get(k) if isinstance(current, dict) else None for k in query["current"].split(",")]  # type: ignore[union-attr]
    temperature, wind, clouds = (_whole(value, forecast) for value in values)
    return (
        f"Here is the weather information for {place.named}:\n\n"
        f"🌡️ {temperature}{_SIGNS[units]}\n💨 wind {wind} km/h\n☁️ cloud coverage {clouds}%"
    )


def _client(direct: bool) -> httpx2.AsyncClient:
    """Made in a thread, for the import and the certificates take a while. `direct`: no proxy to this machine."""
    import httpx2

    return httpx2.AsyncClient(timeout=_SILENCE_S, trust_env=not direct)


async def _get(client: httpx2.AsyncClient, source: _Source, query: dict[str, str | float]) -> dict[str, Any]:
    import httpx2

    try:
        response = await _open(client, source, query)
        try:
            body = bytearray()
            async for part in response.aiter_bytes():
                body += part
                if len(body) > _BYTES:
                    raise _unreadable(source)
        finally:
            await response.aclose()
    except httpx2.TimeoutException:
        raise WeatherError(f"The weather service at {source.host} did not answer in time.") from None
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError):
        raise WeatherError(f"The weather service at {source.host} cannot be reached.") from None
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        reply = None
    if isinstance(reply, dict) and isinstance(reply.get("reason"), str):
        raise WeatherError(f"The weather service refused: {' '.join(reply['reason'].split())[:200]}")
    if response.is_error:
        raise WeatherError(f"The weather service at {source.host} has trouble ({response.status_code}).")
    if not isinstance(reply, dict):
        raise _unreadable(source)
    return reply


async def _open(client: httpx2.AsyncClient, source: _Source, query: dict[str, str | float]) -> httpx2.Response:
    """The answer of the service, or of another place at the same host that it names."""
    request = client.build_request("GET", source.url, params=query)
    for _ in range(_REDIRECTS + 1):
        response = await client.send(request, stream=True)
        following = response.next_request
        if following is None:
            return response
        await response.aclose()
        was, now = request.url, following.url
        if was.host != now.host or (was.scheme, now.scheme) == ("https", "http"):
            where = f"{now.scheme}://{now.host}"[:_CHARACTERS]
            raise WeatherError(
                f"The weather service at {source.host} wants to be asked at {where}; nothing was sent there."
            )
        request = following
    raise WeatherError(f"The weather service at {source.host} sends from one place to the next.")


def _place(reply: dict[str, Any], name: str, qualifiers: list[str]) -> Place:
    results = reply.get("results") or []
    found = [p for p in map(place_of, results if isinstance(results, list) else []) if p]
    if not found:
        raise WeatherError(f"No place called {name} was found.")
    place = choose(found, qualifiers)
    if place is None:
        raise WeatherError(f"No {name} in {', '.join(qualifiers)} was found; there is {others(found)}.")
    return place


def _whole(value: Any, source: _Source) -> int:
    """Rounded, halves away from zero; -0.4 is 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < _LARGEST:
        raise _unreadable(source)
    return int(Decimal(str(value)).quantize(Decimal(1), ROUND_HALF_UP))


def _unreadable(source: _Source) -> WeatherError:
    return WeatherError(f"The weather service at {source.host} sent a reply that cannot be read.")


def _failed(why: str) -> ToolResult:
    return ToolResult(f"⚠️ {why}", ok=False)
