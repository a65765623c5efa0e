from __future__ import annotations

from pathlib import Path

import pytest

from sessions import events as ev
from sessions.messages import AssistantMessage, Marker, ToolCall, ToolMessage, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.store.find import Spot
from sessions.store.log import LogWriter
from sessions.store.sidefiles import keep_beside
from sessions.store.wording import wordings
from tests.tui.chat.stage import S, Stage, find, rows, turn
from tests.tui.workbench import screen_text, workbench
from tests.waiting import until

SIZES = [(60, 16), (80, 24), (120, 40)]


def a_call(content: str, arguments: dict[str, object] | None = None, before: int = 3) -> list[ev.Event]:
    """A talk in which a tool is called once."""
    head = {"session": S, "turn": before + 1}
    talk = [event for n in range(1, before + 1) for event in turn(n, f"prompt {n}", "words " * 90)]
    last = turn(before + 1, "p", "done\n\n" + "words " * 200)
    return [
        *talk,
        *last[:2],
        ev.ToolCallStarted(**head, call_id="c", name="list_files", arguments=arguments or {"q": "value"}),
        ev.ToolCallFinished(**head, call_id="c", name="list_files", content=content, ok=True, ms=1),
        *last[2:],
    ]


def numbered(count: int) -> str:
    return "\n".join(f"line {n} of it" for n in range(1, count + 1))


def on_screen(app: Stage) -> str:
    return "\n".join(rows(app.transcript))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("by", ["click", "key"])
async def test_the_rest_of_a_long_result_opens_and_the_reader_stays(size: tuple[int, int], by: str) -> None:
    app = Stage(a_call(numbered(81)))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        view = app.transcript
        view.focus()
        call = next(block for block in view.document.blocks if block.source.startswith("list_files"))
        view.go(view._sheet.top(view._sheet.index[call.id]))
        await pilot.click(view, offset=find(view, "list_files"))
        while "more lines" not in on_screen(app):
            view.go_by(3)
        assert "↓ 41 more lines" in on_screen(app) and "line 40 of it" in on_screen(app)
        x, y = find(view, "41 more lines")
        before = rows(view)[:y]
        await (pilot.click(view, offset=(x, y)) if by == "click" else pilot.press("enter"))
        assert rows(view)[:y] == before and "line 41 of it" in rows(view)[y]
        while "line 81 of it" not in on_screen(app):
            at = view.scroll_y
            view.go_by(3)
            assert view.scroll_y > at, "it never came"
        assert "more lines" not in on_screen(app)


async def test_a_huge_result_costs_only_what_is_in_sight() -> None:
    app = Stage(a_call(numbered(12_000)))
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.pause()
        view = app.transcript
        call = next(block for block in view.document.blocks if block.source.startswith("list_files"))
        view._open(view._sheet.index[call.id], call)
        view.show_whole(call, 1)
        parts = view._sheet.drawn[view._sheet.index[call.id]].parts
        assert len(parts) > 40 and sum(part.width > 0 for part in parts) < 8
        view.go(view._sheet.top(view._sheet.index[call.id], len(parts) - 1))
        for _ in range(40):
            if "line 12000 of it" in on_screen(app):
                break
            view.go_by(20)
        assert "line 12000 of it" in on_screen(app)
        assert sum(part.width > 0 for part in parts) < 16


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("line", [1, 39, 40, 41, 60, 700])
async def test_the_place_that_is_gone_to_is_in_sight_on_whatever_line_it_is(size: tuple[int, int], line: int) -> None:
    texts = [f"line {n} of it" for n in range(1, 901)]
    texts[line - 1] = "here is the walrus"
    texts[880] = "and a second walrus"
    app = Stage(a_call("\n".join(texts)))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        view = app.transcript
        view.seek(wordings("walrus")[0])
        view.go_to_place(Spot("t", 4, "tool", "", 2, "list_files", "c"), 0)
        await pilot.pause()
        assert "here is the walrus" in on_screen(app)
        view.go_to_place(Spot("t", 4, "tool", "", 2, "list_files", "c"), 1)
        await pilot.pause()
        assert "and a second walrus" in on_screen(app)


async def test_a_place_deep_in_what_a_tool_was_given_is_in_sight() -> None:
    app = Stage(a_call("fine", {"path": "a.txt", "content": numbered(70) + "\nthe walrus\n" + numbered(30)}))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        view = app.transcript
        view.seek(wordings("walrus")[0])
        view.go_to_place(Spot("a", 4, "assistant", "", 1, "list_files", "c"), 0)
        await pilot.pause()
        assert "the walrus" in on_screen(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("way", ["search", "find"])
async def test_a_place_in_a_result_that_is_kept_beside_the_log_is_in_sight(
    tmp_path: Path, size: tuple[int, int], way: str
) -> None:
    home = tmp_path / "home"
    paths = HomePaths(home, home / "config.toml")
    make_home(paths)
    session, at = "20261110-101500-000004", "2026-11-10T10:15:00.000Z"
    lines = [f"file {n} of many in this folder" for n in range(6000)]
    lines[4321] = "a walrus sleeps here"
    data = {"cwd": str(tmp_path), "profile": "guide", "model": "guide", "memory": "on"}
    writer = LogWriter.create(paths, session, Marker("first", at, "session", data))
    writer.append(UserMessage("u1", at, 1, "What is there?"))
    call = ToolCall("call-1", "list_files", {"folder": "."})
    writer.append(AssistantMessage("a1", at, 1, "", profile="guide", model="guide", tool_calls=(call,)))
    result = keep_beside(paths, session, ToolMessage("t1", at, 1, "call-1", "list_files", "\n".join(lines)))
    assert result.file is not None
    writer.append(result)
    writer.append(AssistantMessage("a2", at, 1, "Many files.", profile="guide", model="guide"))
    writer.append(Marker("e1", at, "turn_end", {"turn": 1, "stop": "stop", "ms": 12}))
    writer.close()
    async with workbench(home, size, resume=session if way == "find" else None) as (app, pilot):
        assert app.desk is not None
        if way == "find":
            await pilot.press("ctrl+f", *"walrus sleeps")
        else:
            index = app.desk.home.index
            await until(lambda: index.search("walrus"), "the index")
            await pilot.press("f3", "slash")
            app.body.history.set_filter("walrus sleeps")
            await until(lambda: app.body.history.answered and app.body.history.hit, "the hit")
            await pilot.press("enter")
        await until(lambda: "a walrus sleeps here" in screen_text(app) and app.wanted.view == "chat", "the line")
