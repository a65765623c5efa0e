from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions import Home
from sessions.errors import LockedError, UsageError
from sessions.messages import AssistantMessage, Marker, UserMessage
from sessions.store.log import LogWriter, read_log
from tests.program import PROGRAM, environment
from tests.servers.chat_server import ChatServer, Pause, calls, error, stream, text
from tests.servers.weather_server import WeatherServer
from tests.sessions.wire_home import holding
from tests.waiting import wait_until
from tui.__main__ import main
from tui.ask import AskOptions, ask


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as running:
        yield running


def connect(home: Path, url: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text(
        f'[agent]\nprofile = "local"\n[profiles.local]\nbase_url = "{url}"\nmodel = "scripted"\n', encoding="utf-8"
    )


def run(home: Path, text: str | None = None, **more) -> int:
    return ask(AskOptions(text=text, home=str(home), **more))


def sessions(home: Path) -> list[str]:
    return [meta.id for meta in Home(home).catalog.list()]


def records(home: Path, session: str) -> list:
    return read_log(home / "sessions" / f"{session}.jsonl").records


def test_the_guide_answers_on_stdout_and_says_on_stderr_that_no_model_is_connected(home, capsys):
    assert run(home, "I live in Tokyo, and I prefer Celsius.") == 0
    out, err = capsys.readouterr()
    assert out == "Noted: you live in Tokyo and prefer Celsius.\n"
    assert "the guide answers" in err and "Remembered: Lives in Tokyo" in err
    assert sorted(f.name for f in Home(home).facts.visible(None)) == ["lives-in-tokyo", "prefers-celsius"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"private": True}, "This session is private, so I keep nothing from this. Ask without --private."),
        (
            {"memory": "read-only"},
            "Memory is set to use, don't save, so I keep nothing from this. Ask with --memory on.",
        ),
        ({"memory": "off"}, "Memory is off, so I neither save nor recall anything. Ask with --memory on."),
    ],
)
def test_what_is_not_kept_is_told_in_the_words_of_a_shell(home, capsys, more, why):
    assert run(home, "Remember that the spare key is with Yuki.", **more) == 0
    assert capsys.readouterr().out == f"{why}\n"
    assert run(home, "I live in Tokyo") == run(home, "Forget that I live in Tokyo") == 0
    assert "Forgotten: Lives in Tokyo. memagent-tui facts undo brings it back." in capsys.readouterr().out


def test_the_next_call_still_knows_and_a_move_updates_the_same_number(home, capsys):
    with WeatherServer() as weather:
        home.mkdir()
        (home / "config.toml").write_text(
            f'[weather]\ngeocoding_url = "{weather.url}"\nforecast_url = "{weather.url}"\n', encoding="utf-8"
        )
        run(home, "I live in Tokyo, and I prefer Celsius.")
        capsys.readouterr()
        assert run(home, "What's the weather?") == 0
        out = capsys.readouterr().out
        assert out.startswith("Here is the weather information for Tokyo, Japan:\n\n🌡️ 19°C\n💨 wind 11 km/h\n☁️ cloud")
        run(home, "I moved to Osaka, what's the weather?")
        assert "for Osaka, Japan:" in capsys.readouterr().out
        run(home, "What's the weather?")
        assert "for Osaka, Japan:" in capsys.readouterr().out
    names = {f.name for f in Home(home).facts.visible(None)}
    assert names == {"lives-in-osaka", "prefers-celsius"}


def test_words_of_the_call_count_as_typed_and_words_of_stdin_do_not(home, monkeypatch):
    run(home, "hello there")
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO("hello from a pipe \ud83d".encode("utf-8", "replace")))
    )
    run(home, "-")
    typed = [r.typed for s in sorted(sessions(home)) for r in records(home, s) if isinstance(r, UserMessage)]
    assert sorted(typed, key=str) == [(), None]


def test_json_prints_one_event_a_line_from_the_start_of_the_turn_to_its_end(home, capsys):
    assert run(home, "I live in Tokyo", json=True) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    kinds = [e["event"] for e in events]
    assert kinds[0] == "turn_started" and kinds[-1] == "turn_finished"
    assert {"step_started", "tool_call_started", "fact_written", "tool_call_finished", "text_delta"} <= set(kinds)
    assert events[-1]["text"] == "Noted: you live in Tokyo."
    assert {e["session"] for e in events} == set(sessions(home)) and {e["turn"] for e in events} == {1}


