"""A user with files of other programs, for the tests of connecting."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sessions.lending.connect import Plan, carry_out, connecting, undoing
from sessions.lending.made import Record
from sessions.lending.places import Machine, places
from sessions.paths import HomePaths

PROGRAM = "/opt/my tools/bin/memagent-tui"
CLIENTS = ["claude-code", "codex", "cursor"]


@dataclass
class Desk:
    """A user with a home of ours and files of other programs."""

    root: Path
    environ: dict[str, str]

    @property
    def paths(self) -> HomePaths:
        return HomePaths(self.root / "home", self.root / "home/config.toml")

    def places(self, client: str, folder: bool, program: str = PROGRAM):
        machine = Machine(self.root / "ada", self.environ)
        return places(client, machine, self.root / "atlas" if folder else None, program, self.paths)

    def connect(self, client: str, *, folder: bool = False, program: str = PROGRAM) -> Plan:
        record = Record(self.paths)
        plan = connecting(self.places(client, folder, program), record)
        carry_out(plan, record, private=not folder)
        return plan

    def undo(self, client: str, *, folder: bool = False, edited: bool = False) -> Plan:
        record = Record(self.paths)
        plan = undoing(self.places(client, folder), record, edited=edited)
        carry_out(plan, record, private=not folder)
        return plan

    def files(self) -> dict[str, bytes | None]:
        """Everything but our own home; folders have None."""
        found = [p for p in self.root.rglob("*") if not p.is_relative_to(self.paths.root)]
        return {str(p.relative_to(self.root)): p.read_bytes() if p.is_file() else None for p in found}

    def write(self, name: str, data: bytes | str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path
