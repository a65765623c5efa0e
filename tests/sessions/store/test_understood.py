from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sessions.store.query import parse
from sessions.store.understood import understood

NOW = datetime(2026, 11, 29, 17, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("roadmap", []),
        ("roadmap last march", ["2026-03"]),
        ("yesterday", ["2026-11-28"]),
        ("last week", ["2026-11-16 to 2026-11-22"]),
        ("last year", ["2025"]),
        ("after:2026-03-14 x", ["since 2026-03-14"]),
        ("before:2026-03-14 x", ["until 2026-03-13"]),
        ("after:2026-01 before:2026-03", ["2026-01 to 2026-02"]),
        ("after:2026-03-01T10:30:00Z x", ["since 2026-03-01 10:30"]),
        ("snow tool:get_weather folder:atlas from:codex", ["tool get_weather", "folder atlas", "from codex"]),
    ],
)
def test_what_narrows_a_search_is_told_in_few_words(text, words, monkeypatch):
    assert understood(parse(text, NOW)) == words
