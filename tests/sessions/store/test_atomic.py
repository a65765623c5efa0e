from __future__ import annotations

import os

import pytest

from sessions.store.atomic import append_line, is_temp, make_folder, write_atomic


def test_a_file_is_replaced_whole_and_private(tmp_path):
    path = tmp_path / "a.json"
    write_atomic(path, b"old")
    write_atomic(path, b"new", durable=False)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_atomic(path, b"old")

    def full(fd, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path):
    real = tmp_path / "dotfiles" / "config.toml"
    real.parent.mkdir()
    real.write_bytes(b"old")
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    write_atomic(link, b"new")
    assert link.is_symlink() and real.read_bytes() == b"new"


def test_a_line_starts_fresh_after_an_unfinished_one(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(b"whole\ntorn")
    fd = os.open(path, os.O_RDWR | os.O_APPEND)
    append_line(fd, b"one\n")
    append_line(fd, b"two")
    os.close(fd)
    assert path.read_bytes() == b"whole\ntorn\none\ntwo\n"


def test_folders_are_made_private_all_the_way(tmp_path):
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert [(tmp_path / p).stat().st_mode & 0o777 for p in ("a", "a/b")] == [0o700, 0o700]


@pytest.mark.parametrize(("name", "temp"), [(".a.json.12-00.tmp", True), ("a.json", False), (".hidden", False)])
def test_a_write_under_way_is_told_by_its_name(name, temp):
    assert is_temp(name) is temp
