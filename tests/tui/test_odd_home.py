from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sessions.paths import HomePaths
from tests.sessions.memory.homes import MODEL, draft, store_of
from tests.sessions.store.records import SESSION, first, user
from tests.tui.workbench import say, screen_text, text_of, workbench
from tests.waiting import until
from tui.__main__ import main

NAMES = {"folder": "20261101-000000-00000a", "empty": "20261101-000000-00000b", "garbage": "20261101-000000-00000c"}
GARBAGE = b"\xff\xfe\x00not a log\n{]\n" + os.urandom(2000).replace(b"\n", b" ") + b"\n[1, 2]\n"


@pytest.fixture
def home(tmp_path: Path) -> HomePaths:
    """A home in which something is wrong at every place, and one good session and fact."""
    from sessions.store.log import LogWriter

    store = store_of(tmp_path / "home")
    store.save(draft(), by=MODEL)
    paths = store.paths
    log = LogWriter.create(paths, SESSION, first(cwd=str(tmp_path)))
    log.append(user("u1", "The harbour of Bergen"))
    log.close()
    paths.session_log(NAMES["folder"]).mkdir()
    (paths.session_log(NAMES["folder"]) / "x").touch()
    paths.session_log(NAMES["empty"]).touch()
    paths.session_log(NAMES["garbage"]).write_bytes(GARBAGE)
    (paths.sessions / "notes.jsonl").write_text("hello\n")
    for name in (SESSION, *NAMES.values()):
        paths.session_meta(name).write_bytes(GARBAGE)
    (paths.user_facts / "folder.md").mkdir()
    (paths.user_facts / "odd.md").write_bytes(GARBAGE)
    (paths.projects / "loose.md").mkdir(parents=True)
    (paths.journal / "other.jsonl").write_bytes(GARBAGE)
    for name in ("prompts.jsonl", "machine", "memory-settled.json", "memory-counts.json", "memory-number.json"):
        (paths.local / name).write_bytes(GARBAGE)
    for name in ("projects.json", "catalog-1.sqlite", "index-1.sqlite"):
        (paths.local / name).write_bytes(GARBAGE)
    return paths


def kept(paths: HomePaths) -> dict[str, bytes]:
    """What the person has there."""
    mine = [*paths.sessions.glob("*.jsonl"), *paths.user_facts.glob("*.md")]
    return {p.name: p.read_bytes() for p in mine if p.is_file()}


async def test_the_workbench_starts_says_what_is_wrong_and_loses_nothing(home: HomePaths) -> None:
    before = kept(home)
    async with workbench(home.root) as (app, pilot):
        assert "memory on, 1 fact" in screen_text(app)
        await say(app, pilot, "where do I live?")
        assert "You live in Tokyo" in screen_text(app)
        await pilot.press("f3")
        await until(lambda: "Bergen" in text_of(app.body.history.list), "the good session is listed")
        assert not any(name in text_of(app.body.history.list) for name in NAMES.values())
        await pilot.press("f4")
        await until(lambda: "odd.md" in screen_text(app), "the broken files are shown")
        screen = screen_text(app)
        assert "a folder, no file" in screen and "not UTF-8" in screen and "1 active · 2 broken" in screen
    after = kept(home)
    assert {name: after.get(name) for name in before} == before


@pytest.mark.parametrize("kind", NAMES)
async def test_a_session_that_is_none_is_not_opened_and_the_reason_is_said(home: HomePaths, kind: str) -> None:
    before = kept(home)
    async with workbench(home.root, resume=NAMES[kind]) as (app, pilot):
        why = {"folder": "Is a directory", "empty": "", "garbage": "4 lines"}[kind]
        assert why in screen_text(app)
        await say(app, pilot, "where do I live?")
        assert "You live in Tokyo" in screen_text(app)
    for name, data in before.items():
        assert (home.sessions / name if name.endswith("l") else home.user_facts / name).read_bytes().startswith(data)


def test_the_commands_name_what_is_wrong_and_show_the_rest(home: HomePaths, capsys: pytest.CaptureFixture[str]) -> None:
    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["--home", str(home.root), *arguments])
        return (code, *capsys.readouterr())

    _, out, _ = call("doctor", "--json")
    said = {(f["what"], f["state"]): [] for f in json.loads(out)}
    for finding in json.loads(out):
        said[finding["what"], finding["state"]].append(finding["says"])
    skipped = "\n".join(said["session", "warning"])
    assert f"{NAMES['garbage']}.jsonl: lines 1, 2, 3, 4 cannot be read" in skipped
    assert f"{NAMES['folder']}.jsonl: it is no file" in skipped
    assert len(said["fact", "warning"]) == 2 and said["facts", "ok"] == ["1 fact"]

    for arguments, part in (
        (("facts", "list"), "Lives in Tokyo"),
        (("sessions", "list"), SESSION),
        (("sessions", "search", "Bergen"), "harbour"),
        (("facts", "add", "Likes green tea"), "2 likes-green-tea"),
        (("ask", "where do I live?"), "Tokyo"),
    ):
        code, out, err = call(*arguments)
        assert code == 0 and part in out, (arguments, out, err)
    for kind in ("folder", "empty"):
        code, out, err = call("sessions", "show", NAMES[kind])
        assert code in {1, 2} and out == "" and len(err.splitlines()) == 1, err


async def test_a_memory_folder_that_was_taken_away_is_missed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    store = store_of(tmp_path / "home")
    store.save(draft(), by=MODEL)
    shutil.rmtree(store.paths.memory)
    async with workbench(tmp_path / "home") as (app, pilot):
        await until(lambda: "facts may be lost" in screen_text(app), "that they are missed")
        assert "memory on, 0 facts" in screen_text(app)
        await pilot.press("f4")
        await until(lambda: "The facts are gone: bring memory/ back" in screen_text(app), "no empty memory")
    main(["--home", str(tmp_path / "home"), "doctor"])
    assert "facts may be lost" in capsys.readouterr().out
    store_of(tmp_path / "home").save(draft(), by=MODEL)
    main(["--home", str(tmp_path / "home"), "doctor"])
    assert "facts may be lost" not in capsys.readouterr().out, "what is written from then on is the memory"
