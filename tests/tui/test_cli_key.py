from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.program import PROGRAM, environment
from tests.servers.chat_server import ChatServer, error
from tests.servers.keyring_file import PLACE

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-from-the-prompt-42"


class Shell:
    """The program with a keyring in a file."""

    def __init__(self, folder: Path) -> None:
        self.home, self.ring = folder / "home", folder / "ring.json"
        self.home.mkdir()
        more = {"PYTHON_KEYRING_BACKEND": PLACE, "TEST_KEYRING": str(self.ring), "PYTHONPATH": str(ROOT)}
        self.env = environment(self.home, **more)

    def __call__(self, *words: str, stdin: str = "", code: int = 0, **env: str) -> str:
        command, more = [PROGRAM, *words], self.env | env
        done = subprocess.run(command, env=more, input=stdin, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_key_goes_from_stdin_into_the_keyring_and_is_sent_and_never_written(shell: Shell) -> None:
    with ChatServer() as server:
        config = shell.home / "config.toml"
        config.write_text(
            f'# mine\n[agent]\nprofile = "far"\n[profiles.far]\nbase_url = "{server.url}"\nmodel = "scripted"\n'
        )
        assert "no profile 'near'" in shell("config", "key", "near", stdin=KEY, code=2)
        assert "That is no key" in shell("config", "key", "far", stdin="\n", code=2)
        said = shell("config", "key", "far", stdin=f"{KEY}\n")
        assert "kept in the keyring" in said and KEY not in said
        assert 'api_key = "keyring"' in config.read_text() and config.read_text().startswith("# mine\n")
        assert "You said: hi" in shell("ask", "hi")
        sent = {name.lower(): value for name, value in server.headers[-1].items()}
        assert sent["authorization"] == f"Bearer {KEY}"
        assert f"✓ model: scripted at {server.url} answers" in shell("doctor")
        server.listings = {"/v1/models": error(401, f"Incorrect API key provided: {KEY}")}
        doctor = shell("doctor", code=1)
        assert "refuses access (401)" in doctor and "memagent-tui config key far" in doctor and KEY not in doctor
        assert KEY not in shell("config", "show")
        assert "out of the keyring" in shell("config", "key", "far", "--delete")
        assert KEY not in shell.ring.read_text() and "api_key" not in config.read_text()
    kept = [p for p in shell.home.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]
    assert kept == []


def test_without_a_keyring_that_can_be_used_it_says_so_and_nothing_is_changed(shell: Shell) -> None:
    config = shell.home / "config.toml"
    config.write_text('[agent]\nprofile = "far"\n[profiles.far]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    before, none = config.read_text(), "keyring.backends.fail.Keyring"
    said = shell("config", "key", "far", stdin=KEY, code=1, PYTHON_KEYRING_BACKEND=none)
    assert "no keyring that can be used" in said and "environment variable" in said and config.read_text() == before
    config.write_text(before + 'api_key = "keyring"\n')
    said = shell("ask", "hi", code=1, PYTHON_KEYRING_BACKEND=none)
    assert "no keyring that can be used" in said and "Traceback" not in said
    assert "no keyring that can be used" in shell("doctor", code=1, PYTHON_KEYRING_BACKEND=none)


def test_doctor_names_the_models_that_there_are_when_the_one_of_the_profile_is_not(shell: Shell) -> None:
    with ChatServer() as server:
        (shell.home / "config.toml").write_text(
            f'[agent]\nprofile = "far"\n[profiles.far]\nbase_url = "{server.url}"\nmodel = "gone"\n'
        )
        said = shell("doctor")
        assert "does not list gone" in said and "there are: scripted" in said
