"""Changes of the config file that keep its comments and order, each an atomic replacement of the file."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sessions.errors import StoreError
from sessions.settings import Profile
from sessions.store.atomic import write_atomic

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def change(path: Path, key: str, value: Any) -> None:
    """Set one key, making its tables as needed. Raises StoreError for a file that cannot be read or written."""
    parts = _parts(key)

    def apply(document: TOMLDocument) -> None:
        table = _table(document, parts[:-1], path)
        _put(table, parts[-1], list(value) if isinstance(value, tuple) else value)

    _edit(path, apply)


def remove(path: Path, key: str) -> None:
    """Take one key out; nothing happens when it is not there."""
    parts = _parts(key)

    def apply(document: TOMLDocument) -> None:
        table: Any = document
        for part in parts[:-1]:
            table = table.get(part) if hasattr(table, "get") else None
        if hasattr(table, "get") and parts[-1] in table:
            del table[parts[-1]]

    _edit(path, apply)


def profile(path: Path, made: Profile) -> None:
    """Set the table of a profile to what differs from the defaults; its other keys and comments stay."""
    standard = Profile(made.name)

    def apply(document: TOMLDocument) -> None:
        table = _table(document, ["profiles", made.name], path)
        for field in dataclasses.fields(Profile):
            if field.name == "name":
                continue
            value = getattr(made, field.name)
            if value is not None and (value != getattr(standard, field.name) or field.name in {"type", "base_url"}):
                _put(table, field.name, value)
            elif field.name in table:
                del table[field.name]

    _edit(path, apply)


def server(path: Path, name: str, table: Mapping[str, Any]) -> None:
    """Add `[mcp.servers.NAME]`."""

    def apply(document: TOMLDocument) -> None:
        import tomlkit

        made = _table(document, ["mcp", "servers", name], path)
        for key, value in table.items():
            inline = tomlkit.inline_table()
            inline.update(value if isinstance(value, dict) else {})
            _put(made, key, inline if isinstance(value, dict) else value)

    _edit(path, apply)


def _parts(key: str) -> list[str]:
    """The names of a key; a profile or server may have dots in its own."""
    parts = key.split(".")
    head = {"profiles": 1, "mcp": 2, "keys": 1}.get(parts[0], 1)
    if parts[0] == "keys":
        return ["keys", ".".join(parts[1:])]
    middle = ".".join(parts[head:-1])
    return [*parts[:head], *([middle] if middle else []), parts[-1]]


def _table(document: TOMLDocument, names: Sequence[str], path: Path) -> Any:
    import tomlkit

    table: Any = document
    for depth, name in enumerate(names):
        if name not in table:
            # The outer of two new tables gets no header of its own: [profiles.qwen], without [profiles].
            table[name] = tomlkit.table(is_super_table=depth < len(names) - 1)
        table = table[name]
        if not hasattr(table, "keys"):
            raise StoreError(f"The settings cannot be changed: {name} is not a table", "Mend the line first", path=path)
    return table


def _put(table: Any, name: str, value: Any) -> None:
    """Set a key; a new one stands after the last, before the comment that belongs to what follows the table."""
    body = getattr(getattr(table, "value", None), "body", None)
    if name in table or body is None:
        table[name] = value
        return
    tail = len(body)
    while tail and body[tail - 1][0] is None:
        tail -= 1
    while tail < len(body) and body[tail][1].as_string().strip():
        tail += 1  # a comment right below the last key belongs to the table
    rest = [item for _, item in body[tail:]]
    del body[tail:]
    table[name] = value
    for item in rest:
        table.add(item)


def _edit(path: Path, apply: Callable[[TOMLDocument], None]) -> None:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    target = path.resolve()  # a link into a folder of dot-files stays a link
    try:
        source = target.read_bytes().decode("utf-8-sig") if target.exists() else ""
        document = tomlkit.parse(source)
        apply(document)
        text = tomlkit.dumps(document)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if text != source:
            write_atomic(target, text.encode())
    except UnicodeDecodeError as e:
        raise StoreError("The settings cannot be changed: not UTF-8", "Mend the file first", path=path) from e
    except TOMLKitError as e:
        line = getattr(e, "line", None)
        raise StoreError(f"The settings cannot be changed: {e}", "Mend the line first", path=path, line=line) from e
    except OSError as e:
        raise StoreError(f"The settings cannot be changed: {e.strerror or e}", path=path) from e
