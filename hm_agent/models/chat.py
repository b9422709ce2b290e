"""The chat interface between a text model and an endpoint: requests are messages, replies are texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from hm_agent.flag_fields import flag_field


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How replies are sampled; parameters that are None are not sent. completions: number of samples per request."""

    temperature: float | None = flag_field(
        None, "The sampling temperature; sent only if set, as all of these.", lower=0
    )
    top_p: float | None = flag_field(None, "The share of nucleus sampling.", lower=0, upper=1)
    max_output_tokens: int | None = flag_field(None, "The most tokens of an answer.", lower=1)
    completions: int | None = flag_field(None, "How many answers to draw at once; the first valid one counts.", lower=1)
    reasoning_effort: str | None = flag_field(None, "The effort of reasoning models, e.g. low.")


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that determines a reply.

    name, schema: the name and the JSON schema of the answer. seed: the episode's. sample: the number of the sample, if
    an endpoint gives one at a time and the request is sent once for each. endpoint: where it is sent, None for OpenAI's
    own endpoint and for models that have none.
    """

    model: str
    messages: tuple[Message, ...]
    sampling: Sampling
    name: str
    schema: Mapping[str, Any] = field(hash=False)
    seed: int = 0
    sample: int = 0
    endpoint: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The samples for one request.

    problem: what the endpoint itself reports, e.g. that the text was cut off. tokens: None if unknown. cached: True if
    the reply comes from the answer cache. is_single: True if several samples were requested and the endpoint gives one
    at a time. refusal: why there are no samples, if the endpoint refused this one request; only in the answer cache.
    served: the name by which the endpoint calls the model, None if it says none. prompt_cache_tokens: the part of the
    input that the endpoint had in its own cache, which may cost less; None if unknown.
    """

    texts: tuple[str, ...]
    problem: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached: bool = False
    is_single: bool = False
    refusal: str | None = None
    served: str | None = None
    prompt_cache_tokens: int | None = None


class Chat(Protocol):
    """An endpoint, or a wrapper around one."""

    async def complete(self, request: Request) -> Reply:
        """Sends a request. Raises `ModelUnavailable` if no request can succeed, `Unanswered` if this one is refused."""
        ...
