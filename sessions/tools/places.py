"""Places of a geocoder, and which of several with one name is meant."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_COUNTRIES = {"usa": "us", "u s a": "us", "u s": "us", "america": "us", "uk": "gb", "u k": "gb", "great britain": "gb"}
_STATES = dict(
    pair.split(":")
    for pair in (
        "al:alabama ak:alaska az:arizona ar:arkansas ca:california co:colorado ct:connecticut de:delaware fl:florida "
        "ga:georgia hi:hawaii id:idaho il:illinois in:indiana ia:iowa ks:kansas ky:kentucky la:louisiana me:maine "
        "md:maryland ma:massachusetts mi:michigan mn:minnesota ms:mississippi mo:missouri mt:montana ne:nebraska "
        "nv:nevada nh:new_hampshire nj:new_jersey nm:new_mexico ny:new_york nc:north_carolina nd:north_dakota oh:ohio "
        "ok:oklahoma or:oregon pa:pennsylvania ri:rhode_island sc:south_carolina sd:south_dakota tn:tennessee tx:texas "
        "ut:utah vt:vermont va:virginia wa:washington wv:west_virginia wi:wisconsin wy:wyoming"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Place:
    """One result. `code` is the country's of two letters, `region` its first-level division."""

    name: str
    latitude: float
    longitude: float
    country: str = ""
    code: str = ""
    region: str = ""

    @property
    def named(self) -> str:
        """`Tokyo, Japan`; the country's code where the geocoder knows no name."""
        country = self.country or self.code
        return f"{self.name}, {country}" if country else self.name


def place_of(raw: Any) -> Place | None:
    """A result as a place; None for what has no name or no position."""
    if not isinstance(raw, dict):
        return None

    def text(key: str) -> str:
        value = raw.get(key)
        return " ".join(value[:200].split()) if isinstance(value, str) else ""

    position = (raw.get("latitude"), raw.get("longitude"))
    if not text("name") or not all(_number(p) for p in position):
        return None
    latitude, longitude = map(float, position)  # type: ignore[arg-type]
    return Place(text("name"), latitude, longitude, text("country"), text("country_code"), text("admin1"))


def choose(places: Sequence[Place], qualifiers: Sequence[str]) -> Place | None:
    """The first place that every qualifier fits: country, its code, region, or the usual short form of either."""
    return next((p for p in places if all(_fits(p, q) for q in qualifiers)), None)


def others(places: Sequence[Place]) -> str:
    """Where the places are, at most three: `one in France or Texas, United States`."""
    wheres = [", ".join(dict.fromkeys(part for part in (p.region, p.country or p.code) if part)) for p in places]
    named = list(dict.fromkeys(w for w in wheres if w))[:3]
    return f"one in {' or '.join(named)}" if named else "one elsewhere"


def _fits(place: Place, qualifier: str) -> bool:
    wanted = _folded(qualifier)
    have = {_folded(place.country), _folded(place.code), _folded(place.region)} - {""}
    if wanted in have or _COUNTRIES.get(wanted, "-") in have:
        return True
    state = _STATES.get(wanted, "").replace("_", " ")
    return bool(state) and _folded(place.code) == "us" and _folded(place.region) == state


def _folded(text: str) -> str:
    """Small letters without accents and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(c if c.isalnum() else " " for c in plain if not unicodedata.combining(c))
    return " ".join(letters.split())


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= 360
