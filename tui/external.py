"""The person's own programs: an editor for a message that is long, a browser for a link."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported


def edit_text(app: App[Any], text: str) -> str | None:
    """The text as it left the editor; None when there is none or nothing came of it.

    The file lies in a folder that only this person can read, in memory where the system offers that, and all that the
    editor puts beside it goes with the folder.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    folder: Path | None = None
    try:
        folder = Path(tempfile.mkdtemp(prefix="memagent-", dir=_runtime_folder()))
        path = folder / "message.md"
        path.write_text(text, encoding="utf-8")
        with app.suspend():
            code = subprocess.run([*shlex.split(command), str(path)], check=False).returncode
        app.refresh(repaint=True)
        return path.read_text(encoding="utf-8", errors="replace").rstrip("\n") if code == 0 else None
    except SuspendNotSupported:
        app.notify("this terminal cannot be left for an editor", severity="warning", markup=False)
    except (OSError, ValueError) as error:
        app.notify(f"{command}: {error}", severity="error", markup=False)
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
    return None


def _runtime_folder() -> str | None:
    """The person's folder for files that are gone with the session, where there is one."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    return folder if folder and Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK) else None


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
