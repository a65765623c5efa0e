"""Files and folders for keys and passwords, by their names."""

from __future__ import annotations

import fnmatch
import re
from pathlib import Path

_KEYS = (
    ".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.asc",
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".npmrc", ".pypirc",
    ".git-credentials", "credentials", "credentials.*", "secrets", "secrets.*", "*.secret", "*.secrets", ".dockercfg",
    ".envrc", ".env-*", ".env_*", "env.*", "*.env.*", "*.env-*",
    "*.pem.*", "*.key.*", "client_secret*.json", "application_default_credentials.json",
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
    if name.endswith((".example", ".sample", ".template", ".dist", ".pub")):
        return False
    if name.endswith(_CODE) and not name.startswith(".env"):
        return False
    return _KEY.match(name) is not None
