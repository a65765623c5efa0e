"""A Claude Code file without its words: its chain of lines, and what it says of itself."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence

from sessions.importers.base import Progress, Report
from sessions.importers.claude_lines import (
    ANSWER,
    BOUNDARY,
    CHAIN,
    SUMMARY,
    Node,
    agent_of,
    blocks,
    call_ids,
    kind_of,
    message_of,
    result_ids,
    said,
    tasks,
    title_of,
)
from sessions.importers.jsonl import TOLD, Lines, text_of
from sessions.importers.places import place_id
from sessions.messages import Json
from sessions.store.meta import time_text

_CHAINED = ("user", "assistant", "system")


class Skeleton:
    """The chain of one file; lines of sub-agents that stand in it are chains of their own."""

    def __init__(self, stem: str) -> None:
        self.nodes: list[Node] = []
        """The conversation's lines, in the order of the file."""
        self.side: list[Node] = []
        """Lines of sub-agents."""
        self.index: dict[str, Node] = {}
        self.cwd = self.at = self.model = self.title = ""
        self.leaf = ""
        """The newest line by the file's own word."""
        self.leaf_after = 0
        """How many lines of the chain stand before that word."""
        self.agents: dict[str, str] = {}
        """Call -> sub-agent."""
        self.asked: dict[int, str] = {}
        """Hash of a sub-agent's prompt -> call."""
        self.prompts: dict[str, int] = {}
        """Uuid of a sub-agent's first line -> hash of what it says."""
        self.names: dict[str, str] = {}
        """Uuid of a sub-agent's first line -> the sub-agent."""
        self._stem = stem
        """What the ids of lines that have none begin with."""
        self._rank = -1
        self._orphans: list[Node] = []

    def read(
        self, lines: Lines, start: int, report: Report, progress: Progress | None = None, *, own: bool = False
    ) -> None:
        """Take all lines from a byte on. With `own` the file is a sub-agent's, and its lines are the conversation."""
        told = start
        for offset, length, part, raw in lines.each(start, report):
            self.take(raw, offset, length, part, report, own=own)
            if progress is not None and offset - told >= TOLD:
                told = offset
                progress(told // 2)
        self.resolve()

    def take(self, raw: Json, offset: int, length: int, part: int, report: Report | None, *, own: bool = False) -> None:
        """One line."""
        parts = blocks(raw)
        kind, why = kind_of(raw, parts)
        if kind is CHAIN and report is not None:
            report.skipped[why] += 1
        uuid = raw.get("uuid")
        if not isinstance(uuid, str) or not uuid:
            if raw.get("type") not in _CHAINED:
                self._about(raw)
                return
            uuid = place_id(self._stem, offset, part)
        if uuid in self.index:
            if kind is not CHAIN and report is not None:
                report.skipped["repeated"] += 1
            return
        side = raw.get("isSidechain") is True and not own
        chain = self.side if side else self.nodes
        node = Node(kind, uuid, offset, length, part, len(chain))
        self._hang(node, raw, chain)
        if parts:
            self._details(node, raw, parts)
        self.index[uuid] = node
        chain.append(node)
        if side:
            above = node.above
            if above is None or not (above.place < len(chain) and chain[above.place] is above):
                self.prompts[uuid] = prompt_hash(raw)
                self.names[uuid] = text_of(raw.get("agentId"))
        else:
            self._first(raw, kind)

    def resolve(self) -> None:
        """Find the lines above that came after those that hang on them."""
        for node in self._orphans:
            above = self.index.get(node.parent or "")
            if above is not None and above is not node:
                node.above, node.parent = above, None
        self._orphans.clear()

    def _hang(self, node: Node, raw: Json, chain: list[Node]) -> None:
        parent = raw.get("parentUuid")
        if node.kind is BOUNDARY and not isinstance(parent, str):
            parent = raw.get("logicalParentUuid")
        if isinstance(parent, str) and parent:
            node.above = self.index.get(parent)
            if node.above is None:
                node.parent = parent
                self._orphans.append(node)
        elif chain and (parent is not None or "parentUuid" not in raw or node.kind in _NEVER_FIRST):
            node.above = chain[-1]

    def _details(self, node: Node, raw: Json, parts: Sequence[Json]) -> None:
        if node.kind is ANSWER:
            message = text_of(message_of(raw).get("id"))
            node.message = sys.intern(message) if message else ""
            node.calls = call_ids(parts)
            node.results = result_ids(parts)
            for call, prompt in tasks(parts) if node.calls else ():
                if prompt.strip():
                    self.asked.setdefault(hash(prompt.strip()), call)
        elif raw.get("type") == "user":
            node.results = result_ids(parts)
            if node.results and (agent := agent_of(raw)):
                self.agents[node.results[0]] = agent

    def _first(self, raw: Json, kind: str) -> None:
        if not self.cwd:
            self.cwd = text_of(raw.get("cwd"))
        if not self.at:
            self.at = time_text(text_of(raw.get("timestamp"))) or ""
        if kind is ANSWER and (model := text_of(message_of(raw).get("model"))):
            self.model = model

    def _about(self, raw: Json) -> None:
        rank, title = title_of(raw)
        if title and rank >= self._rank:
            self._rank, self.title = rank, title
        if raw.get("type") == "last-prompt" and isinstance(raw.get("leafUuid"), str):
            self.leaf, self.leaf_after = raw["leafUuid"], len(self.nodes)


_NEVER_FIRST = frozenset({BOUNDARY, SUMMARY})


def prompt_hash(raw: Json) -> int:
    """Of what a sub-agent was asked."""
    return hash("\n".join(filter(None, map(said, blocks(raw)))).strip())


def groups(side: Iterable[Node]) -> Iterator[list[Node]]:
    """The lines of sub-agents in the file of the conversation, one list for each sub-agent."""
    found: dict[int, list[Node]] = {}
    member: dict[int, int] = {}
    for node in side:
        above = node.above
        root = member.get(id(above), id(node)) if above is not None else id(node)
        member[id(node)] = root
        found.setdefault(root, []).append(node)
    for nodes in found.values():
        for place, node in enumerate(nodes):
            node.place = place
        yield nodes
