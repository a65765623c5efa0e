"""Other agents' sessions, read alone: `python -m tests.bench.foreign [MEGABYTES] [--codex | --chatgpt | --start]`.

Prints what a made file of that size costs: MB per second of one core's time and peak memory of the reader, ms of
`head`, and beside it a bare loop of `json.loads` over the same lines. 1,000 MB are 400,000 lines. `--chatgpt` takes an
export over instead, in which 500 MB must do with 500 MB of memory, and tells what doing it again costs.
`--start` starts the program over 500 sessions that it follows, and over the same home that follows nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sessions.clock import SystemClock
from sessions.importers.base import Report
from sessions.importers.exports import export, take_export
from sessions.importers.passing import take_all
from sessions.importers.registry import reader
from sessions.importers.taking import Taken, Taking
from sessions.paths import HomePaths, make_home
from tests.bench.__main__ import Row, ours
from tests.bench.homes import WORDS

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
SESSION = "5b1d0c3e-7a51-4a53-9d4e-000000000001"
FOLLOWED, FOLLOWED_BYTES = 500, 20_000
"""Sessions, and how long each of them is."""
CALLS = 4
"""In a turn."""


def texts(random_: random.Random) -> list[str]:
    """Answers and results of all lengths; some with what JSON escapes."""
    lengths = [20] * 60 + [150] * 18 + [900] * 17 + [5_000] * 5
    made = [" ".join(random_.choices(WORDS, k=n)) for n in lengths]
    return [text.replace(" ", '\n\t"', len(text) // 200) if i % 2 else text for i, text in enumerate(made)]


def claude_lines(size: int) -> Iterator[str]:
    """Turns with parallel calls, hooks beside them, and what else such files hold."""
    random_ = random.Random(7)
    some = texts(random_)
    at, made, number = START, 0, 0
    above: str | None = None

    def line(type_: str, under: str | None, **more: Any) -> tuple[str, str]:
        nonlocal at, number
        number += 1
        at += timedelta(seconds=2)
        uuid = f"{number:08x}-0000-4000-8000-{random_.getrandbits(48):012x}"
        head = {"parentUuid": under, "isSidechain": False, "userType": "external", "cwd": "/home/ada/atlas"}
        head |= {"sessionId": SESSION, "version": "2.1.7", "gitBranch": "main", "type": type_}
        stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return uuid, json.dumps(head | more | {"uuid": uuid, "timestamp": stamp}, ensure_ascii=False) + "\n"

    usage = {"input_tokens": 4, "cache_creation_input_tokens": 900, "cache_read_input_tokens": 41_000}
    usage |= {"output_tokens": 210}
    turn = 0
    while made < size:
        turn += 1
        lines: list[str] = []
        above, text = line("user", above, message={"role": "user", "content": random_.choice(some[:60])})
        lines.append(text)
        for step in range(4):
            reply = {"id": f"msg_{turn:06}{step}", "type": "message", "role": "assistant", "model": "claude-opus"}
            blocks: list[dict[str, Any]] = [
                {"type": "thinking", "thinking": random_.choice(some[:85]), "signature": "x"}
            ]
            calls = [f"toolu_{turn:08}{step}{i}abcdef" for i in range(2 if step < 3 else 0)]
            blocks += [{"type": "tool_use", "id": c, "name": "Bash", "input": {"command": "ls -la"}} for c in calls]
            blocks += [] if calls else [{"type": "text", "text": random_.choice(some)}]
            for block in blocks:
                message = reply | {"content": [block], "stop_reason": None, "usage": usage}
                above, text = line("assistant", above, message=message, requestId=f"req_{turn}{step}")
                lines.append(text)
            for call in calls:
                said = random_.choice(some)
                _, text = line("progress", above, data={"type": "hook_progress", "hookEvent": "PreToolUse"})
                lines.append(text)
                content = [{"tool_use_id": call, "type": "tool_result", "content": said}]
                result = {"stdout": said, "stderr": "", "interrupted": False}
                message = {"role": "user", "content": content}
                above, text = line("user", above, message=message, toolUseResult=result)
                lines.append(text)
        made += sum(map(len, lines))
        yield from lines


def codex_lines(size: int) -> Iterator[str]:
    """Turns with calls, each said twice as such files do."""
    random_ = random.Random(7)
    some = texts(random_)
    at, made, number = START, 0, 0

    def line(type_: str, **payload: Any) -> str:
        nonlocal at
        at += timedelta(seconds=1)
        stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return json.dumps({"timestamp": stamp, "type": type_, "payload": payload}, ensure_ascii=False) + "\n"

    yield line("session_meta", id=SESSION, cwd="/home/ada/atlas", cli_version="0.60.0")
    while made < size:
        said, answer = random_.choice(some[:60]), random_.choice(some)
        content = [{"type": "input_text", "text": said}]
        lines = [line("turn_context", cwd="/home/ada/atlas", model="gpt-5-codex")]
        lines.append(line("response_item", type="message", role="user", content=content))
        lines.append(line("event_msg", type="user_message", message=said))
        for _ in range(CALLS):
            number += 1
            call, result = f"call_{number:020}", random_.choice(some)
            lines.append(line("response_item", type="reasoning", summary=[{"type": "summary_text", "text": "Next."}]))
            arguments = json.dumps({"command": ["bash", "-lc", "ls"]})
            lines.append(line("response_item", type="function_call", name="shell", arguments=arguments, call_id=call))
            output = json.dumps({"output": result, "metadata": {"exit_code": 0}})
            lines.append(line("response_item", type="function_call_output", call_id=call, output=output))
            lines.append(line("event_msg", type="token_count", info={"last_token_usage": {"input_tokens": 9_000}}))
        content = [{"type": "output_text", "text": answer}]
        lines.append(line("response_item", type="message", role="assistant", content=content))
        lines.append(line("event_msg", type="agent_message", message=answer))
        made += sum(map(len, lines))
        yield from lines


def export_text(size: int) -> Iterator[str]:
    """An export of ChatGPT as it comes, in one line; one of fifty conversations is a long one."""
    random_ = random.Random(7)
    some = texts(random_)
    made = number = 0
    yield "["
    while made < size:
        number += 1
        began = START.timestamp() + number * 3_600
        nodes: dict[str, Any] = {}
        above: str | None = None
        for i in range(2_000 if number % 50 == 0 else 24):
            key = f"{number:08x}-{i:04x}-4000-8000-{random_.getrandbits(48):012x}"
            role = "assistant" if i % 2 else "user"
            said = random_.choice(some if i % 2 else some[:70])
            message = {"id": key, "author": {"role": role, "name": None, "metadata": {}}, "create_time": began + i}
            message |= {"content": {"content_type": "text", "parts": [said]}, "status": "finished_successfully"}
            message |= {"end_turn": True, "weight": 1.0, "recipient": "all", "channel": None}
            message["metadata"] = {"model_slug": "gpt-5", "request_id": key, "citations": [], "timestamp_": "absolute"}
            nodes[key] = {"id": key, "message": message, "parent": above, "children": []}
            if above is not None:
                nodes[above]["children"].append(key)
            above = key
        raw = {"title": f"Conversation {number}", "create_time": began, "update_time": began, "mapping": nodes}
        raw |= {"current_node": above, "conversation_id": f"{number:08x}-0000-4000-8000-000000000001"}
        text = (", " if number > 1 else "") + json.dumps(raw)
        made += len(text)
        yield text
    yield "]"


def exported(size: int) -> None:
    """What an export costs: going through it, taking it over, and doing that again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "conversations.json"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(export_text(size))
        megabytes = path.stat().st_size / 1e6
        one = export("chatgpt")
        floor = _resident()
        counts: Counter[str] = Counter()

        def read() -> None:
            for talk in one.talks(path, Report(), lambda _: None):
                counts["sessions"] += 1
                counts["records"] += sum(1 for _ in talk.read(talk.source).records)

        took = seconds(read)
        peak = _resident()
        home = HomePaths(Path(folder) / "home", Path(folder) / "home/config.toml")
        make_home(home)
        taking = Taking(home, SystemClock())
        whole = seconds(lambda: take_export(taking, one, path))
        all_of_it = _resident()
        again = seconds(lambda: take_export(taking, one, path))
    print(f"chatgpt: {megabytes:.0f} MB, {counts['sessions']:,} sessions, {counts['records']:,} records")
    print(f"read {megabytes / took:.1f} MB/s; memory: at most {peak:.0f} MB, {peak - floor:.0f} MB of it for reading")
    print(f"taken over {megabytes / whole:.1f} MB/s, memory at most {all_of_it:.0f} MB")
    print(f"again, with nothing new: {again:.1f} s")


