from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from sessions.errors import LockedError
from sessions.store.locks import FileLock, locked_elsewhere

HOLD = """
import sys
from pathlib import Path
from sessions.store.locks import FileLock
FileLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    path = tmp_path / "locks" / "a.lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield path, process
        process.kill()


def test_another_program_is_kept_out_and_seen(holder):
    path, _ = holder
    assert locked_elsewhere(path)
    with pytest.raises(LockedError, match=r"a\.lock"):
        FileLock(path).acquire(0.1)


def test_a_killed_holder_frees_the_lock_and_the_file_stays(holder):
    path, process = holder
    inode = path.stat().st_ino
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not locked_elsewhere(path)
    with FileLock(path) as lock:
        assert lock.held
    assert path.stat().st_ino == inode


def test_a_waiting_program_gets_the_lock_when_the_holder_leaves(holder):
    path, process = holder
    process.stdin.close()
    FileLock(path).acquire(5.0)


def test_two_locks_of_one_program_exclude_each_other(tmp_path):
    path = tmp_path / "a.lock"
    with FileLock(path):
        assert not locked_elsewhere(path)
        with pytest.raises(LockedError):
            FileLock(path).acquire(0)
    FileLock(path).acquire(0)


def test_probing_leaves_nothing_behind(tmp_path):
    assert not locked_elsewhere(tmp_path / "none.lock")
    assert list(tmp_path.iterdir()) == []
