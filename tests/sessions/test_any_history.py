"""Whatever happens in a session, in whatever order: nothing written is lost, every request is well-formed and fits."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.agent import compaction
from sessions.agent.agent import Agent
from sessions.agent.budget import CHARS_PER_TOKEN, request_chars
from sessions.agent.context import standing
from sessions.agent.prompt import system_prompt
from sessions.clock import FixedClock
from sessions.errors import ProviderError
from sessions.events import TurnFailed
from sessions.ids import message_id
from sessions.messages import AssistantMessage, Marker, Record, ToolCall, ToolMessage, Unknown, UserMessage, to_json
from sessions.paths import HomePaths
from sessions.providers.base import Finished, Request, RequestedCall, TextPiece
from sessions.providers.chat_request import body
from sessions.settings import ContextSettings, Profile, Settings
from sessions.store.fork import fork
from sessions.store.line import before, main_line, messages_of, whole_turns
from sessions.store.log import LogWriter, read_log
from tests.servers.wellformed import problems
from tests.sessions.agent.scripted import NOW, echo

WINDOW = 3_000
FIRST = "20261129-171408-000000"

STEPS = st.one_of(
    st.tuples(st.just("turn"), st.integers(0, 900), st.integers(0, 3), st.integers(0, 4000), st.booleans()),
    st.tuples(st.just("crash"), st.integers(1, 400)),
    st.tuples(st.sampled_from(["compact", "clear", "fork", "resume", "off", "on"])),
    st.tuples(st.just("rewind"), st.integers(0, 6)),
)


class Model:
    """Calls tools, answers long, summarises, and sometimes fails."""

    profile, model, place, context_window = "test", "m", "this machine", WINDOW

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.plan: list[int] = []
        self.answer_chars = 0
        self.broken = False

    async def stream(self, request: Request) -> Any:
        self.requests.append(request)
        if request.purpose == "compact":
            if self.broken:
                raise ProviderError("Broken")
            yield TextPiece("In short.")
        elif self.plan:
            chars = self.plan.pop()
            yield Finished("tool_calls", (RequestedCall("echo", {"text": "x" * chars}, "{}", "p"),))
            return
        else:
            yield TextPiece("word " * (self.answer_chars // 5))
        yield Finished("stop")

    async def close(self) -> None: ...


class Life:
    """One session on the disk, taken up again and again."""

    def __init__(self, home: Path) -> None:
        self.paths = HomePaths(home, home / "config.toml")
        self.paths.sessions.mkdir(parents=True)
        self.session, self.forks = FIRST, 0
        self.mode: Any = "on"
        self.model = Model()
        first = Marker(message_id(), "2026-11-29T17:14:08.123Z", "session", {"cwd": "/tmp"})
        self.log: LogWriter | None = LogWriter.create(self.paths, self.session, first)
        self.seen: dict[str, list[bytes]] = {}
        self.agent = self._made()

    def _made(self) -> Agent:
        records = read_log(self.path).records
        limits = Settings(context=ContextSettings())
        assert self.log is not None
        return Agent(
            self.model, self.log, records, [], [echo()], limits, FixedClock(NOW), self.session, Path("/tmp"),
            mode=lambda: self.mode,
        )  # fmt: skip

    @property
    def path(self) -> Path:
        return self.paths.session_log(self.session)

    def resume(self) -> None:
        if self.log is not None:
            self.log.close()
        self.log = LogWriter.open(self.paths, self.session)
        self.agent = self._made()

    async def do(self, step: tuple[Any, ...]) -> None:
        match step:
            case ("turn", said, calls, long, broken):
                self.model.plan = [long] * calls
                self.model.answer_chars, self.model.broken = said * 3, broken
                start = len(self.model.requests)
                events = [e async for e in self.agent.turn("ask " * (said // 8 + 1))]
                self.check(self.model.requests[start:], failed=isinstance(events[-1], TurnFailed))
            case ("crash", lost):
                assert self.log is not None
                self.log.close()
                data = self.path.read_bytes()
                first = data.index(b"\n") + 1
                self.path.write_bytes(data[: max(first, len(data) - lost)])
                self.seen[self.session] = self.path.read_bytes().split(b"\n")[:-1]
                self.log = None
                self.resume()
            case ("compact",):
                self.model.broken = False
                async for _ in self.agent.compact():
                    pass
            case ("clear",):
                await self.agent.write(Marker(message_id(), "", "cleared"))
            case ("rewind", back):
                line = main_line(self.agent.records)
                prompts = [r for r in line if isinstance(r, UserMessage)]
                if prompts:
                    prompt = prompts[-1 - back % len(prompts)]
                    await self.agent.write(Marker(message_id(), "", "rewound", {"to": before(line, prompt.id)}))
            case ("fork",):
                self.forks += 1
                new = f"20261129-171408-{self.forks:06x}"
                head = Marker(message_id(), "2026-11-29T17:14:08.123Z", "session", {"cwd": "/tmp"})
                fork(self.paths, self.session, new, head)
                assert self.log is not None
                self.log.close()
                self.session, self.log = new, None
                self.resume()
            case ("off" | "on",):
                self.mode = step[0]
            case _:
                self.resume()
        self.nothing_is_lost()

    def nothing_is_lost(self) -> None:
        """What was once a whole line of a log still is, in its place, and a reader gets what the agent has."""
        for session, lines in self.seen.items():
            assert self.paths.session_log(session).read_bytes().split(b"\n")[: len(lines)] == lines
        self.seen[self.session] = self.path.read_bytes().split(b"\n")[:-1]
        read = read_log(self.path).records
        assert [as_read(r) for r in read] == [as_read(r) for r in self.agent.records]

    def check(self, requests: list[Request], *, failed: bool) -> None:
        profile = Profile("test", model="m")
        for request in requests:
            assert problems(body(request, profile, usage=True)) == []
            if request.purpose == "compact":
                assert request_chars(request) <= WINDOW * CHARS_PER_TOKEN
                continue
            turns = whole_turns(request.messages)
            fits = request_chars(request) <= WINDOW * CHARS_PER_TOKEN
            assert fits or len(turns) == 1, "only one turn may be more than the window, which the model then refuses"
            summaries = [r for r in self.agent.records if isinstance(r, Marker) and r.kind == "compaction"]
            assert request.summary in {"", *(m.data.get("content") for m in summaries)}
        assert requests or failed


def as_read(record: Record) -> Any:
    if isinstance(record, Unknown):
        return record.raw
    return json.loads(json.dumps(to_json(record), default=str))


@settings(max_examples=40)
@given(st.lists(STEPS, min_size=1, max_size=12))
def test_any_history_keeps_every_line_and_every_request_is_well_formed_and_fits(steps: list[tuple[Any, ...]]) -> None:
    async def live() -> None:
        with tempfile.TemporaryDirectory() as folder:
            life = Life(Path(folder) / "home")
            for step in steps:
                await life.do(step)
            first, second = [await life.agent.look("next") for _ in range(2)]
            assert body(first.request, Profile("t"), usage=True) == body(second.request, Profile("t"), usage=True)
            life.resume()
            third = await life.agent.look("next")
            assert third.request.messages == first.request.messages and third.request.summary == first.request.summary
            assert first.request.system.startswith(system_prompt(memory=life.mode == "on")[:40])
            assert life.log is not None
            life.log.close()

    asyncio.run(live())


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_a_cut_never_parts_a_turn_or_a_call_from_its_result(seed: int) -> None:
    random_ = random.Random(seed)
    records: list[Record] = []
    for turn in range(1, random_.randrange(2, 12)):
        records.append(UserMessage(f"u{turn}", "", turn, "q " * random_.randrange(200)))
        for step in range(random_.randrange(3)):
            call = ToolCall(f"c{turn}-{step}", "echo", {})
            records.append(AssistantMessage(f"a{turn}-{step}", "", turn, "", tool_calls=(call,)))
            if random_.random() < 0.8:
                said = "row " * random_.randrange(600)
                records.append(ToolMessage(f"t{turn}-{step}", "", turn, call.id, "echo", said, True, 1))
        records.append(AssistantMessage(f"a{turn}", "", turn, "yes " * random_.randrange(200)))
    now = standing(records, False)
    found = compaction.cut(now, random_.randrange(8_000), running=random_.random() < 0.5)
    if found is None:
        assert len(now.turns) == 1
        return
    ids = [m.id for m in messages_of(records)]
    older = [m.id for m in found.older]
    assert ids[: len(older)] == older and (found.first_kept is None or ids[len(older)] == found.first_kept)
    assert found.first_kept is None or found.first_kept.startswith("u")
