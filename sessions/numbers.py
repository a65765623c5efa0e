"""Numbers as other programs write them: JSON knows no limits, and some write `1e400`, `-1`, `"7"` or `"²"`."""

from __future__ import annotations

import math

_MOST = 2**53
"""From here on not every whole number can be told from the next one in JSON."""
_DIGITS = 16


def whole(value: object) -> int | None:
    """The value as a whole number of at least 0, parts of one cut off; None for everything that is none."""
    if isinstance(value, str):
        text = value.strip()
        if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
            return None
        number: float = int(text)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = value
    else:
        return None
    return int(number) if 0 <= number < _MOST else None


def amount(value: object) -> float | None:
    """The value as a number of at least 0; None for everything that is none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value < _MOST and math.isfinite(value) else None
