from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.messages import AssistantMessage
from sessions.paths import HomePaths
from sessions.store.log import LogWriter, read_log
from tests.servers.chat_server import ChatServer, stream, text
from tests.sessions.store.records import answer, first, user
from tests.tui.workbench import say, screen_text, text_of, workbench
from tests.waiting import until
from tui.chat.blocks import Foot, Thought

ASKED = {"name": "recall_memory", "arguments": '{"query": "boats"}'}
WANTED = {"index": 0, "id": "from-first", "type": "function", "function": ASKED}


@pytest.fixture
def servers() -> Iterator[tuple[ChatServer, ChatServer]]:
    with ChatServer() as first, ChatServer() as second:
        yield first, second


def home_with(folder: Path, **servers: ChatServer) -> Path:
    home = folder / "home"
    home.mkdir()
    profiles = [
        f'[profiles.{name}]\nbase_url = "{server.url}"\nmodel = "{name}-model"\ncontext_window = 32000\n'
        for name, server in servers.items()
    ]
    (home / "config.toml").write_text(f'[agent]\nprofile = "{next(iter(servers))}"\n' + "".join(profiles))
    return home


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=str)
async def test_a_session_taken_up_with_another_model_gives_it_no_thoughts_of_the_first_and_says_who_answered_what(
    tmp_path: Path, servers: tuple[ChatServer, ChatServer], size: tuple[int, int]
) -> None:
    one, second = servers
    home = home_with(tmp_path, first=one, second=second)
    one.script(
        stream({"reasoning_content": "First I muse."}, {"tool_calls": [WANTED]}, finish="tool_calls"),
        stream({"reasoning_content": "Then I conclude."}, {"content": "Boats float."}),
        stream({"reasoning_content": "Musing again."}, {"content": "They do."}),
    )
    async with workbench(home, size) as (app, pilot):
        await say(app, pilot, "What of boats?")
        await say(app, pilot, "Really?")
        session = app.desk.session
        view = app.body.chat.transcript
        assert "first-model" not in text_of(view), "the header says it"
        assert "from-first" in json.dumps(one.requests[-1]), "its own ids are given back to it"
    log = HomePaths(home, home / "config.toml").session_log(session)
    answers = [record for record in read_log(log).records if isinstance(record, AssistantMessage)]
    assert [record.reasoning for record in answers] == ["First I muse.", "Then I conclude.", "Musing again."]
    # As a service leaves them that has items of its own.
    log.write_text(log.read_text().replace('"profile":"first",', '"profile":"first","provider_items":{"x":"opaque"},'))

    second.script(text("Second here."))
    async with workbench(home, size, profile="second", resume=session) as (app, pilot):
        view = app.body.chat.transcript
        # In few columns the place goes before the name.
        assert ("second-model" if size[0] > 100 else "second-m") in screen_text(app).split("\n")[0]
        feet = [block.who for block in view.document.blocks if isinstance(block, Foot)]
        assert feet == [("first", "first-model")] * 2
        assert any(isinstance(block, Thought) for block in view.document.blocks), "what was thought stays readable"
        await say(app, pilot, "And you?")
        shown = text_of(view)
        assert "first-model · " in shown.partition("And you?")[0] and "second-model" not in shown
        await app.desk.hub.set_profile(session, "first")
        await until(lambda: "second-model · " in text_of(view).partition("And you?")[2], "named when another answers")
        assert "first-model" not in text_of(view)
    (sent,) = second.requests
    assert second.problems == [] and one.problems == []
    body = json.dumps(sent)
    assert "opaque" in log.read_text() and "opaque" not in body
    assert "muse" not in body and "conclude" not in body and "reasoning" not in body and "from-first" not in body
    assert [m["role"] for m in sent["messages"]].count("tool") == 1, "calls and results of the first are there"
    assert "Boats float." in body and "They do." in body


@pytest.mark.parametrize("size", [(120, 40), (80, 24)], ids=str)
async def test_that_the_folder_of_a_session_is_gone_is_said_once_where_it_is_talked_in(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    home = tmp_path / "home"
    (paths := HomePaths(home, home / "config.toml")).sessions.mkdir(parents=True)
    log = LogWriter.create(paths, "20261128-100000-7f3a9c", first(str(tmp_path / "gone")))
    log.append(user("u1", "hello"))
    log.append(answer("a1", "Hi."))
    log.close()
    async with workbench(home, size, resume=log.session) as (app, pilot):
        view = app.body.chat.transcript
        assert "is no longer there" in " ".join(text_of(view).split())
        assert not app.body.chat.notice.display, "once"
        await say(app, pilot, "help")
        assert "This session" not in app.body.chat.notice.text and app.desk.state.writable, "it goes on all the same"
