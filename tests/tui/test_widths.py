from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.workbench import say, screen_text, text_of, workbench
from tests.waiting import until
from tui.views import Wanted, arrange


@pytest.mark.parametrize(
    ("width", "view", "panes"),
    [
        (180, "chat", ["history", "chat", "tree", "memory"]),
        (150, "chat", ["history", "chat", "tree", "memory"]),
        (149, "chat", ["chat", "tree"]),
        (100, "chat", ["chat", "tree"]),
        (99, "chat", ["chat"]),
        (60, "chat", ["chat"]),
        (180, "history", ["history", "session"]),
        (100, "memory", ["memory", "fact"]),
        (99, "memory", ["memory"]),
        (80, "history", ["history"]),
    ],
)
def test_panes_by_width_and_view(width: int, view: str, panes: list[str]) -> None:
    assert arrange(Wanted(view=view), width, 40).order == panes


def test_details_and_the_drawer_of_narrow_terminals() -> None:
    assert arrange(Wanted("memory", detail=True), 80, 24).order == ["fact"]
    assert arrange(Wanted("history", detail=True), 80, 24).order == ["session"]
    drawer = arrange(Wanted(drawer=True), 80, 24)
    assert drawer.order == ["chat", "tree"] and drawer.drawer and drawer.widths["tree"] == 44
    assert arrange(Wanted(), 59, 24).too_small and arrange(Wanted(), 60, 15).too_small
    assert not arrange(Wanted(), 60, 16).too_small


async def test_resizing_rearranges_the_same_widgets_and_keeps_what_they_show(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", (180, 50)) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        tree, memory = app.body.agent, app.body.memory
        await until(lambda: memory.fact is not None, "facts beside the chat")
        await until(lambda: app.body.history.session is not None, "sessions beside the chat")
        for size, shown in (
            ((120, 40), {"chat", "tree"}),
            ((80, 24), {"chat"}),
            ((180, 50), {"chat", "tree", "memory", "history"}),
        ):
            await pilot.resize_terminal(*size)
            await until(lambda shown=shown: set(app.body.arrangement.widths) == shown, f"panes at {size}")
            assert app.place == "composer"
        assert app.body.agent is tree and app.body.memory is memory
        assert "Lives in Tokyo" in screen_text(app)


async def test_too_small_is_one_sentence_and_goes_again(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", (59, 20)) as (app, pilot):
        assert "Too small: 60x16 needed" in screen_text(app)
        await pilot.resize_terminal(80, 24)
        await until(lambda: "Too small" not in screen_text(app) and "Ask anything" in screen_text(app), "the chat")


async def test_the_drawer_opens_over_the_chat_and_esc_closes_it(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", (80, 24)) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await pilot.press("ctrl+t")
        await until(lambda: app.place == "tree", "the tree")
        await pilot.pause()
        assert app.body.agent.region.right == 80 and app.body.agent.region.width == 44
        assert "save_memory" in screen_text(app)
        await pilot.press("escape")
        await until(lambda: app.place == "composer" and not app.body.arrangement.drawer, "closed")


async def test_ctrl_t_hides_the_tree_beside_the_chat(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        await pilot.press("ctrl+t")
        assert not app.body.shows("tree")
        await pilot.press("ctrl+t")
        assert app.body.shows("tree")


async def test_narrow_memory_opens_the_fact_full_width_and_esc_returns(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", (80, 24)) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await pilot.press("f4")
        await until(lambda: app.place == "memory" and app.body.memory.fact is not None, "the list")
        await pilot.press("enter")
        await until(lambda: app.place == "form" and app.body.arrangement.order == ["fact"], "the fact")
        await pilot.press("escape")
        await until(lambda: app.place == "memory", "the list again")


async def test_narrow_history_opens_the_detail_by_right_and_resumes_by_enter(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home", (80, 24)) as (app, pilot):
        await say(app, pilot, "I live in Tokyo.")
        await pilot.press("f3")
        await until(lambda: app.place == "history" and app.body.history.session is not None, "the list")
        await pilot.press("right")
        await until(lambda: app.place == "session", "the detail")
        await pilot.press("escape")
        await until(lambda: app.place == "history", "the list again")
        await pilot.press("enter")
        await until(lambda: app.place == "composer", "the chat")


@pytest.mark.parametrize(("width", "has", "lacks"), [
    (180, ["memagent", "guide (rules, no AI)", "% of 32k"], []),
    (100, ["memagent", "guide   ", "% of 32k"], ["…"]),
    (80, ["Chat", "guide", "─", "0%"], ["memagent", "of 32k", "no AI"]),
    (60, ["Chat", "memory on", "0%"], ["guide", "─"]),
])  # fmt: skip
async def test_the_header_shrinks(tmp_path: Path, width: int, has: list[str], lacks: list[str]) -> None:
    async with workbench(tmp_path / "home", (width, 24)) as (app, _):
        line = text_of(app.header)
        assert all(word in line for word in has), line
        assert not any(word in line for word in lacks), line


@pytest.mark.parametrize("width", [180, 120, 100, 80, 60])
async def test_the_footer_never_holds_more_than_fits_and_keeps_help(tmp_path: Path, width: int) -> None:
    async with workbench(tmp_path / "home", (width, 24)) as (app, pilot):
        for key in ("f2", "f3", "f4"):
            await pilot.press(key)
            await pilot.pause()
            line = text_of(app.footer)
            assert len(line) <= width - 2 and "F1 Help" in line, line


@pytest.mark.parametrize("size", [(180, 50), (150, 40), (120, 40), (100, 30)])
async def test_details_are_those_of_the_chosen_rows_in_every_view_however_it_was_reached(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with workbench(tmp_path / "home", size) as (app, pilot):
        await say(app, pilot, "I live in Tokyo, and I prefer Celsius.")
        await pilot.press("f4")
        form = app.body.fact
        await until(lambda: form.fact is not None and form.fact == app.body.memory.fact, "the fact beside its row")
        await pilot.press("f2")
        if app.body.shows("memory"):
            app.body.memory.list.action_move(1)
        await pilot.press("f4")
        await until(lambda: form.fact == app.body.memory.fact, "the fact of the row that was chosen meanwhile")
        await pilot.press("f3")
        await until(lambda: app.body.session.shown is not None and app.body.session.shown.tail, "the session")
        assert "You said" not in screen_text(app)
        await pilot.press("f2", "f3")
        await until(lambda: "Conversation" in screen_text(app), "the session again")


async def test_a_cursor_that_runs_over_many_sessions_reads_only_the_last(tmp_path: Path) -> None:
    async with workbench(tmp_path / "home") as (app, pilot):
        assert app.desk is not None and app.lists is not None
        for i in range(4):
            await say(app, pilot, f"Hello {i}")
            await pilot.press("ctrl+n")
        await pilot.press("f3")
        await until(lambda: app.body.session.shown is not None and app.body.session.shown.tail, "the first session")
        read: list[str] = []
        detail = app.lists.detail
        part = detail._part
        detail._part = lambda meta, log, hit: (read.append(meta.title), part(meta, log, hit))[1]  # type: ignore[method-assign]
        for _ in range(3):
            app.body.history.list.action_move(1)
        last = app.body.history.session
        assert last is not None
        await until(
            lambda: (
                app.body.session.shown and app.body.session.shown.meta.id == last.id and app.body.session.shown.tail
            ),
            "the detail of the last row",
        )
        assert read == [last.title]
