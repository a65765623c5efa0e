from __future__ import annotations

import subprocess
from pathlib import Path

from sessions.messages import UserMessage
from sessions.store.log import read_log
from tests.e2e.terminal import terminal
from tests.program import PROGRAM, environment
from tests.waiting import wait_until

READ_ONLY = "open in another program and only read here"


def ask(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [PROGRAM, "ask", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment(home), check=False)


def said(log: Path) -> list[str]:
    return [r.content for r in read_log(log).records if isinstance(r, UserMessage)]


def test_a_session_open_in_one_window_is_only_read_in_another_follows_it_and_is_taken_over(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with terminal(home=home) as first:
        first.wait("Ask anything")
        first.say("I live in Tokyo.", "memory on, 1 fact")
        (log,) = (home / "sessions").glob("*.jsonl")
        session = log.name.removesuffix(".jsonl")

        refused = ask(home, "--session", session, "me too")
        assert refused.returncode == 1 and refused.stdout == ""
        assert READ_ONLY in refused.stderr and "--fork" in refused.stderr
        forked = ask(home, "--session", session, "--fork", "where do I live?")
        assert forked.returncode == 0 and "Tokyo" in forked.stdout

        with terminal("--resume", session, home=home) as second:
            second.wait(READ_ONLY)
            second.wait("› I live in Tokyo")
            first.say("Sarah Chen is my engineering manager.", "memory on, 2 facts")
            second.wait("› Sarah Chen is my engineering manager", 5)
            second.wait("memory on, 2 facts", 5)
            second.type("and me?")
            second.press("Enter")
            second.type(" ok?")
            second.wait("› and me\\? ok\\?")
            assert second.shows(READ_ONLY)
            assert said(log) == ["I live in Tokyo.", "Sarah Chen is my engineering manager."]
            first.quit()
            second.wait("it goes on here", 10)
            assert second.shows("› and me") and not second.shows(READ_ONLY)
            second.press("Enter")
            second.wait(r"› and me\? ok\?(?s:.*)› Ask anything", 10)
        wait_until(lambda: said(log)[-1] == "and me? ok?", "the message is in the log")
        assert read_log(log).problems == []
