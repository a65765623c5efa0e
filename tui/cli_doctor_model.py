"""The part of `doctor` on the model that answers: is it there, does it take the key, does its service have it."""

from __future__ import annotations

from collections.abc import Iterator

from sessions.errors import ProviderError
from sessions.settings import Profile, Settings
from tui.cli_doctor import Finding

_LISTING_S = 5.0


def model(settings: Settings) -> Iterator[Finding]:
    """Nothing is sent but a question for the list of models."""
    try:
        profile = settings.profile()
    except KeyError as error:
        yield Finding("failed", "model", f"there is no profile {error}", "memagent-tui config show names the profiles")
        return
    if profile.type == "guide":
        yield Finding("ok", "model", "guide (rules, no AI)", "Connect one: /connect in the workbench")
    else:
        yield _answers(profile)


def _answers(profile: Profile) -> Finding:
    from sessions.providers.keys import with_key
    from sessions.providers.listing import models_of
    from sessions.providers.service import key_variable

    try:
        service = with_key(profile)
    except ProviderError as error:
        return Finding("failed", "model", error.message, error.advice)
    variable = key_variable(profile)
    if service.key is None and variable and not service.local:
        return Finding("failed", "model", f"{variable} is not set", f"export {variable}=…")
    if service.key is None and profile.api_key:
        way = f"memagent-tui config key {profile.name}"
        return Finding("failed", "model", f"the keyring has no key for {profile.name}", way)
    where = f"{profile.model} at {service.url}"
    try:
        models = models_of(service, _LISTING_S)
    except ProviderError as error:
        if error.status in {None, 401, 403} and "lists no models" not in error.message:
            return Finding("failed", "model", error.message, error.advice)
        return Finding("ok", "model", f"{where} answers; it lists no models")
    found = next((one for one in models if one.id in {profile.model, f"{profile.model}:latest"}), None)
    if found is None:
        names = ", ".join(one.id for one in models[:5]) or "none"
        way = f"memagent-tui config set profiles.{profile.name}.model NAME; there are: {names}"
        return Finding("warning", "model", f"{service.url} answers and does not list {profile.model}", way)
    window = profile.context_window or found.window
    return Finding("ok", "model", f"{where} answers{f', context {window:,} tokens' if window else ''}")
