"""The chat: title, conversation or start lines, notices, and the composer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical

from tui.chat.approval import ApprovalSheet
from tui.chat.below import BelowLine
from tui.chat.composer import Composer, Prompt
from tui.chat.notices import NoticeLine, QueueLines
from tui.chat.popup import SlashPopup
from tui.chat.start import StartLines
from tui.widgets.findbox import STEPS, FindBox
from tui.widgets.pane_title import PaneTitle

if TYPE_CHECKING:
    from tui.chat.messages import CameBelow
    from tui.chat.transcript import Transcript

NEW = "New session"


class ChatPane(Vertical):
    """Arranges its parts; what they say comes from the presenter."""

    def __init__(self) -> None:
        super().__init__(id="chat")
        self.title = PaneTitle(NEW)
        self.find = FindBox("Find in this session", id="find")
        self.start = StartLines()
        self.below = BelowLine()
        self.notice = NoticeLine()
        self.queue = QueueLines()
        self.approval = ApprovalSheet(self._write)
        self.popup = SlashPopup()
        self.composer = Composer(self.popup)
        self._transcript: Transcript | None = None

    def compose(self) -> ComposeResult:
        yield self.title
        yield self.find
        yield self.start
        yield self.below
        yield self.notice
        yield self.queue
        yield self.approval
        yield self.popup
        yield self.composer

    @property
    def transcript(self) -> Transcript:
        """The conversation; made when first needed, which is after the first paint."""
        if self._transcript is None:
            from tui.chat.transcript import Transcript

            self._transcript = Transcript(id="transcript")
            self._transcript.display = not self.start.display
            self.mount(self._transcript, after=self.start)
        return self._transcript

    @property
    def made_transcript(self) -> Transcript | None:
        """The conversation, if it has been made."""
        return self._transcript

    @property
    def said(self) -> bool:
        """Whether the conversation holds anything."""
        return self._transcript is not None and bool(self._transcript.document.blocks)

    def show_start(self, show: bool) -> None:
        """The start lines of an empty session, or the conversation."""
        if self.start.display != show:
            self.start.display = show
        if self._transcript is not None:
            self._transcript.display = not show
        elif not show:
            self.transcript.display = True

    def show_find(self, show: bool) -> None:
        """The box to find something takes the place of the title."""
        self.set_class(show, "-finding")

    @property
    def finding(self) -> bool:
        return self.has_class("-finding")

    def name_session(self, title: str, folder: str) -> None:
        self.title.title_text = title or NEW
        self.title.fact = folder

    def on_descendant_focus(self) -> None:
        self.title.active = True

    def on_descendant_blur(self) -> None:
        self.title.active = False

    def on_key(self, event: events.Key) -> None:
        """From the foot of an answer, up goes on to past prompts; letters typed in the conversation are a message; tab
        goes from the message to the question above it."""
        transcript = self._transcript
        if event.key == "tab" and self.composer.input.has_focus and self.approval.display:
            self.approval.focus()
            event.stop()
            event.prevent_default()
            return
        if transcript is None or not transcript.has_focus:
            return
        foot = transcript.foot_focused
        looks = self.finding and not foot
        if looks and event.key in STEPS:
            self.post_message(FindBox.Stepped(self.find, STEPS[event.key]))
        elif looks and event.key == "escape" and not transcript.has_selection:
            self.post_message(FindBox.Closed(self.find))
        elif event.key == "up" and foot:
            self.composer.input.focus()
            self.composer.past()
        elif event.character is not None and event.is_printable and not foot and event.character != " ":
            self.composer.input.focus()
            self.composer.input.insert(event.character)
        else:
            return
        event.stop()
        event.prevent_default()

    def on_came_below(self, event: CameBelow) -> None:
        event.stop()
        self.below.key(not self.composer.text)
        self.below.show(event.on)

    def on_below_line_wanted(self, event: BelowLine.Wanted) -> None:
        event.stop()
        if self._transcript is not None:
            self._transcript.to_newest()

    def _write(self, text: str) -> None:
        # At once: the next key is written there, too.
        self.screen.set_focus(self.composer.input)
        if text:
            self.composer.input.insert(text)

    def on_find_box_scrolled(self, event: FindBox.Scrolled) -> None:
        event.stop()
        if self._transcript is not None:
            self._transcript.action_page(event.by // 10) if abs(event.by) > 1 else self._transcript.go_by(event.by)

    def on_composer_paged(self, event: Composer.Paged) -> None:
        event.stop()
        if self._transcript is not None and self._transcript.display:
            self._transcript.action_end(event.by) if event.whole else self._transcript.action_page(event.by)

    def on_composer_turned(self, event: Composer.Turned) -> None:
        event.stop()
        if self._transcript is not None and self._transcript.display:
            self._transcript.action_choose(event.by)

    def on_start_lines_sentence_chosen(self, event: StartLines.SentenceChosen) -> None:
        event.stop()
        self.composer.load(Prompt(event.text))
        self.composer.input.focus()

    def on_composer_sent_empty(self, event: Composer.SentEmpty) -> None:
        event.offered = self.start.display

    def on_composer_touched(self, event: Composer.Touched) -> None:
        """The start lines are gone at the first key, and back when nothing is written any more and nothing was said."""
        event.stop()
        self.below.key(not self.composer.text)
        if self.start.display and self.composer.text:
            self.show_start(False)
        elif not (self.start.display or self.composer.text or self.said):
            self.show_start(True)
