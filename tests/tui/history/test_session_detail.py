from dataclasses import replace

import pytest

from sessions import events as ev
from sessions.store.hits import Hit
from tests.tui.widgets.harness import FACTS, LIVES, NOW, STRANGE, Harness, S, meta, turn
from tui.history.hit_rows import HitRow
from tui.history.session_detail import SessionDetail, UsedFact

META = meta(
    "s4", "Q3 staffing notes", "2026-11-23T18:05:00.000Z", turns=7, tokens={"input": 9000, "output": 200},
    recap="Asked: Which of the two roles can wait?\nUsed: recall_memory 2×\nAnswer: Saved as an open thread.",
)  # fmt: skip
TALK = [
    *turn(5, "First of the tail", answer="One."),
    *turn(
        6, "Which can wait?",
        ("recall_memory", {"query": "staffing"}, "…", True),
        ("get_weather", {"location": "Hakonne"}, "no such place\nmore", False),
        answer="The backend role.", recalled=((7, "lives-in-tokyo"), (9, "prefers-celsius")),
    ),
    *turn(7, "Remember it", answer="Noted."),
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("utc")


async def lines_of(size=(70, 60), **shown):
    detail = SessionDetail()
    async with Harness(detail).run_test(size=size) as pilot:
        await pilot.pause()
        detail.show(META, now=NOW, **shown)
        return [line.rstrip() for line in detail.lines_of_text]


async def test_title_facts_recap_and_the_last_turns_are_there():
    lines = await lines_of(events=TALK)
    text = "\n".join(lines)
    assert lines[1].startswith("  Q3 staffing notes")
    assert lines[1].endswith("Mon 23 Nov 18:05")
    assert lines[2] == "  /code/atlas · qwen3:8b · 7 turns · 9.2k tok · memory on"
    assert "Recap ─" in text
    assert "by rule" in text
    assert "  asked     Which of the two roles can wait?" in lines
    assert "  answer    Saved as an open thread." in lines
    assert "last 3 of 7 turns" in text
    prompt = next(line for line in lines if "› Which can wait?" in line)
    assert prompt.endswith("17:12")
    call = next(line for line in lines if "recall_memory  staffing" in line)
    assert call.lstrip().startswith("✓")
    assert call.endswith("2 facts  310 ms")
    failed = next(line for line in lines if "get_weather  Hakonne" in line)
    assert failed.lstrip().startswith("✗")
    assert "no such place" in failed
    assert "    The backend role." in lines
    assert any("recalled lives-in-tokyo · prefers-celsius · + 8 always s…" in line for line in lines)


async def test_what_cannot_be_read_of_the_log_is_said_and_what_was_looked_for_is_marked():
    detail = SessionDetail()
    async with Harness(detail).run_test(size=(70, 60)) as pilot:
        await pilot.pause()
        hit = Hit("s4", "m1", 6, "user", "2026-11-23T18:05:00.000Z", "Which can wait?", "Q3", "/code", None, 1.0)
        row = HitRow("s4", (hit,), NOW, ("wait",))
        detail.show(replace(META, damaged=1), now=NOW, events=TALK, hit=row)
        lines = detail.lines_of_text
        assert any("! 1 line of its log cannot be read; the rest is here" in line for line in lines)
        y = next(i for i, line in enumerate(lines) if "› Which can wait?" in line)
        marked = [s.text for s in detail._lines[y] if s.style and s.style.bgcolor and s.text == "wait"]
        assert marked == ["wait"]


async def test_an_answer_is_drawn_as_in_the_chat_and_a_very_long_one_ends_where_opening_it_goes_on():
    answer = "**Done.**\n\n- one\n- two\n\n" + "\n\n".join(f"Paragraph {i}" for i in range(100))
    lines = await lines_of(events=turn(1, "List them", answer=answer))
    assert "    Done." in lines and "    • one" in lines
    assert "Paragraph 20" in "\n".join(lines) and "Paragraph 90" not in "\n".join(lines)
    assert "    ↓ more" in lines


async def test_the_facts_of_the_session_say_what_they_were_there():
    facts = [UsedFact("q3-staffing", "learned", FACTS[3]), UsedFact("lives", "used", LIVES), UsedFact("gone", "used")]
    lines = await lines_of(facts=facts)
    text = "\n".join(lines)
    assert "1 learned · 2 used" in text
    assert any(line.startswith("  !  15 Sarah waits") and line.endswith("learned · overdue 2 d") for line in lines)
    assert any(line.startswith("  ◆   7 Lives in Tokyo") and line.endswith("used") for line in lines)
    assert any("gone" in line and line.endswith("no longer there") for line in lines)


async def test_while_the_tail_is_read_there_is_no_conversation():
    assert not any("Conversation" in line for line in await lines_of())


async def test_esc_and_left_go_back_and_enter_resumes():
    detail = SessionDetail()
    app = Harness(detail)
    async with app.run_test(size=(70, 40)) as pilot:
        detail.show(META, now=NOW)
        detail.focus()
        await pilot.press("enter", "left", "escape")
        assert [m.session for m in app.heard(SessionDetail.Opened)] == ["s4"]
        assert len(app.heard(SessionDetail.Back)) == 2


async def test_the_reader_stays_where_they_are_when_the_same_session_grows():
    detail = SessionDetail()
    async with Harness(detail).run_test(size=(70, 12)) as pilot:
        detail.show(META, now=NOW, events=TALK)
        detail.focus()
        await pilot.press("down", "down", "down")
        at = detail.scroll_offset.y
        assert at > 0
        detail.show(META, now=NOW, events=[*TALK, *turn(8, "More", answer="Yes.")])
        assert detail.scroll_offset.y == at
        detail.show(meta("other", "Other", "2026-11-23T18:05:00.000Z"), now=NOW)
        assert detail.scroll_offset.y == 0


@pytest.mark.parametrize("width", [30, 70, 140])
async def test_strange_texts_keep_every_line_as_wide_as_the_pane(width):
    detail = SessionDetail()
    async with Harness(detail).run_test(size=(width, 60)) as pilot:
        await pilot.pause()
        for text in STRANGE:
            events = turn(
                1, text, (text or "x", {"a": text}, text, False), (text or "x", text, text, True), answer=text
            )
            events.append(ev.TurnFailed(session=S, turn=1, error=text, ms=1))
            strange = meta("s", text, "2026-11-23T18:05:00.000Z", recap=f"Asked: {text}\n{text}", cwd=text, model=text)
            detail.show(strange, now=NOW, events=events, facts=[UsedFact(text, "used")])
            assert {strip.cell_length for strip in detail._lines} == {width}
            assert not any("\x1b" in line for line in detail.lines_of_text)
