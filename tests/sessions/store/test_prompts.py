from __future__ import annotations

import json
import subprocess
import sys

from sessions.store.prompts import KEPT, keep_prompt, load_prompts
from tests.kills.harness import deaths
from tests.sessions.store.records import home

KEEP = """
import sys
from pathlib import Path
from sessions.store.prompts import keep_prompt
from tests.sessions.store.records import home

keep_prompt(home(Path(sys.argv[1])), "the third " + "x" * 300, None)
"""
MANY = """
import sys
from pathlib import Path
from sessions.store.prompts import keep_prompt
from tests.sessions.store.records import home

paths = home(Path(sys.argv[1]))
sys.stdin.readline()
for n in range(100):
    keep_prompt(paths, f"{sys.argv[2]} {n} " + "y" * 6000, ((0, n),))
"""


def test_prompts_come_back_in_order_with_what_was_typed_and_without_repeats(tmp_path):
    paths = home(tmp_path)
    assert load_prompts(paths) == []
    for text, typed in (("one", None), ("two\nlines", ((0, 3),)), ("two\nlines", ((0, 3),)), ("Zürich\u2028\x00", ())):
        keep_prompt(paths, text, typed)
    assert load_prompts(paths) == [("one", None), ("two\nlines", ((0, 3),)), ("Zürich\u2028\x00", ())]
    assert (paths.local / "prompts.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_torn_line_takes_no_other_prompt_with_it(tmp_path):
    paths = home(tmp_path)
    keep_prompt(paths, "one", None)
    with (paths.local / "prompts.jsonl").open("ab") as file:
        file.write(b'{"text": "cut o')
    keep_prompt(paths, "two", None)
    assert [text for text, _ in load_prompts(paths)] == ["one", "two"]


def test_lines_that_are_no_prompts_are_skipped(tmp_path):
    paths = home(tmp_path)
    odd = [b"[]", b"{", b'{"text": 3}', b'{"text": "a", "typed": [[1]]}', b'{"text": "b", "typed": 7}', b"\xff\0"]
    odd += [b'{"text": %s}' % (b"[" * 90_000)]
    kept = [b'{"text": "kept"}', b'{"text": "too", "typed": [[1e400, 2], [0, 1]]}']
    (paths.local / "prompts.jsonl").write_bytes(b"\n".join([*odd, *kept]))
    assert load_prompts(paths) == [("kept", None), ("too", ((0, 1),))]


def test_a_kill_at_any_operation_loses_at_most_the_prompt_being_kept(tmp_path):
    def prepared(n):
        paths = home(tmp_path / str(n))
        for text in ("one", "two"):
            keep_prompt(paths, text, None)
        return (str(tmp_path / str(n)),)

    seen = set()
    for n in deaths(KEEP, prepared):
        paths = home(tmp_path / str(n))
        keep_prompt(paths, "after", None)
        texts = [text.split("x")[0].strip() for text, _ in load_prompts(paths)]
        seen.add(tuple(texts))
    assert seen == {("one", "two", "after"), ("one", "two", "the third", "after")}


def test_two_programs_keep_prompts_at_once_and_the_file_stays_short_with_the_newest_of_both(tmp_path):
    paths = home(tmp_path)
    programs = [
        subprocess.Popen([sys.executable, "-c", MANY, str(tmp_path), name], stdin=subprocess.PIPE, text=True)
        for name in ("a", "b")
    ]
    for program in programs:
        program.stdin.write("\n")
        program.stdin.flush()
    for program in programs:
        program.communicate()
        assert program.returncode == 0
    data = (paths.local / "prompts.jsonl").read_bytes()
    texts = [json.loads(line)["text"].split(" y")[0] for line in data.split(b"\n") if line]
    for name in "ab":
        numbers = [int(text.split()[1]) for text in texts if text.startswith(name)]
        assert numbers == list(range(100))[-len(numbers) :], "none in the middle is missing"
    assert len(texts) <= KEPT
