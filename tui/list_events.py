"""What lists, details and form post upwards, brought to who acts on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.terminal_app import TerminalApp

if TYPE_CHECKING:
    from sessions.store.hits import Hit
    from tui.chat.approval import ApprovalSheet
    from tui.chat.blocks import Said
    from tui.chat.messages import FactOpened, FootAction, FootFocused, Left, LinkOpened, ResultWanted, WayTurned
    from tui.chat.paging import PartWanted
    from tui.chat.start import StartLines
    from tui.deeds import Deeds
    from tui.desk import Desk
    from tui.finding import Finding
    from tui.history.detail_finding import DetailFinding
    from tui.history.history_list import HistoryList
    from tui.history.session_detail import SessionDetail
    from tui.lists import Lists
    from tui.memory.fact_form import FactForm
    from tui.memory.form_parts import Body
    from tui.memory.memory_list import MemoryList
    from tui.widgets.agent_tree import AgentTree
    from tui.widgets.filterlist import FilterList
    from tui.widgets.findbox import FindBox


class ListEvents(TerminalApp):
    """Handlers of the app, kept apart from its wiring."""

    lists: Lists | None
    desk: Desk | None
    deeds: Deeds | None

    def on_filter_list_highlighted(self, event: FilterList.Highlighted) -> None:
        event.stop()
        if self.lists is None:
            return
        self.show_keys()
        if event.source.id == "history":
            self.lists.highlighted_session()
        else:
            self.lists.highlighted_fact()

    def on_filter_list_filtered(self, event: FilterList.Filtered) -> None:
        event.stop()
        if self.lists is not None and event.source.id == "history":
            self.lists.search.typed(event.text)

    def on_approval_sheet_answered(self, event: ApprovalSheet.Answered) -> None:
        event.stop()
        if self.desk is not None:
            self.desk.approving.answered(event.request, event.decision)

    def on_approval_sheet_read_all(self, event: ApprovalSheet.ReadAll) -> None:
        event.stop()
        if self.desk is not None:
            self.desk.approving.read(event.request)

    def on_filter_list_back(self, event: FilterList.Back) -> None:
        event.stop()
        self.step_back()

    def on_history_list_opened(self, event: HistoryList.Opened) -> None:
        event.stop()
        self._resume(event.session, _said(event.hit), event.words, event.needles)

    def on_history_list_filter_turned(self, event: HistoryList.FilterTurned) -> None:
        event.stop()
        self.show_keys()
        if self.lists is not None:
            self.lists.filter_turned(event.choice)

    def on_history_list_restored(self, event: HistoryList.Restored) -> None:
        event.stop()
        if self.deeds is not None:
            self.deeds.session_restore("")

    def on_history_list_fact_opened(self, event: HistoryList.FactOpened) -> None:
        event.stop()
        if self.lists is not None:
            self.lists.open_fact(event.number)

    def on_history_list_detail(self, event: HistoryList.Detail) -> None:
        event.stop()
        self.open_session_detail()

    def on_session_detail_opened(self, event: SessionDetail.Opened) -> None:
        event.stop()
        self._resume(event.session, _said(event.hit), event.words, event.needles)

    def on_session_detail_restored(self, event: SessionDetail.Restored) -> None:
        event.stop()
        if self.deeds is not None:
            self.deeds.session_restore("")

    def on_session_detail_back(self, event: SessionDetail.Back) -> None:
        event.stop()
        self.close_session_detail()

    def on_memory_list_opened(self, event: MemoryList.Opened) -> None:
        event.stop()
        if self.lists is not None:
            self.lists.open_item(event.item)

    def on_fact_form_save(self, event: FactForm.Save) -> None:
        event.stop()
        if self.lists is not None and self.lists.review.amending:
            self.lists.review.accept(**event.changes)
        elif self.lists is not None:
            self.lists.save(event.fact, event.changes, event.new)

    def on_fact_form_unchanged(self, event: FactForm.Unchanged) -> None:
        event.stop()
        if self.lists is not None:
            self.lists.saved_unchanged()

    def on_fact_form_back(self, event: FactForm.Back) -> None:
        event.stop()
        if self.lists is not None:
            self.lists.close_form()

    def on_body_link_opened(self, event: Body.LinkOpened) -> None:
        event.stop()
        if self.lists is not None:
            self.lists.open_fact(event.name)

    def on_fact_form_open_source(self, event: FactForm.OpenSource) -> None:
        event.stop()
        self._resume(event.session, event.said if event.said.message else None)

    def on_agent_tree_copy(self, event: AgentTree.Copy) -> None:
        event.stop()
        self.copy_to_clipboard(event.text)

    def on_agent_tree_fact_opened(self, event: AgentTree.FactOpened) -> None:
        event.stop()
        if self.lists is not None:
            self.lists.open_fact(event.number or event.name, or_else=event.name)

    def on_agent_tree_review_opened(self, event: AgentTree.ReviewOpened) -> None:
        event.stop()
        if self.lists is not None:
            self.lists.review.go(event.numbers)

    def on_agent_tree_keys_changed(self, event: AgentTree.KeysChanged) -> None:
        event.stop()
        self.show_keys()

    def on_agent_tree_steps_wanted(self, event: AgentTree.StepsWanted) -> None:
        event.stop()
        if self.desk is not None:
            self.desk.earlier.steps(event.part)

    def on_find_box_typed(self, event: FindBox.Typed) -> None:
        event.stop()
        if (finding := self._finding(event.box)) is not None:
            finding.typed(event.text)

    def on_find_box_stepped(self, event: FindBox.Stepped) -> None:
        event.stop()
        if (finding := self._finding(event.box)) is not None:
            finding.step(event.by)

    def on_find_box_closed(self, event: FindBox.Closed) -> None:
        event.stop()
        if (finding := self._finding(event.box)) is not None:
            finding.close()

    def _finding(self, box: FindBox) -> Finding | DetailFinding | None:
        """What answers a box: that of the conversation, or that of a session in History."""
        if self.desk is None or self.lists is None:
            return None
        return self.desk.finding if box.id == "find" else self.lists.detail.finding

    def on_part_wanted(self, event: PartWanted) -> None:
        event.stop()
        if self.desk is not None:
            self.desk.earlier.part(event)

    def on_result_wanted(self, event: ResultWanted) -> None:
        event.stop()
        if self.desk is not None:
            self.desk.earlier.result(event)

    def on_agent_tree_back(self, event: AgentTree.Back) -> None:
        event.stop()
        self.step_back()

    def on_left(self, event: Left) -> None:
        event.stop()
        self.step_back()

    def on_foot_action(self, event: FootAction) -> None:
        event.stop()
        if self.deeds is not None:
            self.deeds.foot(event.action, event.numbers)

    def on_foot_focused(self, event: FootFocused) -> None:
        event.stop()
        self.show_keys()

    def on_way_turned(self, event: WayTurned) -> None:
        event.stop()
        self.show_keys()

    def on_fact_opened(self, event: FactOpened) -> None:
        event.stop()
        if self.lists is not None:
            self.lists.open_fact(event.fact)

    def on_link_opened(self, event: LinkOpened) -> None:
        event.stop()
        if self.deeds is not None:
            self.deeds.open_link(event.href)

    def on_start_lines_session_chosen(self, event: StartLines.SessionChosen) -> None:
        event.stop()
        self._resume(event.session)

    def on_start_lines_found_chosen(self, event: StartLines.FoundChosen) -> None:
        event.stop()
        if self.deeds is not None:
            self.deeds.follow("")

    def on_start_lines_connect_chosen(self, event: StartLines.ConnectChosen) -> None:
        event.stop()
        if self.deeds is not None:
            self.deeds.connect("")

    def on_start_lines_moved_chosen(self, event: StartLines.MovedChosen) -> None:
        event.stop()
        if self.deeds is not None:
            self.deeds.moved("")

    def _resume(self, session: str, said: Said | None = None, words: str = "", needles: tuple[str, ...] = ()) -> None:
        if self.desk is not None:
            self.desk.run("session", self.desk.finding.begin_at, session, said, words, needles, exclusive=True)

    def show_keys(self) -> None:
        """Bring the footer in line with the focus."""
        raise NotImplementedError

    def step_back(self) -> None:
        """The app's esc."""
        raise NotImplementedError

    def open_session_detail(self) -> None:
        """Show what the chosen session did."""
        raise NotImplementedError

    def close_session_detail(self) -> None:
        """Back to the list of sessions."""
        raise NotImplementedError


def _said(hit: Hit | None) -> Said | None:
    """Where the hit was said; None for one in the title or recap."""
    from tui.chat.blocks import Said  # not needed before the first paint

    return Said(hit.message, hit.turn, hit.tool) if hit is not None and hit.message else None
