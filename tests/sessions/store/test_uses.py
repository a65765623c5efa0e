from __future__ import annotations

import asyncio

from sessions.store.trash import delete
from tests.sessions.erase.told_home import home_at, talk


def test_a_fact_knows_the_turns_in_which_it_was_recalled(tmp_path):
    home = home_at(tmp_path / "home")
    asyncio.run(talk(home, "Remember that my codeword is xylocarp-quokka."))
    home.index.catch_up()
    assert home.index.uses(1, "codeword-is-xylocarp-quokka").turns == 0
    asked = asyncio.run(talk(home, "What do you know about my codeword?", "What do you know about my codeword?"))
    later = asyncio.run(talk(home, "What do you know about my codeword?"))
    fork = home.sessions.fork(asked)
    home.index.catch_up()
    uses = home.index.uses(1, "codeword-is-xylocarp-quokka")
    assert (uses.turns, uses.sessions) == (3, 2), "copies of a fork do not count"
    assert {(u.session, u.turn) for u in uses.newest} == {(asked, 1), (asked, 2), (later, 1)}
    assert fork not in {u.session for u in uses.newest}
    assert all(u.title == "What do you know about my codeword?" and u.message for u in uses.newest)
    assert home.index.uses(1, "", limit=1).newest == uses.newest[:1]
    assert home.index.uses(99, "nobody").turns == 0
    delete(home.paths, later)
    home.index.catch_up()
    assert home.index.uses(1, "codeword-is-xylocarp-quokka").sessions == 1
