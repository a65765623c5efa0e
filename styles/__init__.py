"""The look: palettes, themes and the Textual CSS files, one per view."""

from __future__ import annotations

from pathlib import Path


def sheets() -> list[Path]:
    """The CSS files, in the order in which they are read."""
    return sorted(Path(__file__).parent.glob("*.tcss"))
