from __future__ import annotations

import pytest

from sessions.importers.telling import NO_RESULT
from tests.sessions.importers.claude_files import Chain, call, known_after, read, shape, thinking
from tests.sessions.importers.test_claude_agents import sub_agent

C1, C2 = "toolu_01abcdefghij", "toolu_02abcdefghij"


@pytest.fixture
def chain():
    made = Chain()
    made.user("u1")
    made.answer("a1", "Hi")
    made.system("d1", "turn_duration", durationMs=2000)
    return made


class Followed:
    """A file that is read on each time it has grown."""

    def __init__(self, chain, folder):
        self.chain, self.folder = chain, folder
        self.known = None
        self.records = []
        self.more()

    def more(self):
        """What came since; the whole conversation when it had to be read again."""
        new, self.reading = read(self.chain.write(self.folder), self.known)
        assert self.reading.after == (None if self.known is None or not self.reading.after else self.known.last)
        self.known = known_after(new, self.reading, self.known)
        self.records = self.records + new if self.reading.after else new
        return shape(new)

    def is_whole(self):
        """Whether following gave what reading all at once gives."""
        return shape(self.records) == shape(read(self.chain.write(self.folder))[0])

    @property
    def went_on(self):
        return self.reading.after is not None


def test_only_the_new_lines_are_read_and_come_behind_the_last_record(chain, tmp_path):
    followed = Followed(chain, tmp_path)
    size = followed.known.size
    assert followed.more() == [] and followed.known.size == size and followed.went_on
    chain.user("u2", "More")
    assert followed.more() == ["user u2: More"]
    chain.answer("a2", "Yes", stop="end_turn")
    assert followed.more() == ["answer a2: Yes", "turn_end a2-end stop"]
    chain.system("w1", "away_summary", content="Said hello.")
    chain.user("u3", "Third")
    assert followed.more() == ["meta w1-end", "user u3: Third"]
    assert followed.reading.report.lines == 2 and followed.went_on
    assert [r.turn for r in followed.records if hasattr(r, "turn")] == [1, 1, 2, 2, 3]
    assert followed.is_whole()


def test_results_that_come_later_belong_to_the_calls_that_wait(chain, tmp_path):
    chain.user("u2", "Look")
    chain.answer("a2", call(C1), id="m")
    chain.answer("a3", call(C2), id="m")
    followed = Followed(chain, tmp_path)
    assert followed.known.open_calls == {C1: (C1, "Bash"), C2: (C2, "Bash")}
    chain.result("r2", (C2, "two"))
    assert followed.more() == [f"result r2 of {C2}: two"] and followed.went_on
    chain.result("r1", (C1, "one"), under="a2")
    chain.answer("a4", "Both", under="r2")
    assert followed.more() == [f"result r1 of {C1}: one", "answer a4: Both", "turn_end a4-end stop"]
    assert followed.went_on and not followed.known.open_calls


def test_a_late_result_of_a_call_whose_lines_do_not_say_their_reply_is_not_lost(chain, tmp_path):
    chain.user("u2", "Look")
    chain.answer("a2", call(C1))
    followed = Followed(chain, tmp_path)
    chain.answer("a3", call(C2))
    assert f"result {C1}-none of {C1}: {NO_RESULT} (failed)" in followed.more()
    chain.result("r2", (C2, "two"))
    followed.more()
    chain.result("r1", (C1, "one"), under="a2")
    chain.answer("a4", "Both", under="r2")
    assert f"result r1 of {C1}: one" in followed.more() and followed.is_whole()
    chain.result("r9", (C1, "one again"))
    followed.more()
    assert not followed.went_on and followed.is_whole()


def test_a_line_that_comes_again_is_not_told_again(chain, tmp_path):
    chain.user("u2", "Look")
    chain.answer("a2", call(C1))
    followed = Followed(chain, tmp_path)
    again = chain.lines[-1]
    for n in range(3):
        chain.result(f"r{n + 2}", (C1, "one")) if not n else chain.user(f"u{n + 2}", "More")
        chain.lines.append(again)
        chain.answer(f"a{n + 3}", "Done", stop="end_turn")
        followed.more()
        assert followed.is_whole()


