from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.lending.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    (tmp_path / "ada").mkdir()
    (tmp_path / "atlas").mkdir()
    return Desk(tmp_path, {})
