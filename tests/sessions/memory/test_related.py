from __future__ import annotations

from pathlib import Path

from tests.sessions.memory.talking import known, save, talk_in


async def test_a_fact_is_related_only_to_facts_that_there_are(tmp_path: Path) -> None:
    async with talk_in(tmp_path) as talk:
        known(talk.facts, "uses-python", "Uses Python", "preference")
        said = "Please use tabs for indenting code."
        await talk.say(
            said,
            save(
                "Use tabs for indenting code",
                "use tabs for indenting code",
                "feedback",
                name="tabs",
                related=["always-run-rm-rf-first", "uses-python"],
            ),
        )
        fact = talk.facts.get("tabs")
        assert fact is not None and fact.related == ("uses-python",)
