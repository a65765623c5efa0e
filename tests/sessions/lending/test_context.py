from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from sessions.home import Home
from sessions.lending import parsed
from sessions.lending.context import Settings, context, settings_of
from sessions.memory.contents import always_sent, contents, numbered_block
from sessions.memory.fact import By, Draft
from sessions.memory.files import FactFiles
from sessions.memory.guard import Guard, Wish
from sessions.memory.view import facts_of
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
    kept = sorted((home.paths.local / "context").iterdir())
    assert len(kept) == 2
    assert all(b"Lives in Tokyo" in path.read_bytes() and path.stat().st_mode & 0o077 == 0 for path in kept)
    assert main(["--home", str(home.paths.root), "facts", "erase", "1", "--yes"]) == 0
    assert "0 traces left" in capsys.readouterr().out and not any(path.exists() for path in kept)


FACT = """+++
schema = 1
id = "{id}"
number = {number}
name = "{name}"
summary = "{summary}"
kind = "{kind}"
scope = "user"
status = "{status}"
pinned = {pinned}
locked = false
created_at = 2026-11-30T13:32:13Z
updated_at = 2026-11-30T13:32:13Z
confirmed_at = 2026-11-30T13:32:13Z
related = []
supersedes = []
{more}
[source]
origin = "user"
+++
{body}"""
PLAIN = {"kind": "user", "status": "active", "pinned": "false", "more": "", "body": ""}


def written(n: int, **more: object) -> str:
    return FACT.format(**(PLAIN | {"id": f"id-{n}", "number": n, "name": f"f{n}", "summary": f"Fact {n}"} | more))


FILES = {
    "with a day and a body": {
        "f2": written(2, kind="open-thread", more="due = 2026-12-04", body="\nMore.\n\n  And.\n")
    },
    "off": {"f2": written(2, status="off"), "f3": written(3, pinned="true")},
    "forgotten": {"f2": written(2, status="forgotten")},
    "a name that is not the file's": {"x": written(2), "f3": written(3)},
    "a copy": {"f2": written(2), "f2 copy": written(2)},
    "one number twice": {"f2": written(2), "f3": written(2, id="other", name="f3")},
    "no number": {"f2": written(0)},
    "no id": {"f2": written(2, id="")},
    "by hand": {"f2": '+++\n summary = "Likes tea"\n+++\n', "f3": "no front matter", "f4": "+++\nx = \n+++\n"},
    "more keys": {"f2": written(2, more='mood = "good"')},
    "a wrong type": {"f2": written(2, more="due = 3"), "f3": written(3, pinned='"yes"'), "f4": written(True)},
    "a long line": {
        "f2": written(2, summary="x" * 300),
        "f3": written(3, summary="a \u202e b  c"),
        "f4": written(4, summary=""),
    },
    "an unknown kind": {"f2": written(2, kind="mood"), "f3": written(3, status="lost")},
    "no name": {"f2": written(2, name="F 2"), "f3": written(3, name="")},
    "escapes": {"f2": written(2, summary=r"say \"hi\" \u00e9"), "f3": written(3).replace("\n", "\r\n")},
    "a conflict copy": {"f2": written(2), "f2.sync-conflict-20261130-1": written(3, name="f2")},
    "long": {"f2": written(2, body="word " * 50_000), "f3": written(3, body="word " * 300_000)},
    "no utf-8": {"f2": written(2, summary="\udcff")},
}


@pytest.mark.parametrize("files", FILES.values(), ids=FILES.keys())
def test_from_the_rows_that_are_kept_the_same_is_told_as_from_the_files(home: Home, tmp_path: Path, files) -> None:
    home.paths.config.write_text('[memory]\ninject = "all"\n')
    folder = home.paths.user_facts
    for name, text in {"f1": written(1), **files}.items():
        (folder / f"{name}.md").write_bytes(text.encode(errors="surrogateescape"))
    scanned = FactFiles(home.paths)
    facts = [f for f in facts_of(scanned.scan(*scanned.live_folders(), settled=True)) if f.active]
    want = (numbered_block(always_sent(facts, "all")), contents(facts, 6_000).text)
    assert "Fact 1" in want[0]
    for _ in range(2):  # the second time from the rows
        assert told(home, tmp_path)[1:3] == want
    assert (home.paths.local / "context" / "facts.json").exists()


def test_of_many_facts_those_that_changed_are_read(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = home.paths.user_facts
    for n in range(1, 200):
        (folder / f"f{n}.md").write_text(written(n))
    assert "1 f1 — Fact 1" in told(home, tmp_path).contents
    read: list[str] = []
    files = Path.read_bytes

    def noted(path: Path) -> bytes:
        read.append(path.name)
        return files(path)

    monkeypatch.setattr(Path, "read_bytes", noted)
    (folder / "f7.md").write_text(written(7, summary="Changed"))
    (folder / "f9.md").unlink()
    said = told(home, tmp_path).contents
    assert "7 f7 — Changed" in said and "Fact 9\n" not in said
    assert [name for name in read if name.endswith(".md")] == ["f7.md"]


def test_nothing_is_kept_of_what_goes_while_it_is_told(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in (1, 2):
        (home.paths.user_facts / f"f{n}.md").write_text(written(n))
    told_of = parsed.Parsed.waiting

    def meanwhile(files: parsed.Parsed) -> int:
        (home.paths.user_facts / "f2.md").unlink()
        return told_of(files)

    monkeypatch.setattr(parsed.Parsed, "waiting", meanwhile)
    assert main(["context", "--home", str(home.paths.root)]) == 0
    assert not (home.paths.local / "context").exists()
