"""A small app that shows one widget, and values to show in it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget

from sessions import events as ev
from sessions.memory.fact import Fact, Source
from sessions.messages import Usage
from sessions.store.meta import Meta
from styles import sheets
from styles.themes import PALETTES, textual_theme

NOW = datetime(2026, 11, 29, 17, 14, 8, tzinfo=UTC)
S = "20261129-171408-7f3a9c"
STRANGE = (
    "plain words",
    "日本語のとても長い題名がここに続きます",
    "🌡️ 13 °C 💨 wind 👨‍👩‍👧‍👦 family",
    "[bold]x[/] [link=http://a]b[/]",
    "\x1b[31mred\x1b[0m \x9b \u202egnp",
    "e\u0301e\u0301e\u0301 combining",
    "",
    "w" * 300,
)


class Harness(App[None]):
    AUTO_FOCUS = None
    CSS_PATH: ClassVar = [
        path for path in sheets() if path.name in {"lists.tcss", "tree.tcss", "history.tcss", "memory.tcss"}
    ]

    def __init__(self, *widgets: Widget) -> None:
        super().__init__()
        for name in PALETTES:
            self.register_theme(textual_theme(name))
        self.theme = "dark"
        self.widgets = widgets
        self.said: list[Message] = []

    def compose(self) -> ComposeResult:
        yield from self.widgets

    async def _dispatch_message(self, message: Message) -> None:
        if type(message).__module__.startswith("tui."):
            self.said.append(message)
        await super()._dispatch_message(message)

    def heard(self, kind: type[Message]) -> list[Any]:
        return [message for message in self.said if isinstance(message, kind)]


def least_cpu_s(work: Callable[[], object], runs: int = 5) -> float:
    """The CPU seconds of the fastest run: what the work takes on a machine that others use too."""
    took = []
    gc.disable()
    for _ in range(runs):
        start = time.thread_time()
        work()
        took.append(time.thread_time() - start)
    gc.enable()
    return min(took)


def shown(widget: Widget) -> list[str]:
    """The lines of a widget as it draws them."""
    return [widget.render_line(y).text for y in range(widget.size.height)]


def text_of(widget: Widget) -> str:
    return "\n".join(line.rstrip() for line in shown(widget))


def meta(session: str, title: str, updated_at: str, **values: Any) -> Meta:
    recap = values.pop("recap", None)
    fields: dict[str, Any] = {"profile": "local", "model": "qwen3:8b", "cwd": "/code/atlas", "turns": 2}
    fields |= {"created_at": updated_at, "recap": {"text": recap, "by": "rule"} if recap else None} | values
    return Meta(session, title, updated_at=updated_at, **fields)


def fact(number: int, name: str, summary: str, **values: Any) -> Fact:
    fields: dict[str, Any] = {"kind": "preference", "id": f"id-{number}", "created_at": NOW, "updated_at": NOW}
    fields |= {"path": Path(f"/home/memory/user/{name}.md")} | values
    return Fact(name, summary, number=number, **fields)


LIVES = fact(
    7, "lives-in-tokyo", "Lives in Tokyo", pinned=True, body="The user lives in Tokyo.", related=("prefers-celsius",),
    source=Source("user", S, "m1", "I live in Tokyo, and I prefer Celsius."),
)  # fmt: skip
FACTS = (
    fact(3, "answers-first", "Answers first, then explains", kind="self", pinned=True),
    LIVES,
    fact(11, "sarah-chen", "Sarah Chen is the engineering manager", kind="contact"),
    fact(15, "q3-staffing", "Sarah waits for the Q3 staffing answer", kind="open-thread", due=date(2026, 11, 27)),
    fact(18, "german-news", "Reads the news in German", status="off"),
)


def turn(
    number: int,
    text: str,
    *calls: tuple[str, dict[str, Any] | str, str, bool],
    answer: str = "",
    ends: bool = True,
    recalled: tuple[tuple[int, str], ...] = (),
) -> list[ev.Event]:
    """The events of a turn of one step with calls and one with the answer."""
    at: dict[str, Any] = {"session": S, "turn": number}
    out: list[ev.Event] = [ev.TurnStarted(text=text, at="2026-11-29T17:12:00Z", **at)]
    out.append(ev.StepStarted(step=1, profile="local", model="qwen3:8b", **at))
    for i, (name, arguments, content, ok) in enumerate(calls):
        call = f"call-{number}.{i}"
        out.append(ev.ToolCallStarted(call_id=call, name=name, arguments=arguments, **at))
        if not ends:
            continue
        if recalled and i == 0:
            numbers, names = tuple(n for n, _ in recalled), tuple(name for _, name in recalled)
            out.append(ev.FactsRecalled(names=names, numbers=numbers, call_id=call, **at))
        out.append(ev.ToolCallFinished(call_id=call, name=name, content=content, ok=ok, ms=310, **at))
    if not ends:
        return out
    if calls:
        out.append(ev.StepFinished(step=1, stop="tool_calls", usage=Usage(9400, 35), ms=800, **at))
        out.append(ev.StepStarted(step=2, profile="local", model="qwen3:8b", **at))
    out.append(ev.TextDelta(text=answer, **at))
    out.append(ev.StepFinished(step=2 if calls else 1, stop="stop", usage=Usage(9700, 168), ms=1800, **at))
    out.append(ev.TurnFinished(stop="stop", text=answer, usage=Usage(19100, 203), ms=2900, always_sent=8, **at))
    return out
