"""Choosing a model: type to narrow, enter to use. A service may be slow to list, so the list comes when it comes."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from textual import events
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Input

from sessions.errors import MemagentError, ProviderError
from sessions.providers.listing import Model
from tui.commands import fuzzy
from tui.dialogs.base import Dialog, Lines
from tui.dialogs.choice import ChoiceRow
from tui.dialogs.connect_rows import window_told
from tui.widgets.cells import cell_len
from tui.widgets.linelist import AIRY_ROWS, LineList
from tui.widgets.look import look_of
from tui.widgets.rows import GroupHead, Row, wrap

_NAME = 24
"""Cells of a profile's name, at most, before what stands beside it."""
_MOST = 400
"""Rows at once: whoever has more types."""


@dataclass(frozen=True, slots=True)
class Profiled:
    """A profile of the settings."""

    name: str
    note: str


class AnotherKey:
    """The service refused the key: the person wants to give another."""


class ModelPicker(Dialog[Model | Profiled | AnotherKey]):
    """Gives a model of a service, or a profile. What is typed can be used as it is where no list has it."""

    def __init__(
        self,
        title: str,
        models: Sequence[Model] = (),
        load: Callable[[], Awaitable[Sequence[Model]]] | None = None,
        *,
        profiles: Sequence[Profiled] = (),
        place: str = "",
        now: str = "",
        free: bool = True,
    ) -> None:
        """`load` gets the models while the dialog shows; `now` is the name of what answers now; `free`: a name that no
        list has can be used."""
        super().__init__(title, [("", "↑↓", "Choose"), ("enter", "enter", "Use")])
        self._models = list(models)
        self._load = load
        self._profiles = profiles
        self._place = place
        self._now = now
        self._free = free
        self._by_key: dict[str, Model | Profiled] = {}
        self._since = 0.0
        """When the list was asked for."""
        self._clock: Timer | None = None
        self._refused = False
        """The service wants another key."""

    def body(self) -> ComposeResult:
        field = Input(placeholder="Type a part of its name", compact=True, id="ask-text")
        field.cursor_blink = False
        yield field
        choices = LineList(id="choices")
        choices.driven = choices.one_click = True
        choices.can_focus = False
        yield choices
        yield Lines([], id="model-told")

    def on_mount(self) -> None:
        self._show()
        self._fit()
        if self._now:
            self.query_one("#choices", LineList).choose(f"profile:{self._now}")
        self.query_one(Input).focus()
        if self._load is not None:
            self._since = time.monotonic()
            self._clock = self.set_interval(1.0, self._waits)
            self._waits()
            self.beside("models", partial(self._loaded, self._load))

    def _waits(self) -> None:
        """For how long the service is waited for by now."""
        waits = int(time.monotonic() - self._since)
        ellipsis = look_of(self.app).marks.ellipsis
        self._tell("muted", f"asking for its models {ellipsis}{f' {waits} s' if waits else ''}")

    async def _loaded(self, load: Callable[[], Awaitable[Sequence[Model]]]) -> None:
        try:
            self._models = list(await load())
        except MemagentError as error:
            refused = isinstance(error, ProviderError) and error.status in {401, 403}
            self._refused = refused and not self._profiles
            more = " You can type the name of a model." if self._free else ""
            more += " Enter gives another key." if self._refused else ""
            self._tell("err", f"{error}.{more}")
            return
        finally:
            if self._clock is not None:
                self._clock.stop()
        self._tell("muted", "" if self._models else "it lists no models")
        choices = self.query_one("#choices", LineList)
        chosen = choices.cursor
        self._show()
        choices.choose(chosen or "")
        self._fit()

    def _fit(self) -> None:
        """As high as all rows are, and not lower while the person types."""
        choices = self.query_one("#choices", LineList)
        heads = sum(row.head for row in choices.rows)
        most = max(3, min(18, self.app.size.height - 11))
        choices.styles.height = max(
            3, min(most, len(choices.rows) + (heads if self.app.size.height >= AIRY_ROWS else 0))
        )

    def _tell(self, style: str, text: str) -> None:
        self.query_one("#model-told", Lines).show([(style, part) for part in wrap(text, 70)[:4]] if text else [])

    def _show(self) -> None:
        query = self.query_one(Input).value.strip()
        offered: list[tuple[str, str, ChoiceRow, Model | Profiled]] = []
        widest = min(_NAME, max((cell_len(known.name) for known in self._profiles), default=0))
        for known in self._profiles:
            right = "now" if known.name == self._now else ""
            row = ChoiceRow(f"profile:{known.name}", known.name, known.note, right, text_cells=widest)
            offered.append(("Profiles", known.name, row, known))
        head = f"Models at {self._place}" if self._place else "Models"
        for model in self._models:
            right = " · ".join(part for part in (window_told(model), "loaded" if model.loaded else "") if part)
            offered.append((head, model.id, ChoiceRow(f"model:{model.id}", model.id, right=right), model))
        if query:
            scored = [(m[0], i) for i, (_, name, _, _) in enumerate(offered) if (m := fuzzy(query, name)) is not None]
            offered = [offered[i] for _, i in sorted(scored, key=lambda s: (-s[0], s[1]))]
        rows: list[Row] = []
        self._by_key = {}
        before = ""
        for title, _, row, one in offered[:_MOST]:
            if title != before and not query and self._profiles:
                rows.append(GroupHead(f"head:{title}", title))
            before = title
            rows.append(row)
            self._by_key[row.key] = one
        if query and self._free and f"model:{query}" not in self._by_key:
            rows.append(ChoiceRow("typed", query, "as typed"))
            self._by_key["typed"] = Model(query)
        choices = self.query_one("#choices", LineList)
        choices.empty = "" if self._load is not None and not self._models else "No such model"
        choices.set_rows(rows, keep=False)

    def _chosen(self, key: str | None) -> None:
        if key in self._by_key:
            self.dismiss(self._by_key[key])

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._refused and not event.value.strip():
            self.dismiss(AnotherKey())
            return
        self._chosen(self.query_one("#choices", LineList).cursor)

    def on_line_list_opened(self, event: LineList.Opened) -> None:
        event.stop()
        self._chosen(event.key)

    def on_key(self, event: events.Key) -> None:
        choices = self.query_one("#choices", LineList)
        moves = {"up": (choices.action_move, -1), "down": (choices.action_move, 1)}
        moves |= {"pageup": (choices.action_page, -1), "pagedown": (choices.action_page, 1)}
        if event.key in moves:
            event.stop()
            move, by = moves[event.key]
            move(by)
