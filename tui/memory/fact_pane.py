"""The detail of Memory: a fact as a form, or a change that waits, in the form too when it is edited first."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from textual import events
from textual.strip import Strip

from sessions.memory.fact import BrokenFact, Fact
from tui.memory.fact_detail import Background
from tui.memory.fact_form import UNSAVED, FactForm
from tui.memory.form_values import changed, problems
from tui.memory.proposal_lines import Waiting, proposal_lines, title_of
from tui.views import BESIDE
from tui.widgets.look import Look

if TYPE_CHECKING:
    from sessions.memory.review import Item


class FactPane(FactForm):
    """A form that shows proposals too."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.waiting: Waiting | None = None
        """The proposal that it shows."""
        self.amending = False
        """Whether the proposal stands in the form, to be changed before it is accepted."""

    @property
    def proposal(self) -> Item | None:
        """The shown proposal."""
        return self.waiting.item if self.waiting is not None else None

    @property
    def place(self) -> str:
        """A proposal has keys of its own."""
        return "amend" if self.amending else "proposal" if self.waiting is not None else ""

    def show_proposal(self, waiting: Waiting, *, now: datetime) -> bool:
        """Show what would be changed. False when unsaved changes of something else keep the form."""
        same = self.proposal is not None and self.proposal.number == waiting.item.number
        if self.amending and same:
            return True
        if self.dirty:
            self.line.say(UNSAVED)
            return False
        self.creating = self.amending = False
        self._load(None)
        self.add_class("-plain")
        self.waiting, local = waiting, now.astimezone()
        self.title.title_text, self.title.fact = title_of(waiting.item), f"{waiting.at} of {waiting.of}"

        def build(width: int, look: Look) -> list[Strip]:
            return proposal_lines(width, look, waiting, local, stacked=self.app.size.width < BESIDE)

        self.below.set_builder(build, top=not same)
        return True

    def amend(self) -> None:
        """Put the proposal into the form."""
        if self.waiting is None or self.amending:
            return
        item = self.waiting.item
        self.amending = True
        self._load(replace(item.fact, locked=False))
        self.below.set_builder(lambda _width, _look: [])
        self.edit()

    def settled(self) -> None:
        """The proposal was decided on: nothing of it is kept."""
        self.waiting, self.amending = None, False
        self._load(None)
        self.clear()

    def show(self, fact: Fact, *, now: datetime, known: Background | None = None) -> bool:
        shown = super().show(fact, now=now, known=known)
        if shown:
            self._leave()
        return shown

    def show_broken(self, broken: BrokenFact, raw: str) -> bool:
        shown = super().show_broken(broken, raw)
        if shown:
            self._leave()
        return shown

    def new(self, *, now: datetime) -> bool:
        shown = super().new(now=now)
        if shown:
            self._leave()
        return shown

    def clear(self, text: str = "") -> None:
        super().clear(text)
        if not self.dirty:
            self._leave()

    def _leave(self) -> None:
        self.waiting, self.amending = None, False

    def _follow(self) -> None:
        super()._follow()
        if self.amending:
            self.title.title_text, self.title.fact = self.values.summary, "^s accepts it as it stands here"

    def action_save(self) -> None:
        if self.amending and self.fact is not None:
            values = self.values
            if not problems(values) and not changed(self.fact, values):
                # Here saving is a yes, which needs no change.
                self._sent = values
                self.post_message(self.Save(self.fact, {}, None))
                return
        super().action_save()

    def action_back(self) -> None:
        super().action_back()
        if self.amending and not self.dirty:
            self.amending = False

    def on_key(self, event: events.Key) -> None:
        item = self.proposal
        if event.key == "enter" and self.below.has_focus and item is not None and not self.amending:
            event.stop()
            event.prevent_default()
            self.open_source()

    def open_source(self) -> bool:
        """Go to the message that the proposal comes from; False when it comes from none."""
        source = self.proposal.fact.source if self.proposal is not None else None
        if source is None or not source.session:
            return False
        self.post_message(self.OpenSource(source.session, source.message))
        return True