def followed(folder: Path) -> list[Path]:
    """Many sessions of Claude Code in some projects, none of which repeats a line of another."""
    lines = "".join(claude_lines(FOLLOWED_BYTES))
    made = []
    for i in range(FOLLOWED):
        uuid = f"{SESSION[:-4]}{i:04x}"
        path = folder / "projects" / f"-home-ada-{i % 20}" / f"{uuid}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        own = lines.replace(SESSION, uuid).replace("-0000-4000-8000-", f"-{i:04x}-4000-8001-")
        path.write_text(own, encoding="utf-8")
        made.append(path)
    return made


def started(runs: int = 5) -> list[Row]:
    """What following costs the first paint, when all are new and when all were taken over before."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        paths = followed(root / "claude")

        def paint(home: HomePaths, follow: bool) -> float:
            home.config.write_text(f"[import]\nfollow = {str(follow).lower()}\n")
            with ours(home.root, CLAUDE_CONFIG_DIR=str(root / "claude"), CODEX_HOME=str(root / "none")) as t:
                painted = t.first_paint
            assert painted is not None
            return float(painted)

        def empty(name: str) -> HomePaths:
            home = HomePaths(root / name, root / name / "config.toml")
            make_home(home)
            return home

        had = empty("had")
        one = reader("claude-code")
        sources = [(one, source) for path in paths if (source := one.at(path)) is not None]
        assert take_all(Taking(had, SystemClock()), sources).statuses["new"] == FOLLOWED
        times: dict[tuple[str, bool], list[float]] = {}
        for run in range(runs + 1):
            for follow in (False, True):
                new = paint(empty(f"new-{run}-{follow}"), follow)
                again = paint(had, follow)
                if run:  # the first one warms the caches of files
                    times.setdefault(("all new", follow), []).append(new)
                    times.setdefault(("all here", follow), []).append(again)
    rows = []
    for what in ("all new", "all here"):
        a, b = statistics.median(times[what, True]), statistics.median(times[what, False])
        note = f"{a * 1e3:.0f} against {b * 1e3:.0f} ms that follow nothing"
        rows.append(Row(f"first paint, {FOLLOWED} followed sessions, {what}", a / b, 1.1, "x", note))
    return rows


def bare(path: Path) -> None:
    """What reading once costs at least."""
    with path.open("rb") as file:
        for text in file:
            json.loads(text)


def seconds(run: Callable[[], object]) -> float:
    """Of the processor's time: what else the machine does is not counted."""
    start = time.process_time()
    run()
    return time.process_time() - start


