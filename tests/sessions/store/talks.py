"""Logs of any course: turns, going back, compaction, clearing, learning, crashes, and bytes that no program wrote."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from sessions.messages import Marker, Record, to_json
from sessions.store.line import main_line
from tests.sessions.store.records import AT, answer, first, result, user

KINDS = (
    "turn turn turn call killed back all-back compact results clear meta learned erased two nul torn blank off nowhere"
)
STEPS = st.lists(st.tuples(st.sampled_from(KINDS.split()), st.integers(0, 30)), max_size=24)


def line(record: Record, **more: Any) -> bytes:
    return json.dumps(to_json(record) | more, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


class Talk:
    """Writes a log step by step, as programs do."""

    def __init__(self) -> None:
        self.data = line(first())
        self.number = 0
        self._ids: list[str] = []
        """Lines that a `rewound` may name."""
        self._prompts: list[str] = []

    def step(self, kind: str, n: int) -> None:
        match kind:
            case "turn" | "off":
                self._turn(n, ended=True, off=kind == "off")
            case "killed":
                self._turn(n, ended=False)
            case "call":
                self._turn(n, ended=True, called=True)
            case "back" if self._ids:
                self._mark("rewound", to=self._ids[-1 - n % len(self._ids)])
            case "all-back":
                self._mark("rewound", to=None)
            case "nowhere":
                self._mark("rewound", to="never-said")
            case "compact" | "results" if self._prompts:
                kept = self._prompts[-1 - n % min(5, len(self._prompts))]
                more = {"results_only": True} if kind == "results" else {}
                self._mark("compaction", content="short", first_kept=kept, tokens_before=9, tokens_after=3, **more)
            case "clear":
                self._mark("cleared")
            case "meta":
                self._mark("meta", title=f"title {n}")
            case "learned":
                self._mark("distilled", turn=max(0, self.number - n % 3), facts=[])
            case "erased":
                self.data += json.dumps({"v": 1, "id": f"x{len(self.data)}", "erased": True}).encode() + b"\n"
            case "two":
                self.data = self.data[:-1]
                self._turn(n, ended=True)
            case "nul":
                self.data += b"\0" * (n + 1) + b"\n"
            case "torn":
                self.data += b'{"v":1,"id":"torn","role":"assis' + b"\n"
            case "blank":
                self.data += b"\n"
            case _:
                pass

    def _mark(self, kind: str, **data: Any) -> None:
        id_ = f"k{len(self.data)}"
        self.data += line(Marker(id_, AT, kind, data))
        if kind == "meta":
            self._ids.append(id_)

    def _turn(self, n: int, *, ended: bool, called: bool = False, off: bool = False) -> None:
        self.number += 1
        i, turn = f"{self.number}-{len(self.data)}", self.number
        more = {"memory": "off"} if off else {}
        self.data += line(user(f"u{i}", f"question {turn} " + "x" * n, turn, **more))
        if called:
            self.data += line(answer(f"c{i}", "", turn))
            self.data += line(result(f"t{i}", "text " * n, turn))
        self.data += line(answer(f"a{i}", f"answer {turn}\n" + "y" * n, turn))
        self._prompts.append(f"u{i}")
        self._ids.append(f"a{i}")
        if ended:
            end = {"turn": turn, "stop": "stop", "ms": 5, "usage": {"input": n, "output": 1}}
            self.data += line(Marker(f"e{i}", AT, "turn_end", end))
            self._ids[-1] = f"e{i}"


def talked(steps: list[tuple[str, int]]) -> bytes:
    talk = Talk()
    for kind, n in steps:
        talk.step(kind, n)
    return talk.data


def counting(records: list[Record]) -> list[Record]:
    """What counts, but for the marks that only make old results short."""
    return [r for r in main_line(records) if not (isinstance(r, Marker) and r.data.get("results_only"))]
