"""What the actions on keeping do: the trash and back, exports, and erasing for good."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tui.chat.composer import Prompt

if TYPE_CHECKING:
    from sessions.erase import Survey, Target
    from sessions.home import Home
    from sessions.store.catalog import Meta
    from tui.app import MemagentApp
    from tui.desk import Desk
    from tui.dialogs.choice import ChoiceRow

    MakeTarget = Callable[[Home], Target]

_TOLD_S = 12.0


class KeepingDeeds:
    """A part of the deeds: one method an action."""

    app: MemagentApp
    _secret: tuple[str, str] | None = None
    """Kind and text of a secret in what was said last."""

    @property
    def _desk(self) -> Desk:
        raise NotImplementedError

    def _chosen_session(self) -> Meta | None:
        raise NotImplementedError

    # ------------------------------------------------------------------ sessions

    def recap(self, _: str) -> None:
        self._desk.run("recap", self._recap, self._desk.session, exclusive=True)

    def session_recap(self, _: str) -> None:
        if meta := self._chosen_session():
            self._desk.run("recap", self._recap, meta.id, exclusive=True)

    async def _recap(self, session: str) -> None:
        await self._desk.ready.wait()
        self.app.say("the recap is being written")
        text = await self._desk.hub.recaps.make(session)
        self._history_changed()
        self.app.say("recap: " + " · ".join(text.split("\n")))

    def export(self, _: str) -> None:
        self._desk.run("export", self._export)

    async def _export(self) -> None:
        state = self._desk.state
        if state is None:
            return
        path: Path = await self._desk.hub.keeping.export(state.id, self.app.options.cwd)
        self.app.say(f"written to {path}")

    def clear(self, _: str) -> None:
        self._desk.run("session", self._clear)

    async def _clear(self) -> None:
        await self._desk.ready.wait()
        await self._desk.hub.clear(self._desk.session)

    # ------------------------------------------------------------------ erasing

    def offer(self, prompt: Prompt) -> None:
        """A secret in what was just said: say how it is taken out again."""
        from sessions.memory.secrets import find_secrets, secret_value

        state = self._desk.state
        found = find_secrets(prompt.text)
        if not found or state is None or state.private:
            return
        self._secret = (found[0].kind, secret_value(prompt.text, found[0]))
        self.app.say(f"a secret ({found[0].kind}) is in that: /erase takes it out again", "warning")

    def erase(self, words: str) -> None:
        """A fact by number or name; else the secret that was just said, the chosen row, or the last message."""
        from sessions.erase import of_fact, of_text

        view, session = self.app.wanted.view, self._desk.session
        if words:
            self._erase(lambda home: of_fact(home, words.lstrip("#")))
        elif self._secret is not None and view == "chat":
            kind, text = self._secret
            self._erase(lambda _: of_text(text, f"the {kind} that you said"), still=session)
        elif view == "memory":
            self.fact_erase("")
        elif view == "history":
            self.session_erase("")
        else:
            self._desk.run("erase", self._last_message, session)

    async def _last_message(self, session: str) -> None:
        from sessions.erase import of_message

        await self._desk.ready.wait()
        await self._desk.hub.keeping.still(session)
        message = self._desk.hub.said(session).id
        await self._ask(lambda home: of_message(home, session, message))

    def fact_erase(self, _: str) -> None:
        from sessions.erase import of_fact

        waiting = self.app.body.memory.proposal if self.app.place != "background" else None
        chosen = self.app.lists.chosen_fact() if self.app.lists is not None else None
        fact = waiting.fact if waiting is not None else chosen
        if fact is not None:
            ref = fact.number or fact.name
            self._erase(lambda home: of_fact(home, ref))

    def session_erase(self, _: str) -> None:
        from sessions.erase import of_session

        if meta := self._chosen_session():
            self._erase(lambda home: of_session(home, meta.id))

    def _erase(self, make: MakeTarget, still: str = "") -> None:
        self._desk.run("erase", self._ask, make, still, exclusive=True)

    async def _ask(self, make: MakeTarget, still: str = "") -> None:
        """Ask once, then erase."""
        from sessions.erase import of_session
        from sessions.erase.words import goes, these
        from tui.dialogs.choice import ChoiceRow
        from tui.dialogs.erase import EraseChoice

        await self._desk.ready.wait()
        keeping = self._desk.hub.keeping
        if still:
            await keeping.still(still)
        found = await keeping.survey(make)
        rows = await self._desk.hub.run(_rows, self._desk.home, found)
        title = f"Erase {found.target.title}"
        chosen = await self.app.push_screen_wait(EraseChoice(title, goes(found, width=60), rows))
        if chosen in {None, "keep"}:
            return
        if chosen == "only":
            found = await keeping.survey(lambda _: found.target.kept_messages())
        elif chosen == "facts":
            found = await keeping.survey(lambda home: of_session(home, found.whole[0], facts=True))
        elif chosen == "also":
            # What goes besides is seen before it goes, all of it.
            rows = [ChoiceRow("all", "Erase these too", f"with {_named(found)}", "y", letter="y")]
            dialog = EraseChoice("Erase these too", these(found), rows, whole=True)
            if await self.app.push_screen_wait(dialog) != "all":
                return
            found = await keeping.with_words(found)
        await self._do(found)

    async def _do(self, found: Survey) -> None:
        async with self._away_from(*found.whole):
            result = await self._desk.hub.keeping.erase(found)
        self._secret = None
        await self._desk.erasing.prompts()
        await self._desk.facts_changed()
        self._history_changed()
        self.app.notify("\n".join(result.words(brief=True)), title="Erased", markup=False, timeout=_TOLD_S)

    @asynccontextmanager
    async def _away_from(self, *sessions: str) -> AsyncIterator[None]:
        """What goes away is not the session on screen.

        It stays open until it goes: once it is free, the window in which it is only read would take it up.
        """
        await self._desk.ready.wait()
        before, view = self._desk.session, self.app.wanted.view
        if before not in sessions:
            yield
            return
        await self._desk.new(leave=False)
        self.app.go(view)
        try:
            yield
        finally:
            self._desk.run("left", self._desk.let_go, before)

    def _history_changed(self, choose: str = "") -> None:
        if self.app.lists is not None:
            self.app.lists.history_changed(choose)


def _named(found: Survey) -> str:
    return f"fact {found.target.number}" if found.target.number else found.target.title


def _rows(home: Home, found: Survey) -> list[ChoiceRow]:
    """What can be chosen, the thorough one first."""
    from sessions.erase.target import learned_in
    from sessions.erase.words import counted
    from tui.dialogs.choice import ChoiceRow

    messages = sum(log.messages for log in found.logs)
    match found.target.what:
        case "fact" if messages:
            told = f"and {counted(messages, 'message')} in which it stands"
            only = ChoiceRow("only", "Erase only the fact", "what was said stays", "f", letter="f")
            words = ", ".join(found.standing[:3])
            more = [ChoiceRow("also", "Erase these too", f"whatever holds {words}", "t", letter="t")] if words else []
            return [ChoiceRow("all", "Erase it", told, "y", letter="y"), *more, only]
        case "session" if learned := learned_in(home, found.whole[0]):
            what = f"{counted(len(learned), 'fact')} learned in it"
            stay = f"{what} {'stays' if len(learned) == 1 else 'stay'}"
            kept = ChoiceRow("all", "Erase the session", stay, "y", letter="y")
            return [kept, ChoiceRow("facts", "Erase its facts too", what, "f", letter="f")]
        case _:
            return [ChoiceRow("all", "Erase it", "for good", "y", letter="y")]
