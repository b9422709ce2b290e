"""A chat with an endpoint of OpenAI's chat completions API: OpenAI, vLLM, Ollama, llama.cpp's server and others."""

from __future__ import annotations

import asyncio
import email.utils
import random
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError

from hm_agent.bounds import LARGE_BODY, MAX_BODY, MAX_LARGE_BODIES
from hm_agent.models.chat import Refused, Reply, Request
from hm_agent.models.endpoint.completion_reading import TOO_LONG, NoCompletion, read_completion
from hm_agent.models.endpoint.endpoint_settings import EndpointSettings
from hm_agent.models.endpoint.outage import Outage
from hm_agent.models.endpoint.pace import RequestPace
from hm_agent.models.endpoint.parameter_support import ParameterSupport, ParameterTrial
from hm_agent.models.endpoint.refusals import FORBIDDEN, MOST_FORBIDDEN, About, ErrorAnswer, judge, read_error
from hm_agent.questions import ModelUnavailable

PATH = "/chat/completions"
TOO_MANY = 429
MAY_BE_OF_A_FORM = (400, 422, 500, 501)
"""The statuses of refusals and failures that some endpoints have for a schema they can't follow."""
NO_KEY = "none"
"""The key that is sent to a local server that needs none."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds to wait after a failure; each pause is twice as long as the one before, less up to a quarter by chance."""
LONGEST_REQUESTED_PAUSE = 120.0
"""The longest pause, in seconds, that an endpoint may ask for; longer ones are ignored."""


class _BodyTooLong(OpenAIError):
    """A response's body is longer than MAX_BODY; OpenAI's client turns other errors into APIConnectionError."""


class _BoundedClient(DefaultAsyncHttpxClient):
    """An HTTP client that reads at most MAX_BODY bytes of a response, decompressed, and few large ones at once.

    Raises _BodyTooLong for a longer successful response; cuts that of an error after LARGE_BODY bytes. The user's own
    headers, which may hold keys, follow no redirection to another host.
    """

    def __init__(self, endpoint: EndpointSettings) -> None:
        super().__init__(event_hooks={"request": [self._guard_headers]})
        self._endpoint = endpoint
        self._large_bodies = asyncio.Semaphore(MAX_LARGE_BODIES)

    async def _guard_headers(self, request: Any) -> None:
        own = type(request.url)(self._endpoint.url)
        if (request.url.scheme, request.url.netloc) != (own.scheme, own.netloc):
            for name, _ in self._endpoint.own_headers:
                request.headers.pop(name, None)

    async def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        response: Any = await super().send(request, stream=True, **options)
        content, most = bytearray(), MAX_BODY if response.is_success else LARGE_BODY
        async with AsyncExitStack() as resources:
            resources.push_async_callback(response.aclose)
            is_large = False
            async for chunk in response.aiter_bytes():
                content += chunk[: most - len(content)]
                if len(content) == most:
                    break
                if len(content) > LARGE_BODY and not is_large:
                    is_large = True
                    await resources.enter_async_context(self._large_bodies)
        if len(content) == MAX_BODY and response.is_success:
            raise _BodyTooLong
        # As bytes, since a header may hold letters beyond ASCII, which can't be put into another response.
        headers = [(name, value) for name, value in response.headers.raw if name.lower() not in _TRANSFER_HEADERS]
        read = type(response)(response.status_code, headers=headers, content=bytes(content), request=response.request)
        read.encoding = "utf-8-sig"  # as JSON is (RFC 8259, section 8.1), whatever the headers say, also with its mark
        return read


