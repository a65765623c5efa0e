from __future__ import annotations

from sessions import events as ev
from tests.tui.chat.stage import S
from tui.chat.blocks import Answer, Call, Divider, Failed, Foot, FootItem, Learned, Note, Prompt, Thought
from tui.chat.document import Document

T = {"session": S, "turn": 1}


def folded(*events: ev.Event) -> Document:
    document = Document()
    document.load(events)
    return document


def turn(*, live: bool) -> list[ev.Event]:
    def pieces(kind, text):
        return [
            kind(**T, text=part) for part in ([text[i : i + 3] for i in range(0, len(text), 3)] if live else [text])
        ]

    progress = [ev.ToolCallDelta(**T, call_id="c2", text="half")] if live else []
    retry = [ev.Retrying(**T, reason="429", wait_s=2, attempt=1)] if live else []
    done = [
        ev.ToolCallFinished(**T, call_id="c1", name="save_memory", content="y", ok=True, ms=9),
        ev.ToolCallFinished(**T, call_id="c2", name="recall_memory", content="x", ok=True, ms=2),
    ]
    recalled = ev.FactsRecalled(**T, names=("a",), numbers=(7,), call_id="c2")
    saved = ev.FactWritten(**T, names=("b",), numbers=(13,), summaries=("Lives in Tokyo",), call_id="c1")
    return [
        ev.TurnStarted(**T, text="hello", at="2026-11-29T17:12:00Z", message="m1"),
        ev.StepStarted(**T, step=1, profile="p", model="m"),
        *retry,
        *pieces(ev.ReasoningDelta, "let me think"),
        *pieces(ev.TextDelta, "First I look."),
        ev.ToolCallStarted(**T, call_id="c1", name="save_memory", arguments={"name": "b"}),
        ev.ToolCallStarted(**T, call_id="c2", name="recall_memory", arguments={"query": "q"}),
        *progress,
        *([recalled, done[1], saved, done[0]] if live else [done[0], saved, recalled, done[1]]),
        ev.StepFinished(**T, step=1, stop="tool_calls", reasoning_ms=1400, message="m2"),
        ev.StepStarted(**T, step=2, profile="p", model="m"),
        *pieces(ev.TextDelta, "Here it *is*."),
        ev.StepFinished(**T, step=2, stop="stop", message="m3"),
        ev.TurnFinished(**T, stop="stop", text="Here it *is*.", ms=2900, always_sent=8),
    ]


def test_a_live_turn_and_its_replay_give_the_same_document():
    live, replayed = folded(*turn(live=True)), folded(*turn(live=False))
    assert live == replayed
    assert [type(block) for block in live.blocks] == [Prompt, Thought, Answer, Call, Learned, Call, Answer, Foot]


def test_a_call_knows_how_many_facts_it_recalled_and_which_it_changed():
    saved, recalled = (block for block in folded(*turn(live=True)).blocks if isinstance(block, Call))
    assert (saved.recalled, saved.changed) == (0, (13,))
    assert (recalled.recalled, recalled.changed) == (1, ())


def test_documents_of_other_words_differ():
    assert folded(*turn(live=False)) != folded(*turn(live=False)[:-2])


def test_the_foot_names_recalled_saved_and_always_sent_facts():
    foot = folded(*turn(live=False)).foot()
    assert foot
    assert foot.items == (FootItem("recalled", "a", 7), FootItem("saved", "b", 13), FootItem("always", count=8))


def test_a_turn_without_facts_has_a_foot_that_cannot_be_focused():
    document = folded(ev.TurnStarted(**T, text="x"), ev.TurnFinished(**T, stop="stop", text="hi", ms=5))
    assert isinstance(document.blocks[-1], Foot)
    assert document.foot() is None


def test_a_thought_that_comes_after_text_stands_before_it_as_in_the_log():
    document = folded(
        ev.TurnStarted(**T, text="x"),
        ev.StepStarted(**T, step=1, profile="p", model="m"),
        ev.TextDelta(**T, text="one "),
        ev.ReasoningDelta(**T, text="hm"),
        ev.TextDelta(**T, text="two"),
    )
    assert [block.source for block in document.blocks] == ["x", "hm", "one two"]


def test_text_of_nothing_but_spaces_leaves_no_block():
    document = folded(
        ev.TurnStarted(**T, text="x"),
        ev.TextDelta(**T, text="\n\n"),
        ev.ToolCallStarted(**T, call_id="c", name="t", arguments={}),
    )
    assert [type(block) for block in document.blocks] == [Prompt, Call]


def test_a_cancelled_turn_keeps_its_text_and_ends_its_calls():
    document = folded(
        ev.TurnStarted(**T, text="x"),
        ev.TextDelta(**T, text="half an ans"),
        ev.ToolCallStarted(**T, call_id="c", name="t", arguments={}),
        ev.TurnFinished(**T, stop="cancelled", text="half an ans", ms=10),
    )
    call = document.call("c")
    assert document.state == "stopped"
    assert call and call.state == "failed"
    assert document.blocks[1].source == "half an ans"


def test_a_failed_turn_says_why_and_what_to_do():
    document = folded(
        ev.TurnStarted(**T, text="x"), ev.TurnFailed(**T, error="refused", advice="start the server", ms=1)
    )
    failed = document.blocks[1]
    assert isinstance(failed, Failed)
    assert (document.state, failed.error, failed.advice) == ("failed", "refused", "start the server")


def test_what_stands_above_a_compaction_is_dimmed_and_counted():
    document = folded(
        *turn(live=False), ev.CompactionFinished(session=S, tokens_before=900, tokens_after=100, content="short")
    )
    divider = document.blocks[-1]
    assert isinstance(divider, Divider)
    assert (document.dim_before, divider.messages) == (len(document.blocks) - 1, 5)


def test_a_compaction_that_failed_leaves_no_divider():
    assert not folded(ev.CompactionFinished(session=S, tokens_before=900)).blocks


def test_retrying_is_said_until_anything_comes():
    document = folded(ev.TurnStarted(**T, text="x"), ev.Retrying(**T, reason="429", wait_s=2, attempt=1))
    assert "429" in document.retrying
    document.apply(ev.TextDelta(**T, text="a"))
    assert not document.retrying


def test_a_notice_keeps_its_level():
    document = folded(ev.Notice(session=S, level="warning", text="careful"))
    assert document.blocks == [Note(level="warning", text="careful")]


def test_only_what_changed_is_reported_to_a_view():
    document = folded(*turn(live=False))
    assert document.take_changed() == 0
    document.apply(ev.TurnStarted(session=S, turn=2, text="next"))
    assert document.take_changed() == len(document.blocks) - 1
    assert document.take_changed() is None
