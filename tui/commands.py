"""The one registry of what a person can do: it feeds keys, palette, slash commands, help and footer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

EVERYWHERE = "everywhere"
PLACES = {
    "composer": "Composer",
    "transcript": "Conversation",
    "approval": "A call that waits for you",
    "find": "Finding something in a session",
    "foot": "Facts under the answer",
    "older": "An older answer",
    "tree": "Agent",
    "history": "History",
    "found": "What a search found",
    "trash": "The trash in History",
    "session": "A session in History",
    "memory": "Memory",
    "proposal": "What waits for review",
    "form": "A fact",
    "background": "Where a fact comes from, its uses and versions",
    "amend": "What waits, in the form",
}
"""Where the focus can be -> how the help calls it."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done, under one name wherever it is offered."""

    name: str
    title: str
    """In the palette and the help."""
    keys: tuple[str, ...] = ()
    slash: str = ""
    """The word after `/`; empty = no slash command."""
    arguments: str = ""
    """What may follow the word, as the help shows it."""
    where: tuple[str, ...] = (EVERYWHERE,)
    """Places in which the keys work."""
    label: str = ""
    """In the footer."""
    show: str = ""
    """The key as shown, where it is not simply the first of `keys`."""
    own: bool = False
    """The widget handles the key itself; the action is here to be shown and is not bound or run by the app."""
    palette: bool = True
    """It is among all commands wherever the person is; else only in its places."""
    needs: str = ""
    """What must be there before it can be done: a key of `NEEDS`."""


NEEDS = {
    "said": "something was said in the shown session",
    "private": "there is a private session to keep",
    "kept": "the shown session is kept",
    "waiting": "something waits for review",
    "asked": "a call waits for a yes or no",
    "foreign": "the chosen session is one of another agent",
}


def _own(name: str, title: str, keys: tuple[str, ...], where: tuple[str, ...], label: str, show: str = "") -> Action:
    return Action(name, title, keys, where=where, label=label, show=show, own=True, palette=False)


