"""The guide about itself: what it understands, and how to get more than rules."""

from __future__ import annotations

NO_MODEL = (
    "I'm the guide: I follow rules and am no language model, so I have no answer to that. "
    'Say "help" for what I understand, or connect a model (say "connect a model").'
)
KEEP = 'To keep something, start with "remember that".'
NOT_A_FACT = (
    'I found no fact to keep in that. To have it kept as you say it, start with "remember that". I follow rules and am '
    'no language model; say "help" for what I understand.'
)
WHO = (
    "I'm the guide, the built-in assistant. I follow rules and am no language model: nothing leaves this machine but "
    'weather questions. Say "help" for what I understand.'
)
CONNECT = """\
Any server that speaks the OpenAI protocol will do. In `config.toml` (its place: `memagent-tui config path`):

```toml
[profiles.local]
base_url = "http://localhost:11434/v1"
model = "qwen3:8b"

[agent]
profile = "local"
```

Or on the command line:

```bash
memagent-tui config set profiles.local.base_url http://localhost:11434/v1
memagent-tui config set profiles.local.model qwen3:8b
memagent-tui config set agent.profile local
```

A service that wants a key takes `api_key_env`, the name of the environment variable that holds it.
Facts and sessions stay."""
HELLO = 'Hello. Tell me something about you, ask for the weather, or say "help".'
HELLO_ONLY = 'Hello. Ask for the weather, or say "help".'
"""Where nothing is saved."""

_SENTENCES: list[tuple[str, str, str]] = [
    ("About you", "I live in Tokyo, and I prefer Celsius.", "keeps two facts about you"),
    ("About you", "I moved to Osaka, what's the weather?", "updates where you live, then looks"),
    ("About you", "Call me Ken.", "keeps your name"),
    ("About you", "I'm vegetarian and allergic to peanuts.", "keeps each and always sends it along"),
    ("About you", "I am a nurse, 34 years old.", "keeps what you do, and your age"),
    ("About you", "My wife is a doctor, and we have two kids.", "keeps your family"),
    ("About you", "Always answer in short sentences.", "keeps how you like things done"),
    ("About you", "Remember that the spare key is with Yuki.", "keeps whatever you say after these words"),
    ("About you", "Forget that I live in Tokyo.", "finds the fact and forgets it; an undo brings it back"),
    ("People", "Sarah Chen is my engineering manager, she owns the Q3 roadmap.", "keeps a person"),
    ("People", "What do you know about Sarah?", "shows the facts about a person or thing"),
    (
        "What waits",
        "I'm waiting on Sarah about the Q3 staffing decision — she needs my answer by Friday.",
        "opens a thread with its date",
    ),
    ("What waits", "Remind me to send the contract tomorrow.", "opens a thread; it shows up when you start"),
    ("What waits", "What am I waiting on?", "lists open threads, the next due first"),
    ("What waits", "What needs me today?", "what is overdue or due within three days"),
    ("What waits", "Sarah answered.", "closes the thread that waited on her"),
    ("Ask", "What's the weather?", "recalls where you live and your units, then looks"),
    ("Ask", "Weather in Kyoto?", "the same for another place"),
    ("Ask", "Where do I live?", "answers from your facts"),
    ("Ask", "What's my name?", "answers from your facts"),
    ("Ask", "How many kids do I have?", "answers from your facts"),
    ("Ask", "What are my preferences?", "lists what you prefer"),
    ("Ask", "What do you know about me?", "lists the facts about you and your family"),
    ("Ask", "What did I say about the roadmap last March?", "searches past sessions in that month"),
    ("Ask", "What did we talk about yesterday?", "searches past sessions of that day"),
    ("Ask", "Help", "this list"),
]


def documented_sentences() -> list[tuple[str, str]]:
    """Sentences that the guide understands, and what each does."""
    return [(sentence, does) for _, sentence, does in _SENTENCES]


def help_text() -> str:
    """The answer to *help*, in Markdown."""
    parts = ["I follow rules and am no language model. These I understand, and sentences like them:"]
    for group in dict.fromkeys(g for g, _, _ in _SENTENCES):
        rows = "\n".join(f"- *{sentence}* {does}" for g, sentence, does in _SENTENCES if g == group)
        parts.append(f"**{group}**\n\n{rows}")
    parts.append('For everything else, connect a model: say "connect a model".')
    return "\n\n".join(parts)
