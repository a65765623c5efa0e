from __future__ import annotations

import subprocess
from pathlib import Path

from tests.e2e.terminal import terminal
from tests.program import PROGRAM, environment
from tests.sessions.memory.homes import store_of, summaries
from tests.sessions.memory.waiting_home import waiting_home


def test_in_a_small_terminal_what_waits_is_read_accepted_edited_rejected_and_taken_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    waiting_home(home)
    with terminal(home=home, size="80x24") as screen:
        screen.wait("Ask anything")
        screen.wait("Memory 7")
        screen.type("/review")
        screen.press("Enter")
        screen.wait("a Accept.*x Reject.*A Accept group")
        screen.press("Down")
        screen.press("Enter")
        screen.wait("Change to fact 1, lives-in-tokyo")
        screen.wait(r"- in one line Lives in Tokyo(?s:.*)\+ in one line Lives in Osaka")
        screen.press("a")
        screen.wait("In place of fact 2, tea")
        screen.wait("Memory 6")
        screen.press("x")
        screen.wait("Forget fact 3, python")
        screen.wait("Memory 5")
        screen.press("u")
        screen.wait("Memory 6")
        screen.wait("In place of fact 2, tea")
        screen.press("e")
        screen.wait(r"\^s Accept")
        screen.type(" with milk")
        screen.press("C-s")
        screen.wait("Memory 5")
        screen.press("Escape")
        screen.wait(r"To review")
        rejected = subprocess.run(
            [PROGRAM, "facts", "reject", "12"], env=environment(home), capture_output=True, timeout=60, check=False
        )
        assert rejected.returncode == 0, rejected.stderr
        screen.wait("Memory 4")
        screen.press("A")
        screen.wait("Memory 2")
        screen.quit()
    found = summaries(store_of(home))
    assert "Lives in Osaka" in found and "Likes coffee with milk" in found and "Likes tea" not in found
    assert "Plays chess on Fridays" in found and "Uses Python 3.10" not in found
    assert [p.number for p in store_of(home).proposals()] == [10, 11]