def test_continue_takes_up_the_newest_session_of_this_folder(home, capsys, tmp_path, monkeypatch):
    run(home, "hello")
    [first] = sessions(home)
    assert run(home, "hello again", continue_=True) == 0
    assert sessions(home) == [first]
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.chdir(other)
    run(home, "hello from there")
    monkeypatch.chdir(tmp_path)
    run(home, "and back", continue_=True)
    said = [r.content for r in records(home, first) if isinstance(r, UserMessage)]
    assert said == ["hello", "hello again", "and back"]


def test_continue_without_any_session_begins_one_and_says_so(home, capsys):
    assert run(home, "hello", continue_=True) == 0
    assert "this is a new one" in capsys.readouterr().err


def test_a_session_is_named_by_the_beginning_of_its_id(home, capsys):
    run(home, "hello")
    [session] = sessions(home)
    assert run(home, "thanks", session=session[:-2]) == 0
    assert len([r for r in records(home, session) if isinstance(r, UserMessage)]) == 2
    with pytest.raises(UsageError, match="No session"):
        run(home, "thanks", session="20200101-000000-abcdef")


def test_a_session_held_elsewhere_is_refused_naming_fork_and_a_fork_of_it_answers(home, capsys):
    run(home, "I live in Tokyo")
    [session] = sessions(home)
    holder = LogWriter.open(Home(home).paths, session)
    before = (home / "sessions" / f"{session}.jsonl").read_bytes()
    try:
        with pytest.raises(LockedError, match="--fork"):
            run(home, "thanks", session=session)
        assert run(home, "thanks", session=session, fork=True) == 0
    finally:
        holder.close()
    assert (home / "sessions" / f"{session}.jsonl").read_bytes() == before
    [fork] = [s for s in sessions(home) if s != session]
    copied, own = [], []
    for record in records(home, fork)[1:]:
        marked = record.data if isinstance(record, Marker) else record.extra
        (copied if marked.get("copied") else own).append(record)
    assert [r.id for r in copied] == [r.id for r in records(home, session)[1:]]
    assert [r.content for r in own if isinstance(r, UserMessage)] == ["thanks"]
    meta = Home(home).catalog.get(fork)
    assert meta and meta.forked_from == session and meta.turns == 1


def test_fork_and_private_are_refused_where_they_make_no_sense(home):
    with pytest.raises(UsageError, match="--session"):
        run(home, "hello", fork=True)
    with pytest.raises(UsageError, match="--private"):
        run(home, "hello", private=True, continue_=True)
    with pytest.raises(UsageError, match="empty"):
        run(home, "  ")


def test_a_private_question_leaves_no_session(home, capsys):
    assert run(home, "my word is zebrafish4711", private=True) == 0
    assert sessions(home) == [] and not list((home / "sessions").glob("*.jsonl"))
    assert holding(home, "zebrafish4711") == []


def test_memory_off_saves_nothing(home, capsys):
    assert run(home, "I live in Tokyo", memory="off") == 0
    assert capsys.readouterr().out.startswith("Memory is off")
    assert Home(home).facts.visible(None) == []


def test_an_unknown_profile_is_a_usage_error(home):
    with pytest.raises(UsageError, match="no profile 'nowhere'"):
        run(home, "hello", profile="nowhere")


def test_a_models_words_around_a_tool_call_are_two_paragraphs_and_nobody_speaks_of_the_guide(home, server, capsys):
    connect(home, server.url)
    server.script(calls(("recall_memory", {"query": "x"}), said="Let me look."), text("Nothing there."))
    assert run(home, "what is x?") == 0
    out, err = capsys.readouterr()
    assert out == "Let me look.\n\nNothing there.\n" and "guide" not in err
    assert server.problems == []


def test_a_service_that_refuses_is_one_line_and_exit_code_one(home, server, capsys):
    connect(home, server.url)
    server.script(error(401, "bad key"))
    assert run(home, "hello") == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("memagent-tui: ") and len(err.strip().splitlines()) == 1