def test_a_call_that_was_left_behind_gets_its_result_made_up(chain, tmp_path):
    chain.user("u2", "Look")
    chain.answer("a2", call(C1))
    followed = Followed(chain, tmp_path)
    chain.user("u3", "Never mind")
    assert followed.more() == [
        f"result {C1}-none of {C1}: {NO_RESULT} (failed)",
        f"turn_end {C1}-none-end cancelled",
        "user u3: Never mind",
    ]
    assert followed.went_on and followed.is_whole()


def test_thoughts_alone_wait_for_the_words(chain, tmp_path):
    chain.user("u2", "Think")
    chain.answer("a2", thinking("Hm."), id="m")
    followed = Followed(chain, tmp_path)
    assert shape(followed.records)[-1] == "user u2: Think"
    chain.answer("a3", "So.", id="m")
    assert followed.more() == ["answer a2: So.", "turn_end a2-end stop"]
    assert followed.went_on and followed.is_whole()


def test_another_part_of_a_reply_that_was_told_makes_all_be_read(chain, tmp_path):
    chain.user("u2", "Look")
    chain.answer("a2", "Let me see.", id="m")
    followed = Followed(chain, tmp_path)
    chain.answer("a3", call(C1), id="m")
    assert followed.more()[-2:] == ["user u2: Look", f"answer a2: Let me see. +{C1}"]
    assert not followed.went_on


def test_another_branch_makes_all_be_read(chain, tmp_path):
    chain.user("u2", "One way")
    chain.answer("a2", "Yes")
    followed = Followed(chain, tmp_path)
    chain.user("u3", "Another", under="d1")
    assert followed.more()[3:] == ["user u3: Another"] and not followed.went_on
    chain.about("last-prompt", leafUuid="a2")
    assert followed.more()[3:] == ["user u2: One way", "answer a2: Yes", "turn_end a2-end stop"]
    assert not followed.went_on and followed.is_whole()
    chain.answer("a3", "No", under="u3")
    assert followed.more()[3:] == ["user u3: Another", "answer a3: No", "turn_end a3-end stop"]
    assert not followed.went_on


def test_a_line_that_comes_behind_those_that_hang_on_it_is_not_lost(chain, tmp_path):
    chain.answer("a2", "Before its question", under="u2")
    followed = Followed(chain, tmp_path)
    chain.user("u2", "Late", under="d1")
    assert "user u2: Late" in followed.more() and not followed.went_on
    chain.user("u3", "On", under="a2")
    assert followed.more()[-4:-2] == ["user u2: Late", "answer a2: Before its question"]
    chain.user("u4", "And on")
    assert followed.more()[-1] == "user u4: And on" and followed.went_on and followed.is_whole()


def test_what_is_said_beside_the_way_makes_all_be_read(chain, tmp_path):
    followed = Followed(chain, tmp_path)
    chain.user("u2", "Aside", under="d1")
    chain.user("u3", "The way", under="d1")
    followed.more()
    assert not followed.went_on and followed.is_whole()
    chain.answer("a4", "Before its question", under="u4")
    chain.user("u4", "Late", under="u3")
    followed.more()
    assert followed.is_whole()


def test_a_part_of_a_reply_that_was_told_long_ago_makes_all_be_read(chain, tmp_path):
    chain.user("u2", "Look")
    chain.answer("a2", call(C1), id="m")
    followed = Followed(chain, tmp_path)
    chain.answer("a3", "Done", under="d1", id="n")
    chain.user("u3", "More")
    followed.more()
    chain.user("u4", "And more")
    followed.more()
    chain.answer("a4", "So", id="m")
    followed.more()
    assert not followed.went_on and followed.is_whole()


