"""Which pane shows where: views arrange panes by the width of the terminal. Pure."""

from __future__ import annotations

from dataclasses import dataclass

VIEWS = ("chat", "history", "memory")
PANES = ("history", "session", "chat", "tree", "memory", "fact")
"""From left to right; tree stands over memory."""

LEAST_WIDTH, LEAST_HEIGHT = 60, 16
AIRY_HEIGHT = 30
BESIDE = 100
"""From this width on a list and its detail stand side by side."""
REST = 0
"""The width of a pane that takes what the others leave."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the person chose to see."""

    view: str = "chat"
    tree: bool = True
    """The tree beside the chat, where there is room for it."""
    drawer: bool = False
    """The tree over the chat, where there is no room beside it."""
    detail: bool = False
    """The detail instead of the list, where only one of them fits."""
    wide_history: bool = True
    wide_memory: bool = True
    """The lists beside the chat of a wide terminal."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The panes that show and their widths."""

    widths: dict[str, int]
    """Pane -> columns; 0 = the rest."""
    drawer: bool = False
    """The tree lies over the chat."""
    too_small: bool = False
    airy: bool = True

    @property
    def order(self) -> list[str]:
        return [pane for pane in PANES if pane in self.widths]


def arrange(wanted: Wanted, width: int, height: int) -> Arrangement:
    """The panes for a terminal of this size."""
    airy = height >= AIRY_HEIGHT
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return Arrangement({}, too_small=True, airy=airy)
    if wanted.view == "chat":
        return _chat(wanted, width, airy)
    lists, detail = ("history", "session") if wanted.view == "history" else ("memory", "fact")
    if width >= BESIDE:
        return Arrangement({lists: 50, detail: REST}, airy=airy)
    return Arrangement({detail if wanted.detail else lists: REST}, airy=airy)


def _chat(wanted: Wanted, width: int, airy: bool) -> Arrangement:
    widths = {"chat": REST}
    if width >= 150:
        if wanted.wide_history:
            widths["history"] = 42
        if wanted.tree:
            widths["tree"] = 50
        if wanted.wide_memory:
            widths["memory"] = 50
        return Arrangement(widths, airy=airy)
    if width >= BESIDE:
        if wanted.tree:
            widths["tree"] = 44
        return Arrangement(widths, airy=airy)
    if wanted.drawer:
        widths["tree"] = 44
    return Arrangement(widths, drawer=wanted.drawer, airy=airy)
