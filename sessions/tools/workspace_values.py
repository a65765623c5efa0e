"""Which names in files are names for passwords, and which values are none: types, placeholders, variables, code."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Weight: TypeAlias = Literal["sure", "maybe", ""]
"""Of a name: whatever stands there is a password; it is one when it looks random; it is no name for one."""

SURE = (
    "password|passwd|passphrase|passcode|passwort|kennwort|contraseña|contrasena|senha|wachtwoord|lösenord|"
    "hasło|pwd|pass|pw|mdp"
)
MAYBE = "secret|token|apikey|accesskey|privatekey|secretkey|key|secret_key_base|credential|credentials"
_SURE, _MAYBE = frozenset(SURE.split("|")), frozenset(MAYBE.split("|")) - {"key"}
_GLUED = ("password", "passwd", "passphrase", "passwort", "kennwort")
_GLUED_PASS = frozenset({"sshpass", "dbpass", "userpass", "rootpass", "adminpass", "smtppass", "mailpass", "mysqlpass"})
_OF_KEYS = frozenset(
    "api access private secret auth encryption signing master account shared session storage consumer jwt app "
    "webhook client service license deploy admin root".split()
)
_NO_SECRET = frozenset(
    "max min num n eos bos pad cls sep mask unk total count used next last first single by csrf".split()
)
_WORDS = re.compile(r"[^\W\d_]?[a-zß-ÿ]+|[^\W\d_]+(?![a-zß-ÿ])|\d+")

_PLAIN = frozenset(
    "str string bytes byte int integer bool boolean none null nil undefined true false yes no on off optional any text "
    "varchar char number object required nullable unset empty default secretstr hidden hashed encrypted keyring prompt "
    "ask env vault stdin never always string? str? changeme redacted removed tbd todo fixme readonly masked missing "
    "invalid wrong secure sensitive input mixed unknown disabled enabled manual auto".split()
)
_LABELS = frozenset(
    {"mot de passe", "palabra clave", "parola d'ordine", "пароль", "密码", "密碼", "パスワード", "비밀번호"}
)
_FILLED = re.compile(
    r"<[^<>]*>|\$(?:[A-Za-z_]\w*|\{.*|\(.*|\$.*)|\{\{.*|\{[\w.:$ -]*\}|#\{.*\}|%\w+%|%\([^)]*\)s|%[sdrv]|\[[^\[\]]*\]|"
    r"@\w+@|[.*x•…_?-]{3,}|(?:change|replace|fill)[-_ ]?(?:me|this|it|in)|.*\byour[-_ ].*|my[-_]\D*|"
    r"(?:\D*[-_ ])?(?:example|placeholder|dummy|insert|goes[-_ ]here)(?:[-_ ]\D*)?|"
    r"(?:vault|op|arn|ssm|env|file|keyring|awssm|gcpsm)(?::|\+|//).*|ENC\[.*|!(?:vault|secret|ref|sub|getatt|env\w*|file|"
    r"include)\b.*|&\w+|[a-z_]+(?::[\w,]+)?(?:\|[a-z_]+(?::[\w,]+)?)+|(?:https?|wss?)://[^\s@]*",
    re.I,
)
_ROOTS = (
    "os|sys|process|self|this|settings|config|conf|cfg|env|environ|args|argv|req|request|props|state|options|opts|data|"
    "form|user|secrets|module|var|local|params|ctx|context|app|import|each|local|values|input|event|e|body|payload|"
    "session|account|credentials|creds|options|spec|row|item|obj|model|db|client|kwargs|res|response|result"
)
_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.@{}$-]+(?:/[\w.@{}$-]+)*/?|[A-Za-z]:\\[\w\\.-]+")
_CODE = re.compile(
    rf"[{{\[(].*|<[^<>]*>.*|(?:await\s+|new\s+|not\s+|yield\s+|&|\*)?(?:[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[!?]?\s?[\[(<].*[\])>].*"
    rf"|(?:{_ROOTS})(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+\b.*)"
)
"""A call, an index, a type with parameters; an attribute of something that programs give such names."""
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:[.-][A-Za-z_]\w*)*")
_TYPED = re.compile(
    r"(?:[A-Za-z_]\w*\s*\|\s*)+[A-Za-z_]\w*\b.*|(?:[&*](?:mut\s+|'\w+\s+)?)?(?:str|string|bytes|String|SecretStr|None|null|true|false|any|unknown)\b[?!]?"
    r"\s*(?:[,;:=|)\]}&#/].*)?"
)
_PROSE = frozenset(
    "see ask in on at from under with by the a an is are was must should may can cannot will not no never stored kept "
    "managed saved set required needed optional your our my his her their of for to and or if when this that these it "
    "about only please enter must be use used via only what who which where how there here".split()
)


def weight_of(name: str) -> Weight:
    """What a name says of its value: `DB_PASSWORD`, `dbPassword`, `spring.datasource.password`, `X-Api-Key`."""
    words = [word.lower() for word in _WORDS.findall(name)]
    while words and words[-1].isdigit():
        words.pop()
    if not words:
        return ""
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if before in _NO_SECRET:
        return ""
    if last in _SURE or last.endswith(_GLUED) or last in _GLUED_PASS:
        return "sure"
    if last in _MAYBE or (last == "key" and before in _OF_KEYS) or words[-3:] == ["secret", "key", "base"]:
        return "maybe"
    return ""


def is_value(text: str, weight: Weight, *, quoted: bool) -> bool:
    """Whether what stands at a name of that weight is a password itself. `text` has no quotes around it; what is not
    quoted is the rest of its line."""
    text = text.strip() if quoted else text.strip().rstrip(",;")
    text = text[:-1] if not quoted and text.endswith(")") and "(" not in text else text
    if len(text) < (3 if weight == "sure" else 4) or text.lower() in _PLAIN or text.lower() in _LABELS:
        return False
    if _FILLED.fullmatch(text) or (_PATH.fullmatch(text) and not _mixed(text)):
        return False
    if weight_of(text) and _NAME.fullmatch(text) and not re.search(r"\d", text) and _is_name(text):
        return False
    if quoted:
        return _is_quoted_value(text, weight)
    first = text.split()[0]
    if _CODE.fullmatch(text) or _TYPED.fullmatch(text) or first.lower().strip(",;)]}:") in _PLAIN:
        return False
    if first.strip(",;)]}:(").lower() in _PROSE:
        return False
    return weight == "sure" or looks_random(first)


def looks_random(text: str) -> bool:
    """Whether it is one word of letters with digits, or a long one of both cases."""
    if re.search(r"[\s()\[\]{}<>|\\,]", text) or len(text) < 6:
        return False
    letters, digits = re.search(r"[A-Za-z]", text), re.search(r"\d", text)
    return bool(letters and digits) or (len(text) >= 20 and _mixed(text)) or (len(text) >= 8 and text.isdigit())


def is_code(text: str) -> bool:
    """Whether what stands unquoted in a program's text is one of its expressions."""
    text = text.strip()
    return bool(_NAME.match(text) or _CODE.fullmatch(text) or text[:1] in "([{&*!-+")


def _is_quoted_value(text: str, weight: Weight) -> bool:
    words = text.lower().split()
    if len(words) > 1:
        told = any(weight_of(word.strip(".,:;!?()")) == "sure" for word in words)
        sentence = (text[0].isupper() or text[-1] in ".?!:…") and not _PROSE.isdisjoint(words)
        return weight == "sure" and not told and not sentence
    return weight == "sure" or looks_random(text)


def _is_name(text: str) -> bool:
    """Whether it names a variable: only the word itself, or several parts."""
    words = [word.lower() for word in _WORDS.findall(text)]
    return len(words) > 1 or words[0] in _SURE | _MAYBE | {"key"}


def _mixed(text: str) -> bool:
    return len(text) >= 12 and all(re.search(rule, text) for rule in (r"[A-Z]", r"[a-z]", r"\d"))
