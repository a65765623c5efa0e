"""Keys of services: where one comes from, and the system's keyring, which keeps what was typed once.

The package `keyring` is imported when a key of it is asked for, and is an extra: it brings a good deal along.
"""

from __future__ import annotations

import os
from typing import Any

from sessions.errors import ProviderError
from sessions.providers.service import Service, key_variable
from sessions.settings import Profile

KEEPER = "memagent-tui"
"""Under this name the keys lie in the keyring, each under that of its profile."""
_INSTEAD = "put the key into an environment variable and name it in api_key_env"


def key_of(profile: Profile) -> str | None:
    """The key of a profile: from the keyring, else from the named variable (for OpenAI's own address from
    `OPENAI_API_KEY`), else None. Reads the keyring, which may ask the person: not for the event loop. Raises
    ProviderError when the keyring cannot be used.
    """
    if profile.api_key == "keyring":
        return kept(profile.name)
    name = key_variable(profile)
    return (os.environ.get(name, "").strip() if name else "") or None


def kept(name: str) -> str | None:
    """The key that the keyring has for a profile. Raises ProviderError."""
    key = _asked("get_password", name)
    return key.strip() or None if isinstance(key, str) else None


def keep(name: str, key: str) -> None:
    """Put a key into the keyring, in the place of the one before. Raises ProviderError."""
    _asked("set_password", name, key)


def drop(name: str) -> bool:
    """Take a key out of the keyring; whether there was one. Raises ProviderError."""
    if kept(name) is None:
        return False
    _asked("delete_password", name)
    return True


def usable() -> str:
    """Why the keyring cannot be used here; empty when it can."""
    try:
        _asked("get_password", "")
    except ProviderError as e:
        return str(e)
    return ""


def with_key(profile: Profile) -> Service:
    """The profile's service with its key. Raises ProviderError as of `key_of`."""
    return Service(profile, key_of(profile))


def _asked(what: str, *words: str) -> Any:
    try:
        import keyring
    except ImportError:
        advice = f"python3 -m pip install 'memagent-tui[keyring]', or {_INSTEAD}"
        raise ProviderError("The keyring needs one more package", advice) from None
    try:
        return getattr(keyring, what)(KEEPER, *words)
    except Exception as e:
        # Its text may hold what was to be kept.
        if type(e).__name__ in {"NoKeyringError", "InitError"}:
            why = "This machine has no keyring that can be used"
        elif type(e).__name__ == "KeyringLocked":
            why = "The keyring is locked, and was not opened"
        else:
            why = f"The keyring failed ({type(e).__name__})"
    raise ProviderError(why, _INSTEAD[0].upper() + _INSTEAD[1:])
