"""Where words go while the settings change: what a turn takes is what was shown, or it does not go."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessions.errors import UsageError
from sessions.events import SessionChanged, TurnFailed
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.memory.fact import By, Draft
from tests.servers.chat_server import ChatServer, Pause, Reply, calls, event, text
from tests.sessions.hub_home import hub_of
from tests.waiting import until


def write(home: Path, url: str, more: str = "") -> None:
    home.mkdir(exist_ok=True)
    profile = f'[profiles.q]\nbase_url = "{url}"\nmodel = "m"\ncontext_window = 128000\n{more}'
    (home / "config.toml").write_text(f'[agent]\nprofile = "q"\n[memory]\nembedder = "off"\n{profile}')


def far(server: ChatServer) -> str:
    return server.url.replace("127.0.0.1", "127.1")


async def test_a_message_that_waits_does_not_go_to_another_machine_unasked(tmp_path: Path) -> None:
    with ChatServer() as here, ChatServer() as there:
        write(tmp_path / "home", here.url)
        home = Home(tmp_path / "home")
        async with hub_of(home) as (hub, heard):
            state = await hub.new(home.paths.root)
            pause = Pause()
            here.script(Reply([event({"role": "assistant", "content": "Yes."}), pause, event(finish="stop")]))
            await hub.send(state.id, "one")
            await until(pause.reached.is_set, "it streams")
            await hub.send(state.id, "two")
            write(tmp_path / "home", far(there))
            pause.release()
            await hub.idle(state.id)
            (failed,) = heard.of(TurnFailed)
            assert "q leads to 127.1 now" in failed.error and "nothing was sent" in failed.error
            assert failed.advice == "/model q asks whether your words may go there"
            assert there.requests == [] and hub.place(state.id) == "this machine"
            assert await hub.renew(state.id) == "127.1"
            await hub.set_profile(state.id, "q", place="127.1")
            await hub.retry(state.id)
            await hub.idle(state.id)
            assert len(there.requests) == 1


async def test_a_switch_holds_only_for_the_place_that_was_told(tmp_path: Path) -> None:
    with ChatServer() as here, ChatServer() as there:
        write(tmp_path / "home", here.url)
        home = Home(tmp_path / "home")
        async with hub_of(home) as (hub, _):
            state = await hub.new(home.paths.root)
            told = await hub.leads("q")
            write(tmp_path / "home", far(there))
            with pytest.raises(UsageError, match=r"leads to 127\.1 by now"):
                await hub.set_profile(state.id, "q", place=told)
            assert hub.place(state.id) == "this machine"


async def test_a_turn_elsewhere_recalls_for_elsewhere_though_a_model_here_was_chosen_meanwhile(tmp_path: Path) -> None:
    with ChatServer() as here, ChatServer() as there:
        write(tmp_path / "home", far(there), f'[profiles.here]\nbase_url = "{here.url}"\nmodel = "m"\n')
        home = Home(tmp_path / "home")
        by = By("user")
        home.facts.save(Draft("birds", "Keeps parakeets in the attic", "preference"), by=by)
        home.facts.edit("birds", by=by, share="local", pinned=False)
        async with hub_of(home) as (hub, _):
            state = await hub.new(home.paths.root)
            pause = Pause()
            asked = calls(("recall_memory", {"query": "parakeets"}))
            there.script(Reply([pause, *asked.steps]), text("I do not know."))
            await hub.send(state.id, "what do I keep?")
            await until(pause.reached.is_set, "it thinks")
            await hub.set_profile(state.id, "here")
            pause.release()
            await hub.idle(state.id)
        assert len(there.requests) == 2 and "parakeets in the attic" not in str(there.requests)


async def test_what_changed_is_told_and_a_chosen_model_stays(tmp_path: Path) -> None:
    with ChatServer() as one, ChatServer() as two:
        write(tmp_path / "home", one.url)
        home = Home(tmp_path / "home")
        async with hub_of(home) as (hub, heard):
            state = await hub.new(home.paths.root)
            await hub.set_profile(state.id, "q", "larger")
            write(tmp_path / "home", two.url)
            await hub.send(state.id, "hi")
            await hub.idle(state.id)
            assert (one.requests, two.requests[0]["model"]) == ([], "larger")
            await hub.set_profile(state.id, "q")
            (tmp_path / "home" / "config.toml").write_text(
                (tmp_path / "home" / "config.toml").read_text().replace('model = "m"', 'model = "n"')
            )
            await hub.send(state.id, "hi")
            await hub.idle(state.id)
            assert two.requests[-1]["model"] == "n"
            assert {"profile": "q", "model": "n", "place": "this machine"} in [e.what for e in heard.of(SessionChanged)]


async def test_a_key_of_the_environment_is_that_of_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as server:
        write(tmp_path / "home", server.url, 'api_key_env = "Q_KEY"\n')
        home = Home(tmp_path / "home")
        async with SessionHub(home) as hub:
            state = await hub.new(home.paths.root)
            for key in ("sk-first-one", "sk-second-one"):
                monkeypatch.setenv("Q_KEY", key)
                await hub.send(state.id, "hi")
                await hub.idle(state.id)
                assert key in str(server.headers[-1])


def test_a_file_that_takes_away_what_an_option_named_changes_nothing(tmp_path: Path) -> None:
    write(tmp_path / "home", "http://127.0.0.1:1/v1")
    home = Home(tmp_path / "home", overrides={"agent.profile": "q"})
    home.paths.config.write_text("[agent]\nmax_steps = 3\n")
    assert home.renew_settings() == "There is no profile 'q'; the settings from before hold"
    assert home.renew_settings() == "" and "q" in home.settings.profiles
