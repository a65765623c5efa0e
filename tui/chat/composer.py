"""Where a message is written: grows with its text, keeps past prompts, knows what was typed by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets.text_area import Edit, EditResult

from tui.chat.popup import SlashPopup
from tui.chat.typed import Spans, TypedSpans
from tui.commands import parse_slash
from tui.widgets.cells import cell_len
from tui.widgets.look import look_of
from tui.widgets.textbox import TextBox

PLACEHOLDER = "Ask anything. / for commands"
QUEUE_PLACEHOLDER = "Queue a message. / for commands"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text that was, or is about to be, sent."""

    text: str
    typed: Spans | None = None

    def then(self, other: Prompt) -> Prompt:
        """This text and the other behind it."""
        at = len(self.text)
        mine = self.typed if self.typed is not None else ((0, at),)
        its = other.typed if other.typed is not None else ((0, len(other.text)),)
        return Prompt(self.text + other.text, (*mine, *((at + start, at + end) for start, end in its)))


class ComposerInput(TextBox):
    """The text field. The composer around it decides what its keys mean, and is called at once: whoever types fast has
    the next key waiting already."""

    def __init__(self, owner: Composer, popup: SlashPopup) -> None:
        super().__init__(
            id="composer-input", highlight_cursor_line=False, placeholder=PLACEHOLDER, compact=True, max_checkpoints=50
        )
        self.cursor_blink = False
        self.match_cursor_bracket = False
        self.typed = TypedSpans()
        self._owner = owner
        self._popup = popup
        self._pasting = False

    def load(self, prompt: Prompt) -> None:
        """Replace everything; the cursor goes to the end."""
        self.typed.load(prompt.text, prompt.typed)
        self.load_text(prompt.text)
        self.move_cursor(self.document.end)

    def prompt(self) -> Prompt:
        """What would be sent: without blanks around it."""
        text = self.text
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return Prompt(text[start:end], self.typed.spans(start, end))

    def edit(self, edit: Edit) -> EditResult:
        result = super().edit(edit)
        self._followed(not self._pasting)
        return result

    def undo(self) -> None:
        super().undo()
        self._followed(None)

    def redo(self) -> None:
        super().redo()
        self._followed(None)

    def _followed(self, typed: bool | None) -> None:
        self.typed.changed(self.text, typed)
        self._owner.edited()

    async def _on_paste(self, event: events.Paste) -> None:
        # The handler of the field itself would follow by itself, and paste once more.
        event.prevent_default()
        event.stop()
        self._pasting = True
        try:
            await super()._on_paste(event)
        finally:
            self._pasting = False

    def action_paste(self) -> None:
        self._pasting = True
        try:
            super().action_paste()
        finally:
            self._pasting = False

    async def _on_key(self, event: events.Key) -> None:
        focused = self.app.focused
        if focused is not None and focused is not self:
            # Pressed before the focus went on, which it meanwhile has: the key belongs there.
            event.stop()
            event.prevent_default()
            self.app.post_message(events.Key(event.key, event.character))
            return
        if self._popup.display and self._popup.take(event.key):
            event.stop()
            event.prevent_default()
            return
        if event.key == "enter":
            self._owner.submit()
        elif event.key in {"ctrl+j", "shift+enter"}:
            self.replace("\n", *self.selection, maintain_selection_offset=False)
        elif event.key in {"pageup", "pagedown"}:
            self.post_message(Composer.Paged(-1 if event.key == "pageup" else 1))
        elif not self.text and event.key in {"home", "end"}:
            self.post_message(Composer.Paged(-1 if event.key == "home" else 1, whole=True))
        elif not self.text and event.key in {"left", "right"}:
            self.post_message(Composer.Turned(-1 if event.key == "left" else 1))
        elif event.key == "up" and self.selection.is_empty and self._in_first_row():
            self._owner.up_beyond()
        elif event.key == "down" and self.selection.is_empty and self._in_last_row():
            self._owner.down_beyond()
        else:
            return  # the field's own handler comes next
        event.stop()
        event.prevent_default()

    def _in_first_row(self) -> bool:
        return self.navigator.is_first_wrapped_line(self.cursor_location)

    def _in_last_row(self) -> bool:
        return self.navigator.is_last_wrapped_line(self.cursor_location)


class _Edge(Widget):
    """The focus bar and the prompt mark, left of the text."""

    lit = False
    """The focus is here."""

    def render_line(self, y: int) -> Strip:
        look = look_of(self.app)
        ground = look.raised_bg
        bar = Segment(look.marks.focus, look.accent + ground) if self.lit else Segment(" ", ground)
        first = 1 if self.size.height >= 3 else 0
        mark = Segment(look.marks.prompt, look.accent_bold + ground) if y == first else Segment(" ", ground)
        return Strip([bar, mark, Segment(" ", ground)])


