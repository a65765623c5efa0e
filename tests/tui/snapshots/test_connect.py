from __future__ import annotations

from pathlib import Path

import pytest

from sessions.hub import connecting
from sessions.providers.discovery import Found, FoundKey, Looked
from sessions.providers.listing import Model
from tests.tui.snapshots.test_snapshots import SIZES, _place, compare, opened, settled  # noqa: F401
from tests.tui.workbench import write
from tests.waiting import until

LOOKED = Looked(
    (
        Found(
            "LM Studio",
            1234,
            "runs",
            (
                Model("qwen3:8b", 32768, 131072, loaded=True),
                Model("gemma-3-12b", None, 131072),
                Model("phi-4", None, 16384),
            ),
        ),
        Found("Ollama", 11434, "runs", (Model("llama3.2:3b", 8192, loaded=True),)),
        Found("llama.cpp", 8080),
        Found("vLLM", 8000, "another program"),
    ),
    (FoundKey("OpenAI", "OPENAI_API_KEY", "https://api.openai.com/v1"),),
    0.3,
)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["dark", "contrast"])
async def test_the_connect_dialog_and_its_models_look_as_they_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: str, theme: str
) -> None:
    monkeypatch.setattr(connecting, "look", lambda: LOOKED)

    async def test(*_: object) -> connecting.Tested:
        return connecting.Tested(412, True, 32768)

    monkeypatch.setattr(connecting.Connecting, "test", test)
    end = "" if theme == "dark" else "-contrast"
    async with opened(tmp_path, SIZES[size]) as (app, pilot):
        app.theme = theme
        await until(lambda: app.header.state.facts == 9, "the facts are counted")
        write(app, "/connect")
        await pilot.press("enter")
        await until(lambda: app.screen.is_modal and app.screen._looked is LOOKED, "the dialog")
        await pilot.press("t")
        await until(lambda: app.screen._tested, "the test")
        compare(f"connect-{size}{end}", await settled(app, pilot))
        await pilot.press("m")
        await until(lambda: len(app.screen_stack) == 3, "the models")
        compare(f"models-{size}{end}", await settled(app, pilot))
