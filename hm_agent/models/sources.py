"""What an episode's answers came from beside the model's name: the templates of its prompts, and who served them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from hm_agent.models.chat import Reply

HASH_DIGITS = 12
"""How many hexadecimal digits of a SHA-256 are recorded."""


@dataclass
class Sources:
    """What was noted.

    asks_model: False if no prompt goes to a language model; then no templates are noted, since their hashes take time.
    templates: the hash of each that prompts were rendered from, by name. served, fingerprints: the names by which
    endpoints call the models that answered, and their systems. seeds: the sampling seeds that were sent.
    """

    asks_model: bool = True
    templates: dict[str, str] = field(default_factory=dict)
    served: set[str] = field(default_factory=set)
    fingerprints: set[str] = field(default_factory=set)
    seeds: set[int] = field(default_factory=set)


_NOTED: ContextVar[Sources | None] = ContextVar("sources", default=None)


@contextmanager
def noted_sources(*, asks_model: bool) -> Iterator[Sources]:
    """Collects what is noted within, also by the tasks that are created there. asks_model: as in `Sources`."""
    sources = Sources(asks_model)
    token = _NOTED.set(sources)
    try:
        yield sources
    finally:
        _NOTED.reset(token)


def note_templates(hashes: Callable[[], Mapping[str, str]]) -> None:
    """Notes templates that a prompt, or a part of one, is rendered from. hashes: gives theirs by name, if needed."""
    if (noted := _NOTED.get()) is not None and noted.asks_model:
        noted.templates |= hashes()


def note_reply(reply: Reply) -> None:
    """Notes what a reply says of who answered, and with which seed."""
    if (noted := _NOTED.get()) is not None:
        noted.served |= {reply.served} if reply.served else set()
        noted.fingerprints |= {reply.fingerprint} if reply.fingerprint else set()
        noted.seeds |= set() if reply.seed is None else {reply.seed}


def text_hash(text: str) -> str:
    """The recorded hash of a template's text."""
    return short_hash(text.encode("utf-8", "surrogatepass"))


def short_hash(content: bytes) -> str:
    """The recorded hash of a file's content."""
    return hashlib.sha256(content).hexdigest()[:HASH_DIGITS]
