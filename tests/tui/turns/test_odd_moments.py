from __future__ import annotations

import socket
from pathlib import Path

import pytest

from sessions.providers.chat import ChatProvider
from tests.servers.chat_server import ChatServer, Pause, Reply, calls, document, error, event, stream, text
from tests.servers.weather_server import WeatherServer
from tests.tui.turns.talk import in_order, replayed, seen, staged
from tests.tui.workbench import finished, say, text_of, write
from tests.waiting import until

DRAWN = True


async def test_recalled_facts_stand_in_the_order_of_their_calls_however_these_finish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        stage.server.script(calls(("late", {}), ("soon", {})), text("Both."))
        async with stage.bench() as (app, pilot):
            await say(app, pilot, "go")
            live = await seen(app, pilot)
            assert "recalled b · both · a" in live.transcript
            assert await replayed(stage, app.desk.session, tmp_path / "copy") == live


async def test_cancelled_among_parallel_calls_each_gets_a_result_and_the_next_request_is_well_formed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        stage.server.script(calls(("wait", {}), ("echo", {"text": "a"}), ("wait", {"text": "b"}), said="On it."))
        async with stage.bench() as (app, pilot):
            write(app, "go")
            await pilot.press("enter")
            await until(lambda: "heard a" in repr(app.body.agent.trace.turns), "one call is over")
            await pilot.press("escape")
            await until(lambda: finished(app) == 1 and not app.running, "stopped")
            live, session = await seen(app, pilot), app.desk.session
            in_order(["On it.", "✗ wait", "✓ echo  a", "✗ wait  b", "stopped"], live.transcript)
            assert [r.ok for r in stage.results(session)] == [False, True, False]
            assert stage.ends(session)[0]["stop"] == "cancelled"
            assert await replayed(stage, session, tmp_path / "copy") == live
            stage.server.script(text("Going on."))
            await say(app, pilot, "and now?")
            assert "Going on." in text_of(app.body.chat.transcript)
            sent = stage.server.requests[-1]["messages"]
            assert [m["role"] for m in sent[-5:]] == ["assistant", "tool", "tool", "tool", "user"]


async def test_stopped_in_the_middle_of_a_word_what_came_is_kept_and_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        pause = Pause()
        stage.server.script(Reply([event({"reasoning": "Hm. "}), event({"content": "Half an ans"}), pause]))
        async with stage.bench() as (app, pilot):
            write(app, "go")
            await pilot.press("enter")
            await until(lambda: "Half an ans" in text_of(app.body.chat.transcript), "the first words")
            await pilot.press("escape")
            await until(lambda: finished(app) == 1 and not app.running, "stopped")
            live = await seen(app, pilot)
            in_order(["Thought", "Hm.", "Half an ans", "stopped"], live.transcript)
            assert await replayed(stage, app.desk.session, tmp_path / "copy") == live
            await until(stage.server.gone.is_set, "the service is told")
            await say(app, pilot, "go on")
            assert stage.server.requests[-1]["messages"][-2] == {"role": "assistant", "content": "Half an ans"}


async def test_a_wait_for_the_service_is_told_while_it_lasts_and_can_be_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        stage.server.script(error(429, "slow down", {"Retry-After": "40"}))
        async with stage.bench() as (app, pilot):
            write(app, "go")
            await pilot.press("enter")
            waits = "127.0.0.1 asks for patience (429): slow down, again in 40 s"
            await until(lambda: waits in " ".join(text_of(app.body.chat.transcript).split()), "it says why")
            await until(lambda: "127.0.0.1 asks for" in text_of(app.body.agent.list), "the tree")
            await pilot.press("escape")
            await until(lambda: finished(app) == 1 and not app.running, "stopped")
            live = await seen(app, pilot)
            assert "patience" not in live.transcript + live.tree and "stopped" in live.transcript
            assert await replayed(stage, app.desk.session, tmp_path / "copy") == live
            await say(app, pilot, "and now?")
            assert stage.answers(app.desk.session)[-1].content == "You said: and now?"


async def test_what_is_too_long_for_the_model_goes_again_with_what_was_earlier_in_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        long = "many words " * 4000
        too_long = error(400, "This model's maximum context length is 8192 tokens")
        stage.server.script(text(long, tokens=None), too_long, text("Many words."), text("It fits."))
        async with stage.bench() as (app, pilot):
            await say(app, pilot, "first")
            await say(app, pilot, "second")
            live = await seen(app, pilot)
            assert "It fits." in live.transcript and "left out" not in live.transcript
            contents = [[m["content"] for m in request["messages"]] for request in stage.server.requests]
            assert long in contents[1] and "Many words." in contents[3][0] and long not in contents[3]
            assert await replayed(stage, app.desk.session, tmp_path / "copy") == live


