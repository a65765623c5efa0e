"""The transcript alone, fed with tokens as fast as they can be made.

`python -m tests.bench.transcript_micro` prints CPU seconds from the first token to the last word on the screen, and
the memory that it took. `--rate 100` feeds that many tokens a second for five seconds instead.
"""

from __future__ import annotations

import asyncio
import resource
import sys
import time

from sessions.events import StepStarted, TextDelta, TurnFinished, TurnStarted
from tests.tui.chat.stage import Stage

PIECE = """## Part {n}

Here is a paragraph with **bold words**, some `code` and a [link](https://example.org/{n}) that is long enough to wrap.

- first point with a few words
- second point
  - nested

```python
def part_{n}(value: int) -> str:
    return f"part {{value}}"  # a comment
```

| Place | High |
|---|---|
| Kyoto | 13 |

"""


def words(count: int) -> list[str]:
    """About `count` tokens of Markdown, four characters each."""
    text = "".join(PIECE.format(n=n) for n in range(count * 4 // len(PIECE) + 1))
    return [text[i : i + 4] for i in range(0, count * 4, 4)]


def rss_mb() -> float:
    """Memory of this process."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 1e6


async def run(count: int, rate: float = 0.0) -> None:
    head = {"session": "s", "turn": 1}
    pieces = words(count)
    app = Stage()
    async with app.run_test(size=(120, 40)) as pilot:
        view = app.transcript
        view.apply(TurnStarted(**head, text="go"))
        view.apply(StepStarted(**head, step=1, profile="p", model="m"))
        view.apply(TextDelta(**head, text=PIECE.format(n=0)))
        await pilot.pause()
        memory, cpu, wall = rss_mb(), time.process_time(), time.perf_counter()
        for i, piece in enumerate(pieces):
            view.apply(TextDelta(**head, text=piece))
            if rate:
                await asyncio.sleep(max(0.0, wall + i / rate - time.perf_counter()))
            elif i % 20 == 0:
                await asyncio.sleep(0)
        view.apply(TurnFinished(**head, stop="stop", text="", ms=1))
        await view.drawn()
        await pilot.pause()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        share = f", {cpu / wall:.0%} of a core" if rate else ""
        print(f"{count:6} tokens  {wall:6.2f} s  {cpu:6.2f} CPU s  {rss_mb() - memory:+5.1f} MB{share}")


async def main() -> None:
    if "--rate" in sys.argv:
        rate = float(sys.argv[sys.argv.index("--rate") + 1])
        await run(int(rate * 5), rate)
        return
    for count in (2_000, 20_000):
        await run(count)


if __name__ == "__main__":
    asyncio.run(main())
