from __future__ import annotations

import json

import pytest

from sessions.importers.claude_code import READER
from sessions.importers.telling import NO_RESULT
from sessions.messages import Marker
from tests.sessions.importers.claude_files import Chain, call, read, shape, told


@pytest.fixture
def chain():
    return Chain()


def agent_file(path, name, chain, **meta):
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"agent-{name}.jsonl").write_text("".join(line + "\n" for line in chain.lines))
    if meta:
        (folder / f"agent-{name}.meta.json").write_text(json.dumps(meta))


def sub_agent(prefix, prompt, *blocks):
    inner = Chain(isSidechain=True, agentId=prefix)
    inner.user(f"{prefix}u", prompt)
    inner.answer(f"{prefix}a", *blocks)
    return inner


NESTED = [
    "user u1: Hello",
    "answer a1: +t1 +c1",
    "  user xu: Count, please (t1)",
    "  answer xa: +t2 (t1)",
    "    user yu: Deeper (t2)",
    "    answer ya: Three (t2)",
    "  result xr of t2: Three (t1)",
    "  answer xb: It is three (t1)",
    "result r1 of t1: It is three",
    "result r2 of c1: done",
]


def test_sub_agents_in_files_of_their_own_stand_after_the_call_and_nest(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", call("t1", "Task", prompt="Count"), call("c1"))
    chain.result("r1", ("t1", "It is three"))
    chain.result("r2", ("c1",))
    path = chain.write(tmp_path)
    outer = sub_agent("x", "Count, please", call("t2", "Agent", prompt="Deeper"))
    outer.result("xr", ("t2", "Three"))
    outer.answer("xb", "It is three")
    agent_file(path, "one", outer, agentType="general", toolUseId="t1")
    agent_file(path, "two", sub_agent("y", "Deeper", "Three"))
    agent_file(path, "lost", sub_agent("z", "Nobody asked", "Hm"))
    records, reading = read(path)
    assert [line.strip() for line in shape(records)] == [line.strip() for line in NESTED]
    assert {r.turn for r in records if not isinstance(r, Marker)} == {1}
    assert reading.report.skipped == {"sub-agent without its call": 1}
    source = READER.at(path)
    assert source is not None
    assert sorted(p.name for p in source.beside) == ["agent-lost.jsonl", "agent-one.jsonl", "agent-two.jsonl"]


def test_sub_agents_of_older_versions_stand_in_the_same_file_or_beside_it(tmp_path):
    chain = Chain()
    chain.user("u1")
    chain.answer("a1", call("t1", "Task", prompt="Count"), call("t2", "Task", prompt="Sum"))
    main = chain.above
    chain.user("xu", "Count", under=None, isSidechain=True)
    chain.answer("xa", "Three", isSidechain=True)
    chain.result("r1", ("t1", "Three"), under=main)
    chain.result("r2", ("t2", "Six"), toolUseResult={"agentId": "7f"})
    chain.answer("a2", "Nine")
    path = chain.write(tmp_path)
    other = sub_agent("s", "Sum them", "Six")
    other.write(tmp_path, "agent-7f.jsonl")
    assert told(path) == [
        "user u1: Hello",
        "answer a1: +t1 +t2",
        "  user xu: Count (t1)",
        "  answer xa: Three (t1)",
        "  user su: Sum them (t2)",
        "  answer sa: Six (t2)",
        "result r1 of t1: Three",
        "result r2 of t2: Six",
        "answer a2: Nine",
        "turn_end a2-end stop",
    ]
    assert [s.path for s in READER.find([tmp_path])] == [path]


def test_what_a_sub_agent_waits_for_is_told_when_it_came(chain, tmp_path):
    chain.user("u1")
    chain.answer("a1", call("t1", "Task", prompt="Count"))
    path = chain.write(tmp_path)
    inner = sub_agent("x", "Count", "Let me see")
    inner.answer("xb", call("c9"))
    agent_file(path, "one", inner, toolUseId="t1")
    assert [line.strip() for line in told(path)] == [
        "user u1: Hello", "answer a1: +t1", "user xu: Count (t1)", "answer xa: Let me see (t1)",
    ]  # fmt: skip
    chain.result("r1", ("t1", "Stopped"))
    assert [line.strip() for line in told(chain.write(tmp_path))][4:] == [
        "answer xb: +c9 (t1)", f"result c9-none of c9: {NO_RESULT} (failed) (t1)", "result r1 of t1: Stopped",
    ]  # fmt: skip
