"""The agent reads the session's folder when it was allowed, and nothing outside of it, no keys, and writes nothing."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sessions.clock import FixedClock
from sessions.home import Home
from sessions.settings import ToolSettings
from sessions.settings_file import load
from sessions.tools import workspace
from sessions.tools.base import ToolContext, ToolResult
from sessions.tools.registry import Registry
from sessions.tools.workspace import READ_CHARS, readable, too_wide
from tests.sessions.agent.scripted import NOW

KEY = "-----BEGIN RSA PRIVATE KEY-----\n" + "\n".join(f"MIIEpAIBAAKCAQEA{n:048d}" for n in range(20))
TOKEN = "ghp_" + "a1B2c3D4e5" * 4


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "atlas"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "README.md").write_text("# Atlas\nMaps for everyone.\n")
    (root / "src" / "main.py").write_text("def main():\n    return 'Maps'\n")
    (root / "src" / "deep" / "notes.txt").write_text("\n".join(f"line {n}" for n in range(1, 201)))
    (root / "node_modules").mkdir()
    (root / "node_modules" / "maps.js").write_text("maps")
    (tmp_path / "outside.txt").write_text("CANARY outside")
    (tmp_path / "atlas-two").mkdir()
    (tmp_path / "atlas-two" / "x.txt").write_text("CANARY sibling")
    return root


def home(tmp_path: Path, *folders: str) -> Home:
    made = Home(str(tmp_path / "home"), clock=FixedClock(NOW))
    made.paths.config.write_text(f"[tools]\nfolders = {list(folders)!r}\n")
    made.reload_settings()
    return made


def call(tmp_path: Path, folder: Path, name: str, **arguments: Any) -> ToolResult:
    tools = home(tmp_path, str(folder)).files(folder)
    registry = Registry(tools)
    tool = registry.get(name)
    assert tool is not None, "the folder is allowed"
    context = ToolContext("s", 1, "c", "m", folder, FixedClock(NOW))
    result = asyncio.run(_run(tool.run(registry.check(tool, arguments), context)))
    return result if isinstance(result, ToolResult) else ToolResult(result)


async def _run(answer: Any) -> Any:
    return await answer


def test_files_are_read_listed_and_searched(tmp_path: Path, folder: Path) -> None:
    assert call(tmp_path, folder, "read_file", path="README.md").content == "# Atlas\nMaps for everyone."
    part = call(tmp_path, folder, "read_file", path="src/deep/notes.txt", line=10, lines=2).content
    assert part == "line 10\nline 11\n… lines 10 to 11 of 200"
    assert call(tmp_path, folder, "list_files").content == "node_modules/\nsrc/\nREADME.md  27 bytes"
    assert call(tmp_path, folder, "list_files", pattern="*.py").content == "src/main.py"
    found = call(tmp_path, folder, "search_files", text="maps").content
    assert found == "README.md:2: Maps for everyone.\nsrc/main.py:2: return 'Maps'"
    assert call(tmp_path, folder, "search_files", text="maps", pattern="*.md").content.startswith("README.md:2")
    assert call(tmp_path, folder, "search_files", text="quagga").content == "Nothing found."


@pytest.mark.parametrize(
    "path",
    [
        "../outside.txt",
        "src/../../outside.txt",
        "{tmp}/outside.txt",
        "/etc/passwd",
        "/proc/self/environ",
        "/proc/self/root/etc/passwd",
        "../atlas-two/x.txt",
        "link.txt",
        "way/outside.txt",
        "way",
        "loop",
        "~/outside.txt",
        "src/main.py\0",
        "..",
        "/",
    ],
)
@pytest.mark.parametrize("tool", ["read_file", "list_files", "search_files"])
def test_nothing_leaves_the_folder(tmp_path: Path, folder: Path, path: str, tool: str) -> None:
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "way").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    more = {"text": "CANARY"} if tool == "search_files" else {}
    told = call(tmp_path, folder, tool, path=path.format(tmp=tmp_path), **more)
    assert not told.ok and told.content.startswith("Refused: ") and "CANARY" not in told.content.replace(path, "")


def test_what_links_lead_out_to_is_neither_listed_nor_found(tmp_path: Path, folder: Path) -> None:
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "way").symlink_to(tmp_path)
    (folder / "inner.md").symlink_to(folder / "README.md")
    listed = call(tmp_path, folder, "list_files").content
    assert "link" not in listed and "way" not in listed and "inner.md" in listed
    assert call(tmp_path, folder, "search_files", text="CANARY").content == "Nothing found."
    assert call(tmp_path, folder, "read_file", path="inner.md").content.startswith("# Atlas")


KEYS = [".env", ".ENV", "prod.env", ".env.local", "id_rsa", "server.PEM", "tls.key", ".netrc", "secrets.yaml",
        ".ssh/config", ".aws/credentials", "deploy/.Kube/config", "terraform.tfstate", ".git-credentials",
        ".envrc", "server.pem.bak", "tls.key~", "kubeconfig", "AuthKey_1.p8", "tokens.json", ".git/config",
        "secrets/db.txt",
        ".bash_history", "client_secret_1.json", ".config/gcloud/x.db", "terraform.tfstate.backup",
        "prod.env.local", "env.prod", ".env.md", "prod.env-old", ".env.ts"]  # fmt: skip


@pytest.mark.parametrize("name", KEYS)
def test_files_for_keys_are_never_read(tmp_path: Path, folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("CANARY=1")
    (folder / "plain.txt").symlink_to(folder / name)
    for path in (name, f"src/../{name}", "plain.txt"):
        told = call(tmp_path, folder, "read_file", path=path)
        assert not told.ok and "CANARY" not in told.content
    assert "CANARY" not in call(tmp_path, folder, "search_files", text="CANARY").content.replace("Nothing", "")
    assert Path(name).name not in call(tmp_path, folder, "list_files", pattern="*").content


@pytest.mark.parametrize("name", [".env.example", "env.example", "prod.env.dist", "env.py", "vite.env.d.ts"])
def test_a_template_of_such_a_file_and_code_about_it_is_read(tmp_path: Path, folder: Path, name: str) -> None:
    (folder / name).write_text("PORT=80")
    assert call(tmp_path, folder, "read_file", path=name).content == "PORT=80"


def test_odd_entries_cost_nothing_else(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "loop").symlink_to("loop")
    (folder / "there").symlink_to("back")
    (folder / "back").symlink_to("there")
    (folder / "nowhere").symlink_to("gone")
    (folder / "src" / "round").symlink_to("round")
    os.mkfifo(folder / "pipe")
    (folder / "gone.txt").write_text("Maps")
    shown = workspace.Workspace._shown

    def goes(each: workspace.Workspace, path: Path) -> bool:
        seen = shown(each, path)
        if path.name == "gone.txt":
            path.unlink(missing_ok=True)
        return seen

    monkeypatch.setattr(workspace.Workspace, "_shown", goes)
    listed = call(tmp_path, folder, "list_files").content.split("\n")
    assert listed == ["node_modules/", "src/", "pipe  no plain file", "README.md  27 bytes"]
    (folder / "gone.txt").write_text("Maps")
    assert call(tmp_path, folder, "list_files", path="src").content == "src/deep/\nsrc/main.py  30 bytes"
    assert call(tmp_path, folder, "list_files", pattern="*.py").content == "src/main.py"
    (folder / "gone.txt").write_text("Maps")
    found = call(tmp_path, folder, "search_files", text="maps").content
    assert found == "README.md:2: Maps for everyone.\nsrc/main.py:2: return 'Maps'"
    for name in ("loop", "there", "src/round", "nowhere", "pipe"):
        told = call(tmp_path, folder, "read_file", path=name)
        assert not told.ok and told.content.startswith("Refused: ")


def test_a_secret_in_another_file_is_left_out_wherever_the_reading_begins(tmp_path: Path, folder: Path) -> None:
    (folder / "deploy.sh").write_text(f"first\nTOKEN={TOKEN}\n{KEY}\n-----END RSA PRIVATE KEY-----\nlast\n")
    whole = call(tmp_path, folder, "read_file", path="deploy.sh").content
    assert whole.startswith("first\n") and whole.endswith("last") and whole.count("a secret was left out") == 2
    parts = [call(tmp_path, folder, "read_file", path="deploy.sh", line=n, lines=1).content for n in range(1, 26)]
    found = [call(tmp_path, folder, "search_files", text=text).content for text in ("TOKEN", "MIIEpAIB", "a1B2c3")]
    for told in (whole, *parts, *found):
        assert "a1B2c3D4" not in told and "MIIEpAIB" not in told
    assert parts[24].startswith("last")


def test_what_is_no_text_no_plain_file_or_too_large_is_refused_at_once(tmp_path: Path, folder: Path) -> None:
    (folder / "a.bin").write_bytes(b"\0\1CANARY")
    (folder / "b.txt").write_bytes(b"caf\xe9")
    os.mkfifo(folder / "pipe")
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(3 << 30)
    reasons = {"a.bin": "is no text", "b.txt": "is no UTF-8 text", "pipe": "is no plain file", "src": "is a folder"}
    reasons |= {"huge.txt": "is too large", "gone.txt": "there is no gone.txt"}
    for name, why in reasons.items():
        told = call(tmp_path, folder, "read_file", path=name)
        assert not told.ok and why in told.content
    (folder / "wide.txt").write_text("x" * 500_000)
    assert len(call(tmp_path, folder, "read_file", path="wide.txt").content) < READ_CHARS + 100
    (folder / "long.txt").write_text("\n".join("y" * 100 for _ in range(4_000)))
    told = call(tmp_path, folder, "read_file", path="long.txt")
    assert len(told.content) < READ_CHARS + 100 and told.content.endswith("of 4000")
    assert call(tmp_path, folder, "search_files", text="y" * 50).content.endswith("… the first 100 places")


def test_the_workbenchs_own_files_are_not_read_where_they_lie_in_the_folder(tmp_path: Path, folder: Path) -> None:
    inside = home(folder, str(folder))
    (inside.paths.root / "canary.txt").write_text("CANARY")
    registry = Registry(inside.files(folder))
    context = ToolContext("s", 1, "c", "m", folder, FixedClock(NOW))
    for name, arguments in (("read_file", {"path": "home/canary.txt"}), ("search_files", {"text": "CANARY"})):
        tool = registry.get(name)
        assert tool is not None
        assert "CANARY" not in asyncio.run(_run(tool.run(arguments, context))).content


def test_it_is_off_until_the_folder_was_allowed(tmp_path: Path, folder: Path) -> None:
    made = home(tmp_path)
    assert made.files(folder) == [] and made.files_allowed(folder) is False
    made.allow_files(folder, True)
    assert [tool.name for tool in made.files(folder)] == ["read_file", "list_files", "search_files"]
    assert [tool.name for tool in made.files(folder / "src")] != [] and made.files(folder.parent) == []
    assert made.files(folder.parent / "atlas-two") == []
    made.allow_files(folder / "src", False)
    assert made.files(folder) == [] and load(made.paths.config, {}).tools == ToolSettings()


def test_the_home_folder_the_system_and_key_folders_are_never_offered(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".ssh").mkdir()
    for wide in (tmp_path, tmp_path.parent, Path("/"), Path("/etc"), Path("/proc/self"), tmp_path / ".ssh"):
        assert too_wide(wide) and not readable(wide, (str(wide), "/"))
        assert home(tmp_path, str(wide), "/").files(wide) == []
    assert not readable(folder, (str(tmp_path), "~", "/")), "a rule that is too wide allows nothing below it either"
    assert readable(folder, ("~/atlas",))


def test_programs_about_secrets_are_read(tmp_path: Path, folder: Path) -> None:
    (folder / "secrets.py").write_text("KINDS = 7")
    assert call(tmp_path, folder, "read_file", path="secrets.py").content == "KINDS = 7"


def test_a_secret_cannot_be_guessed_letter_by_letter(tmp_path: Path, folder: Path) -> None:
    (folder / "deploy.sh").write_text(f"TOKEN={TOKEN}\n")
    tried = [call(tmp_path, folder, "search_files", text=TOKEN[:n] + end).content for n in (8, 12) for end in ("", "X")]
    assert set(tried) == {"Nothing found."}


def test_a_folder_that_becomes_a_link_while_it_is_read_leads_nowhere(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").write_text("CANARY")
    opens = os.open

    def swapped(path: Any, *arguments: Any) -> int:
        if str(path).endswith("deep/notes.txt"):
            (folder / "src" / "deep").rename(folder / "src" / "was")
            (folder / "src" / "deep").symlink_to(tmp_path)
        return opens(path, *arguments)

    monkeypatch.setattr(os, "open", swapped)
    told = call(tmp_path, folder, "read_file", path="src/deep/notes.txt")
    assert not told.ok and "moved while it was opened" in told.content


@pytest.mark.parametrize("arguments", [{}, {"pattern": "*"}, {"pattern": "none"}])
@pytest.mark.parametrize("empty", [False, True])
def test_of_very_many_files_and_empty_folders_some_are_looked_at_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, str], empty: bool
) -> None:
    monkeypatch.setattr(workspace, "_ENTRIES", 50)
    root, looked = tmp_path / "many", 0
    for n in range(30):
        (root / f"{n:02}" / "below").mkdir(parents=True)
        for name in () if empty else ("a", "b", "c"):
            (root / f"{n:02}" / name).touch()
    real = workspace.Workspace._shown

    def counted(each: workspace.Workspace, path: Path) -> bool:
        nonlocal looked
        looked += 1
        return real(each, path)

    monkeypatch.setattr(workspace.Workspace, "_shown", counted)
    told = call(tmp_path, root, "list_files", **arguments)
    assert looked <= 50 and told.ok
    if arguments:
        assert told.content.endswith("\n… not all files were looked at")
        assert (told.content.count("/a\n") > 2) == (not empty and arguments["pattern"] == "*")
    else:
        assert told.content.count("/") == 30
    monkeypatch.setattr(workspace, "_ENTRIES", 10)
    told = call(tmp_path, root, "list_files")
    assert told.content.count("/") == 10 and told.content.endswith("\n… not all files were looked at")


async def test_a_cancel_reaches_the_thread_that_looks(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(_: workspace.Workspace, top: Path, seen: workspace.Seen) -> Iterator[Path]:
        begun.set()
        while not seen.over:
            time.sleep(0.001)
        ended.set()
        yield from ()

    monkeypatch.setattr(workspace.Workspace, "walk", endless)
    tools = Registry(home(tmp_path, str(folder)).files(folder))
    tool = tools.get("search_files")
    assert tool is not None
    context = ToolContext("s", 1, "c", "m", folder, FixedClock(NOW))
    running = asyncio.ensure_future(_run(tool.run({"text": "maps"}, context)))
    assert await asyncio.to_thread(begun.wait, 10)
    running.cancel()
    assert await asyncio.to_thread(ended.wait, 10), "long before the time is over"