ACTIONS: tuple[Action, ...] = (
    _own("send", "Send the message, or queue it while a turn runs", ("enter",), ("composer",), "Send"),
    _own("newline", "Start a new line", ("ctrl+j", "shift+enter"), ("composer",), "New line"),
    _own("past", "The queued message, the newest answer's facts, past prompts", ("up",), ("composer",), "Past", "↑"),
    _own("page", "Scroll the conversation", ("pageup", "pagedown"), ("composer", "transcript"), "Scroll"),
    _own("newest-row", "To its end or beginning, with nothing written", ("end", "home"), ("composer", "transcript"),
         "End"),
    _own("unfold", "Open or fold what is newest in sight: a thought, what is in short, the rest of a result",
         ("enter",), ("transcript",), "Open"),
    Action("stop", "Stop the running turn", ("escape",), label="Stop", palette=False),
    Action("approval", "Answer the call that waits for you", (), needs="asked"),
    Action("copy", "Copy the selection; else clear, else stop; twice quits", ("ctrl+c",), palette=False),
    Action("new", "New session", ("ctrl+n",), "new", label="New"),
    Action("resume", "Take up another session", (), "resume", "[WORDS]"),
    Action("rename", "Rename this session", (), "rename", "[TITLE]"),
    Action("connect", "Connect a model: on this machine, or with a key", (), "connect"),
    Action("model", "Change the model", (), "model", "[PROFILE]"),
    Action("key", "Type the key of the model's service anew", (), "key"),
    Action("memory-mode", "Memory: on, use but don't save, off, private", ("ctrl+g",), "memory",
           "[on|read-only|off] [--default]", label="Memory mode"),
    Action("private", "New private session: nothing is kept", (), "private"),
    Action("keep", "Keep the private session after all", (), "keep", needs="private"),
    Action("context", "What goes to the model with your next message", ("ctrl+o",), "context", label="Context"),
    Action("remember", "Remember a sentence", (), "remember", "TEXT", palette=False),
    Action("forget", "Forget a fact by name or number", (), "forget", "N", palette=False),
    Action("undo", "Take back the last change of a fact", (), "undo"),
    Action("find", "Find something in this session", ("ctrl+f",), "find", "[WORDS]", label="Find"),
    Action("retry", "Answer again, with memory as it is now", (), "retry", needs="said"),
    Action("edit", "Edit your last message and send it again", (), "edit", needs="said"),
    Action("rewind", "Take back the last turn", (), "rewind", needs="said"),
    Action("compact", "Put earlier turns in short, to make room", (), "compact", "[WHAT TO KEEP]", needs="said"),
    Action("clear", "Begin the context anew; nothing is deleted", (), "clear", needs="said"),
    Action("recap", "Let the model write the recap of this session", (), "recap", needs="said"),
    Action("export", "Write this session as Markdown into this folder", (), "export", needs="said"),
    Action("archive", "Put this session out of sight", (), needs="said"),
    Action("archived", "See the archived sessions", ()),
    Action("trash", "See what is in the trash", ()),
    Action("erase", "Erase for good: a secret, your last message, what is chosen, or fact N", (), "erase", "[N]"),
    Action("fork", "Go on in a copy of this session", (), "fork", needs="said"),
    Action("follow", "Follow other agents, take over exports: ChatGPT, Claude.ai", (), "import",
           "[all|here|off|stop|memory|instructions|report|PATH]"),
    Action("mcp", "MCP servers: how each is, its tools, adding those of this folder", (), "mcp"),
    Action("files", "Let the agent read the files of this folder, or not any more", (), "files", "[on|off]"),
    Action("moved", "Use the facts of a project that moved to this folder", (), "moved"),
    Action("chat", "Go to Chat", ("f2", "alt+1"), label="Chat"),
    Action("history", "Go to History", ("ctrl+r", "f3", "alt+2"), label="History"),
    Action("memory", "Go to Memory", ("f4", "ctrl+l", "alt+3"), "facts", label="Memory"),
    Action("tree", "Show or hide the agent tree", ("ctrl+t",), label="Tree"),
    Action("editor", "Write the message in your editor; facts from it wait for review", ("f8",), label="Editor",
           needs="kept"),
    Action("copy-answer", "Copy the last answer", (), needs="said"),
    Action("tool-detail", "Tool calls: one line, or with their results", ()),
    Action("theme-dark", "Theme: dark", ()),
    Action("theme-light", "Theme: light", ()),
    Action("theme-contrast", "Theme: high contrast", ()),
    Action("palette", "All commands", ("ctrl+p",), label="Commands", palette=False),
    Action("help", "Help for the place you are in", ("f1",), "help", label="Help"),
    Action("quit", "Quit", ("ctrl+q",), "quit", label="Quit", show="^c ^c"),
    _own("approve-go", "Answer the call that waits", ("tab",), ("composer",), "Answer"),
    _own("approve-choose", "Answer with the chosen line", ("enter",), ("approval",), "Choose"),
    _own("approve-once", "Allow this call", ("o",), ("approval",), "Once"),
    _own("approve-session", "Allow this tool until the session ends", ("s",), ("approval",), "Session"),
    _own("approve-always", "Allow this tool always: it is written to config.toml", ("w",), ("approval",), "Always"),
    _own("approve-read", "Read all that the call is given", ("right",), ("approval",), "Read all", "→"),
    _own("approve-composer", "Write a message meanwhile; tab comes back", ("tab",), ("approval",), "Composer"),
    _own("approve-no", "Decline: the model is told so", ("escape", "n"), ("approval",), "No"),
    # Lists
    _own("open-session", "Resume the session", ("enter",), ("history", "session"), "Resume"),
    _own("read-session", "Read the session of another agent", ("enter",), ("history", "session"), "Read"),
    _own("detail", "Open the detail", ("right",), ("history", "found", "trash"), "Detail", "→"),
    _own("open-hit", "Open the session at this place", ("enter",), ("found",), "Open at hit"),
    _own("next-hit", "The next place in the session", ("tab",), ("found",), "Next hit"),
    _own("previous-hit", "The place before", ("shift+tab",), ("found",), "Previous hit"),
    _own("filter", "Search; esc clears", ("slash",), ("history", "found", "trash", "memory", "proposal"), "Search",
         "/"),
    Action("session-filter", "All sessions, those of this folder, archived ones, the trash", ("f6",),
           where=("history", "found", "trash", "session"), label="Filter", palette=False),
    Action("session-order", "What is found best first, or by date", ("f7",), where=("history", "found", "trash"),
           label="By date", palette=False),
    _own("restore", "Bring the session back", ("enter",), ("trash",), "Restore"),
    Action("session-restore", "Bring the session back", ("u",), where=("trash",), label="Restore", palette=False),
    Action("session-archive", "Archive the session, or bring it back", ("a",), where=("history", "found", "session"),
           label="Archive", palette=False),
    Action("session-new", "New session", ("n",), where=("history", "found"), label="New", palette=False),
    Action("session-rename", "Rename the session", ("e",), where=("history", "found", "session"), label="Rename",
           palette=False),
    Action("session-pin", "Pin or unpin the session", ("p",), where=("history", "found", "session"), label="Pin",
           palette=False),
    Action("session-recap", "Let the model write the recap", ("m",), where=("history", "found", "session"),
           label="Recap", palette=False),
    Action("session-fork", "Go on in a copy", ("f",), where=("history", "found", "session"), label="Fork",
           palette=False),
    Action("session-continue", "Go on here, in a copy, with a session of another agent", ("r",),
           where=("history", "found", "session"), label="Go on here", palette=False, needs="foreign"),
    Action("session-command", "Copy the command that goes on there, in that agent", ("R",),
           where=("history", "found", "session"), label="Copy command", palette=False, needs="foreign"),
    Action("session-export", "Write the session as Markdown into this folder", ("x",),
           where=("history", "found", "session"), label="Export", palette=False),
    Action("session-delete", "Move the session to the trash", ("d",), where=("history", "found", "session"),
           label="Delete", palette=False),
    Action("session-undo", "Bring back the session deleted last", ("u",), where=("history", "found", "session"),
           label="Undo"),
    Action("session-erase", "Erase the session for good", ("D",), where=("history", "found", "trash", "session"),
           label="Erase", palette=False),
    _own("open-fact", "Open the fact", ("enter",), ("memory",), "Open"),
    _own("open-proposal", "Open it; once it is open, the message it comes from", ("enter",), ("proposal",), "Open"),
    Action("review", "Review what waits to be remembered", (), "review", needs="waiting"),
    Action("learn", "Learn from chats: ask me first, by itself, off", ()),
    Action("reflect", "Reflect: look for facts that are stale, double or done", ()),
    Action("defragment", "Defragment: merge and shorten facts", ()),
    Action("proposal-accept", "Accept the change", ("a",), where=("proposal",), label="Accept", palette=False),
    Action("proposal-edit", "Edit it, then accept", ("e",), where=("proposal",), label="Edit", palette=False),
    Action("proposal-reject", "Reject the change", ("x",), where=("proposal",), label="Reject", palette=False),
    Action("proposal-group", "Accept all from the same source", ("A",), where=("proposal",), label="Accept group",
           palette=False),
    Action("proposal-reject-group", "Reject all from the same source", ("X",), where=("proposal",),
           label="Reject group", palette=False),
    Action("fact-new", "New fact", ("n",), where=("memory", "proposal"), label="New"),
    Action("fact-edit", "Edit the fact", ("e",), where=("memory",), label="Edit", palette=False),
    Action("fact-onoff", "Switch the fact on or off", ("space",), where=("memory",), label="On/off", palette=False),
    Action("fact-forget", "Forget the fact", ("d",), where=("memory",), label="Forget", palette=False),
    Action("fact-close", "Close what you wait on", ("c",), where=("memory",), label="Close", palette=False),
    Action("fact-erase", "Erase the fact for good", ("D",), where=("memory", "proposal", "background"), label="Erase",
           palette=False),
    Action("fact-undo", "Take back the last change of a fact", ("u",), where=("memory", "proposal", "background"),
           label="Undo", palette=False),
    _own("open-behind", "Open the message; show what a version changed", ("enter",), ("background",), "Open"),
    Action("version-restore", "Make the fact as this version was", ("r",), where=("background",), label="Restore",
           palette=False),
    Action("fact-pin", "Always send the fact, or not", ("p",), where=("memory",), label="Pin", palette=False),
    Action("fact-lock", "Lock the fact: only you change it", ("l",), where=("memory",), label="Lock", palette=False),
    _own("save", "Save the fact", ("ctrl+s",), ("form", "background"), "Save"),
    _own("save-accept", "Accept it with the changes", ("ctrl+s",), ("amend",), "Accept"),
    _own("field", "Next field", ("tab",), ("form", "background", "amend"), "Next field"),
    _own("find-next", "The next place", ("enter", "tab"), ("find",), "Next"),
    _own("find-previous", "The place before", ("shift+tab",), ("find",), "Previous"),
    _own("find-close", "Close it; you stay where you are", ("escape",), ("find",), "Close"),
    _own("open-node", "Open", ("enter",), ("tree",), "Open"),
    _own("fold", "Fold or unfold", ("space",), ("tree",), "Fold"),
    _own("foot-edit", "Edit the fact, or list the always-sent ones", ("enter",), ("foot",), "Edit"),
    _own("foot-choose", "Choose a fact; before the first: the older answer", ("right", "left"), ("foot",), "Choose",
         "←→"),
    _own("foot-undo", "Take back what this turn saved", ("u",), ("foot",), "Undo"),
    _own("foot-off", "Switch the fact off", ("space",), ("foot",), "Off"),
    _own("foot-retry", "Answer again, with memory as it is now", ("r",), ("foot",), "Answer again"),
    _own("foot-back", "Back to the composer", ("escape",), ("foot",), "Back"),
    _own("ways", "The older or newer answer in sight", ("left", "right"), ("composer", "transcript", "older"),
         "Other answer", "←→"),
    _own("newest", "The newest answer, and back to the composer", ("escape",), ("older",), "Newest"),
    _own("back", "Back", ("escape",),
         ("tree", "history", "found", "trash", "session", "memory", "proposal", "form", "background", "amend",
          "transcript"), "Back"),
    _own("next-pane", "Next pane", ("tab",), ("tree", "history", "trash", "memory", "proposal", "transcript"),
         "Next pane"),
)  # fmt: skip
BY_NAME = {action.name: action for action in ACTIONS}
BY_SLASH = {action.slash: action for action in ACTIONS if action.slash}

