from __future__ import annotations

from datetime import date

from sessions.providers.guide_facts import Seen, changed_facts, place_of, read_facts, units_of


def test_facts_are_read_from_a_block_a_table_of_contents_and_a_recall():
    body = "  Near Nakano.\n\n  And: 9 no-fact — Not one"
    block = f"Data:\n<facts>\n#7 lives-in-tokyo (preference): Lives in Tokyo\n{body}\n</facts>"
    assert read_facts(block) == [
        Seen(7, "lives-in-tokyo", "Lives in Tokyo", "preference", None, "Near Nakano.\nAnd: 9 no-fact — Not one")
    ]
    contents = "WHEN: 2 things\nKnown facts:\n7 lives-in-tokyo — Lives in Tokyo\nand 3 more: use query"
    assert read_facts(contents) == [Seen(7, "lives-in-tokyo", "Lives in Tokyo")]
    recalled = "Facts:\n#8 q3 (open-thread, due 2026-12-04): Waiting on Sarah\n  known since 2026-11-29\n#9 a (user): B"
    assert read_facts(recalled) == [
        Seen(8, "q3", "Waiting on Sarah", "open-thread", date(2026, 12, 4)),
        Seen(9, "a", "B", "user"),
    ]


def test_changed_facts_are_read_with_their_bodies_and_without_the_forgotten_ones():
    line = (
        "Today: 2026-11-29\nFacts changed since the list was made: #7 lives-in-osaka (preference): Lives in Osaka — "
        "The user moved; really.; #8 q3 (open-thread, due 2026-12-04): Waiting; forgotten: #9 old-one"
    )
    assert changed_facts(line) == [
        Seen(7, "lives-in-osaka", "Lives in Osaka", "preference", None, "The user moved; really."),
        Seen(8, "q3", "Waiting", "open-thread", date(2026, 12, 4)),
    ]


def test_home_and_units_come_from_the_newest_fact_about_the_person():
    facts = [
        Seen(1, "lives-in-tokyo", "Lives in Tokyo"),
        Seen(4, "home", "The user lives in Kyoto, Japan, near the river."),
        Seen(5, "sarah", "Lives in Berlin", "contact"),
        Seen(6, "prefers-fahrenheit", "Prefers Fahrenheit"),
        Seen(3, "units", "Uses metric units"),
    ]
    assert place_of(facts) == "Kyoto, Japan"
    assert units_of(facts) == "fahrenheit"
    assert place_of([]) is None and units_of([Seen(1, "a", "Studied Anders Celsius")]) is None
