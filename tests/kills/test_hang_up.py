from __future__ import annotations

from pathlib import Path

import pytest

from sessions.messages import AssistantMessage, Marker
from sessions.paths import HomePaths
from sessions.store.log import held_elsewhere, read_log
from tests.kills.in_pty import InPty
from tests.servers.chat_server import ChatServer, Pause, event, text
from tests.waiting import wait_until


@pytest.mark.parametrize("signalled", [True, False], ids=["with the signal", "without it"])
def test_a_closed_terminal_ends_the_program_keeps_what_came_and_frees_the_session(
    tmp_path: Path, signalled: bool
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    paths = HomePaths(home, home / "config.toml")
    with ChatServer() as server:
        pause, reply = Pause(), text("This much came and")
        reply.steps = [*reply.steps[:-3], event({"content": " the rest"}), pause]
        server.script(reply)
        paths.config.write_text(
            f'[agent]\nprofile = "p"\n[profiles.p]\ntype = "openai"\nbase_url = "{server.url}"\nmodel = "m"\n'
        )
        program = InPty("--new", home=home)
        try:
            wait_until(lambda: program.shows("Ask anything"), "the program shows itself", 60)
            program.type("Tell me something.")
            wait_until(lambda: program.shows("something."), "the words are in the composer", 60)
            program.type("\r")
            wait_until(pause.reached.is_set, "the answer came to a halt", 60)
            wait_until(lambda: program.shows("the rest"), "what came is on the screen", 60)
        finally:
            code = program.hang_up(signalled=signalled)
        assert code == 129
        assert server.gone.wait(5), "the model is not asked any more"
    (log,) = paths.sessions.glob("*.jsonl")
    assert not held_elsewhere(paths, log.name.removesuffix(".jsonl"))
    *_, answer, end = read_log(log).records
    assert isinstance(answer, AssistantMessage) and answer.content == "This much came and the rest"
    assert isinstance(end, Marker) and end.data["stop"] == "cancelled"
