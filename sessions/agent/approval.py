"""Whether a call that can change something may run: the rules of the settings, what was granted, else the person.

Consent comes from nowhere else: not from what a model, a tool or a file says, and no answer is not a yes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal, Protocol, TypeAlias

from sessions.tools.base import Tool

Decision: TypeAlias = Literal["once", "session", "always", "no"]

PERSON = "you"
NOBODY = "nobody"
SESSION = "this session"
"""Who or what decided, in `approval_decided.by`; else it is the rule itself."""


DECLINED = "The user declined this call. It was not run."
UNASKED = "This call needs the user's consent, and nobody can be asked here. It was not run."


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that waits for a yes."""

    session: str
    turn: int
    call_id: str
    name: str
    arguments: dict[str, Any]
    about: str
    """What kind of tool it is, in few words: `MCP server notes · can write`."""


class Approver(Protocol):
    """Who is asked. An answer that never comes leaves the call waiting until the turn is stopped."""

    @property
    def by(self) -> str:
        """Who that is: `PERSON` or `NOBODY`."""
        ...

    async def decide(self, request: ApprovalRequest) -> Decision: ...


class Nobody:
    """For a program in which nobody can be asked: what no rule allows is declined."""

    by = NOBODY

    async def decide(self, request: ApprovalRequest) -> Decision:
        return "no"


@dataclass(frozen=True, slots=True)
class Verdict:
    decision: Decision
    by: str

    @property
    def refusal(self) -> str:
        """What the model is told instead of a result; empty when the call may run."""
        if self.decision != "no":
            return ""
        return UNASKED if self.by == NOBODY else DECLINED


class Consent:
    """What one session's calls may do. One question at a time, as the answer to one may answer the next."""

    def __init__(
        self,
        approver: Approver,
        rules: Callable[[], Sequence[str]] = tuple,
        keep: Callable[[str], Awaitable[None]] | None = None,
    ) -> None:
        """`rules` are those of the settings as they are now; `keep` writes one there."""
        self._approver = approver
        self._rules = rules
        self._keep = keep
        self._granted: set[tuple[str, str, str]] = set()
        self._one = asyncio.Lock()

    def ruled(self, tool: Tool, arguments: dict[str, Any]) -> Verdict | None:
        """What was decided before; None when the person has to be asked."""
        if _agreed(tool) in self._granted:
            return Verdict("session", SESSION)
        rule = next((rule for rule in self._rules() if allows(rule, tool, arguments)), None)
        return Verdict("always", rule) if rule is not None else None

    async def ask(self, tool: Tool, request: ApprovalRequest) -> Verdict:
        """The answer to a call that nothing decided before."""
        async with self._one:
            known = self.ruled(tool, request.arguments)
            if known is not None:
                return known
            decision = await self._approver.decide(request)
            if decision in {"session", "always"}:
                self._granted.add(_agreed(tool))
            if decision == "always" and self._keep is not None:
                with suppress(Exception):  # whoever writes it says so when it cannot be written
                    await self._keep(tool.name)
            return Verdict(decision, self._approver.by)


def _agreed(tool: Tool) -> tuple[str, str, str]:
    """What a yes is about: a tool of this name that is another, or can do more, is asked about again."""
    return tool.name, tool.source, tool.asks


_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_-]*)=(.*)", re.DOTALL)
_TRICKS = ("..", ";", "&", "|", "`", "$(", "${", "<", ">", "%2e", "%2f", "%5c", "%25", "%0", "%1")
"""What leads out of a folder, or begins another command, when somebody makes a path or a command line of a value."""


def allows(rule: str, tool: Tool, arguments: dict[str, Any]) -> bool:
    """Whether a rule allows a call: `tool` every one, `tool:argument=pattern` those in which that argument is like the
    pattern, `tool:pattern` those in which every argument is. No order in a server's schema means anything.

    `*` stands for anything, also for nothing and for `/`, but not for `_TRICKS` and characters that cannot be seen:
    those the pattern has to hold itself. The pattern `*` alone takes everything.
    """
    name, colon, pattern = rule.partition(":")
    if name != tool.name:
        return False
    named = _NAMED.fullmatch(pattern)
    if named is not None:
        pattern = named[2]
    if not colon or pattern == "*":
        return True
    values = list(arguments.values()) if named is None else [arguments.get(named[1])]
    return bool(values) and all(_is_like(value, pattern) for value in values)


def allowed(rules: Sequence[str], name: str) -> Literal["always", "sometimes", ""]:
    """What rules say of a tool before any call of it: every call runs unasked, those that fit, or none."""
    own = [pattern for rule, _, pattern in (rule.partition(":") for rule in rules) if rule == name]
    if any(pattern in {"", "*"} or re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*=\*", pattern) for pattern in own):
        return "always"
    return "sometimes" if own else ""


def _is_like(value: Any, pattern: str) -> bool:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return False
    text = str(value)
    odd = {*_TRICKS, *(c for c in text if not c.isprintable())}
    plain = all(text.casefold().count(each) <= pattern.casefold().count(each) for each in odd)
    return plain and fnmatchcase(text, pattern)
