"""A client of endpoints on loopback, a request to them, and answers of theirs."""

from __future__ import annotations

from itertools import chain, repeat
from typing import Any

from hm_agent.models.chat import Message, Reply, Request, Sampling
from hm_agent.models.endpoint.endpoint_settings import EndpointSettings
from hm_agent.models.endpoint.openai_chat import OpenAIChat
from hm_agent.models.endpoint.parameter_support import ParameterSupport
from hm_agent.models.prices import Price
from hm_agent.testing.endpoint import Answer, Response, completion

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
REQUEST = Request("some-model", (Message("user", "hello"),), Sampling(), "Answer", SCHEMA)

PRICE = Price(input=100_000, output=200_000)
"""USD 0.1 for each token of input, 0.2 for each of output."""
ANSWER = completion("fine", prompt="a prompt")
"""2 tokens of input and 1 of output: USD 0.4."""


def cost(reply: Reply) -> float | None:
    return PRICE.of(reply.input_tokens, reply.output_tokens)


def chat_with(base_url: str, timeout: float = 20, retries: int = 0, **more: Any) -> OpenAIChat:
    """more: further settings of the endpoint."""
    endpoint = EndpointSettings(base_url, None, timeout, retries, **({"pause": 0.01} | more))
    return OpenAIChat(endpoint, ParameterSupport())


def in_turn(*responses: Response) -> Answer:
    """Gives each response once, and the last for ever."""
    left = chain(responses, repeat(responses[-1]))
    return lambda body: next(left)


def finished(finish: str | None, **message: Any) -> Response:
    return Response(body={"choices": [{"message": message, "finish_reason": finish}]})
