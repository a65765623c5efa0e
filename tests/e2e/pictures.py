"""The README's pictures, drawn from the installed program on the guide: `python -m tests.e2e.pictures [FOLDER]`.

Needs pillow and monospace fonts (Debian: fonts-jetbrains-mono, and fonts-symbola for the weather's signs).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from tests.bench.tuibench import Tui
from tests.program import PROGRAM, environment
from tests.servers.weather_server import WeatherServer

ROOT = Path(__file__).resolve().parents[2]
SIZE = 20
GROUND, TEXT = "15171c", "d8dce4"
FONTS = Path("/usr/share/fonts/truetype")
YESTERDAY, TODAY = "2026-11-28T16:41:00Z", "2026-11-29T17:14:00Z"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".github"
    with tempfile.TemporaryDirectory() as temporary, WeatherServer() as weather:
        home = Path(temporary) / "me" / "memagent"
        work = Path(temporary) / "me" / "code" / "atlas"
        work.mkdir(parents=True)
        service = {"MEMAGENT_WEATHER_GEOCODING_URL": weather.url, "MEMAGENT_WEATHER_FORECAST_URL": weather.url}
        with workbench(home, work, MEMAGENT_CLOCK=YESTERDAY, **service) as t:
            say(t, "Sarah Chen is my engineering manager, she owns the Q3 roadmap.", "Noted: Sarah")
            say(
                t,
                "I'm waiting on Sarah about the Q3 staffing decision — she needs my answer by Friday.",
                "Noted: you are",
            )
            say(t, "What do you know about Sarah?", "recalled sarah")
            leave(t)
        with workbench(home, work, MEMAGENT_CLOCK=TODAY, **service) as t:
            t.wait("Take up again")
            picture(t, folder / "start.png")
            say(t, "I live in Tokyo, and I prefer Celsius.", "Noted: you live")
            say(t, "What's the weather?", "cloud coverage")
            picture(t, folder / "chat.png")
            t.send("f4")
            t.wait("About you")
            for _ in range(2):
                t.send("down")
            t.settle()
            picture(t, folder / "memory.png")
            t.send("f3")
            t.wait("Yesterday")
            t.send("down")
            t.wait("Recap")
            picture(t, folder / "history.png")
            leave(t)


def workbench(home: Path, work: Path, **env: str) -> Tui:
    t = Tui([PROGRAM], 120, 36, ready="Ask anything", env=environment(home, **env), cwd=str(work))
    # pyte drops the rest of a text after a variation selector, and counts the emoji before it as one cell.
    feed = t.stream.feed
    t.stream.feed = lambda data: feed(data.replace("\ufe0f".encode(), b" "))
    t.start()
    t.settle()
    return t


def say(t: Tui, text: str, answer: str) -> None:
    t.send(text)
    t.wait("[^ ]")
    t.settle()
    t.send("enter")
    t.wait(answer)
    t.settle()


def leave(t: Tui) -> None:
    t.settle()
    t.send("ctrl+q")


def picture(t: Tui, path: Path) -> None:
    """Save the screen as a PNG, cell by cell, so that every column stands where a terminal puts it."""
    t.settle()
    faces = {(bold, italic): face(bold, italic) for bold in (False, True) for italic in (False, True)}
    signs = ImageFont.truetype(next(FONTS.rglob("Symbola*.ttf"), FONTS / "dejavu/DejaVuSansMono.ttf"), SIZE)
    width, height = round(faces[False, False].getlength("M")), round(SIZE * 1.3)
    image = Image.new("RGB", (width * t.cols, height * t.rows), f"#{GROUND}")
    draw = ImageDraw.Draw(image)
    for y in range(t.rows):
        for x in range(t.cols):
            cell = t.screen.buffer[y][x]
            fore, ground = (TEXT if cell.fg == "default" else cell.fg), (GROUND if cell.bg == "default" else cell.bg)
            if cell.reverse:
                fore, ground = ground, fore
            left, top = x * width, y * height
            draw.rectangle((left, top, left + width - 1, top + height - 1), fill=f"#{ground}")
            if cell.data == "▌":
                # A font's block leaves a gap between lines that a terminal does not show.
                draw.rectangle((left, top, left + width // 2, top + height - 1), fill=f"#{fore}")
            elif cell.data.strip():
                plain = ord(cell.data[0]) < 0x2600 or cell.data in "✓✗"
                font = faces[bool(cell.bold), bool(cell.italics)] if plain else signs
                draw.text((left, top + (height - SIZE) // 4), cell.data, font=font, fill=f"#{fore}")
            if cell.underscore:
                draw.line((left, top + height - 3, left + width, top + height - 3), fill=f"#{fore}")
    image.quantize(128).save(path, optimize=True)
    print(path)


def face(bold: bool, italic: bool) -> ImageFont.FreeTypeFont:
    style = {(0, 0): "Regular", (1, 0): "Bold", (0, 1): "Italic", (1, 1): "BoldItalic"}[bold, italic]
    found = sorted(FONTS.rglob(f"JetBrainsMono-{style}.ttf")) or sorted(FONTS.rglob("DejaVuSansMono.ttf"))
    if not found:
        raise SystemExit("no monospace font: install fonts-jetbrains-mono")
    return ImageFont.truetype(found[0], SIZE)


if __name__ == "__main__":
    main()
