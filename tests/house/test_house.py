from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import PROGRAM, environment

ROOT = Path(__file__).resolve().parents[2]
TOP = {"pyproject.toml", "README.md", "LICENSE", "tui", "styles", "tests", "sessions"}


def tracked() -> list[Path]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return [Path(p) for p in listing.stdout.decode().split("\0") if p and (ROOT / p).exists()]


def test_the_top_level_has_only_what_the_design_names():
    odd = {p.parts[0] for p in tracked()} - TOP
    assert {name for name in odd if not name.startswith(".")} == set()


def test_no_file_is_over_400_lines():
    long = {
        str(p): n
        for p in tracked()
        if p.suffix in {".py", ".tcss"} and "bench" not in p.parts
        if (n := len((ROOT / p).read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_no_file_is_called_utils():
    assert [str(p) for p in tracked() if re.search(r"util|helper|misc", p.name)] == []


@pytest.mark.parametrize("room", ["sessions", "tui", "styles"])
def test_it_starts_in_a_folder_that_has_its_own_rooms(tmp_path, room):
    trap = tmp_path / room
    trap.mkdir()
    (trap / "__init__.py").write_text("raise SystemExit('the wrong package was imported')\n")
    run = subprocess.run(
        [PROGRAM, "facts", "list", "--json"],
        cwd=tmp_path,
        env=environment(tmp_path / "home"),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stdout.strip()) == (0, "[]"), run.stderr


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["importlinter.cli"],
    ],
    ids=["lint", "format", "types", "layers"],
)
@pytest.mark.timeout(300)  # the types of all packages, with nothing remembered from an earlier run
def test_the_checks_are_green(command):
    call = (
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as main; main()"]
        if command[0] == "importlinter.cli"
        else [sys.executable, "-m", *command]
    )
    run = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