FOOTERS: dict[str, tuple[str, ...]] = {
    "composer": ("send", "history", "memory", "memory-mode", "tree", "context", "new"),
    "waiting": ("approve-go", "stop", "history", "memory", "tree", "context"),
    "running": ("stop", "history", "memory", "memory-mode", "tree", "context"),
    "foot": ("foot-edit", "foot-choose", "foot-undo", "foot-off", "foot-retry", "foot-back"),
    "approval": ("approve-choose", "approve-read", "approve-composer", "approve-no", "history", "memory"),
    "find": ("find-next", "find-previous", "find-close", "history", "memory"),
    "older": ("ways", "newest"),
    "transcript": ("back", "find", "history", "memory", "tree", "context"),
    "tree": ("open-node", "fold", "tree", "back"),
    "history": ("open-session", "read-session", "session-continue", "session-command", "filter", "detail",
                "session-filter", "session-new", "session-delete", "session-archive", "session-pin", "session-rename",
                "session-erase", "session-fork", "session-recap", "session-export", "back"),
    "found": ("open-hit", "session-continue", "session-command", "next-hit", "detail", "session-filter",
              "session-order", "filter", "session-delete", "session-archive", "session-pin", "session-fork", "back"),
    "trash": ("restore", "session-erase", "detail", "filter", "session-filter", "back"),
    "session": ("open-session", "read-session", "session-continue", "session-command", "find", "session-recap",
                "session-delete", "session-archive", "session-erase", "session-rename", "session-pin", "session-fork",
                "session-export", "back"),
    "memory": ("open-fact", "filter", "fact-new", "fact-onoff", "fact-forget", "fact-erase", "fact-undo", "fact-edit",
               "fact-pin", "fact-lock", "fact-close", "back"),
    "proposal": ("proposal-accept", "proposal-edit", "proposal-reject", "proposal-group", "open-proposal", "fact-undo",
                 "back"),
    "amend": ("save-accept", "field", "back"),
    "form": ("save", "field", "back", "memory-mode"),
    "background": ("open-behind", "version-restore", "fact-undo", "fact-erase", "back"),
}  # fmt: skip
"""The keys of a place, in order of use; those of `LAST` follow by themselves."""
LAST = ("palette", "help", "quit")
"""All commands, those of the place first; help; and, in the chat, the way out."""
_FULL = ("foot", "older")
"""Places whose keys all show, and end with the focus."""
DROPPED_FIRST = ("new", "context", "memory-mode", "back", "filter")
"""What a narrow footer leaves out before the others; the search box has its key in sight."""

