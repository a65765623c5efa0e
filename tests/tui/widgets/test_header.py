from __future__ import annotations

import pytest

from tests.tui.widgets.harness import Harness, shown
from tui.widgets.header import Header, HeaderState


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("model", ["gpt-5", "gpt-5-mini", "some-very-long-name-of-a-model-instruct-2026"])
async def test_where_words_go_stands_in_the_first_line_here_or_elsewhere(width: int, model: str) -> None:
    state = HeaderState(model=model, place="api.openai.com", facts=34, to_review=3, tokens=1_000, window=128_000)
    header = Header(state)
    async with Harness(header).run_test(size=(width, 24)):
        line = shown(header)[0]
        assert " · api.openai.com " in line and "memory on, 34 facts" in line and line.rstrip()[-1] in "%k"
        assert model[:3] in line and len(line) <= width
        header.change(place="this machine")
        line = shown(header)[0]
        assert " · this machine " in line and "memory on, 34 facts" in line and line.rstrip()[-1] in "%k"
        assert model[:3] in line and len(line) <= width
        header.change(place="a-host-with-a-very-long-name.internal.example.com", model="m")
        line = shown(header)[0]
        assert " · a-host-with-a-very" in line and "facts" in line and len(line) <= width


@pytest.mark.parametrize("width", [60, 79])
@pytest.mark.parametrize("place", ["this machine", "api.openai.com"])
async def test_where_there_is_little_room_the_place_stands_without_the_model(width: int, place: str) -> None:
    header = Header(HeaderState(model="gpt-5", place=place, facts=34, to_review=3, tokens=1_000, window=128_000))
    async with Harness(header).run_test(size=(width, 24)):
        line = shown(header)[0]
        assert f" {place[:8]}" in line and "memory on" in line and line.rstrip().endswith("1%") and len(line) <= width
        header.change(model="guide", place="this machine")
        assert "this machine" not in shown(header)[0] and "memory on, 34 facts" in shown(header)[0]
