"""Connect a model: what was found, where words would go, a test, and a choice that is kept."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from textual import events
from textual.app import ComposeResult
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from sessions.errors import MemagentError
from sessions.hub.connecting import Tested
from sessions.providers.discovery import Looked
from sessions.providers.listing import Model
from tui.dialogs.base import Dialog, Lines
from tui.dialogs.buttons import Buttons
from tui.dialogs.connect_rows import Place, PlaceRow, places, rows, told
from tui.widgets.footer import Key
from tui.widgets.header import size_text
from tui.widgets.linelist import AIRY_ROWS, LineList
from tui.widgets.look import look_of
from tui.widgets.rows import ground, line, wrap
from tui.widgets.when import span

AGAIN_S = 10.0
"""After which it is looked again while the dialog is open."""
_CHOOSE: Key = ("", "↑↓", "Choose")
_AGAIN: Key = ("r", "r", "Look again")
_FRAME, _LINES = 9, 2
"""Rows of the screen around both; lines that most places have below, so that the list does not move with each."""
_KEYS = "Keys stay in the environment or the keyring, never in a file."


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person wants to use."""

    place: Place
    model: Model | None = None
    rekey: bool = False
    """The key that is known is to be given anew."""


class Tries(Protocol):
    """What the dialog asks while it is open."""

    def look(self, *, asked: bool) -> Awaitable[Looked]: ...

    def models(self, place: Place) -> Awaitable[Sequence[Model]]: ...

    def test(self, place: Place, model: Model) -> Awaitable[Tested]: ...

    def pick(self, place: Place) -> Awaitable[Model | None]:
        """Let the person choose a model of the place."""
        ...


