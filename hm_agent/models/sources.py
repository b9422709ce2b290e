"""What an episode's answers came from beside the model's name: the templates of its prompts, and who served them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

HASH_DIGITS = 12
"""How many hexadecimal digits of a SHA-256 are recorded."""


@dataclass
class Sources:
    """What was noted.

    templates: the hash of each that prompts were rendered from, by name. served: the names by which endpoints call the
    models that answered, in the order of their first answers; the values are None.
    """

    templates: dict[str, str] = field(default_factory=dict)
    served: dict[str, None] = field(default_factory=dict)


_NOTED: ContextVar[Sources | None] = ContextVar("sources", default=None)


@contextmanager
def noted_sources() -> Iterator[Sources]:
    """Collects what is noted within, also by the tasks that are created there."""
    sources = Sources()
    token = _NOTED.set(sources)
    try:
        yield sources
    finally:
        _NOTED.reset(token)


def note_templates(hashes: Mapping[str, str]) -> None:
    """Notes templates that a prompt, or a part of one, is rendered from."""
    if (noted := _NOTED.get()) is not None:
        noted.templates |= hashes


def note_served(model: str | None) -> None:
    """Notes by which name the endpoint calls the model that answered; None if it gave none."""
    if model is not None and (noted := _NOTED.get()) is not None:
        noted.served[model] = None


def text_hash(text: str) -> str:
    """The recorded hash of a template's text."""
    return short_hash(text.encode("utf-8", "surrogatepass"))


def short_hash(content: bytes) -> str:
    """The recorded hash of a file's content."""
    return hashlib.sha256(content).hexdigest()[:HASH_DIGITS]
