from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "textual",
    "rich",
    "openai",
    "httpx",
    "httpx2",
    "watchfiles",
    "mcp",
    "sqlite3",
    "pydantic",
    "tomlkit",
    "platformdirs",
}
ROOT = Path(__file__).parents[2]


def loaded(code: str, tmp_path: Path) -> set[str]:
    """Top-level modules in a fresh interpreter after the code ran."""
    program = f"{code}\nimport sys, json\nprint(json.dumps(sorted({{n.split('.')[0] for n in sys.modules}})))"
    env = {"PATH": "", "HOME": str(tmp_path), "MEMAGENT_HOME": str(tmp_path / "home"), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=env, cwd=tmp_path, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "code",
    [
        "import sessions",
        "from sessions import Home, Agent, Trace, replay, events",
        "from sessions import SessionHub, Home; SessionHub(Home())",
    ],
)
def test_the_library_loads_nothing_heavy(code: str, tmp_path: Path) -> None:
    assert loaded(code, tmp_path) & HEAVY == set()


def test_a_session_on_the_guide_is_ready_without_anything_heavy(tmp_path: Path) -> None:
    code = """
import asyncio
from pathlib import Path
from sessions import Home, SessionHub

async def main():
    hub = SessionHub(Home())
    hub.servers.begin()
    assert await hub.servers.offered(True) == [] and await hub.servers.news(Path.cwd()) == 0
    state = await hub.new(Path.cwd())
    assert state.place == "this machine"

asyncio.run(main())
"""
    assert loaded(code, tmp_path) & HEAVY == set()


def test_public_names_are_there_and_others_are_not() -> None:
    import sessions

    for name in sessions.__all__:
        assert getattr(sessions, name) is not None
    assert set(sessions.__all__) <= set(dir(sessions))
    with pytest.raises(AttributeError):
        sessions.nothing  # noqa: B018