_KEY = re.compile(
    r"(?:(?:ctrl|alt|shift|super)\+)*"
    r"(?:f(?:[1-9]|1\d|2[0-4])|enter|escape|tab|space|up|down|left|right|home|end|pageup|pagedown|delete|backspace"
    r"|insert|slash|[a-zA-Z0-9]|[^\w\s])\Z"
)
_SHOWN = {"escape": "esc", "up": "↑", "down": "↓", "left": "←", "right": "→", "slash": "/"}


def actions() -> list[str]:
    """The names of the actions whose keys can be chosen."""
    return [action.name for action in ACTIONS if not action.own]


class Keymap:
    """The keys of every action: the registry's own, or those of the [keys] settings."""

    def __init__(self, chosen: Mapping[str, Iterable[str]] | None = None) -> None:
        self.problems: list[str] = []
        """What is wrong in the settings, as sentences; the registry's own keys stand in for it."""
        self._keys = {action.name: action.keys for action in ACTIONS}
        self._chosen: set[str] = set()
        for name, keys in (chosen or {}).items():
            self._choose(name, tuple(keys))

    def _choose(self, name: str, keys: tuple[str, ...]) -> None:
        action = BY_NAME.get(name)
        if action is None or action.own:
            self.problems.append(f"keys.{name}: no such action. There are: {', '.join(actions())}")
            return
        wrong = [key for key in keys if not _KEY.match(key)]
        if wrong:
            self.problems.append(
                f"keys.{name}: {wrong[0]!r} is not a key. Keys look like f5, ctrl+n, alt+1, enter or x"
            )
            return
        for other in ACTIONS:
            taken = set(keys) & set(self._keys[other.name])
            if other.name != name and taken and _meet(action.where, other.where):
                self.problems.append(f"keys.{name}: {min(taken)} already is {other.name}")
                return
        self._keys[name] = keys
        self._chosen.add(name)

    def keys(self, name: str) -> tuple[str, ...]:
        return self._keys[name]

    def shown(self, name: str) -> str:
        """The first key as the footer shows it: `^r`, `F4`, `esc`; empty without a key."""
        action = BY_NAME[name]
        if action.show and name not in self._chosen:
            return action.show
        keys = self._keys[name]
        return shown_key(keys[0]) if keys else ""

    def footer(self, place: str, *, running: bool = False, waits: bool = False) -> list[tuple[str, str, str]]:
        """`(action, key, label)` of a place, the most useful first, Commands, Help and, in the chat, Quit last."""
        state = "waiting" if waits else "running" if running else place
        names = FOOTERS.get(state if place == "composer" else place, ())
        last = LAST if place in {"composer", "transcript"} else LAST[1:2] if place in _FULL else LAST[:2]
        return [(name, self.shown(name), BY_NAME[name].label) for name in (*names, *last) if self._keys[name]]


