"""The command line: parses, and calls the one module that does the work. Nothing heavy is imported to parse."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

PROGRAM = "memagent-tui"
_JSON = "one JSON value instead of text"
_KINDS = "preference, contact, open-thread, user, self, feedback, project, reference"
_YES = "do not ask; a script must say so"
_NOT_ASKED = "taken, for scripts; nothing is asked"


class _Parser(argparse.ArgumentParser):
    """Errors in the house's words: one line on stderr, exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help\n")


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The parsed call; `command` is None for the workbench, else `ask`, `sessions`, `facts` … with `do`."""
    words = sys.argv[1:] if argv is None else argv
    args = build(words).parse_args(words)
    args.home = getattr(args, "home", None)
    return args


def build(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The grammar as far as the words of a call need it: the workbench opens without that of the commands."""
    parser = _Parser(
        prog=PROGRAM,
        description="A workbench for an agent that remembers. Without a command it opens the screen.",
        epilog="N is a fact's name or number. Results go to stdout, all else to stderr. "
        "Exit codes: 0 done, 1 failed, 2 usage, 130 interrupted.",
    )
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    _start_options(parser, sub=False)
    start = parser.add_mutually_exclusive_group()
    start.add_argument("--new", action="store_true", help="start a new session (the default)")
    start.add_argument("--continue", dest="resume_newest", action="store_true", help="take up the newest session")
    start.add_argument("--resume", metavar="ID", help="take up this session: its id, or its beginning")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, text, fill in (
        ("ask", "one turn without a screen", _ask),
        ("sessions", "list, show, search, name, export, delete and erase past sessions", _sessions),
        ("facts", "list, show, add, change, forget, export and erase facts", _facts),
        ("import", "take over the sessions and memories of other agents on this machine", _import),
        ("review", "accept, edit or reject what waits to be remembered, key by key", _json),
        ("context", "the facts that are always sent and the contents, as text for hooks", _context),
        ("mcp", "the memory as an MCP server for other agents, over stdin and stdout", _mcp),
        ("connect", "register the memory with another agent on this machine, or take that back", _connect),
        ("config", "show and change the settings", _config),
        ("doctor", "check settings, model, files, index, agents and MCP servers: what is well, what to do", _json),
        ("index", "the full-text index", _index),
    ):
        command = _command(commands, name, text)
        if words is None or name in words:
            fill(command)
    return parser


_Sub = argparse._SubParsersAction  # the type has no public name


