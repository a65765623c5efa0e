from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from sessions import Home
from tests.tui.test_cli import run
from tui import start


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    seen: list[str | None] = []

    def open_app(paths, settings, options) -> int:
        seen.append(options.resume)
        return 0

    monkeypatch.setattr(start, "open_app", open_app)
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(start, "sys", SimpleNamespace(stdin=terminal, stdout=terminal))
    return seen


def test_a_session_is_taken_up_by_the_beginning_of_its_id_and_one_that_is_not_there_opens_no_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], opened: list[str | None]
) -> None:
    home = tmp_path / "home"
    ids = []
    for _ in range(2):
        with Home(home).sessions.new() as session:
            session.add("user", "hello")
            ids.append(session.id)

    def call(*args: str, code: int = 0) -> str:
        return run(home, *args, code=code, capsys=capsys)[1]

    call("--resume", ids[0])
    call("--resume", ids[1][:-3])
    assert opened == ids
    err = call("--resume", "nope", code=1)
    assert err == (
        "memagent-tui: No session nope. memagent-tui sessions list shows them; without --resume a new one begins\n"
    )
    assert "2 sessions begin with 20" in call("--resume", "20", code=1)
    for other in (("--resume", ids[0]), ("--continue",)):
        assert "--private begins a new session" in call("--private", *other, code=2)
    assert opened == ids
