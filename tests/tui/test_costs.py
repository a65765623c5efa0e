from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.servers.chat_server import ChatServer, text
from tests.servers.reached import VARIABLE, served
from tests.tui.snapshots.test_snapshots import SIZES, _place, compare, settled  # noqa: F401
from tests.tui.test_cli import run
from tests.tui.workbench import say, screen_text, text_of, workbench
from tests.waiting import until


def home_of(tmp_path: Path, server: ChatServer) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    profile = f'[profiles.p]\nbase_url = "{server.url}"\nmodel = "gpt"\ncontext_window = 128000\n'
    agent = '[agent]\nprofile = "p"\nspend_limit = 1.0\n[memory]\nembedder = "off"\n'
    (home / "config.toml").write_text(agent + profile + "price_in = 2.0\nprice_out = 8.0\n")
    return home


async def test_a_price_that_the_service_tells_is_shown_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with served("OpenRouter", monkeypatch) as server:
        home = tmp_path / "home"
        home.mkdir()
        key = f'api_key_env = "{VARIABLE}"\n'
        profile = f'[profiles.p]\nbase_url = "{server.base}"\nmodel = "{server.kind.model}"\n{key}'
        (home / "config.toml").write_text(f'[agent]\nprofile = "p"\n[memory]\nembedder = "off"\n{profile}')
        server.script(server.kind.says("Yes."))
        async with workbench(home, SIZES["80x24"]) as (app, pilot):
            await say(app, pilot, "Is it so?")
            await pilot.press("ctrl+o")
            line = "Spent: $0.25 in this session, $0.25 today, as openrouter.ai tells it"
            await until(lambda: line in screen_text(app), "the sum and whose price it is")
    monkeypatch.setenv("MEMAGENT_CLOCK", "2026-11-29T17:14:00Z")
    out, _ = run(home, "doctor", capsys=capsys, code=1)
    assert "✓ spending: $0.25 today, as openrouter.ai tells it" in out
    _, err = run(home, "config", "show", capsys=capsys)
    assert "spent today: $0.25, as openrouter.ai tells it" in err


@pytest.mark.parametrize("size", SIZES)
async def test_what_it_costs_shows_in_the_tree_in_history_in_the_context_and_in_a_shell(
    tmp_path: Path, size: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer() as server:
        server.script(text("Yes.", tokens=(60_000, 10_000)), text("No.", tokens=(900, 12)))
        home = home_of(tmp_path, server)
        async with workbench(home, SIZES[size]) as (app, pilot):
            await say(app, pilot, "Is it so?")
            await say(app, pilot, "And this?")
            if not app.body.shows("tree"):
                await pilot.press("ctrl+t")
            await until(lambda: "$0.0019" in text_of(app.body.agent.list), "the newest turn's cost")
            assert re.search(r"\$0\.20 +\d", text_of(app.body.agent.list)), "the time stands apart"
            assert app.body.agent.title.fact == "2 turns · 70.9k tok · $0.20"
            await pilot.press("ctrl+o")
            await until(lambda: "Spent: $0.20 in this session, $0.20 of $1.00 today" in screen_text(app), "the sums")
            compare(f"cost-{size}", await settled(app, pilot))
            await pilot.press("escape")
            await pilot.press("f3")
            await until(lambda: app.body.history.session is not None, "the sessions")
            app.open_session_detail()
            await until(lambda: "$0.20" in text_of(app.body.session), "the session's cost")
            server.script(text("Maybe.", tokens=(60_000, 10_000)))
            await app.desk.hub.set_profile(app.desk.session, "p", "larger")
            await pilot.press("f2")
            await say(app, pilot, "Are you sure?")
            if not app.body.shows("tree"):
                await pilot.press("ctrl+t")
            await until(lambda: "price unknown" in text_of(app.body.agent.list), "of a model without a price")
            await until(lambda: app.body.agent.title.fact.endswith(" · $0.20 + ?"), "and of the sum")
    monkeypatch.setenv("MEMAGENT_CLOCK", "2026-11-29T17:14:00Z")
    out, _ = run(home, "doctor", capsys=capsys, code=1)
    assert "✓ spending: $0.20 + price unknown of $1.00 today" in out
    _, err = run(home, "config", "show", capsys=capsys)
    assert "spent today: $0.20 + price unknown" in err
