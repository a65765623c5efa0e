"""A home in which a fact was told, saved, recalled, searched, copied and proposed about: it stands everywhere."""

from __future__ import annotations

import asyncio
from pathlib import Path

from sessions.clock import FixedClock
from sessions.events import TurnFinished
from sessions.home import Home
from sessions.hub import SessionHub
from sessions.memory.fact import By, Draft
from sessions.memory.proposals import UPDATE
from sessions.memory.store import Change
from sessions.store.prompts import keep_prompt
from tests.sessions.memory.homes import NOW

WORD = "quokka"
TOLD = "Remember that my codeword is xylocarp-quokka."
OTHER = "I live in Tokyo, and I prefer Celsius."


def home_at(root: Path) -> Home:
    return Home(root, clock=FixedClock(NOW), env={})


async def talk(home: Home, *texts: str, hub: SessionHub | None = None, session: str = "") -> str:
    """Say the texts in one session, with the guide; its id."""
    own = hub is None
    hub = hub or SessionHub(home)
    state = await (hub.open(session) if session else hub.new(home.paths.root.parent))
    async with hub.subscribe(state.id) as events:
        for text in texts:
            keep_prompt(home.paths, text, None)
            await hub.send(state.id, text)
            async for event in events:
                if isinstance(event, TurnFinished):
                    break
    if own:
        await hub.close()
    return state.id


def told_home(root: Path) -> Home:
    """#1 lives in Tokyo, #2 prefers Celsius, #3 the codeword; a fork and a trashed session that repeat it."""
    home = home_at(root)
    asyncio.run(talk(home, OTHER))
    told = asyncio.run(talk(home, TOLD, "What's 2 and 2?"))
    asyncio.run(talk(home, "What do you know about my codeword?"))
    home.sessions.fork(told)
    from sessions.store.trash import delete

    gone = asyncio.run(talk(home, "Is XYLOCARP-Quokka a good codeword?"))
    delete(home.paths, gone)
    facts = home.facts
    assert [f.number for f in facts.snapshot().facts] == [1, 2, 3]
    facts.edit(3, by=By("user"), body='It is xylocarp\\u002dquokka, said\nin a "TOML" text.')
    facts.edit(1, by=By("user"), related=("codeword-is-xylocarp-quokka",), body="See [[codeword-is-xylocarp-quokka]].")
    propose(home, 3, "The codeword is xylocarp-quokka no more")
    home.index.catch_up()
    home.catalog.list()
    home.close()
    return home


def propose(home: Home, number: int, summary: str) -> int:
    fact = home.facts.get(number)
    assert fact is not None
    proposals = home.facts.review.proposals
    with home.facts.locked():
        from dataclasses import replace

        return proposals.add(replace(fact, summary=summary), UPDATE, [fact], By("model"), "not typed").number


def saved(home: Home, name: str, summary: str, kind: str = "user", **more) -> Change:
    return home.facts.save(Draft(name, summary, kind, **more), by=By("user"))


def holding(root: Path, word: str) -> list[str]:
    """Files with the word in their bytes or name, in any case, plain or escaped."""
    found = []
    for path in sorted(root.rglob("*")):
        data = path.read_bytes().lower() if path.is_file() else b""
        if word.lower().encode() in data or word.lower() in path.name.lower():
            found.append(str(path.relative_to(root)))
    return found


def content_of(root: Path) -> dict[str, bytes]:
    """Every file that is no lock and not made again."""
    return {
        str(p.relative_to(root)): p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file() and "local" not in p.relative_to(root).parts and not p.name.endswith("meta.json")
    }
