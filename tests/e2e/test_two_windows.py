from __future__ import annotations

import re
import subprocess
from pathlib import Path

from sessions.messages import Marker, Record, UserMessage
from sessions.paths import HomePaths
from sessions.store.log import LogWriter, read_log
from tests.e2e.terminal import Terminal, terminal
from tests.program import PROGRAM, environment
from tests.sessions.store.records import answer, first, user
from tests.sessions.store.records import home as store_home
from tests.waiting import wait_until

READ_ONLY = "open in another program and only read here"


def ask(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [PROGRAM, "ask", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment(home), check=False)


def program(home: Path, *arguments: str) -> subprocess.Popen[str]:
    """A command that runs beside what the test does."""
    env = environment(home)
    return subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def done(*programs: subprocess.Popen[str]) -> None:
    """Wait until they have ended well."""
    for one in programs:
        out, err = one.communicate(timeout=60)
        assert one.returncode == 0, (one.args, out, err)


def begun(paths: HomePaths, hour: int, text: str) -> str:
    """A session of one turn; its id."""
    at = f"2026-11-28T{hour}:00:00.000Z"
    log = LogWriter.create(paths, f"20261128-{hour}0000-7f3a9c", first(str(paths.root.parent), at))
    log.append(user("u1", text, 1, at))
    log.append(answer("a1", "Noted.", 1, at))
    log.append(Marker("e1", at, "turn_end", {"turn": 1, "stop": "stop"}))
    log.close()
    return log.session


def rows(window: Terminal) -> list[tuple[str, str]]:
    """The two lines of each session in the list of History."""
    lines = [line[:50] for line in window.screen().splitlines()]
    return [(lines[i - 1], line) for i, line in enumerate(lines) if re.search(r"\d turns?$", line.rstrip())]


def row(window: Terminal, title: str) -> str:
    """The row with a title; empty when there is none."""
    return next(("\n".join(pair) for pair in rows(window) if re.search(rf"\b{title}\b", pair[0])), "")


def follows(window: Terminal, title: str, pattern: str) -> None:
    """Wait until the row with the title shows the pattern; until there is none, when that is empty."""

    def there() -> bool:
        found = row(window, title)
        return bool(re.search(pattern, found)) if pattern else bool(rows(window)) and not found

    try:
        wait_until(there, f"the row {title} with /{pattern}/")
    except AssertionError as e:
        raise AssertionError(f"{e}\n{window.screen()}") from None


def choose(window: Terminal, title: str) -> None:
    """Bring the cursor of the list to a row."""
    follows(window, title, ".")
    heads = [head for head, _ in rows(window)]
    at = next(i for i, head in enumerate(heads) if head.startswith(" ▌"))
    to = next(i for i, head in enumerate(heads) if title in head)
    window.press(*(["j"] * (to - at) or ["k"] * (at - to)))
    follows(window, title, r"^ ▌")


def is_title(record: Record) -> bool:
    return isinstance(record, Marker) and record.kind == "meta" and "title" in record.data


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


def test_two_workbenches_and_an_ask_rename_append_trash_and_restore_at_once_and_each_screen_follows(
    tmp_path: Path,
) -> None:
    paths = store_home(tmp_path / "home")
    trains, boats, bikes = (
        begun(paths, hour, f"About {what}") for hour, what in ((12, "trains"), (11, "boats"), (10, "bikes"))
    )
    home = paths.root
    with terminal("--resume", trains, home=home) as left, terminal(home=home) as right:
        left.wait("› About trains")
        right.wait("Ask anything")
        right.press("F3")
        follows(right, "About trains", "running elsewhere(?s:.*)1 turn")

        # At once: renamed by one, said in by the other, an ask, and a third that goes to the trash and comes back.
        asking = program(home, "ask", "--session", boats, "And the harbour?")
        trashing = program(home, "sessions", "delete", bikes)
        left.type("And the ferry?")
        left.press("Enter")
        choose(right, "About trains")
        right.press("e")
        right.wait("Title of the session")
        right.type("Ferries")
        right.press("Enter")
        done(asking, trashing)
        left.wait(r"(?m)^ +Ferries(?:  |$)")
        follows(right, "Ferries", "running elsewhere(?s:.*)2 turns")
        follows(right, "About boats", "2 turns")
        follows(right, "About bikes", "")
        done(program(home, "sessions", "restore", bikes))
        follows(right, "About bikes", "1 turn")

        # What is open in one window goes nowhere by the other.
        choose(right, "Ferries")
        right.press("d")
        right.wait("open in another window")
        right.press("Enter")
        right.wait(READ_ONLY)
        # By its own window it does, and who reads it is told.
        left.press("F3")
        choose(left, "Ferries")
        left.press("d")
        left.wait("in the trash: Ferries")
        right.wait("moved this session to the trash")
        assert (paths.trash / f"{trains}.jsonl").exists() and not paths.session_log(trains).exists()
        right.type("Where is it?")
        right.press("Enter")
        right.wait("› Where is it")
        left.press("u")
        right.wait("it goes on here")
        follows(left, "Ferries", "running elsewhere(?s:.*)2 turns")
        titles = [program(home, "sessions", "rename", trains, f"Title {n}") for n in range(3)]
        right.press("Enter")
        done(*titles)
        follows(left, r"Title \d", "3 turns")
        last = [r.data["title"] for r in read_log(paths.session_log(trains)).records if is_title(r)][-1]
        follows(left, last, "3 turns")
        right.wait(rf"(?m)^ +{last}(?:  |$)")
    told = {session: said(paths.session_log(session)) for session in (trains, boats, bikes)}
    assert told == {
        trains: ["About trains", "And the ferry?", "Where is it?"],
        boats: ["About boats", "And the harbour?"],
        bikes: ["About bikes"],
    }
    records = read_log(paths.session_log(trains)).records
    assert sorted(r.data["title"] for r in records if is_title(r)) == ["Ferries", "Title 0", "Title 1", "Title 2"]
    assert [read_log(paths.session_log(session)).problems for session in told] == [[]] * 3
