"""What is left out of a file's text before a model gets it: private keys, passwords as files have them, other secrets.

Found on the text as it stands, and put together at the end, so that no mark is read as part of a secret again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessions.memory.secrets import find_secrets
from sessions.tools.workspace_values import MAYBE, SURE, Weight, is_code, is_value, looks_random, weight_of

_PART = 20_000
"""Characters that are looked through at once: how long that takes grows faster than the text."""
_FAR = 500
"""Characters of a line before and after a name that tell what stands there."""
_PRIVATE_KEY = re.compile(r"-----BEGIN[A-Z0-9 ]* PRIVATE KEY.*?(?:-----END[A-Z0-9 ]* PRIVATE KEY[^\n]*|\Z)", re.DOTALL)
_MARK = re.compile(r"\[a secret was left out: [^\]\n]{1,40}\]")
_PROGRAM = frozenset(
    "py pyi js mjs cjs ts mts tsx jsx vue go rs rb php java kt kts swift c h cc cpp hpp cs scala lua pl pm dart ex exs "
    "groovy gradle m mm r jl".split()
)
"""Ends of names of files in which what is not quoted is code."""
_COMMENT = re.compile(r"\s*(?:#|//|/?\*|--|<!--|;)")

_WORD = rf"(?:{SURE}|{MAYBE})"
_NAME = rf"[\w.$-]{{0,64}}?{_WORD}\d{{0,2}}"
_VALUE = r"(?P<open>\\?[\"'`])(?P<quoted>(?:\\.|[^\\\n])*?)(?P=open)"
_GIVEN = re.compile(
    rf"{_WORD}\d{{0,2}}(?![\w-])(?:\\?[\"'`\])*]){{0,3}}[?!]?(?:\[\d*\])?"
    r"(?P<sep>[ \t]*(?::[ \t]*[A-Za-z_][\w.\[\]|<>?, ]{0,40}=(?=[ \t]*[rbuf]?[\"'])|=>|[:!]?={1,3}|\?\?=|:(?!:)|"
    r"[ \t][A-Za-z]\w{0,20}[ \t]+=(?=[ \t]+[\"']))"
    r"(?:\*\*)?[ \t]*)",
    re.I,
)
"""A name for a password and what gives it a value; the rest of the name stands before."""
_QUOTED = re.compile(rf"[rbuf]{{0,2}}{_VALUE}", re.I)
_SHAPES = tuple(
    re.compile(shape, re.I | re.M)
    for shape in (
        # <password>…</password>
        rf"<(?:\w+:)?(?P<name>{_NAME})(?:\s[^<>]*)?>(?P<plain>[^<>\n]+)</",
        # name="password" value="…", name: DB_PASSWORD and value: … in the next line
        rf"\b(?:name|key)[\"']?\s*[=:]\s*[\"']?(?P<name>{_NAME})[\"']?[ \t]*(?:,|\n)?\s*[\"']?(?:value|default)"
        rf"[\"']?\s*[=:]\s*(?:{_VALUE}|(?P<plain>[^\s\"'<>]+))",
        rf"\b(?:name|key)=[\"'](?P<name>{_NAME})[\"'][^<>\n]{{0,80}}?>(?P<plain>[^<>\n]+)<",
        # define('DB_PASSWORD', '…')
        rf"\b(?:define|put|set\w*|add\w*|append|env|get\w*|config|header|with\w*)\(\s*[\"'](?P<name>{_NAME})[\"']\s*,\s*{_VALUE}",
        # #define PASSWORD "…", WITH PASSWORD '…', IDENTIFIED BY '…'
        rf"^\s*#\s*define[ \t]+(?P<name>{_NAME})[ \t]+{_VALUE}",
        r"\b(?:password|identified[ \t]+by)[ \t]+(?P<open>[\"'])(?P<quoted>[^\\\n\"']+)(?P=open)",
        rf"^\s*ENV[ \t]+(?P<name>{_NAME})[ \t]+(?![=\"'])(?P<plain>\S+)",
        rf"(?<!\S)--?(?P<name>{_NAME})[ \t]+(?![-=\"'])(?P<plain>\S+)",
        r"\blogin\s+\S+\s+(?P<name>password)\s+(?P<plain>\S+)",
        r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ \t=]*[\"']?[^\s:\"']+:(?P<plain>[^\s\"']+)",
        r"\bsshpass\s+-p\s*[\"']?(?P<plain>[^\s\"']+)",
        r"^\s*(?:requirepass|masterauth)\s+[\"']?(?P<plain>[^\s\"']+)",
    )
)
_ROW = re.compile(rf"^\s*\|(?:[^|\n]*\|)*?[^|\n]*?(?P<name>{_NAME})[*`]*\s*\|\s*`?(?P<plain>[^|\n`]+)", re.I | re.M)
_NEXT = re.compile(r"[>|][+-]?\d?[ \t]*\n[ \t]+(?P<plain>[^\n]+)")
_ANY_GIVEN = re.compile(r"[\w .'-]{1,60}?[:=][ \t]*")
_IN_ADDRESS = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")
_OF_WALLETS = re.compile(r"seed|mnemonic|recovery|wallet|phrase|backup", re.I)
_GLUED_END = re.compile(r"[\s;&\"'<>]|,(?=\w+=)")
_WORD_END = re.compile(r"(?=\s)|\Z")
_LINE_END = re.compile(r"[ \t]+#|[ \t]*$|[ \t]*\r")


def without_secrets(text: str, name: str = "") -> str:
    """The text of the file `name` with marks in the place of secrets, and as many lines as before."""
    code = name.rpartition(".")[2].lower() in _PROGRAM
    out, at = "", 0
    for key in _PRIVATE_KEY.finditer(text):
        out += _in_parts(text[at : key.start()], code) + _mark("private key", key[0])
        at = key.end()
    return out + _in_parts(text[at:], code)


def _in_parts(text: str, code: bool) -> str:
    parts: list[list[str]] = [[]]
    size = 0
    for line in text.split("\n"):
        if size > _PART:
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line) + 1
    return "\n".join(_left_out("\n".join(part), code) for part in parts)


def _left_out(text: str, code: bool) -> str:
    out, at = "", 0
    for start, end, kind in [*_merged(text, code), (len(text), len(text), "")]:
        out += _others(text, at, start, code)
        out += _mark(kind, text[start:end]) if kind else text[start:end]
        at = end
    return out


def _merged(text: str, code: bool) -> list[tuple[int, int, str]]:
    """Where passwords stand, in order, and with an empty kind marks that the text had before; none overlap."""
    found = [(*m.span(), "") for m in _MARK.finditer(text)]
    found += [(start, end, "password") for start, end in _passwords(text, code) if start < end]
    out: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(found):
        if out and start < out[-1][1]:
            first, last, before = out.pop()
            out.append((first, max(end, last), before or kind))
        else:
            out.append((start, end, kind))
    return out


def _others(text: str, begin: int, end: int, code: bool) -> str:
    """A part in which no password stands under a name, without what is a secret wherever it stands."""
    part = text[begin:end]
    out, at = "", 0
    for secret in find_secrets(part):
        if _is_none(secret.kind, text, begin + secret.start, begin + secret.end, code):
            continue
        out += part[at : secret.start] + _mark(secret.kind, part[secret.start : secret.end])
        at = secret.end
    return out + part[at:]


def _is_none(kind: str, text: str, start: int, end: int, code: bool) -> bool:
    """Whether what would be a secret in talk is none in a file."""
    match kind:
        case "password":
            return _is_plain(text, start, end, code)
        case "password in an address":
            found = _IN_ADDRESS.search(text, start, end)
            return found is not None and not is_value(found[1], "sure", quoted=True)
        case "recovery phrase":
            begin = _line_of(text, start)
            return code and not _OF_WALLETS.search(text, begin, _end_of(text, end))
    return False


def _is_plain(text: str, start: int, end: int, code: bool) -> bool:
    """Whether it is only a name for a password and what is none: a type, a placeholder, code."""
    for m in _GIVEN.finditer(text, start, _end_of(text, end)):
        if m.start() >= end:
            break
        in_code = code and not _in_comment(text, m.start())
        named = weight_of(_whole(text, m.start(), m.start("sep")))
        values = _value(text, m, "sure" if named and not in_code else "maybe", in_code)
        return not any(at < end for at, _ in values)
    if (given := _ANY_GIVEN.match(text, start, end)) is not None:
        return code and is_code(text[given.end() : _end_of(text, end)])
    words = text[start:end].split()
    return bool(weight_of(words[0])) and not is_value(words[-1].strip("\"'`,.;"), "sure", quoted=False)


def _passwords(text: str, code: bool) -> Iterator[tuple[int, int]]:
    """Where the values stand."""
    for m in _GIVEN.finditer(text):
        if weight := weight_of(_whole(text, m.start(), m.start("sep"))):
            yield from _value(text, m, weight, code and not _in_comment(text, m.start()))
    for shape in _SHAPES:
        for m in shape.finditer(text):
            groups = m.groupdict()
            name = groups.get("name")
            named: Weight = "sure" if name is None else weight_of(name)
            which = "quoted" if groups.get("quoted") is not None else "plain"
            if named and is_value(m[which], named, quoted=True):
                yield m.span(which)
    for m in _ROW.finditer(text):
        if weight_of(m["name"]) and looks_random(m["plain"].strip()):
            yield m.span("plain")


def _value(text: str, m: re.Match[str], weight: Weight, code: bool) -> Iterator[tuple[int, int]]:
    at, sep = m.end(), m["sep"]
    if quoted := _QUOTED.match(text, at):
        if is_value(quoted["quoted"], weight, quoted=True):
            yield quoted.span("quoted")
        return
    if block := _NEXT.match(text, at):
        if is_value(block["plain"], weight, quoted=True):
            yield block.span("plain")
        return
    line = text[at : min(_end_of(text, at), at + _FAR)]
    shell = sep == "="
    if not line.strip() or "==" in sep or (code and is_code(line)):
        return
    if shell and _whole(text, m.start(), m.start("sep")).isupper():
        weight = "sure"
    if m[0][:4].lower() == "pass" and not m[0][4:5].isalpha() and " " in text[_line_of(text, m.start()) : at].strip():
        weight = "maybe"  # a word of sentences, too
    found = _GLUED_END.search(line) if shell else _LINE_END.search(line)
    end = found.start() if found is not None else len(line)
    if line[:1] in "\"'`":
        end = len(line)
    if is_value(line if not shell else _judged(line, end), weight, quoted=False):
        yield at, _WORD_END.search(text, at + end).start() if end == _FAR else at + end  # type: ignore[union-attr]


def _judged(line: str, end: int) -> str:
    """What tells whether it is code: all of it where a bracket is open, else the value."""
    return line if line[end : end + 1] in {'"', "'", "<"} and end else line[:end]


def _whole(text: str, start: int, end: int) -> str:
    """The whole name of which the end is known."""
    first = start
    while first > 0 and start - first < 64 and (text[first - 1].isalnum() or text[first - 1] in "_-.$"):
        first -= 1
    return text[first:end].rstrip("\\\"'`])*?! \t[0123456789")


def _in_comment(text: str, at: int) -> bool:
    return _COMMENT.match(text, _line_of(text, at), at + 1) is not None


def _line_of(text: str, at: int) -> int:
    """Where the line begins, or what can be near of a long one."""
    near = max(0, at - _FAR)
    return max(near, text.rfind("\n", near, at) + 1)


def _end_of(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _mark(kind: str, gone: str) -> str:
    return f"[a secret was left out: {kind}]" + "\n" * gone.count("\n")
