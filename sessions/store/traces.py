"""Where words stand under a home, byte by byte: as written, escaped as in JSON or TOML, in other case or spacing."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sessions.store.inflected import inflected, stem

_SPACE = re.compile(r"\s+")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " "}
_RUN = re.compile(r"[A-Za-z0-9]{2,}")
_NEAR = 256
"""Bytes around a hit of one word that are looked at, besides those of the longest phrase in its longest form."""
_LARGE = 1 << 26
Bytes: TypeAlias = bytes | memoryview


def fold(text: str) -> str:
    """Case, spacing, accents and Unicode forms of no account."""
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in apart if not "\u0300" <= c <= "\u036f" and unicodedata.category(c) != "Cf")
        text = unicodedata.normalize("NFC", text)
    return _SPACE.sub(" ", text.casefold()).strip()


def unescaped(text: str) -> str:
    """The text with `\\u…`, `\\n`, `\\"` and the like as what they stand for."""
    out = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _PLAIN.get(m[2], m[2]), text)
    return (
        out.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if re.search("[\ud800-\udfff]", out) else out
    )


class Finder:
    """Finds phrases. `phrases` and `names` count as whole words (a name also beside no hyphen), `parts` anywhere,
    `words` also inflected."""

    def __init__(
        self,
        phrases: Iterable[str],
        names: Iterable[str] = (),
        parts: Iterable[str] = (),
        words: Iterable[str] = (),
    ) -> None:
        self.phrases = tuple(dict.fromkeys(p for p in phrases if fold(p)))
        self.names = tuple(dict.fromkeys(n for n in names if n))
        self.parts = tuple(dict.fromkeys(p for p in parts if fold(p)))
        self.words = tuple(dict.fromkeys(w for w in words if fold(w)))
        stems = [stem(w) for w in self.words]
        every = (*self.phrases, *self.names, *self.parts, *stems, *(fold(s) for s in stems))
        rules = [_whole(fold(p)) for p in self.phrases]
        rules += [rf"(?<![\w-]){re.escape(n)}(?![\w-])" for n in self.names]
        rules += [re.escape(fold(p)) for p in self.parts]
        rules += [inflected(fold(w)) for w in self.words]
        self._rule = re.compile("|".join(rules)) if rules else None
        self._anchor = re.compile(b"|".join(a for p in every for a in _anchors(p)), re.IGNORECASE) if every else None
        self._near = _NEAR + 8 * max((len(p) for p in every), default=0)

    def __bool__(self) -> bool:
        return self._rule is not None

    def in_text(self, text: str) -> bool:
        """Whether one of them stands in the text."""
        return self._rule is not None and self._rule.search(fold(text)) is not None

    def in_bytes(self, data: bytes) -> bool:
        """Whether one of them stands in the bytes, in whatever form."""
        return next(self._places(data), None) is not None

    def count(self, data: bytes) -> int:
        """In how many places of the bytes; what stands close together is one."""
        return sum(1 for _ in self._places(data))

    def _places(self, data: bytes) -> Iterator[int]:
        if self._anchor is None:
            return
        done = -1
        for hit in self._anchor.finditer(data):
            if hit.start() < done:
                continue
            end = hit.end() + self._near
            if self._here(bytes(data[max(0, hit.start() - self._near) : end])):
                yield hit.start()
                done = end

    def _here(self, data: bytes) -> bool:
        text = data.decode("utf-8", "replace")
        for _ in range(3):  # a TOML text inside a JSON text is escaped twice
            if self.in_text(text):
                return True
            if "\\" not in text:
                return False
            text = unescaped(text)
        return False


def _whole(folded: str) -> str:
    left = r"(?<!\w)" if _wordlike(folded[0]) else ""
    right = r"(?!\w)" if _wordlike(folded[-1]) else ""
    return left + re.escape(folded) + right


def _wordlike(char: str) -> bool:
    """Whether words of its script stand apart from each other."""
    return char.isalnum() and unicodedata.east_asian_width(char) not in "WF"


def _anchors(phrase: str) -> list[bytes]:
    """Bytes of which one is near wherever the phrase stands: its longest runs of plain letters, else its first one.

    A capital at the beginning may be written otherwise, so a long run counts from its second letter.
    """
    runs = sorted(set(_RUN.findall(phrase)), key=len, reverse=True)[:2]
    if runs:
        return [re.escape(run[len(run) > 3 :].encode()) for run in runs]
    first = next(c for c in phrase if not c.isspace())
    forms = {first, first.lower(), first.upper(), first.casefold()}
    out = [re.escape(form.encode()) for form in sorted(forms)]
    for form in sorted(forms):
        units = form.encode("utf-16-be")
        out.append(b"".join(rb"\\u%04x" % int.from_bytes(units[i : i + 2], "big") for i in range(0, len(units), 2)))
    return out


@dataclass(frozen=True, slots=True)
class Trace:
    """A file in which something still stands."""

    path: Path
    places: int


def traces(root: Path, finder: Finder, *, leave: Iterable[Path] = ()) -> list[Trace]:
    """The files under `root` in whose bytes or name one of the phrases stands, but for those in `leave`.

    What git keeps of the folder is not looked at: it is compressed, and the history of the folder is another copy.
    """
    left = set(leave)
    found = []
    for path in files_under(root):
        if path in left:
            continue
        places = _in_file(path, finder) + finder.in_text(path.name.replace(".", " "))
        if places:
            found.append(Trace(path, places))
    return found


def files_under(root: Path) -> Iterator[Path]:
    """All files under a folder but those of git, links not followed."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f != ".git")
        for name in sorted(names):
            yield Path(folder, name)


def _in_file(path: Path, finder: Finder) -> int:
    import mmap

    try:
        if path.is_symlink() or not path.is_file():
            return 0
        if path.stat().st_size < _LARGE:
            return finder.count(path.read_bytes())
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return finder.count(data)  # type: ignore[arg-type]
    except OSError:
        return 0
