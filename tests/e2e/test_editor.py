"""A person works on the fact files with an editor while the workbench shows them."""

from __future__ import annotations

import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sessions.memory.fact import By, Draft
from sessions.memory.store import FactStore
from tests.e2e.terminal import Terminal, terminal
from tests.sessions.memory.homes import MODEL, store_of
from tests.waiting import wait_until

TEA = '+++\n# by hand\nsummary = "Likes green tea"\nkind = "preference"\n+++\nIn the morning.\n'
BROKEN = '+++\nname = "sarah-chen"\nsummary = Sarah\n+++\n'


class Bench:
    """A workbench that shows its memory, and the folder of its facts."""

    def __init__(self, t: Terminal, store: FactStore) -> None:
        self.t = t
        self.store = store
        self.folder = store.paths.user_facts
        self.took: list[float] = []

    def file(self, name: str) -> Path:
        return self.folder / f"{name}.md"

    def soon(self, pattern: str, absent: str = "") -> None:
        """Wait until the screen follows, and note how long that took."""
        start = time.monotonic()

        def follows() -> bool:
            screen = self.t.screen()
            return re.search(pattern, screen) is not None and not (absent and re.search(absent, screen))

        try:
            wait_until(follows, f"/{pattern}/ on the screen, without /{absent}/", 10)
        except AssertionError as e:
            raise AssertionError(f"{e}\n{self.t.screen()}") from None
        self.took.append(time.monotonic() - start)

    def journal(self, ref: int | str) -> list[tuple[str, str]]:
        return [(e.action, e.by.origin) for e in FactStore(self.store.paths, self.store.clock).history(ref)]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    store = store_of(tmp_path / "home")
    store.save(Draft("lives-in-tokyo", "Lives in Tokyo", "preference", "Near Nakano."), by=MODEL)
    store.save(Draft("sarah-chen", "Sarah Chen is my manager", "contact"), by=MODEL)
    with terminal(home=tmp_path / "home") as t:
        t.wait("memory on, 2 facts")
        t.press("F4")
        t.wait("2 active")
        yield Bench(t, store)


def edited(file: Path, old: str, new: str) -> str:
    text = file.read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new)


def save_as_vim(file: Path, text: str) -> None:
    """A swap file, a probe, a backup by rename, a new file, and all of it cleared away."""
    swap, probe, backup = file.with_name(f".{file.name}.swp"), file.with_name("4913"), file.with_name(f"{file.name}~")
    swap.write_bytes(b"b0VIM 9.0" + bytes(4096))
    probe.touch()
    probe.unlink()
    file.rename(backup)
    file.write_text(text, encoding="utf-8")
    backup.unlink()
    swap.unlink()


def save_by_rename(file: Path, text: str) -> None:
    """A file beside it takes its place."""
    beside = file.with_name(f".{file.name}.x7Zq1")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


def test_the_list_follows_an_editor_within_a_second_and_nothing_of_the_persons_is_written_over(bench: Bench) -> None:
    t, tokyo, sarah = bench.t, bench.file("lives-in-tokyo"), bench.file("sarah-chen")

    tokyo.write_text(text := edited(tokyo, '"Lives in Tokyo"', '"Lives in Kyoto"  # moved'))
    bench.soon("1 Lives in Kyoto", "1 Lives in Tokyo")
    save_as_vim(tokyo, text := text.replace("Lives in Kyoto", "Lives in Osaka"))
    bench.soon("1 Lives in Osaka", "1 Lives in Kyoto")
    save_by_rename(tokyo, text := text.replace("Lives in Osaka", "Lives in Kobe"))
    bench.soon("1 Lives in Kobe", "1 Lives in Osaka")
    assert t.shows("memory on, 2 facts") and tokyo.read_text() == text

    swap = bench.folder / ".green-tea.md.swp"
    swap.write_bytes(b"b0VIM 9.0" + bytes(4096))
    (bench.folder / "green-tea.md~").write_text(TEA)
    (tea := bench.file("green-tea")).write_text(TEA)
    bench.soon(r"Likes green tea(?s:.*)memory on, 3|memory on, 3 facts(?s:.*)Likes green tea")
    assert tea.read_text() == TEA, "it is used as it is"
    t.wait(r"3 Likes green tea", 5)
    assert [line for line in tea.read_text().splitlines() if line in TEA.splitlines()] == TEA.splitlines()

    sarah.write_text(BROKEN)
    bench.soon(r"Broken +1(?s:.*)sarah-chen\.md +line 3, not TOML")
    assert sarah.read_text() == BROKEN
    sarah.write_text(BROKEN.replace("= Sarah", '= "Sarah Chen moved"'))
    bench.soon("Sarah Chen moved", "Broken")

    tea.rename(bench.file("drinks-tea"))
    t.type("/drinks")
    bench.soon(r"3 Likes green tea", "1 Lives in Kobe")
    t.press("Escape")

    bench.file("drinks-tea").unlink()
    bench.soon("memory on, 2 facts", "Likes green tea")
    wait_until(lambda: bench.journal(3)[-1] == ("forgotten", "user"), "the deletion is the person's")
    t.press("u")
    t.wait("3 Likes green tea")
    assert "In the morning." in bench.file("drinks-tea").read_text()

    assert {by for _, by in bench.journal(1)[1:]} == {"user"}
    # What a busy machine delays once is no rule.
    assert statistics.median(bench.took) < 1.0, bench.took
    t.quit()
    assert "exit code 0" in t.screen()


