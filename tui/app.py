"""The workbench as a Textual app: it wires the parts together and does none of their work."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingsMap
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scrollbar import ScrollBar
from textual.widget import Widget

from sessions.clock import Clock
from sessions.paths import HomePaths
from sessions.settings import Settings
from styles import sheets
from styles.themes import PALETTES, textual_theme
from tui.body import Body, place_of
from tui.chat.composer import Composer
from tui.chat.popup import SlashPopup
from tui.commands import ACTIONS, BY_NAME, EVERYWHERE, Keymap
from tui.dialogs.too_small import TooSmall
from tui.list_events import ListEvents
from tui.start import StartOptions
from tui.terminal_app import cjk_locale
from tui.views import Wanted, arrange
from tui.widgets.filterbox import FilterBox
from tui.widgets.footer import Footer
from tui.widgets.header import Header, HeaderState
from tui.widgets.thinbar import PlainBar, ThinBar

if TYPE_CHECKING:
    from tui.chat.transcript import Transcript
    from tui.deeds import Deeds
    from tui.desk import Desk
    from tui.lists import Lists

_TWICE_S = 2.0
"""Two ctrl+c within this time quit."""


class MemagentApp(ListEvents):
    """Header, body, footer; the keys of the registry; and the desk, once the first paint is done."""

    CSS_PATH: ClassVar[list[str | PurePath]] = list(sheets())
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = None
    PAUSE_GC_ON_SCROLL = True

    def __init__(self, paths: HomePaths, settings: Settings, options: StartOptions, clock: Clock) -> None:
        colours = not os.environ.get("NO_COLOR")  # Textual takes it out of the environment.
        super().__init__()
        self.paths = paths
        self.settings = settings
        self.options = options
        self.clock = clock
        self.keymap = Keymap(settings.keys)
        self._bindings = bindings(self.keymap)
        self.ascii_marks = settings.ui.ascii or cjk_locale()
        self.barrier.plain = self.ascii_marks
        ScrollBar.renderer = PlainBar if self.ascii_marks else ThinBar
        self.set_class(self.ascii_marks, "-ascii")
        if not settings.ui.animations:
            self.animation_level = "none"
        for name in PALETTES:
            self.register_theme(textual_theme(name))
        # Without colours the rules of high contrast hold: lines and reverse instead of steps.
        theme = "contrast" if not colours else settings.ui.theme if settings.ui.theme in PALETTES else "dark"
        self.begin_with_theme(theme)
        self.wanted = Wanted()
        self.header = Header(self._first_header())
        self.footer = Footer(id="footer")
        self.body = Body()
        self._too_small = TooSmall()
        self._terminal: Size | None = None
        """Told by the newest resize, which comes before `size` follows."""
        self._interrupted = 0.0
        self.failure: Exception | None = None
        """What ended the program, when it was no person."""
        self.desk: Desk | None = None
        self.lists: Lists | None = None
        self.deeds: Deeds | None = None

    def _first_header(self) -> HeaderState:
        mode: str = self.options.memory or self.settings.memory.mode
        if self.options.private:
            mode = "private-off" if mode == "off" else "private"
        return HeaderState(
            memory=mode,
            compact_at=self.settings.context.compact_at,
        )

    @property
    def animated(self) -> bool:
        """Whether spinners may turn."""
        return self.animation_level != "none"

    def now(self) -> datetime:
        """The time in this machine's zone."""
        return self.clock.now().astimezone()

    # ------------------------------------------------------------------ start

    def compose(self) -> ComposeResult:
        # Classes set before the widgets are there cost no restyling.
        self.body.show(arrange(self.wanted, *self.size), make=False)
        self.footer.show(self.keymap.footer("composer"))
        yield self.header
        yield self.body
        yield self._too_small
        yield self.footer

    def on_mount(self) -> None:
        self.theme_changed_signal.subscribe(self, self._theme_changed)
        self.rearrange()
        self.body.chat.composer.input.focus()
        self.call_after_refresh(self._first_paint_done)

    def _first_paint_done(self) -> None:
        from tui.deeds import Deeds
        from tui.desk import Desk
        from tui.lists import Lists

        self.lists = Lists(self)
        self.desk = Desk(self)
        self.deeds = Deeds(self)
        self.rearrange()
        self.body.chat.composer.up_from_empty = self.desk.up_from_empty
        self.desk.start()
        loop = asyncio.get_running_loop()
        for number, leave in (
            (signal.SIGTERM, partial(self.quit, 128 + signal.SIGTERM)),
            (signal.SIGHUP, self.hung_up),
        ):
            try:
                loop.add_signal_handler(number, leave)
            except (NotImplementedError, RuntimeError, ValueError):
                break

    def quit(self, code: int = 0) -> None:
        """End every turn normally, close the logs, then leave."""
        if self.desk is None:
            self.exit(code)
        else:
            self.desk.close(code)

    # ------------------------------------------------------------------ arranging

    def want(self, **values: Any) -> None:
        """Change what is to be seen."""
        self.wanted = replace(self.wanted, **values)
        self.rearrange()

    def rearrange(self) -> None:
        """Show the panes that the wanted view has at this size."""
        arrangement = arrange(self.wanted, *(self._terminal or self.size))
        self._too_small.set_class(arrangement.too_small, "-shown")
        if not arrangement.too_small:
            # Before the first paint the other panes are empty places.
            self.body.show(arrangement, make=self.lists is not None)
            if self.lists is not None:
                self.lists.shown()
        self.header.change(view=self.wanted.view)
        self._keep_focus()
        self.show_keys()

    def _keep_focus(self) -> None:
        """The focus never stays in a pane that does not show."""
        focused = self.focused
        if focused is None or not focused.is_on_screen or not _displayed(focused):
            self.focus_view()

    def focus_view(self) -> None:
        """The focus goes to the view's main place."""
        view = self.wanted.view
        if view == "chat":
            if self.wanted.drawer and self.body.arrangement.drawer:
                self.body.agent.list.focus()
            else:
                self.body.chat.composer.input.focus()
        elif view == "history":
            self.body.session.focus() if not self.body.shows("history") else self.body.history.focus_list()
        elif not self.body.shows("memory"):
            self.body.fact.edit()
        else:
            self.body.memory.focus_list()

    def go(self, view: str) -> None:
        """Show a view and go there."""
        self.moving = True
        self.want(view=view, detail=False, drawer=False)
        self.call_after_refresh(self._arrive)

    def _arrive(self) -> None:
        self.focus_view()
        # Behind the focus, which moves with the next messages.
        self.call_later(setattr, self, "moving", False)

    def open_session_detail(self) -> None:
        if not self.body.shows("session"):
            self.want(detail=True)
        if self.lists is not None:
            self.lists.highlighted_session()
        self.call_after_refresh(self.body.session.focus)

    def close_session_detail(self) -> None:
        self.want(detail=False)
        self.call_after_refresh(self.body.history.focus_list)

    def on_resize(self, event: events.Resize) -> None:
        self._terminal = event.size
        self.rearrange()

    def _theme_changed(self, _theme: object) -> None:
        for widget in self.screen.walk_children(Widget):
            widget.refresh()

    # ------------------------------------------------------------------ keys

    @property
    def place(self) -> str:
        """Where the focus is, as the registry calls it; under a dialog, where it goes back to."""
        place = place_of(self.screen_stack[0].focused if self.screen_stack else None)
        transcript = self.body.chat.made_transcript
        if place == "transcript" and transcript is not None:
            found = "find" if self.body.chat.finding else place
            return "foot" if transcript.foot_focused else "older" if transcript.ways.any else found
        return place

    @property
    def running(self) -> bool:
        """Whether the shown session has a running turn."""
        return self.desk is not None and self.desk.running

    def show_keys(self) -> None:
        """Bring the footer in line with the focus."""
        place = self.place
        if place == "composer" and self.body.chat.popup.display:
            self.footer.show(SlashPopup.KEYS)
            return
        keys = self.keymap.footer(place or "composer", running=self.running, waits=self.body.chat.approval.display)
        self.footer.show(self.body.offered(place, keys, typing=isinstance(self.focused, FilterBox)))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action != "do" or not parameters:
            return True
        name = str(parameters[0])
        if isinstance(self.screen, ModalScreen):
            return False
        where = BY_NAME[name].where
        return EVERYWHERE in where or self.place in where

    def action_do(self, name: str) -> None:
        """Run an action of the registry."""
        if name == "stop":
            self.step_back()
        elif name == "copy":
            self.interrupt()
        elif name == "quit":
            self.quit()
        elif self.deeds is not None:
            self.deeds.do(name)
        else:
            # Pressed before the first paint was done: a moment later it can be done.
            self.call_after_refresh(self.action_do, name)

    @property
    def _seen_transcript(self) -> Transcript | None:
        """The conversation, when it shows: what is marked in a hidden one is nothing that keys act on."""
        return self.body.chat.made_transcript if self.body.shows("chat") else None

    def step_back(self) -> None:
        """esc: selection, then drawer, running turn, full view; popup, dialog and filter have taken theirs before."""
        transcript, field = self._seen_transcript, self.body.chat.composer.input
        if transcript is not None and transcript.has_selection:
            transcript.clear_selection()
        elif field.has_focus and not field.selection.is_empty:
            field.move_cursor(field.cursor_location)
        elif self.body.arrangement.drawer:
            self.want(drawer=False)
            self.body.chat.composer.input.focus()
        elif self.running and self.desk is not None:
            if not self.body.chat.approval.just_answered:
                self.desk.cancel()
        elif self.desk is not None and self.desk.editing:
            self.desk.leave_editing()
        elif self.wanted.view != "chat":
            self.go("chat")
        else:
            self.body.chat.composer.input.focus()

    def interrupt(self) -> None:
        """ctrl+c: copy the selection, else clear the composer, else stop; twice quits."""
        transcript = self._seen_transcript
        selected = transcript.selected_text() if transcript is not None else None
        selected = selected or _field_selection(self.focused)
        if selected:
            self.copy_to_clipboard(selected)
            if transcript is not None:
                transcript.clear_selection()
            return
        now = time.monotonic()
        again, self._interrupted = now - self._interrupted < _TWICE_S, now
        composer = self.body.chat.composer
        if composer.text:
            composer.clear()
        elif again:
            self.quit()
        elif self.running and self.desk is not None:
            self.desk.cancel()
        else:
            self.say("ctrl+c again quits")

    def say(self, text: str, level: str = "info") -> None:
        """A notice: above the composer, or as a toast where the chat does not show."""
        if self.body.shows("chat"):
            self.body.chat.notice.show(text, level)
        else:
            severity = {"error": "error", "warning": "warning"}.get(level, "information")
            self.notify(text, severity=severity, markup=False)  # type: ignore[arg-type]

    # ------------------------------------------------------------------ messages

    def on_descendant_focus(self) -> None:
        self.show_keys()

    def on_header_view_chosen(self, event: Header.ViewChosen) -> None:
        self.go(event.view)

    def on_header_part_chosen(self, event: Header.PartChosen) -> None:
        self.action_do(event.action)

    def on_footer_chosen(self, event: Footer.Chosen) -> None:
        self.run_action_of(event.action)

    def run_action_of(self, name: str) -> None:
        """Do an action that was clicked or chosen, which may be a widget's own; `name` may be that of a key, too."""
        action = BY_NAME.get(name)
        if action is not None and not action.own:
            self.action_do(name)
        elif key := name if action is None else self.keymap.keys(name)[0]:
            self.call_later(self.simulate_key, key)

    def on_slash_popup_toggled(self, event: SlashPopup.Toggled) -> None:
        event.stop()
        self.body.chat.composer.set_class(self.body.chat.popup.display, "-joined")
        self.show_keys()

    def on_slash_popup_run(self, event: SlashPopup.Run) -> None:
        event.stop()
        self.action_do(event.action.name)

    def on_composer_sent(self, event: Composer.Sent) -> None:
        event.stop()
        if self.deeds is not None:
            self.deeds.send(event.prompt)
        else:
            # Sent before the first paint was done.
            self.call_after_refresh(self.on_composer_sent, event)

    def on_composer_sent_empty(self, event: Composer.SentEmpty) -> None:
        event.stop()
        if self.desk is not None:
            self.desk.continue_first(event.offered)


def bindings(keymap: Keymap) -> BindingsMap:
    """What the app itself binds: keys that work everywhere win over the focused widget, the others come after it."""
    made = []
    for action in ACTIONS:
        if action.own:
            continue
        first = EVERYWHERE in action.where
        made += [
            Binding(key, f"do({action.name!r})", action.title, show=False, priority=first and key != "escape")
            for key in keymap.keys(action.name)
        ]
    return BindingsMap(made)


def _displayed(widget: Widget) -> bool:
    return all(node.display for node in widget.ancestors_with_self if isinstance(node, Widget))


def _field_selection(widget: Widget | None) -> str:
    selected = getattr(widget, "selected_text", "")
    return selected if isinstance(selected, str) else ""
