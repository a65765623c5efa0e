"""Files compressed with Zstandard, as files to read from: unpacked piece by piece into one that has no name."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from sessions.errors import StoreError
from sessions.importers.plain import open_plain

_MODULES = ("compression.zstd", "backports.zstd")
"""Of Python from 3.14 on, and the same for those before."""
_PIECE = 1 << 20


def unpacked(path: Path, limit: int | None = None) -> BinaryIO:
    """The content of a file, or its first `limit` bytes and some; of one that is cut or damaged what can be had.

    Raises OSError when it cannot be opened, StoreError when nothing here can unpack it.
    """
    zstd = _module(path)
    with open_plain(path) as packed:
        out = cast(BinaryIO, tempfile.TemporaryFile())
        try:
            for piece in _pieces(zstd, packed):
                out.write(piece)
                if limit is not None and out.tell() >= limit:
                    break
            out.flush()
        except BaseException:
            out.close()
            raise
        return out


def _pieces(zstd: Any, packed: BinaryIO) -> Iterator[bytes]:
    unpacker, rest = zstd.ZstdDecompressor(), b""
    while rest or not unpacker.needs_input or (rest := packed.read(_PIECE)):
        try:
            yield unpacker.decompress(rest, _PIECE)
        except zstd.ZstdError:
            return
        rest = b""
        if unpacker.eof:
            # One file may hold several streams.
            rest = unpacker.unused_data
            unpacker = zstd.ZstdDecompressor()


def _module(path: Path) -> Any:
    for name in _MODULES:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise StoreError("A compressed session cannot be read", "Install memagent-tui[zstd]", path=path)
