"""A chat with an endpoint of OpenAI's chat completions API: OpenAI, vLLM, Ollama, llama.cpp's server and others."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI, OpenAIError
from pydantic import BaseModel

from hm_agent.models.chat import Reply, Request
from hm_agent.models.outage import Outage
from hm_agent.models.parameter_support import ParameterSupport
from hm_agent.questions import ModelUnavailable, Unanswered

PARAMETER_REFUSED = (400, 422, 500, 501)
"""The statuses with which endpoints refuse a parameter."""
NO_KEY = "none"
"""Sent as the key to a local server that asks for none."""
MAX_MESSAGE = 500
"""Characters of an endpoint's error message that are passed on; some endpoints send whole pages."""
MIN_SECRET = 8
"""Characters from which on a key is removed from all texts; a shorter one is a word like `EMPTY`."""
PAUSE = 1.0
"""Default seconds to wait after a response that is no completion."""


@dataclass(frozen=True)
class EndpointSettings:
    """How to reach an endpoint.

    key: None if it needs none; it must not appear in any text. timeout: seconds for one call. retries: of a failed
    call. pause: seconds to wait after a response that is no completion.
    """

    base_url: str | None
    key: str | None = field(repr=False)
    timeout: float
    retries: int
    pause: float = PAUSE

    @property
    def host(self) -> str:
        """The host and port, for messages: the whole URL may hold a password."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2] if self.base_url else "api.openai.com"

    def hide_key(self, text: str) -> str:
        return text.replace(self.key, "[key]") if self.key and len(self.key) >= MIN_SECRET else text


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    choices: list[_Choice]
    usage: _Usage | None = None


class OpenAIChat:
    """An endpoint over HTTP. The `openai` package retries after rate limits, server errors and lost connections."""

    def __init__(self, endpoint: EndpointSettings, support: ParameterSupport) -> None:
        self._endpoint, self._support = endpoint, support
        self._client = AsyncOpenAI(
            api_key=endpoint.key or NO_KEY,
            base_url=endpoint.base_url,
            timeout=endpoint.timeout,
            max_retries=endpoint.retries,
        )

    async def __aenter__(self) -> OpenAIChat:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.close()

    async def complete(self, request: Request) -> Reply:
        """Sends a request; if the endpoint refuses `n`, sends one request for each further sample.

        Raises `Outage` if the endpoint can't be asked at present, `ModelUnavailable` if that won't pass, `Unanswered`
        if the endpoint refuses this one request for its content.
        """
        reply = await self._complete_once(request)
        missing = (request.sampling.completions or 1) - max(len(reply.texts), 1)
        if missing <= 0 or "n" in self._support.parameters(request):
            return reply
        single = replace(request, sampling=replace(request.sampling, completions=None))
        return _join([reply, *await asyncio.gather(*(self._complete_once(single) for _ in range(missing)))])

    async def _complete_once(self, request: Request) -> Reply:
        for _ in range(1 + self._endpoint.retries):
            content = await self._send(request)
            try:
                # Without unpaired surrogates, e.g. of an emoji that was cut off: they could not be sent back.
                encodable = json.dumps(json.loads(content), ensure_ascii=False).encode("utf-8", "replace")
                completion = _Completion.model_validate_json(encodable)
            except (ValueError, RecursionError):
                await asyncio.sleep(self._endpoint.pause)
            else:
                texts = tuple(self._endpoint.hide_key(one.message.content or "") for one in completion.choices)
                usage = completion.usage or _Usage()
                return Reply(texts, _problem(completion.choices), usage.prompt_tokens, usage.completion_tokens)
        raise Outage(f"{self._endpoint.host} answers, but not with chat completions; is --base_url right?")

    async def _send(self, request: Request) -> bytes:
        """Sends a request until the endpoint accepts its parameters; returns the response's body."""
        messages: Any = [asdict(message) for message in request.messages]
        while True:
            parameters = self._support.parameters(request)
            try:
                raw = await self._client.chat.completions.with_raw_response.create(
                    model=request.model, messages=messages, **parameters
                )
                content: bytes = raw.content
            except APIStatusError as error:
                self._handle(error, request, parameters)
            except OpenAIError as error:
                raise Outage(self._endpoint.hide_key(_explain(error, self._endpoint))) from None
            else:
                self._support.note_success(parameters)
                return content

    def _handle(self, error: APIStatusError, request: Request, sent: dict[str, Any]) -> None:
        """Returns if the request may succeed with other parameters; raises otherwise."""
        if _is_about_content(error):
            raise Unanswered(self._endpoint.hide_key(_message(error))) from None
        if error.status_code in PARAMETER_REFUSED:
            # Another request may have noted this refusal while this one was on its way.
            is_outdated = sent != self._support.parameters(request)
            if is_outdated or self._support.note_refusal(_message(error), error.param, request, sent):
                return
        # Too many requests (429) and server errors may pass; a used-up quota does not.
        is_busy = error.status_code == 429 and error.code != "insufficient_quota"
        may_pass = is_busy or error.status_code >= 500
        kind = Outage if may_pass else ModelUnavailable
        raise kind(self._endpoint.hide_key(_explain(error, self._endpoint))[:MAX_MESSAGE]) from None


def _is_about_content(error: APIStatusError) -> bool:
    """True if this request is refused for its text or its length, so that others may still succeed."""
    return error.status_code == 400 and (
        error.code in ("context_length_exceeded", "content_filter", "content_policy_violation")
        or "context length" in _message(error)
    )


def _message(error: APIStatusError) -> str:
    """The endpoint's error message, or the whole body if that isn't in OpenAI's format."""
    return error.message if " - " in error.message else f"{error.message} - {error.response.text}"


def _explain(error: OpenAIError, endpoint: EndpointSettings) -> str:
    match error:
        case APITimeoutError():
            return f"{endpoint.host} did not answer within {endpoint.timeout:g} s (tries: {1 + endpoint.retries})"
        case APIConnectionError():
            return f"{endpoint.host} can't be reached: {error.__cause__ or error}"
        case APIStatusError(status_code=401 | 403):
            return f"{endpoint.host} does not accept the key (status {error.status_code}); see --api_key_env"
        case APIStatusError():
            return f"{endpoint.host}: {_message(error)}"
    return f"{endpoint.host}: {error}"


def _problem(choices: Sequence[_Choice]) -> str | None:
    """What the endpoint itself reports as wrong with its last sample."""
    last = choices[-1] if choices else None
    if last and last.message.refusal:
        return "it is a refusal"
    problems = {"length": "it was cut off at the token limit; be shorter", "content_filter": "it was withheld"}
    is_empty = not (last and last.message.content)
    return problems.get((last and last.finish_reason) or "", "it is empty" if is_empty else None)


def _join(replies: Sequence[Reply]) -> Reply:
    """One reply with the samples and tokens of several."""
    texts = tuple(text for reply in replies for text in reply.texts)
    inputs = [reply.input_tokens for reply in replies]
    outputs = [reply.output_tokens for reply in replies]
    return Reply(texts, replies[-1].problem, _total(inputs), _total(outputs))


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
