from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessions.store.traces import Finder, traces


@pytest.mark.parametrize(
    "text",
    [
        "I live in Tokyo",
        "so i LIVE\n  in\ttokyo, he said",
        json.dumps({"content": 'He said "I live\nin Tokyo".'}),
        json.dumps({"before": f"quote = {json.dumps('I live in Tokyo')}"}),
        "\\u0049 live in \\u0054okyo",
        "Ｉ live in Ｔokyo",
        "I\u00a0live in\u200b Tokyo",
    ],
)
def test_a_phrase_is_found_in_any_case_spacing_and_escape(text):
    assert Finder(["I live in Tokyo"]).in_bytes(text.encode())


@pytest.mark.parametrize("text", ["I live in Tokyoville", "xI live in Tokyo", "I live in Osaka", "I live", ""])
def test_other_words_are_not_it(text):
    assert not Finder(["I live in Tokyo"]).in_bytes(text.encode())


def test_a_secret_is_found_inside_of_words_and_a_phrase_is_not():
    assert Finder([], parts=["hunter2-x"]).in_bytes(b"..ahunter2-xb..")
    assert not Finder(["hunter2-x"]).in_bytes(b"..ahunter2-xb..")


def test_names_end_at_hyphens_too():
    finder = Finder([], names=["lives-in-tokyo"])
    assert finder.in_bytes(b'"facts":["lives-in-tokyo"]')
    assert not finder.in_bytes(b"lives-in-tokyo-2 or who-lives-in-tokyo")


@pytest.mark.parametrize("phrase", ["会議は来週です", "Zoë wohnt in Köln", "привет мир", "naïve café"])
def test_other_scripts_are_found_plain_and_escaped(phrase):
    for text in (phrase, json.dumps({"text": f"so: {phrase}!"}), json.dumps(phrase).upper().replace("\\U", "\\u")):
        assert Finder([phrase]).in_bytes(text.encode()), text


def test_places_are_counted_and_a_long_line_is_no_obstacle():
    finder = Finder(["needle in hay"])
    data = b"x" * 5_000_000 + b" needle in hay " + b"y" * 5_000_000 + b" NEEDLE  in hay"
    assert finder.count(data) == 2


def test_a_home_is_searched_by_content_and_by_name_but_not_in_git(tmp_path: Path):
    (tmp_path / "a.txt").write_text("lives in Tokyo")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "b.bin").write_bytes(b"\x00\xfflives in tokyo\x00")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "c").write_text("lives in Tokyo")
    (tmp_path / "lives-in-tokyo.md").write_text("")
    (tmp_path / "left.txt").write_text("lives in Tokyo")
    (tmp_path / "link").symlink_to(tmp_path / "a.txt")
    finder = Finder(["Lives in Tokyo"], names=["lives-in-tokyo"])
    found = traces(tmp_path, finder, leave=[tmp_path / "left.txt"])
    assert sorted(str(t.path.relative_to(tmp_path)) for t in found) == [".hidden/b.bin", "a.txt", "lives-in-tokyo.md"]


def test_nothing_to_find_finds_nothing():
    assert not Finder([]).in_bytes(b"anything")
    assert not Finder(["", "  "])


@pytest.mark.parametrize(
    ("word", "there", "not_there"),
    [
        ("gryphonette", ["gryphonettes", "Gryphonette's", "GRYPHONETTEN", "my_gryphonette_x"], ["gryphon"]),
        ("giraffes", ["a giraffe"], ["giraffeland"]),
        ("company", ["companies", "the company’s"], ["companionship"]),
        ("blue giraffe", ["Blue  giraffes", "blue-giraffe"], ["blue", "a giraffe"]),
        ("Tom", ["Tom's", "Toms"], ["tomorrow", "atom"]),
        ("123456", ["123,456", "123.456", "123 456"], ["1234567", "9123456"]),
        ("Müller", ["Mullers", r'{"a":"M\u00fcller"}'], ["Mill"]),
        ("грифонетка", ["грифонетку", "грифонетками"], ["грифон"]),
        ("グリフォネット", ["合言葉はグリフォネットです"], ["グリフォ"]),
        ("ab-12@example.org", ["AB-12@example.org"], ["ab-12@example.organ"]),
    ],
)
def test_a_word_is_found_inflected(word: str, there: list[str], not_there: list[str]) -> None:
    finder = Finder((), words=(word,))
    assert [text for text in there if not finder.in_bytes(text.encode())] == []
    assert [text for text in not_there if finder.in_bytes(text.encode()) or finder.in_text(text)] == []
