"""A weather service on 127.0.0.1 with the documented shapes of Open-Meteo.

As a program: `python -m tests.servers.weather_server --port 8098`; then set both addresses of `[weather]` to it.
"""

from __future__ import annotations

import argparse
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

# name, latitude, longitude, country, code, region, °C, km/h, clouds in %
CITIES = [
    ("Tokyo", 35.6895, 139.69171, "Japan", "JP", "Tokyo", 18.5, 11.2, 40),
    ("Osaka", 34.69379, 135.50107, "Japan", "JP", "Osaka", 20.4, 7.5, 75),
    ("Kyoto", 35.02107, 135.75385, "Japan", "JP", "Kyoto", 17.2, 3.4, 10),
    ("Berlin", 52.52437, 13.41053, "Germany", "DE", "State of Berlin", -0.4, 18.6, 100),
    ("Paris", 48.85341, 2.3488, "France", "FR", "Île-de-France Region", 12.5, 9.4, 62),
    ("Paris", 33.66094, -95.55551, "United States", "US", "Texas", 27.6, 21.5, 5),
    ("London", 51.50853, -0.12574, "United Kingdom", "GB", "England", 9.5, 14.8, 88),
    ("London", 42.98339, -81.23304, "Canada", "CA", "Ontario", -7.5, 16.0, 97),
    ("New York", 40.71427, -74.00597, "United States", "US", "New York", 15.1, 13.0, 30),
    ("San Francisco", 37.77493, -122.41942, "United States", "US", "California", 16.0, 22.4, 55),
    ("São Paulo", -23.5475, -46.63611, "Brazil", "BR", "São Paulo", 24.5, 6.1, 66),
    ("Oslo", 59.91273, 10.74609, "Norway", "NO", "Oslo", -12.5, 2.4, 0),
]


def geocode(name: str, count: int = 10) -> dict[str, Any]:
    """What `/v1/search` answers: no `results` at all when nothing fits."""
    found = [
        {
            "id": 1_000_000 + i,
            "name": city,
            "latitude": latitude,
            "longitude": longitude,
            "elevation": 40.0,
            "feature_code": "PPLC",
            "country_code": code,
            "country": country,
            "admin1": region,
            "timezone": "GMT",
        }
        for i, (city, latitude, longitude, country, code, region, *_) in enumerate(CITIES)
        if len(name) > 1 and city.casefold().startswith(name.casefold())
    ]
    return ({"results": found[:count]} if found else {}) | {"generationtime_ms": 0.6}


def forecast(query: dict[str, str]) -> dict[str, Any]:
    """What `/v1/forecast?current=…` answers for the nearest of the cities."""
    latitude, longitude = float(query["latitude"]), float(query["longitude"])
    city = min(CITIES, key=lambda c: abs(c[1] - latitude) + abs(c[2] - longitude))
    fahrenheit = query.get("temperature_unit") == "fahrenheit"
    values = {
        "temperature_2m": round(city[6] * 9 / 5 + 32, 1) if fahrenheit else city[6],
        "wind_speed_10m": city[7],
        "cloud_cover": city[8],
    }
    units = {"temperature_2m": "°F" if fahrenheit else "°C", "wind_speed_10m": "km/h", "cloud_cover": "%"}
    asked = [k for k in query.get("current", "").split(",") if k]
    head = {"time": "2026-11-29T17:00", "interval": 900}
    return {
        "latitude": latitude,
        "longitude": longitude,
        "generationtime_ms": 0.04,
        "utc_offset_seconds": 0,
        "timezone": "GMT",
        "timezone_abbreviation": "GMT",
        "elevation": 40.0,
        "current_units": {"time": "iso8601", "interval": "seconds"} | {k: units[k] for k in asked},
        "current": head | {k: values[k] for k in asked},
    }


class WeatherServer:
    """`with WeatherServer() as server:`; `server.answers[path]` replaces an answer by (status, body) or a pause.

    A body of a redirection is the place that it names.
    """

    def __init__(self, port: int = 0) -> None:
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._http.daemon_threads = True
        self._http.owner = self  # type: ignore[attr-defined]
        self.requests: list[tuple[str, dict[str, str]]] = []
        """(path, query) of each request."""
        self.answers: dict[str, tuple[int, bytes] | threading.Event] = {}
        """By path: what is sent instead; an event that is waited for before the connection is closed."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> WeatherServer:
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for answer in self.answers.values():
            if isinstance(answer, threading.Event):
                answer.set()
        self._http.shutdown()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        owner: WeatherServer = self.server.owner  # type: ignore[attr-defined]
        parts = urlsplit(self.path)
        query = dict(parse_qsl(parts.query))
        owner.requests.append((parts.path, query))
        scripted = owner.answers.get(parts.path)
        if isinstance(scripted, threading.Event):
            scripted.wait()
            return
        if scripted:
            self._send(*scripted)
            return
        try:
            if parts.path == "/v1/search":
                self._send(200, json.dumps(geocode(query["name"], int(query.get("count", 10)))).encode())
            elif parts.path == "/v1/forecast":
                self._send(200, json.dumps(forecast(query)).encode())
            else:
                self._send(404, b'{"error": true, "reason": "Not Found"}')
        except (KeyError, ValueError) as e:
            self._send(400, json.dumps({"error": True, "reason": f"Parameter error: {e}"}).encode())

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        if 300 <= status < 400:
            self.send_header("Location", body.decode())
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    with WeatherServer(parser.parse_args().port) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
