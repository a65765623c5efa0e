from __future__ import annotations

from pathlib import Path

from sessions.messages import AssistantMessage, Marker, ToolCall, ToolMessage, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.store.log import LogWriter
from tests.tui.chat.stage import rows
from tests.tui.test_find import now, place
from tests.tui.workbench import screen_text, text_of, workbench
from tests.waiting import until

SESSION, AT = "20261110-101500-0000bb", "2026-11-10T10:15:00.000Z"


def begun(root: Path) -> LogWriter:
    paths = HomePaths(root, root / "config.toml")
    make_home(paths)
    data = {"cwd": str(root), "profile": "guide", "model": "guide", "memory": "on"}
    return LogWriter.create(paths, SESSION, Marker("first", AT, "session", data))


def many_calls(root: Path) -> None:
    """A turn of 5,000 calls, the result of one of which is told from the others."""
    writer = begun(root)
    calls = tuple(ToolCall(f"c{n}", "list_files", {"folder": f"part {n}"}) for n in range(5000))
    writer.append(UserMessage("u1", AT, 1, "Look everywhere."))
    writer.append(AssistantMessage("a1", AT, 1, "", profile="guide", model="guide", tool_calls=calls))
    for n, call in enumerate(calls):
        said = "a walrus sleeps here" if n == 2345 else "nothing"
        writer.append(ToolMessage(f"t{n}", AT, 1, call.id, call.name, said))
    writer.append(AssistantMessage("a2", AT, 1, "Found.", profile="guide", model="guide"))
    writer.append(Marker("e1", AT, "turn_end", {"turn": 1, "stop": "stop", "ms": 12}))
    writer.close()


async def test_among_5000_calls_of_one_turn_what_is_looked_for_is_in_sight(tmp_path: Path) -> None:
    many_calls(tmp_path / "home")
    async with workbench(tmp_path / "home", (120, 40), resume=SESSION) as (app, pilot):
        await pilot.press("ctrl+f", *"walrus")
        view = app.body.chat.transcript
        await until(lambda: place(app) == "1 of 1" and "a walrus sleeps here" in "\n".join(rows(view)), "in sight")
        assert "part 2345" in "\n".join(rows(view))


async def test_history_finds_one_of_5000_calls_shows_it_and_opens_the_session_on_it(tmp_path: Path) -> None:
    many_calls(tmp_path / "home")
    async with workbench(tmp_path / "home", (120, 40)) as (app, pilot):
        await pilot.press("f3", "slash", *"walrus sleeps")
        await until(lambda: app.body.has("session") and "part 2345" in screen_text(app), "beside the list")
        assert "2,326 more" in text_of(app.body.session), "not all of them are drawn"
        await pilot.press("enter")
        await until(lambda: app.place == "composer" or app.body.shows("chat"), "the chat")
        view = app.body.chat.transcript
        await until(lambda: "a walrus sleeps here" in "\n".join(rows(view)), "the session at the hit")


async def test_a_line_of_65_kb_is_read_and_found(tmp_path: Path) -> None:
    writer = begun(tmp_path / "home")
    wide = "x" * 40_000 + "walrus" + "y" * 25_000
    writer.append(UserMessage("u1", AT, 1, "What is in it?"))
    writer.append(AssistantMessage("a1", AT, 1, f"Before.\n\n{wide}\n\nBehind.", profile="guide", model="guide"))
    writer.append(Marker("e1", AT, "turn_end", {"turn": 1, "stop": "stop", "ms": 12}))
    writer.close()
    async with workbench(tmp_path / "home", (100, 30), resume=SESSION) as (app, pilot):
        view = app.body.chat.transcript
        await until(lambda: "Behind." in "\n".join(rows(view)) and "yyyy" in "\n".join(rows(view)), "its end")
        await pilot.press("ctrl+f", *"walrus")
        await until(lambda: place(app) == "1 of 1" and now(app) == "walrus", "in the midst of the line")
        await pilot.press("escape", "home")
        await until(lambda: "Before." in "\n".join(rows(view)) and "xxxx" in "\n".join(rows(view)), "its begin")