def shown_key(key: str) -> str:
    """`ctrl+r` -> `^r`, `f4` -> `F4`, `escape` -> `esc`."""
    if re.fullmatch(r"ctrl\+.", key):
        return "^" + key[-1]
    if re.fullmatch(r"f\d+", key):
        return key.upper()
    return _SHOWN.get(key, key)


def _meet(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    return EVERYWHERE in a or EVERYWHERE in b or bool(set(a) & set(b))


def parse_slash(text: str) -> tuple[Action, str] | None:
    """The command and its arguments when the text is a slash command that exists, else None."""
    match = re.fullmatch(r"/([a-z-]+)(?:\s+(.*))?", text.strip(), re.DOTALL)
    action = BY_SLASH.get(match[1]) if match else None
    return (action, (match[2] or "").strip()) if match and action else None


def fuzzy(query: str, text: str) -> tuple[float, tuple[int, ...]] | None:
    """How well the letters of the query stand in the text, in order: `(score, positions)`, or None.

    Whole runs count more than scattered letters, starts of words more than their middle.
    """
    if not query:
        return 0.0, ()
    low, wanted = text.lower(), query.lower()
    at = low.find(wanted)
    if at >= 0:
        start = at == 0 or not low[at - 1].isalnum()
        return 100.0 * (2 if start else 1) - at - len(text) / 100, tuple(range(at, at + len(wanted)))
    positions: list[int] = []
    score, last = 0.0, -2
    for letter in wanted:
        at = low.find(letter, last + 1 if last >= 0 else 0)
        if at < 0:
            return None
        score += 4 if at == last + 1 else 2 if at == 0 or not low[at - 1].isalnum() else 0
        positions.append(at)
        last = at
    return score - (positions[-1] - positions[0]) / 4, tuple(positions)


def matching_slash(query: str) -> list[tuple[Action, tuple[int, ...]]]:
    """Slash commands for what stands after `/`, best first, with the matched positions in the word."""
    found = [(match[0], action, match[1]) for action in BY_SLASH.values() if (match := fuzzy(query, action.slash))]
    if not query:
        return [(action, ()) for action in sorted(BY_SLASH.values(), key=lambda a: a.slash)]
    return [(action, positions) for _, action, positions in sorted(found, key=lambda f: (-f[0], f[1].slash))]
