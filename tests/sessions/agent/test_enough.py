from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions.agent.before import Before, before
from sessions.agent.context import build
from sessions.agent.enough import enough
from sessions.messages import Record, UserMessage
from sessions.settings import ContextSettings
from sessions.store.log import read_log
from sessions.store.outline import outline
from sessions.store.tail import read_tail
from tests.sessions.store.records import AT
from tests.sessions.store.talks import STEPS, talked

NOTHING = Before()


def request(records: list[Record], window: int, max_turns: int, off: bool, above: Before = NOTHING):
    new = UserMessage("new", AT, 99, "and now?")
    return build(
        [*records, new],
        system="You help.",
        blocks=(),
        tools=(),
        environment="today",
        settings=ContextSettings(max_turns=max_turns),
        window=window,
        off=off,
        before=above.summary_off if off else above.summary,
    ).request


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, window=st.integers(40, 600), max_turns=st.integers(0, 3))
def test_what_is_enough_gives_the_same_request_as_the_whole_log(tmp_path, steps, window, max_turns):
    path = tmp_path / "log"
    path.write_bytes(talked(steps))
    read = read_tail(path, least=1)
    records, start = read.records, read.start
    while start and not enough(records, window=window, max_turns=max_turns):
        read = read_tail(path, start, least=1)
        records, start = [*read.records, *records], read.start
    above = before(outline(path), start)
    whole = read_log(path).records
    for off in (False, True):
        assert request(records, window, max_turns, off, above) == request(whole, window, max_turns, off)
