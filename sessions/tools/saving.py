"""The tools with which a model writes to the memory: what it asks for is done, waits for the person, or is refused."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from sessions.errors import FactError
from sessions.events import FactDeleted, FactEvent, FactProposed, FactWritten
from sessions.memory.contents import as_data
from sessions.memory.drafted import CATEGORIES, due_date, kind_named, split_summary
from sessions.memory.fact import By, Draft, Fact, slug
from sessions.memory.guard import SAID_MAX, AtOnce, Guard, Outcome, Wish
from sessions.memory.rules import SUMMARY_MAX, USER, check_size
from sessions.memory.store import Change, FactStore
from sessions.memory.view import find
from sessions.tools.base import Tool, ToolContext, ToolResult

_SAVE = """Remember one durable fact about the user, the people around them or their work: something that will still \
matter in a month. One claim a fact, in the user's own words and language, with dates instead of "tomorrow". Saving \
under the name of a known fact updates it. Without a quote of what the user typed, or with more in it than they typed, \
it waits for the user's review.
DO NOT save: what only matters now, your own guesses, questions, secrets, what others said, what can be read from \
files."""
_BRIEF = """Remember one durable fact about the user, their people or work. summary: one line, third person. kind: \
user, preference, contact, open-thread, project, reference, feedback or self. quote: the user's words, exactly."""
_KIND = (
    "What it is about: user, preference (the user), contact (a person), open-thread (what the user waits for or "
    "owes), project, reference (the work), feedback (how the user likes things done), self (you)."
)
_QUOTE = "The words with which the user typed it in this session, exactly, three words or more."
_DELETE = """Forget a remembered fact that is no longer true or that the user wants gone, with the user's words that \
say so. The user can undo it."""

_DELETE_BRIEF = "Forget a remembered fact, with the user's words that say so as quote."