class Connect(Dialog[Answer]):
    """Gives what is to be used."""

    def __init__(
        self, tries: Tries, looked: Looked | None, now: str = "", model: str = "", own: Sequence[Place] = ()
    ) -> None:
        """`now` is the address (`Place.door`) of what answers now, or the name of the guide, `model` its model; `own`
        are the addresses that stand in the settings."""
        super().__init__("Connect a model", [_CHOOSE, ("enter", "enter", "Use"), _AGAIN], close="Later")
        self.add_class("-connect")
        self._tries = tries
        self._looked = looked
        self._now = now
        self._now_model = model
        self._own = own
        self._looking = looked is None
        self._asked = False
        """The person asked for a look."""
        self._models: dict[str, Model] = {}
        """Key of a place -> the model that was picked for it."""
        self._tested: dict[tuple[str, str], Tested] = {}
        self._since: float | None = None
        """When the test that runs was begun."""
        self._testing: tuple[str, str] = ("", "")
        self._clock: Timer | None = None
        self._rows = self._told = 0
        """Lines of the list, and of what is said below it."""

    def body(self) -> ComposeResult:
        choices = LineList(id="choices")
        choices.one_click = False
        yield choices
        yield _Rule(id="connect-rule")
        yield Lines([], id="connect-told")
        yield Buttons()

    def on_mount(self) -> None:
        choices = self.query_one("#choices", LineList)
        self._show(keep=False)
        there = self._places
        answers = [p for p in there if p.kind != "guide" and p.door == self._now]
        first = [*answers, *(p for p in there if p.models), *(p for p in there if p.variable)]
        if first:
            choices.choose(first[0].key)
        choices.focus()
        self._say()
        self._took()
        self._look(asked=False)
        self.set_interval(AGAIN_S, self._again)

    @property
    def _places(self) -> list[Place]:
        return places(self._looked or Looked(), self._own)

    @property
    def _place(self) -> Place | None:
        row = self.query_one("#choices", LineList).cursor_row
        return row.place if isinstance(row, PlaceRow) else None

    def _model(self, place: Place) -> Model | None:
        """The one that was picked, else the one that answers now, else the first."""
        now = self._now_model if place.door == self._now else ""
        first = place.models[0] if place.models else None
        return self._models.get(place.key) or next((m for m in place.models if m.id == now), first)

    # What shows

    def _show(self, *, keep: bool = True) -> None:
        made = rows(self._places, self._models, self._now, self._now_model, looking=self._looking)
        airy = self.app.size.height >= AIRY_ROWS
        self._rows = len(made) + (sum(1 for row in made[1:] if row.head) if airy else 0)
        self._fit()
        self.query_one("#choices", LineList).set_rows(made, keep=keep)
        self.query_one("#connect-rule").display = airy

    def _tell(self, lines: list[tuple[str, str]]) -> None:
        self.query_one("#connect-told", Lines).show(lines)
        self._told = len(lines)
        self._fit()

    def _fit(self) -> None:
        """The list leaves room for what is said below it, and for the buttons."""
        height = self.app.size.height
        room = height - (_FRAME + 3 if height >= AIRY_ROWS else _FRAME) - max(_LINES, self._told)
        self.query_one("#choices", LineList).styles.height = max(1, min(self._rows, room))

    def _say(self) -> None:
        """What there is to say of the chosen place, and the keys that it has."""
        place = self._place if not self.gone else None
        if place is None:
            return
        keys = [("muted", _KEYS)] if place.kind in {"own", "key", "other"} else []
        self._tell([*self._result(place), *keys])
        model = self._model(place)
        name = model.id if model else place.name if place.kind != "other" else "another"
        if not place.ready:
            enter: Key = ("enter", "enter", "Look again")
            self.query_one(Buttons).show([enter])
            self.show_keys([_CHOOSE, enter])
            return
        more: list[Key] = []
        if model is not None:
            more.append(("t", "t", "Test"))
        if place.kind == "key" or place.models:
            more.append(("m", "m", "Models"))
        if place.keyed:
            more.append(("k", "k", "Key"))
        self.query_one(Buttons).show([("enter", "enter", f"Use {name}"), *more])
        self.show_keys([_CHOOSE, ("enter", "enter", "Use"), *more, _AGAIN])

    def _result(self, place: Place) -> list[tuple[str, str]]:
        model = self._model(place)
        if model is None:
            return _wrapped(*told(place))
        if self._since is not None and self._testing == (place.key, model.id):
            waits = int(time.monotonic() - self._since)
            so_long = f", {waits} s" if waits else ""
            more = " · it may have to be loaded first" if waits >= 5 and place.local else ""
            return [("fg", f"{look_of(self.app).marks.ellipsis} asking {model.id}{so_long}{more}")]
        tested = self._tested.get((place.key, model.id))
        if tested is None:
            return _wrapped(*told(place))
        marks = look_of(self.app).marks
        if tested.error:
            return _wrapped("err", f"{marks.failed} {tested.error}")
        tools = "tools work" if tested.tools else "it called no tool: memory works only with tools"
        window = f" {marks.dot} context {size_text(tested.window)}" if tested.window else ""
        said = f"{marks.done} {model.id} answered in {span(tested.ms)} {marks.dot} {tools}{window}"
        return _wrapped("fg" if tested.tools else "warn", said)

    # What it does

    def _look(self, *, asked: bool) -> None:
        self._asked = self._asked or asked
        self._looking = asked or self._looked is None
        if self._looking:
            self._show()
        self.beside("look", partial(self._looked_again, asked=asked))

    async def _looked_again(self, *, asked: bool, by_itself: bool = False) -> None:
        place = self._place
        first = self._looked is None or (asked and not by_itself and place is not None and not place.ready)
        self._looked = await self._tries.look(asked=asked)
        self._looking = False
        self._show()
        if first and (best := next((p.key for p in self._places if p.kind == "server" and p.models), "")):
            self.query_one("#choices", LineList).choose(best)
        self._took()
        self._say()

    def _again(self) -> None:
        """What was started meanwhile is found, as on the start screen."""
        if self.is_current and not self._looking:
            self.beside("look", partial(self._looked_again, asked=self._asked, by_itself=True))

    def _took(self) -> None:
        if self._looked is not None and self._looked.servers:
            self.note(f"looked in {max(0.1, self._looked.took_s):.1f} s")

    def key_r(self, event: events.Key) -> None:
        event.stop()
        self._look(asked=True)

    def key_k(self, event: events.Key) -> None:
        event.stop()
        place = self._place
        if place is not None and place.keyed:
            self.dismiss(Answer(place, self._model(place), rekey=True))

    def key_t(self, event: events.Key) -> None:
        event.stop()
        place = self._place
        model = self._model(place) if place is not None else None
        if place is None or model is None or self._since is not None:
            return
        self._testing, self._since = (place.key, model.id), time.monotonic()
        self._clock = self.set_interval(1.0, self._say)
        self._say()
        self.beside("test", partial(self._test, place, model), exclusive=False)

    async def _test(self, place: Place, model: Model) -> None:
        try:
            self._tested[place.key, model.id] = await self._tries.test(place, model)
        finally:
            self._since = None
            if self._clock is not None:
                self._clock.stop()
        self._say()

    def key_m(self, event: events.Key) -> None:
        event.stop()
        place = self._place
        if place is not None and (place.kind == "key" or place.models):
            self.beside("pick", partial(self._pick, place))

    async def _pick(self, place: Place) -> None:
        try:
            model = await self._tries.pick(place)
        except MemagentError as error:
            self._tell(_wrapped("err", str(error)))
            return
        if model is not None:
            self._models[place.key] = model
            self._show()
        self._say()

    def on_line_list_highlighted(self, event: LineList.Highlighted) -> None:
        event.stop()
        self._say()

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()
        place = self._place
        if place is None:
            return
        if place.ready:
            self.dismiss(Answer(place, self._model(place)))
        else:
            self._look(asked=True)


class _Rule(Widget):
    def render_line(self, y: int) -> Strip:
        look, width = look_of(self.app), self.size.width
        return line(width, [(look.marks.rule * (width - 4), look.rule)]).apply_style(ground(self))


def _wrapped(style: str, text: str) -> list[tuple[str, str]]:
    return [(style, part) for part in wrap(text, 70)[:5]]
