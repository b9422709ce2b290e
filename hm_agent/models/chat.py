"""What passes between a text model and an endpoint: requests of messages, replies of texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How replies are drawn; only what is set is sent. completions: how many to draw at once."""

    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    completions: int | None = None
    reasoning_effort: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """All that decides on a reply.

    name, schema: of the answer that is wanted, as a JSON schema. seed: the episode's.
    """

    model: str
    messages: tuple[Message, ...]
    sampling: Sampling
    name: str
    schema: Mapping[str, Any] = field(hash=False)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. problem: of the endpoint's own, e.g. that the text was cut off; tokens: None where not told."""

    texts: tuple[str, ...]
    problem: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached: bool = False


class Chat(Protocol):
    """An endpoint, or something that stands before one."""

    async def complete(self, request: Request) -> Reply:
        """Raises `ModelUnavailable` where the endpoint can't be asked any more."""
        ...
