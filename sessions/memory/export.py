"""Facts for other programs and for people.

| format | what it is |
|---|---|
| `json` | an array with every fact whole: the front matter's keys and `body`, as `facts list --json` prints it |
| `memory-json` | `{category: {key: value}}` with the categories preferences, contacts and open_threads; other kinds are left out |
| `md` | a readable list in the groups of the screen |
| `claude-code` | a folder with MEMORY.md and a file a fact (`name`, `description`, `type`), as Claude Code's memory |

The formats that another program reads, `memory-json` and `claude-code`, leave out what stays on this machine.
"""  # noqa: E501

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any, Literal

from sessions.errors import StoreError
from sessions.memory.fact import GROUPS, Fact
from sessions.memory.rules import PINNED_KINDS, USER
from sessions.store.atomic import make_folder, write_atomic

Format = Literal["md", "json", "memory-json", "claude-code"]
FORMATS: tuple[Format, ...] = ("md", "json", "memory-json", "claude-code")

_CATEGORIES = {"preference": "preferences", "contact": "contacts", "open-thread": "open_threads"}
_TYPES = {
    "user": "user",
    "preference": "user",
    "self": "feedback",
    "feedback": "feedback",
    "contact": "reference",
    "reference": "reference",
    "project": "project",
    "open-thread": "project",
}
"""Our kinds -> the four types that Claude Code knows."""
_PLAIN = re.compile(r"[a-z][a-z0-9-]*")
_NOT_TEXT = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
"""Words that YAML takes for something else."""


def fact_json(fact: Fact) -> dict[str, Any]:
    """The front matter's keys and `body`."""
    source = {"origin": fact.source.origin}
    keys = ("session", "message", "quote", "client", "accepted")
    source |= {k: v for k in keys if (v := getattr(fact.source, k))}
    return {
        "schema": fact.schema,
        "id": fact.id,
        "number": fact.number,
        "name": fact.name,
        "summary": fact.summary,
        "kind": fact.kind,
        "scope": fact.scope,
        "status": fact.status,
        "pinned": fact.pinned,
        "locked": fact.locked,
        **({"share": fact.share} if fact.share != "any" else {}),
        "created_at": f"{fact.created_at:%Y-%m-%dT%H:%M:%SZ}",
        "updated_at": f"{fact.updated_at:%Y-%m-%dT%H:%M:%SZ}",
        "confirmed_at": f"{fact.confirmed_at:%Y-%m-%dT%H:%M:%SZ}",
        "related": list(fact.related),
        "supersedes": list(fact.supersedes),
        **({"due": fact.due.isoformat()} if fact.due else {}),
        "source": source,
        **{k: v for k, v in fact.extra.items() if k != "source"},
        "body": fact.body,
    }


def kept_here(facts: Iterable[Fact]) -> int:
    """How many active facts are not for other programs."""
    return sum(f.active and f.share == "local" for f in facts)


def export(facts: Iterable[Fact], form: Format) -> str:
    """The facts as text. All but `json` leave out those that are switched off. `claude-code` is `export_folder`'s."""
    facts = sorted(facts, key=lambda f: (f.number or 1 << 60, f.name))
    if form == "json":
        return json.dumps([fact_json(f) for f in facts], ensure_ascii=False, indent=2, default=str) + "\n"
    active = [f for f in facts if f.active]
    if form == "memory-json":
        return json.dumps(_categories(_lent(active)), ensure_ascii=False, indent=2) + "\n"
    return _markdown(active)


