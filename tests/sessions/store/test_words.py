from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.store.words import extra_words, fold, parse_query, snippet


def found(text: str, query: str) -> bool:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE words USING fts5 (text, extra, tokenize = 'unicode61 remove_diacritics 2')")
    db.execute("INSERT INTO words VALUES (?, ?)", (text, extra_words(text)))
    hits = db.execute("SELECT 1 FROM words WHERE words MATCH ?", (parse_query(query).strict,)).fetchall()
    db.close()
    return bool(hits)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("明日の会議は三時からです", "会議"),
        ("明日の会議は三時からです", "会議は三時"),
        ("黒猫がいる", "猫"),
        ("黒猫", "猫"),
        ("猫", "猫"),
        ("Q3会議の予定", "q3"),
        ("Q3会議の予定", "Q3会議"),
        ("오늘은 회의가 있습니다", "회의"),
        ("The Zürich café", "zurich cafe"),
        ("cafe\u0301", "café"),
        ("call getUserName() twice", "user"),
        ("call getUserName() twice", "getUserName"),
        ("HTTPServer started", "server"),
        ("save_memory was called", "save_memory"),
        ("fact lives-in-tokyo", "lives-in-tokyo"),
        ("src/store/index.py", "index.py"),
        ("meetings in May", "meeting"),
        ("Ｔｏｋｙｏ　２０２６", "tokyo"),
        ("it is what it is", "what is it"),
        ('say "hello world" now', '"hello world"'),
        ("unbalanced quote", '"unbalanced quote'),
        ("C++ and C#", "c++"),
    ],
)
def test_it_is_found(text, query):
    assert found(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("明日の会場で議論", "会議"),
        ("hello big world", '"hello world"'),
        ("meetings", '"meeting"'),
        ("nothing here", "nothing else"),
    ],
)
def test_it_is_not_found(text, query):
    assert not found(text, query)


@pytest.mark.parametrize("query", ["", "   ", "?!", '""', '"', "- * ( ) :", "\0"])
def test_a_query_without_words_asks_for_nothing(query):
    assert parse_query(query).strict == ""


def test_stop_words_are_left_out_when_others_remain():
    assert found("Sarah on the roadmap", "what did Sarah say about the roadmap?")


@given(st.text(max_size=40), st.text(max_size=200))
def test_no_query_and_no_text_breaks_the_search(query, text):
    text = text.encode("utf-8", "replace").decode()
    parsed = parse_query(query.encode("utf-8", "replace").decode())
    extra_words(text)
    snippet(text, parsed.needles)
    if parsed.strict:
        db = sqlite3.connect(":memory:")
        db.execute("CREATE VIRTUAL TABLE words USING fts5 (text, extra)")
        for expression in (parsed.strict, parsed.loose):
            db.execute("SELECT 1 FROM words WHERE words MATCH ?", (expression,)).fetchall()
        db.close()


def test_a_snippet_shows_the_line_with_one_before_and_one_after():
    text = "one\n\ntwo\nthe café is here\nfour\nfive"
    assert snippet(text, ("cafe",)) == "two\nthe café is here\nfour"
    assert snippet(text, ("nowhere",)) == "one\ntwo"


def test_a_long_line_is_cut_around_the_match():
    text = "x " * 500 + "needle" + " y" * 500
    cut = snippet(text, ("needle",))
    assert "needle" in cut and cut[0] == cut[-1] == "…" and len(cut) <= 202


def test_folding_takes_case_and_accents_away():
    assert fold("ÉCOLE Straße Ω") == "ecole strasse ω"
