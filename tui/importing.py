"""Other agents' sessions: offered once, taken over as they grow, and what of that shows while it goes on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.errors import MemagentError
from sessions.settings_edit import change
from tui.dialogs.choice import Choice, ChoiceRow
from tui.dialogs.rename import AskText
from tui.dialogs.report import ImportReport
from tui.import_report import facts_came, of_file, refused, unread
from tui.widgets.cells import cell_len
from tui.widgets.when import counted, folder, size_told

if TYPE_CHECKING:
    from sessions.hub.following import Offer
    from tui.app import MemagentApp
    from tui.desk import Desk

_LOOK_S = 0.3
_TOLD_S = 30.0
_FILES = "export of ChatGPT, Claude.ai, memdir; messages.jsonl, memory.json"
_PATH = 22
"""Cells for the path of this folder; of a longer one its name is said."""
_NAMES = {"all": "follow, all folders", "here": "follow, this folder", "no": "do not follow"}


class Importing:
    """A part of the desk."""

    def __init__(self, app: MemagentApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk
        self._held = self._began = self._due = False
        self._brings = False
        """A file that was named is being taken over."""
        self._report: tuple[str, list[str], list[str]] = ("", [], [])
        """Of what was taken over last: its name, what came, what was left out."""

    async def look(self) -> str:
        """What could be followed, in one line; empty when there is nothing, or when the person was asked."""
        offer = await self._desk.hub.offer()
        return _offered(offer) if offer is not None else ""

    def begin(self) -> None:
        """Follow, if the person wanted it; how far it is shows in History."""
        self._due = self._held
        if self._desk.home.settings.imports.follow and not self._held:
            self._began = True
            self._desk.hub.following.begin(poll=self._app.settings.ui.watch == "poll")
            self._desk.run("importing", self._show, exclusive=True)

    def shown(self, private: bool) -> None:
        """Another session is shown. While it is a private one there is no work in the background."""
        if private == self._held:
            return
        self._held = private
        if self._began:
            self._desk.hub.following.hold(private)
        if self._due:
            self.begin()

    async def ask(self, word: str) -> None:
        """The question, or its answer in a word: all, here, off. `stop` ends what goes on: a file, else the pass until
        the next start. `report` says what came last. Any other word is the path of a file, taken over once."""
        await self._desk.ready.wait()
        if word == "stop" and self._brings:
            self._desk.hub.following.halt()
            self._app.say("stopping: what came stays")
        elif word == "stop":
            self._due = False
            self._desk.hub.following.stop()
            self._app.say("stopped: what was taken over stays, and the next start goes on from there")
        elif word in {"all", "here"}:
            await self.answer(word)
        elif word in {"off", "no"}:
            await self.answer("no")
        elif word in {"memory", "instructions"}:
            await self._remembered(word == "instructions")
        elif word == "file":
            self._answered("file")
        elif word == "report":
            self._show_report()
        elif word:
            await self._bring(word)
        else:
            found = await self._desk.hub.following.found()
            self._app.push_screen(_question(found, self._now(), str(self._app.options.cwd)), self._answered)

    async def _remembered(self, instructions: bool) -> None:
        """What other agents remember, or the bullets of this folder's instructions, to review."""
        done, report = await self._desk.hub.following.remembered(self._app.options.cwd if instructions else None)
        await self._desk.facts_changed()
        name = "instructions" if instructions else "memories of Claude Code"
        self._told(name, [facts_came(done)], [*unread(report.bad), *refused(done)])

    def _told(self, name: str, came: list[str], left: list[str]) -> None:
        """Say what came; what was left out opens where nothing is being typed or read, else it can be asked for."""
        self._report = name, came, left
        # Where it is shown last, a narrow terminal cuts it off.
        more = [f"{len(left):,} left out (/import report)"] if left else []
        self._app.say(f"{name}: {', '.join([*more, *came])}", "warning" if left else "info")
        field = self._app.body.chat.composer
        if left and len(self._app.screen_stack) == 1 and field.input.has_focus and not field.text:
            self._show_report()

    def _show_report(self) -> None:
        name, came, left = self._report
        if name:
            self._app.push_screen(ImportReport(name, came, left))
        else:
            self._app.say("nothing was taken over yet")

    def _now(self) -> str:
        imports = self._desk.home.settings.imports
        return "" if imports.follow is None else "no" if not imports.follow else "here" if imports.folders else "all"

    def _answered(self, chosen: str | None) -> None:
        if chosen == "file":
            self._app.push_screen(AskText("Take over a file", placeholder=_FILES, verb="Take over"), self._named)
        elif chosen:
            self._desk.run("import", self.answer, chosen)

    def _named(self, path: str | None) -> None:
        if path:
            self._desk.run("bring", self._bring, path)

    async def _bring(self, text: str) -> None:
        """A file that the person named: its sessions come into History, its facts wait for review."""
        from sessions.importers.bringing import named

        path = named(text, self._app.options.cwd)
        if self._held:
            self._app.say("nothing is kept in a private session: leave it first", "warning")
            return
        if not path.exists():
            words = "all, here, off, stop, memory, instructions, report, or the path of a file"
            self._app.say(f"there is no file {path}; /import takes {words}", "warning")
            return
        if self._brings:
            self._app.say("a file is being taken over: /import stop ends that", "warning")
            return
        self._brings = True
        self._desk.run("bringing", self._show_way, exclusive=True)
        self._app.say(f"taking over {path.name}: History shows how far it is, /import stop ends it")
        try:
            done = await self._desk.hub.following.bring(path)
        except (MemagentError, OSError) as e:
            self._app.say(f"{path.name}: not taken over", "warning")
            self._complain(str(e))
            return
        finally:
            self._brings = False
        await self._desk.facts_changed()
        self._told(done.name, *of_file(done))

    def _complain(self, text: str) -> None:
        """What was not taken over: more than a line has room for."""
        self._app.notify(text, title="Not taken over", severity="warning", markup=False, timeout=_TOLD_S)

    async def _show_way(self) -> None:
        """Say in History how far the file is."""
        history = self._app.body.history
        while self._brings:
            way = self._desk.hub.following.way
            part = way.bytes_done / way.bytes_total if way is not None and way.bytes_total else 0.0
            if way is not None and self._app.body.has("history"):
                history.taking = f"taking over: {part:.0%}, {counted(way.done, 'session')}"
            await asyncio.sleep(_LOOK_S)
        if self._app.body.has("history"):
            history.taking = ""

    async def answer(self, chosen: str) -> None:
        """`all` folders, `here`, or `no`: kept in the settings, and done."""
        values: dict[str, Any] = {}
        if chosen != "no":
            # First, as a program that ends in between must not follow more than was agreed to.
            values["import.folders"] = [str(self._app.options.cwd)] if chosen == "here" else []
        values["import.follow"] = chosen != "no"
        for key, value in values.items():
            await self._desk.hub.run(change, self._app.paths.config, key, value)
        self._app.settings = await self._desk.hub.run(self._desk.home.reload_settings)
        self._app.body.chat.start.found("")
        if chosen == "no":
            self._desk.hub.following.stop()
            self._app.say("nothing of other agents is read; /import asks again")
        else:
            when = "once this private session is left, " if self._held else ""
            self._app.say(f"{_NAMES[chosen]}: {when}they come into History, where they can be read and searched")
            self.begin()

    async def _show(self) -> None:
        """Say in History how far it is, and at the end of the first pass what came of it."""
        following, body = self._desk.hub.following, self._app.body
        shown = ""
        while not following.rests:
            step = following.step
            text = f"taking over: {step.done:,} of {step.total:,}" if step is not None else ""
            if text != shown and body.has("history"):
                body.history.taking = shown = text
            await asyncio.sleep(_LOOK_S)
        if shown:
            body.history.taking = ""
        if following.came:
            self._app.say(f"{counted(following.came, 'session')} of other agents can be read and searched in History")


