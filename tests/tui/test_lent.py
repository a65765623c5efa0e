"""The workbench beside a client of its MCP server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from sessions.memory.fact import By, Draft
from tests.program import PROGRAM, environment
from tests.sessions.lending.borrower import borrower, program, said
from tests.sessions.memory.homes import store_of
from tests.tui.workbench import screen_text, workbench
from tests.waiting import until


async def test_what_a_client_saves_is_seen_to_review_with_its_name_and_accepted_every_client_recalls_it(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    async with workbench(home) as (app, pilot), borrower(home) as client, borrower(home, name="codex") as other:
        await pilot.press("f4")
        await said(client, "save_memory", name="plays-go", summary="Plays go on Tuesdays", kind="user")
        await until(lambda: "comes from claude-code" in screen_text(app), "the proposal with the client's name")
        assert "Plays go on Tuesdays" in screen_text(app) and "Memory 1" in screen_text(app)
        app.body.memory.list.focus()
        await pilot.press("a")
        await until(lambda: "memory on, 1 fact" in screen_text(app), "accepted")
        for one in (client, other):
            assert "Plays go on Tuesdays" in await said(one, "recall_memory", query="go Tuesdays")


async def test_clients_a_workbench_and_another_program_at_once_lose_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store_of(home).save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference"), by=By("user"))

    async def recalls(name: str, n: int) -> list[str]:
        async with program(home, name=name) as client:
            calls = (said(client, "recall_memory", fact="lives-in-tokyo") for _ in range(n))
            return await asyncio.gather(*calls)

    async def saves() -> list[str]:
        async with program(home, name="saver") as client:
            return [
                await said(
                    client,
                    "save_memory",
                    name=f"f{n}",
                    summary=f"Shelf {n * 7} holds item {n}",
                    kind="user",
                    distinct=True,
                )
                for n in range(20)
            ]

    async def adds() -> None:
        for n in range(5):
            process = await asyncio.create_subprocess_exec(
                PROGRAM, "facts", "add", f"Heron {n} nests by pond {n * 3}", "--kind", "project",
                env=environment(home), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            _, errors = await process.communicate()
            assert process.returncode == 0, errors

    async with workbench(home) as (app, _):
        one, two, kept, _ = await asyncio.gather(recalls("a", 60), recalls("b", 60), saves(), adds())
        assert all("Lives in Tokyo" in text for text in one + two)
        assert all("Waits for the user's review" in text for text in kept)
        await until(lambda: "Memory 20" in screen_text(app), "all of it to review")
    store = store_of(home)
    assert len(store.proposals()) == 20 and len(store.snapshot().facts) == 6
    for line in next(store.paths.journal.glob("*.jsonl")).read_bytes().splitlines():
        json.loads(line)
