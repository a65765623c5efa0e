"""No password and no key of the settings is on a screen, in the output of a command or in a message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.chat_server import ChatServer
from tests.tui.test_cli import run
from tests.tui.workbench import screen_text, workbench, write
from tests.waiting import until

SECRET = "hunter2SECRETQ"
SIZES = [(120, 40), (80, 24)]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer() as made:
        yield made


def home_with(tmp_path: Path, server: ChatServer) -> Path:
    address = server.url.replace("//", f"//user:{SECRET}@") + f"?key={SECRET}"
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.toml").write_text(
        f'[agent]\nprofile = "mine"\n[profiles.mine]\nbase_url = "{address}"\nmodel = "m"\n'
        f'headers = {{ X-Key = "{SECRET}" }}\nextra_body = {{ top_k = 4, user = "{SECRET}" }}\n'
        f'[profiles.wrong]\nbase_url = "user:{SECRET}@host/v1"\napi_key = "{SECRET}"\napi_key_env = "sk-{SECRET}"\n'
        f'[weather]\nforecast_url = "{address}"\n'
        f'[mcp.servers.far]\nurl = "{address}"\n'
        f'[mcp.servers.near]\ncommand = "no-such-program"\nargs = ["{address}", "--token", "{SECRET}"]\n'
    )
    return home


def test_commands_print_none(tmp_path: Path, server: ChatServer, capsys: pytest.CaptureFixture[str]) -> None:
    home = home_with(tmp_path, server)
    out, err = run(home, "config", "show", capsys=capsys)
    assert SECRET not in out + err and "http://…@127.0.0.1" in out and '"top_k": 4' in out
    assert "what stands there is not one of keyring" in err
    assert "what stands there is not the name of an environment variable" in err
    told = run(home, "config", "show", "--json", capsys=capsys)[0]
    assert SECRET not in told and json.loads(told)["profiles.mine.headers"] == {"X-Key": "…"}
    assert SECRET not in "".join(run(home, "doctor", code=1, capsys=capsys))
    for key in ("base_url", "api_key", "api_key_env"):
        said = run(home, "config", "set", f"profiles.mine.{key}", f"u:{SECRET}@h", code=2, capsys=capsys)
        assert SECRET not in "".join(said)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_lists_of_models_and_servers_show_none(
    tmp_path: Path, server: ChatServer, size: tuple[int, int]
) -> None:
    address = f"https://user:{SECRET}@h.example/m?api_key={SECRET}&mode=fast"
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"theirs": {"url": address}}}))
    server.listings = {"/v1/models": {"data": [{"id": "m"}]}}
    async with workbench(home_with(tmp_path, server), size) as (app, pilot):
        write(app, "/model")
        await pilot.press("enter")
        await until(lambda: "m · http://…@127.0.0.1" in screen_text(app), "the models")
        assert SECRET not in screen_text(app)
        await pilot.press("escape")
        await until(lambda: not app.screen.is_modal, "closed")
        write(app, "/mcp")
        await pilot.press("enter")
        await until(lambda: "theirs" in screen_text(app) and "failed" in screen_text(app), "the servers")
        for _ in range(3):
            assert SECRET not in screen_text(app)
            await pilot.press("down")
        await until(lambda: "api_key=…" in screen_text(app), "the folder's own")
        assert SECRET not in screen_text(app)
