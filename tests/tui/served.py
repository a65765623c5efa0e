"""A home whose one profile is a scripted service."""

from __future__ import annotations

from pathlib import Path

from tests.servers.chat_server import ChatServer


def home_for(tmp_path: Path, server: ChatServer) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    profile = f'[agent]\nprofile = "test"\n[profiles.test]\nbase_url = "{server.url}"\nmodel = "scripted"\n'
    (home / "config.toml").write_text(profile + "context_window = 32000\n")
    return home
