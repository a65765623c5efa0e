from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions.home import Home
from sessions.hub import SessionHub
from sessions.memory.fact import By, Draft
from tests.servers.chat_server import ChatServer, calls, text


@pytest.mark.parametrize("far", [True, False])
async def test_a_fact_that_is_shared_here_alone_is_seen_by_no_model_on_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, far: bool
) -> None:
    from sessions.providers.service import Service

    with ChatServer() as server:
        home = Home(tmp_path / "home")
        profile = f'[profiles.p]\nbase_url = "{server.url}"\nmodel = "m"\ncontext_window = 32000\n'
        home.paths.config.write_text(f'[agent]\nprofile = "p"\n[memory]\nembedder = "off"\n{profile}')
        home.reload_settings()
        if far:
            monkeypatch.setattr(Service, "local", property(lambda _: False))
        by = By("user")
        for name, words in (("dentist", "Sees doctor Sato on Fridays"), ("city", "Lives in Tokyo")):
            home.facts.save(Draft(name, words, "preference"), by=by)
        fact = home.facts.edit("dentist", by=by, share="local").fact
        assert 'share = "local"' in fact.path.read_text()
        assert [f.share for f in home.facts.snapshot().facts if f.name == "dentist"] == ["local"]
        near = {"name": "dentist", "summary": "Sees doctor Miura now", "kind": "preference"}
        near["quote"] = "I see doctor Miura now"
        server.script(
            calls(("recall_memory", {"query": "doctor Sato"}), ("save_memory", near), ("delete_memory", {"fact": 1})),
            text("Well."),
        )
        async with SessionHub(home) as hub:
            state = await hub.new(home.paths.root)
            await hub.send(state.id, "I see doctor Miura now. Where do I live?")
            await hub.idle(state.id)
        # What the model itself wrote is no news to it.
        said = [m for body in server.requests for m in body["messages"] if m["role"] != "assistant"]
        sent = json.dumps([said, [body["tools"] for body in server.requests]])
    assert "Lives in Tokyo" in sent
    assert ("Sees doctor Sato on Fridays" in sent) is not far
    assert ("dentist" in sent) is not far


def test_such_a_fact_is_not_lent_to_another_agent(tmp_path: Path) -> None:
    from sessions.lending.context import context
    from sessions.tools.lent import Borrower, Lent

    home, by = Home(tmp_path / "home"), By("user")
    for name, words in (("dentist", "Sees doctor Sato on Fridays"), ("city", "Lives in Tokyo")):
        home.facts.save(Draft(name, words, "preference"), by=by)
    home.facts.edit("dentist", by=by, share="local")
    for _ in range(2):
        told = str(context(home.paths, tmp_path, {}))
        assert "Lives in Tokyo" in told and "Sato" not in told
    for everything in (True, False):
        borrower = Borrower("cursor", (tmp_path,), all_folders=everything)
        lent = Lent(home.facts, borrower, 1500, lambda: False, lambda: False)
        assert [fact.name for fact in lent.visible()] == ["city"]
