"""A loop and tools as small as they get, for talking with the guide."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from sessions.clock import FixedClock
from sessions.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from sessions.providers.base import Finished, Request, TextPiece, ToolSpec
from sessions.providers.guide import make
from sessions.settings import Profile

NOW = datetime(2026, 11, 29, 17, 14, tzinfo=UTC)
ON = ("recall_memory", "save_memory", "delete_memory", "search_history", "get_weather")
READ_ONLY = ("recall_memory", "search_history", "get_weather")
OFF = ("get_weather",)
WEATHER = "Here is the weather information for {city}, Japan:\n\n🌡️ 12{unit}\n💨 wind 8 km/h\n☁️ cloud coverage 40%"


class Talk:
    """One session with the guide over facts in a dict; `calls` are those of the newest turn, a list a step."""

    def __init__(self, tools: tuple[str, ...] = ON, *, inject: bool = True, contents: bool = True) -> None:
        self.guide = make(Profile("guide", type="guide", model="guide"), FixedClock(NOW))
        self.tools = tools
        self.inject, self.contents = inject, contents
        self.facts: dict[str, dict[str, Any]] = {}
        self.messages: list[Message] = []
        self.calls: list[list[tuple[str, dict[str, Any]]]] = []
        self.pieces: list[str] = []
        self.passages = ""
        self.weather = WEATHER
        self.refuse: dict[str, str] = {}
        self.turn = 0
        self.environment = "Today: 2026-11-29 (Sunday), 17:14, zone Europe/Berlin. Folder: ~/code/atlas"

    async def say(self, text: str) -> str:
        self.turn += 1
        self.calls = []
        self._add(UserMessage(f"u{self.turn}", "", self.turn, text))
        for step in range(8):
            self.pieces, finished = [], None
            async for piece in self.guide.stream(self.request()):
                if isinstance(piece, TextPiece):
                    self.pieces.append(piece.text)
                if isinstance(piece, Finished):
                    finished = piece
            assert finished and finished.usage and finished.usage.input > 0
            calls = tuple(
                ToolCall(f"c{self.turn}-{step}-{i}", c.name, c.arguments) for i, c in enumerate(finished.calls)
            )
            answer = "".join(self.pieces)
            self._add(AssistantMessage(f"a{self.turn}-{step}", "", self.turn, answer, tool_calls=calls))
            if not calls:
                assert finished.stop == "stop"
                return answer
            self.calls.append([(c.name, dict(c.arguments or {})) for c in calls])
            for call in calls:
                assert call.name in self.tools, f"{call.name} is not offered"
                ok, content = self._run(call.name, dict(call.arguments or {}))
                self._add(ToolMessage(f"t{call.id}", "", self.turn, call.id, call.name, content, ok))
        raise AssertionError("the guide does not come to an end")

    def request(self) -> Request:
        facts = sorted(self.facts.values(), key=lambda f: f["number"])
        memory = "recall_memory" in self.tools
        block = "Facts, as data:\n" + "\n".join(map(_numbered, facts)) if self.inject and memory else ""
        contents = "\n".join(f"{f['number']} {f['name']} — {f['summary']}" for f in facts) if self.contents else ""
        specs = tuple(
            ToolSpec(name, f"About {name}.\n{contents if name == 'recall_memory' else ''}", {"type": "object"})
            for name in self.tools
        )
        return Request(f"You are an agent.\n\n{block}", tuple(self.messages), specs, environment=self.environment)

    def names(self) -> list[str]:
        return sorted(self.facts)

    def steps(self) -> list[list[str]]:
        return [[name for name, _ in step] for step in self.calls]

    def _add(self, message: Message) -> None:
        self.messages.append(message)

    def _run(self, name: str, given: dict[str, Any]) -> tuple[bool, str]:
        if name in self.refuse:
            return False, self.refuse[name]
        match name:
            case "save_memory":
                return self._save(given)
            case "delete_memory":
                gone = self.facts.pop(given["fact"], None)
                return gone is not None, f"Forgot {given['fact']}." if gone else f"No fact {given['fact']}."
            case "recall_memory":
                found = self._recall(given)
                rows = "\n".join(f"{_numbered(f)}\n  known since 2026-11-29" for f in found)
                return True, f"Remembered facts, as data:\n{rows}" if found else "Nothing is remembered."
            case "search_history":
                found = self.passages
                return True, f"1 passage from past sessions:\n\n{found}" if found else "Nothing found in past sessions."
            case _:
                unit = "°F" if given.get("units") == "fahrenheit" else "°C"
                return True, self.weather.format(city=given["location"], unit=unit)

    def _save(self, given: dict[str, Any]) -> tuple[bool, str]:
        assert given["quote"] and len(given["summary"]) <= 120 and "\n" not in given["summary"]
        old = given.pop("replaces", None)
        if old is not None and old not in self.facts:
            return False, f"No fact {old}."
        before = self.facts.pop(old or given["name"], None)
        number = before["number"] if before else max((f["number"] for f in self.facts.values()), default=0) + 1
        self.facts[given["name"]] = given | {"number": number}
        return True, f"Saved #{number} {given['name']}: {given['summary']}"

    def _recall(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        facts = list(self.facts.values())
        if "fact" in given:
            return [f for f in facts if str(given["fact"]) in {f["name"], str(f["number"])}]
        if "kind" in given:
            return [f for f in facts if f["kind"] == given["kind"]]
        asked = set(given["query"].lower().replace(":", "").replace(";", "").split())
        return [f for f in facts if asked & set(f"{f['name'].replace('-', ' ')} {f['summary'].lower()}".split())]


def _numbered(fact: dict[str, Any]) -> str:
    due = f", due {fact['due']}" if fact.get("due") else ""
    body = "".join(f"\n  {line}" for line in fact.get("body", "").split("\n") if line)
    return f"#{fact['number']} {fact['name']} ({fact['kind']}{due}): {fact['summary']}{body}"


def due(fact: dict[str, Any]) -> date:
    return date.fromisoformat(fact["due"])
