"""While an answer streams in: stopping it, typing, reading further up, selecting, and copying what was selected."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.events import TurnFinished
from sessions.messages import AssistantMessage
from sessions.store.log import read_log
from tests.e2e.recorded import COPIED, READY, Recorded, home_at, recorded
from tests.e2e.terminal import terminal
from tests.servers.chat_server import DONE, ChatServer, Pause, Reply, event, text, usage
from tests.tui.chat.stage import drag
from tests.tui.workbench import screen_text, text_of, workbench, write
from tests.waiting import until, wait_until

STOPPED_S = 0.1
"""From the key to the end of the turn, on a machine that does nothing else."""
PATIENCE = 10


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


def words(start: int, end: int) -> bytes:
    """So many tokens, ten words a line of the screen, a paragraph every fifty."""
    pieces = (f"w{n:04d}" + ("\n\n" if n % 50 == 49 else " ") for n in range(start, end))
    return b"".join(event({"content": piece}) for piece in pieces)


def answer(*steps: bytes | Pause) -> Reply:
    return Reply([event({"role": "assistant", "content": ""}), *steps, event(finish="stop"), usage(10, 5), DONE])


# ---------------------------------------------------------------------- esc


async def test_esc_ends_a_stream_that_hangs_at_once_keeps_what_came_and_the_next_message_works(
    tmp_path: Path, server: ChatServer
):
    forever = Pause()
    server.script(answer(event({"content": "Half of it"}), forever), text("All of it."))
    async with workbench(home_at(tmp_path, server)) as (app, pilot):
        assert app.desk is not None
        write(app, "go")
        await pilot.press("enter")
        await until(lambda: "Half of it" in text_of(app.body.chat.transcript), "the beginning")
        ended: list[float] = []
        async with app.desk.hub.subscribe() as events:
            pressed = time.monotonic()
            app.action_do("stop")
            async for told in events:
                if isinstance(told, TurnFinished):
                    ended.append(time.monotonic() - pressed)
                    break
        assert ended[0] < STOPPED_S * PATIENCE
        await until(lambda: server.gone.is_set(), "the server sees that nobody listens")
        await until(lambda: not app.running and "Ask anything" in screen_text(app), "the composer is free")
        await until(lambda: "stopped" in text_of(app.body.chat.transcript), "it says so")
        assert "Half of it" in text_of(app.body.chat.transcript)
        kept = [r for r in read_log(app.paths.session_log(app.desk.session)).records if isinstance(r, AssistantMessage)]
        assert [message.content for message in kept] == ["Half of it"]
        write(app, "again")
        await pilot.press("enter")
        await until(lambda: "All of it." in text_of(app.body.chat.transcript), "the next answer")
    assert server.problems == []


def test_the_escape_key_of_a_terminal_stops_the_stream(tmp_path: Path, server: ChatServer):
    server.script(answer(event({"content": "Half of it"}), Pause()), text("All of it."))
    with recorded(home=home_at(tmp_path, server)) as t:
        t.say("go", "Half of it")
        took = t.key_to_text("esc", "stopped")
        assert took < 0.4 * PATIENCE
        wait_until(server.gone.is_set, "the server sees that nobody listens")
        t.wait(READY)
        t.say("again", "All of it")


async def test_esc_goes_back_one_thing_at_a_time(tmp_path: Path, server: ChatServer):
    server.script(answer(words(0, 60), Pause()), answer(words(60, 120), Pause()))
    async with workbench(home_at(tmp_path, server)) as (app, pilot):
        write(app, "go")
        await pilot.press("enter")
        await until(lambda: "w0059" in text_of(app.body.chat.transcript), "the text")
        transcript = app.body.chat.transcript
        row = next(y for y in range(transcript.size.height) if "w00" in text_of(transcript).split("\n")[y])
        await pilot.mouse_down(transcript, offset=(4, row))
        await drag(pilot, (20, row))
        await pilot.mouse_up(transcript, offset=(20, row))
        assert transcript.has_selection
        await pilot.press("f3")
        await until(lambda: app.place == "history", "History")
        await pilot.press("slash", *"xyz", "ctrl+g")
        await until(lambda: len(app.screen_stack) == 2, "a dialog over all that")

        def state() -> tuple[int, str, bool, bool, str]:
            history = app.body.history.filter_text
            return len(app.screen_stack) - 1, history, transcript.has_selection, app.running, app.wanted.view

        async def esc(*expected: object) -> None:
            await pilot.press("escape")
            await until(lambda: state() == expected, f"{expected}, not {state()}")
            await pilot.pause()
            assert state() == expected

        assert state() == (1, "xyz", True, True, "history")
        await esc(0, "xyz", True, True, "history")
        await esc(0, "", True, True, "history")
        await esc(0, "", True, False, "history")
        await esc(0, "", True, False, "chat")
        write(app, "more")
        await pilot.press("enter")
        await until(lambda: "w0119" in text_of(app.body.chat.transcript), "the next text")
        await esc(0, "", False, True, "chat")
        await esc(0, "", False, False, "chat")


async def test_esc_closes_the_commands_and_what_is_marked_in_the_composer_before_it_stops_a_turn(
    tmp_path: Path, server: ChatServer
):
    server.script(answer(event({"content": "Half"}), Pause()))
    async with workbench(home_at(tmp_path, server)) as (app, pilot):
        write(app, "go")
        await pilot.press("enter")
        await until(lambda: "Half" in text_of(app.body.chat.transcript), "the beginning")
        field = app.body.chat.composer.input
        await pilot.press("slash")
        assert app.body.chat.popup.display
        await pilot.press("escape")
        assert not app.body.chat.popup.display and app.running
        await pilot.press("shift+left")
        assert field.selected_text == "/"
        await pilot.press("escape")
        assert field.selected_text == "" and field.text == "/" and app.running
        await pilot.press("escape")
        await until(lambda: not app.running, "the turn has ended")
        assert field.text == "/"


# ---------------------------------------------------------------------- typing and reading


def test_every_character_typed_while_5000_tokens_stream_in_is_echoed_and_none_is_lost(
    tmp_path: Path, server: ChatServer
):
    typed = "the quick brown fox jumps over a dog"
    gates = [Pause() for _ in typed]
    size = 5000 // len(typed) + 1
    steps: list[bytes | Pause] = []
    for n, gate in enumerate(gates):
        steps += [gate, words(n * size, (n + 1) * size)]
    server.script(answer(*steps))
    with recorded(home=home_at(tmp_path, server)) as t:
        t.type("go")
        t.send("enter")
        t.wait("Queue a message")
        slowest = 0.0
        for n, (character, gate) in enumerate(zip(typed, gates, strict=True)):
            gate.release()
            slowest = max(slowest, t.key_to_text(character, f"› {typed[: n + 1]}".rstrip()))
        t.wait(f"w{size * len(typed) - 1:04d}")
        t.wait(r"\d s\b")
        assert t.find(f"› {typed}") and slowest < 0.2 * PATIENCE
        t.send("enter")
        t.wait("You said: the quick brown fox")
    assert server.requests[-1]["messages"][-1]["content"].endswith(typed)


def reading(t: Recorded) -> list[str]:
    """The rows of the conversation, but the one that says how long it takes."""
    return [line[:50] for line in t.lines[4:30]]


def still(t: Recorded) -> list[str]:
    """What is read, once it has not moved for a while; the spinner below goes on all the time."""
    seen, since = reading(t), time.perf_counter()
    while time.perf_counter() - since < 0.3:
        t.settle(0.05, timeout=0.05)
        if reading(t) != seen:
            seen, since = reading(t), time.perf_counter()
    return seen


@pytest.mark.parametrize("way", ["wheel", "pageup"])
def test_who_reads_further_up_is_left_alone_and_follows_again_from_the_end(
    tmp_path: Path, server: ChatServer, way: str
):
    more, last = Pause(), Pause()
    server.script(answer(words(0, 1500), more, words(1500, 3000), last, words(3000, 3100)))
    with recorded(home=home_at(tmp_path, server), size=(100, 40)) as t:
        t.say("go", "w1499")
        for _ in range(3):
            t.mouse(64, 20, 10) if way == "wheel" else t.send("pageup")
        t.gone("w1499")
        before = still(t)
        assert any(" w" in line for line in before)
        more.release()
        t.wait("tok|w2999|1,5|turn")
        wait_until(lambda: last.reached.is_set(), "the server has sent it")
        assert still(t) == before
        for _ in range(200):
            t.mouse(65, 20, 10) if way == "wheel" else t.send("pagedown")
        t.wait("w2999")
        last.release()
        t.wait("w3099")


# ---------------------------------------------------------------------- selecting


LONG = [f"Paragraph {n}: " + " ".join(f"{n:02d}word{k:02d}" for k in range(24)) for n in range(80)]
LIST = "- one *item*\n- `two` **items**\n\n```python\nfor x in range(3):\n    print(x)\n```"
SOURCE = "\n\n".join([*LONG[:30], LIST, *LONG[30:]])


def chunk(start: str, end: str) -> bytes:
    """The source from one text to another, a word a token."""
    a = SOURCE.index(start) if start else 0
    b = SOURCE.index(end) if end else len(SOURCE)
    return b"".join(event({"content": piece}) for piece in SOURCE[a:b].replace(" ", "\0 ").split("\0"))


def wheel_up_to(t: Recorded, text: str) -> None:
    """Turn the wheel notch by notch, each when the one before is seen, so that none goes past the text."""
    while text not in t.text():
        before = reading(t)[:11]
        t.mouse(64, 20, 10)
        t._until(lambda before=before: reading(t)[:11] != before, 30, "the text moved")


def drag_over_three_screens(t: Recorded, server: ChatServer) -> None:
    """Mark from paragraph 3 to paragraph 60 while the text comes in, with the pointer below the view."""
    gates = [Pause(), Pause(), Pause()]
    server.script(
        answer(
            chunk("", "Paragraph 20:"),
            gates[0],
            chunk("Paragraph 20:", "Paragraph 45:"),
            gates[1],
            chunk("Paragraph 45:", "Paragraph 62:"),
            gates[2],
            chunk("Paragraph 62:", ""),
        )
    )
    t.say("go", "19word23")
    wheel_up_to(t, "03word05")
    still(t)
    x, y = t.find("03word05")
    t.mouse(0, x, y)
    t.mouse(32, x + 5, y + 1)
    t.mouse(32, 30, t.rows - 1)
    gates[0].release()
    t.wait("44word23")
    gates[1].release()
    t.wait("60word10")
    x, y = t.find("60word10")
    t.mouse(32, x + 7, y)
    t.mouse(0, x + 7, y, up=True)
    gates[2].release()
    t.wait("79word23|" + READY)


MARKED = SOURCE[SOURCE.index("03word05") : SOURCE.index("60word10") + len("60word10")]


@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
def test_a_drag_over_three_screens_of_a_running_stream_copies_the_source_after_a_resize(
    tmp_path: Path, server: ChatServer, size: tuple[int, int]
):
    with recorded(home=home_at(tmp_path, server), size=size) as t:
        drag_over_three_screens(t, server)
        t.resize(size[0] - 17, size[1] - 3)
        t.settle(0.5)
        t.send("ctrl+c")
        t.wait("sent to the clipboard")
        copies = COPIED.findall(t.output)
    assert len(copies) == 1
    assert base64.b64decode(copies[0][7:-1]).decode() == MARKED


def test_inside_tmux_the_copy_is_handed_through_as_well(tmp_path: Path, server: ChatServer):
    with recorded(home=home_at(tmp_path, server), TMUX="/tmp/tmux/default,1,0") as t:
        drag_over_three_screens(t, server)
        t.send("ctrl+c")
        t.wait("sent to the clipboard")
        output = t.output
    coded = base64.b64encode(MARKED.encode()).decode()
    assert f"\x1b]52;c;{coded}\x07" in output and f"\x1bPtmux;\x1b\x1b]52;c;{coded}\x07\x1b\\" in output


def test_a_real_tmux_has_the_copy_in_its_buffer(tmp_path: Path, server: ChatServer):
    server.script(text("Say **this** and that."))
    with terminal(home=home_at(tmp_path, server)) as t:
        t.wait(READY)
        t._call("set", "-s", "set-clipboard", "on")
        t.say("go", "Say this and that")
        t.wait(READY)
        t.press("C-p")
        t.wait("Type a command")
        t.type("copy the last")
        t.wait("Copy the last answer")
        t.press("Enter")
        t.wait("sent to the clipboard")
        wait_until(lambda: t._call("list-buffers"), "tmux has a buffer")
        assert t._call("show-buffer") == "Say **this** and that."


@pytest.mark.parametrize("term", ["vt100", "linux", "screen", "dumb"])
def test_a_terminal_of_few_abilities_and_no_mouse_is_enough(tmp_path: Path, server: ChatServer, term: str):
    server.script(answer(words(0, 600)))
    with recorded(home=home_at(tmp_path, server), TERM=term, COLORTERM="") as t:
        t.say("go", "w0599")
        t.wait(READY)
        t.send("pageup")
        t.gone("w0599")
        t.send("f3")
        t.wait("1 turn")
        t.send("f2")
        t.wait(READY)
        t.send("ctrl+q")
        t.end()
