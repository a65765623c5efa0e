"""What the terminal sends: Textual's driver, but that nothing pasted is ever taken for keys, and no byte ends it."""

from __future__ import annotations

import os
import selectors
from codecs import getincrementaldecoder
from collections.abc import Generator, Iterable
from contextlib import suppress
from typing import IO, Any

from textual import events
from textual._parser import ParseError
from textual._time import get_time
from textual._xterm_parser import BRACKETED_PASTE_END, BRACKETED_PASTE_START, XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

_WAIT_S = 0.1
"""How often it is seen that the program ends."""
_AT_ONCE = 4096


class PasteParser(XTermParser):
    """Textual's parser looks for key sequences inside of a paste too, and would press what it does not know."""

    _pasted: str | None = None
    """What came of the paste that has begun; None outside of one."""
    _seen = ""
    """The last characters before, as the mark may come in two reads."""

    def feed(self, data: str) -> Iterable[Message]:
        if not data:
            yield from super().feed(data)
        while data:
            data = (yield from self._keys(data)) if self._pasted is None else (yield from self._paste(data))

    def wait_s(self) -> float:
        """How long to wait for more before `tick` is due."""
        due = self._timeout_time
        return _WAIT_S if due is None else max(0.0, min(_WAIT_S, due - get_time()))

    def _keys(self, data: str) -> Generator[Message, None, str]:
        """Handle what stands before a paste; gives what is left."""
        before = len(self._seen)
        text = self._seen + data
        at = text.find(BRACKETED_PASTE_START)
        end = len(data) if at < 0 else at + len(BRACKETED_PASTE_START) - before
        yield from super().feed(data[:end])
        self._seen = text[1 - len(BRACKETED_PASTE_START) :] if at < 0 else ""
        self._pasted = None if at < 0 else ""
        return data[end:]

    def _paste(self, data: str) -> Generator[Message, None, str]:
        """Collect a paste, and tell it when it is whole; gives what is left."""
        assert self._pasted is not None
        start = max(0, len(self._pasted) - len(BRACKETED_PASTE_END))
        self._pasted += data
        at = self._pasted.find(BRACKETED_PASTE_END, start)
        if at < 0:
            return ""
        pasted, rest = self._pasted[:at], self._pasted[at + len(BRACKETED_PASTE_END) :]
        self._pasted = None
        # The parser has seen the beginning of a paste, and sees its end: to it, it was empty.
        for message in super().feed(BRACKETED_PASTE_END):
            if not isinstance(message, events.Paste):
                yield message
        yield events.Paste(pasted.replace("\x00", ""))
        return rest


class HungUp(Message):
    """The terminal has gone: its window was closed, its line was cut."""


class _Output:
    """What is written after the terminal has gone is lost without a word; else the program would wait for ever."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class TerminalDriver(LinuxDriver):
    """Reads keys, the mouse and pastes."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._file: Any = _Output(self._file)

    def run_input_thread(self) -> None:
        """Read until the program ends; bytes that are no UTF-8 become a mark instead of an error."""
        parser = PasteParser(self._debug)
        decode = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(parser.wait_s()):
                    data = self._read()
                    if not data:
                        self._app.post_message(HungUp())
                        self.exit_event.wait()
                        break
                    for message in parser.feed(decode(data)):
                        self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)
        with suppress(EOFError, ParseError):
            for _ in parser.feed(""):
                pass

    def _read(self) -> bytes:
        """What came; nothing when the terminal has gone, which some systems say by an error."""
        try:
            return os.read(self.fileno, _AT_ONCE)
        except OSError:
            return b""
