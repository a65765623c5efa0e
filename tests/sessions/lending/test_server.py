from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sessions.clock import SystemClock
from sessions.home import Home
from sessions.memory.fact import By, Draft
from sessions.settings_edit import change
from sessions.store.log import LogWriter
from tests.sessions.importers.claude_files import Chain
from tests.sessions.lending.borrower import MODES, borrower, said
from tests.sessions.store.records import answer, first, user

PERSON = By("user")
both = pytest.mark.parametrize("mode", MODES)


def shelf(n: int) -> dict[str, object]:
    """The arguments of a save, each of another fact."""
    summary = f"Item {n} of shelf {n * 3} is labelled {n}"
    return {"name": f"fact-{n}", "summary": summary, "kind": "user", "distinct": True}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("HOME", str(tmp_path))
    for key in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(key)
    home = Home(tmp_path / "home", env={}, clock=SystemClock())
    home.facts.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference"), by=PERSON)
    atlas, other = tmp_path / "atlas", tmp_path / "other"
    for folder, name in ((atlas, "atlas"), (other, "other")):
        (folder / "src").mkdir(parents=True)
        scope = home.facts.scopes.of(folder)
        home.facts.scopes.prepare(scope, folder)
        home.facts.save(Draft(f"{name}-deploys", f"{name} deploys on Fridays", "project", scope=scope), by=PERSON)
    for i, (folder, memory) in enumerate(((atlas, "on"), (other, "on"), (atlas, "off"))):
        session = f"20261128-10000{i}-00000{i}"
        at = f"2026-11-28T10:00:0{i}.000Z"
        log = LogWriter.create(home.paths, session, first(at=at, cwd=str(folder / "src"), memory=memory))
        log.append(
            user(
                "u1", f"The importer of {folder.name} slips, {memory}", 1, at, memory="off" if memory == "off" else None
            )
        )
        log.append(answer("a1", "Noted.", 1, at))
        log.close()
    return home


@both
async def test_facts_and_what_was_said_are_read_for_the_clients_folder_and_the_answer_says_so(
    home: Home, tmp_path: Path, mode: str
) -> None:
    atlas = tmp_path / "atlas"
    async with borrower(home.paths.root, mode=mode, folder=atlas) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == {"recall_memory", "save_memory", "search_history"}
        assert all(len(tool.description or "") <= 2_000 for tool in tools.values())
        assert [tools[name].annotations.read_only_hint for name in sorted(tools)] == [True, False, True]
        recalled = await said(client, "recall_memory", query="deploys Tokyo")
        assert "atlas deploys on Fridays" in recalled and "Lives in Tokyo" in recalled and "other" not in recalled
        assert f"those of {atlas}" in recalled
        found = await said(client, "search_history", query="importer")
        assert "The importer of atlas slips, on" in found and f"in {atlas}/src" in found and "2026-11-28" in found
        assert "other" not in found and "slips, off" not in found


async def test_without_a_folder_only_the_users_own_facts_and_with_all_folders_everything(
    home: Home, tmp_path: Path
) -> None:
    async with borrower(home.paths.root) as client:
        recalled = await said(client, "recall_memory", query="deploys Tokyo")
        assert "Lives in Tokyo" in recalled and "deploys" not in recalled and "no folder is known" in recalled
        assert "slips" not in await said(client, "search_history", query="importer")
        refused = await said(
            client, "save_memory", name="x", summary="Builds on Mondays", kind="project", scope="project"
        )
        assert "no folder is known" in refused
    async with borrower(home.paths.root, given=tmp_path / "other") as client:
        assert "other deploys on Fridays" in await said(client, "recall_memory", query="deploys")
    async with borrower(home.paths.root, all_folders=True) as client:
        recalled = await said(client, "recall_memory", query="deploys")
        assert "atlas deploys" in recalled and "other deploys" in recalled
        found = await said(client, "search_history", query="importer")
        assert "atlas slips, on" in found and "other slips" in found and "slips, off" not in found


@pytest.mark.parametrize("all_folders", [True, False])
async def test_a_private_session_that_was_kept_is_not_lent(home: Home, tmp_path: Path, all_folders: bool) -> None:
    session, at = "20261128-100009-000009", "2026-11-28T10:00:09.000Z"
    begun = first(at=at, cwd=str(tmp_path / "atlas"))
    log = LogWriter.create(home.paths, session, replace(begun, data=begun.data | {"private": True}))
    log.append(user("u1", "The importer of my own mail slips", 1, at))
    log.close()
    async with borrower(home.paths.root, folder=tmp_path / "atlas", all_folders=all_folders) as client:
        found = await said(client, "search_history", query="importer")
        assert "atlas slips, on" in found and "mail" not in found and session not in found
    home.index.catch_up()
    assert [hit.session for hit in home.index.search("importer mail")][:1] == [session], "the person's own finds it"


