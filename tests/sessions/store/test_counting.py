from __future__ import annotations

import random

import pytest

from sessions.messages import AssistantMessage, Marker, Record, Unknown, UserMessage
from sessions.store.counting import Counting
from sessions.store.line import before, main_line

AT = "2026-11-29T17:14:08.000Z"


@pytest.mark.parametrize("seed", range(60))
def test_the_turns_that_count_are_those_of_the_main_line_however_often_the_talk_went_back(seed: int) -> None:
    random_ = random.Random(seed)
    log: list[Record] = [Marker("first", AT, "session", {})]
    counting = Counting()
    counting.feed(log[0])

    def write(record: Record) -> None:
        log.append(record)
        counting.feed(record)

    for n in range(1, 40):
        name = f"{n}"
        line = main_line(log)
        prompts = [r for r in line if isinstance(r, UserMessage)]
        match random_.randrange(7):
            case 0 if prompts:
                write(Marker(f"r{name}", AT, "rewound", {"to": before(line, random_.choice(prompts).id)}))
            case 1:
                write(Marker(f"m{name}", AT, random_.choice(("meta", "distilled", "fact")), {}))
            case 2:
                first = random_.choice(prompts).id if prompts else None
                write(Marker(f"c{name}", AT, "compaction", {"content": "short", "first_kept": first}))
            case 3:
                write(Unknown({"id": f"x{name}"}, "erased"))
            case _:
                write(UserMessage(f"u{name}", AT, n, "said"))
                if random_.random() < 0.8:
                    write(AssistantMessage(f"a{name}", AT, n, "answered", profile="p", model="m"))
                    write(Marker(f"e{name}", AT, "turn_end", {"turn": n}))
        assert counting.turns == sum(isinstance(r, UserMessage) for r in main_line(log)), log
