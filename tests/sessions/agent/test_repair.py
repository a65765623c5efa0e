from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.agent.repair import NO_RESULT, repair
from sessions.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage

AT = "2026-11-29T17:14:08.123Z"
IDS = st.sampled_from(["c1", "c2", "c3", "c4"])
CALLS = st.lists(
    st.builds(lambda i, p: ToolCall(i, "t", {}, provider_id=p), IDS, st.sampled_from([None, "p1", "p2"])), max_size=3
)
MESSAGES = st.lists(
    st.one_of(
        st.builds(lambda t: UserMessage("u", AT, 1, t), st.text(max_size=3)),
        st.builds(
            lambda t, c, p, r: AssistantMessage("a", AT, 1, t, reasoning=r, tool_calls=tuple(c), profile=p),
            st.sampled_from(["", " ", "text"]),
            CALLS,
            st.sampled_from(["one", "two"]),
            st.sampled_from([None, "hm"]),
        ),
        st.builds(lambda i, t: ToolMessage("r", AT, 1, i, "t", t), IDS, st.text(max_size=3)),
    ),
    max_size=12,
)


def assistant(*calls: ToolCall, profile: str = "one", text: str = "", **more: object) -> AssistantMessage:
    return AssistantMessage("a", AT, 1, text, tool_calls=calls, profile=profile, **more)  # type: ignore[arg-type]


def result(call: str, text: str = "ok") -> ToolMessage:
    return ToolMessage(f"r-{call}", AT, 1, call, "t", text)


@settings(deadline=None)
@given(MESSAGES, st.sampled_from([None, "one", "two"]))
def test_any_messages_become_well_formed_and_repairing_twice_changes_nothing(
    messages: list[Message], profile: str | None
) -> None:
    before = list(messages)
    repaired = repair(messages, profile)
    assert messages == before
    assert repair(repaired, profile) == repaired
    expected: list[str] = []
    for message in repaired:
        if isinstance(message, ToolMessage):
            assert expected and message.tool_call_id == expected.pop(0)
            continue
        assert not expected, "every call has its result right after it"
        if isinstance(message, AssistantMessage):
            assert message.tool_calls or message.content.strip()
            expected = [call.id for call in message.tool_calls]
    assert not expected
    said = [m for m in messages if isinstance(m, UserMessage)]
    assert [m for m in repaired if isinstance(m, UserMessage)] == said


def test_results_are_put_in_call_order_and_missing_ones_are_made_up() -> None:
    calls = assistant(ToolCall("c1", "t", {}), ToolCall("c2", "t", {}), ToolCall("c3", "t", {}))
    user = UserMessage("u", AT, 2, "next")
    out = repair([calls, result("c3"), user, result("c1"), result("c1", "again"), result("c9")])
    assert [getattr(m, "tool_call_id", m.id) for m in out] == ["a", "c1", "c2", "c3", "u"]
    assert isinstance(out[2], ToolMessage) and (out[2].content, out[2].ok) == (NO_RESULT, False)
    assert out[1].content == "ok"


def test_reasoning_and_a_providers_own_ids_stay_with_its_profile() -> None:
    own = assistant(ToolCall("c1", "t", {}, provider_id="p1"), reasoning="hm", provider_items={"x": 1})
    messages = [own, result("c1")]
    assert repair(messages, "one") == messages
    other = repair(messages, "two")[0]
    assert isinstance(other, AssistantMessage)
    assert (other.reasoning, other.provider_items, other.tool_calls[0].provider_id) == (None, None, None)


def test_a_repeated_provider_id_stays_on_the_first_call_only() -> None:
    messages = [
        assistant(ToolCall("c1", "t", {}, provider_id="p1"), ToolCall("c2", "t", {}, provider_id="p1")),
        *(result("c1"), result("c2")),
        assistant(ToolCall("c3", "t", {}, provider_id="p1")),
        result("c3"),
    ]
    out = [m for m in repair(messages, "one") if isinstance(m, AssistantMessage)]
    assert [call.provider_id for m in out for call in m.tool_calls] == ["p1", None, None]