class Saving:
    """save_memory and delete_memory for work in one folder."""

    def __init__(
        self,
        store: FactStore,
        cwd: Path | None,
        client: str = "",
        at_once: AtOnce = "typed",
        seen: Callable[[Fact], bool] = lambda fact: True,
    ) -> None:
        """`client` is the other program that writes, if it is one; what it saves waits unless `at_once` says more.
        `seen` tells which facts may be named to it.
        """
        self.store = store
        self.cwd = cwd
        self.client = client
        self._seen = seen
        self.at_once = at_once
        self.guard = Guard(store)
        self._lock = threading.Lock()
        # Calls of one step run at once; what they write is numbered in the order in which they were asked for.
        self._writing = asyncio.Lock()
        self._turn: tuple[str, int, str, int] | None = None
        self._unasked = 0
        """Facts of that turn that nobody asked for."""

    def tools(self) -> list[Tool]:
        return [self._save_tool(), self._delete_tool()]

    def _save_tool(self) -> Tool:
        properties = {
            "name": {"type": "string", "description": "Short name in a-z, 0-9 and -, such as lives-in-tokyo."},
            "summary": {"type": "string", "description": f"The fact in one line, at most {SUMMARY_MAX} characters."},
            "kind": {"type": "string", "description": _KIND},
            "body": {"type": "string", "description": "Details, if there are any."},
            "quote": {"type": "string", "description": _QUOTE},
            "scope": {"type": "string", "enum": ["user", "project"], "description": "project: only for this folder."},
            "replaces": {"type": ["string", "integer"], "description": "Name or number of a fact that this replaces."},
            "distinct": {
                "type": "boolean",
                "description": "true: another matter than the fact it was said to be close to.",
            },
            "related": {"type": "array", "items": {"type": "string"}, "description": "Names of related facts."},
            "due": {"type": "string", "description": "open-thread only: the date, such as 2026-12-04."},
        }
        parameters = schema(properties, "name", "summary", "kind")
        aliases = {"category": "kind", "key": "name", "value": "summary"}
        return Tool("save_memory", _SAVE, parameters, self._save, side_effects=True, aliases=aliases, brief=_BRIEF)

    def _delete_tool(self) -> Tool:
        properties = {
            "fact": {"type": ["string", "integer"], "description": "Name or number of the fact."},
            "quote": {"type": "string", "description": _QUOTE},
        }
        aliases = {"key": "fact", "name": "fact", "number": "fact"}
        described = "delete_memory", _DELETE, schema(properties, "fact")
        return Tool(*described, self._delete, side_effects=True, aliases=aliases, brief=_DELETE_BRIEF)

    async def _save(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        hidden: set[str] = set()
        try:
            async with self._writing:
                hidden = await asyncio.to_thread(self._hidden)
                outcome = await asyncio.to_thread(self._save_now, arguments, context)
        except FactError as e:
            return ToolResult(_without(hidden, f"Not saved: {e}"), ok=False)
        if outcome.change is None:
            return replace(waits := _waits(outcome, context), content=_without(hidden, waits.content))
        change = outcome.change
        event: FactEvent = FactWritten(**about([change.fact], context), op=change.op)
        return ToolResult(_without(hidden, _told(change)), events=(event,))

    def _hidden(self) -> set[str]:
        """What may not be said of the facts that may not be named."""
        facts = (fact for fact in self.store.snapshot().facts if not self._seen(fact))
        return {words for fact in facts for words in (as_data(fact.summary), fact.name)}

    def _unseen(self, fact: Fact) -> bool:
        return not self._seen(fact)

    def _visible(self) -> list[Fact]:
        return [fact for fact in self.store.visible(self.cwd) if self._seen(fact)]

    def _save_now(self, arguments: dict[str, Any], context: ToolContext) -> Outcome:
        kind = kind_named(arguments["kind"])
        name = str(arguments["name"])
        visible = self._visible()
        known = next((f for f in visible if f.name == slug(name)), None)
        if known and arguments["kind"] in CATEGORIES and known.kind != kind:
            name = f"{kind}-{slug(name)}"
            known = next((f for f in visible if f.name == name), None)
        scope = known.scope if known else USER
        if arguments.get("scope") == "project":
            if self.cwd is None:
                raise FactError("no folder is known, so there is no project", "Save it with the scope user")
            scope = self.store.scopes.of(self.cwd)
        elif arguments.get("scope"):
            scope = USER
        summary, body = split_summary(arguments["summary"], arguments.get("body") or "")
        related = arguments.get("related")
        replaces = arguments.get("replaces") or None
        if replaces is not None:
            # Facts of another project are none of this session's business.
            seen = find(visible, replaces)
            if seen is None and self.client:
                raise FactError(f"replaces {str(replaces)[:64]!r} names no fact")
            replaces = seen.number or seen.name if seen else replaces
        draft = Draft(
            name=name,
            summary=summary,
            kind=kind,
            body=body,
            scope=scope,
            related=None if related is None else tuple(map(str, related)),
            due=due_date(arguments.get("due")),
            replaces=replaces,
        )
        with self._lock:
            wish = self._wish(arguments, context)
            outcome = self.guard.save(draft, wish)
            self._unasked += outcome.unasked
            return outcome

    async def _delete(self, arguments: dict[str, Any], context: ToolContext) -> ToolResult:
        ref = arguments["fact"]

        def forget() -> Outcome:
            return self.guard.forget(ref, self._wish(arguments, context), among=self._visible())

        try:
            async with self._writing:
                outcome = await asyncio.to_thread(forget)
        except FactError as e:
            return ToolResult(f"Not forgotten: {e}", ok=False)
        if outcome.change is None:
            return _waits(outcome, context)
        fact = outcome.change.fact
        text = f"Forgotten #{fact.number} {fact.name}: {as_data(fact.summary)}"
        return ToolResult(text, events=(FactDeleted(**about([fact], context)),))

    def _wish(self, arguments: dict[str, Any], context: ToolContext) -> Wish:
        typed = tuple(context.typed())
        turn = (context.session, context.turn, context.message, len(typed))
        if turn != self._turn:
            self._turn, self._unasked = turn, 0
        quote = check_size("quote", str(arguments.get("quote") or ""), SAID_MAX)
        distinct = arguments.get("distinct") is True
        if self.client:
            by, why = By("mcp", quote=quote, client=self.client), f"it comes from {self.client}"
            return Wish(by, (), "", self.cwd, distinct, at_once=self.at_once, why=why, hidden=self._unseen)
        by = By("model", context.session, context.message, quote)
        return Wish(by, typed, context.message, self.cwd, distinct, self._unasked)


def schema(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    return {"type": "object", "properties": properties, "required": list(required)}


def about(facts: list[Fact], context: ToolContext) -> dict[str, Any]:
    """What an event says about these facts."""
    return {
        "session": context.session,
        "turn": context.turn,
        "call_id": context.call_id,
        "names": tuple(f.name for f in facts),
        "numbers": tuple(f.number for f in facts),
        "summaries": tuple(f.summary for f in facts),
    }


def _waits(outcome: Outcome, context: ToolContext) -> ToolResult:
    proposal = outcome.proposal
    if proposal is None:
        raise AssertionError("an outcome is a change or a proposal")
    already = " already" if outcome.again else ""
    what = "" if proposal.proposes != "forget" else f" Until then #{proposal.target} is known as before."
    text = f"Waits for the user's review as #{proposal.number}{already}: {outcome.why}.{what}"
    return ToolResult(text, events=(FactProposed(**about([proposal.fact], context)),))


def _without(hidden: set[str], text: str) -> str:
    for words in sorted(hidden, key=len, reverse=True):
        text = text.replace(words, "(a fact that you do not see)")
    return text


def _told(change: Change) -> str:
    fact = f"#{change.fact.number} {change.fact.name}: {as_data(change.fact.summary)}"
    if change.op == "confirmed":
        return f"Already known as {fact}"
    if change.op == "restored":
        return f"Saved {fact} (it had been forgotten and is known again)"
    if change.before and not change.before.active:
        return f"Saved {fact} (it had been switched off and is on again)"
    if change.before and change.before.id != change.fact.id:
        return f"Saved {fact} (instead of #{change.before.number}: {as_data(change.before.summary)})"
    if change.op == "updated" and change.before and change.before.summary != change.fact.summary:
        return f"Updated {fact} (was: {as_data(change.before.summary)})"
    return f"{'Updated' if change.op == 'updated' else 'Saved'} {fact}"
