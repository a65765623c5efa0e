"""What of a conversation stays on this machine: turns that a model here answered go to no model elsewhere unasked."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sessions.messages import THIS_MACHINE, AssistantMessage, Marker, Message, UserMessage
from sessions.settings import GUIDE

STAYED = "stayed"
"""Key of a compaction's marker whose summary was made without the turns that stay here."""


def told_here(answer: AssistantMessage, ours: Collection[str]) -> bool:
    """Whether a model on this machine gave the answer; one of the profiles `ours` did where the log does not say."""
    return answer.place == THIS_MACHINE or (not answer.place and (answer.profile == GUIDE or answer.profile in ours))


def leaving(turns: Sequence[list[Message]], ours: Collection[str]) -> list[list[Message]]:
    """The turns that may go to a model elsewhere: those that one elsewhere answered, and the newest while none did.

    What the person typed and nobody answered stays; of what another agent says nobody answered goes as the turn
    before.
    """
    out: list[list[Message]] = []
    before = True
    for i, turn in enumerate(turns):
        answers = [m for m in turn if isinstance(m, AssistantMessage)]
        if answers:
            before = stays = any(told_here(answer, ours) for answer in answers)
        elif i == len(turns) - 1:
            stays = False
        else:
            first = turn[0]
            stays = before or (isinstance(first, UserMessage) and first.typed != ())
        if not stays:
            out.append(turn)
    return out


def for_others(marker: Marker) -> bool:
    """Whether a summary was made of nothing that stays here."""
    return marker.data.get("place") not in {None, "", THIS_MACHINE}
