"""Services elsewhere as their documentation and their users show them: each a `Kind` under its name.

They are told by their host, so a test reaches them as the program would: by their own address, over the proxy of its
environment, which is the test server.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from sessions.providers.known import KEY_PLACES
from tests.servers.chat_server import DONE, Reply, error, event, stream, usage
from tests.servers.kind import Call, Kind, Reader, by_bearer, listed, openai_calls, plain, refuses

KEY = "sk-the-right-key"
SIGNED = {"google": {"thought_signature": "EjQKMgEMOdbHJChLX75QUCJj+/=="}}
DETAILS = [
    {
        "type": "reasoning.text",
        "text": "Hm. Yes.",
        "format": "anthropic-claude-v1",
        "index": 0,
        "signature": "ErUB+/==",
    },
    {"type": "reasoning.encrypted", "data": "gAAAAABo", "format": "anthropic-claude-v1", "index": 1, "id": "rs_1"},
]
"""What OpenRouter's chunks add up to."""


def _array(status: int, message: str, state: str, **more: Any) -> Reply:
    """An error as Gemini writes it: in a list."""
    body = [{"error": {"code": status, "message": message, "status": state} | more}]
    return Reply([json.dumps(body).encode()], status, {"Content-Type": "application/json"})


def _routed(words: str) -> Reply:
    """Comments while it waits, reasoning twice, usage with its cost beside a choice that says nothing."""
    return _over_router([{"content": word + " "} for word in words.split()], "stop")


def _routed_calls(*wanted: Call) -> Reply:
    deltas = []
    for index, (name, arguments) in enumerate(wanted):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"index": index, "id": f"toolu_{index}", "type": "function", "function": function}
        deltas.append({"role": "assistant", "content": None, "tool_calls": [call]})
    return _over_router(deltas, "tool_calls")


def _over_router(deltas: list[dict[str, Any]], finish: str) -> Reply:
    said, sealed = DETAILS
    kind = {"type": said["type"], "format": said["format"], "index": 0}
    thoughts: list[dict[str, Any]] = [
        {"reasoning": "Hm. ", "reasoning_details": [kind | {"text": "Hm. "}]},
        {"reasoning": "Yes.", "reasoning_details": [kind | {"text": "Yes."}]},
        {"reasoning": None, "reasoning_details": [kind | {"signature": said["signature"]}]},
        {"reasoning": None, "reasoning_details": [sealed]},
    ]
    waiting = b": OPENROUTER PROCESSING\n\n"
    more = {"provider": "Anthropic", "model": "anthropic/claude-sonnet-4.5"}
    counts = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": 0.25, "is_byok": False}
    silent = {"role": "assistant", "content": ""}
    steps = [waiting, waiting, *(event(silent | delta, **more) for delta in [*thoughts, *deltas]), waiting]
    return Reply([*steps, event(silent, finish, **more), event(silent, **more, usage=counts), DONE])


def _anthropic_calls(*wanted: Call) -> Reply:
    """Arguments in pieces; a call without any has an empty text there."""
    deltas: list[dict[str, Any]] = []
    for index, (name, arguments) in enumerate(wanted):
        head = {"index": index, "id": f"toolu_01{index}", "type": "function"}
        deltas.append({"tool_calls": [head | {"function": {"name": name, "arguments": ""}}]})
        written = json.dumps(arguments) if arguments else ""
        for start in range(0, len(written), 6):
            deltas.append({"tool_calls": [{"index": index, "function": {"arguments": written[start : start + 6]}}]})
    return stream(*deltas, finish="tool_calls")


def _gemini_calls(*wanted: Call) -> Reply:
    """Each call whole and without an index, the first one signed; they end like any answer."""
    deltas = []
    for number, (name, arguments) in enumerate(wanted):
        call = {"function": {"name": name, "arguments": json.dumps(arguments)}, "id": f"jm4owj3{number}"}
        deltas.append({"tool_calls": [call | {"type": "function"} | ({"extra_content": SIGNED} if not number else {})]})
    return stream(*deltas, finish="stop")


