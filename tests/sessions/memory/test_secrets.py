from __future__ import annotations

import pytest

from sessions.memory.secrets import find_secrets, luhn, secret_kind

SECRETS = {
    "private key": ["-----BEGIN OPENSSH PRIVATE KEY-----", "-----BEGIN PGP PRIVATE KEY BLOCK-----"],
    "access token": [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ghp_" + "a1B2" * 9,
        "glpat-" + "a1B2c3D4e5F6g7H8i9",
        "xoxb-" + "1234567890-abcdef",
        "sk_live_" + "a1b2c3d4e5f6",
        "sk-ant-" + "a1b2c3d4e5f6g7h8",
        "AIza" + "a1B2c3D4" * 4,
        "hf_" + "a1B2c3D4" * 4,
    ],
    "signed token (JWT)": ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-_"],
    "password": [
        "My password is hunter2",
        "password=hunter2",
        "the wifi password for the office is Tr0ub4dor",
        "PIN is 4711",
        "Mein Passwort lautet geheim99",
        "mot de passe : azerty1",
        "la contraseña es perro123",
        "パスワードはsakura99です",
        "pass\u200bword: hunter2",
        "ｐａｓｓｗｏｒｄ: hunter2",
    ],
    "password in an address": ["postgres://bob:hunter22@db.local/x"],
    "authorization header": ["Authorization: Bearer abc123def456ghi789"],
    "card number": ["4111 1111 1111 1111", "card 5500-0000-0000-0004.", "3782 822463 10005"],
    "bank account number": ["DE89 3704 0044 0532 0130 00"],
    "identity number": ["my SSN is 078-05-1120"],
    "recovery phrase": ["seed phrase is " + "apple river stone " * 4],
    "long random string": ["it is 9fQx2LmPz81KdVtR6sYbWc3NhJ0uGeAi7Xo"],
}
HARMLESS = [
    "Uses a password manager",
    "Password is stored in 1Password",
    "The password is in the vault",
    "Prefers passkeys to passwords",
    "Order 4111 1111 1111 1112",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "Phone is +49 170 1234567890",
    "My secret is that I like pop music",
    "PIN is required",
    "see sessions/providers/statements.py and tests/sessions/providers",
    "https://example.org/a/very/long/path/to/SomePage2026AndMoreOfIt",
]


@pytest.mark.parametrize(("kind", "text"), [(k, t) for k, texts in SECRETS.items() for t in texts])
def test_each_kind_of_secret_is_recognised_and_named(kind: str, text: str) -> None:
    assert secret_kind(f"Note: {text}") == kind


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_is_none(text: str) -> None:
    assert secret_kind(text) == ""


def test_where_a_secret_stands_is_told() -> None:
    text = "card 4111 1111 1111 1111, and password: hunter2"
    assert [(s.kind, text[s.start : s.end]) for s in find_secrets(text)] == [
        ("card number", "4111 1111 1111 1111"),
        ("password", "password: hunter2"),
    ]


def test_the_check_digit_of_a_card_is_checked() -> None:
    assert luhn("4111111111111111") and not luhn("4111111111111112")