def test_control_sequences_reach_a_terminal_as_marks_and_a_pipe_as_they_are(home, server):
    connect(home, server.url)
    nasty = "\x1b]52;c;aGk=\x07 \u202eabc [bold]x[/]"
    server.script(stream({"content": nasty}), stream({"content": nasty}))
    env = environment(home)
    piped = subprocess.run([PROGRAM, "ask", "hello"], env=env, capture_output=True, check=True, cwd=home)
    assert piped.stdout.decode() == nasty + "\n"
    main, other = pty.openpty()
    done = subprocess.run([PROGRAM, "ask", "hello"], env=env, stdout=other, stderr=subprocess.DEVNULL, cwd=home)
    os.close(other)
    shown = b""
    while b"x[/]" not in shown:
        shown += os.read(main, 4096)
    os.close(main)
    assert done.returncode == 0 and b"\x1b" not in shown and b"\x07" not in shown
    assert "␛]52;c;aGk=␇ <U+202E>abc [bold]x[/]" in shown.decode()


def test_ctrl_c_ends_the_turn_normally_keeps_what_came_and_exits_130(home, server):
    connect(home, server.url)
    pause = Pause()
    reply = text("This goes on and on.")
    reply.steps.insert(4, pause)
    server.script(reply)
    command = [PROGRAM, "ask", "tell me"]
    with subprocess.Popen(
        command, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home
    ) as p:
        assert p.stdout and p.stderr
        assert os.read(p.stdout.fileno(), 4)
        assert pause.reached.wait(5)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=10)
    assert p.returncode == 130 and b"Traceback" not in err
    assert out.endswith(b"\n")
    [session] = sessions(home)
    answer = next(r for r in records(home, session) if isinstance(r, AssistantMessage))
    end = next(r for r in records(home, session) if isinstance(r, Marker) and r.kind == "turn_end")
    assert answer.content.startswith("This") and answer.stop == "cancelled" and end.data["stop"] == "cancelled"


def test_a_reader_that_goes_away_ends_it_quietly(home, server):
    connect(home, server.url)
    pause = Pause()
    reply = stream({"content": "first line\n"}, *({"content": f"line {i}\n"} for i in range(2000)))
    reply.steps.insert(2, pause)
    server.script(reply)
    command = [PROGRAM, "ask", "tell me"]
    with subprocess.Popen(
        command, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=home
    ) as p:
        assert p.stdout and p.stderr
        assert os.read(p.stdout.fileno(), 20) == b"first line\n"
        p.stdout.close()
        pause.release()
        err = p.stderr.read()
        p.wait(10)
    assert b"Traceback" not in err and b"BrokenPipe" not in err and b"Exception" not in err
    wait_until(lambda: sessions(home), "the session is listed")


def test_the_module_of_ask_loads_no_screen():
    code = "import sys, tui.ask; print([m for m in ('textual', 'rich', 'openai', 'httpx') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_an_event_with_bytes_that_cannot_be_written_still_prints(home, server, capsys):
    connect(home, server.url)
    reply = stream()
    reply.steps.insert(1, b'data: {"choices":[{"delta":{"content":"a\\ud83d b"}}]}\n\n')
    server.script(reply)
    assert run(home, "hello", json=True) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["event"] == "turn_finished"


def test_a_session_of_a_model_here_that_one_elsewhere_takes_up_stays_here_until_it_is_shared(home, server, capsys):
    with ChatServer() as remote:
        connect(home, server.url)
        elsewhere = remote.url.replace("127.0.0.1", "127.1")
        config = home / "config.toml"
        config.write_text(f'{config.read_text()}[profiles.far]\nbase_url = "{elsewhere}"\nmodel = "big"\n')
        server.script(text("Nice birds."))
        assert run(home, "I keep parakeets in the attic.") == 0
        (session,) = sessions(home)
        remote.script(text("Hello."), text("Birds."))
        capsys.readouterr()
        assert run(home, "Hi!", profile="far", continue_=True) == 0
        err = capsys.readouterr().err
        assert "1 earlier turn, told to a model on this machine, not sent to 127.1" in err and session in err
        assert "parakeets" not in json.dumps(remote.requests)
        assert main(["--home", str(home), "sessions", "share", session]) == 0
        capsys.readouterr()
        assert run(home, "And now?", profile="far", continue_=True) == 0
        assert "not sent" not in capsys.readouterr().err and "parakeets" in json.dumps(remote.requests[-1])
        assert main(["--home", str(home), "sessions", "share", session, "--off"]) == 0
        assert Home(home).catalog.get(session).share == "local"
