"""A home that is the same every time: facts, and sessions of some days, one of them with all that a turn can hold."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from sessions.clock import FixedClock, iso
from sessions.memory.fact import By, Draft
from sessions.memory.guard import Guard, Wish
from sessions.memory.store import FactStore
from sessions.messages import AssistantMessage, Marker, ToolCall, ToolMessage, Usage, UserMessage
from sessions.paths import HomePaths, make_home
from sessions.store.index import Index
from sessions.store.log import LogWriter

TALK = "20261129-155800-aaaaaa"
BROKEN = '+++\nname = "atlas-ci"\nsummary = "Builds run twice"\nkind = project\n+++\nThe builds run twice.\n'
ANSWER = """**Kyoto is the safer choice for Friday 4 December.**

| Place | High | Rain | Wind |
|---|---:|---:|---:|
| Kyoto | 13 °C | 10 % | 8 km/h |
| Hakone | 7 °C | 70 % | 21 km/h |

- Sarah needs your answer by Friday; the thread is still open.
- To run the same check from a script:

```bash
memagent-tui ask "Weather in Kyoto on Friday?" --json \\
  | jq -r '.text // empty'
```
"""


def at(day: int, time: str, month: int = 11) -> datetime:
    hour, minute = map(int, time.split(":"))
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


class Call:
    """A call of a scripted turn and what came of it."""

    def __init__(
        self, name: str, arguments: dict[str, Any], content: str, *, ms: int, ok: bool = True, **facts: Any
    ) -> None:
        self.name, self.arguments, self.content, self.ms, self.ok = name, arguments, content, ms, ok
        self.facts: dict[int, str] = facts.get("facts", {})
        self.saved: tuple[int, str, str] | None = facts.get("saved")


class Talk:
    """Writes a session's log turn by turn, a minute apart."""

    def __init__(self, paths: HomePaths, session: str, began: datetime, cwd: str, **first: Any) -> None:
        self.now, self.session, self._ids, self._turn = began, session, 0, 0
        data = {"cwd": cwd, "profile": "guide", "model": "guide", "memory": "on"} | first
        self._log = LogWriter.create(paths, session, Marker(self._id(), iso(began), "session", data))

    @property
    def last_id(self) -> str:
        """Of the newest line."""
        return f"{self.session[-6:]}{self._ids:06d}"

    @property
    def next_id(self) -> str:
        """Of the line that comes next."""
        return f"{self.session[-6:]}{self._ids + 1:06d}"

    def _id(self) -> str:
        self._ids += 1
        return self.last_id

    def mark(self, kind: str, **data: Any) -> None:
        self._log.append(Marker(self._id(), iso(self.now), kind, data))

    def turn(self, text: str, *calls: Call, answer: str, ms: int = 900, thought: str = "", always: int = 8) -> None:
        self._turn += 1
        head = {"at": iso(self.now), "turn": self._turn}
        self._log.append(UserMessage(self._id(), content=text, **head))
        who = {"profile": "guide", "model": "guide"}
        if calls:
            asked = [
                ToolCall(f"{self.session[-6:]}-{self._turn}-{i}", c.name, c.arguments) for i, c in enumerate(calls)
            ]
            used, think = Usage(9400, 35), {"reasoning": thought, "reasoning_ms": 1400} if thought else {}
            self._log.append(
                AssistantMessage(
                    self._id(), content="", tool_calls=tuple(asked), usage=used, ms=800, stop="tool_calls",
                    **head, **who, **think,
                )
            )  # fmt: skip
            for call, c in zip(asked, calls, strict=True):
                if c.saved:
                    number, name, summary = c.saved
                    data = {"op": "created", "name": name, "number": number, "summary": summary}
                    self.mark("fact", **data, call_id=call.id, turn=self._turn)
                self._log.append(
                    ToolMessage(
                        self._id(), tool_call_id=call.id, name=c.name, content=c.content, ok=c.ok, ms=c.ms,
                        facts=tuple(c.facts.values()), fact_numbers=tuple(c.facts), **head,
                    )
                )  # fmt: skip
        self._log.append(
            AssistantMessage(self._id(), content=answer, usage=Usage(9700, 168), ms=max(20, ms - 900), **head, **who)
        )
        usage = {"input": 19100, "output": 203}
        self.mark("turn_end", turn=self._turn, stop="stop", ms=ms, always_sent=always, usage=usage)
        self.now += timedelta(minutes=1)

    def close(self, **meta: Any) -> None:
        if meta:
            self.mark("meta", **meta)
        self._log.close()


def build(home: Path, cwd: str) -> None:
    """Fill the home."""
    paths = HomePaths(home, home / "config.toml")
    make_home(paths)
    _facts(paths)
    _sessions(paths, cwd)
    index = Index(paths, FixedClock(at(29, "17:00")))
    index.catch_up()
    index.close()


