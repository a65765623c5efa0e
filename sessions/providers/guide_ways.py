"""What the guide says about memory, and how to have it otherwise, in the words of the place where the person is.

The screen has keys and slash commands, a shell has options and commands; a private session keeps nothing in either.
"""

from __future__ import annotations

from sessions.providers.guide_turn import Turn


def refusal(turn: Turn, *, nothing: str = "keep nothing from this") -> str:
    """Why nothing can be saved now, and what to do."""
    if turn.private:
        way = (
            "/keep makes it an ordinary session; then say it again. Or start a new one."
            if turn.screen
            else "Ask without --private."
        )
        return f"This session is private, so I {nothing}. {way}"
    if turn.has("recall_memory"):
        return f"Memory is set to use, don't save, so I {nothing}. {_on(turn, 'Change it')}"
    return off(turn)


def off(turn: Turn) -> str:
    """Why nothing can be recalled."""
    if turn.private:
        way = "Turn recall on with /memory read-only." if turn.screen else "Ask without --memory off."
        return f"Memory is off, so I recall nothing, and this session is private, so nothing is saved. {way}"
    return f"Memory is off, so I neither save nor recall anything. {_on(turn, 'Turn it on')}"


def no_search(turn: Turn) -> str:
    """Why past sessions cannot be searched, and where they can."""
    way = f"{_on(turn, 'Turn it on')[:-1]}, or look in History (F3)."
    if not turn.screen:
        way = "memagent-tui sessions search WORDS finds them."
    elif turn.private:
        way = "Turn recall on with /memory read-only, or look in History (F3)."
    return f"Memory is off, so I can't search past sessions. {way}"


def undo(turn: Turn) -> str:
    """The command that takes a change of a fact back."""
    return "/undo" if turn.screen else "memagent-tui facts undo"


def choosing(turn: Turn) -> str:
    """Where facts can be looked through."""
    return "choose in Memory (F4)" if turn.screen else "see memagent-tui facts list"


def tell_me(turn: Turn, example: str) -> str:
    """How to have a fact kept; empty where none is."""
    return f" Tell me, for example: {example}" if turn.has("save_memory") else ""


def _on(turn: Turn, do: str) -> str:
    return f"{do} with ctrl+g or /memory on." if turn.screen else "Ask with --memory on."
