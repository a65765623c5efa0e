from __future__ import annotations

import subprocess
import sys

BEFORE = """
import sys
import tui.__main__, tui.start, tui.app
late = "openai httpx httpx2 pydantic mcp watchfiles sqlite3 markdown_it pygments tomlkit sessions.events sessions.home"
late += " sessions.hub tui.chat.blocks tui.chat.transcript tui.history.history_list tui.memory.memory_list"
print([name for name in late.split() if name in sys.modules])
"""


def test_what_the_first_paint_needs_loads_nothing_that_can_come_after_it() -> None:
    done = subprocess.run([sys.executable, "-c", BEFORE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
