"""Text from anywhere, made safe to draw. Needs nothing but the standard library, so that the command line has it too.

Whatever a model, a tool or a file wrote goes through here before it reaches a terminal: no control sequence survives,
and nothing is hidden by a character that cannot be seen.
"""

from __future__ import annotations

import re

# C0 but tab and newline, DEL, C1, bidi embeddings, overrides, isolates and marks, line and paragraph separators,
# zero-width space and no-break space, lone surrogates, tags, interlinear and other format characters.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]|\r(?!\n)")
_HELD = re.compile(f"(?!\r){UNSAFE.pattern}")
_KEPT = re.compile(
    "[\U00100000-\U00100008\U0010000b-\U0010001f\U0010007f-\U0010009f\U0010061c\U0010200b\U0010200e\U0010200f"
    "\U00102028-\U0010202e\U00102060-\U0010206f\U0010d800-\U0010dfff\U0010f000-\U0010f07f\U0010feff"
    "\U0010fff9-\U0010fffb]"
)
_PRIVATE = 0x100000
_TAGS, _TAGS_KEPT = 0xE0000, 0x10F000


def _mark(match: re.Match[str]) -> str:
    code = ord(match[0][0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"<{code:02X}>" if code <= 0xFF else f"<U+{code:04X}>"


def visible(text: str, *, tab: int = 4) -> str:
    """The text with every control, bidi and invisible character shown as a mark (`␛`, `<U+202E>`).

    Newlines stay, tabs become spaces, `\\r\\n` is a newline.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\t" in text:
        text = text.replace("\t", " " * tab)
    return UNSAFE.sub(_mark, text)


def without_controls(text: str) -> str:
    """What may go to a clipboard: the text as it is, its control characters and lone surrogates as marks."""
    return _CONTROL.sub(_mark, text)


def held(text: str) -> str:
    """The text for a field that measures characters itself: each unsafe one is a private character, one cell wide.

    `\\r` stays, being a line end in what is pasted. `released` gives the text back.
    """
    if text.isascii() and text.isprintable():
        return text
    return _HELD.sub(_hold, _KEPT.sub("\ufffd", text))


def released(text: str) -> str:
    """The text that was `held`."""
    return text if text.isascii() else _KEPT.sub(_release, text)


def _hold(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(code - _TAGS + _TAGS_KEPT if code >= _TAGS else code + _PRIVATE)


def _release(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(code - _TAGS_KEPT + _TAGS if _TAGS_KEPT <= code < _TAGS_KEPT + 0x80 else code - _PRIVATE)


def one_cell(text: str) -> str:
    """Each unsafe character, also a `held` one, as a mark of one cell; the number of characters stays."""
    return _KEPT.sub(_cell, UNSAFE.sub(_cell, text))


def _cell(match: re.Match[str]) -> str:
    code = ord(released(match[0]))
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
