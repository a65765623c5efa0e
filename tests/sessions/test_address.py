from __future__ import annotations

import pytest

from sessions.address import shown, without_texts


@pytest.mark.parametrize(
    ("address", "as_shown"),
    [
        ("http://user:hunter2pw@h:1/v1?key=SECRETQ", "http://…@h:1/v1?key=…"),
        ("https://hunter2pw@h/v1", "https://…@h/v1"),
        ("http://u:hunter2@pw@h/v1", "http://…@h/v1"),
        ("http://u:hunter2/pw@h/v1", "http://…@h/v1"),
        ("u:hunter2pw@h/v1", "…@h/v1"),
        ("htps//u:hunter2pw@h", "htps//…@h"),
        ("https://h/m?mode=fast&limit=10&sid=hunter&x=h4nter2", "https://h/m?mode=fast&limit=10&sid=…&x=…"),
        ("https://h/m?hunter2", "https://h/m?…"),
        ("https://h/m#hunter2", "https://h/m#…"),
        ("https://h/s/Hunter123def456GhI789jkl/mcp", "https://h/s/…/mcp"),
    ],
)
def test_passwords_and_keys_in_an_address_are_not_shown(address: str, as_shown: str) -> None:
    assert shown(address) == as_shown


@pytest.mark.parametrize(
    "address",
    [
        "",
        "http://localhost:11434/v1",
        "http://[::1]:80/v1",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "https://h/@scope/pkg?page=2",
        "https://${USER}:${PW}@h:${PORT}/v1?key=${KEY}",
        "${BASE}/v1",
    ],
)
def test_addresses_without_any_are_shown_as_they_are(address: str) -> None:
    assert shown(address) == address


def test_of_a_table_that_may_hold_keys_only_the_texts_are_hidden() -> None:
    given = {"top_k": 40, "deep": {"key": "hunter2", "on": True}, "all": ["hunter2", 1]}
    assert without_texts(given) == {"top_k": 40, "deep": {"key": "…", "on": True}, "all": ["…", 1]}
