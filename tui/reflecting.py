"""What looking through the facts came to, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.widgets.when import counted

if TYPE_CHECKING:
    from sessions.hub.reflecting import Reflection


def outcome(found: Reflection) -> str:
    """`12 facts looked through on this machine: 2 to review, 40 tokens saved when you accept`."""
    if not found.facts and not found.withheld:
        return "there are no facts to look through"
    words = f"{counted(found.facts, 'fact')} looked through on {found.place}: "
    if found.proposed:
        words += f"{len(found.proposed)} to review"
        if found.tokens > 0:
            words += f", {counted(found.tokens, 'token')} saved when you accept"
        elif found.tokens < 0:
            words += f", {counted(-found.tokens, 'token')} more when you accept"
    else:
        words += "nothing to change"
    if found.withheld:
        words += f"; {found.withheld} not shown to it, as they were told to another model"
    if found.left:
        words += f"; for {found.left} there was no room"
    return words
