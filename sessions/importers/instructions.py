"""Instructions that people wrote for agents: CLAUDE.md, AGENTS.md and what they import. A bullet may become a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from sessions.importers.base import folder_named
from sessions.importers.memories import Remembered
from sessions.importers.plain import open_plain
from sessions.memory.rules import Kind, one_line, slug

_DEPTH = 5
_MOST = 256 << 10
_IMPORT = re.compile(r"(?<![\w`@])@([~\w./-][^\s`]*)")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*\Z")
_FENCE = re.compile(r"\s*(```|~~~)")
_OWN_BEGIN, _OWN_END = "<!-- memagent-tui:begin", "<!-- memagent-tui:end"
_LEAST = 12
"""Characters of a bullet that says something."""
_PLURAL = 2
"""Words, at least, without which it is a label."""


def files(folder: Path, claude: Path, codex: Path) -> list[tuple[Path, bool]]:
    """The files that hold for work in a folder, in the order in which agents read them, and whether it is the person's.

    `claude` is the folder of Claude Code, `codex` that of Codex.
    """
    found: list[tuple[Path, bool]] = [(claude / "CLAUDE.md", True)]
    found += [(path, True) for path in sorted((claude / "rules").glob("*.md"))]
    override = codex / "AGENTS.override.md"
    found.append((override if override.is_file() else codex / "AGENTS.md", True))
    root = _repository(folder)
    for place in reversed([p for p in (folder, *folder.parents) if p == root or root in p.parents]):
        names = ("CLAUDE.md", ".claude/CLAUDE.md")
        found += [(place / name, False) for name in names]
        found += [(path, False) for path in sorted((place / ".claude" / "rules").glob("*.md"))]
        found.append((place / "CLAUDE.local.md", False))
        override = place / "AGENTS.override.md"
        found.append((override if override.is_file() else place / "AGENTS.md", False))
    return [(path, own) for path, own in found if path.is_file()]


def of_folder(folder: Path, user: Path, environ: Mapping[str, str]) -> list[Remembered]:
    """What all files say that hold for work in a folder."""
    named = [part.strip() for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    claude = folder_named(named[0], user) if named else user / ".claude"
    codex = environ.get("CODEX_HOME", "").strip()
    found = files(folder, claude, folder_named(codex, user) if codex else user / ".codex")
    return [one for path, own in found for one in bullets(path, own=own, folder=folder, user=user)]


def bullets(path: Path, *, own: bool, folder: Path, user: Path) -> Iterator[Remembered]:
    """What a file and the files that it imports say, a bullet each. `own`: it holds everywhere, not in one project."""
    top = user if own else _repository(folder)
    said: set[str] = set()
    for file, text in _with_imports(path, top, user, set(), 0):
        group = _short(file, user)
        for heading, bullet in _said(text):
            summary = one_line(bullet)
            if summary in said or len(summary) < _LEAST or len(summary.split()) < _PLURAL:
                continue
            said.add(summary)
            kind: Kind = "feedback" if own else "project"
            body = f"{one_line(heading)}: {summary}" if heading else ""
            name = slug(summary)[:48].strip("-") or "instruction"
            yield Remembered(file, name, name, summary, body, kind, group, "" if own else str(folder))


def _with_imports(path: Path, top: Path, user: Path, seen: set[Path], depth: int) -> Iterator[tuple[Path, str]]:
    real = path.resolve()
    if real in seen or depth > _DEPTH:
        return
    seen.add(real)
    try:
        with open_plain(path) as file:
            text = file.read(_MOST).decode("utf-8-sig", "replace").replace("\r\n", "\n")
    except OSError:
        return
    yield path, text
    for line in _prose(text):
        for match in _IMPORT.finditer(line):
            named = match[1].rstrip(".,;:)")
            target = user / named[2:] if named.startswith("~/") else path.parent / named
            with suppress(OSError):
                inside = target.resolve()
                # A name in a sentence is none; nor is what lies outside of what the file is about.
                if inside.is_file() and (inside.is_relative_to(top.resolve()) or named.startswith("~/")):
                    yield from _with_imports(target, top, user, seen, depth + 1)


def _prose(text: str) -> Iterator[str]:
    """The lines outside of code, our own block and comments."""
    fence, own = "", False
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if match is not None and fence in {"", match[1]}:
            fence = "" if fence else match[1]
            continue
        if line.lstrip().startswith(_OWN_BEGIN):
            own = True
        if not fence and not own:
            yield re.sub(r"`[^`]*`", lambda m: m[0].replace("@", "\0"), line)
        if line.lstrip().startswith(_OWN_END):
            own = False


def _said(text: str) -> Iterator[tuple[str, str]]:
    """(heading, bullet); what a bullet goes on with in further lines belongs to it, and so do its own bullets."""
    heading, bullet = "", ""
    for raw in _prose(text):
        line = raw.replace("\0", "@")
        match = _BULLET.match(line)
        if (head := _HEADING.match(line)) is not None:
            yield from [(heading, bullet)] if bullet else []
            heading, bullet = head[1], ""
        elif match is not None:
            if bullet:
                yield heading, bullet
            bullet = match[1]
        elif bullet and line.startswith((" ", "\t")) and line.strip():
            bullet = f"{bullet} {line.strip()}"
        elif not line.strip() or not bullet:
            yield from [(heading, bullet)] if bullet else []
            bullet = ""
    if bullet:
        yield heading, bullet


def _repository(folder: Path) -> Path:
    """The root of the repository that holds the folder, else the folder."""
    return next((p for p in (folder, *folder.parents) if (p / ".git").exists()), folder)


def _short(path: Path, user: Path) -> str:
    return f"~/{path.relative_to(user)}" if path.is_relative_to(user) else str(path)
