"""The question before a call that can change something, as stored screens: sheet, transcript and composer around it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sessions.agent.approval import ApprovalRequest
from sessions.events import ApprovalRequested, StepStarted, ToolCallStarted, TurnStarted
from tests.tui.snapshots.test_snapshots import SIZES, compare, settled
from tests.tui.workbench import NOW, workbench
from tests.waiting import until

DRAWN = True
ARGUMENTS = {
    "title": "Offsite, Friday 4 December",
    "parent": "Team / Planning",
    "body": "Kyoto is the safer choice: 13 °C, 10 % rain. The train from Tokyo takes 2 h 15 min.\n"
    + "\n".join(f"- room {n} for two" for n in range(1, 15)),
}


@pytest.mark.parametrize("theme", ["dark", "contrast"])
@pytest.mark.parametrize("size", SIZES)
async def test_the_question_looks_as_it_did(tmp_path: Path, size: str, theme: str) -> None:
    async with workbench(tmp_path / "home", SIZES[size]) as (app, pilot):
        app.theme = theme
        assert app.desk is not None
        head: dict[str, Any] = {"session": app.desk.session, "turn": 1}
        name, about = "notes.create_page", "MCP server notes · can write"
        request = ApprovalRequest(app.desk.session, 1, "c1", name, ARGUMENTS, about)
        for event in (
            TurnStarted(**head, text="Write it up for the team.", at=NOW.isoformat(), message="m1"),
            StepStarted(**head, step=1, profile="local", model="qwen3:8b"),
            ToolCallStarted(**head, call_id="c1", name=name, arguments=ARGUMENTS),
            ApprovalRequested(**head, call_id="c1", name=name, arguments=ARGUMENTS, about=about),
        ):
            app.body.chat.show_start(False)
            app.body.chat.name_session("Friday's offsite", "~/code/atlas")
            app.body.chat.transcript.apply(event)
        app.body.chat.approval.show(request, 1)
        app.body.chat.approval.focus()
        await until(lambda: app.place == "approval", "the question")
        compare(f"approval-{size}{'' if theme == 'dark' else '-' + theme}", await settled(app, pilot))
