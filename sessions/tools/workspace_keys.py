"""Files and folders for keys and passwords, by their names; and what only files call a password."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

_KEYS = (
    ".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.asc",
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".npmrc", ".pypirc",
    ".git-credentials", "credentials", "credentials.*", "secrets", "secrets.*", "*.secret", "*.secrets", ".dockercfg",
    ".envrc", ".env-*", ".env_*", "*.pem.*", "*.key.*", "client_secret*.json", "application_default_credentials.json",
    "auth.json", "kubeconfig", "*.kubeconfig", "*.p8", "*.keytab", ".s3cfg", ".boto", ".my.cnf", ".yarnrc.yml",
    ".vault_pass*", "token", "tokens", "token.*", "tokens.*", "passwords", "passwords.*", "secret", "secret.*",
    "*.tfvars.json", "*.tfstate.*", ".*_history", "service-account*.json", "service_account*.json",
    "*.tfstate", "*.tfvars", ".vault-token", "shadow", "*.ovpn",
)  # fmt: skip
_CODE = tuple(
    f".{end}" for end in "py pyi js mjs ts tsx jsx go rs rb php java kt swift c h cc cpp cs md rst html css".split()
)
KEY_FOLDERS = frozenset(
    {
        ".ssh",
        ".gnupg",
        ".aws",
        ".azure",
        ".kube",
        ".docker",
        ".password-store",
        "keyrings",
        "secrets",
        ".secrets",
        "gcloud",
    }
)
_KEY = re.compile("|".join(map(fnmatch.translate, _KEYS)))

_LEFT_OUT = "[a secret was left out: password]"
_NOT_YET = r"(?!\[a secret was left out|[$<{%*]|/|\.\.\.)"
_NAMED = "PASS(?:W(?:OR)?D|PHRASE)?|PWD?|SECRET|TOKEN|(?:API|ACCESS|PRIVATE|SECRET)_?KEY"
_VARIABLE = re.compile(rf"\b([A-Z0-9_]*(?<![A-Z0-9])(?:{_NAMED})=)([\"']?){_NOT_YET}([^\s\"'()\[\]]{{4,}})\2(?!\S)")
_QUOTED = re.compile(
    rf"\b((?:\w*[_.-])?(?:{_NAMED})[\"']?\s*[:=]\s*)([\"']){_NOT_YET}(?=[^\"']*\d)([^\s\"']{{4,}})\2", re.I
)
_PHRASE = r"\b((?:\w*[_.-])?pass[_ -]?phrase[\"']?[ \t]*[:=][ \t]*)"
_PHRASE_QUOTED = re.compile(rf"{_PHRASE}([\"']){_NOT_YET}([^\n\"']{{4,}})\2", re.I)
_PHRASE_PLAIN = re.compile(
    rf"{_PHRASE}()(?![\"'\s]){_NOT_YET}(?![\w.]+[(\[])"
    rf"(?!(?:str|string|bytes|None|null|true|false)\b[ \t]*(?:[,;=|)]|$))([^\n]{{4,}})",
    re.I | re.M,
)
"""All of the line, as it is several words; neither a type nor a call."""


def without_passwords(text: str) -> str:
    """The text without the values that a file of settings gives to names for passwords; as many lines as before."""
    for rule in (_VARIABLE, _QUOTED, _PHRASE_QUOTED, _PHRASE_PLAIN):
        text = rule.sub(rf"\1\2{_LEFT_OUT}\2", text)
    return text


def holds_keys(path: Path) -> bool:
    """By its name, whatever the case."""
    parts = [part.casefold() for part in path.parts]
    if any(part in KEY_FOLDERS for part in parts):
        return True
    name = (parts[-1] if parts else "").rstrip("~")
    name = name.removesuffix(".bak").removesuffix(".old").removesuffix(".orig")
    if parts[-2:] == [".git", "config"]:
        return True
    # Neither a template of such a file nor a program about them holds keys.
    if name.endswith((".example", ".sample", ".template", ".pub", *_CODE)):
        return False
    return _KEY.match(name) is not None