def test_a_copied_fact_gets_a_number_of_its_own(bench: Bench) -> None:
    text = bench.file("sarah-chen").read_text()
    other = edited(bench.file("sarah-chen"), "Sarah Chen", "Tom Berg").replace(
        f'id = "{bench.store.get(2).id}"', 'id = "ffffffff-0000-4000-8000-000000000000"'
    )
    bench.file("tom-berg").write_text(other.replace('name = "sarah-chen"', 'name = "tom-berg"'))
    bench.soon("Tom Berg is my manager")
    bench.t.wait("3 Tom Berg is my manager", 6)
    assert bench.t.shows("2 Sarah Chen is my manager")
    assert bench.file("sarah-chen").read_text() == text


def test_a_fact_being_changed_in_the_form_takes_in_what_an_editor_does_and_loses_neither(bench: Bench) -> None:
    t, tokyo = bench.t, bench.file("lives-in-tokyo")
    t.press("Enter")
    t.wait(r"\^s Save")
    t.type(" for good")
    t.wait("Lives in Tokyo for good")
    tokyo.write_text(edited(tokyo, "Near Nakano.", "Near Ueno."))
    bench.soon("Near Ueno(?s:.*)changed elsewhere; what you typed stands")
    tokyo.write_text(edited(tokyo, '"Lives in Tokyo"', '"Lives in Kyoto"'))
    bench.soon("changed elsewhere: .s yours, esc theirs · in one")
    assert t.shows(r"in one line\W+Lives in Tokyo for good")
    t.press("C-s")
    t.wait("saved")
    assert 'summary = "Lives in Tokyo for good"' in tokyo.read_text() and "Near Ueno." in tokyo.read_text()
    said = [e.after.summary for e in FactStore(bench.store.paths, bench.store.clock).history(1)]
    assert said == ["Lives in Tokyo", "Lives in Tokyo", "Lives in Kyoto", "Lives in Tokyo for good"]

    t.type(" and ever")
    t.wait("for good and ever")
    tokyo.unlink()
    t.wait("memory on, 1 fact", 5)
    wait_until(lambda: bench.journal(1)[-1] == ("forgotten", "user"), "the deletion is journaled")
    t.press("C-s")
    t.wait("deleted elsewhere: .s writes it again")
    t.press("C-s")
    t.wait("memory on, 2 facts")
    t.wait("saved")
    assert 'summary = "Lives in Tokyo for good and ever"' in tokyo.read_text()


def test_another_program_changes_facts_and_the_list_follows(bench: Bench) -> None:
    other = FactStore(bench.store.paths, bench.store.clock)
    other.save(Draft("green-tea", "Likes green tea", "preference"), by=By("model"))
    bench.soon("3 Likes green tea")
    other.forget("green-tea", by=By("user"))
    bench.soon("memory on, 2 facts", "Likes green tea")
    assert statistics.median(bench.took) < 1.0, bench.took


@pytest.mark.skipif(shutil.which("vim") is None, reason="needs vim")
def test_vim_itself_edits_a_fact_and_leaves_nothing_behind(bench: Bench) -> None:
    tokyo = bench.file("lives-in-tokyo")
    for backups in ("set nobackup", "set backup backupcopy=no"):
        old, new = ("Tokyo", "Kyoto") if backups == "set nobackup" else ("Kyoto", "Osaka")
        command = ["vim", "-u", "NONE", "-n", "-es", "-c", f"{backups} | %s/in {old}/in {new}/ | wq", str(tokyo)]
        subprocess.run(command, check=False, timeout=20, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        assert f"Lives in {new}" in tokyo.read_text()
        bench.soon(f"1 Lives in {new}")
    assert bench.t.shows("memory on, 2 facts") and not bench.t.shows("Broken")
    assert bench.journal(1) == [("created", "model"), ("updated", "user"), ("updated", "user")]
