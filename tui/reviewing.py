"""Review in the Memory view: shows what waits, and brings the person's yes and no to the store."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from sessions.errors import FactError, MemagentError
from sessions.memory.fact import Proposal

if TYPE_CHECKING:
    from sessions.memory.review import Review
    from tui.app import MemagentApp
    from tui.desk import Desk
    from tui.lists import Lists
    from tui.memory.proposal_lines import Waiting

_NAMED = 5
"""Of a group that is to be rejected so many are named."""


class Reviewing:
    """Acts on the proposal under the cursor, or the one in the detail."""

    def __init__(self, app: MemagentApp, lists: Lists) -> None:
        self.app = app
        self.lists = lists

    @property
    def _desk(self) -> Desk:
        assert self.app.desk is not None
        return self.app.desk

    @property
    def _review(self) -> Review:
        return self._desk.home.facts.review

    @property
    def amending(self) -> bool:
        """Whether a proposal stands in the form."""
        return self.app.body.has("fact") and self.app.body.fact.amending

    def _chosen(self) -> int:
        """The number of the proposal that the keys are about; 0 = none."""
        body = self.app.body
        if self.app.place in {"amend", "proposal"} and body.has("fact") and body.shows("fact"):
            shown = body.fact.proposal
            if shown is not None and (body.fact.amending or body.fact.has_pseudo_class("focus-within")):
                return shown.number
        chosen = body.memory.proposal
        return chosen.number if chosen is not None else 0

    # ------------------------------------------------------------------ showing

    async def show(self, proposal: Proposal, *, go: bool = False) -> None:
        """Show it in the detail; `go` puts the focus there, or, when it is there already, opens its message."""
        pane = self.app.body.fact
        if go and self.app.body.shows("memory") and pane.proposal and pane.proposal.number == proposal.number:
            if not pane.open_source():
                pane.below.focus()
            return
        try:
            waiting = await self._desk.hub.run(self._waiting, proposal)
        except FactError:
            # Decided on elsewhere; the list is about to follow.
            return
        if pane.creating and not go:
            return  # meanwhile a new fact was begun
        if pane.show_proposal(waiting, now=self.app.now()) and go:
            pane.below.focus()
        self.app.show_keys()

    def _waiting(self, proposal: Proposal) -> Waiting:
        from sessions.memory.review import group_of
        from tui.memory.memory_list import by_source
        from tui.memory.proposal_lines import Waiting

        home = self._desk.home
        item = self._review.item(proposal.number)
        every = by_source(home.facts.proposals())
        at = next((i for i, p in enumerate(every, 1) if p.number == proposal.number), 1)
        session = item.fact.source.session
        meta = home.catalog.get(session) if session else None
        group = sum(group_of(p) == item.group for p in every)
        return Waiting(item, at, len(every), group, meta.title if meta else "")

    def go(self, wanted: Collection[int] = ()) -> None:
        """To Memory, on the first that waits; rather on one of those that are `wanted`, by their numbers."""
        self.app.go("memory")
        self._desk.run("review", self._go, wanted, exclusive=True)

    async def _go(self, wanted: Collection[int]) -> None:
        await self.app.body.mounted("memory")
        await self.lists.load_memory()
        first = next((p.number for p in self.app.body.memory.waiting if p.number in wanted), 0)
        if not self.app.body.memory.choose_proposal(first):
            self.app.say("nothing waits for review")
        self.app.show_keys()

    async def show_waiting(self, id_: str) -> None:
        """Put the cursor on the proposal of that id when it waits again."""
        if not self.app.body.has("memory"):
            return
        await self.lists.load_memory()
        found = next((p for p in self.app.body.memory.waiting if p.fact.id == id_), None)
        if found is not None:
            self.app.body.memory.choose_proposal(found.number)
            if not self.app.body.shows("memory") and not self.amending:
                self.lists.open_item(found)

    # ------------------------------------------------------------------ deciding

    def accept(self, **fields: Any) -> None:
        if number := self._chosen():
            self._decide(number, self._review.accept, number, word="accepted", **fields)

    def reject(self) -> None:
        if number := self._chosen():
            self._decide(number, self._review.reject, number, word="rejected")

    def reject_group(self) -> None:
        """All from the chosen one's source, once the person has seen how many that are."""
        if number := self._chosen():
            self._desk.run("review", self._ask_for_group, number)

    async def _ask_for_group(self, number: int) -> None:
        from sessions.memory.review import group_of
        from tui.dialogs.confirm import Confirm

        try:
            group = (await self._desk.hub.run(self._review.item, number)).group
        except MemagentError as error:
            self.app.say(str(error), "warning")
            return
        those = [p for p in self.app.body.memory.waiting if group_of(p) == group]

        def answered(yes: bool | None) -> None:
            if yes:
                self._decide(number, self._review.reject_group, group, word="rejected")

        text = [f"{group}: {len(those):,} to review", *(p.fact.summary for p in those[:_NAMED])]
        text += [f"and {len(those) - _NAMED:,} more"] if len(those) > _NAMED else []
        self.app.push_screen(Confirm("Reject all from the same source?", text, "Reject all", "Keep"), answered)

    def accept_group(self) -> None:
        if number := self._chosen():
            self._decide(number, self._accept_group, number, word="accepted")

    def _accept_group(self, number: int) -> list[Any]:
        return list(self._review.accept_group(self._review.item(number).group))

    def edit(self) -> None:
        """Put the chosen one into the form."""
        if self._chosen():
            self._desk.run("fact-open", self._edit, exclusive=True)

    async def _edit(self) -> None:
        proposal = self.app.body.memory.proposal
        if not self.app.body.shows("fact"):
            self.app.want(detail=True)
        await self.app.body.mounted("fact")
        if proposal is not None:
            await self.show(proposal)
        self.app.body.fact.amend()
        self.app.show_keys()

    def _decide(self, number: int, decide: Callable[..., Any], *args: Any, word: str, **fields: Any) -> None:
        self._desk.run("review", self._decided, number, decide, args, fields, word)

    async def _decided(
        self, number: int, decide: Callable[..., Any], args: tuple[Any, ...], fields: dict[str, Any], word: str
    ) -> None:
        body = self.app.body
        try:
            done = await self._desk.hub.run(decide, *args, **fields)
        except MemagentError as error:
            if self.amending:
                body.fact.refused(str(error))
                return
            done = str(error)
        order = [p.number for p in body.memory.waiting]
        after = order[order.index(number) + 1 :] + order[: order.index(number)][::-1] if number in order else order
        if body.has("fact") and body.fact.proposal is not None and body.fact.proposal.number == number:
            body.fact.settled()
        self._desk.hub.facts_changed()
        await self.lists.load_memory()
        left = {p.number for p in body.memory.waiting}
        following = number if number in left else next((n for n in after if n in left), 0)
        if following:
            body.memory.choose_proposal(following)
        if not body.shows("memory") and not following:
            # With nothing left to decide on, there is only the list to go back to.
            self.app.want(detail=False)
        self.app.call_after_refresh(self._focus_next, bool(following))
        if isinstance(done, str):
            self.app.say(done, "warning")
        else:
            self.app.say(_said(done, word))

    def _focus_next(self, more: bool) -> None:
        """The keys go on being about what comes next."""
        body = self.app.body
        if body.shows("memory"):
            body.memory.focus_list()
        elif more:
            self.lists.open_item(body.memory.item)
        self.app.show_keys()


def _said(done: Any, word: str) -> str:
    """What was decided, in one line."""
    if isinstance(done, list):
        return f"{word}: {len(done)} of the group, u takes back the last"
    if getattr(done, "op", "") == "forgotten":
        word = "forgotten"
    return f"{word}: {done.fact.summary} · #{done.fact.number} · u undoes"
