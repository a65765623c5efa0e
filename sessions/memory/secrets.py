"""Secrets are never remembered: the kinds that are recognised, and how.

| kind | recognised by |
|---|---|
| private key | a PEM or OpenSSH block, a PGP private key, an age secret key |
| access token | the issuer's own prefix: AWS, GitHub, GitLab, Slack, Stripe, OpenAI, Anthropic, Google, npm, PyPI, Hugging Face, SendGrid, DigitalOcean, Telegram, Discord, Azure, Linear, Notion, Shopify, Square, Mailgun, Databricks, Grafana, Vault, Terraform |
| signed token (JWT) | three base64url parts, the first one a JSON header |
| password | a word for it in several languages, then `is`, `has been`, `:` or `=`, and a value; or the other way round |
| password | a word for it, or for a PIN or a code of a door, and right after it a value with digits, or digits in words |
| password | a word for a pass phrase, then `is` or the like, and three words or more of which no sentence is made |
| password | a code that stands in for a second factor (backup, recovery, one-time, by SMS), and a value with digits |
| password | a variable named for a password, a secret, a token or a key, `is`, `:` or `=`, and a value |
| password | `set … to` and `use … as` with a word for it; a login with a name and a value; what a door or a safe opens with |
| password | characters as in a password of case, digits and signs, beside a login, an account or a device |
| password in an address | `scheme://user:password@host` |
| authorization header | `Bearer …`, `Basic …` with a value of 12 characters or more |
| card number | 13 to 19 digits of a known issuer that pass Luhn's check, with spaces, dots or dashes |
| bank account number | an IBAN of the length of its country whose check digits are right, in capitals or small letters |
| identity number | a US social security number beside the words for it, "social" among them |
| recovery phrase | words for a seed or recovery phrase with 12 words or more, or backup codes; 12 short words in a row, not the same ones, without any that sentences are made of |
| any of these in base64 | decoded where it is a text; it is called a password |
| long random string | 32 characters or more of mixed case and digits without a pattern; of hexadecimal digits beside a word for a key |
"""  # noqa: E501

from __future__ import annotations

