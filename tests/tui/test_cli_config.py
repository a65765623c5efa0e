from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.test_cli import run
from tui.commands import actions


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def call(*args: str, code: int = 0) -> tuple[str, str]:
        return run(tmp_path / "home", *args, code=code, capsys=capsys)

    return call


def test_keys_of_an_action_that_there_is_not_are_refused_with_the_names_that_there_are(cli, tmp_path: Path) -> None:
    for args, why in (
        (("keys.foo", "f5"), ", ".join(actions())),
        (("keys.open-node", "f5"), "no such action"),
        (("keys.help", "f99"), "'f99' is not a key"),
        (("keys.help", "f4"), "f4 already is memory"),
    ):
        _, err = cli("config", "set", *args, code=2)
        assert why in err and err.count("\n") == 1
    assert not (tmp_path / "home" / "config.toml").exists()
    cli("config", "set", "keys.help", "f9, f1")
    cli("config", "set", "keys.help", "f10")
    out, err = cli("config", "show")
    assert 'keys.help = ["f10"]' in out and f"keys.ACTION: {', '.join(actions())}" in err


def test_the_doctor_names_what_is_wrong_with_keys_profiles_and_variables_and_where_to_change_it(
    cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "home" / "config.toml"
    file.parent.mkdir()
    file.write_text('[memory]\nworker = "ghost"\n[keys]\nfoo = "f5"\n')
    monkeypatch.setenv("MEMAGENT_UI_THEME", "pink")
    monkeypatch.setenv("MEMAGENT_PROFILE", "spirit")
    out, _ = cli("doctor", code=1)
    change = f"\n    Change it in {file}\n"
    assert f"keys.foo: no such action. There are: {', '.join(actions())}{change}" in out
    assert f"memory.worker, line 2: there is no profile 'ghost'; there is only guide{change}" in out
    for name in ("MEMAGENT_UI_THEME", "MEMAGENT_PROFILE"):
        assert f"\n    Change the environment variable {name}, or unset it\n" in out
    assert "keys.foo: no such action" in cli("config", "show")[1]


def test_a_profile_that_there_is_not_is_refused_wherever_one_is_named(cli) -> None:
    for key, value in (("agent.profile", "ghost"), ("memory.worker", "ghost"), ("memory.embedder", "ghost:mini")):
        _, err = cli("config", "set", key, value, code=2)
        assert "There is no profile 'ghost'. There is only guide" in err
    cli("config", "set", "profiles.ghost.base_url", "http://127.0.0.1:9/v1")
    for key, value in (("agent.profile", "ghost"), ("memory.worker", "guide"), ("memory.embedder", "ghost:mini")):
        cli("config", "set", key, value)
