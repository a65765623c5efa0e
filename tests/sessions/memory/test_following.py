from __future__ import annotations

from pathlib import Path

import pytest

from sessions.clock import FixedClock
from sessions.memory.fact import By, Draft
from sessions.memory.following import followed
from sessions.memory.store import FactStore
from sessions.paths import HomePaths, make_home
from tests.sessions.agent.scripted import NOW


@pytest.mark.parametrize(
    ("body", "old", "new", "left"),
    [
        ("The user lives in Osaka.", "Lives in Osaka", "Lives in Kyoto", "The user lives in Kyoto."),
        ("Osaka, not Osakasayama.", "Lives in Osaka", "Lives in New York", "New York, not Osakasayama."),
        ("Born 1970 in Rom.", "Born in 1970", "Born in 1971", "Born 1971 in Rom."),
        ("The user lives in Osaka.", "Lives in Osaka", "Has moved to Kyoto with all the family", ""),
        ("The user lives in Osaka. See [[job]].", "Lives in Osaka", "Moved far away to Kyoto", None),
        ("Green is nicer, with a little honey in it.", "Likes tea", "Prefers coffee", None),
        ("Likes tea, but only when it is green and hot.", "Likes tea", "Likes tea ", None),
        ("", "Lives in Osaka", "Lives in Kyoto", None),
        (r"Home is C:\me", r"Home is C:\me", r"Home is C:\x\1", r"Home is C:\x\1"),
    ],
)
def test_a_body_does_not_go_on_saying_what_the_line_no_longer_says(body: str, old: str, new: str, left: str | None):
    assert followed(body, old, new) == (body if left is None else left)


def test_a_corrected_line_takes_its_body_along_and_undo_brings_both_back(tmp_path: Path):
    paths = HomePaths(tmp_path, tmp_path / "config.toml")
    make_home(paths)
    store, by = FactStore(paths, FixedClock(NOW)), By(origin="user")
    store.save(Draft("home", "Lives in Osaka", "preference", "The user lives in Osaka."), by=by)
    fact = store.edit("home", by=by, summary="Lives in Kyoto").fact
    assert (fact.summary, fact.body) == ("Lives in Kyoto", "The user lives in Kyoto.")
    fact = store.edit("home", by=by, summary="Lives in Oslo", body="In Kyoto before.").fact
    assert fact.body == "In Kyoto before."
    store.undo(by=by)
    assert (store.undo(by=by).fact.body) == "The user lives in Osaka."
