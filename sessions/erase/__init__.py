"""Erasing for good: a fact, a session, a message, a secret, wherever they stand under the home."""

from sessions.erase.run import Result, erase, finish, pending
from sessions.erase.survey import Survey, survey, with_words
from sessions.erase.target import Target, of_fact, of_message, of_session, of_text

__all__ = [
    "Result",
    "Survey",
    "Target",
    "erase",
    "finish",
    "of_fact",
    "of_message",
    "of_session",
    "of_text",
    "pending",
    "survey",
    "with_words",
]