async def test_what_models_here_were_told_is_not_lent_where_it_is_to_stay(home: Home, tmp_path: Path) -> None:
    session, at = "20261128-100009-000009", "2026-11-28T10:00:09.000Z"
    begun = first(at=at, cwd=str(tmp_path / "atlas"))
    log = LogWriter.create(home.paths, session, replace(begun, data=begun.data | {"profile": "far"}))
    log.append(user("u1", "The importer of far models slips", 1, at))
    log.append(replace(answer("a1", "So it does.", 1, at), profile="far", place="api.example.org"))
    log.close()
    async with borrower(home.paths.root, all_folders=True) as client:
        assert "atlas slips, on" in await said(client, "search_history", query="importer")
        change(home.paths.config, "history.share", "local")
        found = await said(client, "search_history", query="importer")
        assert "far models" in found and "atlas slips" not in found


@pytest.mark.parametrize("wide", ["/", "{home}", "{link}"])
async def test_the_home_folder_by_whatever_way_lends_no_folder(home: Home, tmp_path: Path, wide: str) -> None:
    (tmp_path / "other" / "way").symlink_to(tmp_path)
    folder = Path(wide.format(home=tmp_path, link=tmp_path / "other" / "way"))
    for told in ({"folder": folder}, {"given": folder}):
        async with borrower(home.paths.root, **told) as client:
            recalled = await said(client, "recall_memory", query="deploys")
            assert "deploys on Fridays" not in recalled and "no folder is known" in recalled
            assert "slips" not in await said(client, "search_history", query="importer")


@both
async def test_all_folders_of_a_client_are_lent_and_each_is_named(home: Home, tmp_path: Path, mode: str) -> None:
    atlas, other = tmp_path / "atlas", tmp_path / "other"
    async with borrower(home.paths.root, mode=mode, folder=[atlas, tmp_path, other, atlas]) as client:
        recalled = await said(client, "recall_memory", query="deploys")
        assert "atlas deploys" in recalled and "other deploys" in recalled
        assert f"the user's own facts and those of {atlas} and {other}.)" in recalled
        found = await said(client, "search_history", query="importer")
        assert "atlas slips, on" in found and "other slips, on" in found and "slips, off" not in found
        assert f"what was said in {atlas} and {other}." in found
        await said(client, "save_memory", name="x", summary="Builds on Mondays", kind="project", scope="project")
        (proposal,) = home.facts.proposals()
        assert proposal.fact.scope == home.facts.scopes.of(atlas), "a project's fact is of the first"
        assert "Builds on Mondays" in await said(client, "recall_memory", query="Mondays")


@pytest.mark.parametrize("save", ["review", "auto"])
@pytest.mark.parametrize("name", ["clinic", "doctor"])
async def test_a_client_does_not_learn_by_saving_it_that_a_fact_it_may_not_see_is_there(
    home: Home, name: str, save: str
) -> None:
    change(home.paths.config, "mcp.clients.claude-code.save", save)
    words = "Sees doctor Sato at the clinic on Mondays"
    fact = home.facts.save(Draft("clinic", words, "user", share="local"), by=PERSON).fact
    async with borrower(home.paths.root) as client:
        other = await said(client, "save_memory", name="x", summary="Keeps bees on the roof of the mill", kind="user")
        told = await said(client, "save_memory", name=name, summary=words, kind="user")
        assert "known" not in told and f"#{fact.number} " not in told and "close" not in told
        if save == "review":
            assert re.sub(r"#\d+", "#", told) == re.sub(r"#\d+", "#", other)
    (proposal,) = [p for p in home.facts.proposals() if p.fact.summary == words]
    home.facts.review.accept(proposal.number)
    kept = home.facts.get("clinic")
    assert kept is not None and kept.share == "local" and kept.summary == words


async def test_each_lent_tool_says_when_it_is_for_and_when_not(home: Home) -> None:
    async with borrower(home.paths.root) as client:
        for tool in (await client.list_tools()).tools:
            assert "\nWHEN: " in (tool.description or "") and "\nDO NOT: " in (tool.description or ""), tool.name


