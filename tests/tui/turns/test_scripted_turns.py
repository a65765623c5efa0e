from __future__ import annotations

from pathlib import Path

import pytest

from tests.servers.chat_server import text
from tests.tui.turns.cases import CASES
from tests.tui.turns.talk import in_order, replayed, seen, staged
from tests.tui.workbench import say


@pytest.mark.parametrize("name", CASES)
async def test_a_scripted_turn_is_shown_kept_shown_again_and_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    case = CASES[name]
    with staged(tmp_path, monkeypatch, *case.config) as stage:
        stage.server.script(*case.replies)
        async with stage.bench() as (app, pilot):
            await say(app, pilot, "I live in Oslo. Go!")
            session = stage.session = app.desk.session
            live = await seen(app, pilot)
            in_order(case.chat, live.transcript)
            in_order(case.tree, live.tree)
            assert [end["stop"] for end in stage.ends(session)] == [case.stop]
            assert len(stage.server.requests) == (case.requests or len(case.replies))
            case.check(stage, session)
            again = await replayed(stage, session, tmp_path / "copy")
            assert again == live
            stage.server.script(text("Still here."))
            await say(app, pilot, "And now?")
            assert "Still here." in (await seen(app, pilot)).transcript
            assert stage.ends(session)[-1]["stop"] == "stop"
