from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sessions.settings_file import reference
from tests.program import PROGRAM, environment

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_setting_of_the_readme_exists_with_its_meaning():
    known = {key: meaning for key, _, meaning in reference()}
    rows = re.findall(r"^\| `([a-z_.A-Z]+)` \| .*? \| (.+) \|$", README.split("## Settings")[1], re.M)
    assert len(rows) > 20
    assert [key for key, meaning in rows if known.get(key) != meaning] == []
    assert [key for key in known if key not in dict(rows)] == [], "and none is left out"


def test_the_library_script_of_the_readme_runs(tmp_path):
    script = re.search(r"```python\n(.*?)```", README, re.S)[1]
    assert len([line for line in script.splitlines() if line.strip()]) <= 18
    env = environment(tmp_path / "home") | {"PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    assert "#1 lives-in-tokyo" in run.stdout
    assert "'content': 'I live in Tokyo.'" in run.stdout


def commands() -> list[list[str]]:
    block = re.search(r"## Without the screen\n\n```sh\n(.*?)```", README, re.S)[1]
    groups = re.findall(r"^memagent-tui (\w+) (.*?)(?:#.*)?$", block, re.M)
    out = []
    for group, rest in groups:
        many = group in {"sessions", "facts", "config", "index"}
        verbs = [part.split()[0] for part in rest.split("|") if part.strip()] if many else []
        out += [[group, verb, "--help"] for verb in verbs] or [[group, "--help"]]
    return out


@pytest.mark.parametrize("arguments", commands(), ids=" ".join)
def test_every_command_of_the_readme_exists(tmp_path, arguments):
    run = subprocess.run([PROGRAM, *arguments], env=environment(tmp_path / "home"), capture_output=True, timeout=60)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\]\((\.github/[^)]+)\)", README))))
def test_every_file_that_the_readme_shows_is_there(target):
    assert (ROOT / target).stat().st_size > 0


def test_every_sentence_of_the_readme_is_one_that_the_guide_documents():
    from sessions.providers.guide import documented_sentences

    known = " ".join(sentence for sentence, _ in documented_sentences())
    table = re.search(r"\| say \| and it \|\n(.*?)\n\n", README, re.S)[1]
    said = [s for row in table.splitlines()[1:] for s in re.findall(r"`([^`]+)`", row.split("|")[1])]
    assert [s for s in said if "…" not in s and s not in known] == []
