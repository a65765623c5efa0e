from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.terminal import terminal
from tests.e2e.walks.test_walks import READY, SIZES
from tests.sessions.importers.export_files import Tree, tea, uuid, zipped


def heron(n: int) -> Tree:
    tree = Tree(uuid(f"heron{n}"), f"Heron {n}")
    tree.add(f"{n}1", "user", f"Where is heron {n}?")
    tree.add(f"{n}2", "assistant", f"Heron {n} sits by pond {n * 7}.")
    return tree


@pytest.mark.parametrize("size", SIZES)
def test_what_was_said_to_chatgpt_is_taken_over_found_and_read(tmp_path: Path, size: str) -> None:
    path = zipped(tmp_path / "my export.zip", conversations__json=[tea().raw, *(heron(n).raw for n in range(3))])
    before = path.read_bytes()
    with terminal(home=tmp_path / "home", size=size, cwd=tmp_path) as t:
        t.wait(READY)
        t.type("/import my export.zip")
        t.wait(r"my export\.zip")
        t.press("Enter")
        t.wait(r"ChatGPT: 4 new sessions")
        t.press("C-r")
        t.wait(r"Search all that was said(?s:.*)▌")
        t.type("/heron pond 14")
        t.wait(r"[Hh]eron 2(?s:.*)in 1 session|in 1 session(?s:.*)[Hh]eron 2")
        t.press("Enter")
        t.wait(r"Heron 2 sits by pond 14\.")
        t.wait(r"only read here")
        assert t.keys <= 3
    assert path.read_bytes() == before and len(list((tmp_path / "home/sessions").glob("*.jsonl"))) == 4


def test_of_a_damaged_export_the_rest_comes_and_a_report_names_what_was_left_out(tmp_path: Path) -> None:
    text = json.dumps([tea().raw, heron(1).raw, heron(2).raw])
    path = tmp_path / "conversations.json"
    path.write_text(text.replace('"title": "Heron 1"', '"title": "Heron 1", "torn": [1, 2', 1))
    with terminal(home=tmp_path / "home", size="80x24", cwd=tmp_path) as t:
        t.wait(READY)
        t.type("/import conversations.json")
        t.wait(r"conversations\.json")
        t.press("Enter")
        t.wait(r"Taken over: ChatGPT(?s:.*)2 new sessions(?s:.*)line 1: conversation 2: ")
        t.press("Escape")
        t.wait(READY)
        t.wait(r"ChatGPT: 1 left out \(/import report\)")
        assert t.keys <= 2
