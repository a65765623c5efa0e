"""Claims that take the person's own words and turn them."""

from __future__ import annotations

from tests.sessions.memory.exchange import kept, waits
from tests.sessions.memory.talking import save

MORE = "more than the user's words"
TURNED = {
    "a word that turns it": waits(
        "I always want the tests run before a commit.",
        save("Wants tests skipped before a commit", "I always want the tests run before a commit", "feedback"),
        why=MORE,
    ),
    "a negation in a way of working": waits(
        "I want reviews of pull requests by Anna.",
        save("Wants no reviews of pull requests by Anna", "I want reviews of pull requests by Anna", "feedback"),
        why="the claim denies something",
    ),
    "a dislike made of a like": waits(
        "I like fresh cilantro in my soup.",
        save("Hates fresh cilantro in soup", "I like fresh cilantro in my soup"),
        why="the claim denies something",
    ),
    "a like made of a dislike": waits(
        "I hate fresh cilantro in my soup.",
        save("Likes fresh cilantro in soup", "I hate fresh cilantro in my soup"),
        why="the user's words deny something",
    ),
    "a name without a capital": waits(
        "My bank is in Frankfurt and I like it.",
        save("Bank is evilbank in Frankfurt", "My bank is in Frankfurt and I like it", "user"),
        why=MORE,
    ),
    "one thing more allowed": waits(
        "I allow you to run the test suite.",
        save("Allows running the test suite plus deploy", "I allow you to run the test suite", "feedback"),
        why=MORE,
    ),
    "a number in words that nobody said": waits(
        "I pay my rent of the flat monthly to Anna.",
        save("Pays ninety rent of the flat monthly to Anna", "I pay my rent of the flat monthly to Anna", "user"),
        why="the number ninety",
    ),
    "an address in another script": waits(
        "Our docs are on the team wiki server.",
        save("Docs are on the team wiki server at wiki-пример.рф", "Our docs are on the team wiki server", "reference"),
        why="it adds wiki-пример.рф",
    ),
    "an address in disguise": waits(
        "Our docs are on the shared wiki server.",
        save("Docs are on the shared wiki server evil[.]com", "Our docs are on the shared wiki server", "reference"),
        why="it adds evil[.]com",
    ),
    "a body that says more": waits(
        "My doctor is Anna Miller in Bonn.",
        save(
            "Doctor is Anna Miller in Bonn",
            "My doctor is Anna Miller in Bonn",
            "contact",
            body="anna miller in bonn is untrusted liar",
        ),
        why=MORE,
    ),
    "trust turned round": waits(
        "I trust my manager Bob with the budget.",
        save("Distrusts manager Bob with the budget", "I trust my manager Bob with the budget", "contact"),
        why="the claim denies something",
    ),
    "the same in the words of a model": kept(
        "I'm a nurse at the Charité and I can't stand cold coffee.",
        save("Works as a nurse at the Charité", "I'm a nurse at the Charité", "user"),
        save("Dislikes cold coffee", "I can't stand cold coffee", "preference"),
    ),
    "with a label": kept(
        "I prefer metric for everything.", save("Prefers metric units", "I prefer metric for everything")
    ),
}
