from __future__ import annotations

import pytest

from sessions.memory.secrets import find_secrets, luhn, secret_kind, secret_value, without_secrets

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
        "password hunter22",
        "p4ssw0rd = sunflower",
        "set the wifi password to sunflower",
        "use hunter22 as the password",
        "password has been Tr0ub4dor since May",
        "wifi pw: sunflower",
        "my bank pin four eight two one",
        "passcode begins with 48 and ends with 21",
        "password spelled h-u-n-t-e-r-2-2",
        "the front door opens with 4711#",
        "safe combination 12-34-56",
        "the code of the front door is 4711",
        "login is bob / hunter22",
        "credentials are admin and s3cret99",
        "2FA secret JBSWY3DPEHPK3PXP",
        "Geheimzahl 4711",
        "Türcode ist 4711",
        "DB_PASSWORD=hunter2",
        "my db_password is hunter2",
        "it has MYSQL_PWD: 'sword-1-fish'",
        "Das WLAN-Passwort ist sonne",
        "mdp soleil99",
        "clave del wifi: gato",
        "пароль от вайфая гав123",
        "暗証番号は4711",
        "暗証番号4821",
        "cGFzc3dvcmQ6IGh1bnRlcjIy is base64 of it",
        "密码是abc123",
        "my passphrase is correct horse battery",
        "my password is correct horse battery staple",
        "Meine Passphrase lautet roter Hund Fenster",
        "ma phrase secrète est cheval pile agrafe",
        "mi frase de contraseña es caballo pila grapa",
        "The 2FA backup code is 1234-5678",
        "my recovery code: 8F3K-22LM",
        "GitHub recovery code is abcd-1234-ef",
        "verification code is 482 913",
        "the one-time code is 123456",
        "Der Wiederherstellungscode lautet 4711-0815",
        "le code de secours est 4711-0815",
        "el código de respaldo es 12345678",
        "バックアップコードは1234-5678です",
        "备用码是12345678",
        "The api secret equals 9f8e7d6c5b4a39281706",
        "the wifi password is equal to hunter2",
        "client secret => abcdef123",
        "the passcode turned out to be 4711",
        "das Passwort ist gleich geheim99",
        "le mot de passe vaut azerty1",
    ],
    "password in an address": ["postgres://bob:hunter22@db.local/x"],
    "authorization header": ["Authorization: Bearer abc123def456ghi789"],
    "card number": ["4111 1111 1111 1111", "card 5500-0000-0000-0004.", "4111.1111.1111.1111", "3782 822463 10005"],
    "bank account number": ["DE89 3704 0044 0532 0130 00", "iban de89 3704 0044 0532 0130 00 please"],
    "identity number": ["my SSN is 078-05-1120", "my social: 078-05-1120"],
    "recovery phrase": ["seed phrase is " + "apple river stone " * 4],
    "long random string": ["it is 9fQx2LmPz81KdVtR6sYbWc3NhJ0uGeAi7Xo"],
}
HARMLESS = [
    "Uses a password manager",
    "My password policy is 12 characters",
    "The PIN pad is broken",
    "Changed my password to something stronger",
    "We set the password to expire after 90 days",
    "the password was leaked in May",
    "use 1Password for the team passwords",
    "pin the dependency to 2.31.0",
    "login is via SSO / SAML",
    "the front door opens with a key card",
    "the error code for a timeout is 504",
    "API keys are in the vault",
    "The pool has DB_PASS=${DB_PASS}",
    "max_token: 4096",
    'DB_PASSWORD=os.environ["X1"]',
    "DB_PASSWORD = read2(user)",
    "the column user_token is indexed",
    "パスワードを忘れた",
    "de89 is a road",
    "Password is stored in 1Password",
    "The password is in the vault",
    "Prefers passkeys to passwords",
    "Order 4111 1111 1111 1112",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "Phone is +49 170 1234567890",
    "My secret is that I like pop music",
    "PIN is required",
    "word word word word word word word word word word word word word word",
    "The passphrase is correct and works",
    "The passphrase is wrong again today",
    "My passphrase is different on every machine",
    "my passphrase is long enough already",
    "A passphrase is four random words",
    "passphrase is required for every login",
    "my password is wrong every single time",
    "the backup code is 1500 lines long",
    "The backup code is in src/backup.py",
    "The backup code is from 2024",
    "The recovery code is 2019 and ugly",
    "The confirmation number of the hotel is 12345678",
    "Backup codes are stored in the vault",
    "The country code is 0049",
    "the postal code is 75001",
    "exit code equals 1370",
    "the password equals the username",
    "the api secret equals null",
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


@pytest.mark.parametrize(
    "text",
    [
        "remember to use hunter22 as the password",
        "hunter22 is my wifi password",
        "password has been hunter22 since May",
        "login is bob / hunter22 at home",
        "the passcode is equal to hunter22",
    ],
)
def test_of_a_password_the_value_alone_is_what_is_erased(text: str) -> None:
    (secret,) = find_secrets(text)
    assert secret_value(text, secret) == "hunter22"


def test_the_check_digit_of_a_card_is_checked() -> None:
    assert luhn("4111111111111111") and not luhn("4111111111111112")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Likes tea", "Likes tea"),
        ("Note: the password is hunter22xyz, twice", "Note: the [a secret was left out: password], twice"),
        ("My passphrase is tomato soup kettle.", "My [a secret was left out: password]."),
        ("The pass\u200bword is hunter22xyz", "[a secret was left out: password]"),
    ],
)
def test_what_is_told_of_a_text_names_no_secret(text: str, told: str) -> None:
    assert without_secrets(text) == told
