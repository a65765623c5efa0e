"""Words inside a block: emphasis, code, links, as runs that know their source.

markdown-it gives inline tokens without positions. They come in the order of the text, so a cursor walks along and
finds each one; what it cannot place shows its span as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.chat.runs import Line, safe, words

if TYPE_CHECKING:
    from markdown_it.token import Token

_URL = re.compile(r"https?://[^\s<>\"'`|]+[^\s<>\"'`|.,;:!?)\]}]", re.IGNORECASE)
_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


def opens(href: str) -> bool:
    """Only web pages and mail addresses may be opened."""
    return bool(_LINK.match(href)) and href.isprintable()


class Inline:
    """Walks the tokens of one inline block.

    `source` is the whole text, `content` the block's own, `at` maps an index of `content` to one of `source`.
    """

    def __init__(self, source: str, content: str, at: Callable[[int], int], ink: str) -> None:
        self._source, self._content, self._at = source, content, at
        self._ink = ink
        self._cursor = 0
        self._bold = self._italic = self._struck = 0
        self._links: list[str] = []

    def lines(self, tokens: list[Token], skip: int = 0) -> list[Line]:
        """The block's lines as they were written; a line break in the source is one on the screen."""
        self._cursor = 0
        out: list[Line] = [[]]
        for token in tokens:
            match token.type:
                case "softbreak" | "hardbreak":
                    self._cursor = self._content.find("\n", self._cursor) + 1 or self._cursor
                    self._spaces()
                    out.append([])
                case "text":
                    out[-1] += self._text(token.content, skip)
                case "text_special":
                    out[-1] += self._whole(token.content, token.markup)
                case "code_inline":
                    out[-1] += self._code(token)
                case "image":
                    out[-1] += self._image(token)
                case "link_open" | "link_close":
                    out[-1] += self._link(token)
                case _:
                    self._nest(token)
        return out

    def _spaces(self) -> None:
        while self._content.startswith(" ", self._cursor):
            self._cursor += 1

    def _style(self) -> str:
        link = bool(self._links) and opens(self._links[-1])
        name, _, flags = self._ink.partition("+")
        if self._bold and "b" not in flags:
            flags += "b"
        if self._italic and "i" not in flags:
            flags += "i"
        if link:
            flags += "u"
        name = "accent" if link else "muted" if self._struck else name
        return f"{name}+{flags}" if flags else name

    def _target(self) -> str:
        return f"link:{self._links[-1]}" if self._links and opens(self._links[-1]) else ""

    def _place(self, text: str) -> int:
        """Where a text stands from the cursor on; -1 if it does not."""
        if self._content.startswith(text, self._cursor):
            return self._cursor
        return self._content.find(text, self._cursor)

    def _runs(self, start: int, end: int, ink: str, target: str) -> Line:
        a, b = self._at(start), self._at(end - 1) + 1 if end > start else self._at(start)
        if b - a == end - start:
            return safe(self._source, a, b, ink, target)
        return [words(self._content[start:end], ink)._replace(start=a, end=b, target=target)]

    def _text(self, text: str, skip: int) -> Line:
        if not text:
            return []
        start = self._place(text)
        if start < 0:
            return [words(text, self._style())]
        end = self._cursor = start + len(text)
        start = max(start, min(skip, end))
        ink, target = self._style(), self._target()
        if self._links or "://" not in text:
            return self._runs(start, end, ink, target)
        out: Line = []
        for url in _URL.finditer(self._content, start, end):
            out += self._runs(start, url.start(), ink, "") if url.start() > start else []
            self._links.append(url[0])
            out += self._runs(url.start(), url.end(), self._style(), self._target())
            self._links.pop()
            start = url.end()
        return out + (self._runs(start, end, ink, "") if end > start else [])

    def _whole(self, shown: str, markup: str) -> Line:
        start = self._place(markup)
        if start < 0:
            return [words(shown, self._style())]
        self._cursor = start + len(markup)
        run = words(shown, self._style(), self._target())
        return [run._replace(start=self._at(start), end=self._at(self._cursor - 1) + 1)]

    def _code(self, token: Token) -> Line:
        ticks = token.markup
        start = self._content.find(ticks, self._cursor)
        if start < 0:
            return [words(token.content, "fg@raised")]
        inner = start + len(ticks)
        closing = re.compile(rf"(?<!`){ticks}(?!`)").search(self._content, inner)
        close = closing.start() if closing else inner + len(token.content)
        self._cursor = close + len(ticks)
        if close - inner == len(token.content) + 2:
            inner, close = inner + 1, close - 1
        name = "accent+u" if self._target() else "fg"
        return self._runs(inner, close, f"{name}@raised", self._target())

    def _image(self, token: Token) -> Line:
        start = max(self._cursor, self._content.find("![", self._cursor))
        self._cursor = start + 2 + len(token.content)
        self._skip_target()
        href = str(token.attrs.get("src", ""))
        run = words(token.content or "image", "accent+u" if opens(href) else self._style())
        run = run._replace(start=self._at(start), end=self._at(self._cursor - 1) + 1)
        return [run._replace(target=f"link:{href}")] if opens(href) else [run, words(f" ({href})", "muted")]

    def _link(self, token: Token) -> Line:
        auto = token.markup == "autolink"
        if token.type == "link_open":
            self._cursor = self._content.find("<" if auto else "[", self._cursor) + 1 or self._cursor
            self._links.append(str(token.attrs.get("href", "")))
            return []
        href = self._links.pop() if self._links else ""
        start = self._cursor
        if auto:
            self._cursor += 1
            return []
        self._skip_target()
        if opens(href):
            return []
        # What is no link shows where it points, so that nothing hides behind its words.
        run = words(f" ({href})", "muted")
        return [run._replace(start=self._at(start), end=self._at(max(start, self._cursor - 1)) + 1)]

    def _skip_target(self) -> None:
        """Move behind `](target "title")`."""
        text = self._content
        at = text.find("](", self._cursor)
        if at < 0:
            return
        depth, quote, at = 1, "", at + 2
        while at < len(text) and depth:
            char = text[at]
            if char == "\\":
                at += 1
            elif quote:
                quote = "" if char == quote else quote
            elif char == "<":
                quote = ">"
            elif char in "\"'" and text[at - 1] in " \n":
                quote = char
            else:
                depth += (char == "(") - (char == ")")
            at += 1
        self._cursor = min(at, len(text))

    def _nest(self, token: Token) -> None:
        if token.markup and self._content.startswith(token.markup, self._cursor):
            self._cursor += len(token.markup)
        match token.type:
            case "strong_open" | "strong_close":
                self._bold += token.nesting
            case "em_open" | "em_close":
                self._italic += token.nesting
            case "s_open" | "s_close":
                self._struck += token.nesting
            case _:
                pass