def _facts(paths: HomePaths) -> None:
    clock = FixedClock(at(12, "09:00"))
    store = FactStore(paths, clock)
    model, person = By("model", TALK, "aaaaaa000002", "I live in Tokyo, and I prefer Celsius."), By("user")

    def save(name: str, summary: str, kind: str, body: str = "", by: By = person, **more: Any) -> None:
        store.save(Draft(name, summary, kind, body, **more), by=by)
        clock.at += timedelta(minutes=1)

    save("answers-first", "Answers first, then explains", "self")
    save("sarah-chen", "Sarah Chen is the engineering manager", "contact")
    save("kenji-mori", "Kenji Mori runs the Kyoto office", "contact")
    save("q3-staffing-answer", "Sarah waits for the Q3 staffing answer", "open-thread", due=date(2026, 11, 27))
    save("offsite-place", "Choose the place of the offsite", "open-thread", due=date(2026, 12, 4))
    save("commit-messages", "Do not rewrite my commit messages", "feedback")
    clock.at = at(29, "09:41")
    save("lives-in-tokyo", "Lives in Tokyo, Japan", "preference", "The user lives in Tokyo.", model)
    save("news-in-german", "Reads the news in German", "preference")
    save("prefers-celsius", "Prefers Celsius", "preference", by=model)
    save("rents-in-nakano", "Rents the flat in Nakano until March 2027, with an option for two more years", "user")
    store.edit("news-in-german", by=person, status="off")
    clock.at = at(29, "09:44")
    body = "The user lives in Tokyo, near Nakano, and works from there on Mondays. See [[prefers-celsius]]."
    store.edit("lives-in-tokyo", by=person, summary="Lives in Tokyo", body=body, related=("prefers-celsius",))
    (paths.memory / "user" / "atlas-ci.md").write_text(BROKEN)


def propose(paths: HomePaths) -> None:
    """Changes that wait: of fact 7 in its one line and its body, a new one, and two from another agent."""
    store = FactStore(paths, FixedClock(at(29, "16:30")))
    guard, model = Guard(store), Wish(By("model", TALK, "aaaaaa000002"))
    body = "The user lives in Osaka, near Umeda, and works from there on Mondays. See [[prefers-celsius]]."
    guard.save(Draft("lives-in-tokyo", "Lives in Osaka", "preference", body), model)
    guard.save(Draft("chess", "Plays chess on Fridays", "user"), model)
    client = Wish(By("mcp", client="Codex"), at_once="never", why="saved by another agent")
    guard.save(Draft("boat", "Owns a small boat", "user"), client)
    guard.save(Draft("novels", "Reads novels in the evening", "user"), client)


def _sessions(paths: HomePaths, cwd: str) -> None:
    talk = Talk(paths, "20261112-101500-bbbbbb", at(12, "10:15"), cwd)
    talk.turn(
        "Make the checklist for the release of Atlas 2.4", answer="Freeze on Fridays; the changelog is still open."
    )
    talk.close(title="Atlas 2.4 release checklist", pinned=True)

    talk = Talk(paths, "20261123-175200-cccccc", at(23, "17:52"), cwd)
    staffing = Call("recall_memory", {"query": "staffing"}, "…", ms=3, facts={2: "sarah-chen", 4: "q3-staffing-answer"})
    talk.turn("Which of the two roles can wait?", staffing, answer="The backend role. The roadmap has no *backend* "
              "milestone before the end of October.", ms=1800)  # fmt: skip
    talk.turn("Draft two sentences to Sarah about the backend role.", answer="Sarah, the backend role can move to Q4 "
              "without delaying the roadmap; the designer should stay in Q3.", ms=1800)  # fmt: skip
    save = Call("save_memory", {"name": "q3-staffing-answer", "summary": "Sarah waits", "kind": "open-thread"}, "Saved",
                ms=4, saved=(4, "q3-staffing-answer", "Sarah waits for the Q3 staffing answer"))  # fmt: skip
    talk.turn("Good. Remember that I owe her the answer by Friday.", save, answer="Saved as an open thread.", ms=600)
    talk.close(title="Q3 staffing notes")

    talk = Talk(paths, "20261128-224100-dddddd", at(28, "22:41"), cwd, source={"kind": "claude-code", "id": "x"})
    talk.turn(
        "Rewrite the retry loop with jitter",
        answer="- Back-off with jitter is in\n- Tests are green\n- Notes are missing",
    )
    talk.close()

    talk = Talk(paths, TALK, at(29, "15:58"), cwd)
    lives = Call("save_memory", {"name": "lives-in-tokyo", "summary": "Lives in Tokyo", "kind": "preference"}, "Saved",
                 ms=44, saved=(7, "lives-in-tokyo", "Lives in Tokyo"))  # fmt: skip
    celsius = Call("save_memory", {"name": "prefers-celsius", "summary": "Prefers Celsius", "kind": "preference"},
                   "Saved", ms=75, saved=(9, "prefers-celsius", "Prefers Celsius"))  # fmt: skip
    talk.turn("I live in Tokyo, and I prefer Celsius.", lives, celsius, always=0,
              answer="Noted: you live in Tokyo and prefer Celsius.")  # fmt: skip
    talk.now = at(29, "17:12")
    talk.turn(
        "Compare the weather for Friday's offsite: Kyoto or Hakone?",
        Call("recall_memory", {"query": "offsite"}, "…", ms=2, facts={7: "lives-in-tokyo", 5: "offsite-place"}),
        Call("get_weather", {"location": "Kyoto, Japan", "units": "celsius"}, "Here is the weather", ms=310),
        Call("get_weather", {"location": "Hakonne"}, "⚠️ No place called Hakonne was found.", ms=1200, ok=False),
        Call("get_weather", {"location": "Hakone, Japan"}, "Here is the weather", ms=284),
        answer=ANSWER, ms=2900, thought="They prefer Celsius, and Sarah is waiting for a choice by Friday.",
    )  # fmt: skip
    talk.close(title="Friday's offsite")
