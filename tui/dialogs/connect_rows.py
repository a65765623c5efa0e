"""The lines of the connect dialog: every place that could answer, what is known of it, and what it would take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias
from urllib.parse import urlsplit

from rich.style import Style
from textual.strip import Strip

from sessions.providers.discovery import Found, Looked
from sessions.providers.known import KEY_PLACES, SERVERS
from sessions.providers.listing import Model
from sessions.providers.service import Service
from sessions.settings import Profile
from tui.widgets.header import size_text
from tui.widgets.look import Look
from tui.widgets.rows import GroupHead, Part, Row, RowState, row_line

Kind: TypeAlias = Literal["server", "own", "key", "other", "guide"]
_NAME, _WHERE = 16, 15
_STATES = {
    "not running": "not running",
    "another program": "another program is there",
    "does not answer": "takes calls, does not answer",
    "wants a key": "wants a key",
}
_START = {
    "LM Studio": "start the server in LM Studio (Developer, or `lms server start`)",
    "Ollama": "start it: ollama serve",
    "llama.cpp": "start it: llama-server -m MODEL.gguf --jinja",
    "vLLM": "start it: vllm serve MODEL --enable-auto-tool-choice --tool-call-parser …",
}
_FETCH = {"LM Studio": "lms get qwen3-8b", "Ollama": "ollama pull qwen3:8b"}


@dataclass(frozen=True, slots=True)
class Place:
    """Something that could answer."""

    kind: Kind
    name: str
    url: str = ""
    models: tuple[Model, ...] = ()
    variable: str = ""
    """Environment variable that has the key."""
    state: str = "runs"
    """Of a server on this machine."""
    keyed: bool = False
    """A key of it is known, and can be given anew."""

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.url or self.name}"

    @property
    def local(self) -> bool:
        return self.kind in {"server", "guide"} or Service(Profile("", base_url=self.url), None).local

    @property
    def host(self) -> str:
        """`localhost:1234`, `api.openai.com`."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def door(self) -> str:
        """The same for all ways to write its address."""
        return Service(Profile("", base_url=self.url), None).door

    @property
    def ready(self) -> bool:
        """Whether there is something to ask."""
        return self.kind != "server" or bool(self.models) or self.state == "wants a key"


def places(looked: Looked, own: Sequence[Place] = ()) -> list[Place]:
    """What the dialog offers; `own` are the addresses in the settings, of which those that are not found are added."""
    variables = {key.url: key.variable for key in looked.keys}
    servers = [_server(server) for server in looked.servers]
    known = [Place("key", one.name, one.url, variable=variables.get(one.url, "")) for one in KEY_PLACES]
    known = [replace(place, keyed=bool(place.variable)) for place in known]
    mine = {place.door: place for place in own}
    found = {place.door for place in (*servers, *known)}
    return [
        *(replace(place, keyed=place.keyed or (place.door in mine and mine[place.door].keyed)) for place in servers),
        *(place for place in own if place.door not in found),
        *(replace(place, keyed=place.keyed or (place.door in mine and mine[place.door].keyed)) for place in known),
        Place("other", "Other endpoint"),
        Place("guide", "Guide"),
    ]


def _server(found: Found) -> Place:
    return Place("server", found.name, found.url, found.models, state=found.state)


def rows(
    offered: list[Place], chosen: Mapping[str, Model], now: str = "", model: str = "", *, looking: bool = False
) -> list[Row]:
    """The lines in their groups; `chosen` are the models picked so far, `now` the address of what answers now, `model`
    its model."""
    made: list[Row] = []
    found = "Found on" if any(place.models for place in offered) else "On"
    groups = (
        (f"{found} this machine", {"server"}),
        ("In your settings", {"own"}),
        ("With a key", {"key", "other"}),
        ("Without a model", {"guide"}),
    )
    for title, kinds in groups:
        group = [place for place in offered if place.kind in kinds]
        if group or (looking and "server" in kinds):
            made.append(GroupHead(title, title, "looking" if looking and "server" in kinds else ""))
        for place in group:
            picked = chosen.get(place.key)
            answers = now in {place.door, place.name.lower()} and (picked is None or picked.id == model)
            made.append(PlaceRow(place, picked, model if answers else ""))
    return made


