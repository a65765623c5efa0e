"""What a server answers to a call, as text: whatever it holds is data, and what is not text is named by a mark."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sessions.messages import clean

LONGEST = 1_000_000
"""Characters of a result."""
_ASKS = "The server wants to ask the user something for this call, which is not possible here. It was not finished."


def text_of(raw: Mapping[str, Any]) -> tuple[str, bool]:
    """(text, whether the call did what it should) of a `tools/call` result of any shape."""
    if raw.get("resultType") == "input_required":
        return _ASKS, False
    content = raw.get("content")
    blocks = content if isinstance(content, list) else []
    parts = [part for block in blocks if (part := _block(block))]
    structured = raw.get("structuredContent")
    if structured is not None and not any(_is_text(block) for block in blocks):
        parts.append(json.dumps(structured, ensure_ascii=False, default=str))
    ok = raw.get("isError") is not True
    return _cut("\n".join(parts)) or ("(no text)" if ok else "It failed, and did not say why."), ok


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return clean(text)
    return f"{clean(text[:LONGEST])}\n[{len(text) - LONGEST:,} more characters were left out]"


def _is_text(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "text" and bool(block.get("text"))


def _block(block: Any) -> str:
    if not isinstance(block, dict):
        return ""
    kind, text = block.get("type"), block.get("text")
    if kind == "text":
        return text if isinstance(text, str) else ""
    if kind in {"image", "audio"}:
        return _mark(kind, block.get("mimeType"), block.get("data"))
    if kind == "resource" and isinstance(found := block.get("resource"), dict):
        if isinstance(found.get("text"), str):
            return str(found["text"])
        return _mark(f"resource {found.get('uri', '')}", found.get("mimeType"), found.get("blob"))
    if kind == "resource_link":
        return f"[resource {block.get('uri', '')}: {block.get('title') or block.get('name') or 'untitled'}]"
    return f"[{str(kind)[:40]}]"


def _mark(what: str, mime: object, data: object) -> str:
    """`[image image/png, 12 kB]`"""
    named = f"{what} {mime}" if isinstance(mime, str) and mime else what
    return f"[{named[:200]}, {_size(len(data) * 3 // 4)}]" if isinstance(data, str) else f"[{named[:200]}]"


def _size(count: int) -> str:
    if count < 1_000:
        return f"{count} bytes"
    return f"{count / 1_000_000:.1f} MB" if count >= 1_000_000 else f"{count // 1_000} kB"