async def test_messages_written_while_a_turn_runs_wait_show_and_are_answered_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        pause = Pause()
        slow = text("First.")
        slow.steps.insert(2, pause)
        stage.server.script(slow, text("Second."), text("Third."))
        async with stage.bench() as (app, pilot):
            for words in ("one", "two", "three"):
                write(app, words)
                await pilot.press("enter")
            await until(lambda: len(app.desk.hub.queued(app.desk.session)) == 2, "two wait")
            await pilot.pause()
            assert "two" in text_of(app.body.chat.queue)
            pause.release()
            await until(lambda: finished(app) == 3 and not app.running, "all are answered")
            live = await seen(app, pilot)
            in_order(["› one", "First.", "› two", "Second.", "› three", "Third."], live.transcript)
            assert live.facts.startswith("3 turns") and not app.body.chat.queue.display
            assert await replayed(stage, app.desk.session, tmp_path / "copy") == live


async def test_nothing_listens_it_is_named_and_once_it_does_the_next_message_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/v1"
    with staged(tmp_path, monkeypatch, url=url) as stage:
        async with stage.bench() as (app, pilot):
            await say(app, pilot, "go")
            live, session = await seen(app, pilot), app.desk.session
            shown = [f"Nothing answers at {url}", "Start the model server there", "base_url", "failed"]
            in_order(shown, " ".join(live.transcript.split()))
            assert stage.ends(session)[0]["stop"] == "error"
            assert await replayed(stage, session, tmp_path / "copy") == live
            with ChatServer(port) as server:
                await say(app, pilot, "and now?")
                assert server.problems == []
            assert stage.answers(session)[-1].content == "You said: and now?"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("127.0.0.1:11434/v1", "The address of the profile scripted is none of a service"),
        ("http://", "The address of the profile scripted is none of a service"),
        ("http://does-not-exist.invalid/v1", "cannot be found"),
    ],
)
async def test_an_address_that_is_wrong_is_said_with_the_setting_to_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, says: str
) -> None:
    with staged(tmp_path, monkeypatch, url=url) as stage:
        async with stage.bench() as (app, pilot):
            await say(app, pilot, "go")
            live = await seen(app, pilot)
            in_order([says, "base_url of [profiles.scripted]", "failed"], " ".join(live.transcript.split()))
            assert await replayed(stage, app.desk.session, tmp_path / "copy") == live


async def test_an_address_at_which_no_chat_is_answers_with_what_to_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with WeatherServer() as other, staged(tmp_path, monkeypatch, url=f"{other.url}/v1") as stage:
        async with stage.bench() as (app, pilot):
            await say(app, pilot, "go")
            shown = " ".join((await seen(app, pilot)).transcript.split())
            in_order([f"No chat service at {other.url}/v1 (501)", "Check base_url of [profiles.scripted]"], shown)


async def test_a_web_page_instead_of_an_answer_shows_no_html(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        stage.server.script(document(b"<html><h1>Sign in</h1></html>"))
        async with stage.bench() as (app, pilot):
            await say(app, pilot, "go")
            shown = (await seen(app, pilot)).transcript
            in_order([stage.server.url, "does not answer like a chat service", "base_url"], " ".join(shown.split()))
            assert "html" not in shown


async def test_a_thought_is_one_line_until_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with staged(tmp_path, monkeypatch) as stage:
        thought = "\n".join(f"Consideration number {i}." for i in range(5))
        stage.server.script(stream({"reasoning_content": thought}, {"content": "So it is."}))
        async with stage.bench() as (app, pilot):
            await say(app, pilot, "go")
            transcript = app.body.chat.transcript
            folded = text_of(transcript)
            assert "number 0." in folded and "number 4." not in folded
            transcript.focus()
            await pilot.press("enter")
            await pilot.pause()
            in_order([f"number {i}." for i in range(5)], text_of(transcript))
            await pilot.press("enter")
            await pilot.pause()
            assert text_of(transcript) == folded


async def test_the_model_is_loaded_before_the_first_message_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[ChatProvider] = []
    warm = ChatProvider.warm

    async def told(provider: ChatProvider) -> None:
        await warm(provider)
        loaded.append(provider)

    monkeypatch.setattr(ChatProvider, "warm", told)
    with staged(tmp_path, monkeypatch) as stage:
        async with stage.bench() as (app, pilot):
            await until(lambda: loaded, "the model is loaded")
            assert stage.server.requests == []
            await say(app, pilot, "go")
            assert len(set(map(id, loaded))) == 1 and len(stage.server.requests) == 1
