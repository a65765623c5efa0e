"""How many tokens a request takes: what the provider reported is the truth, between reports it is an estimate."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sessions.messages import AssistantMessage, Message, Usage
from sessions.providers.base import Request
from sessions.tools.base import FRAME_CHARS, tools_chars

CHARS_PER_TOKEN = 4.0
_LOWEST, _HIGHEST = 1.0, 6.0
# Characters of a token that no text has on the average.
_MOST = 12.0
# Of fewer tokens it cannot be told whether something is missing; of more, by less than this part of what they must be.
_CUT_FROM, _CUT = 1_000, 0.8
# Characters of a token in plain English; every other text has fewer.
_PROSE = 5.0
# A report on a small request says more about its frame than about its text.
_TELLING_CHARS = 400


class Budget:
    """Turns characters into tokens for one model, and learns its rate from each report."""

    def __init__(self) -> None:
        self.chars_per_token = CHARS_PER_TOKEN
        self.learned = False
        """Whether a report of the provider stands behind the rate."""

    def tokens(self, chars: int) -> int:
        return round(chars / self.chars_per_token)

    def estimate(self, request: Request) -> int:
        """Tokens that the request will take."""
        return self.tokens(request_chars(request))

    def was_cut(self, request: Request, usage: Usage) -> bool:
        """Whether so few tokens can only be a part of the request: servers drop what does not fit, and say nothing."""
        if usage.cached or usage.input < _CUT_FROM:
            return False
        least = request_chars(request) / (self.chars_per_token * 1.3 if self.learned else _PROSE)
        return usage.input < least * _CUT

    def learn(self, request: Request, usage: Usage) -> None:
        """Take the rate that the provider's count of this request shows."""
        chars = request_chars(request)
        if plausible(usage.input, chars) and chars >= _TELLING_CHARS:
            self.learned = True
            self.chars_per_token = min(_HIGHEST, max(_LOWEST, chars / usage.input))


def plausible(tokens: int, chars: int) -> bool:
    """Whether a report of so many tokens can be of so many characters: some services leave out what they had cached."""
    return tokens > 0 and chars / tokens <= _MOST


def request_chars(request: Request) -> int:
    fixed = len(request.system) + len(request.environment) + len(request.summary)
    return fixed + tools_chars(request.tools) + messages_chars(request.messages)


def messages_chars(messages: Iterable[Message]) -> int:
    chars = 0
    for message in messages:
        chars += len(message.content) + FRAME_CHARS
        if isinstance(message, AssistantMessage):
            chars += len(message.reasoning or "")
            for call in message.tool_calls:
                arguments = json.dumps(call.arguments) if call.arguments is not None else call.arguments_text or ""
                chars += len(call.name) + len(arguments) + FRAME_CHARS
    return chars