@pytest.mark.filterwarnings("ignore:The roots capability")
async def test_a_client_that_goes_to_another_folder_is_asked_again(home: Home, tmp_path: Path) -> None:
    async with borrower(home.paths.root, mode="legacy", folder=(where := [tmp_path / "atlas"])) as client:
        assert "atlas deploys" in await said(client, "recall_memory", query="deploys")
        where[0] = tmp_path / "other"
        await client.send_roots_list_changed()
        for _ in range(2):
            recalled = await said(client, "recall_memory", query="deploys")
        assert "other deploys" in recalled and "atlas deploys" not in recalled


@both
async def test_what_a_client_saves_waits_is_recalled_by_it_alone_and_known_to_all_once_accepted(
    home: Home, mode: str
) -> None:
    async with (
        borrower(home.paths.root, mode=mode) as client,
        borrower(home.paths.root, name="codex", mode=mode) as other,
    ):
        reply = await said(client, "save_memory", name="plays-go", summary="Plays go on Tuesdays", kind="user")
        (proposal,) = home.facts.proposals()
        assert f"Waits for the user's review as #{proposal.number}" in reply
        assert proposal.fact.source.client == "claude-code" and proposal.fact.source.origin == "mcp"
        own = await said(client, "recall_memory", query="go Tuesdays")
        assert "waiting for the user's review" in own and "Plays go on Tuesdays" in own
        assert "Plays go" not in await said(other, "recall_memory", query="go Tuesdays")
        assert "Plays go" not in (await other.list_tools()).tools[0].description
        home.facts.review.accept(proposal.number)
        assert "Plays go on Tuesdays" in await said(other, "recall_memory", query="go Tuesdays")


@both
@pytest.mark.parametrize(("answer", "kept"), [(True, True), (False, False), (None, False)])
async def test_where_the_client_can_ask_the_person_decides_there(
    home: Home, mode: str, answer: bool | None, kept: bool
) -> None:
    asked: list[str] = []

    def person(question: str) -> bool | None:
        asked.append(question)
        return answer

    async with borrower(home.paths.root, mode=mode, remember=person) as client:
        reply = await said(client, "save_memory", name="plays-go", summary="Plays go on Tuesdays", kind="user")
    assert len(asked) == 1 and "Plays go on Tuesdays" in asked[0]
    assert ("Remembered by the user's word" in reply) == kept
    assert (home.facts.get("plays-go") is not None) == kept
    assert len(home.facts.proposals()) == (not kept)


async def test_a_client_is_told_by_the_name_that_people_know_or_by_its_own_which_goes_first(home: Home) -> None:
    change(home.paths.config, "mcp.clients.codex.save", "off")
    change(home.paths.config, "mcp.clients.codex-mcp-client.save", "review")
    change(home.paths.config, "mcp.clients.goose.save", "off")
    for name, saves in (("codex-mcp-client", True), ("Codex", False), ("goose", False), ("goose-2", True)):
        async with borrower(home.paths.root, name=name) as client:
            offered = {tool.name for tool in (await client.list_tools()).tools}
            assert ("save_memory" in offered) == saves, name


async def test_the_settings_say_what_a_client_may_and_memory_off_lends_nothing(home: Home) -> None:
    config = home.paths.config
    change(config, "mcp.clients.codex.save", "off")
    change(config, "mcp.clients.cursor.save", "auto")
    async with borrower(home.paths.root, name="codex-mcp-client") as client:
        assert "save_memory" not in {tool.name for tool in (await client.list_tools()).tools}
        assert "There is no tool 'save_memory' now" in await said(
            client, "save_memory", name="x", summary="y z", kind="user"
        )
        change(config, "memory.mode", "off")
        assert (await client.list_tools(cache_mode="refresh")).tools == []
        off = await said(client, "recall_memory", query="Tokyo")
        assert "memory is off" in off and "Tokyo" not in off.replace("'Tokyo'", "")
        change(config, "memory.mode", "on")
    async with borrower(home.paths.root, name="cursor-vscode") as client:
        reply = await said(client, "save_memory", name="plays-go", summary="Plays go on Tuesdays", kind="user")
        assert reply.startswith("Saved #")
        poison = await said(client, "save_memory", name="lives-in-tokyo", summary="Lives in Osaka", kind="preference")
        assert "wins" in poison, "what the person said is not changed by a client at once"
    fact = home.facts.get("lives-in-tokyo")
    assert fact is not None and fact.summary == "Lives in Tokyo"