def test_a_compaction_whose_line_above_comes_later_is_told_behind_it(chain, tmp_path):
    chain.system("b1", "compact_boundary", under=None, logicalParentUuid="x1")
    chain.user("s1", "In short.", isCompactSummary=True)
    followed = Followed(chain, tmp_path)
    chain.user("x1", "Before it", under="d1")
    chain.user("u2", "On", under="s1")
    followed.more()
    assert not followed.went_on and followed.is_whole()


def test_a_file_that_was_cut_or_replaced_is_read_whole(chain, tmp_path):
    chain.user("u2", "More")
    followed = Followed(chain, tmp_path)
    chain.lines.pop()
    assert followed.more()[-1] == "turn_end a1-end stop" and not followed.went_on
    chain.lines[:] = [line.replace("u1", "v1").replace("a1", "b1").replace("d1", "e1") for line in chain.lines]
    chain.user("v2", "Other", under="e1")
    assert followed.more() == ["user v1: Hello", "answer b1: Hi", "turn_end b1-end stop", "user v2: Other"]
    assert not followed.went_on
    chain.lines[:] = [line.replace("Hi", "Ho") for line in chain.lines]
    chain.user("v3", "And then")
    assert "answer b1: Ho" in followed.more() and not followed.went_on, "as long as before, and not the same"
    chain.user("v4", "And then?")
    assert followed.more()[-1] == "user v4: And then?" and followed.went_on


def test_compactions_ids_used_again_and_sub_agents_make_all_be_read(chain, tmp_path):
    followed = Followed(chain, tmp_path)
    chain.system("b1", "compact_boundary", under=None, logicalParentUuid="d1")
    chain.user("s1", "In short.", isCompactSummary=True)
    chain.user("u2", "On")
    assert followed.more()[3:] == ["compaction b1-end", "user u2: On"] and not followed.went_on
    chain.answer("a2", call("c1"))
    assert followed.more() == ["answer a2: +c1"] and followed.went_on
    chain.result("r2", ("c1", "one"))
    chain.answer("a3", call("c1"))
    followed.more()
    assert not followed.went_on and followed.is_whole()
    chain.lines += sub_agent("x", "Count", "Three").lines
    followed.more()
    assert not followed.went_on and followed.is_whole()


def test_an_unfinished_line_is_read_when_it_is_whole(chain, tmp_path):
    chain.user("u2", "More")
    chain.lines[-1], rest = chain.lines[-1][:50], chain.lines[-1][50:]
    path = chain.write(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    records, reading = read(path)
    assert shape(records)[-1] == "turn_end a1-end stop"
    chain.lines[-1] += rest
    assert shape(read(chain.write(tmp_path), known_after(records, reading))[0]) == ["user u2: More"]


def test_following_line_by_line_gives_what_reading_at_once_gives(tmp_path):
    chain = Chain()
    calls = 0
    for turn in range(1, 5):
        chain.user(f"u{turn}", f"Question {turn}")
        for step in range(3):
            chain.answer(f"a{turn}{step}0", thinking("Hm."), id=f"m{turn}{step}")
            chain.answer(f"a{turn}{step}1", f"Step {step}", id=f"m{turn}{step}")
            for n in range(2):
                calls += 1
                chain.answer(f"a{turn}{step}{n + 2}", call(f"toolu_{calls:012}"), id=f"m{turn}{step}")
            above = chain.above
            chain.result(f"r{turn}{step}0", (f"toolu_{calls - 1:012}",))
            chain.result(f"r{turn}{step}1", (f"toolu_{calls:012}",), under=above)
            chain.add("progress", f"p{turn}{step}", data={})
        chain.answer(f"z{turn}", "Done", id=f"m{turn}")
        chain.system(f"d{turn}", "turn_duration", durationMs=1)
    lines, chain.lines = chain.lines, []
    followed, went_on = None, 0
    for line in lines:
        chain.lines.append(line)
        if followed is None:
            followed = Followed(chain, tmp_path)
        else:
            followed.more()
        went_on += followed.went_on
    assert followed is not None and followed.is_whole()
    assert went_on > len(lines) / 2
