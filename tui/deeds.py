"""What the actions of the registry do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from sessions.memory.fact import Draft, Fact
from tui.branch_deeds import BranchDeeds
from tui.chat.composer import Prompt
from tui.chat.typed import carried
from tui.commands import Action, parse_slash
from tui.connecting import Connecting
from tui.context_deeds import ContextDeeds
from tui.file_deeds import FileDeeds
from tui.history_deeds import HistoryDeeds
from tui.keeping_deeds import KeepingDeeds
from tui.lists import PERSON
from tui.model_deeds import ModelDeeds
from tui.review_deeds import ReviewDeeds
from tui.server_deeds import ServerDeeds
from tui.widgets.rows import wrap

if TYPE_CHECKING:
    from sessions.store.catalog import Meta
    from tui.app import MemagentApp


class Deeds(FileDeeds, ServerDeeds, BranchDeeds, ReviewDeeds, ContextDeeds, KeepingDeeds, HistoryDeeds, ModelDeeds):
    """One method an action; `-` in its name is `_` here. Each takes what followed the slash command."""

    def __init__(self, app: MemagentApp) -> None:
        self.app = app
        self.connecting = Connecting(app, self._desk)
        self._desk.run("connecting", self.connecting.watch)

    def do(self, name: str, arguments: str = "") -> None:
        deed: Callable[[str], None] = getattr(self, name.replace("-", "_"))
        deed(arguments)

    def send(self, prompt: Prompt) -> None:
        """A message, a slash command, or `quit`."""
        if prompt.text == "quit":
            self.app.quit()
            return
        slash = parse_slash(prompt.text)
        if slash:
            action, arguments = slash
            if action.name == "quit":
                self.app.quit()
            elif self._desk.ready.is_set():
                self.do(action.name, arguments)
            else:
                self._desk.run("early", self._do_early, action.name, arguments)
        elif prompt.text.startswith("/") and len(prompt.text.split()[0].split("/")) == 2:
            composer = self.app.body.chat.composer
            composer.load(prompt.then(composer.draft()))
            self.app.say(f"no command {prompt.text.split()[0]}: / shows them", "warning")
        elif not self._desk.refuses(prompt):
            self._desk.run("send", self._send, prompt)

    async def _do_early(self, name: str, arguments: str) -> None:
        """What was written before there was a session to do it in."""
        await self._desk.ready.wait()
        self.do(name, arguments)

    async def _send(self, prompt: Prompt) -> None:
        await self._desk.send(prompt)
        self.offer(prompt)

    # ------------------------------------------------------------------ views

    def chat(self, _: str) -> None:
        self.app.go("chat")

    def history(self, _: str) -> None:
        self.app.go("history")

    def memory(self, _: str) -> None:
        self.app.go("memory")

    def tree(self, _: str) -> None:
        if self.app.wanted.view != "chat":
            self.app.want(view="chat", detail=False)
        if self.app.size.width >= 100:
            self.app.want(tree=not self.app.wanted.tree)
            return
        drawer = not self.app.wanted.drawer
        self.app.want(drawer=drawer)
        self.app.call_after_refresh(self.app.focus_view)

    def palette(self, _: str) -> None:
        from tui.dialogs.palette import Palette

        def chosen(name: str | None) -> None:
            if name:
                self.app.run_action_of(name)

        self.app.push_screen(Palette(self.app.keymap, self.app.place, self.can), chosen)

    def can(self, action: Action) -> bool:
        """Whether what the action needs is there now."""
        private = self._desk.state.private if self._desk.state is not None else self.app.options.private
        there = {
            "said": self.app.body.chat.said,
            "private": private or self._desk.private.left_one,
            "kept": not private,
            "asked": self._desk.approving.asked,
            "waiting": self.app.header.state.to_review > 0,
            "foreign": self.app.body.has("history") and (meta := self._chosen_session()) is not None and meta.source,
        }
        return bool(there.get(action.needs, True))

    def approval(self, _: str) -> None:
        self._desk.approving.go()

    def help(self, _: str) -> None:
        from tui.dialogs.help import Help

        self.app.push_screen(Help(self.app.place or "composer", self.app.keymap))

    def theme_dark(self, _: str) -> None:
        self._setting("ui.theme", "dark", theme="dark")

    def theme_light(self, _: str) -> None:
        self._setting("ui.theme", "light", theme="light")

    def theme_contrast(self, _: str) -> None:
        self._setting("ui.theme", "contrast", theme="contrast")

    def tool_detail(self, _: str) -> None:
        transcript = self.app.body.chat.transcript
        detail = "line" if transcript.tool_detail == "full" else "full"
        transcript.tool_detail = detail
        self._setting("ui.tool_detail", detail)

    def _setting(self, key: str, value: str, theme: str = "") -> None:
        """Use a setting now and write it down."""
        from sessions.settings_file import set_value

        if theme:
            self.app.theme = theme
        self._desk.run("settings", self._desk.hub.run, set_value, self.app.paths.config, key, value)

    def editor(self, _: str) -> None:
        """What comes back counts as typed only where it was typed before: an editor pastes and reads files too."""
        from tui.external import edit_text

        desk, chat = self._desk, self.app.body.chat
        if desk.state.private if desk.state is not None else self.app.options.private:
            self.app.say("nothing of a private session is kept, and an editor keeps files: write it here", "warning")
            return
        before = chat.composer.draft()
        text = edit_text(self.app, before.text)
        if text is None:
            return
        typed = carried(before.text, before.typed, text)
        chat.composer.load(Prompt(text, typed))
        chat.show_start(chat.start.display and not text)
        if text != before.text and typed is not None:
            self.app.say("what comes from the editor counts as pasted: a fact made of it waits for your review")

    def copy_answer(self, _: str) -> None:
        answer = self._desk.presenter.answer
        if answer:
            self.app.copy_to_clipboard(answer)
        else:
            self.app.say("there is no answer yet")

    # ------------------------------------------------------------------ sessions

    def new(self, _: str) -> None:
        self._desk.run("session", self._desk.new, exclusive=True)

    def session_new(self, _: str) -> None:
        self.new("")

    def resume(self, words: str) -> None:
        self.app.go("history")
        if words:
            self.app.call_after_refresh(self.app.body.history.set_filter, words)

    def rename(self, title: str) -> None:
        if self._desk.state is not None:
            self._rename(self._desk.session, self.app.body.chat.title.title_text, title)

    def _rename(self, session: str, old: str, title: str = "") -> None:
        from tui.dialogs.rename import AskText

        def named(text: str | None) -> None:
            if text:
                self._desk.run("history-edit", self._after_history, self._desk.hub.rename, session, text)

        if title:
            named(title)
        else:
            self.app.push_screen(AskText("Title of the session", old), named)

    async def _after_history(self, change: Callable[..., Awaitable[None]], *args: Any) -> None:
        await change(*args)
        if self.app.lists is not None:
            self.app.lists.history_changed()

    def _chosen_session(self) -> Meta | None:
        body = self.app.body
        if self.app.place == "session" and body.session.shown is not None:
            return body.session.shown.meta
        return body.history.session

    def session_rename(self, _: str) -> None:
        if meta := self._chosen_session():
            self._rename(meta.id, meta.title)

    def session_pin(self, _: str) -> None:
        if meta := self._chosen_session():
            self._desk.run("history-edit", self._after_history, self._desk.hub.pin, meta.id, not meta.pinned)

    # ------------------------------------------------------------------ memory

    def remember(self, text: str) -> None:
        if not text:
            self.app.say("/remember and what is to be remembered", "warning")
            return
        if self._desk.state is not None and self._desk.state.private:
            self.app.say("nothing said in a private session is kept: write the fact in Memory, F4 and n", "warning")
            return
        draft = Draft("", text, "user")
        self._facts(self._desk.home.facts.save, draft, by=PERSON, word="remembered")

    def forget(self, ref: str) -> None:
        if not ref:
            self.app.say("/forget and a fact's name or number", "warning")
            return
        self._facts(self._desk.home.facts.forget, ref.lstrip("#"), by=PERSON, word="forgotten")

    def undo(self, _: str) -> None:
        self._facts(self._desk.home.facts.undo, by=PERSON)

    def _facts(self, change: Callable[..., Any], *args: Any, word: str = "", show: bool = False, **fields: Any) -> None:
        self._desk.run("facts", self._change_facts, change, args, fields, word, show)

    async def _change_facts(
        self, change: Callable[..., Any], args: tuple[Any, ...], fields: dict[str, Any], word: str, show: bool
    ) -> None:
        await self._desk.ready.wait()
        done = await self._desk.hub.run(change, *args, **fields)
        too = await self._desk.hub.run(self._on_too, done.fact)
        await self._desk.facts_changed()
        if show and self.app.lists is not None:
            await self.app.lists.review.show_waiting(done.fact.id)
        if done.op == "undone":
            from tui.memory.undone import undone

            self.app.say(undone(done) + too, "warning" if too else "info")
        else:
            self.app.say(f"{word}: {done.fact.summary} · #{done.fact.number}{too}", "warning" if too else "info")

    def _on_too(self, fact: Fact) -> str:
        """The active facts that give another value to the same thing: a key takes none of them away."""
        from sessions.memory.near import beside

        found = beside(fact, self._desk.home.facts.snapshot().facts)
        return "".join(f"; on too: {other.summary} · #{other.number}" for other in found)

    def foot(self, action: str, numbers: tuple[int, ...]) -> None:
        """A key on the facts under an answer."""
        lists, facts = self.app.lists, self._desk.home.facts
        if lists is None:
            return
        if action == "list":
            lists.always_sent()
        elif action == "retry":
            self.retry("")
        elif action == "edit" and numbers:
            lists.open_fact(numbers[0], and_return=True)
        elif action == "undo" and numbers:
            self._facts(facts.undo, by=PERSON, ref=numbers[0])
        elif action == "off" and numbers:
            self._facts(facts.edit, numbers[0], by=PERSON, status="off", word="off")

    def open_link(self, href: str) -> None:
        """Ask with the whole target in sight, then hand it to the browser."""
        if not href.startswith(("http://", "https://", "mailto:")):
            self.app.say("only http, https and mailto links can be opened", "warning")
            return
        from tui.dialogs.confirm import Confirm

        def answered(yes: bool | None) -> None:
            if yes:
                self._desk.run("link", self._open_link, href)

        self.app.push_screen(Confirm("Open this link", wrap(href, 70), "Open", "Stay here"), answered)

    async def _open_link(self, href: str) -> None:
        from tui.external import open_link

        if not await open_link(self.app, href):
            self.app.copy_to_clipboard(href)
            self.app.say("there is no browser here: the link was sent to the clipboard")

    def fact_new(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.new_fact()

    def fact_edit(self, _: str) -> None:
        if self.app.lists is not None:
            self.app.lists.open_item(self.app.body.memory.item)

    def _chosen(self, word: str, **fields: Any) -> None:
        """Change the fact under the cursor."""
        fact = self.app.lists.chosen_fact() if self.app.lists is not None else None
        if fact is not None:
            self._facts(self._desk.home.facts.edit, fact.number or fact.name, by=PERSON, word=word, **fields)

    def fact_onoff(self, _: str) -> None:
        fact = self.app.body.memory.fact
        if fact is not None:
            self._chosen("off" if fact.active else "on", status="off" if fact.active else "active")

    def fact_pin(self, _: str) -> None:
        fact = self.app.body.memory.fact
        if fact is not None:
            self._chosen("recalled on demand" if fact.pinned else "always sent", pinned=not fact.pinned)

    def fact_lock(self, _: str) -> None:
        fact = self.app.body.memory.fact
        if fact is not None:
            self._chosen("not locked" if fact.locked else "locked", locked=not fact.locked)

    def fact_forget(self, _: str) -> None:
        fact = self.app.body.memory.fact
        if fact is not None:
            self._facts(self._desk.home.facts.forget, fact.number or fact.name, by=PERSON, word="forgotten, u undoes")

    def fact_close(self, _: str) -> None:
        fact = self.app.body.memory.fact
        if fact is not None and fact.kind == "open-thread":
            self._facts(self._desk.home.facts.forget, fact.number or fact.name, by=PERSON, word="closed, u opens it")
        elif fact is not None:
            self.app.say("only what you wait on can be closed; d forgets a fact", "warning")

    def fact_undo(self, _: str) -> None:
        fact = self.app.lists.chosen_fact() if self.app.lists is not None and self.app.place == "background" else None
        ref = fact.number if fact is not None else None
        # What waits again because of it has the cursor then.
        self._facts(self._desk.home.facts.undo, by=PERSON, ref=ref, show=ref is None)

    def version_restore(self, _: str) -> None:
        from sessions.memory.restoring import restore

        form = self.app.body.fact
        version, fact, store = form.below.version, form.fact, self._desk.home.facts
        if version is not None and fact is not None:
            word = f"as version {version.number} was"
            self._facts(restore, store, fact.number or fact.name, version.op, by=PERSON, word=word)
        else:
            self.app.say("choose a version below the form first", "warning")