@dataclass(slots=True)
class PlaceRow:
    """One place: mark, name, where it is, what it has."""

    place: Place
    chosen: Model | None = None
    now: str = ""
    """The model that answers now, if it is one of this place."""
    height: ClassVar[int] = 1
    selectable: ClassVar[bool] = True
    head: ClassVar[bool] = False
    live: ClassVar[bool] = False

    @property
    def key(self) -> str:
        return self.place.key

    def draw(self, width: int, look: Look, state: RowState) -> list[Strip]:
        reverse = state.chosen and not look.palette.steps
        plain = Style()
        fg, muted = (plain, plain) if reverse else (look.fg, look.muted)
        mark, style = self._mark(look)
        where = {"other": "any OpenAI-compatible URL", "guide": "by rules: remembers, tells the weather"}
        left: list[Part] = [
            (f" {mark} ", plain if reverse else style),
            (self.place.name.ljust(_NAME), fg + Style(bold=True) if state.chosen else fg),
            (where.get(self.place.kind, self.place.host).ljust(_WHERE), muted),
        ]
        return [row_line(width, look, state, left, [(self._right(), muted)])]

    def _mark(self, look: Look) -> Part:
        match self.place.kind:
            case "server":
                on = bool(self.place.models)
                return (look.marks.elsewhere, look.ok) if on else (look.marks.off, look.muted)
            case "own":
                return look.marks.elsewhere, look.ok if self.now else look.muted
            case "key":
                return (look.marks.elsewhere, look.ok) if self.place.variable else (look.marks.off, look.muted)
            case "other":
                return look.marks.new, look.accent
            case "guide":
                return look.marks.pinned, look.accent

    def _right(self) -> str:
        place = self.place
        if self.chosen is not None:
            said = _sized(self.chosen)
        elif self.now and (known := next((m for m in place.models if m.id == self.now), None)):
            said = _sized(known)
        elif place.kind == "server" and place.state == "runs":
            more = len(place.models) - 1
            first = _sized(place.models[0]) if place.models else "no model"
            name, dot, size = first.partition(" · ")
            said = f"{name} and {more} more{dot}{size}" if more > 0 else first
        elif place.kind == "own":
            said = place.models[0].id if place.models else ""
        elif place.kind == "server":
            said = _STATES.get(place.state, place.state)
        elif place.kind == "key":
            said = f"{place.variable} is set" if place.variable else "no key yet"
        else:
            return "answers now" if self.now else "works now" if place.kind == "guide" else ""
        return f"{said} · now" if self.now and said else "now" if self.now else said


def _sized(model: Model) -> str:
    return f"{model.id} · {size_text(model.window)}" if model.window else model.id


def window_told(model: Model) -> str:
    """`32k`; `up to 128k` for what a model that is not loaded could have; empty when nothing is told."""
    if model.window:
        return size_text(model.window)
    return f"up to {size_text(model.most)}" if model.most else ""


def told(place: Place) -> tuple[str, str]:
    """What there is to say of a place below the list: the style of the look, and the words."""
    match place.kind:
        case "guide":
            return "muted", "Nothing leaves this machine but a question for the weather."
        case "other":
            return "muted", "Its address, and where its key comes from, are asked next."
        case "key":
            return "warn", f"Messages and recalled facts go to {place.host}."
        case "own":
            if place.local:
                return "muted", "What you say stays on this machine."
            return "warn", f"Messages and recalled facts go to {place.host}."
        case "server" if place.models:
            return "muted", "What you say stays on this machine."
    if place.state == "runs":
        fetch = f": {_FETCH[place.name]}" if place.name in _FETCH else ""
        return "warn", f"{place.name} has no model yet{fetch}"
    if place.state == "another program":
        names = {server.name for server in SERVERS}
        return "muted", f"What listens there is no model server{' like ' + place.name if place.name in names else ''}."
    if place.state == "does not answer":
        return "warn", f"Something at {place.host} takes calls and does not answer: start {place.name} again."
    return "muted", f"Nothing answers at {place.host}: {_START.get(place.name, 'start the server')}"
