"""What was found, marked in the lines of a transcript."""

from __future__ import annotations

from collections.abc import Sequence

from sessions.store.spans import Span, fold, spans_in
from tui.chat.runs import Line, Run, plain

HIT, NOW = "hit", "now"
"""The grounds of what was found, and of the place that the reader is at."""


def mark_spans(line: Line, spans: Sequence[Span], now: Span | None = None) -> Line:
    """The line with these spans of its source marked, `now` more than the others."""
    out: Line = []
    for run in line:
        hit = [s for s in spans if run.start >= 0 and s[0] < max(run.end, run.start + 1) and s[1] > run.start]
        if not hit:
            out.append(run)
        elif not run.linear:
            out.append(_inked(run, NOW if now in hit else HIT))
        else:
            out += _pieces(run, [(s[0] - run.start, s[1] - run.start, NOW if s == now else HIT) for s in hit])
    return out


def mark_words(line: Line, needles: Sequence[str], ground: str = HIT) -> Line:
    """The line with these folded texts marked wherever it shows them."""
    spans = spans_in(fold(plain(line)), needles)
    if not spans:
        return line
    out: Line = []
    at = 0
    for run in line:
        size = len(run.text)
        hit = [(s[0] - at, s[1] - at, ground) for s in spans if s[0] < at + size and s[1] > at]
        out += _pieces(run, hit) if hit else [run]
        at += size
    return out


def _pieces(run: Run, spans: Sequence[tuple[int, int, str]]) -> Line:
    out: Line = []
    at = 0
    for start, end, ground in spans:
        lo, hi = max(at, start), min(len(run.text), end)
        if lo > at:
            out.append(_part(run, at, lo))
        if hi > lo:
            out.append(_inked(_part(run, lo, hi), ground))
        at = max(at, hi)
    if at < len(run.text):
        out.append(_part(run, at, len(run.text)))
    return out


def _part(run: Run, lo: int, hi: int) -> Run:
    if run.start >= 0 and run.linear:
        return run._replace(text=run.text[lo:hi], start=run.start + lo, end=run.start + hi)
    return run._replace(text=run.text[lo:hi])


def _inked(run: Run, ground: str) -> Run:
    return run._replace(ink=f"{run.ink.partition('@')[0]}@{ground}")
