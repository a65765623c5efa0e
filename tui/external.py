"""The person's own programs: an editor for a message that is long, a browser for a link."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported


def edit_text(app: App[Any], text: str) -> str | None:
    """The text as it left the editor; None when there is none or nothing came of it."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    fd, name = tempfile.mkstemp(prefix="memagent-", suffix=".md")
    path = Path(name)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(text)
        with app.suspend():
            code = subprocess.run([*shlex.split(command), name], check=False).returncode
        app.refresh(repaint=True)
        return path.read_text(encoding="utf-8", errors="replace").rstrip("\n") if code == 0 else None
    except SuspendNotSupported:
        app.notify("this terminal cannot be left for an editor", severity="warning", markup=False)
    except (OSError, ValueError) as error:
        app.notify(f"{command}: {error}", severity="error", markup=False)
    finally:
        path.unlink(missing_ok=True)
    return None


_IN_TERMINAL = {"www-browser", "links", "elinks", "lynx", "w3m"}


async def open_link(app: App[Any], href: str) -> bool:
    """Show a page in the browser; False when there is none. One that draws in this terminal gets it meanwhile."""
    import webbrowser

    try:
        name = Path(getattr(webbrowser.get(), "name", "")).name
        if name not in _IN_TERMINAL:
            return await asyncio.to_thread(webbrowser.open, href)
        with app.suspend():
            opened = webbrowser.open(href)
        app.refresh(repaint=True)
        return opened
    except (webbrowser.Error, OSError, SuspendNotSupported):
        return False
