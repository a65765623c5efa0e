"""The sub-agents of a Claude Code session: which call started which, whether in the same file or in one of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from sessions.importers.base import Report, Source
from sessions.importers.claude_branch import arrange, newest, upwards
from sessions.importers.claude_lines import Node, is_record
from sessions.importers.claude_records import Shared, Talk
from sessions.importers.claude_skeleton import Skeleton, groups, prompt_hash
from sessions.importers.jsonl import Lines, dict_of, text_of
from sessions.importers.places import inner_stem
from sessions.importers.plain import open_plain
from sessions.messages import Record, ToolCall

_DEEPEST = 20
"""Sub-agents of sub-agents."""
_META = 1 << 20


class Agents:
    """Finds the lines of a sub-agent by the call that started it. Each is told once."""

    def __init__(self, source: Source, lines: Lines, skeleton: Skeleton, report: Report) -> None:
        self._source = source
        self._report = report
        self._depth = 0
        self.shared = Shared(source.path.with_suffix(""), report, self.told)
        self._files: dict[str, Path] = {}
        """Call -> file."""
        self._named: dict[str, Path] = {}
        """Sub-agent -> file."""
        self._asked: dict[int, Path] = {}
        """Hash of the prompt -> file."""
        self._inside: dict[str, tuple[Lines, list[Node]]] = {}
        """Call -> lines in the file of the conversation."""
        for path in source.beside:
            self._beside(path)
        self._link(lines, skeleton)

    def told(self, there: str, call: ToolCall, turn: int, live: bool) -> Iterator[Record]:
        """The records of the sub-agent that a call started; none for other calls."""
        path = self._files.pop(there, None)
        if self._depth >= _DEEPEST:
            return
        self._depth += 1
        try:
            if path is not None:
                yield from self._of_file(path, call, turn, live)
            elif (found := self._inside.pop(there, None)) is not None:
                yield from self._of(*found, call, turn, live)
        finally:
            self._depth -= 1

    def left(self) -> None:
        """Count those whose call was not found."""
        left = len(set(self._files.values()) | set(self._named.values())) + len(self._inside)
        if left:
            self._report.skipped["sub-agent without its call"] += left

    def _of_file(self, path: Path, call: ToolCall, turn: int, live: bool) -> Iterator[Record]:
        self._forget(path)
        try:
            lines = Lines(path, is_record)
        except OSError as e:
            self._report.cannot(path.name, 0, e.strerror or "cannot be opened")
            return
        try:
            skeleton = Skeleton(inner_stem(self._source.stem, self._source.uuid, path.name))
            skeleton.read(lines, 0, self._report, own=True)
            self._link(lines, skeleton)
            yield from self._of(lines, skeleton.nodes, call, turn, live)
        finally:
            lines.close()

    def _of(self, lines: Lines, nodes: list[Node], call: ToolCall, turn: int, live: bool) -> Iterator[Record]:
        path = [*upwards(nodes, newest(nodes))][::-1]
        branch = arrange(nodes, path, self._report)
        yield from Talk(lines, branch, self.shared, parent=call.id, turn=turn, live=live).records()

    def _beside(self, path: Path) -> None:
        """Note what a sub-agent's file says of the call that started it."""
        name = path.stem.removeprefix("agent-")
        about = path.with_suffix(".meta.json")
        self._named[name] = path
        try:
            with open_plain(about) as file:
                meta = dict_of(json.loads(file.read(_META)))
        except OSError as e:
            meta = {}
            if not isinstance(e, FileNotFoundError):
                self._report.cannot(about.name, 0, e.strerror or "cannot be opened")
        except (ValueError, RecursionError):
            meta = {}
        if call := text_of(meta.get("toolUseId")):
            self._files.setdefault(call, path)
            return
        try:
            lines = Lines(path, is_record)
        except OSError as e:
            del self._named[name]
            self._report.cannot(path.name, 0, e.strerror or "cannot be opened")
            return
        try:
            first = next(lines.first(1), None)
        finally:
            lines.close()
        if first is not None and prompt_hash(first) != hash(""):
            self._asked.setdefault(prompt_hash(first), path)

    def _link(self, lines: Lines, skeleton: Skeleton) -> None:
        """Join calls of a file with sub-agents that no other call has."""
        for call, name in skeleton.agents.items():
            path = self._named.get(name) or self._older(name)
            if path is not None and path not in self._files.values():
                self._files.setdefault(call, path)
        for asked, call in skeleton.asked.items():
            path = self._asked.get(asked)
            if path is not None and path not in self._files.values():
                self._files.setdefault(call, path)
        calls = {name: call for call, name in skeleton.agents.items()}
        for nodes in groups(skeleton.side):
            first = nodes[0].uuid
            name = skeleton.names.get(first, "")
            found = calls.get(name) or skeleton.asked.get(skeleton.prompts.get(first, 0))
            if found is None:
                self._report.skipped["sub-agent without its call"] += 1
            elif found not in self._files:
                self._inside.setdefault(found, (lines, nodes))

    def _older(self, name: str) -> Path | None:
        """The file of a sub-agent where older versions put it: beside the session's own."""
        path = self._source.path.with_name(f"agent-{name}.jsonl")
        return path if Path(name).name == name and path.is_file() else None

    def _forget(self, path: Path) -> None:
        for name in [name for name, found in self._named.items() if found == path]:
            del self._named[name]
