"""One question to a model outside of any turn: work in the background, whose words nobody watches as they come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sessions.agent.channel import Channel
from sessions.agent.steps import Ended, StepItem, let_go, listen
from sessions.errors import ProviderError
from sessions.messages import Usage, clean
from sessions.providers.base import Finished, Provider, Request, TextPiece


@dataclass(frozen=True, slots=True)
class Completion:
    """The whole answer."""

    text: str
    usage: Usage | None = None
    profile: str = ""
    model: str = ""

    @property
    def spent(self) -> dict[str, Any] | None:
        """What it took and of whom, as a log keeps it: from its own line it follows what a day cost."""
        return self.usage.as_json | {"profile": self.profile, "model": self.model} if self.usage else None


async def complete(provider: Provider, request: Request) -> Completion:
    """The model's answer. Raises ProviderError; a cancel lets go of the model at once, however it takes that."""
    items: Channel[StepItem] = Channel()
    task = listen(provider, request, items)
    parts: list[str] = []
    finished: Finished | None = None
    try:
        while True:
            for item in await items.get():
                match item:
                    case TextPiece():
                        parts.append(clean(item.text))
                    case Finished():
                        finished = item
                    case Ended(error=None) if finished is not None:
                        return Completion("".join(parts), finished.usage, provider.profile, provider.model)
                    case Ended():
                        broken = ProviderError("The model's answer broke off", "Try again")
                        raise item.error or broken
                    case _:
                        pass
    finally:
        let_go(task)
