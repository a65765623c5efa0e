"""A file of another program that cannot be edited."""

from __future__ import annotations


class Unfit(Exception):
    """Why the text cannot be edited, and where: `line` and `column` count from 1, 0 = not known."""

    def __init__(self, why: str, line: int = 0, column: int = 0) -> None:
        super().__init__(why)
        self.why = why
        self.line = line
        self.column = column

    @classmethod
    def at(cls, why: str, text: str, place: int) -> Unfit:
        """The same for a place in the text, counted in characters."""
        return cls(why, text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place))
