from __future__ import annotations

import time

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.agent.replay import replay
from sessions.agent.trace import Trace
from sessions.messages import UserMessage
from sessions.store.line import main_line
from sessions.store.log import read_log
from sessions.store.outline import outline
from sessions.typed import typed_words
from tests.sessions.store.records import SESSION, answer, first, user
from tests.sessions.store.talks import STEPS, counting, line, talked

quickly = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quickly
@given(steps=STEPS)
def test_the_turns_are_those_that_the_whole_log_tells(tmp_path, steps):
    path = tmp_path / "log"
    path.write_bytes(talked(steps))
    records = read_log(path).records
    trace = Trace(replay(records, SESSION))
    found = outline(path)
    assert [(t.number, t.text, t.message) for t in found.turns] == [(t.number, t.text, t.message) for t in trace.turns]
    assert sorted(t.message for t in found.taken_back) == sorted(t.message for t in trace.taken_back)
    assert [t.typed for t in found.turns if t.typed] == typed_words(main_line(records))
    for turn in found.turns:
        part = read_log(path, turn.start, limit=turn.stop - turn.start)
        assert [r.turn for r in part.records if isinstance(r, UserMessage)][:1] in ([turn.number], [])


@quickly
@given(steps=STEPS, least=st.integers(1, 2000))
def test_a_log_can_be_cut_at_its_bounds_and_read_in_parts(tmp_path, steps, least):
    path = tmp_path / "log"
    path.write_bytes(talked(steps))
    whole = read_log(path)
    found = outline(path)
    line_ = counting(whole.records)
    for bound in found.bounds:
        below = counting(read_log(path, bound).records)
        assert below == line_[len(line_) - len(below) :]
    size = path.stat().st_size
    end, records = size, []
    while end > 0:
        start = found.before(end, least)
        assert start < end
        records[:0] = read_log(path, start, limit=end - start).records
        end = start
    assert records == whole.records
    start = 0
    while start < size:
        end = found.after(start, least, size)
        assert start < end
        for byte in (start, end - 1):
            low, high = found.span(byte, size)
            assert low <= byte < high and start <= low and high <= end
        start = end


def test_an_outline_of_many_turns_takes_no_time_for_their_texts(tmp_path):
    path = tmp_path / "log"
    turn = line(user("u", "q", 1)) + line(answer("a", 'She said: "no".\n' * 4000, 1))
    path.write_bytes(line(first()) + turn * 400)
    began = time.perf_counter()
    found = outline(path)
    assert len(found.turns) == 400 and time.perf_counter() - began < 1