_TRANSFER_HEADERS = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
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
            default_headers=endpoint.headers,
            http_client=_BoundedClient(endpoint),
        )

    async def __aenter__(self) -> OpenAIChat:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.close()

    async def complete(self, request: Request) -> Reply:
        """Sends a request, again and again without parameters that the endpoint refuses, until it accepts them.

        If the endpoint refuses `n`, the reply has one sample and `is_single`. Raises `Outage` for a temporary failure,
        `ModelUnavailable` for a permanent one, `Refused` if the endpoint refuses this one request.
        """
        trial = self._support.trial(request)
        while True:
            sent = trial.parameters()
            try:
                reply = await self._complete_with(request, sent)
            except ErrorAnswer as error:
                if error.generated is None:
                    self._raise_unless_retryable(error, request, trial, sent)
                    continue
                # Nothing says what it cost, and the endpoint doesn't count it as an answer.
                reply = Reply((error.generated,), self._endpoint.told(error.words), 0, 0)
            trial.note_success(sent)
            is_single = (request.sampling.completions or 1) > 1 and "n" not in sent
            return replace(self._without_secrets(reply), is_single=is_single, seed=sent.get("seed"))

    def _without_secrets(self, reply: Reply) -> Reply:
        hide = self._endpoint.hide_secrets
        served, fingerprint = (name and hide(name) for name in (reply.served, reply.fingerprint))
        return replace(reply, texts=tuple(map(hide, reply.texts)), served=served, fingerprint=fingerprint)

    async def _complete_with(self, request: Request, sent: Mapping[str, Any]) -> Reply:
        """Sends a request, with the retries of the settings; raises the last failure, ErrorAnswer or Outage."""
        attempt = 0
        while True:
            try:
                return await self._send(request, sent)
            except ErrorAnswer as error:
                about, _ = judge(error, sent, request.sampling.extra)
                if about is not About.OUTAGE or attempt == self._endpoint.retries:
                    raise
                pause = error.pause or _growing_pause(attempt)
            except Outage as outage:
                if attempt == self._endpoint.retries:
                    raise
                pause = outage.pause or _growing_pause(attempt)
            await asyncio.sleep(pause)
            attempt += 1

    async def _send(self, request: Request, parameters: Mapping[str, Any]) -> Reply:
        """Sends a request once and reads the response, both within the timeout."""
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        body = {"model": request.model, "messages": messages, **parameters, **request.sampling.extra}
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
                pause = _requested_pause(error)
                if error.status_code == TOO_MANY:
                    self._pace.slow_down(pause or FIRST_PAUSE)
                raise read_error(error.status_code, error.response.text, pause) from None
            except (APIConnectionError, ExceptionGroup) as error:  # a group for a port that no address has
                reason = (
                    f"{endpoint.host} can't be reached{endpoint.proxy}: {endpoint.told(str(error.__cause__ or error))}"
                )
                raise Outage(reason) from None
            except OpenAIError as error:
                raise Outage(f"{endpoint.host}: {endpoint.told(str(error))}") from None
        self._pace.speed_up()
        return reply

    def _raise_unless_retryable(
        self, error: ErrorAnswer, request: Request, trial: ParameterTrial, sent: Mapping[str, Any]
    ) -> None:
        """Returns if the request may succeed with other parameters; otherwise raises what `complete` raises."""
        about, parameter = judge(error, sent, request.sampling.extra)
        is_unclear = about is About.UNCLEAR
        may_be_of_a_form = about in (About.UNCLEAR, About.OUTAGE) and error.status in MAY_BE_OF_A_FORM
        # Another request may have been refused the same while this one was under way.
        if about in (About.PARAMETER, About.UNCLEAR) and sent != trial.parameters():
            return None
        if about is About.PARAMETER:
            return trial.leave_out(parameter, sent)
        if may_be_of_a_form and trial.guess(sent, also_seed=is_unclear):
            return None
        words = self._endpoint.told(error.words)
        self._support.forbidden += is_unclear and error.status == FORBIDDEN
        may_be_moderated = self._support.has_answered and self._support.forbidden <= MOST_FORBIDDEN
        if about is About.REQUEST or (is_unclear and may_be_moderated):
            raise Refused(words or f"refused with status {error.status}", lasts=not is_unclear) from None
        why = words.rstrip(".") or "it gives no reason"
        status = f" (status {error.status})" if error.status else ""
        reason = f"{self._endpoint.host}{status}: {why}{_ADVICE[about].format(parameter)}"
        if about is About.OUTAGE:
            raise Outage(reason, error.pause or (0.0 if error.status else self._endpoint.pause)) from None
        raise ModelUnavailable(reason) from None


_ADVICE: Mapping[About, str] = {
    About.SETTING: "; no request can have this {}: see --max_output_tokens and --extra_body",
    About.ACCESS: "; see --api_key_env, and what the key may do and spend",
    About.SERVER: "; see --base_url and --model",
    About.UNCLEAR: "",
    About.OUTAGE: "",
}
"""Where the user can mend what no request can."""


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
