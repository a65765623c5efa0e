"""What a person is shown of an MCP server that a file of a folder names, before they agree to it."""

from __future__ import annotations

import re
import shlex

from sessions.address import HIDDEN, shown
from sessions.memory.secrets import find_secrets
from sessions.tools.mcp_config import VARIABLE, ServerConfig

_LOADING = re.compile(
    r"(?:LD|DYLD)_\w+|GCONV_PATH|PYTHON(?:PATH|HOME|STARTUP|USERBASE)|NODE_(?:OPTIONS|PATH)|PATH|BASH_ENV|ENV|ZDOTDIR|"
    r"SHELLOPTS|PERL5(?:LIB|OPT|DB)|PERLLIB|RUBY(?:LIB|OPT)|(?:_|JDK_|CORECLR_|DOTNET_)?JAVA\w*_OPTIONS|CLASSPATH|"
    r"DOTNET_STARTUP_HOOKS|GIT_SSH(?:_COMMAND)?|GIT_CONFIG\w*|LUA_(?:INIT|PATH|CPATH)|PHPRC",
    re.I,
)
_FOR_KEYS = re.compile(
    r"--?(?:\w+-)*(?:token|secret|pass(?:word|wd)?|(?:api|access|secret)-?key|auth|credentials?)", re.I
)


def address_of(config: ServerConfig) -> str:
    """The address as the file has it, with a sign in the place of what is, or may be, a secret."""
    base, mark, query = shown(config.url).partition("?")
    return _hidden(base, "") + mark + query


def program_of(config: ServerConfig) -> str:
    """What runs, for one who knows it: without the addresses' passwords and the values of arguments for keys. What a
    file of a folder wants to run is shown whole instead."""
    out, named = [], False
    for part in [config.command, *config.args]:
        name, equals, value = part.partition("=")
        if named and not part.startswith("-"):
            text = _hidden_value(part)
        elif equals and _is_for_keys(name) and name.startswith("-"):
            text = f"{name}={_hidden_value(value)}"
        else:
            text = _hidden(shown(part) if "://" in part else part, name if equals else "")
        named = part.startswith("-") and not equals and _is_for_keys(part)
        out.append(text)
    return " ".join(text if HIDDEN in text else shlex.quote(text) for text in out)


def given_to(config: ServerConfig) -> list[str]:
    """Every variable and header as `NAME=VALUE`. What changes how programs are loaded is never hidden."""
    pairs = [*config.env.items(), *config.headers.items()]
    return [f"{n}={v}" if loads(n) else _hidden(f"{n}={v}", n) for n, v in pairs]


def taken_by(config: ServerConfig) -> list[str]:
    """The names of what it reads of the person's environment, in the order of the file."""
    texts = [config.command, *config.args, *config.env.values(), config.url, *config.headers.values()]
    return list(dict.fromkeys(found[1] for text in texts for found in VARIABLE.finditer(text)))


def loads(name: str) -> bool:
    """Whether a variable of this name decides what code a program loads."""
    return _LOADING.fullmatch(name) is not None


def warnings_of(config: ServerConfig) -> list[str]:
    """What a person has to know before they say yes."""
    out = []
    if taken := taken_by(config):
        whom = f"sends it to {config.service.host}" if config.url else "gives it to the program"
        out.append(f"It takes {', '.join(taken)} from your environment and {whom}.")
    if odd := [name for name in config.env if loads(name)]:
        change = "changes" if len(odd) == 1 else "change"
        out.append(f"{', '.join(odd)} {change} what code is loaded when programs start: it may be other code.")
    return out


def _is_for_keys(name: str) -> bool:
    return _FOR_KEYS.fullmatch(name.replace("_", "-")) is not None


def _hidden_value(value: str) -> str:
    return value if not VARIABLE.sub("", value) else HIDDEN


def _hidden(text: str, name: str) -> str:
    """The text without what looks like a secret; the name before `=` and the names of variables stay."""
    out, at = "", 0
    for found in [*VARIABLE.finditer(text), None]:
        end = found.start() if found is not None else len(text)
        part = text[at:end]
        if find_secrets(part):
            part = f"{name}={HIDDEN}" if name and not out else HIDDEN
        out += part
        if found is not None:
            out, at = out + found[0], found.end()
    return out
