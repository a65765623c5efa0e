from __future__ import annotations

import socket
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


NOBODY = """
import sys
from sessions.providers.embeddings import on_this_machine
from sessions.settings import AgentSettings, Profile, Settings
url = f"http://127.0.0.1:{sys.argv[1]}/v1"
print(on_this_machine(Settings(profiles={"p": Profile("p", base_url=url)}, agent=AgentSettings(discover=False))))
print([name for name in ("httpx2", "openai", "anyio") if name in sys.modules])
"""


def test_where_no_model_server_listens_nothing_is_loaded_to_ask_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody answers there
        command = [sys.executable, "-c", NOBODY, str(taken.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n") == ["None", "[]", ""]
