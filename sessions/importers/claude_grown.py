"""Whether a Claude Code session that grew goes on where it was left, told by its new lines and a few before them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256

from sessions.importers.base import Known, Report
from sessions.importers.claude_branch import newest, upwards
from sessions.importers.claude_lines import ANSWER, BOUNDARY, CHAIN, RESULTS, SUMMARY, Node
from sessions.importers.claude_skeleton import Skeleton
from sessions.importers.jsonl import Lines
from sessions.importers.telling import record_id
from sessions.messages import Json

_BACK = 4 << 20
"""Bytes before the new ones that are looked at."""


def grown(lines: Lines, stem: str, known: Known, report: Report) -> tuple[Skeleton, list[Node], list[Node]] | None:
    """(what the file tells, its new lines, those of them that go on); None when all must be read.

    All must be read when the file was cut, replaced or changed, when the new lines hang on another branch, when
    something is said beside the way, when a part of a reply or a line above others comes that was told or missed
    before, when they compact, and when a sub-agent speaks in them.
    """
    if lines.length < known.size or not lines.goes_on(known):
        return None
    skeleton = Skeleton(stem)
    before = _before(lines, known)
    for raw, offset in before:
        skeleton.take(raw, offset, 0, 0, None)
    skeleton.resolve()
    left = skeleton.index.get(known.leaf)
    there = _told_in(skeleton.nodes, left)
    if left is None or there is None or skeleton.side:
        return None
    count, replies = len(skeleton.nodes), {node.message for node in skeleton.nodes if node.kind is ANSWER}
    skeleton.cwd = skeleton.at = skeleton.model = skeleton.leaf = ""
    skeleton.asked.clear()
    skeleton.agents.clear()
    skeleton.read(lines, known.size, report)
    new = skeleton.nodes[count:]
    named = skeleton.index.get(skeleton.leaf)
    if skeleton.side or (skeleton.leaf and named is None) or any(_needs_all(node, replies) for node in new):
        return None
    if _again(new, known):
        return None
    path: list[Node] = []
    for node in upwards(skeleton.nodes, newest(skeleton.nodes, named, skeleton.leaf_after)):
        if node.place < count:
            on = _told_in(skeleton.nodes, node) is there and not _beside(new, path)
            return (skeleton, new, path[::-1]) if on else None
        if node.above is None:
            return None  # What it hangs on stands further above, or is gone.
        path.append(node)
    return None


def _before(lines: Lines, known: Known) -> list[tuple[Json, int]]:
    """The lines before the new ones with where they begin, back to one that is told as a message of its own."""
    found: list[tuple[Json, int]] = []
    probe = Skeleton("")
    met = False
    for back, raw in lines.back(known.size):
        found.append((raw, known.size - back))
        met = met or raw.get("uuid") == known.leaf
        if met:
            probe.take(raw, known.size - back, 0, 0, None)
            if probe.nodes and probe.nodes[-1].kind not in {CHAIN, RESULTS}:
                break
        if back > _BACK:
            break
    return found[::-1]


def _told_in(nodes: list[Node], leaf: Node | None) -> Node | None:
    """The line with the message that this one belongs to: of a reply the first that is known. None: it is not known."""
    node, steps = leaf, 0
    while node is not None and node.kind in {CHAIN, RESULTS} and steps < len(nodes):
        node, steps = node.above, steps + 1
    if node is None or node.kind is not ANSWER or not node.message:
        return node
    return next((n for n in nodes if n.message == node.message), node)


def _beside(new: list[Node], path: list[Node]) -> bool:
    """Whether something is said off the way: what hangs on it may come yet, or lead elsewhere. Results always may."""
    on = set(map(id, path))
    replies = {node.message for node in path if node.kind is ANSWER and node.message}
    off = (node for node in new if node.speaks and node.kind is not RESULTS and id(node) not in on)
    return any(node.kind is not ANSWER or node.message not in replies for node in off)


def _needs_all(node: Node, replies: set[str]) -> bool:
    if node.kind in {BOUNDARY, SUMMARY}:
        return True
    return node.kind is ANSWER and bool(node.message) and node.message in replies


def _again(new: list[Node], known: Known) -> bool:
    """Whether a line, a call or a part of a reply comes that was told or missed before, or the result of a call that
    has its own by now."""
    asked = {call for node in new for call in node.calls}
    if any(map(known.told, asked)) or any(known.told(record_id(node.uuid)) for node in new):
        return True
    if any(known.told(reply_name(node.message)) for node in new if node.kind is ANSWER and node.message):
        return True
    open_ = asked | known.open_calls.keys()
    return any(call not in open_ for node in new for call in node.results)


def named(nodes: Iterable[Node]) -> Iterator[str]:
    """What these lines name that no record has as its id: lines above that are missing, and their replies."""
    for node in nodes:
        if node.parent is not None:
            yield record_id(node.parent)
        if node.kind is ANSWER and node.message:
            yield reply_name(node.message)


def reply_name(message: str) -> str:
    """A short name of a reply: there are many, and two with the same only let all be read once more than need be."""
    return f"reply-{sha256(message.encode('utf-8', 'replace')).hexdigest()[:8]}"
