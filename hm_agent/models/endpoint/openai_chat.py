"""A chat with an endpoint of OpenAI's chat completions API: OpenAI, vLLM, Ollama, llama.cpp's server and others."""

from __future__ import annotations

import asyncio
import email.utils
import random
import re
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urlsplit

from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient, OpenAIError

from hm_agent.bounds import LARGE_BODY, MAX_BODY, MAX_LARGE_BODIES, MAX_MESSAGE, MAX_SCRUBBED
from hm_agent.models.chat import Refused, Reply, Request
from hm_agent.models.endpoint.completion_reading import TOO_LONG, NoCompletion, read_completion
from hm_agent.models.endpoint.outage import Outage
from hm_agent.models.endpoint.pace import RequestPace
from hm_agent.models.endpoint.parameter_support import ParameterSupport, ParameterTrial
from hm_agent.models.endpoint.refusals import FORBIDDEN, MOST_FORBIDDEN, About, ErrorAnswer, judge, read_error
from hm_agent.models.endpoint.surroundings import headers_of_environment, proxy_for
from hm_agent.process.shell import printable
from hm_agent.questions import ModelUnavailable

OPENAI = "https://api.openai.com/v1"
PATH = "/chat/completions"
TOO_MANY = 429
MAY_BE_OF_A_FORM = (400, 422, 500, 501)
"""The statuses of refusals and failures that some endpoints have for a schema they can't follow."""
NO_KEY = "none"
"""The key that is sent to a local server that needs none."""
MIN_SECRET = 8
"""Characters from which a key is removed from all texts; a shorter one is a word like `EMPTY`."""
SCHEME = re.compile(r"(bearer|basic|token|key) +", re.IGNORECASE)
"""What may stand before a key in the value of a header."""
PAUSE = 1.0
"""Default seconds to wait after a response that is no completion."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds to wait after a failure; each pause is twice as long as the one before, less up to a quarter by chance."""
LONGEST_REQUESTED_PAUSE = 120.0
"""The longest pause, in seconds, that an endpoint may ask for; longer ones are ignored."""


@dataclass(frozen=True)
class EndpointSettings:
    """How to reach an endpoint.

    key: None if it needs none; it must not appear in any text, nor must the values of headers. timeout: seconds from
    sending a request to the last byte of its response. retries: of a failed call. pause: seconds to wait after a
    response that is no completion.
    """

    base_url: str | None
    key: str | None = field(repr=False)
    timeout: float
    retries: int
    pause: float = PAUSE
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def url(self) -> str:
        return self.base_url or OPENAI

    @property
    def host(self) -> str:
        """The host and port, for messages: the whole URL may hold a password."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    @property
    def proxy(self) -> str:
        """` through the proxy ...` if the environment names one for this endpoint."""
        found = proxy_for(self.url)
        return f" through the proxy {found}" if found else ""

    @cached_property
    def own_headers(self) -> Sequence[tuple[str, str]]:
        """Names and values of all headers that the user adds, here or by variables of the environment."""
        return [*self.headers.items(), *headers_of_environment().items()]

    def hide_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = secret.sub("[key]", text)
        return text

    @cached_property
    def _secrets(self) -> Sequence[re.Pattern[str]]:
        """Patterns of the key, the URL's password and the headers' values, longest first, also without their schemes.

        They match a secret however its characters are escaped.
        """
        values = [self.key or "", *_passwords(self.url), *(value for _, value in self.own_headers)]
        bare = [SCHEME.sub("", value, count=1) for value in values if SCHEME.match(value)]
        secrets = sorted((each for each in {*values, *bare} if _is_secret(each)), key=len, reverse=True)
        return [re.compile("".join(map(_however_escaped, secret))) for secret in secrets]

    def told(self, text: str) -> str:
        """An endpoint's words as users may read them: in one line, short, without keys and control characters."""
        return printable(" ".join(self.hide_secrets(text[:MAX_SCRUBBED]).split()))[:MAX_MESSAGE]


def _passwords(url: str) -> Sequence[str]:
    """The password in a URL, and with its name as the client sends both (RFC 7617); none without."""
    parts = urlsplit(url)
    if not parts.password:
        return ()
    name, password = unquote(parts.username or ""), unquote(parts.password)
    return password, b64encode(f"{name}:{password}".encode()).decode()


def _is_secret(value: str) -> bool:
    """False for a short or plain word, which texts may have for other reasons."""
    return len(value) >= MIN_SECRET and not value.isalpha()


def _however_escaped(sign: str) -> str:
    """A pattern of a character as it is or as escaped in URLs, JSON, HTML and shells, also more than once."""
    code, plain = ord(sign), re.escape(sign)
    in_url = "".join(f"%(?:25)*(?i:{byte:02x})" for byte in sign.encode())
    in_json = rf"\\\\*(?:u(?i:{code:04x})|x(?i:{code:02x})|{plain})"
    return rf"(?:{plain}|{in_url}|{in_json}|&#(?:(?i:x0*{code:x})|0*{code});)"


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
