from __future__ import annotations

from datetime import UTC, datetime

import pytest

from sessions.providers.retry import backoff_s, retry_after_s

NOW = datetime(2026, 11, 29, 17, 14, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Sun, 29 Nov 2026 17:14:20 GMT"}, 12.0),
        ({"retry-after": "Sun, 29 Nov 2026 17:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_service_asks_for(headers, seconds):
    assert retry_after_s(headers, NOW) == seconds


def test_waits_grow():
    assert [backoff_s(n) for n in (1, 2, 3)] == [1, 2, 4]
