"""Names of tools as chat services allow them: letters, digits, `_` and `-`, at most 64; ours may have dots, too."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64
_MARK = 8


class Names:
    """`notes.create_page` is sent as `notes__create_page`; no two are sent alike. The model may use either."""

    def __init__(self, offered: Iterable[str], said: Iterable[str] = ()) -> None:
        """`offered` can be called now, `said` were called earlier."""
        tools = list(dict.fromkeys(offered))
        names = list(dict.fromkeys([*tools, *said]))
        plain = [name for name in names if 0 < len(name) <= _LONGEST and not _NOT_IN_NAMES.search(name)]
        self._sent = dict(zip(plain, plain, strict=True))
        taken = set(plain)
        for name in names:
            if name not in self._sent:
                self._sent[name] = _fit(name, taken)
                taken.add(self._sent[name])
        self._meant = {self._sent[name]: name for name in tools}

    def sent(self, name: str) -> str:
        return self._sent[name] if name in self._sent else _fit(name, ())

    def meant(self, name: str) -> str:
        """The tool that the model means by what it wrote."""
        return self._meant.get(name, name)


def _fit(name: str, taken: Iterable[str]) -> str:
    """Ends in a mark made of the whole name where it would be too long, or another's."""
    short = _NOT_IN_NAMES.sub("_", name.replace(".", "__")) or "unknown"
    if len(short) <= _LONGEST and short not in taken:
        return short
    mark = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:_MARK]
    return f"{short[: _LONGEST - _MARK - 1]}_{mark}"
