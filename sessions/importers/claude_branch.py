"""Which lines of a Claude Code session are the conversation, and in what order: pure, over lines without their words.

A branch is followed upwards from its newest line without recursion; what was written beside it in the same step
(the other calls of a reply, the results of calls) is brought back to where it belongs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sessions.importers.base import Report
from sessions.importers.claude_lines import ANSWER, BOUNDARY, CHAIN, ERROR, RESULTS, STOPPED, USER, Node

_ENDS = frozenset({USER, BOUNDARY, STOPPED, ERROR})
"""No result comes any more for a call that stands before one of these."""


@dataclass(slots=True)
class Step:
    """What becomes one message, with the results of its calls, or one marker."""

    node: Node
    lines: Sequence[Node] = ()
    """Of a reply: the lines that it is told in."""
    next: str = ""
    """The kind of the next step on the branch; empty at its end."""
    is_open: bool = False
    """Results of its calls may still come."""


@dataclass(slots=True)
class Branch:
    """The way through the lines that counts, and where the results of its calls are."""

    path: list[Node]
    results: list[dict[str, Node]] = field(default_factory=lambda: [{}])
    """For each stretch between two compactions: call -> the line with its result."""

    def result(self, segment: int, call: str) -> Node | None:
        return self.results[segment].get(call) if segment < len(self.results) else None


def newest(nodes: Sequence[Node], leaf: Node | None = None, leaf_after: int = 0) -> Node | None:
    """The line where the conversation ends: the one that the file names, unless something was said later, else the
    newest that says something; and from there on what hangs on it."""
    end = len(nodes) - 1
    while end >= 0 and not nodes[end].speaks:
        end -= 1
    if leaf is not None and end < leaf_after and _among(nodes, leaf):
        start = leaf
    elif end >= 0:
        start = nodes[end]
    else:
        return None
    below = {id(start)}
    found = start
    for node in nodes[start.place + 1 :]:
        if node.above is not None and id(node.above) in below:
            below.add(id(node))
            found = node if node.speaks else found
    return found


def upwards(nodes: Sequence[Node], leaf: Node | None) -> Iterator[Node]:
    """The lines from `leaf` to the first. Where a line above is missing, or was met before, the one before it in the
    file that was not met takes its place: a torn line must not cost all that was said before it."""
    met: set[int] = set()
    node = leaf
    while node is not None:
        met.add(id(node))
        yield node
        above = node.above
        if above is None and node.parent is None:
            return
        if above is None or id(above) in met or not _among(nodes, above):
            place = node.place - 1
            while place >= 0 and id(nodes[place]) in met:
                place -= 1
            above = nodes[place] if place >= 0 else None
        node = above


def _among(nodes: Sequence[Node], node: Node) -> bool:
    return node.place < len(nodes) and nodes[node.place] is node


def arrange(nodes: Sequence[Node], path: list[Node], report: Report, known: Mapping[str, object] = {}) -> Branch:
    """Number the stretches, join the lines of each reply, find the results; `known` calls stand before the path.

    `path` runs from the first line to the newest. Doing it again changes nothing.
    """
    for node in nodes:
        node.on, node.joined, node.more, node.segment = False, False, None, -1
    segments = _along(path)
    _beside(nodes)
    branch = Branch(path, [{} for _ in range(segments + 1)])
    _find_results(nodes, branch, report, known)
    return branch


def steps(branch: Branch) -> Iterator[Step]:
    """What the branch tells, in order; results are asked for by their calls."""
    waiting: Step | None = None
    open_after = _last_open(branch.path)
    for node in branch.path:
        if not _begins(node):
            continue
        if waiting is not None:
            waiting.next = node.kind
            yield waiting
        waiting = Step(node, _lines(node), is_open=node is open_after)
    if waiting is not None:
        yield waiting


def last_step(branch: Branch) -> Step | None:
    """The newest step of the branch."""
    node = next((node for node in reversed(branch.path) if _begins(node)), None)
    return Step(node, _lines(node)) if node is not None else None


def _begins(node: Node) -> bool:
    return not node.joined and node.kind is not CHAIN and node.kind is not RESULTS


def _lines(node: Node) -> Sequence[Node]:
    return sorted((node, *node.more), key=lambda n: n.place) if node.more is not None else (node,)


def _along(path: Sequence[Node]) -> int:
    """Number the stretches of the path and join the lines of its replies; the number of the last stretch."""
    segment = 0
    replies: dict[str, Node] = {}
    for node in path:
        if node.kind is BOUNDARY:
            segment += 1
        if node.kind in _ENDS:
            replies.clear()
        node.on, node.segment = True, segment
        if node.kind is ANSWER and node.message:
            first = replies.setdefault(node.message, node)
            if first is not node:
                _join(first, node)
    return segment


def _beside(nodes: Sequence[Node]) -> None:
    """Bring parts of replies back that stand beside the path, and give all other lines the stretch they belong to."""
    replies: dict[str, Node] = {}
    early: list[Node] = []
    segment = 0
    for node in nodes:
        if node.on:
            segment = node.segment
            if node.kind is ANSWER and node.message and not node.joined:
                replies[node.message] = node
            continue
        above = node.above
        node.segment = above.segment if above is not None and above.segment >= 0 else segment
        if node.kind is ANSWER and node.message:
            first = replies.get(node.message)
            if first is None:
                early.append(node)
            else:
                _join(first, node)
    for node in early:
        if (first := replies.get(node.message)) is not None:
            _join(first, node)


def _join(first: Node, node: Node) -> None:
    node.joined, node.segment = True, first.segment
    if first.more is None:
        first.more = []
    first.more.append(node)


def _find_results(nodes: Sequence[Node], branch: Branch, report: Report, known: Mapping[str, object]) -> None:
    calls: list[set[str]] = [set() for _ in branch.results]
    calls[0].update(known)
    for node in nodes:
        if node.calls and (node.on or node.joined):
            calls[node.segment].update(node.calls)
    for on in (True, False):
        for node in nodes:
            if not node.results or (node.on or node.joined) is not on:
                continue
            there, asked = branch.results[node.segment], calls[node.segment]
            for call in node.results:
                if call not in asked:
                    report.orphan_results += on
                    report.named.add(call)
                elif call in there:
                    report.duplicate_results += on
                else:
                    there[call] = node
                    node.on = True
    report.other_ways += sum(node.speaks and not (node.on or node.joined) for node in nodes)


def _last_open(path: Sequence[Node]) -> Node | None:
    """The reply whose calls may still get their results: the last one, when nothing ended it."""
    for node in reversed(path):
        if node.kind in _ENDS:
            return None
        if node.kind is ANSWER and not node.joined:
            return node
    return None
