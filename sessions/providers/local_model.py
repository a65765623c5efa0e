"""Vectors from a small model in a folder, without any server: the extra `semantic`.

The folder holds `model.onnx` (a sentence model such as MiniLM) and its `tokenizer.json`.
"""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sessions.errors import ProviderError

_TOKENS = 128
"""Of a sentence, at most."""
_BATCH = 32


class FolderEmbedder:
    """Loaded with the first text. Thread-safe; uses one core."""

    local = trusted = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder.expanduser()
        self._guard = threading.Lock()
        self._model: Any = None
        self._tokens: Any = None
        self._numbers: Any = None

    @property
    def name(self) -> str:
        """The folder, and which file it holds."""
        try:
            found = (self._folder / "model.onnx").stat()
        except OSError:
            return str(self._folder)
        return f"{self._folder} {found.st_size} {found.st_mtime_ns}"

    @property
    def label(self) -> str:
        return f"{self._folder.name} · this machine"

    def embed(self, texts: Sequence[str], *, limit_s: float | None = None) -> list[Sequence[float]]:
        """One vector a text, in order. Raises ProviderError."""
        with self._guard:
            if self._model is None:
                self._load()
            try:
                # Texts of like length together: a batch is as wide as its longest.
                order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
                made: list[Sequence[float]] = [()] * len(texts)
                for at in range(0, len(order), _BATCH):
                    some = order[at : at + _BATCH]
                    for i, vector in zip(some, self._run([texts[i] for i in some]), strict=True):
                        made[i] = vector
                return made
            except Exception as e:
                raise ProviderError(f"The model in {self._folder} failed: {e}") from None

    def close(self) -> None:
        with self._guard:
            self._model = self._tokens = None

    def _load(self) -> None:
        # It is read when the package is imported, and nothing else stops it from reporting home.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        try:
            runtime: Any = importlib.import_module("onnxruntime")
            tokenizers: Any = importlib.import_module("tokenizers")
            self._numbers = importlib.import_module("numpy")
        except ImportError:
            raise ProviderError(
                "A model in a folder needs more packages", "pip install 'memagent-tui[semantic]'"
            ) from None
        try:
            options = runtime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            file = str(self._folder / "model.onnx")
            tokens = tokenizers.Tokenizer.from_file(str(self._folder / "tokenizer.json"))
            tokens.enable_truncation(_TOKENS)
            tokens.enable_padding()
            model = runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
        except Exception as e:
            why = str(e).strip().splitlines()[0] if str(e).strip() else type(e).__name__
            advice = "The folder must hold model.onnx and tokenizer.json"
            raise ProviderError(f"The model in {self._folder} cannot be loaded: {why}", advice) from None
        self._model, self._tokens = model, tokens

    def _run(self, texts: Sequence[str]) -> list[Sequence[float]]:
        numbers = self._numbers
        encoded = self._tokens.encode_batch([text or " " for text in texts])
        there = {
            "input_ids": [e.ids for e in encoded],
            "attention_mask": [e.attention_mask for e in encoded],
            "token_type_ids": [e.type_ids for e in encoded],
        }
        given = {i.name: numbers.array(there[i.name], numbers.int64) for i in self._model.get_inputs()}
        out = self._model.run(None, given)[0]
        if out.ndim == 3:
            # One vector a token: their mean.
            mask = given["attention_mask"][:, :, None]
            out = (out * mask).sum(1) / mask.sum(1)
        vectors: list[Sequence[float]] = out.tolist()
        return vectors
