"""What is learned from conversations at rest: three lines."""

from __future__ import annotations

from tui.dialogs.choice import Choice, ChoiceRow

WORDS = {"review": "ask me first", "auto": "by itself", "off": "off"}
_MEAN = {
    "review": "what is found waits for your yes",
    "auto": "what your own words carry is kept, the rest waits",
    "off": "only what is saved in the conversation is kept",
}


def learning(current: str) -> Choice:
    """Gives review, auto or off."""
    rows = [
        ChoiceRow(key, word[0].upper() + word[1:], _MEAN[key], "now" if key == current else str(i), letter=str(i))
        for i, (key, word) in enumerate(WORDS.items(), 1)
    ]
    return Choice("Learn from chats", rows, current)
