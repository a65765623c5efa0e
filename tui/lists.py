"""Brings sessions and facts to the panes that show them, when they show, and what a person does there to the store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sessions.errors import MemagentError
from sessions.memory.fact import BrokenFact, By, Fact, Proposal
from tui.history.detailing import Detailing
from tui.history.searching import Searching
from tui.reviewing import Reviewing
from tui.widgets.slices import no_collection

if TYPE_CHECKING:
    from sessions.store.catalog import Meta
    from tui.app import MemagentApp
    from tui.desk import Desk
    from tui.memory.fact_pane import FactPane
    from tui.memory.memory_list import Item

ALWAYS_SENT = "always sent"
_TAIL_BYTES = 200_000
_SEEN_S = 0.05
"""So long what is listed has the machine for itself, until it is seen."""
PERSON = By(origin="user")


class Lists:
    """A pane that does not show is only marked as old."""

    def __init__(self, app: MemagentApp) -> None:
        self.app = app
        self._old = {"history", "memory"}
        self.missed = False
        """There were facts whose files are not there any more."""
        self._return = False
        self._coming = ""
        """The session that has the cursor when it is listed."""
        self.review = Reviewing(app, self)
        self.search = Searching(app)
        self.detail = Detailing(app)

    @property
    def _desk(self) -> Desk:
        assert self.app.desk is not None
        return self.app.desk

    # ------------------------------------------------------------------ when to load

    def shown(self) -> None:
        """The arrangement changed: load what shows and is old."""
        if self.app.desk is not None:
            self.app.desk.turns.seen()
        for pane in ("history", "memory"):
            if pane in self._old and self.app.body.shows(pane) and self.app.desk is not None:
                self._load(pane)
        # What was loaded for another arrangement has no detail beside it yet, or that of another row.
        if "history" not in self._old and self.app.desk is not None:
            self.highlighted_session()
            if self.app.body.shows("history"):
                self.app.desk.elsewhere.look()
        if "memory" not in self._old and self.app.desk is not None:
            self.highlighted_fact()

    def history_changed(self, choose: str = "") -> None:
        """Read them again; the cursor goes to the session `choose`."""
        self._coming = choose or self._coming
        self._changed("history")

    def memory_changed(self) -> None:
        self._changed("memory")
        body = self.app.body
        if body.shows("fact") and not body.shows("memory") and body.fact.fact and not body.fact.proposal:
            self._desk.run("fact-detail", self._show_again, exclusive=True)
        if not self.app.body.shows("memory"):
            self._desk.run("counts", self._count_facts, exclusive=True)
        if body.chat.start.display:
            self._desk.run("start", self._start_again, exclusive=True)

    def _changed(self, pane: str) -> None:
        self._old.add(pane)
        if self.app.body.shows(pane):
            self._load(pane)

    def _load(self, pane: str) -> None:
        self._desk.run(pane, self._load_history if pane == "history" else self.load_memory, exclusive=True)

    async def _count_facts(self) -> None:
        await self._desk.ready.wait()
        counts = await self._desk.hub.run(self._desk.home.facts.counts)
        self.app.header.change(facts=counts.active, to_review=counts.to_review)

    async def _start_again(self) -> None:
        """The lines of an empty session say how many facts there are, which wait and which are due."""
        await self._desk.ready.wait()
        await self._desk.refresh_start()

    # ------------------------------------------------------------------ History

    async def _load_history(self) -> None:
        await self._desk.ready.wait()
        catalog = self._desk.home.catalog
        first = not self.app.body.history.list.rows
        before = catalog.known() if first else ()
        if before:
            # At once what was known at the start; what is new comes with a look at the files.
            with no_collection():
                self._show_history(before)
            await asyncio.sleep(_SEEN_S)
        metas = await self._desk.hub.run(catalog.list)
        self._old.discard("history")
        if not first or [*before] != metas:
            self._show_history(metas)
        coming, self._coming = self._coming, ""
        if coming and self.app.body.history.choice != "trash":
            self.app.body.history.list.choose(coming)
        self._desk.elsewhere.look()
        await self._load_trash()
        if self.app.wanted.view == "chat" and self._desk.session:
            self.app.body.history.list.choose(self._desk.session)
        self.highlighted_session()

    def _show_history(self, metas: Sequence[Meta]) -> None:
        kept = [m for m in metas if m.messages or m.forked_from or m.id in self._desk.turns.running]
        history = self.app.body.history
        history.searches, history.here = True, str(self.app.options.cwd)
        history.show(kept, now=self.app.now(), states=self._states())

    def filter_turned(self, choice: str) -> None:
        """Other sessions are listed: those of the trash are read now."""
        if choice == "trash":
            self._desk.run("history", self._load_trash, exclusive=True)
        self.highlighted_session()

    async def _load_trash(self) -> None:
        from sessions.store.trash import trashed

        if self.app.body.history.choice == "trash":
            await self._desk.ready.wait()
            self.app.body.history.show_trash(await self._desk.hub.run(trashed, self.app.paths))

    def _states(self) -> dict[str, str]:
        return self._desk.turns.states()

    def states_changed(self) -> None:
        if self.app.body.has("history"):
            self.app.body.history.show_states(self._states())

    def highlighted_session(self) -> None:
        """The detail follows the list's cursor."""
        self.detail.show()

    # ------------------------------------------------------------------ Memory

    async def load_memory(self, choose: Fact | None = None) -> None:
        await self._desk.ready.wait()
        snapshot = await self._desk.hub.run(self._desk.home.facts.snapshot)
        self._old.discard("memory")
        self.app.body.memory.missed = self.missed
        self.app.body.memory.show(snapshot, now=self.app.now())
        self.app.header.change(facts=snapshot.counts.active, to_review=snapshot.counts.to_review)
        if choose is not None:
            self.app.body.memory.choose(choose)
        if self.app.body.shows("fact"):
            self.highlighted_fact()

    def open_fact(self, fact: str | int, *, or_else: str = "", and_return: bool = False) -> None:
        """Go to Memory and open a fact in the form, its one line selected; `and_return`: saved, back to the chat.

        `or_else` names it when there is none under `fact`: what waited under a number may have changed another fact.
        """
        self._return = and_return
        self.app.want(view="memory", detail=False, drawer=False)
        self._desk.run("fact-open", self._open_fact, fact, or_else, exclusive=True)

    async def _open_fact(self, fact: str | int, or_else: str = "") -> None:
        await self.app.body.mounted("memory")
        await self.load_memory()
        memory = self.app.body.memory
        if (memory.choose(fact) or (or_else and memory.choose(or_else))) and (item := memory.item):
            await self._open_item(item)
        else:
            self.app.say(f"there is no fact {fact} any more", "warning")

    def always_sent(self) -> None:
        """Go to Memory and list the facts that stand in every request."""
        self.app.go("memory")
        self.app.call_after_refresh(self.app.body.memory.set_filter, ALWAYS_SENT)

    def highlighted_fact(self) -> None:
        """The form follows the list's cursor."""
        if self.app.body.shows("fact") and self.app.body.shows("memory"):
            self._desk.run("fact-detail", self._show_chosen, exclusive=True)

    async def _show_chosen(self) -> None:
        """Show what has the cursor when it comes to it: who opened a fact meanwhile has moved the cursor too."""
        await self.app.body.mounted("fact")
        await self._show_item(self.app.body.memory.item)

    async def _show_again(self) -> None:
        """Where there is room for the form alone: the fact in it, as it is now."""
        await self.load_memory()
        item = self.app.body.memory.fact
        form = self.app.body.fact
        shown = form.fact
        if shown is None:
            return
        if item is not None and item.id == shown.id:
            await self._show_item(item)
        elif shown.id not in {f.id for f in (await self._desk.hub.run(self._desk.home.facts.snapshot)).facts}:
            # It is in the archive now: what is being typed stays, else the fact comes that has the cursor.
            if form.dirty:
                form.gone()
            else:
                await self._show_item(self.app.body.memory.item)

    async def _show_item(self, item: Item | None, *, go: bool = False) -> None:
        """Show it in the form; `go` puts the focus there, when it could be shown."""
        form = self.app.body.fact
        if form.creating and not go:
            return
        match item:
            case Fact():
                # What it shows already stays as it is, with what is being typed or selected.
                shown = form.fact == item or form.show(item, now=self.app.now())
                if shown and go:
                    form.edit(selected=self._return)
                if shown:
                    await self._background(form, item)
            case BrokenFact():
                if form.show_broken(item, await self._desk.hub.run(_beginning, item)) and go:
                    form.below.focus()
            case Proposal():
                await self.review.show(item, go=go)
            case None:
                form.clear("n writes a fact" if self.app.body.memory.list.rows else "")

    async def _background(self, form: FactPane, fact: Fact) -> None:
        known = await self._desk.hub.run(self._known, fact)
        if form.fact is not None and form.fact.name == fact.name:
            form.show_background(known)

    def _known(self, fact: Fact) -> Any:
        from tui.memory.fact_detail import Background, Use
        from tui.memory.versions import versions_of

        home = self._desk.home
        meta = home.catalog.get(fact.source.session) if fact.source.session else None
        entries = home.facts.history(fact.number or fact.name)
        used = home.index.uses(fact.number, fact.name)
        return Background(
            source_title=meta.title if meta else "",
            uses=[Use(u.title or u.session, u.turn, u.at, u.session, u.message) for u in used.newest],
            sessions=used.sessions,
            turns=used.turns,
            versions=versions_of(entries),
        )

    def open_item(self, item: Item | None) -> None:
        """Enter on a row: to the form."""
        if item is not None:
            self._desk.run("fact-open", self._open_item, item, exclusive=True)

    async def _open_item(self, item: Item) -> None:
        if not self.app.body.shows("fact"):
            self.app.want(detail=True)
        await self.app.body.mounted("fact")
        await self._show_item(item, go=True)

    def new_fact(self) -> None:
        self.app.want(view="memory", detail=True)
        self._desk.run("fact-open", self._new_fact, exclusive=True)

    async def _new_fact(self) -> None:
        await self.app.body.mounted("fact")
        self.app.body.fact.new(now=self.app.now())

    def close_form(self) -> None:
        """esc in the form: back to the list."""
        if self._return:
            self._to_foot()
            return
        self.app.want(detail=False)
        self.app.body.memory.focus_list()
        self.highlighted_fact()

    def save(self, fact: Fact | None, changes: dict[str, Any], new: Any) -> None:
        self._desk.run("save", self._save, fact, changes, new)

    async def _save(self, fact: Fact | None, changes: dict[str, Any], new: Any) -> None:
        from sessions.memory.fields import FactChangedError
        from tui.memory.saving import GoneError, save

        form, facts = self.app.body.fact, self._desk.home.facts
        try:
            change = await self._desk.hub.run(save, facts, fact, changes, new, by=PERSON)
        except FactChangedError as error:
            form.show(error.now, now=self.app.now())
            return
        except GoneError:
            form.gone()
            return
        except MemagentError as error:
            form.refused(str(error))
            return
        known = await self._desk.hub.run(self._known, change.fact)
        self._desk.hub.facts_changed()
        # What was not in the list before has the cursor first, else the form would follow it elsewhere.
        await self.load_memory(change.fact)
        form.saved(change.fact, now=self.app.now(), known=known)
        if self._return:
            self._to_foot()
            self.app.say(f"saved: {change.fact.summary}")

    def saved_unchanged(self) -> None:
        """Nothing was to be written: who came from an answer goes back to it."""
        if self._return:
            self._to_foot()
            self.app.say("nothing changed")

    def _to_foot(self) -> None:
        """Back to the answer from which the fact was opened."""
        self._return = False
        self.app.go("chat")
        self.app.call_after_refresh(self.app.body.chat.transcript.focus_foot)

    def chosen_fact(self) -> Fact | None:
        """The fact that the keys are about: that of the detail when the focus is there, else that under the cursor."""
        if self.app.place == "background":
            return self.app.body.fact.fact
        return self.app.body.memory.fact if self.app.body.has("memory") else None


def _beginning(broken: BrokenFact) -> str:
    try:
        with broken.path.open("rb") as file:
            return file.read(_TAIL_BYTES).decode("utf-8", "replace")
    except OSError as error:
        return str(error)
