from __future__ import annotations

import typing

from sessions import events
from sessions.messages import Usage


def test_an_event_prints_its_table_fields_and_leaves_out_what_is_unset():
    done = events.TurnFinished(session="s", turn=1, stop="stop", text="Hi", usage=Usage(4, 5), ms=9)
    assert events.as_json(done) == {
        "event": "turn_finished",
        "session": "s",
        "turn": 1,
        "stop": "stop",
        "text": "Hi",
        "usage": {"input": 4, "output": 5, "cached": 0},
        "ms": 9,
        "always_sent": 0,
    }
    call = events.ToolCallStarted(session="s", turn=1, call_id="c", name="n", arguments={"a": 1})
    assert events.as_json(call).keys() == {"event", "session", "turn", "call_id", "name", "arguments"}


def test_every_event_of_the_contract_exists_under_its_name():
    names = {events.event_name(c.__new__(c)) for c in typing.get_args(events.Event)}
    contract = """turn_started step_started reasoning_delta text_delta tool_call_started tool_call_delta
        tool_call_finished step_finished retrying compaction_started compaction_finished facts_recalled fact_written
        fact_proposed fact_deleted distill_started distill_finished approval_requested approval_decided session_changed
        notice turn_finished turn_failed"""
    added = {"rewound"}
    assert names == set(contract.split()) | added
