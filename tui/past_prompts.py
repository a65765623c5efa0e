"""What was sent before: kept in the home, and brought back by the composer."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sessions.errors import MemagentError
from tui.chat.composer import Prompt

if TYPE_CHECKING:
    from tui.app import MemagentApp
    from tui.desk import Desk


async def load(app: MemagentApp, desk: Desk) -> None:
    """Put the kept ones before those of this run."""
    from sessions.store.prompts import load_prompts

    past = await desk.hub.run(load_prompts, app.paths)
    app.body.chat.composer.prompts[:0] = [Prompt(text, typed) for text, typed in past]


async def keep(app: MemagentApp, desk: Desk, prompt: Prompt) -> None:
    """Keep what is being sent, but nothing of a private session."""
    from sessions.store.prompts import keep_prompt

    if desk.state is not None and not desk.state.private:
        # Where it cannot be kept for later, it is said all the same.
        with suppress(OSError, MemagentError):
            await desk.hub.run(keep_prompt, app.paths, prompt.text, prompt.typed)
