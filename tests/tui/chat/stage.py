"""A small app with a transcript and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.events import MouseMove
from textual.pilot import Pilot
from textual.widgets import Input

from sessions import events as ev
from sessions.clock import FixedClock
from styles import sheets
from styles.themes import PALETTES, textual_theme
from tui.chat.messages import FactOpened, FootAction, FootFocused, Left, LinkOpened, SelectionEnded
from tui.chat.transcript import Transcript

NOW = datetime(2026, 11, 29, 17, 20, tzinfo=UTC)
S = "20261129-171408-7f3a9c"


class Stage(App[None]):
    CSS_PATH: ClassVar = [path for path in sheets() if path.name == "transcript.tcss"]
    CSS = "Input { display: none; }"

    def __init__(self, replay: Iterable[ev.Event] = ()) -> None:
        super().__init__()
        for name in PALETTES:
            self.register_theme(textual_theme(name))
        self.theme = "dark"
        self.replay = list(replay)
        self.said: list[object] = []

    def compose(self) -> ComposeResult:
        yield Transcript(id="transcript", clock=FixedClock(NOW))
        yield Input()

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def on_mount(self) -> None:
        if self.replay:
            self.transcript.load(self.replay)

    def _note(self, message: object) -> None:
        self.said.append(message)

    def on_selection_ended(self, message: SelectionEnded) -> None:
        self._note(message)

    def on_link_opened(self, message: LinkOpened) -> None:
        self._note(message)

    def on_foot_action(self, message: FootAction) -> None:
        self._note(message)

    def on_foot_focused(self, message: FootFocused) -> None:
        self._note(message)

    def on_fact_opened(self, message: FactOpened) -> None:
        self._note(message)

    def on_left(self, message: Left) -> None:
        self._note(message)


def rows(view: Transcript) -> list[str]:
    """What the screen shows, line by line."""
    return [view.render_line(y).text.rstrip() for y in range(view.size.height)]


def find(view: Transcript, words: str) -> tuple[int, int]:
    """Column and row of some words on the screen."""
    for y, row in enumerate(rows(view)):
        if words in row:
            return row.index(words), y
    raise AssertionError(f"{words!r} is not on the screen:\n" + "\n".join(rows(view)))


async def drag(pilot: Pilot[None], to: tuple[int, int]) -> None:
    """Move the mouse to a cell of the transcript with its left button held down."""
    await pilot._post_mouse_events([MouseMove], "#transcript", to, button=1)


def turn(number: int, prompt: str, answer: str, **end: object) -> list[ev.Event]:
    """A turn of one step."""
    head = {"session": S, "turn": number}
    return [
        ev.TurnStarted(**head, text=prompt, at="2026-11-29T17:12:00Z"),
        ev.StepStarted(**head, step=1, profile="p", model="m"),
        ev.TextDelta(**head, text=answer),
        ev.StepFinished(**head, step=1, stop="stop", message=f"m{number}"),
        ev.TurnFinished(**head, stop="stop", text=answer, **({"ms": 900} | end)),
    ]


def many(count: int, answer: Callable[[int], str] = lambda n: f"answer {n}\n\n" + "word " * 60) -> list[ev.Event]:
    """That many turns."""
    return [event for n in range(1, count + 1) for event in turn(n, f"prompt {n}", answer(n))]
