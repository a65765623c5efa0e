from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from sessions.home import Home
from sessions.lending.context import Settings, context, settings_of
from sessions.memory.fact import By, Draft
from sessions.memory.guard import Guard, Wish
from sessions.settings import MemorySettings
from sessions.settings_file import load
from tests.program import environment
from tui.__main__ import main

PERSON = By("user")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home", env={})


def told(home: Home, folder: Path, **environ: str):
    return context(home.paths, folder, environ)


def test_it_tells_what_a_session_in_that_folder_is_told_and_how_many_facts_wait(home: Home, tmp_path: Path) -> None:
    assert told(home, tmp_path) == (False, "", "", 0)
    home.facts.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference", "Since May."), by=PERSON)
    home.facts.save(Draft("calls-itself-mill", "Calls itself Mill", "self"), by=PERSON)
    home.facts.save(Draft("sarah", "Sarah runs design", "contact"), by=PERSON)
    hidden = home.facts.save(Draft("old", "Likes tea", "preference"), by=PERSON).fact
    home.facts.edit(hidden.number, by=PERSON, status="off")
    atlas, other = tmp_path / "atlas", tmp_path / "other"
    for folder in (atlas, other):
        folder.mkdir()
    scope = home.facts.scopes.of(atlas)
    home.facts.scopes.prepare(scope, atlas)
    home.facts.save(Draft("builds", "Builds run twice", "project", scope=scope, pinned=True), by=PERSON)
    for i, drink in enumerate(("green tea", "black tea", "white tea")):
        wish = Wish(By("model", "s", "m"), at_once="never")
        Guard(home.facts).save(Draft(f"maybe-{i}", f"Drinks {drink} at {i + 3} o'clock", "user"), wish)
    for folder in (atlas, other, atlas / "src"):
        found = told(home, folder)
        assert found.always_sent == home.memory.prompt(folder) and "Since May." in found.always_sent
        assert found.contents == home.memory.contents(folder) and "sarah" in found.contents
        assert ("Builds run twice" in found.contents) == (folder != other) and "tea" not in found.contents
        assert found.waiting == 3


@pytest.mark.parametrize("inject", ["all", "none", "pinned"])
def test_the_settings_count(home: Home, tmp_path: Path, inject: str) -> None:
    for i in range(30):
        draft = Draft(f"fact-{i}", f"Fact number {i} about a mill", "user", pinned=i % 3 == 0)
        home.facts.save(draft, by=PERSON)
    home.paths.config.write_text(f'[memory]\ninject = "{inject}"\ncontents_tokens = 100\n')
    home.reload_settings()
    found = told(home, tmp_path)
    assert found.always_sent == home.memory.prompt(tmp_path) and found.contents == home.memory.contents(tmp_path)
    assert "more: use query" in found.contents
    assert told(home, tmp_path, MEMAGENT_MEMORY_MODE="off") == (True, "", "", 0)


CONFIGS = [
    None,
    "",
    "[memory]\r\nmode = 'read-only'\r\ncontents_tokens = 7\r\n",
    '[memory]\nmode = "sometimes"\ninject = "all"\n',
    "[memory]\ncontents_tokens = -1\n",
    "[memory]\ncontents_tokens = true\n",
    "[memory]\nmode = []\n",
    "memory = 3\n",
    "[memory]\nmode = \n",
    '\ufeff[memory]\ndistill = "off"\n',
]
ENVIRONMENTS = [
    {},
    {"MEMAGENT_MEMORY_MODE": "off"},
    {"MEMAGENT_MEMORY_MODE": ""},
    {"MEMAGENT_MEMORY_INJECT": "everything"},
    {"MEMAGENT_MEMORY_CONTENTS_TOKENS": "12", "MEMAGENT_UI_THEME": "light"},
    {"MEMAGENT_MEMORY_CONTENTS_TOKENS": "many"},
    {"MEMAGENT_MEMORY_CONTENTS_TOKENS": "٣"},
]


@pytest.mark.parametrize("environ", ENVIRONMENTS)
@pytest.mark.parametrize("config", CONFIGS)
def test_the_few_settings_are_as_all_settings_have_them(tmp_path: Path, config, environ) -> None:
    path = tmp_path / "config.toml"
    if config is not None:
        path.write_bytes(config.encode())
    memory = load(path, environ, {}).memory
    assert settings_of(path, environ) == (memory.mode, memory.inject, memory.contents_tokens)


def test_the_defaults_are_those_of_the_settings() -> None:
    assert Settings()._asdict().items() <= dataclasses.asdict(MemorySettings()).items()


def test_nothing_is_loaded_that_takes_long(home: Home) -> None:
    home.facts.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference"), by=PERSON)
    script = (
        "import sys\nfrom tui.__main__ import main\nassert main(['context', '--home', sys.argv[1]]) == 0\n"
        "heavy = {'argparse', 'asyncio', 'sqlite3', 'subprocess', 'textual', 'sessions.home', 'sessions.settings'}\n"
        "heavy |= {'dataclasses', 'tomllib', 'sessions.memory'} if sys.argv[2:] else set()\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    for again in ([], ["again"]):
        done = subprocess.run(
            [sys.executable, "-c", script, str(home.paths.root), *again],
            env=environment(home.paths.root),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stderr.strip() == "[]" and "Lives in Tokyo" in done.stdout, done


def test_what_was_said_last_is_said_again_only_while_nothing_is_different(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    atlas = tmp_path / "atlas"
    atlas.mkdir()
    monkeypatch.chdir(atlas)

    def say() -> str:
        texts = []
        for _ in range(2):
            assert main(["context", "--home", str(home.paths.root)]) == 0
            texts.append(capsys.readouterr().out)
        assert texts[0] == texts[1]
        return texts[0]

    assert say() == ""
    fact = home.facts.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference"), by=PERSON).fact
    assert "Lives in Tokyo" in say()
    fact.path.write_text(fact.path.read_text().replace("Tokyo", "Osaka"))
    assert "Lives in Osaka" in say() and "Tokyo" not in say().replace("-tokyo", "")
    Guard(home.facts).save(Draft("tea", "Drinks green tea", "user"), Wish(By("model", "s", "m"), at_once="never"))
    assert "To review: 1;" in say()
    scope = home.facts.scopes.of(atlas)
    home.facts.scopes.prepare(scope, atlas)
    home.facts.save(Draft("builds", "Builds run twice", "project", scope=scope), by=PERSON)
    assert "Builds run twice" in say()
    monkeypatch.chdir(tmp_path)
    assert "Builds run twice" not in say()
    monkeypatch.setenv("MEMAGENT_MEMORY_INJECT", "all")
    assert "Lives in Osaka" in say()
    home.paths.config.write_text('[memory]\nmode = "off"\n')
    assert say() == ""
    home.paths.config.unlink()
    for file in (home.paths.local / "context").iterdir():
        file.write_bytes(b"\xff" + file.read_bytes() + b"\xff")
    assert "Lives in Osaka" in say()


def test_what_is_erased_is_not_left_in_what_was_said_last(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.facts.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference"), by=PERSON)
    assert main(["context", "--home", str(home.paths.root)]) == 0
    (kept,) = (home.paths.local / "context").iterdir()
    assert b"Lives in Tokyo" in kept.read_bytes() and kept.stat().st_mode & 0o077 == 0
    assert main(["--home", str(home.paths.root), "facts", "erase", "1", "--yes"]) == 0
    assert "0 traces left" in capsys.readouterr().out and not kept.exists()
