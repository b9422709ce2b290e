"""Seeds that follow from words."""

from __future__ import annotations

from hashlib import sha256


def hashed_seed(text: str) -> int:
    """A seed that another text hardly ever has; the same on every machine."""
    return int.from_bytes(sha256(text.encode()).digest()[:4])
