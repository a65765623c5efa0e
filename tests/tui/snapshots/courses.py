"""Two conversations with a course: one that was put in short, one that was said otherwise."""

from __future__ import annotations

from pathlib import Path

from sessions.paths import HomePaths
from tests.tui.snapshots.home import Call, Talk, at

SHORT, BRANCHES = "20261129-161000-eeeeee", "20261129-161500-ffffff"
LEFT = """The person plans the offsite of Friday 4 December for nine people.

- Kyoto or Hakone; the train to either costs about the same
- The budget is 180,000 yen; Kenji books the rooms
- Open: who brings the projector"""


def courses(home: Path, cwd: str) -> None:
    """Write them into the home."""
    paths = HomePaths(home, home / "config.toml")
    talk = Talk(paths, SHORT, at(29, "16:10"), cwd)
    talk.turn("We are nine people, the budget is 180,000 yen.", answer="Noted. Who books the rooms?")
    weather = Call("get_weather", {"location": "Kyoto, Japan"}, "Here is the weather", ms=310)
    talk.turn("Kenji does. How is Kyoto?", weather, answer="Dry and 13 °C.")
    kept = talk.next_id
    talk.turn("And the trains?", answer="To either place about 14,000 yen a head.")
    talk.mark("compaction", content=LEFT, first_kept=kept, by="person", tokens_before=26400, tokens_after=6100)
    talk.turn("Then Kyoto. Write to Kenji.", answer="Kenji, please book nine beds in Kyoto for Friday 4 December.")
    talk.close(title="The offsite in short")

    talk = Talk(paths, BRANCHES, at(29, "16:15"), cwd)
    talk.turn("Which rooms has Kenji booked?", answer="None yet.")
    last = talk.last_id
    talk.turn("Ask him, briefly.", answer="Kenji, have you booked? We need nine beds by Friday, near the station.")
    talk.mark("rewound", to=last)
    talk.turn("Ask him in one line.", answer="Kenji, are the nine beds booked?")
    talk.close(title="Asked twice")
