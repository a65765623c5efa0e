"""What stands below a fact about where it comes from."""

from dataclasses import replace
from pathlib import Path

import pytest

from sessions.memory.fact import Source
from tests.tui.widgets.harness import LIVES, NOW
from tui.memory.fact_detail import Background, below, source_lines
from tui.memory.versions import Version
from tui.widgets.look import make_look

pytestmark = pytest.mark.usefixtures("utc")


def source_of(fact, **known):
    lines = source_lines(100, make_look("dark"), fact, Background(**known), NOW)
    return [strip.text.rstrip() for strip in lines][1:]


def test_only_what_was_typed_is_called_said():
    typed = replace(LIVES, source=Source("model", "s", "m", "I live in Tokyo"))
    accepted = replace(typed, source=replace(typed.source, accepted="2026-11-29T17:20:00Z"))
    waits = replace(typed, path=Path("memory/proposed/a.md"))
    learned = replace(typed, source=replace(accepted.source, origin="distilled"))
    assert source_of(typed) == ["  You said it on Sun 29 Nov 17:14 in s", "  ▏ I live in Tokyo"]
    given = ["  Given as your words:", "  ▏ I live in Tokyo"]
    yes = "  You accepted it on Sun 29 Nov 17:20"
    assert source_of(accepted) == ["  The model wrote it on Sun 29 Nov 17:14 in s", yes, *given]
    assert source_of(waits) == ["  The model wrote it on Sun 29 Nov 17:14 in s", *given]
    assert source_of(learned) == ["  Learned from a conversation on Sun 29 Nov 17:14 in s", yes, *given]


def test_a_correction_was_said_when_it_was_said():
    old = replace(LIVES, source=Source("model", "s", "m", "I live in Kyoto"))
    new = replace(old, source=Source("model", "s", "m2", "I live in Tokyo"))
    versions = [
        Version(3, "you", "pinned", "2026-11-29T17:19:00Z", after=new),
        Version(2, "model", "in one line", "2026-11-29T17:17:00Z", before=old, after=new),
        Version(1, "model", "created", "2026-11-29T17:14:08Z", after=old),
    ]
    assert source_of(new, versions=versions)[0] == "  You said it on Sun 29 Nov 17:17 in s"


def test_a_version_by_a_client_keeps_its_name_apart_from_what_it_did():
    def rows(*whos):
        versions = [Version(n, who, "proposed", "2026-11-29T17:14:08Z") for n, who in enumerate(whos, 1)]
        lines = below(100, make_look("dark"), LIVES, Background(versions=versions), NOW)
        return [" ".join(found.strip.text.split()[:3]) for found in lines if "proposed" in found.strip.text]

    assert rows("you", "model") == ["1 you proposed", "2 model proposed"]
    assert rows("learned") == ["1 learned proposed"]
    assert rows("you", "claude-code") == ["1 you proposed", "2 claude-code proposed"]
    assert rows("c" * 40) == [f"1 {'c' * 19}… proposed"]
