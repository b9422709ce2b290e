"""The chat interface between a text model and an endpoint: requests are messages, replies are texts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from hm_agent.config import ConfigError
from hm_agent.flags.fields import flag_field
from hm_agent.questions import Unanswered


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How replies are sampled; parameters that are None are not sent. completions: number of samples per request.

    extra_body: further parameters of each request, as a JSON object; a mapping becomes one. Raises ConfigError if it is
    none, or has a parameter without which a reply can't be read.
    """

    temperature: float | None = flag_field(
        None, "The sampling temperature; sent only if set, as all of these.", lower=0
    )
    top_p: float | None = flag_field(None, "The share of nucleus sampling.", lower=0, upper=1)
    max_output_tokens: int | None = flag_field(None, "The most tokens of an answer.", lower=1)
    completions: int | None = flag_field(None, "How many answers to draw at once; the first valid one counts.", lower=1)
    reasoning_effort: str | None = flag_field(None, "The effort of reasoning models, e.g. low.")
    extra_body: str | None = flag_field(None, "A JSON object of further parameters of each request.")

    def __post_init__(self) -> None:
        """Gives equal objects the same text."""
        if self.extra_body is not None:
            given = _read_object(self.extra_body)
            object.__setattr__(self, "extra_body", json.dumps(given, sort_keys=True) if given else None)

    @property
    def extra(self) -> Mapping[str, Any]:
        """The further parameters, by name."""
        return _read_object(self.extra_body) if self.extra_body else {}

    def recorded(self) -> dict[str, Any]:
        """The parameters as files hold them: `extra_body`, which older ones lack, only if there is one."""
        return {name: value for name, value in asdict(self).items() if name != "extra_body" or value is not None}


def _read_object(given: object) -> Mapping[str, Any]:
    try:
        read = json.loads(given) if isinstance(given, str) else given
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"--extra_body is no JSON: {error}") from None
    if not isinstance(read, Mapping):
        raise ConfigError("--extra_body is no JSON object: it looks like " + """'{"top_k": 20}'""")
    if taken := sorted(read.keys() & {"model", "messages", "stream"}):
        raise ConfigError(f"--extra_body has {taken[0]!r}, which each request has of its own")
    return read


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

    @property
    def sampling_seed(self) -> int:
        """The seed that is sent: the episode's, plus 1 for each further sample; within 31 bits, as Google demands."""
        return (self.seed + self.sample) % 2**31


@dataclass(frozen=True, slots=True)
class Reply:
    """The samples for one request.

    problem: what the endpoint itself reports, e.g. that the text was cut off. tokens: None if unknown. cached: True if
    the reply comes from the answer cache. is_single: True if several samples were requested and the endpoint gives one
    at a time. refusal: why there are no samples, if the endpoint refused this one request; only in the answer cache.
    served: the name by which the endpoint calls the model; fingerprint: that of its system; None if it says none. seed:
    the sampling seed that was sent, None if none was. prompt_cache_tokens: the part of the input that the endpoint had
    in its own cache, which may cost less; None if unknown.
    """

    texts: tuple[str, ...]
    problem: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached: bool = False
    is_single: bool = False
    refusal: str | None = None
    served: str | None = None
    fingerprint: str | None = None
    seed: int | None = None
    prompt_cache_tokens: int | None = None


class Refused(Unanswered):
    """An endpoint refuses this one request; the message is its own words.

    cached: it did so in an earlier run. lasts: it would do so again, as far as its words tell.
    """

    def __init__(self, words: str, *, cached: bool = False, lasts: bool = True) -> None:
        super().__init__(words)
        self.cached, self.lasts = cached, lasts


class Chat(Protocol):
    """An endpoint, or a wrapper around one."""

    async def complete(self, request: Request) -> Reply:
        """Sends a request. Raises `ModelUnavailable` if no request can succeed, `Refused` if this one is refused."""
        ...
