"""What the program costs, beside bare apps in the same run: `python -m tests.bench [--quick] [--only WORD]`."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.bench import fakellm, homes, sessions
from tests.bench.tuibench import Tui, pct
from tests.program import PROGRAM

FLOOR = Path(__file__).parent / "floor"
READY = "Ask anything"
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}
"""Python keeps what it compiled, as pip does when it installs: else ours alone would be compiled at every start."""


REFERENCE_CPU_S = 1.1
"""What 2,000 tokens cost the bare MarkdownStream app where the limits in seconds were set."""


@dataclass
class Row:
    """One line of the table: a figure, its limit, and what both were measured against."""

    what: str
    value: float
    limit: float
    unit: str
    note: str
    pace: float = 1.0
    """How many times slower this machine is than the one that a limit in seconds was set on."""

    def __str__(self) -> str:
        limit = self.limit * max(1.0, self.pace)
        ok = "ok  " if self.value <= limit else "OVER"
        note = f"{self.note} ({self.limit:g} times {self.pace:.1f})" if limit > self.limit else self.note
        return f"{ok}  {self.what:<52}{self.value:>9.2f} {self.unit:<4} at most {limit:<6.3g} {note}".rstrip()


@contextmanager
def ours(home: Path, *arguments: str, size: tuple[int, int] = (120, 40), **env: str) -> Iterator[Tui]:
    """Our program, ready, over a home."""
    clean = {k: "" for k in os.environ if k.startswith("MEMAGENT_")} | COMPILED
    command = [PROGRAM, "--home", str(home), *arguments]
    with Tui(command, *size, ready=READY, env={**clean, **env}, cwd=str(home.parent)) as t:
        t.start()
        yield t


@contextmanager
def bare(name: str, **env: str) -> Iterator[Tui]:
    """A floor app, ready."""
    mark = "READY-MARK"
    with Tui([sys.executable, str(FLOOR / f"{name}.py")], 120, 40, ready=mark, env={**COMPILED, **env}) as t:
        t.start()
        yield t


def first_paint(runs: int, root: Path) -> list[Row]:
    home = homes.make(root / "large", sessions=10_000, messages=2, facts=2_000).root
    mine, floor, mine_mb, floor_mb = [], [], [], []
    for i in range(runs + 1):
        with ours(home) as t:
            if i:  # the first one warms the caches of files
                mine.append(t.first_paint)
        with bare("hello") as t:
            if i:
                floor.append(t.first_paint)
    small = homes.make(root / "small").root
    for _ in range(runs):
        with ours(small) as t:
            t.settle(1.0)
            mine_mb.append(t.rss_mb())
        with bare("hello") as t:
            t.settle(1.0)
            floor_mb.append(t.rss_mb())
    a, b = statistics.median(mine), statistics.median(floor)
    c, d = statistics.median(mine_mb), statistics.median(floor_mb)
    return [
        Row("first paint, 10,000 sessions and 2,000 facts", a / b, 1.3, "x", f"{a * 1e3:.0f} against {b * 1e3:.0f} ms"),
        Row("memory at ready, on the guide", c / d, 1.6, "x", f"{c:.0f} against {d:.0f} MB"),
    ]


def help_text(runs: int, root: Path) -> list[Row]:
    def timed(command: list[str]) -> float:
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    mine = statistics.median(timed([PROGRAM, "--help"]) for _ in range(runs * 3))
    floor = statistics.median(timed([sys.executable, "-c", "import argparse"]) for _ in range(runs * 3))
    return [Row("--help", mine / floor, 4, "x", f"{mine * 1e3:.0f} against {floor * 1e3:.0f} ms")]


def model_home(root: Path, port: int) -> Path:
    home = root / f"model-{port}"
    home.mkdir(parents=True)
    profile = f'base_url = "http://127.0.0.1:{port}/v1"\nmodel = "fake-model"\n'
    (home / "config.toml").write_text(f'[agent]\nprofile = "fake"\n[profiles.fake]\n{profile}', encoding="utf-8")
    return home


@cache
def pace() -> float:
    """This machine, now, against the one where the limits in seconds were set: by the CPU of a bare app."""
    server = fakellm.start()
    port = str(server.server_address[1])
    cpu = min(stream(lambda: bare("chatfloor", PORT=port), "!tokens=2000")[1] for _ in range(3))
    server.shutdown()
    return cpu / REFERENCE_CPU_S


def echo(runs: int, root: Path) -> list[Row]:
    with ours(homes.make(root / "echo").root) as t:
        t.settle()
        mine = pct(t.type_latency(n=40), 95)
    with bare("hello_noblink") as t:
        t.settle()
        floor = pct(t.type_latency(n=40), 95)
    server = fakellm.start()
    with ours(model_home(root, server.server_address[1])) as t:
        t.send("!tokens=5000 !rate=400")
        t.settle()
        t.send("enter")
        t.wait("Part 2")
        busy = pct(t.type_latency(n=40), 95) * 1e3
    server.shutdown()
    return [
        Row("key echo p95, idle", mine / floor, 1.5, "x", f"{mine * 1e3:.1f} against {floor * 1e3:.1f} ms"),
        Row("key echo p95, while streaming", busy, 35, "ms", "", pace()),
    ]


def stream(tui: Callable[[], object], script: str) -> tuple[float, float, float]:
    """(seconds from Enter to the last word, CPU seconds, MB gained)."""
    with tui() as t:  # type: ignore[attr-defined]
        t.send("!tokens=5 !end=WARMED")
        t.settle()
        t.send("enter")
        t.wait("WARMED(?!.*!)")
        t.settle(1.5)
        t.send(script)
        t.settle()
        cpu, mb = t.cpu(), t.rss_mb()
        seconds = t.key_to_text("enter", r"(?m)^\W*ZZEND", 180)
        return seconds, t.cpu() - cpu, t.rss_mb() - mb


def streaming(runs: int, root: Path) -> list[Row]:
    server = fakellm.start()
    port = server.server_address[1]
    home = model_home(root, port)

    def mine() -> object:
        return ours(home)

    def floor() -> object:
        return bare("chatfloor", PORT=str(port))

    fast = [stream(mine, "!tokens=2000") for _ in range(runs)]
    fast_floor = [stream(floor, "!tokens=2000") for _ in range(runs)]
    slow, slow_floor = stream(mine, "!tokens=1000 !rate=100"), stream(floor, "!tokens=1000 !rate=100")
    long = stream(mine, "!tokens=20000")
    server.shutdown()
    wall, cpu = (statistics.median(r[k] for r in fast) for k in (0, 1))
    wall_floor, cpu_floor = (statistics.median(r[k] for r in fast_floor) for k in (0, 1))
    slower = pace()
    return [
        Row("2,000 tokens at full speed, Enter to last word", wall, 0.5, "s", f"bare {wall_floor:.2f} s", slower),
        Row("2,000 tokens at full speed, CPU", cpu, 0.4, "s", f"bare {cpu_floor:.2f} s", slower),
        Row("CPU at 100 tokens/s", slow[1] / slow_floor[1], 0.4, "x", f"{slow[1]:.2f} against {slow_floor[1]:.2f} s"),
        Row("20,000 tokens in one answer, Enter to last word", long[0], 1.5, "s", "", slower),
        Row("20,000 tokens in one answer, memory", long[2], 15, "MB", ""),
    ]


def idle(runs: int, root: Path) -> list[Row]:
    with ours(homes.make(root / "idle").root) as t:
        t.settle(2.0)
        cpu, written = t.idle(5)
    return [
        Row("idle for 5 s, CPU", cpu, 0.03, "s", "", pace()),
        Row("idle for 5 s, to the terminal", written / 1e3, 2, "kB", ""),
    ]


def history(runs: int, root: Path) -> list[Row]:
    rows = []
    for megabytes, (most_ms, most_mb) in sessions.LIMITS.items():
        paths = homes.make(root / f"{megabytes}-mb")
        turns = sessions.long_session(paths, megabytes)
        ms, mb = sessions.to_tail(paths.root, ours, runs)
        what = f"{megabytes} MB session, {turns:,} turns: Enter to its tail"
        rows.append(Row(what, ms, most_ms, "ms", "", pace()))
        rows.append(Row(f"{megabytes} MB session: memory, the tree full", mb, most_mb, "MB", ""))
    many = homes.make(root / "many", sessions=10_000, messages=2)
    sessions.listed(many)
    ms = sessions.to_list(many.root, ours, runs)
    return [*rows, Row("History with 10,000 sessions, key to list", ms, 60, "ms", "", pace())]


PARTS = {
    "paint": first_paint,
    "help": help_text,
    "echo": echo,
    "streaming": streaming,
    "history": history,
    "idle": idle,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one run of each")
    parser.add_argument("--only", choices=PARTS, action="append", help="these parts only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memagent-bench-") as folder:
        for name, part in PARTS.items():
            if options.only and name not in options.only:
                continue
            for row in part(1 if options.quick else 5, Path(folder) / name):
                print(row, flush=True)


if __name__ == "__main__":
    main()
