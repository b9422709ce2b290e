"""A chat with an endpoint of OpenAI's chat completions API: OpenAI, vLLM, Ollama, llama.cpp's server and others."""

from __future__ import annotations

import asyncio
import email.utils
import random
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError

from hm_agent.bounds import LARGE_BODY, MAX_BODY, MAX_LARGE_BODIES, MAX_MESSAGE
from hm_agent.models.chat import Reply, Request
from hm_agent.models.endpoint.completion_reading import TOO_LONG, NoCompletion, read_completion
from hm_agent.models.endpoint.outage import Outage
from hm_agent.models.endpoint.pace import RequestPace
from hm_agent.models.endpoint.parameter_support import ParameterSupport
from hm_agent.questions import ModelUnavailable, Unanswered

PATH = "/chat/completions"
PARAMETER_REFUSED = (400, 422, 500, 501)
"""The statuses with which endpoints refuse a parameter."""
TOO_MANY = 429
TEMPORARY = (408, 409, 425, TOO_MANY)
"""The statuses below 500 of temporary errors: a timeout, a conflict, too early, too many requests."""
NO_KEY = "none"
"""The key that is sent to a local server that needs none."""
MIN_SECRET = 8
"""Characters from which a key is removed from all texts; a shorter one is a word like `EMPTY`."""
PAUSE = 1.0
"""Default seconds to wait after a response that is no completion."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds to wait after a failure; each pause is twice as long as the one before, less up to a quarter by chance."""
LONGEST_REQUESTED_PAUSE = 120.0
"""The longest pause, in seconds, that an endpoint may ask for; longer ones are ignored."""


@dataclass(frozen=True)
class EndpointSettings:
    """How to reach an endpoint.

    key: None if it needs none; it must not appear in any text. timeout: seconds from sending a request to the last byte
    of its response. retries: of a failed call. pause: seconds to wait after a response that is no completion.
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


class _BodyTooLong(OpenAIError):
    """A response's body is longer than MAX_BODY; OpenAI's client turns other errors into APIConnectionError."""


class _BoundedClient(DefaultAsyncHttpxClient):
    """An HTTP client that reads at most MAX_BODY bytes of a response, decompressed, and few large ones at once.

    Raises _BodyTooLong for a longer successful response; cuts that of an error.
    """

    def __init__(self) -> None:
        super().__init__()
        self._large_bodies = asyncio.Semaphore(MAX_LARGE_BODIES)

    async def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        response: Any = await super().send(request, stream=True, **options)
        content = bytearray()
        async with AsyncExitStack() as resources:
            resources.push_async_callback(response.aclose)
            is_large = False
            async for chunk in response.aiter_bytes():
                content += chunk[: MAX_BODY - len(content)]
                if len(content) == MAX_BODY:
                    break
                if len(content) > LARGE_BODY and not is_large:
                    is_large = True
                    await resources.enter_async_context(self._large_bodies)
        if len(content) == MAX_BODY and response.is_success:
            raise _BodyTooLong
        headers = [(name, value) for name, value in response.headers.items() if name not in _TRANSFER_HEADERS]
        read = type(response)(response.status_code, headers=headers, content=bytes(content), request=response.request)
        read.encoding = "utf-8"  # as JSON is (RFC 8259, section 8.1), whatever the headers say
        return read


_TRANSFER_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that don't fit a body that is read and decompressed already."""


