"""What went wrong at a model service, as a sentence for the person and a decision whether to try again."""

from __future__ import annotations

import math
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urljoin

from sessions.errors import ProviderError
from sessions.numbers import whole
from sessions.providers import effort
from sessions.providers.limits import ERROR_TEXT, LINE, mega, short
from sessions.providers.retry import retry_after_s, said_wait_s
from sessions.providers.service import Service, key_variable

_TOO_LONG = re.compile(
    r"context[_ ](length|window|size)|maximum context|too many (input )?tokens|(prompt|input|request) is too long"
    r"|exceeds? the (available|maximum|model'?s) (context|number of tokens)|reduce the length of the (messages|prompt)"
    r"|input length and `?max_tokens|string_above_max_length|maximum prompt length",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"(not|n't) support(ed)?\b.{0,40}\b(tool|function)|(tool|function)\S*( \S+){0,4} (is|are) not (supported|enabled)"
    r"|(tool|function)( \S+)? (use|calling)( \S+)? (not|un)\s?(supported|available)|enable-auto-tool-choice"
    r"|requires --jinja|no endpoints found that support tool|tool.{0,40}\bunsupported|unsupported.{0,40}\btools?\b",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(r"model|no endpoints found for", re.IGNORECASE)
_NO_CREDIT = re.compile(
    r"insufficient_quota|exceeded your current quota|\bbilling\b|insufficient (balance|credit)"
    r"|credit balance is too low|requires more credits",
    re.IGNORECASE,
)
_BAD_KEY = re.compile(
    r"api[_ ]key( is)? (not valid|invalid|not found|missing|expired)|api_key_invalid"
    r"|(invalid|missing|incorrect)( \S+){0,2} (api[_ ]?key|authorization header)",
    re.IGNORECASE,
)
_MODERATED = re.compile(r"\bflagged\b|moderation|safety system", re.IGNORECASE)
_NEVER_FITS = re.compile(r"request too large for", re.IGNORECASE)
"""A limit of tokens a minute that one request alone is beyond: waiting does not help."""


class PassingError(ProviderError):
    """A failure after which the same request is worth another try at once."""


def of_status(
    service: Service, status: int, body: Any, headers: Mapping[str, str], now: datetime, *, tools: bool
) -> ProviderError:
    """The error of an HTTP status, or of the status that an error object inside a stream names.

    `body` is the service's JSON or text, `tools` whether the request had any.
    """
    if 300 <= status < 400 and headers.get("location"):
        return redirect(service, status, headers["location"])
    text = error_text(body)
    said = service.redact(text)
    text = text[:ERROR_TEXT]
    tail = f": {said}" if said else ""
    host, profile = service.host, service.profile
    wait = retry_after_s(headers, now)
    if wait is None and status == 429:
        wait = said_wait_s(text)
    if status == 402 or (status in {400, 429} and wait is None and _NO_CREDIT.search(text)):
        message = f"{host}: the account's quota is used up{tail}"
        return ProviderError(message, "Check plan, credit and billing there", status=status)
    if status == 400 and _BAD_KEY.search(text):
        return ProviderError(f"{host} refuses access ({status}){tail}", _about_key(service), status=status)
    if status == 403 and _MODERATED.search(text):
        return ProviderError(f"{host} will not answer this ({status}){tail}", "Say it otherwise", status=status)
    too_long = status not in {401, 403, 429} and (status == 413 or _TOO_LONG.search(text))
    if too_long or _NEVER_FITS.search(text):
        message = f"The conversation is too long for {profile.model}{tail}"
        advice = f"Set {service.setting('context_window')} to what the service offers"
        return ProviderError(message, advice, status=status, too_long=True)
    if tools and status not in {401, 403, 429} and _NO_TOOLS.search(text) and not effort.REFUSED.search(text):
        advice = "Choose a model that can call tools, or switch them off in the service's or this program's settings"
        return ProviderError(f"{profile.model} cannot call tools at {host}{tail}", advice, status=status, no_tools=True)
    if status in {401, 403}:
        return ProviderError(f"{host} refuses access ({status}){tail}", _about_key(service), status=status)
    if status in {404, 405, 501}:
        if status == 404 and _NO_MODEL.search(text):
            advice = "Choose one" if service.tried else f"Set {service.setting('model')} to one"
            advice += " that is there"
            if service.local and ":11434" in service.url:
                advice += f", or fetch it (ollama pull {profile.model})"
            return ProviderError(f"{host} has no model {profile.model!r}{tail}", advice, status=status)
        advice = _about_address(service)
        return ProviderError(f"No chat service at {service.url} ({status}){tail}", advice, status=status)
    if status in {408, 409, 425, 429} or status >= 500:
        what = "asks for patience" if status == 429 else "has trouble"
        advice = f"Try again in {_in_words(wait)}" if wait else "Try again in a while"
        message = f"{host} {what} ({status}){tail}"
        return PassingError(message, advice, status=status, retryable=True, retry_after_s=wait)
    return ProviderError(f"{host} refused the request ({status}){tail}", _about_request(service), status=status)


def in_stream(service: Service, error: Any, now: datetime, *, tools: bool) -> ProviderError:
    """The error of an object that came instead of, or in the middle of, an answer."""
    code = whole(error.get("code") or error.get("status")) if isinstance(error, dict) else None
    if code is not None and 400 <= code < 600:
        return of_status(service, code, {"error": error}, {}, now, tools=tools)
    text = error_text({"error": error})
    if _TOO_LONG.search(text, 0, ERROR_TEXT) or (tools and _NO_TOOLS.search(text, 0, ERROR_TEXT)):
        return of_status(service, 400, {"error": error}, {}, now, tools=tools)
    said = service.redact(text)
    message = f"{service.host} gave up in the middle of the answer{': ' + said if said else ''}"
    return PassingError(message, "Try again", retryable=True)


def of_connection(service: Service, error: BaseException, patience_s: float | None = None) -> ProviderError:
    """The error of a connection that could not be made or did not last. The exception's own text is not used.

    `patience_s` are the seconds that were waited where it is not the profile that says it.
    """
    url, host = service.url, service.host
    found = list(causes(error))
    if any(isinstance(c, ConnectionRefusedError) for c in found):
        return ProviderError(f"Nothing answers at {url}", service.start, retryable=True)
    if any(isinstance(c, socket.gaierror) for c in found):
        advice = f"Check the network, and {service.setting('base_url')}"
        return ProviderError(f"The host {host} cannot be found ({url})", advice, retryable=True)
    if any(isinstance(c, ssl.SSLError) for c in found):
        return ProviderError(f"No secure connection to {url}", "Check its certificate, or https:// against http://")
    kinds = {type(c).__name__ for c in found}
    if kinds & {"ConnectTimeout", "PoolTimeout"}:
        waited = connect_s(service) if patience_s is None else patience_s
        return ProviderError(f"No connection to {url} within {waited:g} s", service.start, retryable=True)
    if kinds & {"ReadTimeout", "WriteTimeout", "APITimeoutError", "TimeoutError"}:
        return silence(service, patience_s)
    if kinds & {"ConnectError"}:
        return ProviderError(f"No connection to {url}", service.start, retryable=True)
    if kinds & {"UnsupportedProtocol", "InvalidURL"}:
        return no_address(service)
    if kinds & {"LocalProtocolError", "UnicodeEncodeError"}:
        headers = "" if service.tried else f" and in {service.setting('headers')}"
        advice = f"Look for line breaks and letters outside ASCII in the key{headers}"
        return ProviderError(f"The request to {host} could not be made: a header cannot be sent", advice)
    return PassingError(f"The connection to {url} broke", "Try again", retryable=True)


def silence(service: Service, patience_s: float | None = None) -> ProviderError:
    """Nothing of an answer came for as long as a silence may last: `patience_s`, or what the profile says."""
    if patience_s is None and not service.tried:
        advice = f"Try again, or raise {service.setting('timeout_s')}"
    else:
        again = "start what runs there again" if service.local else "see whether the service runs"
        advice = f"Try again, or {again}"
    waited = service.profile.timeout_s if patience_s is None else patience_s
    return ProviderError(f"Silence for {waited:g} s from {service.url}", advice, retryable=True)


def too_long_a_line(service: Service) -> ProviderError:
    """What comes is no stream of small events."""
    return ProviderError(f"{service.host} sent a line of more than {mega(LINE)}", _about_address(service))


def no_key(service: Service) -> ProviderError:
    """A service that wants a key, and a variable that does not hold one."""
    return ProviderError(f"No key for {service.host}", _about_key(service))


def no_address(service: Service) -> ProviderError:
    """A base_url that cannot be asked. It is not shown, for it cannot be told which part of it is a secret."""
    like = "one like http://127.0.0.1:11434/v1"
    if service.tried:
        return ProviderError("The address is none of a service", f"Give {like}")
    name = service.profile.name
    advice = f"Set {service.setting('base_url')} to {like}"
    return ProviderError(f"The address of the profile {name} is none of a service", advice)


def no_answer(service: Service, stray: str) -> ProviderError:
    """A stream that ended without an answer, or something that is no stream."""
    if stray:
        advice = _about_address(service)
        return ProviderError(f"{service.url} does not answer like a chat service", advice)
    return PassingError(f"{service.host} sent an empty answer", "Try again", retryable=True)


def cut(service: Service) -> ProviderError:
    """A stream that ended before the service said that the answer is complete."""
    return PassingError(f"The answer of {service.host} broke off ({service.url})", "Try again", retryable=True)


def error_text(body: Any) -> str:
    """What a service says in an error: its message with its code, from any of the shapes in use."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        text = _text(body)
        return "" if text.lstrip().startswith("<") else text  # a page of HTML says nothing to a person
    error = body.get("error", body)
    if not isinstance(error, dict):
        return _text(error)
    message = error.get("message") or error.get("detail") or body.get("detail") or body.get("message") or ""
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    code = error.get("code")
    parts = [_text(message), raw if isinstance(raw, str) else "", f"({code})" if isinstance(code, str) else ""]
    return " ".join(p for p in parts if p)


def _text(value: Any) -> str:
    """The value as text; lists and objects as they are written, unless they go too deep."""
    try:
        return str(value or "")
    except RecursionError:
        return ""


def redirect(service: Service, status: int, location: str) -> ProviderError:
    """What was said goes to the address of the settings, and to no other that the address names."""
    base = (
        urljoin(f"{service.url}/", location)
        .partition("?")[0]
        .removesuffix("/chat/completions")
        .removesuffix("/embeddings")
    )
    target = short(Service(replace(service.profile, base_url=base), None).url)
    way = "give that address" if service.tried else f"set {service.setting('base_url')}"
    advice = f"Nothing was sent there. If it is the right service, {way}"
    return ProviderError(f"{service.host} wants the request at {target} instead ({status})", advice, status=status)


def connect_s(service: Service) -> float:
    """Seconds until a connection that is not made is given up."""
    return min(10.0, service.profile.timeout_s)


def _about_key(service: Service) -> str:
    profile = service.profile
    variable = key_variable(profile)
    if service.tried and variable is None:
        return "Give a key" if service.key is None else "Give the right key"
    typed = f"/key in the workbench, or memagent-tui config key {profile.name}"
    if profile.api_key == "keyring":
        return f"Give it: {typed}" if service.key is None else f"Give the right key: {typed}"
    if variable is None:
        return f"Give its key: {typed}; or name the variable that holds it: {service.setting('api_key_env')}"
    if service.key is None:
        return f"Set the variable {variable} to its key"
    return f"Check the key in the variable {variable}"


def _about_address(service: Service) -> str:
    return f"Check {service.setting('base_url')}; it usually ends in /v1"


def _about_request(service: Service) -> str:
    if service.tried:
        return "Try another model"
    return f"Check {service.setting('model', 'temperature', 'reasoning_effort', 'extra_body')}"


def _in_words(seconds: float) -> str:
    """`40 s`, `5 minutes`, `a day`: no fewer than it takes."""
    for unit, name, one in ((86_400, "days", "a day"), (3_600, "hours", "an hour"), (60, "minutes", "a minute")):
        if seconds >= unit:
            count = math.ceil(seconds / unit)
            return one if count == 1 else f"{count} {name}"
    return f"{math.ceil(seconds)} s"


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and all that led to it."""
    waiting, seen = [error], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [e for e in (one.__cause__, one.__context__) if e]
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
