from __future__ import annotations

import json
import subprocess
import sys

from sessions.messages import Unknown
from sessions.store.locks import locked_elsewhere
from sessions.store.log import LogWriter, held_elsewhere, read_log
from sessions.store.sidefiles import full_content
from tests.kills.harness import deaths, run_until_dead
from tests.sessions.store.records import SESSION, home, user

TALK = """
import sys
from pathlib import Path
from sessions.clock import SystemClock
from sessions.store.log import LogWriter, append_meta
from tests.sessions.store.records import SESSION, answer, first, home, result, user

told = open(sys.argv[2], "a")

def say(name):
    told.write(name + "\\n")
    told.flush()

paths = home(Path(sys.argv[1]))
log = LogWriter.create(paths, SESSION, first())
say("first")
log.append(user("u1", "What's the weather?"), sync=True)
say("u1")
log.append(answer("a1", "Let me look."))
say("a1")
log.append(result("t1", "x" * 70_000))
say("t1")
append_meta(paths, SESSION, {"title": "Weather"}, SystemClock())
log.append(answer("a2", "18 degrees"), sync=True)
say("a2")
log.close()
log = LogWriter.open(paths, SESSION)
log.append(user("u2", "Thanks"), sync=True)
say("u2")
log.close()
"""


def names(read) -> list[str]:
    known = [r for r in read.records if not isinstance(r, Unknown)]
    return [r.id for r in known if getattr(r, "kind", "") != "meta"]


def test_a_kill_at_any_operation_loses_at_most_the_line_being_written(tmp_path):
    order = ["first", "u1", "a1", "t1", "a2", "u2"]
    count = 0
    for count in deaths(TALK, lambda n: (str(tmp_path / str(n)), str(tmp_path / f"{n}.told"))):
        paths = home(tmp_path / str(count))
        told = (tmp_path / f"{count}.told").read_text().split()
        if not paths.session_log(SESSION).exists():
            assert told == []
            continue
        assert not held_elsewhere(paths, SESSION)
        before = read_log(paths.session_log(SESSION))
        found = names(before)
        assert found == order[: len(found)]
        assert len(told) <= len(found) <= len(told) + 1
        for record in before.records:
            if getattr(record, "file", None):
                assert full_content(paths, SESSION, record) == "x" * 70_000
        torn = before.size < paths.session_log(SESSION).stat().st_size
        assert [p.why for p in before.problems] == ["the last line is unfinished"] * torn
        log = LogWriter.open(paths, SESSION, wait_s=0)
        log.append(user("next", "after the kill"))
        log.close()
        after = read_log(log.path)
        assert names(after) == [*found, "next"]
        assert len(after.problems) == torn
    assert count > 30
    assert found == order


def test_a_kill_at_any_operation_leaves_a_small_file_old_or_new(tmp_path):
    code = """
import sys
from pathlib import Path
from sessions.store.atomic import write_atomic
write_atomic(Path(sys.argv[1]), b"new" * 1000)
"""
    seen = set()

    def prepared(n):
        path = tmp_path / f"{n}.json"
        path.write_bytes(b"old")
        return (str(path),)

    for n in deaths(code, prepared):
        content = (tmp_path / f"{n}.json").read_bytes()
        assert content in {b"old", b"new" * 1000}
        seen.add(content)
    assert len(seen) == 2


def test_the_harness_runs_a_script_to_its_end_or_to_its_nth_operation(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys\n"
        "from pathlib import Path\n"
        "fd = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)\n"
        "os.write(fd, b'0123456789')\n"
        "Path(sys.argv[1]).unlink()\n"
    )
    file = tmp_path / "file"
    left = []
    for n in range(1, 6):
        finished = run_until_dead(script, n, str(file))
        left.append((finished, file.read_bytes() if file.exists() else None))
        file.unlink(missing_ok=True)
    assert left == [(False, None), (False, b""), (False, b"01234"), (False, b"0123456789"), (True, None)]


WRITER = """
import sys
from pathlib import Path
from sessions.clock import SystemClock
from sessions.store.log import LogWriter, append_meta
from tests.sessions.store.records import first, home, user

paths = home(Path(sys.argv[1]))
mine, others = sys.argv[2:]
log = LogWriter.create(paths, mine, first())
print("ready", flush=True)
sys.stdin.readline()
for n in range(200):
    log.append(user(f"u{n}", "x" * (n * 37 % 5000)))
    append_meta(paths, others, {"title": f"title {n}"}, SystemClock())
print("done", flush=True)
sys.stdin.readline()
"""


def test_two_programs_write_their_sessions_and_each_others_titles_at_once(tmp_path):
    paths = home(tmp_path / "home")
    one, two = "20261129-171408-000001", "20261129-171408-000002"
    programs = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(paths.root), *names],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for names in ((one, two), (two, one))
    ]
    for step in ("ready\n", "done\n"):
        for p in programs:
            assert p.stdout.readline() == step
        if step == "done\n":
            assert held_elsewhere(paths, one) and held_elsewhere(paths, two)
            programs[0].kill()
            programs[0].wait()
            assert not held_elsewhere(paths, one) and locked_elsewhere(paths.locks / f"session-{two}.lock")
        for p in programs[step == "done\n" :]:
            p.stdin.write("\n")
            p.stdin.flush()
    for p in programs:
        p.communicate()
    for session in (one, two):
        read = read_log(paths.session_log(session))
        assert read.problems == []
        assert [i for i in names(read) if i != "first"] == [f"u{n}" for n in range(200)]
        titles = [json.dumps(r.data) for r in read.records if getattr(r, "kind", "") == "meta"]
        assert titles == [json.dumps({"title": f"title {n}"}) for n in range(200)]