def more(path: Path, codex: bool) -> str:
    """One more line of the conversation."""
    last = json.loads(path.read_bytes().rstrip(b"\n").rpartition(b"\n")[2])
    if codex:
        content = [{"type": "input_text", "text": "One more."}]
        last |= {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}}
    else:
        last |= {"parentUuid": last["uuid"], "uuid": "ffffffff-0000-4000-8000-000000000001", "type": "user"}
        last["message"] = {"role": "user", "content": "One more."}
    return json.dumps(last) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("megabytes", nargs="?", type=int, default=100)
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--codex", action="store_true")
    kinds.add_argument("--chatgpt", action="store_true")
    kinds.add_argument("--start", action="store_true")
    arguments = parser.parse_args()
    if arguments.start:
        for row in started():
            print(row)
        return
    if arguments.chatgpt:
        exported(arguments.megabytes * 1_000_000)
        return
    kind, make = ("codex", codex_lines) if arguments.codex else ("claude-code", claude_lines)
    with tempfile.TemporaryDirectory() as folder:
        name = f"rollout-2026-03-02T08-00-00-{SESSION}.jsonl" if arguments.codex else f"{SESSION}.jsonl"
        path = Path(folder) / name
        with path.open("w", encoding="utf-8") as file:
            file.writelines(make(arguments.megabytes * 1_000_000))
        size = path.stat().st_size / 1e6
        one = reader(kind)
        source = one.at(path)
        assert source is not None
        head = min(seconds(lambda: one.head(source)) for _ in range(5))
        floor = _resident()
        counts: dict[str, int] = {}

        def read() -> None:
            for record in one.read(source).records:
                counts[type(record).__name__] = counts.get(type(record).__name__, 0) + 1

        took = seconds(read)
        peak = _resident()
        once = seconds(lambda: bare(path))
        lines = sum(1 for _ in path.open("rb"))
        home = HomePaths(Path(folder) / "home", Path(folder) / "home/config.toml")
        make_home(home)
        taking = Taking(home, SystemClock())
        whole = seconds(lambda: taking.take(one, source))
        all_of_it = _resident()
        with path.open("a", encoding="utf-8") as file:
            file.write(more(path, arguments.codex))
        grown = one.at(path)
        assert grown is not None
        came: list[Taken] = []
        again = seconds(lambda: came.append(taking.take(one, grown)))
        assert [(taken.status, taken.messages) for taken in came] == [("grown", 1)]
    print(f"{kind}: {size:.0f} MB, {lines:,} lines, {counts}")
    print(f"head {head * 1e3:.1f} ms")
    print(f"read {size / took:.1f} MB/s; bare json.loads {size / once:.1f} MB/s: {took / once:.2f} times as long")
    print(f"memory: at most {peak:.0f} MB, {peak - floor:.0f} MB of it for reading")
    print(f"taken over {size / whole:.1f} MB/s, memory at most {all_of_it:.0f} MB; one more line {again * 1e3:.0f} ms")


def _resident() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


if __name__ == "__main__":
    main()