async def test_secrets_are_refused_bad_arguments_are_said_and_a_flood_stops_at_a_limit(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessions.tools.lent.WAITING_MAX", 10)
    async with borrower(home.paths.root) as client:
        assert "Not saved" in await said(
            client, "save_memory", name="k", summary="My password is hunter22xyz", kind="user"
        )
        assert "summary" in await said(client, "save_memory", name="k")
        replies = await asyncio.gather(*(said(client, "save_memory", **shelf(n)) for n in range(20)))
        assert 10 <= sum("Waits for" in reply for reply in replies) <= 14, "as many more as are worked on at once"
        assert any("10 facts of yours wait for the user's review already" in reply for reply in replies)
        assert "Lives in Tokyo" in await said(client, "recall_memory", fact="lives-in-tokyo")


async def test_what_another_agent_was_told_a_second_ago_is_found_through_the_server(home: Home, tmp_path: Path) -> None:
    atlas = tmp_path / "atlas"
    talk = Chain(cwd=str(atlas))
    talk.user("u1", "Kenji moves the parser to Rust.")
    talk.answer("a1", "Noted.", stop="end_turn")
    talk.write(tmp_path / ".claude")
    change(home.paths.config, "import.follow", True)
    change(home.paths.config, "import.folders", [str(tmp_path / "other")])
    async with borrower(home.paths.root, folder=atlas) as client:
        assert "Kenji" not in (await said(client, "search_history", query="parser Rust")), "that folder is not followed"
        change(home.paths.config, "import.folders", [str(atlas)])
        found = await said(client, "search_history", query="Kenji parser Rust")
        assert "Kenji moves the parser to Rust." in found and "told to claude-code" in found and "2026-03-02" in found
        talk.user("u2", "And Dana reviews the lexer.")
        talk.write(tmp_path / ".claude")
        assert "Dana reviews the lexer." in await said(client, "search_history", query="Dana lexer")


async def test_what_a_client_may_not_see_it_can_neither_replace_nor_recall(home: Home, tmp_path: Path) -> None:
    other = next(f for f in home.facts.snapshot().facts if f.name == "other-deploys")
    async with borrower(home.paths.root, folder=tmp_path / "atlas") as client:
        fact = {"name": "deploys", "summary": "Deploys happen on Mondays", "kind": "project"}
        reply = await said(client, "save_memory", **fact, replaces=other.number)
        assert "names no fact" in reply and not home.facts.proposals()
        await said(client, "save_memory", name="x", summary="Atlas builds twice a day", kind="project", scope="project")
    async with borrower(home.paths.root, folder=tmp_path / "other") as client:
        assert "twice a day" not in await said(client, "recall_memory", query="builds twice")
    async with borrower(home.paths.root, folder=Path("/")) as client:
        assert "slips" not in await said(client, "search_history", query="importer")


async def test_related_facts_that_a_client_may_not_see_are_to_it_as_none(home: Home, tmp_path: Path) -> None:
    change(home.paths.config, "mcp.clients.claude-code.save", "auto")
    async with borrower(home.paths.root, folder=tmp_path / "atlas") as client:
        for n, name in enumerate(("other-deploys", "no-such-fact")):
            fact = {"name": f"mill-{n}", "summary": f"Mill {n} grinds {n + 5} sacks", "kind": "user"}
            reply = await said(client, "save_memory", **fact, related=[name, "lives-in-tokyo"], distinct=True)
            assert reply.startswith("Saved")
    facts = {f.name: f for f in home.facts.snapshot().facts}
    assert facts["mill-0"].related == facts["mill-1"].related == ("lives-in-tokyo",)


async def test_a_client_cannot_call_itself_more_than_a_short_line(home: Home) -> None:
    async with borrower(home.paths.root, name="evil\x1b[2J\n\u202ename" + "x" * 5_000) as client:
        await said(client, "save_memory", name="go", summary="Plays go", kind="user")
        assert "Plays go" in await said(client, "recall_memory", query="go")
    (proposal,) = home.facts.proposals()
    assert proposal.fact.source.client == "evil [2J name" + "x" * 47
    async with borrower(home.paths.root, name="\n") as client:
        await said(client, "save_memory", name="shogi", summary="Plays shogi", kind="user")
    assert home.facts.proposals()[1].fact.source.client == "another agent"


async def test_the_person_is_asked_with_all_that_a_yes_does(home: Home) -> None:
    asked: list[str] = []

    def person(question: str) -> bool:
        asked.append(question)
        return True

    async with borrower(home.paths.root, remember=person) as client:
        body, tokyo = "And the river is near.", {"name": "lives-in-tokyo", "kind": "preference"}
        await said(client, "save_memory", summary="Lives in Osaka", body=body, **tokyo)
    assert "claude-code wants" in asked[0] and body in asked[0] and "In the place of #1" in asked[0]