def export_folder(facts: Iterable[Fact], folder: Path, title: Callable[[str], str] = str) -> list[Path]:
    """Write the active facts that others may have as Claude Code keeps its memory; the files written.

    `title` calls a scope by its name. Raises StoreError when a file of that name is there: nothing is written over.
    """
    active = sorted((f for f in facts if f.active), key=lambda f: (f.number or 1 << 60, f.name))
    lent = _lent(active)
    names = _files(lent)
    known = {fact.name for fact in lent}
    files = {folder / f"{name}.md": _yaml(fact, title, known) for name, fact in names.items()}
    lines = [f"- [{fact.summary}]({name}.md)" for name, fact in names.items()]
    files[folder / "MEMORY.md"] = "# Memory\n\n" + "".join(line + "\n" for line in lines)
    taken = next((path for path in files if path.exists()), None)
    if taken is not None:
        raise StoreError(f"{taken} is there already", "Name a new folder", path=taken)
    try:
        make_folder(folder)
        for path, text in files.items():
            write_atomic(path, text.encode())
    except OSError as e:
        raise StoreError(f"The folder cannot be written: {e.strerror or e}", path=folder) from e
    return list(files)


def _files(facts: list[Fact]) -> dict[str, Fact]:
    """Names for files -> the facts. The index is a name of its own, and a name in two scopes is two files."""
    taken = {"memory", *(fact.name for fact in facts)}
    out: dict[str, Fact] = {}
    for fact in facts:
        name = fact.name
        if name == "memory" or name in out:
            name = next(other for n in count(2) if (other := f"{fact.name}-{n}") not in taken)
            taken.add(name)
        out[name] = fact
    return out


def _lent(facts: list[Fact]) -> list[Fact]:
    return [f for f in facts if f.share != "local"]


def _categories(facts: list[Fact]) -> dict[str, dict[str, str]]:
    out: dict[str, dict[str, str]] = {category: {} for category in _CATEGORIES.values()}
    for fact in facts:
        if category := _CATEGORIES.get(fact.kind):
            key = fact.name if fact.name not in out[category] else f"{fact.name}-{fact.number}"
            out[category][key] = _value(fact)
    return out


def _value(fact: Fact) -> str:
    """The one line and the rest, so that the first line of the value is the one line again."""
    return f"{fact.summary}\n{fact.body}" if fact.body else fact.summary


def _markdown(facts: list[Fact]) -> str:
    out = "# What is remembered\n"
    for title, kinds in GROUPS.items():
        rows = [f for f in facts if f.kind in kinds]
        if rows:
            out += f"\n## {title}\n\n" + "".join(map(_item, rows))
    return out


def _item(fact: Fact) -> str:
    due = f" (due {fact.due.isoformat()})" if fact.due else ""
    body = "".join(f"  {line}".rstrip() + "\n" for line in fact.body.split("\n")) if fact.body else ""
    return f"- {fact.summary}{due}\n" + (f"\n{body}\n" if body else "")


def _yaml(fact: Fact, title: Callable[[str], str], known: set[str]) -> str:
    body = fact.body or fact.summary
    # A JSON text is a YAML text, whatever stands in it.
    described = json.dumps(fact.summary, ensure_ascii=False)
    name = fact.name if _PLAIN.fullmatch(fact.name) and fact.name not in _NOT_TEXT else json.dumps(fact.name)
    head = f"name: {name}\ndescription: {described}\ntype: {_TYPES[fact.kind]}\n"
    # Keys that it does not know tell what it has no words for, so that nothing is lost on the way back.
    head += f"kind: {fact.kind}\n" if fact.kind != _TYPES[fact.kind] else ""
    head += f"due: {fact.due.isoformat()}\n" if fact.due else ""
    head += f"pinned: {str(fact.pinned).lower()}\n" if fact.pinned != (fact.kind in PINNED_KINDS) else ""
    head += "locked: true\n" if fact.locked else ""
    related = [other for other in fact.related if other in known]
    head += f"related: {json.dumps(related)}\n" if related else ""
    head += f"scope: {fact.scope}\n"
    head += "body: same\n" if fact.body == fact.summary else ""
    head += f"project: {json.dumps(title(fact.scope), ensure_ascii=False)}\n" if fact.scope != USER else ""
    return f"---\n{head}modified: {fact.updated_at:%Y-%m-%dT%H:%M:%SZ}\n---\n\n{body}\n"