import base64
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sessions.memory.secret_words import (
    CODE,
    DIGIT_WORDS,
    ENDS,
    FACTOR,
    FACTOR_CJK,
    IS,
    MIXED,
    NO_VALUE,
    NUMBER,
    OF,
    PASSWORD,
    PHRASE,
    VALUE,
    WORDS,
)


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a text: what kind it is and where it stands."""

    kind: str
    start: int
    end: int


_TOKEN = r"(?<![A-Za-z0-9_-])(?:{})"
_PREFIXES = "|".join(
    (
        r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
        r"gh[pousr]_[A-Za-z0-9]{20,}",
        r"github_pat_[A-Za-z0-9_]{22,}",
        r"gl(?:pat|ptt|dt|rt|cbt|soat)-[A-Za-z0-9_-]{18,}",
        r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/[A-Za-z0-9/]{20,}",
        r"(?:sk|rk|pk|whsec)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9]{16,}",
        r"sk-(?:ant-|proj-|svcacct-|or-)?[A-Za-z0-9_-]{16,}",
        r"AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}",
        r"npm_[A-Za-z0-9]{30,}",
        r"pypi-[A-Za-z0-9_-]{30,}",
        r"hf_[A-Za-z0-9]{30,}",
        r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"do[opr]_v1_[a-f0-9]{40,}",
        r"\d{8,10}:AA[A-Za-z0-9_-]{32,}",
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
        r"(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/=]{30,}",
        r"lin_(?:api|oauth)_[A-Za-z0-9]{30,}",
        r"(?:ntn|secret)_[A-Za-z0-9]{40,}",
        r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{30,}",
        r"sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{56,}",
        r"key-[a-f0-9]{32}",
        r"dapi[a-f0-9]{32}",
        r"gl(?:c|sa)_[A-Za-z0-9+/=_]{30,}",
        r"hv[sbr]\.[A-Za-z0-9_-]{20,}",
        r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}",
    )
)
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "private key",
        re.compile(
            r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|AGE-SECRET-KEY-1[0-9A-Z]{20,}|"
            r"PuTTY-User-Key-File-\d"
        ),
    ),
    ("signed token (JWT)", re.compile(r"(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*")),
    ("access token", re.compile(_TOKEN.format(_PREFIXES))),
    ("password in an address", re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,80}:[^\s/@]{2,}@[^\s/]+", re.I)),
    (
        "authorization header",
        re.compile(r"\b(?:authorization:\s*\w+|bearer|basic)\s+(?=\S*\d)[A-Za-z0-9+/=._~-]{12,}", re.I),
    ),
    (
        "password",
        re.compile(rf"(?<!\w)(?:{PHRASE}){OF}\s*{IS}\s*[\"'`“„«]?(?P<value>{WORDS}{{3,}})", re.I),
    ),
    ("password", re.compile(rf"(?<!\w)(?:{PASSWORD}){OF}\s*{IS}\s*[\"'`“„«]?(?P<value>{WORDS}{{4,}})", re.I)),
    ("password", re.compile(rf"(?<!\w)(?:{FACTOR}){OF}\s*(?:{IS}\s*)?[\"'`“„«]?{NUMBER}{ENDS}", re.I)),
    ("password", re.compile(rf"{FACTOR_CJK}\s*(?:は|が|是|为|為|은|는|[:：=])?\s*{NUMBER}(?![A-Za-z0-9])", re.I)),
    (
        "password",
        re.compile(
            rf"(?<!\w)(?:\w+-)?(?:{PASSWORD}){OF}\s*{IS}{NO_VALUE}\s*[\"'`“„«]?{VALUE}",
            re.I,
        ),
    ),
    (
        "password",
        re.compile(
            r"(?<![\w$])(?!(?:max|min|num|eos|bos|pad)_)[a-z]\w{0,60}_(?:pass(?:w(?:or)?d|phrase)?|pwd?|secret|token|(?:api|access|private|secret)_?key)"
            r"\s?(?:[=:]|\bis\b)\s?[\"'`]?(?=\S*\d)(?P<value>[\w!#%&*?@+~^.-]{4,40}?)(?=[\"'`.,;!?]?(?:\s|$))",
            re.I,
        ),
    ),
    ("password", re.compile(rf"(?<!\w)(?:\w+-)?(?!secret\b)(?:{PASSWORD}){OF}\s+[\"'`“„«]?{CODE}", re.I)),
    (
        "password",
        re.compile(
            rf"\b(?:pin|{PASSWORD})\b(?:\s+(?:is|ist|est|es|:))?:?(?P<value>(?:[\s,-]+(?:{DIGIT_WORDS})\b){{3,}})",
            re.I,
        ),
    ),
    (
        "password",
        re.compile(
            rf"\b(?:set|sets|chang(?:e|ed)|reset|switch(?:ed)?|updat(?:e|ed)|rename[d]?)\s+(?:\S+\s+){{0,4}}?"
            rf"(?:{PASSWORD}){OF}?\s+to\s+[\"'`“„«]?(?!(?:some|any|every|no)\w+\b){NO_VALUE}"
            rf"(?!(?:expire|reset|change|rotate|match|be|last)\b)(?:{CODE}|(?P<plain>[^\s,;]{{4,}}?)(?=[.!]?\s*(?:$|\n)))",
            re.I,
        ),
    ),
    (
        "password",
        re.compile(
            rf"\b(?:use|using|took|take|try|typ(?:e|ed)|enter(?:ed)?)\s+[\"'`“„«]?(?!(?:it|this|that|them|these|those|"
            rf"a|an|the|my|our|your|his|her|biometrics|fingerprints?|passkeys?|passphrases)\b)(?P<value>[^\s\"'`,;]{{4,}})"
            rf"[\"'`”“»]?\s+as\s+(?:(?:the|my|our|your|a|his|her)\s+)?(?:\S+\s+){{0,2}}?(?:{PASSWORD})\b",
            re.I,
        ),
    ),
    (
        "password",
        re.compile(
            r"\b(?:log ?ins?|credentials|creds|zugangsdaten|anmeldedaten|identifiants|credenciales|credenziali)\b"
            r"[^.\n:=]{0,20}?(?:is|are|:|=|ist|sind|sont|son)\s*(?!(?:at|on|in|via|by|with|from)\b)[^\s/:]+"
            r"(?:(?:\s+[/:|]\s+|[/:](?=\S*\d))(?P<value>[^\s,;/]{5,})|,?\s+(?:and|und|et|y|with|pass|pw)\s+(?P<other>(?=\S*\d)\S{5,}))",
            re.I,
        ),
    ),
    (
        "password",
        re.compile(
            r"\b(?:door|gate|safe|lock|padlock|alarm|garage|locker|vault|entrance|tür|tor|tresor|schloss|porte|coffre|"
            r"puerta|caja fuerte|porta|phone|handy)\b[^.\n]{0,30}?\b(?:opens?|unlocks?|disarms?|öffnet|geht auf|"
            r"s'ouvre|abre|apre)\b\s+(?:with|by|using|on|via|mit|avec|con)\s+(?:the\s+)?(?:code\s+)?"
            r"(?P<value>[#*]?\d[\d-]{2,9}[#*]?)",
            re.I,
        ),
    ),
    (
        "password",
        re.compile(
            rf"(?<!\S)(?=\S*\d)(?P<value>\S{{5,}})\s+(?:is|was|ist|est|es|é|è|=)\s+(?:the|my|our|your|his|her|"
            rf"their|mein\w*|"
            rf"das|mon|mi|la|le)\s+(?:\S+\s+){{0,3}}?(?:{PASSWORD}|pass)\b",
            re.I,
        ),
    ),
    ("password", re.compile(rf"\bpass\b\s*(?:is|:|=)\s*(?=\S*\d){VALUE}", re.I)),
    (
        "password",
        re.compile(
            rf"\b(?:log ?in|sign ?in|account|wi-?fi|wlan|router|unlock|credentials?|admin|root|user(?:name)?)\b"
            rf"[^.\n]{{0,60}}?(?P<value>{MIXED})|(?P<first>{MIXED})[^.\n]{{0,60}}?\b(?:log ?in|sign ?in|"
            rf"account|wi-?fi|wlan|"
            rf"router|unlock|credentials?)\b",
            re.I,
        ),
    ),
    (
        "password",
        re.compile(
            r"\b(?:code|combination|zahlenkombination|combinaison|combinación)\s+(?:for|of|to|on|für|vom|von|de)\s+"
            r"(?:\S+\s+){0,3}?(?:\w*doors?|gate|safe|\w*lock|alarm|garage|\w*box|building|entrance|suitcase|tür|tor|tresor|"
            r"schloss|porte|coffre|puerta|caja)\b\s*(?:is|:|=|ist|est|es)\s*(?P<value>[#*]?\d[\d-]{2,11}[#*]?)(?=[.,;!?]?(?:\s|$))",
            re.I,
        ),
    ),
    (
        "password",
        re.compile(rf"\b(?:{PASSWORD})\s+(?:begins|starts|ends)\s+with\s+(?P<value>(?=\S*\d)\S{{2,}}|\S\b)", re.I),
    ),
    (
        "long random string",
        re.compile(
            r"\b(?:key|token|secret|schlüssel|clé|clave|"
            r"chiave)\b\W{0,3}(?:\w+\W+){0,3}?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])"
            r"[0-9a-f]{32,}\b",
            re.I,
        ),
    ),
    (
        "password",
        re.compile(
            r"(?:パスワード|暗証番号|密码|密碼|口令|비밀번호|암호)\s*(?:(?:は|が|是|为|為|은|는|[:：=])\s*[^\s、。，]{3,}|"
            r"を?(?=[\x21-\x7e]*\d)[\x21-\x7e]{4,})"
        ),
    ),
    (
        "recovery phrase",
        re.compile(
            r"\b(?:seed|recovery|mnemonic|backup|wallet)[ -]?(?:phrase|words|codes?)\b[^.\n]{0,40}?(?::|\bis\b|\bare\b)"
            r"\s*(?:(?:[a-z]{3,8}\s+){11,}|(?:[A-Za-z0-9]{4,}[ ,-]+){3,})",
            re.I,
        ),
    ),
    (
        "identity number",
        re.compile(r"\b(?:ssn|social(?: security)?(?: number)?)\b\D{0,20}\d{3}[- ]?\d{2}[- ]?\d{4}\b", re.I),
    ),
)
_CARD = re.compile(r"(?<![\w.,/-])(?:\d[ .-]?){12,18}\d(?![\w/-])")
_ISSUER = re.compile(r"(?:4|5[1-5]|2[2-7]|3[47]|3[068]|35|6011|6[2459]|50|5[6-8]|8[16])")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]){11,30}(?!\w)", re.I)
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in (
        line.split(":")
        for line in (
            "15:NO 16:BE 18:DK,FI,NL,FO,GL 19:MK,SI 20:AT,BA,EE,KZ,LT,LU,XK 21:CH,HR,LI,LV 22:BG,BH,CR,DE,GB,GE,IE,ME,"
            "RS 23:AE,GI,IL,IQ 24:AD,CZ,ES,MD,PK,RO,SA,SE,SK,TN,VG 25:PT,ST 26:IS,TR 27:FR,GR,IT,MC,SM 28:AL,AZ,CY,DO,"
            "GT,HU,LB,PL 29:BR,PS,QA,UA 30:JO,KW,MU 31:MT,SC"
        ).split()
    )
    for country in countries.split(",")
}
_LONG = re.compile(r"(?<![\w/.:@+=-])[A-Za-z0-9+/_=-]{32,}(?![\w/.:@-])")
_CODED = re.compile(r"(?<![\w/+=-])(?:[A-Za-z0-9+/]{4}){4,200}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?(?![\w/+=])")
_BITS = 4.0
_LEFT_OUT = "[a secret was left out: {}]"
_WORDS = re.compile(r"(?<![\w'-])(?:[a-z]{3,8} ){11,}[a-z]{3,8}(?![\w'-])")
_OF_SENTENCES = frozenset(
    "the and for with from that this these those have has had are was were you your not but his her they them "
    "their our "
    "its who what when where which will would can could should about into than then also very just like likes und der "
    "die das mit les des est pour que con por los las una".split()
)


def find_secrets(text: str) -> list[Secret]:
    """The secrets in a text, in order; of two that overlap the first kind of the table."""
    plain = _same_length(text)
    found: list[Secret] = []
    for secret in _found(plain):
        if not any(s.start < secret.end and secret.start < s.end for s in found):
            found.append(secret)
    return sorted(found, key=lambda s: s.start)


def secret_value(text: str, secret: Secret) -> str:
    """What is secret about it: the value without the word for it, where it can be told apart and is not too short."""
    whole = text[secret.start : secret.end]
    value = whole.split()[-1].strip("\"'`“”„«».,;:!?()[]{}") if whole.split() else whole
    for kind, rule in _RULES:
        if kind == secret.kind and (m := rule.match(_same_length(text), secret.start)) and m.end() == secret.end:
            named = next((text[m.start(g) : m.end(g)] for g in m.groupdict() if m[g]), value)
            value = named.strip().strip("\"'`“”„«».,;:!?()[]{}")
            break
    alone = secret.kind in {"password", "authorization header", "identity number"}
    return value if alone and len(value) >= 6 else whole.strip()


def secret_kind(text: str) -> str:
    """The kind of the first secret in a text, empty for none. Spacing that does not show hides nothing."""
    shown = "".join(c for c in text if unicodedata.category(c) != "Cf")
    found = find_secrets(shown) or find_secrets(unicodedata.normalize("NFKC", shown))
    return found[0].kind if found else ""


def without_secrets(text: str) -> str:
    """The text with words in the place of each secret; of one that is hidden in it nothing else is left."""
    out = rest = text
    for secret in reversed(find_secrets(text)):
        out = f"{out[: secret.start]}{_LEFT_OUT.format(secret.kind)}{out[secret.end :]}"
        rest = f"{rest[: secret.start]}\n{rest[secret.end :]}"
    return _LEFT_OUT.format(kind) if (kind := secret_kind(rest)) else out


def _same_length(text: str) -> str:
    """Straight quotes and plain spaces, character by character."""
    return text.translate({0x2019: "'", 0x2018: "'", 0xA0: " ", 0x202F: " "})


def _found(text: str) -> Iterator[Secret]:
    for kind, rule in _RULES:
        for m in rule.finditer(text):
            yield Secret(kind, *m.span())
    for m in _CARD.finditer(text):
        digits = re.sub(r"\D", "", m[0])
        if _ISSUER.match(digits) and luhn(digits) and len(set(digits)) > 1:
            yield Secret("card number", *m.span())
    for m in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(m[0][:2].upper())
        ends = [i for i in range(1, len(m[0]) + 1) if len(m[0][:i].replace(" ", "")) == length]
        if ends and _checked(m[0][: ends[0]].replace(" ", "")):
            yield Secret("bank account number", m.start(), m.start() + ends[0])
    for m in _CODED.finditer(text):
        if _decoded(m[0]) and any(_found(_decoded(m[0]))):
            yield Secret("password", *m.span())
    for m in _WORDS.finditer(text):
        words = m[0].split()
        if len(_OF_SENTENCES.intersection(words)) < 2 and len(set(words)) > 6:
            yield Secret("recovery phrase", *m.span())
    for m in _LONG.finditer(text):
        if _random(m[0]):
            yield Secret("long random string", *m.span())


def _decoded(text: str) -> str:
    """What base64 stands for, where that is a text; empty otherwise."""
    try:
        found = base64.b64decode(text, validate=True).decode("ascii")
    except (ValueError, UnicodeDecodeError):
        return ""
    return found if found.isprintable() else ""


def luhn(digits: str) -> bool:
    """Whether the last digit checks the others, as on every payment card."""
    total = 0
    for i, digit in enumerate(reversed(digits)):
        n = int(digit) * (1 + i % 2)
        total += n - 9 if n > 9 else n
    return total % 10 == 0


def _checked(iban: str) -> bool:
    """Whether the two digits after the country check the rest of an IBAN."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


def _random(text: str) -> bool:
    """Upper and lower case and digits, about as mixed as chance mixes them."""
    mixed = all(re.search(rule, text) for rule in (r"[A-Z]", r"[a-z]", r"\d.*\d"))
    if not mixed or re.search(r"[a-z]{9,}|[_/-].*[_/-].*[_/-]", text):
        return False
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) >= _BITS