def _command(commands: _Sub[_Parser], name: str, text: str) -> _Parser:
    parser = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
    parser.add_argument("--home", metavar="DIR", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    return parser


def _start_options(parser: argparse.ArgumentParser, *, sub: bool) -> None:
    nothing = argparse.SUPPRESS if sub else None
    if not sub:
        parser.add_argument("--home", metavar="DIR", help="where everything is kept (else $MEMAGENT_HOME)")
    parser.add_argument("--profile", metavar="P", default=nothing, help="a profile of the settings")
    parser.add_argument("--model", metavar="M", default=nothing, help="a model of that profile's service")
    parser.add_argument("--memory", choices=["on", "read-only", "off"], default=nothing, help="how to treat memory")
    parser.add_argument(
        "--private", action="store_true", default=nothing if sub else False, help="nothing of the session is kept"
    )


def _ask(ask: _Parser) -> None:
    ask.add_argument("text", nargs="?", metavar="TEXT", help="what to ask; - or nothing reads stdin")
    ask.add_argument("--json", action="store_true", help="print the events, one JSON object a line")
    where = ask.add_mutually_exclusive_group()
    where.add_argument("--session", metavar="ID", help="go on with this session")
    where.add_argument("--continue", dest="resume_newest", action="store_true", help="go on with the newest session")
    ask.add_argument("--fork", action="store_true", help="go on in a copy of that session")
    ask.add_argument(
        "--allow",
        action="append",
        metavar="TOOL",
        help="let a tool change things unasked: server.tool, or server.tool:argument=pattern",
    )
    _start_options(ask, sub=True)


def _sessions(sessions: _Parser) -> None:
    does = sessions.add_subparsers(dest="do", metavar="WHAT", required=True)
    listing = _command(does, "list", "all sessions, newest first")
    listing.add_argument("--archived", action="store_true", help="the archived ones too")
    listing.add_argument("--trash", action="store_true", help="what is in the trash instead")
    listing.add_argument("--limit", type=_positive, metavar="N", help="at most so many")
    show = _command(does, "show", "one session: its messages, or its record with --json")
    search = _command(does, "search", "passages in all sessions")
    search.add_argument(
        "query",
        nargs="+",
        metavar="QUERY",
        help='words, "phrases", "last march", yesterday, after: before: tool: folder: from:claude-code',
    )
    search.add_argument("--after", metavar="DATE", help="only from this day on, as in 2026-11-29")
    search.add_argument("--before", metavar="DATE", help="only before this day")
    search.add_argument("--limit", type=_positive, default=10, metavar="N")
    search.add_argument("--by-date", action="store_true", help="the newest first, not the best")
    search.add_argument("--trash", action="store_true", help="in the trash instead")
    rename = _command(does, "rename", "give a session another title")
    recap = _command(does, "recap", "a model writes the recap, and the title unless you gave one")
    pin = _command(does, "pin", "pin a session, or --off")
    share = _command(does, "share", "let models elsewhere see what was told in it to one on this machine, or --off")
    archive = _command(does, "archive", "put a session out of sight, or --off")
    fork = _command(does, "fork", "a copy of a session, to go on in")
    delete = _command(does, "delete", "move a session to the trash")
    restore = _command(does, "restore", "bring a session back from the trash")
    clear = _command(does, "clear", "begin a session's context anew; nothing of it is deleted")
    export = _command(does, "export", "a session as a document, or as its log's lines")
    export.add_argument("--format", choices=["md", "jsonl"], default="md", help="md, unless told otherwise")
    erase = _command(does, "erase", "erase a session, or one message of it, for good")
    erase.add_argument("--message", metavar="M", help="only the message of this id")
    erase.add_argument("--facts", action="store_true", help="the facts that were learned in it too")
    erase.add_argument("--also", action="store_true", help="with --facts: as facts erase --also")
    fork.add_argument("--upto", metavar="MESSAGE", help="only to the end of the turn of this message's id")
    for parser in (show, recap, rename, pin, share, archive, fork, delete, restore, clear, export, erase):
        parser.add_argument("id", metavar="ID", help="a session's id, or its beginning")
    rename.add_argument("title", nargs="+", metavar="TITLE")
    erase.add_argument("--yes", action="store_true", help=_YES)
    for parser in (delete, restore, clear):
        parser.add_argument("--yes", action="store_true", help=_NOT_ASKED)
    for parser in (pin, share, archive):
        parser.add_argument("--off", action="store_true", help="the other way round")
    for parser in (listing, show, search, recap, rename, pin, share, archive, fork, delete, restore, clear, erase):
        parser.add_argument("--json", action="store_true", help=_JSON)


def _facts(facts: _Parser) -> None:
    does = facts.add_subparsers(dest="do", metavar="WHAT", required=True)
    listing = _command(does, "list", "all facts")
    listing.add_argument("--kind", metavar="KIND", help="only of this kind: " + _KINDS)
    listing.add_argument("--proposed", action="store_true", help="what waits for review instead")
    show = _command(does, "show", "one fact")
    add = _command(does, "add", "add a fact")
    edit = _command(does, "edit", "change fields of a fact")
    forget = _command(does, "forget", "forget a fact; an undo brings it back")
    pin = _command(does, "pin", "always send a fact, or --off")
    lock = _command(does, "lock", "lock a fact against changes by the agent, or --off")
    close = _command(does, "close", "close an open thread; an undo opens it again")
    accept = _command(does, "accept", "say yes to what waits under this number")
    reject = _command(does, "reject", "say no to what waits under this number")
    search = _command(does, "search", "the best matching facts")
    history = _command(does, "history", "every version of a fact")
    history.add_argument("--diff", action="store_true", help="with what each version changed")
    undo = _command(does, "undo", "take back the last change, of fact N when given")
    reflect = _command(does, "reflect", "let the model look for facts that are stale, double or done; you decide")
    tidy = _command(does, "defragment", "let the model merge and shorten facts; you decide")
    for parser in (show, edit, forget, pin, lock, close, history):
        parser.add_argument("fact", metavar="N", help="name or number")
    for parser in (accept, reject):
        parser.add_argument("fact", metavar="N", help="number")
    undo.add_argument("fact", metavar="N", nargs="?", help="name or number")
    search.add_argument("query", nargs="+", metavar="QUERY")
    search.add_argument("--limit", type=_positive, default=10, metavar="N")
    add.add_argument("text", nargs="?", metavar="SUMMARY", help="the same as --summary")
    for parser in (add, edit):
        parser.add_argument("--name", help="a-z, 0-9 and -, at most 64")
        parser.add_argument("--kind", help=_KINDS)
        parser.add_argument("--summary", help="the fact in one line, at most 120 characters")
        parser.add_argument("--body", help="more about it; - reads stdin")
        parser.add_argument("--scope", help="user, or project for the folder you are in")
        parser.add_argument("--pinned", choices=["yes", "no"], help="whether it is always sent")
        parser.add_argument("--share", choices=["any", "local"], help="local: only models on this machine see it")
        parser.add_argument("--due", metavar="DATE", help="of an open thread, as in 2026-12-04; none takes it away")
    export = _command(does, "export", "all facts, for people and other programs")
    export.add_argument("path", metavar="PATH", nargs="?", help="a file; for claude-code a new folder. Else stdout")
    export.add_argument(
        "--format",
        choices=["md", "json", "memory-json", "claude-code"],
        default="md",
        help="md: to be read; json: everything, as facts list --json; memory-json: {category: {key: value}}; "
        "claude-code: a memory folder for it",
    )
    erase = _command(does, "erase", "erase a fact for good, and the messages in which it stands")
    erase.add_argument("fact", metavar="N", help="name or number, of a forgotten or waiting one too")
    how = erase.add_mutually_exclusive_group()
    how.add_argument("--keep-messages", action="store_true", help="what was said stays, only the fact goes")
    how.add_argument(
        "--also",
        action="store_true",
        help="whatever else its words stand in goes too: other messages, other facts and their history, notes",
    )
    edit.add_argument("--status", choices=["active", "off"], help="whether the agent may use it")
    edit.add_argument("--related", metavar="NAMES", help="names of related facts, with commas")
    for parser in (pin, lock):
        parser.add_argument("--off", action="store_true", help="the other way round")
    for parser in (forget, close, undo, erase):
        parser.add_argument("--yes", action="store_true", help=_YES)
    for parser in (accept, reject):
        parser.add_argument("--yes", action="store_true", help=_NOT_ASKED)
    for parser in (listing, show, add, edit, forget, pin, lock, close, accept, reject, search, history, undo, erase):
        parser.add_argument("--json", action="store_true", help=_JSON)
    for parser in (reflect, tidy):
        parser.add_argument("--json", action="store_true", help=_JSON)


def _import(command: _Parser) -> None:
    command.add_argument(
        "format",
        choices=[
            "claude-code", "codex", "chatgpt", "claude-ai", "memory-json", "messages-jsonl", "memdir", "instructions",
        ],
        metavar="WHAT",
        help="claude-code, codex: what they keep on this machine; chatgpt, claude-ai: the export that you were sent "
        "(ZIP, its folder, or conversations.json); messages-jsonl, memory-json, memdir: files of that name, or the "
        "folder of memdir; instructions: the bullets of CLAUDE.md and AGENTS.md, for your review",
    )  # fmt: skip
    command.add_argument(
        "path", nargs="?", metavar="PATH", help="a file or a folder; without it, where the agent has its files"
    )
    command.add_argument("--only", choices=["sessions", "memory"], help="only one of both; memories wait for review")
    command.add_argument("--dry-run", action="store_true", help="only show what would come")
    command.add_argument("--json", action="store_true", help=_JSON)


def _json(command: _Parser) -> None:
    command.add_argument("--json", action="store_true", help=_JSON)


def _context(context: _Parser) -> None:
    context.add_argument("--folder", metavar="DIR", help="as when working there; else this folder")
    _json(context)


def _mcp(mcp: _Parser) -> None:
    mcp.add_argument("--folder", metavar="DIR", help="where the client works, when it does not say so itself")
    mcp.add_argument("--all-folders", action="store_true", help="lend the facts and sessions of every folder")


def _connect(command: _Parser) -> None:
    clients = ["claude-code", "codex", "cursor"]
    command.add_argument("client", choices=clients, metavar="AGENT", help="claude-code, codex or cursor")
    where = command.add_mutually_exclusive_group()
    where.add_argument("--folder", action="store_true", help="only for this folder, in files of it")
    where.add_argument("--user", action="store_true", help="for all folders, in your own settings (the default)")
    command.add_argument("--print", action="store_true", help="only show what would be changed")
    command.add_argument("--undo", action="store_true", help="take back what connect wrote")
    command.add_argument("--yes", action="store_true", help=_YES + "; with --undo, also what was changed by hand goes")
    command.add_argument("--json", action="store_true", help="with --print: " + _JSON)


def _config(config: _Parser) -> None:
    does = config.add_subparsers(dest="do", metavar="WHAT", required=True)
    _command(does, "path", "where the settings file is")
    show = _command(does, "show", "the settings in force")
    show.add_argument("--json", action="store_true", help=_JSON)
    change = _command(does, "set", "change one setting; comments in the file stay")
    change.add_argument("key", metavar="KEY", help="as in memory.mode")
    change.add_argument("value", metavar="VALUE")
    key = _command(does, "key", "put the key of a profile into the keyring: it is asked for, or read from stdin")
    key.add_argument("profile", metavar="PROFILE", help="a profile of the settings")
    key.add_argument("--delete", action="store_true", help="take it out of the keyring instead")


def _index(index: _Parser) -> None:
    does = index.add_subparsers(dest="do", metavar="WHAT", required=True)
    _command(does, "rebuild", "make the index anew from the logs")


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return number
