"""Text of models, tools, files and pastes that would take over a terminal is seen on it, and obeyed nowhere."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.recorded import COPIED, READY, Recorded, command, home_at, recorded, suspicious
from tests.servers.chat_server import ChatServer, calls, error, stream, text
from tests.waiting import wait_until

HOSTILE = (
    "[bold]x[/] [link=https://evil.example]y[/link] \x1b]52;c;ZXZpbA==\x07\x1b[35;46mred\x9b31m\x9d52;c;ZXZpbA==\x9c"
    "\u202ecba\u2066\u200b\x1b]0;owned\x07\x1b]8;;https://evil.example\x07\x1bPq\x1b\\\x08\x0e\x7f end"
)
BRIEF = "[bold]x[/] \x1b]52;c;ZXZpbA==\x07\x1b[35;46m\x9b31m\u202ecba\u2066\x1b]0;owned\x07 end"
"""As much as the one line of a fact may hold."""
SHOWN = "[bold]x[/] [link=https://evil.example]y[/link]"
TOML = "".join(c if c.isalnum() or c in " [];=/:." else f"\\U{ord(c):08X}" for c in BRIEF)
NOWHERE = "http://127.0.0.1:9"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def start(home: Path, size: tuple[int, int] = (120, 40), **options: object) -> Recorded:
    weather = {"MEMAGENT_WEATHER_GEOCODING_URL": NOWHERE, "MEMAGENT_WEATHER_FORECAST_URL": NOWHERE}
    return recorded(home=home, size=size, **weather, **options)  # type: ignore[arg-type, return-value]


def leave(t: Recorded) -> str:
    """Quit; all that reached the terminal, which must be plain text and what the toolkit sends."""
    t.send("ctrl+q")
    output = t.end()
    assert suspicious(output) == []
    assert not any(sequence in output for sequence in ("\x1b[35;46m", "\x1b[31m", "\x1b]0;", "\x1b]8;"))
    return output


def test_what_a_model_sends_is_shown_and_never_obeyed(tmp_path: Path, server: ChatServer):
    home = home_at(tmp_path, server, "[ui]", 'tool_detail = "full"')
    server.script(
        stream({"reasoning_content": HOSTILE}, {"content": "First " + HOSTILE}, finish="stop"),
        calls(
            ("save_memory", {"summary": BRIEF, "body": HOSTILE, "kind": "user", "name": BRIEF}),
            (HOSTILE.replace(" ", "_"), {HOSTILE: HOSTILE}),
            ("get_weather", {"location": HOSTILE}),
            said="Calling " + HOSTILE,
        ),
        text(f"# {HOSTILE}\n\n> {HOSTILE}\n\n- {HOSTILE}\n\n| a | {HOSTILE} |\n|---|---|\n| {HOSTILE} | 1 |\n\n"
             f"```{HOSTILE}\n{HOSTILE}\n```\n\n[{HOSTILE}](https://a.example/) `{HOSTILE}` SECOND-DONE"),
        error(400, HOSTILE),
    )  # fmt: skip
    with start(home, (160, 45)) as t:
        t.say("Begin", r"First \[bold\]")
        t.send("end")
        t.say("Now with tools", "SECOND-DONE")
        t.settle()
        assert "[bold]x[/]_[link=" in t.text(), "the name of the tool, in the chat or the tree"
        t.say("And fail", r"400")
        t.settle()
        t.send("f4")
        t.wait(r"To review")
        t.send("f3")
        t.wait("History")
        t.settle()
        leave(t)
    assert server.problems == []


def test_what_stands_in_files_is_shown_and_never_obeyed(tmp_path: Path, server: ChatServer):
    home = home_at(tmp_path, server)
    config = home / "config.toml"
    config.write_text(config.read_text().replace('model = "m"', f'model = "m {TOML}"'))
    facts = home / "memory/user"
    facts.mkdir(parents=True)
    (facts / "lives.md").write_text(
        f'+++\nsummary = "Sum {TOML}"\nkind = "user"\nrelated = ["{TOML}"]\n[source]\nquote = "{TOML}"\n'
        f'origin = "user"\n+++\nBody {HOSTILE}\n',
        encoding="utf-8",
    )
    (facts / f"x{HOSTILE.replace('/', '')}.md").write_text(f"+++\nsummary = {HOSTILE}\n+++\n", encoding="utf-8")
    folder = tmp_path / HOSTILE.replace("/", "")
    folder.mkdir()
    with start(home, (160, 45), cwd=folder) as t:
        t.say("Hello there", "You said: Hello there")
        t.send("ctrl+p")
        t.wait("Type a command")
        t.send("rename this")
        t.wait("Rename this session")
        t.send("enter")
        t.wait("Title of the session")
        t.paste(f"Title {HOSTILE}")
        t.send("enter")
        t.wait(r"Title \[bold\]")
        t.send("f3")
        t.wait("Conversation|1 turn")
        t.settle()
        t.send("e")
        t.wait("Title of the session")
        t.send("esc")
        # A terminal cannot tell an esc right before F4 from alt+F4.
        t.gone("Title of the session")
        t.send("f4")
        t.wait(r"Sum \[bold\]")
        t.wait("Broken")
        for _ in range(3):
            t.send("down")
            t.settle(0.2)
        t.send("enter")
        t.settle()
        leave(t)
    with start(home, (80, 24), cwd=folder) as t:
        t.wait("Take up again")
        t.send("enter")
        t.wait("Hello there")
        leave(t)


def test_a_paste_presses_no_keys_is_seen_whole_and_sent_as_it_was(tmp_path: Path, server: ChatServer):
    pasted = f"Look: {HOSTILE}\nsecond \x1b[31mline\x1b[0m \x07\x03\x11 \x1b[A\x1b[27u done"
    with start(home_at(tmp_path, server)) as t:
        t.paste(pasted)
        t.wait("done")
        t.settle()
        assert "␛]52;c;ZXZpbA==␇␛[35;46mred" in t.text() and "second ␛[31mline␛[0m ␇␃␑ ␛[A␛[27u done" in t.text()
        t.type(" and typed")
        t.send("enter")
        t.wait("You said: Look")
        leave(t)
    sent = server.requests[0]["messages"][-1]["content"]
    assert sent.endswith(pasted + " and typed")


def test_bytes_that_are_no_text_do_not_end_the_program(tmp_path: Path, server: ChatServer):
    import os

    with start(home_at(tmp_path, server)) as t:
        os.write(t.fd, b"abc\xff\x9bdef")
        t.wait("def")
        t.send("ctrl+c")
        t.say("Still here", "You said: Still here")
        leave(t)


def test_what_is_copied_is_the_text_and_the_only_sequence_is_ours(tmp_path: Path, server: ChatServer):
    server.script(text("Say " + HOSTILE))
    with start(home_at(tmp_path, server)) as t:
        t.say("Go", r"Say \[bold\]")
        t.wait(READY)
        x, y = t.find("Say [bold]")
        t.mouse(0, x, y)
        t.mouse(32, x + 20, y)
        t.mouse(32, 70, y + 6)
        t.mouse(0, 70, y + 6, up=True)
        t.settle()
        t.send("ctrl+c")
        t.wait("sent to the clipboard")
        output = leave(t)
    copies = COPIED.findall(output)
    assert len(copies) == 1
    copied = base64.b64decode(copies[0][7:-1]).decode()
    assert copied.startswith("Say [bold]x[/]") and "\u202ecba\u2066" in copied, "words are as they were written"
    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", copied) is None, "and what a shell would obey is not in it"
    assert "␛]52;c;ZXZpbA==␇" in copied


def test_commands_show_it_on_a_terminal(tmp_path: Path, server: ChatServer):
    home = home_at(tmp_path, server)
    server.script(
        calls(
            ("save_memory", {"summary": BRIEF, "body": HOSTILE, "kind": "user", "name": BRIEF, "quote": HOSTILE}),
            (HOSTILE, {}),
            said=HOSTILE,
        ),
        text("Done: " + HOSTILE),
    )
    outputs = [command("ask", "Please: " + HOSTILE, home=home)]
    session = next((home / "sessions").glob("*.jsonl")).stem
    for arguments in (
        ["ask", "--json", "And again"],
        ["sessions", "rename", session, "Title " + HOSTILE],
        ["sessions", "list"],
        ["sessions", "list", "--json"],
        ["sessions", "show", session],
        ["sessions", "search", "evil"],
        ["facts", "list"],
        ["facts", "list", "--json"],
        ["facts", "show", "1"],
        ["facts", "history", "1"],
        ["facts", "show", HOSTILE],
        ["sessions", "show", HOSTILE],
        ["config", "set", "agent.profile", HOSTILE],
        ["doctor"],
    ):
        outputs.append(command(*arguments, home=home))
        assert suspicious(outputs[-1]) == [] and "35;46m" not in outputs[-1].replace("[35;46m", ""), arguments
    assert SHOWN in outputs[0] and sum(SHOWN in output for output in outputs) >= 9


def test_a_link_shows_where_it_leads_before_it_is_opened(tmp_path: Path, server: ChatServer):
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > "{opened}"\n')
    browser.chmod(0o755)
    server.script(
        text("Go [to the bank](https://evil.example/a?b=\u202ec) or [run](javascript:x) [local](file:///etc/passwd)")
    )
    with start(home_at(tmp_path, server), BROWSER=str(browser)) as t:
        t.say("Link?", "to the bank")
        t.wait(READY)
        t.click("to the bank")
        t.wait(r"https://evil\.example/a\?b=")
        t.send("n")
        t.gone("Open this link")
        assert not opened.exists()
        # A second click that comes at once would be a double click, which chooses a word.
        t.settle(0.7)
        t.click("to the bank")
        t.wait("Open this link")
        t.send("y")
        t.gone("Open this link")
        for word in ("run", "local"):
            t.click(word)
            t.settle(0.3)
            assert "Open this link" not in t.text()
        wait_until(opened.exists, "the browser was called")
        leave(t)
    assert opened.read_text().startswith("https://evil.example/a?b=")
