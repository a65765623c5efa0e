from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.messages import Marker, ToolCall, ToolMessage, UserMessage
from sessions.store.find import Finder, GaveUpError
from sessions.store.line import main_line
from sessions.store.log import LogWriter, read_log
from sessions.store.outline import outline
from sessions.store.wording import sieve, wordings
from tests.sessions.store.records import AT, SESSION, answer, first, home, result, user
from tests.sessions.store.talks import STEPS, line, talked


def found(text: str, *records: object, needles: tuple[str, ...] = ()) -> list[tuple[str, int]]:
    finder = Finder(text, needles)
    finder.feed(records)  # type: ignore[arg-type]
    return [(spot.message, spot.count) for spot in finder.finds().spots]


TALK = (
    user("u1", "Who moves the importer? The Importer is late."),
    answer("a1", "Kenji moves it, Zoë helps."),
    user("u2", "Is the retry loop late, too?", 2),
    answer("a2", "The loop is late.\nThe retry is not.", 2),
)


@pytest.mark.parametrize(
    ("text", "spots"),
    [
        ("importer", [("u1", 2)]),
        ("LATE", [("u1", 1), ("u2", 1), ("a2", 1)]),
        ("zoe", [("a1", 1)]),
        ("retry  loop", [("u2", 1)]),  # as it stands, wherever it does
        ("late retry", [("u2", 1), ("a2", 1)]),  # nowhere as it stands: messages with all words
        ("importer loop", []),
        ("", []),
        ("   ", []),
    ],
)
def test_a_text_is_found_as_it_stands_else_where_all_its_words_are(text: str, spots: list[tuple[str, int]]) -> None:
    assert found(text, *TALK) == spots


def test_who_comes_from_a_search_finds_what_its_words_were_taken_for() -> None:
    assert found("importr late", *TALK, needles=("importer", "late")) == [("u1", 1)]
    assert found("importr zoo", *TALK, needles=("importer", "zoe")) == [("u1", 1), ("a1", 1)]
    assert found("importr", *TALK, needles=("importer",)) == [("u1", 2)]
    # A word and what it begins with are one.
    assert found("importers", *TALK, needles=("importers", "import")) == [("u1", 2)]
    assert found("importers lately", *TALK, needles=("importers", "import", "late")) == [("u1", 1)]


def test_results_stand_behind_their_calls_and_a_large_one_is_looked_through_in_its_file(tmp_path: Path) -> None:
    paths = home(tmp_path)
    log = LogWriter.create(paths, SESSION, first())
    log.append(user("u1", "What is the weather?"))
    calls = (ToolCall("c1", "read", {"path": "snow.txt"}), ToolCall("c2", "read", {"deep": [{"path": "rain"}, 7]}))
    log.append(answer("a1", "I look.", tool_calls=calls))
    log.append(ToolMessage("t2", AT, 1, "c2", "read", "rain and snow"))
    log.append(ToolMessage("t1", AT, 1, "c1", "read", "x " * 50_000 + "snow at the end"))
    log.append(answer("a2", "It may snow."))
    log.close()

    def spots(text: str) -> list[tuple[str, str]]:
        from sessions.store.sidefiles import full_content

        finder = Finder(text, full=lambda message: full_content(paths, SESSION, message))
        finder.read(log.path)
        return [(spot.message, spot.call) for spot in finder.finds().spots]

    assert spots("snow") == [("a1", "c1"), ("t1", "c1"), ("t2", "c2"), ("a2", "")]
    assert spots("rain") == [("a1", "c2"), ("t2", "c2")]
    assert spots("7") == [("a1", "c2")]


@given(STEPS, st.sampled_from(["question", "answer", "question 2", "y text", "nowhere"]))
def test_of_any_log_the_file_gives_what_the_records_that_count_give(steps: list[tuple[str, int]], text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_bytes(talked(steps))
        turns = outline(path)
        by_file = Finder(text)
        by_file.read(path, kept=[(turn.start, turn.stop) for turn in turns.turns])
        by_records = Finder(text)
        by_records.feed(main_line(read_log(path).records))
        assert by_file.finds() == by_records.finds()


@settings(max_examples=50)
@given(st.text(max_size=12), st.text(max_size=30), st.text(max_size=30))
def test_no_line_that_holds_it_is_sieved_out(text: str, before: str, after: str) -> None:
    for said in (f"{before}{text}{after}", f"{before} {text.upper()} {after}"):
        finder = Finder(text)
        finder.feed([user("u", said)])
        may = sieve(wordings(text))
        if finder.finds().count:
            assert may(line(user("u", said)).rstrip(b"\n"))


def test_it_ends_as_soon_as_nobody_waits(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(line(first()) + line(user("u", "word")))
    with pytest.raises(GaveUpError):
        Finder("word", wanted=lambda: False).read(path)


def test_what_is_not_said_is_not_found() -> None:
    marker = Marker("m", AT, "meta", {"title": "importer"})
    inner = UserMessage("s", AT, 1, "importer", parent="c1")
    assert found("importer", marker, inner, result("t", "the importer")) == [("t", 1)]


def test_thoughts_stand_before_their_answer_and_summaries_above_the_turn_that_they_end_with(tmp_path: Path) -> None:
    records = [
        first(),
        user("u1", "Who moves the importer?"),
        answer("a1", "Kenji does.", reasoning="The importer? It is Kenji's."),
        user("u2", "And the loop?", 2),
        answer("a2", "Kenji moves the importer first.", 2, reasoning="One importer, two importers."),
        Marker("c1", AT, "compaction", {"content": "Kenji moves the importer.", "first_kept": "u2"}),
        Marker("c2", AT, "compaction", {"error": "the importer failed"}),
        user("u3", "Thanks.", 3),
        Marker("c3", AT, "compaction", {"content": "All of the importer", "first_kept": None}),
    ]
    finder = Finder("importer")
    finder.feed(main_line(records))
    found = [(spot.message, spot.role, spot.turn, spot.count) for spot in finder.finds().spots]
    assert found == [
        ("u1", "user", 1, 1),
        ("a1", "thought", 1, 1),
        ("c1", "summary", 2, 1),
        ("a2", "thought", 2, 2),
        ("a2", "assistant", 2, 1),
        ("c3", "summary", 3, 1),
    ]
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(map(line, records)))
    by_file = Finder("importer")
    by_file.read(path)
    assert by_file.finds() == finder.finds()
