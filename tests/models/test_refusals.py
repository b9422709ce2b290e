"""What servers are known to say when they refuse, and what comes of it, over a real HTTP server on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from hm_agent.models.chat import Message, Refused, Request, Sampling
from hm_agent.models.endpoint.outage import Outage
from hm_agent.models.endpoint.refusals import About, judge, read_error
from hm_agent.questions import ModelUnavailable
from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of
from tests.models.loopback_client import SCHEMA, chat_with

SAMPLING = Sampling(temperature=0.1, max_output_tokens=4000, reasoning_effort="low", extra_body='{"top_k": 20}')
REQUEST = Request("some-model", (Message("user", "fine"),), SAMPLING, "Answer", SCHEMA)
OK = 200


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


def vllm(message: str, **more: Any) -> dict[str, Any]:
    return error(message, **{"type": "BadRequestError", "param": None, "code": 400, **more})


def google(code: int, message: str, status: str) -> list[Any]:
    return [error(message, code=code, status=status)]


def as_sent(body: object) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def litellm(message: str, code: str, kind: str | None = None) -> dict[str, Any]:
    return error(message, type=kind, param=None, code=code)


LONG = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, "
KNOWN: Mapping[About, Mapping[str, tuple[int, object]]] = {
    About.REQUEST: {
        "llama.cpp": (
            400,
            error(
                "the request exceeds the available context size, try increasing it",
                code=400,
                type="exceed_context_size_error",
                n_ctx=4096,
            ),
        ),
        "llama.cpp, later": (500, error("Context size has been exceeded.", code=500, type="server_error")),
        "vLLM": (400, vllm(f"{LONG}4000 in the completion). Please reduce the length of the messages or completion.")),
        "vLLM, in the prompt": (
            400,
            vllm("The decoder prompt (length 9000) is longer than the maximum model length of 8192."),
        ),
        "vLLM, of a negative rest": (
            400,
            vllm("max_tokens must be at least 1, got -186. (parameter=max_tokens, value=-186)", param="max_tokens"),
        ),
        "vLLM, of the input": (400, vllm("Input length (11680) exceeds model's maximum context length (4096).")),
        "OpenAI": (400, error("Too long.", code="context_length_exceeded", param="messages")),
        "OpenAI, moderated": (
            400,
            error(
                "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
                code="invalid_prompt",
            ),
        ),
        "OpenAI, of the rate": (
            429,
            error(
                "Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000.",
                code="rate_limit_exceeded",
            ),
        ),
        "Azure": (
            400,
            error(
                "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
                code="content_filter",
                param="prompt",
                innererror={"code": "ResponsibleAIPolicyViolation"},
            ),
        ),
        "Anthropic": (400, error("prompt is too long: 209303 tokens > 200000 maximum", type="invalid_request_error")),
        "Google": (
            400,
            google(
                400,
                "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).",
                "INVALID_ARGUMENT",
            ),
        ),
        "Groq, of the rate": (
            413,
            error(
                "Request too large for model llama on tokens per minute (TPM): Limit 6000", code="rate_limit_exceeded"
            ),
        ),
        "OpenRouter, moderated": (
            403,
            error(
                "some-model requires moderation on OpenAI. Your input was flagged.",
                code=403,
                metadata={"reasons": ["violence"], "flagged_input": "Zap them"},
            ),
        ),
        "OpenRouter, of a provider": (
            400,
            error(
                "Provider returned error",
                code=400,
                metadata={"raw": '{"message": "prompt is too long: 210000 tokens > 200000 maximum"}'},
            ),
        ),
        "OpenRouter, within a success": (
            OK,
            {
                "choices": [
                    {
                        "message": {"content": ""},
                        "finish_reason": "error",
                        "error": {"code": 403, "message": "Your input was flagged"},
                    }
                ]
            },
        ),
        "LiteLLM": (
            400,
            litellm("litellm.BadRequestError: litellm.ContextWindowExceededError: OpenAIException", "400"),
        ),
        "LiteLLM, moderated": (400, litellm("litellm.ContentPolicyViolationError: refused", "400")),
        "Ollama": (400, error("the input length exceeds the context length", type="invalid_request_error")),
        "DeepSeek": (400, error("Content Exists Risk", type="invalid_request_error")),
        "a proxy": (413, b"<html>413 Request Entity Too Large</html>"),
        "anybody who has answered before": (400, error("Something is wrong.")),
    },
    About.PARAMETER: {
        "OpenAI": (
            400,
            error("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", param="max_tokens"),
        ),
        "Mistral": (
            422,
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs", "input": 7}]},
        ),
        "Google": (400, google(400, "Unknown name 'seed': Cannot find field.", "INVALID_ARGUMENT")),
        "LiteLLM": (400, litellm("litellm.UnsupportedParamsError: no parameters: ['reasoning_effort']", "400")),
        "Ollama": (400, error('"llama3.2" does not support thinking', type="invalid_request_error")),
        "Groq": (400, error("This model does not support response format `json_schema`", param="response_format")),
    },
    About.SETTING: {
        "vLLM": (
            400,
            vllm(
                "'max_tokens' is too large: 4000. This model's maximum context length is 2048 tokens and your request "
                "has 500 input tokens (4000 > 2048 - 500).",
            ),
        ),
        "OpenAI": (
            400,
            error(
                "max_tokens is too large: 4000. This model supports at most 2000 completion tokens.", param="max_tokens"
            ),
        ),
        "Anthropic": (400, error("max_tokens: 4000 > 3000, which is the maximum allowed number of output tokens")),
        "DeepSeek": (400, error("Invalid max_tokens value, the valid range of max_tokens is [1, 2000]")),
        "Groq, of the user's own": (400, error("property 'top_k' is unsupported", type="invalid_request_error")),
    },
    About.ACCESS: {
        "OpenAI": (401, error("Incorrect API key provided.", code="invalid_api_key")),
        "OpenAI, purse": (
            429,
            error("You exceeded your current quota, please check your plan.", code="insufficient_quota"),
        ),
        "Azure": (401, {"error": {"code": "401", "message": "Access denied due to invalid subscription key"}}),
        "Anthropic, purse": (400, error("Your credit balance is too low to access the Anthropic API.")),
        "Google": (400, google(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT")),
        "OpenRouter, purse": (403, error("Key limit exceeded (total limit).", code=403)),
        "OpenRouter, purse, within a success": (OK, {"error": {"message": "Insufficient credits", "code": 402}}),
        "LiteLLM, purse": (429, litellm("Budget has been exceeded! Max budget: 10.0", "429", "budget_exceeded")),
        "DeepSeek, purse": (402, error("Insufficient Balance")),
    },
    About.SERVER: {
        "OpenAI": (404, error("The model `gpt-9` does not exist", code="model_not_found")),
        "Azure": (404, error("The API deployment for this resource does not exist.", code="DeploymentNotFound")),
        "Ollama": (404, error('model "x" not found, try pulling it first', type="api_error")),
    },
    About.OUTAGE: {
        "Google, of the rate": (429, google(429, "You exceeded your current quota.", "RESOURCE_EXHAUSTED")),
        "Anthropic": (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
        "Groq": (498, error("Flex tier capacity exceeded", code="capacity_exceeded")),
        "LiteLLM": (429, litellm("No deployments available for selected model, try again in 5 seconds", "429")),
        "OpenRouter, within a success": (OK, {"error": {"message": "Provider returned error", "code": 502}}),
        "llama.cpp": (503, error("Loading model", code=503, type="unavailable_error")),
    },
}
RAISED: Mapping[About, type[Exception]] = {
    About.REQUEST: Refused,
    About.SETTING: ModelUnavailable,
    About.ACCESS: ModelUnavailable,
    About.SERVER: ModelUnavailable,
    About.OUTAGE: Outage,
}


def test_what_servers_are_known_to_say_has_the_known_consequence_and_is_told() -> None:
    """All by one client, which has been answered before and is afterwards: no refusal has changed what is sent."""
    rows = {f"{about.value}, {who}": (about, row) for about, known in KNOWN.items() for who, row in known.items()}
    rows = {name: row for name, row in rows.items() if row[0] is not About.PARAMETER}

    def answer(body: dict[str, Any]) -> Response:
        if prompt_of(body) not in rows:
            return completion("fine")
        _, (status, said) = rows[prompt_of(body)]
        return Response(status, as_sent(said))

    async def ask_all(server: Endpoint) -> None:
        async with chat_with(server.base_url) as chat:
            await chat.complete(REQUEST)
            for name, (about, (_, body)) in rows.items():
                with pytest.raises(RAISED[about]) as raised:
                    await chat.complete(replace(REQUEST, messages=(Message("user", name),)))
                assert type(raised.value) is RAISED[about], (name, raised.value)
                assert message_in(body)[:40].rstrip(".") in str(raised.value), name
            await chat.complete(REQUEST)

    with Endpoint(answer) as server:
        asyncio.run(ask_all(server))
        first, *_, last = (received.body for received in server.received)
    assert first == last


def message_in(body: Any) -> str:
    match body:
        case {"message": str(message)}:
            return message
        case {"error": inner} | {"choices": [inner]} | [inner]:
            return message_in(inner)
    return "413 Request Entity Too Large"


def test_parameters_that_are_refused_are_told_apart() -> None:
    sent = {"temperature": 0.1, "max_tokens": 4000, "reasoning_effort": "low", "seed": 7, "response_format": {}}
    refused = ["max_tokens", "seed", "seed", "reasoning_effort", "reasoning_effort", "response_format"]
    for name, (who, (status, body)) in zip(refused, KNOWN[About.PARAMETER].items(), strict=True):
        assert judge(read_error(status, as_sent(body).decode()), sent) == (About.PARAMETER, name), who
