"""A fact as a form, and below it where it comes from and what became of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TextArea

from sessions.memory.fact import BrokenFact, Draft, Fact
from sessions.memory.rules import SUMMARY_MAX, one_line, slug
from tui.chat.blocks import Said
from tui.memory.background import BackgroundView
from tui.memory.choices import KIND_GROUPS, ListField
from tui.memory.fact_detail import Background, broken_lines, state_words
from tui.memory.fields import ChoiceField, Field, TextField
from tui.memory.form_parts import Body, BodyLabel, FormLine
from tui.memory.form_values import (
    SEEN,
    WAITS,
    FormValues,
    changed,
    clash_words,
    default_pinned,
    draft,
    merge,
    problems,
    share_of,
    values_of,
)
from tui.widgets.linelist import AIRY_ROWS
from tui.widgets.pane_title import PaneTitle
from tui.widgets.rows import line

UNSAVED = "unsaved: ^s save, esc again discards"
GONE = "deleted elsewhere: ^s writes it again, esc lets it go"
_YES_NO = ("no", "yes")


class FactForm(Vertical):
    """Shows one fact and lets it be changed; what is to be written is posted upwards."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", show=False),
        Binding("escape", "back", "Back", show=False),
        Binding("tab", "next(1)", "Next field", show=False),
        Binding("shift+tab", "next(-1)", "Previous field", show=False),
        Binding("down,enter", "next(1)", "Next field", show=False),
        Binding("up", "next(-1)", "Previous field", show=False),
    ]

    class Save(Message):
        """Write this: a `draft` of a new fact, or the `changes` of `fact` as `FactStore.edit` takes them.

        `fact` is as the person knows it: where it was changed since, it is not to be written over. Both = it was
        deleted and the person wants it all the same.
        """

        def __init__(self, fact: Fact | None, changes: dict[str, Any], new: Draft | None) -> None:
            super().__init__()
            self.fact = fact
            self.changes = changes
            self.new = new

    class Unchanged(Message):
        """Saved without a change."""

    class Back(Message):
        """esc: to the list."""

    class OpenSource(Message):
        """Show the message that the fact comes from, or the call that showed it."""

        def __init__(self, session: str, message: str, turn: int = 0, tool: str = "") -> None:
            super().__init__()
            self.session = session
            self.said = Said(message, turn, tool)

    def __init__(self, *, id: str | None = None) -> None:
        # Plain: no fields, only a title and what is below.
        super().__init__(id=id, classes="-plain")
        self.fact: Fact | None = None
        self.creating = False
        self._known = Background()
        self._now: datetime | None = None
        self._first = FormValues()
        """What the file says, as far as this form was told."""
        self._sent = FormValues()
        self._clash: tuple[str, ...] = ()
        """Fields that were changed here and elsewhere."""
        self._gone = False
        self._asked = self._pin_touched = self._loading = False
        self._body_seen = ""
        self.title = PaneTitle("")
        self.title.set_reactive(PaneTitle.active, True)
        self.name_field = TextField("name", "name", placeholder="made of the line below")
        self.summary = TextField("summary", "in one line", placeholder="what is to be remembered", most=SUMMARY_MAX)
        self.kind = ListField("kind", "kind", KIND_GROUPS)
        self.pinned = ChoiceField("pinned", "always send", _YES_NO, "space")
        self.locked = ChoiceField("locked", "locked", _YES_NO, "space")
        self.share = ChoiceField("share", "seen by", tuple(SEEN.values()), "space")
        self.due = TextField("due", "due", placeholder="2026-12-04")
        self.related = TextField("related", "related", placeholder="names of other facts")
        self.fields: tuple[Field, ...] = (
            self.name_field, self.summary, self.kind, self.pinned, self.share, self.locked, self.due, self.related,
        )  # fmt: skip
        self.body_label = BodyLabel()
        self.body = Body()
        self.line = FormLine()
        self.below = BackgroundView()

    def compose(self) -> ComposeResult:
        self.on_resize()
        yield self.title
        with Vertical(classes="fields"):
            for field in self.fields:
                yield field
                if field is self.kind:
                    yield self.kind.options
        with Horizontal(classes="body"):
            yield self.body_label
            yield self.body
        yield self.line
        yield self.below

    # ------------------------------------------------------------------ what is shown

    def show(self, fact: Fact, *, now: datetime, known: Background | None = None) -> bool:
        """Show a fact. False when unsaved changes of another keep the form; it then says so.

        The same fact again, changed by somebody else, comes in but for what is being typed; where both changed a
        field, the form says so and ctrl+s takes the one, esc the other.
        """
        same = (
            self.fact is not None and not self.creating and (fact.id or fact.name) == (self.fact.id or self.fact.name)
        )
        if self.dirty and not same:
            self.line.say(UNSAVED)
            return False
        if self.creating and self.has_pseudo_class("focus-within"):
            # The person has just begun a new one; what the list shows does not take it away.
            return False
        self._now = now.astimezone()
        if same and self.dirty:
            if fact != self.fact:
                self._known = known or self._known
                self._merge(fact)
                self._draw_below(top=False)
            return True
        if not same:
            self._known = Background()
        self._known = known or self._known
        self.creating = False
        if not same or fact != self.fact:
            # The same fact again leaves the cursor, a selection and what the form said where they are.
            self._load(fact)
        self._draw_below(top=not same)
        return True

    def show_background(self, known: Background) -> None:
        """What is known about the shown fact beyond its file."""
        self._known = known
        self._draw_below(top=False)

    def show_broken(self, broken: BrokenFact, raw: str) -> bool:
        """Show a file that is broken; `raw` is its text, or its beginning."""
        if self.dirty:
            self.line.say(UNSAVED)
            return False
        self._load(None)
        self.add_class("-plain")
        self.title.title_text, self.title.fact = "Broken file", ""
        self.below.set_builder(lambda width, look: broken_lines(width, look, broken, raw))
        return True

    def clear(self, text: str = "") -> None:
        """Show nothing but a line."""
        if self.dirty:
            return
        self._load(None)
        self.add_class("-plain")
        self.title.title_text, self.title.fact = "", ""
        self.below.set_builder(lambda width, look: [line(width, [(text, look.muted)])] if text else [])

    def new(self, *, now: datetime) -> bool:
        """An empty form for a new fact."""
        if self.dirty:
            self.line.say(UNSAVED)
            return False
        self._now = now.astimezone()
        self.creating = True
        self._load(None)
        self.below.set_builder(lambda _width, _look: [])
        self.summary.focus()
        return True

    def saved(self, fact: Fact, *, now: datetime, known: Background | None = None) -> None:
        """The store wrote it: show what it wrote, and what was typed since."""
        self._now, self._known = now.astimezone(), known or self._known
        self.creating = False
        after = merge(self._sent, self.values, values_of(fact))
        self._load(fact, after.values)
        self._draw_below(top=False)
        self.line.say("saved", "muted")

    def refused(self, why: str) -> None:
        """The store did not write it."""
        self.line.say(why, "err")

    def gone(self) -> None:
        """The store has the fact no more: to be written again, or to be let go."""
        self._gone = True
        self.line.say(GONE)

    def edit(self, field: str = "summary", *, selected: bool = False) -> None:
        """Go to a field; `selected` makes typing replace what stands there."""
        for known in self.fields:
            if known.field == field:
                known.focus()
                if selected and isinstance(known, TextField):
                    known.set(known.text, selected=True)

    # ------------------------------------------------------------------ values

    @property
    def values(self) -> FormValues:
        """The fields as they stand."""
        return FormValues(
            self.name_field.text.strip(), self.summary.text, self.kind.value, self.pinned.value == "yes",
            self.locked.value == "yes", self.due.text, self.related.text, self.body.text, share_of(self.share.value),
        )  # fmt: skip

    @property
    def dirty(self) -> bool:
        """Whether something typed is not saved."""
        if "-plain" in self.classes:
            return False
        values = self.values
        if self.creating:
            # The kind and what follows from it are no words that could be lost.
            values = replace(values, kind=self._first.kind, pinned=self._first.pinned, locked=self._first.locked)
        return values != self._first

    def _merge(self, fact: Fact) -> None:
        """Somebody else changed the fact that is being changed here."""
        merged = merge(self._first, self.values, values_of(fact), self._clash)
        self._load(fact, merged.values)
        self._clash = merged.clash
        self.line.say(clash_words(merged.clash, values_of(fact)) or "changed elsewhere; what you typed stands")

    def _load(self, fact: Fact | None, values: FormValues | None = None) -> None:
        """Show the fields of a fact, or `values` that are not saved yet. A field that stays keeps its cursor."""
        self._loading = True
        self.remove_class("-plain")
        self.fact, self._first = fact, values_of(fact)
        v = values or self._first
        self._asked = self._pin_touched = self._gone = False
        self._clash = ()
        texts = {self.name_field: v.name, self.summary: v.summary, self.due: v.due, self.related: v.related}
        for field, text in texts.items():
            if field.text != text:
                field.set(text)
        self.kind.set(v.kind)
        self.pinned.set(_YES_NO[v.pinned])
        self.locked.set(_YES_NO[v.locked])
        self.share.set(SEEN[v.share])
        self._body_seen = v.body
        if self.body.text != v.body:
            self.body.load_text(v.body)
        self._loading = False
        self.line.say("")
        self._follow()

    def _follow(self) -> None:
        """Bring title, hints and complaints in line with the values."""
        values = self.values
        self.due.close("" if values.kind == WAITS else "open threads only")
        self.name_field.placeholder = slug(one_line(values.summary)) or "made of the line below"
        self.name_field.refresh()
        if "-plain" in self.classes:
            return
        title = self.fact.summary if self.fact else "New fact"
        self.title.title_text = title
        self.title.fact = state_words(self.fact) if self.fact else ""
        wrong = problems(values) if self.dirty else {}
        for field in self.fields:
            # An empty line is no mistake before it was tried to be saved.
            field.problem = "" if field.field == "summary" and not values.summary else wrong.get(field.field, "")

    def _draw_below(self, *, top: bool) -> None:
        fact, now = self.fact, self._now
        if fact is None or now is None:
            return
        self.below.show(fact, self._known, now, top=top)

    # ------------------------------------------------------------------ acts

    def action_save(self) -> None:
        if "-plain" in self.classes:
            return
        values = self.values
        wrong = problems(values)
        for field in self.fields:
            field.problem = wrong.get(field.field, "")
        if wrong:
            first = next(field for field in self.fields if field.field in wrong)
            first.focus()
            self.line.say(f"not saved yet: {wrong[first.field]}", "err")
            return
        self._sent = values
        if self.fact is None:
            self.post_message(self.Save(None, {}, draft(values)))
            return
        changes = changed(self.fact, values)
        if self._gone:
            self.post_message(self.Save(self.fact, changes, draft(values)))
            return
        if not changes:
            self._first = values
            self.line.say("nothing changed", "muted")
            self.post_message(self.Unchanged())
            return
        self.post_message(self.Save(self.fact, changes, None))

    def action_back(self) -> None:
        if self.dirty and self._clash:
            self._load(self.fact)
            self.line.say("as it was changed elsewhere", "muted")
            return
        if self.dirty and not self._asked and not self._gone:
            self._asked = True
            self.line.say(UNSAVED)
            return
        if self.dirty:
            self._load(self.fact)
        self.creating = False
        self.post_message(self.Back())

    def action_next(self, by: int) -> None:
        stops: list[Widget] = [*self.fields, self.body, self.below]
        stops = [self.below] if "-plain" in self.classes else [w for w in stops if w.display and w.focusable]
        focused = self.app.focused
        at = stops.index(focused) if focused in stops else -by
        stops[(at + by) % len(stops)].focus()

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter" and self.below.has_focus:
            event.stop()
            event.prevent_default()
            self.below.open()

    def on_background_view_opened(self, event: BackgroundView.Opened) -> None:
        event.stop()
        self.post_message(self.OpenSource(event.session, event.message, event.turn, event.tool))

    def on_field_changed(self, event: Field.Changed) -> None:
        event.stop()
        if event.field is self.pinned:
            self._pin_touched = True
        elif event.field is self.kind and self.creating and not self._pin_touched:
            self.pinned.set(_YES_NO[default_pinned(self.kind.value)])
        self._typed()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        # A text that was loaded comes here too, later.
        if self.body.text != self._body_seen:
            self._body_seen = self.body.text
            self._typed()

    def _typed(self) -> None:
        if self._loading:
            return
        if self._asked or self.line.kind != "warn" or not self.dirty:
            self._asked = self._gone = False
            self.line.say("")
        if self._clash:
            self._clash = merge(self._first, self.values, self._first, self._clash).clash
            self.line.say(clash_words(self._clash, self._first))
        self._follow()

    def on_descendant_focus(self) -> None:
        self._follow_focus()

    def on_descendant_blur(self) -> None:
        self._follow_focus()

    def _follow_focus(self) -> None:
        self.body_label.active = self.body.has_focus
        self.body_label.refresh()

    def on_resize(self) -> None:
        self.set_class(self.app.size.height < AIRY_ROWS, "-compact")
