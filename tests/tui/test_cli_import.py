from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sessions.importers.claude_files import Chain
from tui.__main__ import main

Out = pytest.CaptureFixture[str]


@pytest.fixture
def claude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    chain = Chain()
    chain.user("u1", "Where is the mill?")
    chain.answer("a1", "By the pond.", id="m1", stop="end_turn")
    chain.lines.append('{"type":"user","uuid":"broken')
    chain.user("u2", "Thanks", under="a1")
    return chain.write(tmp_path / "claude")


def run(tmp_path: Path, *arguments: str) -> int:
    return main(["--home", str(tmp_path / "home"), "import", *arguments])


def test_a_dry_run_shows_what_would_come_then_it_comes_once(tmp_path: Path, claude: Path, capsys: Out) -> None:
    assert run(tmp_path, "claude-code", "--dry-run") == 0
    shown = capsys.readouterr()
    assert "Where is the mill?" in shown.out and "1 session would be taken over" in shown.err
    assert not list((tmp_path / "home/sessions").glob("*.jsonl"))
    assert run(tmp_path, "claude-code", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["sessions"] == {"new": 1} and told["messages"] == 3 and told["bad"][0]["line"] == 3
    assert run(tmp_path, "claude-code") == 0
    assert capsys.readouterr().out == "0 new sessions, 1 as before; 0 messages came\n"
    assert main(["--home", str(tmp_path / "home"), "sessions", "search", "mill", "pond"]) == 0
    assert "pond" in capsys.readouterr().out


def test_what_was_deleted_here_is_told_so_before_and_after(tmp_path: Path, claude: Path, capsys: Out) -> None:
    assert run(tmp_path, "claude-code", "--json") == 0
    (session,) = json.loads(capsys.readouterr().out)["changed"]
    assert main(["--home", str(tmp_path / "home"), "sessions", "delete", session]) == 0
    claude.write_bytes(claude.read_bytes().replace(b"Thanks", b"Thank you"))
    for _ in range(2):
        capsys.readouterr()
        assert run(tmp_path, "claude-code", "--dry-run") == 0
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err == "0 sessions would be taken over, 0 are here already, 1 deleted here, and left so\n"
        assert run(tmp_path, "claude-code") == 0
        assert capsys.readouterr().out == "0 new sessions, 1 deleted here, and left so; 0 messages came\n"


@pytest.mark.parametrize("which", ["file", "project", "root"])
def test_a_file_or_a_folder_may_be_named(tmp_path: Path, claude: Path, capsys: Out, which: str) -> None:
    named = {"file": claude, "project": claude.parent, "root": tmp_path / "claude"}[which]
    assert run(tmp_path, "claude-code", str(named)) == 0
    assert "1 new session" in capsys.readouterr().out


def test_what_cannot_be_taken_over_is_said_with_what_to_do(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "none"))
    assert run(tmp_path, "claude-code") == 2
    assert "There are no files of Claude Code on this machine" in capsys.readouterr().err
    assert run(tmp_path, "claude-code", str(tmp_path / "nothing.jsonl")) == 2
    assert "There is no file" in capsys.readouterr().err
    other = tmp_path / "notes.jsonl"
    other.write_text("hello\n")
    assert run(tmp_path, "claude-code", str(other)) == 2
    assert "is no session of Claude Code" in capsys.readouterr().err


def test_memories_and_instructions_wait_for_review(tmp_path: Path, claude: Path, capsys: Out) -> None:
    memory = claude.parent / "memory"
    memory.mkdir()
    (memory / "deploys.md").write_text("---\nname: deploys\ndescription: Atlas deploys on Fridays\ntype: user\n---\n")
    assert run(tmp_path, "claude-code", "--dry-run", "--only", "memory") == 0
    assert "Atlas deploys on Fridays" in capsys.readouterr().out
    assert run(tmp_path, "claude-code") == 0
    assert "1 fact waits for your review" in capsys.readouterr().out
    (tmp_path / "AGENTS.md").write_text("- Never edit generated files by hand\n- The password is hunter22xyz\n")
    for options in ((), ("--dry-run",), ("--dry-run", "--json"), ("--json",)):
        (tmp_path / "other").mkdir(exist_ok=True)
        assert run(tmp_path / "other", "instructions", str(tmp_path), *options) == 0
        told = capsys.readouterr()
        assert "a secret was left out: password" in told.out + told.err and "hunter22" not in told.out + told.err
    assert run(tmp_path, "instructions", str(tmp_path)) == 0
    told = capsys.readouterr()
    assert "1 fact waits for your review, 1 left out" in told.out
    assert main(["--home", str(tmp_path / "home"), "facts", "list"]) == 0
    assert "Fridays" not in capsys.readouterr().out
    assert main(["--home", str(tmp_path / "home"), "facts", "list", "--proposed", "--json"]) == 0
    waiting = json.loads(capsys.readouterr().out)
    assert [fact["source"]["client"] for fact in waiting] == ["Claude Code · atlas", str(tmp_path / "AGENTS.md")]
    assert run(tmp_path, "instructions", str(tmp_path / "nothing")) == 2
    assert run(tmp_path, "codex", "--only", "memory") == 2


def test_a_folder_of_exported_facts_is_taken_as_memory(tmp_path: Path, capsys: Out) -> None:
    home = ["--home", str(tmp_path / "from")]
    assert main([*home, "facts", "add", "--kind", "contact", "--pinned", "yes", "Sarah Chen is the manager"]) == 0
    assert main([*home, "facts", "export", str(tmp_path / "out"), "--format", "claude-code"]) == 0
    capsys.readouterr()
    assert run(tmp_path, "claude-code", str(tmp_path / "out"), "--dry-run") == 0
    assert "Sarah Chen is the manager" in capsys.readouterr().out
    assert run(tmp_path, "claude-code", str(tmp_path / "out")) == 0
    assert capsys.readouterr().out == "1 fact waits for your review\n"
    (tmp_path / "out/MEMORY.md").unlink()
    assert run(tmp_path, "claude-code", str(tmp_path / "out")) == 2
    assert "for a folder of memories say --only memory" in capsys.readouterr().err
    assert run(tmp_path, "claude-code", str(tmp_path / "out"), "--only", "memory") == 0
    assert capsys.readouterr().out == "0 facts wait for your review, 1 as before\n"


def test_an_exported_fact_of_a_project_is_named_where_it_does_not_belong(
    tmp_path: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("atlas", "elsewhere"):
        (tmp_path / name / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "atlas")
    home = ["--home", str(tmp_path / "from")]
    assert main([*home, "facts", "add", "--kind", "project", "--scope", "project", "Atlas builds twice a day"]) == 0
    assert main([*home, "facts", "export", str(tmp_path / "out"), "--format", "claude-code"]) == 0
    monkeypatch.chdir(tmp_path / "elsewhere")
    capsys.readouterr()
    assert run(tmp_path, "claude-code", str(tmp_path / "out")) == 0
    told = capsys.readouterr()
    assert "1 left out" in told.out and "it is of the project atlas. Import it in the folder" in told.err
    monkeypatch.chdir(tmp_path / "atlas")
    assert run(tmp_path, "claude-code", str(tmp_path / "out")) == 0
    assert "1 fact waits" in capsys.readouterr().out
