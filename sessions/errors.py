"""What can go wrong, said so that a person can act on it."""

from __future__ import annotations

from pathlib import Path


class MemagentError(Exception):
    """A failure with a sentence for the person and, where there is one, what to do about it."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message}. {self.advice}" if self.advice else self.message


class UsageError(MemagentError):
    """The call itself is wrong: an unknown id, a value out of range. Exit code 2 on the command line."""


class DamagedError(MemagentError):
    """A file that the person named is what they said, and so damaged that nothing of it can be read."""


class StoreError(MemagentError):
    """A file under the home could not be read or written; names the file and, if known, its line."""

    def __init__(self, message: str, advice: str = "", *, path: Path | None = None, line: int | None = None) -> None:
        where = f" ({path}{f', line {line}' if line else ''})" if path else ""
        super().__init__(message + where, advice)
        self.path = path
        self.line = line


class LockedError(StoreError):
    """Another program holds the session or the store for longer than we wait."""


class FactError(MemagentError):
    """A fact that may not be written as asked; the text says which field and why."""


class ProviderError(MemagentError):
    """A model service failed. `retryable` says whether the same request may succeed later."""

    def __init__(
        self,
        message: str,
        advice: str = "",
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after_s: float | None = None,
        too_long: bool = False,
        no_tools: bool = False,
    ) -> None:
        super().__init__(message, advice)
        self.status = status
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.too_long = too_long
        self.no_tools = no_tools
        """The model takes no request that offers tools."""