class OpenAIChat:
    """Sends requests to an endpoint over HTTP, for all episodes of one event loop."""

    def __init__(self, endpoint: EndpointSettings, support: ParameterSupport) -> None:
        self._endpoint, self._support, self._pace = endpoint, support, RequestPace()
        self._client = AsyncOpenAI(
            api_key=endpoint.key or NO_KEY,
            base_url=endpoint.base_url,
            timeout=None,  # it would limit each read; `_send` limits the whole call
            max_retries=0,
            http_client=_BoundedClient(),
        )

    async def __aenter__(self) -> OpenAIChat:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.close()

    async def complete(self, request: Request) -> Reply:
        """Sends a request, again and again without parameters that the endpoint refuses, until it accepts them.

        If the endpoint refuses `n`, the reply has one sample and `is_single`. Raises `Outage` for a temporary failure,
        `ModelUnavailable` for a permanent one, `Unanswered` if the endpoint refuses this one request for its content.
        """
        while True:
            parameters = self._support.parameters(request)
            try:
                reply = await self._complete_with(request, parameters)
            except APIStatusError as error:
                self._raise_unless_retryable(error, request, parameters)
                continue
            self._support.note_success(parameters)
            is_single = (request.sampling.completions or 1) > 1 and "n" not in parameters
            return replace(reply, texts=tuple(map(self._endpoint.hide_key, reply.texts)), is_single=is_single)

    async def _complete_with(self, request: Request, parameters: Mapping[str, Any]) -> Reply:
        """Sends a request, with the retries of the settings; raises the last failure, APIStatusError or Outage."""
        attempt = 0
        while True:
            try:
                return await self._send(request, parameters)
            except APIStatusError as error:
                if not _is_temporary(error) or attempt == self._endpoint.retries:
                    raise
                pause = _requested_pause(error) or _growing_pause(attempt)
            except Outage as outage:
                if attempt == self._endpoint.retries:
                    raise
                pause = outage.pause or _growing_pause(attempt)
            await asyncio.sleep(pause)
            attempt += 1

    async def _send(self, request: Request, parameters: Mapping[str, Any]) -> Reply:
        """Sends a request once and reads the response, both within the timeout."""
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        body = {"model": request.model, "messages": messages, **parameters}
        endpoint = self._endpoint
        async with self._pace.turn():
            try:
                async with asyncio.timeout(endpoint.timeout):
                    # The client's own method for this path would walk through the whole schema again.
                    received = await self._client.post(PATH, cast_to=str, body=body)
                reply = read_completion(received)
            except TimeoutError:
                reason = f"{endpoint.host} did not answer within {endpoint.timeout:g} s (tries: {1 + endpoint.retries})"
                raise Outage(reason) from None
            except _BodyTooLong:
                return Reply((), TOO_LONG)  # it was paid for like any other
            except NoCompletion:
                reason = f"{endpoint.host} answers, but not with chat completions; is --base_url right?"
                raise Outage(reason, endpoint.pause) from None
            except APIStatusError as error:
                if error.status_code == TOO_MANY:
                    self._pace.slow_down(_requested_pause(error) or FIRST_PAUSE)
                raise
            except OpenAIError as error:
                raise Outage(endpoint.hide_key(_explain(error, endpoint))) from None
        self._pace.speed_up()
        return reply

    def _raise_unless_retryable(self, error: APIStatusError, request: Request, sent: Mapping[str, Any]) -> None:
        """Returns if the request may succeed with other parameters; otherwise raises what `complete` raises."""
        if _refuses_content(error):
            raise Unanswered(self._endpoint.hide_key(_message(error))[:MAX_MESSAGE]) from None
        if error.status_code in PARAMETER_REFUSED:
            # Another request may have noted this refusal while this one was under way.
            is_outdated = sent != self._support.parameters(request)
            if is_outdated or self._support.note_refusal(_message(error), error.param, request, sent):
                return
        reason = self._endpoint.hide_key(_explain(error, self._endpoint))[:MAX_MESSAGE]
        if _is_temporary(error):
            raise Outage(reason, _requested_pause(error)) from None
        raise ModelUnavailable(reason) from None


def _is_temporary(error: APIStatusError) -> bool:
    """True for a temporary error: a busy endpoint or a failure of its own, but not a used-up quota."""
    is_busy = error.status_code in TEMPORARY and error.code != "insufficient_quota"
    return is_busy or error.status_code >= 500


def _requested_pause(error: APIStatusError) -> float:
    """Returns the seconds that the endpoint asks to wait (RFC 9110, section 10.2.3), 0 without a reasonable request."""
    headers = error.response.headers
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            pause = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        return pause if 0 < pause <= LONGEST_REQUESTED_PAUSE else 0.0
    try:
        until = email.utils.parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError, OSError):
        return 0.0
    return until if 0 < until <= LONGEST_REQUESTED_PAUSE else 0.0


def _growing_pause(attempt: int) -> float:
    return min(FIRST_PAUSE * 2.0 ** min(attempt, 10), LONGEST_PAUSE) * random.uniform(0.75, 1.0)


def _refuses_content(error: APIStatusError) -> bool:
    """True if this one request is refused for its text or its length, so that others may still succeed."""
    return error.status_code == 400 and (
        error.code in ("context_length_exceeded", "content_filter", "content_policy_violation")
        or "context length" in _message(error)
    )


def _message(error: APIStatusError) -> str:
    """Returns the endpoint's error message, with the whole body if that isn't in OpenAI's format."""
    return error.message if " - " in error.message else f"{error.message} - {error.response.text}"


def _explain(error: OpenAIError, endpoint: EndpointSettings) -> str:
    """Says what went wrong, and where the user can mend it."""
    match error:
        case APIConnectionError():
            return f"{endpoint.host} can't be reached: {error.__cause__ or error}"
        case APIStatusError(status_code=401 | 403):
            return f"{endpoint.host} does not accept the key (status {error.status_code}); see --api_key_env"
        case APIStatusError():
            return f"{endpoint.host}: {_message(error)}"
    return f"{endpoint.host}: {error}"