class _Status(Widget):
    """Right of the text while a turn runs: a spinner, which turn, for how long."""

    def __init__(self) -> None:
        super().__init__(id="composer-status")
        self.words = ""
        self.frame = 0
        self.waits = False

    def render_line(self, y: int) -> Strip:
        look, width = look_of(self.app), self.size.width
        ground = look.raised_bg
        if y != (1 if self.size.height >= 3 else 0) or not self.words:
            return Strip.blank(width, ground)
        moving = getattr(self.app, "animated", True)
        mark = look.marks.spinner[self.frame % len(look.marks.spinner)] if moving else look.marks.elsewhere
        sign = (look.marks.approval, look.warn) if self.waits else (mark, look.accent)
        segments = [Segment(f"{sign[0]} ", sign[1] + ground), Segment(self.words, look.muted + ground)]
        return Strip([Segment(" " * max(0, width - cell_len(self.words) - 4), ground), *segments]).adjust_cell_length(
            width, ground
        )


class Composer(Horizontal):
    """The band with the field; tells its owner what to send by `Sent`."""

    @dataclass
    class Sent(Message):
        """Enter with a text."""

        prompt: Prompt

    class SentEmpty(Message):
        """Enter with nothing written."""

        offered = False
        """Whether there was something to take up: what is typed next takes that away."""

    class Touched(Message):
        """The text changed, by the person or by a command that was given."""

    @dataclass
    class Paged(Message):
        """Page up or down: the conversation scrolls, whatever is being written."""

        by: int
        whole: bool = False
        """To its end, or its beginning."""

    @dataclass
    class Turned(Message):
        """Left or right with nothing written: the older or newer answer."""

        by: int

    def __init__(self, popup: SlashPopup) -> None:
        super().__init__(id="composer")
        self._popup = popup
        popup.write = self._write
        self.input = ComposerInput(self, popup)
        self._status = _Status()
        self._edge = _Edge(id="composer-edge")
        self.prompts: list[Prompt] = []
        """Past prompts, oldest first."""
        self.up_from_empty: Callable[[], None] = self.past
        """Up in an empty field; whoever has something better than past prompts puts it here."""
        self._at = 0
        """How far back among the past prompts the field is; 0 = what is being written."""
        self._draft = Prompt("")

    def compose(self) -> ComposeResult:
        yield self._edge
        yield self.input
        yield self._status

    @property
    def text(self) -> str:
        return self.input.text

    def load(self, prompt: Prompt, *, selected: bool = False) -> None:
        """Put a text into the field, as if it had been written there; `selected`: typing replaces it."""
        self._at = 0
        self.input.load(prompt)
        if selected:
            self.input.select_all()
        self._refresh_popup()

    def _write(self, text: str) -> None:
        self.load(Prompt(text))
        self.post_message(self.Touched())

    def draft(self) -> Prompt:
        """The field as it stands, to be put back by `load`."""
        return Prompt(self.input.text, self.input.typed.spans())

    def clear(self) -> None:
        """Empty the field; what stood there can be had again by Up."""
        prompt = self.input.prompt()
        if prompt.text and (not self.prompts or self.prompts[-1].text != prompt.text):
            self.prompts.append(prompt)
        self.load(Prompt(""))

    def running(self, turn: int | None, ms: float = 0, *, waits: bool = False) -> None:
        """Show that turn `turn` (0: what is done outside of one) runs since `ms` milliseconds, or `waits` for the
        person; None = nothing runs."""
        self.input.placeholder = PLACEHOLDER if turn is None else QUEUE_PLACEHOLDER
        what = f"turn {turn}" if turn else "putting in short"
        self._status.waits = waits
        self._status.words = "" if turn is None else f"{what} waits for you" if waits else f"{what} · {ms / 1000:.1f} s"
        self._status.frame += 1
        self._status.styles.width = cell_len(self._status.words) + 4 if turn is not None else 2
        self._status.refresh()

    def on_descendant_focus(self) -> None:
        self._focused(True)

    def on_descendant_blur(self) -> None:
        self._focused(False)

    def _focused(self, focused: bool) -> None:
        self._edge.lit = focused
        self._edge.refresh()

    def edited(self) -> None:
        """The field's text is another."""
        self._refresh_popup()
        self.post_message(self.Touched())

    def submit(self) -> None:
        """Enter: say what is to be sent, and empty the field."""
        prompt = self.input.prompt()
        if not prompt.text:
            self.post_message(self.SentEmpty())
            return
        if parse_slash(prompt.text) is None:
            self.load(Prompt(""))
        else:
            self._write("")
        if not self.prompts or self.prompts[-1].text != prompt.text:
            self.prompts.append(prompt)
        self.post_message(self.Sent(prompt))

    def up_beyond(self) -> None:
        """Up in the first line."""
        if self.input.text or self._at:
            self.past()
        else:
            self.up_from_empty()

    def down_beyond(self) -> None:
        """Down in the last line."""
        if self._at:
            self._show(self._at - 1)

    def past(self) -> None:
        """One prompt further back."""
        if self._at == 0:
            self._draft = self.draft()
        if self._at < len(self.prompts):
            self._show(self._at + 1)

    def _show(self, at: int) -> None:
        self._at = at
        self.input.load(self.prompts[-at] if at else self._draft)
        if at and "\n" in self.input.text:
            self.input.move_cursor((0, 0))
        self._popup.close()

    def _refresh_popup(self) -> None:
        self._popup.follow(self.input.text)
