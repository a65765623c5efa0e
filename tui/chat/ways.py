"""Which way of going on is shown where a conversation has several. Only the newest is what the model sees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tui.chat.blocks import Answer, Block, Call, Divider, Prompt, TakenBack, Thought, Way


class Ways:
    """Remembers the choice of the person; nothing chosen = the newest everywhere."""

    def __init__(self) -> None:
        self._chosen: dict[int, int] = {}
        """Id of the block that holds the older ways -> which of them is shown."""
        self._holders: dict[int, Block] = {}
        """Id of the first block of an older way in sight -> the block that holds it."""
        self.old_from: int | None = None
        """Index in the view from which on blocks are of an older way."""

    @property
    def any(self) -> bool:
        """Whether an older way is shown."""
        return bool(self._chosen)

    def reset(self) -> bool:
        """Show the newest everywhere. False when that was so."""
        was = self.any
        self._chosen.clear()
        self._holders.clear()
        self.old_from = None
        return was

    def view(self, blocks: list[Block]) -> list[Block]:
        """The blocks to be seen: of the document, up to a place where an older way is chosen, and that way."""
        self._holders.clear()
        self.old_from = None
        if not self._chosen:
            return blocks
        out: list[Block] = []
        self._walk(blocks, out)
        return out

    def _walk(self, blocks: Iterable[Block], out: list[Block]) -> None:
        for block in blocks:
            chosen = self._chosen.get(block.id)
            if chosen is None:
                out.append(block)
                continue
            way = older(block)[chosen]
            self._holders[way[0].id] = block
            self.old_from = len(out) if self.old_from is None else self.old_from
            self._walk(way, out)
            return

    def version(self, block: Block) -> tuple[int, int] | None:
        """`(2, 3)` = the second of three ways begins with this block; None where there is one only."""
        holder = self._holders.get(block.id, block)
        ways = older(holder)
        if not ways:
            return None
        return self._chosen.get(holder.id, len(ways)) + 1, len(ways) + 1

    def turn(self, block: Block, by: int) -> bool:
        """Show an older or newer way than the one that begins with this block. False when there is none."""
        holder = self._holders.get(block.id, block)
        ways = older(holder)
        at = self._chosen.get(holder.id, len(ways)) + by
        if not ways or not 0 <= at <= len(ways):
            return False
        if at == len(ways):
            del self._chosen[holder.id]
        else:
            self._chosen[holder.id] = at
        return True

    def show_message(self, blocks: Sequence[Block], message: str, turn: int = 0, tool: str = "") -> Block | None:
        """Choose the ways in which a message of the log is to be seen, and give its block.

        What has no block of its own is seen at the call of that tool in the turn, else at the turn's begin.
        """
        path: list[tuple[int, int]] = []
        found = _find(blocks, lambda b: isinstance(b, Prompt | Answer) and b.message == message, path)
        if found is None and message:
            found = _find(blocks, lambda b: isinstance(b, Thought | Divider) and b.message == message, path)
        if found is None and tool:
            found = _find(blocks, lambda b: isinstance(b, Call) and b.turn == turn and b.name == tool, path)
        if found is None and turn:
            found = _find(blocks, lambda b: isinstance(b, Prompt) and b.turn == turn, path)
        if found is not None:
            self._chosen = dict(path)
        return found


def older(block: Block) -> tuple[Way, ...]:
    """The older ways that begin in the place of this block."""
    return block.older if isinstance(block, Prompt | TakenBack) else ()


def _find(blocks: Sequence[Block], wanted: Callable[[Block], bool], path: list[tuple[int, int]]) -> Block | None:
    for block in blocks:
        if wanted(block):
            return block
    for block in blocks:
        for i, way in enumerate(older(block)):
            path.append((block.id, i))
            found = _find(way, wanted, path)
            if found is not None:
                return found
            path.pop()
    return None
