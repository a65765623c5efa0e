"""A keyring in a file, for tests: set `PYTHON_KEYRING_BACKEND` to `PLACE`, and `TEST_KEYRING` to a path."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

PLACE = "tests.servers.keyring_file.FileKeyring"


class FileKeyring(KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def _all(self) -> dict[str, str]:
        path = Path(os.environ["TEST_KEYRING"])
        return json.loads(path.read_text()) if path.exists() else {}

    def _write(self, all_: dict[str, str]) -> None:
        Path(os.environ["TEST_KEYRING"]).write_text(json.dumps(all_))

    def get_password(self, service: str, username: str) -> str | None:
        return self._all().get(f"{service}/{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write(self._all() | {f"{service}/{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        rest = self._all()
        if f"{service}/{username}" not in rest:
            raise PasswordDeleteError
        del rest[f"{service}/{username}"]
        self._write(rest)