def _offered(offer: Offer) -> str:
    return ", ".join(counted(n, f"{name} session") for name, n in offer.counts)


def _question(offer: Offer | None, now: str, cwd: str) -> Choice:
    here = folder(cwd)
    here = here if cell_len(here) <= _PATH else f"…/{Path(cwd).name}"
    words = {
        "all": ("All folders", "readable and searchable here, from now on too"),
        "here": ("This folder", f"only what was said in {here}, and below"),
        "no": ("No", "nothing is read"),
        "file": ("A file…", "an export of ChatGPT or Claude.ai, or an older one"),
    }
    rows = [
        ChoiceRow(key, name, note, "now" if key == now else str(i), letter=str(i))
        for i, (key, (name, note)) in enumerate(words.items(), 1)
    ]
    told, below = "There is nothing of Claude Code or Codex on this machine yet.", list[str]()
    if offer is not None:
        told = f"{_offered(offer)} · {size_told(offer.size)}. Their files are only read."
        below = ["", *(f"{_day(head.at)}{agent} · {head.title or 'untitled'}" for agent, head in offer.heads)]
    return Choice("Keep the history of Claude Code and Codex searchable here?", rows, now, below=below, told=told)


def _day(at: str) -> str:
    return f"{at[:10]} · " if at else ""
