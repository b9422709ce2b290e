"""Any endpoint that speaks OpenAI's chat completions: OpenAI itself, vLLM, Ollama, llama.cpp's server and the like."""

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
from hm_agent.models.parameter_support import ParameterSupport
from hm_agent.models.patience import Outage
from hm_agent.questions import ModelUnavailable, Unanswered

NOT_UNDERSTOOD = (400, 422, 500, 501)
"""The statuses with which endpoints refuse a parameter."""
NO_KEY = "none"
"""What is sent to a server of one's own that asks for no key."""
LONGEST = 500
"""So many characters of what an endpoint says are passed on; some send whole pages."""
SECRET = 8
"""A key so long, in characters, is kept out of all texts; a shorter one is a word like `EMPTY`."""
PAUSE = 1.0
"""How many seconds to wait, unless told otherwise, after an answer that is no completion."""


@dataclass(frozen=True)
class Endpoint:
    """Where to ask. key: what authorises, if anything; it must appear nowhere.

    timeout: in seconds, for one call. pause: in seconds, after an answer that is no completion.
    """

    base_url: str | None
    key: str | None = field(repr=False)
    timeout: float
    retries: int
    pause: float = PAUSE

    @property
    def host(self) -> str:
        """Its name in messages; a URL may hold a password."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2] if self.base_url else "api.openai.com"

    def hide_key(self, text: str) -> str:
        return text.replace(self.key, "[key]") if self.key and len(self.key) >= SECRET else text


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
    """An endpoint over HTTP. Rate limits, failures and lost connections are tried again by the `openai` package."""

    def __init__(self, endpoint: Endpoint, dialect: ParameterSupport) -> None:
        self._endpoint, self._dialect = endpoint, dialect
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
        """Raises `Outage` where it can't be asked just now, `ModelUnavailable` where that won't pass.

        Also `Unanswered`, where the endpoint refuses this one request for its content.
        """
        reply = await self._completed(request)
        lacking = (request.sampling.completions or 1) - max(len(reply.texts), 1)
        if lacking <= 0 or "n" in self._dialect.parameters(request):
            return reply
        single = replace(request, sampling=replace(request.sampling, completions=None))
        return _joined([reply, *await asyncio.gather(*(self._completed(single) for _ in range(lacking)))])

    async def _completed(self, request: Request) -> Reply:
        for _ in range(1 + self._endpoint.retries):
            content = await self._sent(request)
            try:
                completion = _Completion.model_validate_json(_encodable(content))
            except (ValueError, RecursionError):
                await asyncio.sleep(self._endpoint.pause)
            else:
                return _reply(completion, self._endpoint)
        raise Outage(f"{self._endpoint.host} answers, but not with chat completions; is --base_url right?")

    async def _sent(self, request: Request) -> bytes:
        """The body of the response, once the endpoint understands the request."""
        while True:
            parameters = self._dialect.parameters(request)
            try:
                content = await self._post(request, parameters)
            except APIStatusError as error:
                self._handle(error, request, parameters)
            except OpenAIError as error:
                raise Outage(self._endpoint.hide_key(_explain(error, self._endpoint))) from None
            else:
                self._dialect.prove()
                return content

    async def _post(self, request: Request, parameters: dict[str, Any]) -> bytes:
        messages: Any = [asdict(message) for message in request.messages]
        raw = await self._client.chat.completions.with_raw_response.create(
            model=request.model, messages=messages, **parameters
        )
        content: bytes = raw.content
        return content

    def _handle(self, error: APIStatusError, request: Request, sent: dict[str, Any]) -> None:
        """Returns where the request is worth sending again."""
        if _is_about_content(error):
            raise Unanswered(self._endpoint.hide_key(_words(error))) from None
        if error.status_code in NOT_UNDERSTOOD:
            # Another request may have learnt of this refusal while this one was under way.
            is_outdated = sent != self._dialect.parameters(request)
            if is_outdated or self._dialect.learn(_words(error), error.param, sent):
                return
        kind = Outage if _may_pass(error) else ModelUnavailable
        raise kind(self._endpoint.hide_key(_explain(error, self._endpoint))[:LONGEST]) from None


def _encodable(content: bytes) -> bytes:
    """JSON without halves of surrogate pairs, e.g. of an emoji that was cut off: they could not be sent back."""
    return json.dumps(json.loads(content), ensure_ascii=False).encode("utf-8", "replace")


def _may_pass(error: APIStatusError) -> bool:
    """Whether it is a matter of time: too many requests or a server in trouble, but no quota that is used up."""
    return (error.status_code == 429 and error.code != "insufficient_quota") or error.status_code >= 500


def _is_about_content(error: APIStatusError) -> bool:
    """Whether a request is refused for what it says or for its length, and others may not be."""
    return error.status_code == 400 and (
        error.code in ("context_length_exceeded", "content_filter", "content_policy_violation")
        or "context length" in _words(error)
    )


def _words(error: APIStatusError) -> str:
    """What the endpoint says, in whatever form: the package's own message has it only in OpenAI's."""
    return error.message if " - " in error.message else f"{error.message} - {error.response.text}"


def _explain(error: OpenAIError, endpoint: Endpoint) -> str:
    match error:
        case APITimeoutError():
            return f"{endpoint.host} did not answer within {endpoint.timeout:g} s (tries: {1 + endpoint.retries})"
        case APIConnectionError():
            return f"{endpoint.host} can't be reached: {error.__cause__ or error}"
        case APIStatusError(status_code=401 | 403):
            return f"{endpoint.host} does not accept the key (status {error.status_code}); see --api_key_env"
        case APIStatusError():
            return f"{endpoint.host}: {_words(error)}"
    return f"{endpoint.host}: {error}"


def _reply(completion: _Completion, endpoint: Endpoint) -> Reply:
    texts = tuple(endpoint.hide_key(choice.message.content or "") for choice in completion.choices)
    usage = completion.usage or _Usage()
    return Reply(texts, _problem(completion.choices), usage.prompt_tokens, usage.completion_tokens)


def _problem(choices: Sequence[_Choice]) -> str | None:
    """What the endpoint itself says is wrong with its last completion."""
    last = choices[-1] if choices else None
    if last and last.message.refusal:
        return "it is a refusal"
    problems = {"length": "it was cut off at the token limit; be shorter", "content_filter": "it was withheld"}
    is_empty = not (last and last.message.content)
    return problems.get((last and last.finish_reason) or "", "it is empty" if is_empty else None)


def _joined(replies: Sequence[Reply]) -> Reply:
    """Replies to one request as one, with all that they took."""
    texts = tuple(text for reply in replies for text in reply.texts)
    inputs = [reply.input_tokens for reply in replies]
    outputs = [reply.output_tokens for reply in replies]
    return Reply(texts, replies[-1].problem, _total(inputs), _total(outputs))


def _total(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None