def _gemini_says(words: str) -> Reply:
    """The signature of an answer comes last, in a piece without words; the usage comes with the pieces."""
    pieces = [event({"role": "assistant", "content": word + " "}) for word in words.split()]
    counts = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return Reply([*pieces, event({"role": "assistant", "extra_content": SIGNED}, "stop", usage=counts), DONE])


def _newest_turn(body: dict[str, Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = body["messages"]
    return messages[max(i for i, message in enumerate(messages) if message["role"] == "user") :]


def _unsigned(body: dict[str, Any]) -> Reply | None:
    """Gemini takes no calls of the newest turn without what it signed."""
    for message in _newest_turn(body):
        if (calls := message.get("tool_calls")) and calls[0].get("extra_content") != SIGNED:
            why = "Function call is missing a thought_signature in functionCall parts. This is required for tools to "
            return _array(400, f"{why}work correctly. Additional data, position 2", "INVALID_ARGUMENT")
    return None


def _thoughtless(body: dict[str, Any]) -> Reply | None:
    """A model that must see its reasoning again, which its host then says in its own words."""
    for message in _newest_turn(body):
        if message.get("tool_calls") and message.get("reasoning_details") != DETAILS:
            raw = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`"
            return error(400, "Provider returned error", code=400, metadata={"raw": raw, "provider_name": "Anthropic"})
    return None


def _anthropic_row(name: str, shown: str, most: int) -> dict[str, Any]:
    return {"type": "model", "id": name, "display_name": shown, "created_at": "2025-09-29T00:00:00Z"} | {
        "max_input_tokens": most,
        "max_tokens": 64000,
    }


def _routed_row(name: str, window: int, prompt: str, completion: str) -> dict[str, Any]:
    return {"id": name, "name": name, "canonical_slug": name, "context_length": window} | {
        "pricing": {"prompt": prompt, "completion": completion, "request": "0", "image": "0"},
        "supported_parameters": ["tools", "reasoning", "max_tokens"],
        "top_provider": {"context_length": window, "max_completion_tokens": 64000, "is_moderated": True},
    }


def _native_gemini(name: str, most: int) -> dict[str, Any]:
    return {"name": f"models/{name}", "displayName": name, "inputTokenLimit": most, "outputTokenLimit": 65536}


def _anthropic_reader(headers: dict[str, str]) -> bool:
    return headers.get("x-api-key") == KEY and bool(headers.get("anthropic-version"))


def _gemini_reader(headers: dict[str, str]) -> bool:
    native = headers[":path"].startswith("/v1beta/models")
    return headers.get("x-goog-api-key") == KEY if native else by_bearer(KEY)(headers)


_URLS = {place.name: place.url.replace("https://", "http://") for place in KEY_PLACES}
_OPENAI_LONG = (
    "Input tokens exceed the configured limit of {window} tokens. Your messages resulted in {sent} tokens. Please "
    "reduce the length of the messages."
)
_ROUTED_LONG = (
    "This endpoint's maximum context length is {window} tokens. However, you requested about {sent} tokens ({sent} of "
    'text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt '
    "automatically."
)
_INVALID = {"type": "invalid_request_error", "param": None}
_BAD_KEYS: dict[str, Callable[[], Reply]] = {
    "OpenAI": lambda: error(401, "Incorrect API key provided: sk-wrong.", **_INVALID, code="invalid_api_key"),
    "OpenRouter": lambda: error(401, "User not found.", code=401),
    "Anthropic": lambda: error(401, "invalid x-api-key", type="authentication_error"),
    "Gemini": lambda: _array(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"),
}
NO_CREDIT: dict[str, Callable[[], Reply]] = {
    "OpenAI": lambda: error(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        type="insufficient_quota",
        code="insufficient_quota",
    ),
    "OpenRouter": lambda: error(
        402,
        "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only "
        "afford 3395. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account",
        code=402,
        metadata={"provider_name": None},
    ),
    "Anthropic": lambda: error(
        400,
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or "
        "purchase credits.",
        **_INVALID,
    ),
    "Gemini": lambda: _array(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "RESOURCE_EXHAUSTED",
    ),
}
"""What each says when the account is empty."""


def _service(name: str, listings: dict[str, Any], reads: Reader | None = None, **more: Any) -> Kind:
    wants = by_bearer(KEY)
    return Kind(listings, url=_URLS[name], key=KEY, bad_key=_BAD_KEYS[name], wants=wants, reads=reads or wants, **more)


SERVICES: dict[str, Callable[[], Kind]] = {
    "OpenAI": lambda: _service(
        "OpenAI",
        {"/v1/models": listed("gpt-5", "gpt-4o", "text-embedding-3-small", "whisper-1", "dall-e-3", owned_by="system")},
        says=plain,
        calls=openai_calls,
        overflow=refuses(_OPENAI_LONG, **_INVALID, code="context_length_exceeded"),
        model="gpt-5",
        window=None,
    ),
    "OpenRouter": lambda: _service(
        "OpenRouter",
        {
            "/api/v1/models": {
                "data": [
                    _routed_row("anthropic/claude-sonnet-4.5", 200000, "0.000003", "0.000015"),
                    _routed_row("qwen/qwen3-32b:free", 40960, "0", "0"),
                    _routed_row("openrouter/auto", 2000000, "-1", "-1"),
                ]
            }
        },
        lambda headers: True,  # anybody may read it
        says=_routed,
        calls=_routed_calls,
        overflow=refuses(_ROUTED_LONG, code=400, metadata={"provider_name": None}),
        model="anthropic/claude-sonnet-4.5",
        window=200000,
        refuses=_thoughtless,
        thinks=True,
    ),
    "Anthropic": lambda: _service(
        "Anthropic",
        {
            "/v1/models?limit=1000": {
                "data": [
                    _anthropic_row("claude-sonnet-4-5", "Claude Sonnet 4.5", 200000),
                    _anthropic_row("claude-haiku-4-5", "Claude Haiku 4.5", 200000),
                ],
                "has_more": False,
                "first_id": "claude-sonnet-4-5",
                "last_id": "claude-haiku-4-5",
            }
        },
        _anthropic_reader,
        says=plain,
        calls=_anthropic_calls,
        overflow=refuses("prompt is too long: {sent} tokens > {window} maximum", type="invalid_request_error"),
        model="claude-sonnet-4-5",
        window=200000,
    ),
    "Gemini": lambda: _service(
        "Gemini",
        {
            "/v1beta/openai/models": listed(
                "models/gemini-3-flash", "models/gemini-embedding-001", "models/imagen-4", owned_by="google"
            ),
            "/v1beta/models?pageSize=1000": {
                "models": [_native_gemini("gemini-3-flash", 1048576), _native_gemini("aqa", 7168)]
            },
        },
        _gemini_reader,
        says=_gemini_says,
        calls=_gemini_calls,
        overflow=lambda sent, window: _array(
            400,
            f"The input token count ({sent}) exceeds the maximum number of tokens allowed ({window}).",
            "INVALID_ARGUMENT",
        ),
        model="gemini-3-flash",
        window=1048576,
        refuses=_unsigned,
    ),
}
"""In the order of `KEY_PLACES`."""


def broken_off(words: str) -> Reply:
    """OpenRouter when the host of the model fails in the middle: the status was sent long before."""
    failed = {"code": 502, "message": "Provider disconnected", "metadata": {"error_type": "provider_unavailable"}}
    return Reply([event({"content": words}), event({"content": ""}, "error", error=failed), usage(10, 2), DONE])
