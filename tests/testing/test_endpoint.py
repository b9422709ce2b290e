from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from openai import APIConnectionError, AsyncOpenAI, BadRequestError, NotFoundError, RateLimitError
from openai.types.chat import ChatCompletion

from hm_agent.testing.endpoint import NAME, Endpoint, Response, completion, prompt_of, refusal


def echo(body: dict[str, Any]) -> Response:
    return completion(prompt_of(body), prompt=prompt_of(body))


@asynccontextmanager
async def client_of(endpoint: Endpoint) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=endpoint.base_url, api_key="key", max_retries=0, timeout=20) as client:
        yield client


async def ask(client: AsyncOpenAI, prompt: str = "hello", **parameters: Any) -> ChatCompletion:
    reply = await client.chat.completions.create(
        model="any", messages=[{"role": "user", "content": prompt}], **parameters
    )
    assert isinstance(reply, ChatCompletion)
    return reply


def ask_once(endpoint: Endpoint, prompt: str = "hello", **parameters: Any) -> ChatCompletion:
    async def once() -> ChatCompletion:
        async with client_of(endpoint) as client:
            return await ask(client, prompt, **parameters)

    return asyncio.run(once())


def serving() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == NAME]


def text_of(reply: ChatCompletion) -> str | None:
    return reply.choices[0].message.content


def test_client_reads_texts_and_tokens() -> None:
    with Endpoint(lambda body: completion("one", "three", finish="length", prompt="a prompt.")) as endpoint:
        reply = ask_once(endpoint)
    assert [(choice.index, choice.message.content) for choice in reply.choices] == [(0, "one"), (1, "three")]
    assert {choice.finish_reason for choice in reply.choices} == {"length"}
    assert reply.usage
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens) == (3, 2, 5)


def test_usage_may_be_left_out() -> None:
    with Endpoint(lambda body: completion("text", usage=False)) as endpoint:
        assert ask_once(endpoint).usage is None


def test_endpoint_keeps_requests_in_order() -> None:
    async def in_turn(endpoint: Endpoint) -> None:
        async with client_of(endpoint) as client:
            for n in range(3):
                await ask(client, f"prompt {n}", temperature=0.5)

    with Endpoint(echo) as endpoint:
        asyncio.run(in_turn(endpoint))
    assert [prompt_of(request.body) for request in endpoint.received] == ["prompt 0", "prompt 1", "prompt 2"]
    assert endpoint.received[0].body["temperature"] == 0.5
    assert endpoint.received[0].headers["authorization"] == "Bearer key"


def test_first_and_last_prompt_of_a_conversation() -> None:
    turns = [("user", "first"), ("assistant", "reply"), ("user", "last")]
    body = {"messages": [{"role": role, "content": content} for role, content in turns]}
    assert (prompt_of(body, 0), prompt_of(body)) == ("first", "last")


def test_refusal_reaches_the_client_with_its_headers() -> None:
    def refuse(body: dict[str, Any]) -> Response:
        return refusal(429, "slow down", code="rate_limit_exceeded", param="model", headers={"Retry-After": "7"})

    with Endpoint(refuse) as endpoint, pytest.raises(RateLimitError, match="slow down") as refused:
        ask_once(endpoint)
    assert (refused.value.code, refused.value.param) == ("rate_limit_exceeded", "model")
    assert refused.value.response.headers["retry-after"] == "7"


def test_unreadable_body_reaches_the_client() -> None:
    with (
        Endpoint(lambda body: Response(400, b"<html>", {"Content-Type": "text/html"})) as endpoint,
        pytest.raises(BadRequestError) as refused,
    ):
        ask_once(endpoint)
    assert refused.value.response.text == "<html>"


def test_other_path_is_not_found() -> None:
    async def elsewhere(endpoint: Endpoint) -> None:
        async with AsyncOpenAI(base_url=f"{endpoint.base_url}/else", api_key="key", max_retries=0) as client:
            await ask(client)

    with Endpoint(echo) as endpoint, pytest.raises(NotFoundError, match="Invalid URL"):
        asyncio.run(elsewhere(endpoint))
    assert not endpoint.received


def test_delay_and_hang_add_up() -> None:
    with Endpoint(lambda body: Response(200, completion("late").body, hang=0.1), delay=0.1) as endpoint:
        started = time.monotonic()
        assert text_of(ask_once(endpoint)) == "late"
    assert time.monotonic() - started >= 0.2


def test_dropped_connection_is_a_connection_error(capfd: pytest.CaptureFixture[str]) -> None:
    with Endpoint(lambda body: Response(drop=True)) as endpoint, pytest.raises(APIConnectionError):
        ask_once(endpoint)
    assert len(endpoint.received) == 1
    assert capfd.readouterr().err == ""


def test_requests_are_answered_concurrently() -> None:
    together = threading.Barrier(5)

    def wait_for_all(body: dict[str, Any]) -> Response:
        together.wait(timeout=10)
        return echo(body)

    async def at_once(endpoint: Endpoint) -> list[str | None]:
        async with client_of(endpoint) as client:
            return [text_of(reply) for reply in await asyncio.gather(*(ask(client, str(n)) for n in range(5)))]

    with Endpoint(wait_for_all) as endpoint:
        assert asyncio.run(at_once(endpoint)) == ["0", "1", "2", "3", "4"]


def test_connection_is_kept_for_the_next_request() -> None:
    threads: list[threading.Thread] = []

    def note_thread(body: dict[str, Any]) -> Response:
        threads.append(threading.current_thread())
        return echo(body)

    async def in_turn(endpoint: Endpoint) -> None:
        async with client_of(endpoint) as client:
            for _ in range(3):
                await ask(client)

    with Endpoint(note_thread) as endpoint:
        asyncio.run(in_turn(endpoint))
    assert len(set(threads)) == 1


def test_closing_ends_an_idle_connection_and_every_thread() -> None:
    async def stay() -> None:
        async with AsyncExitStack() as stack:
            with Endpoint(echo) as endpoint:
                client = await stack.enter_async_context(client_of(endpoint))
                await ask(client)
                assert len(serving()) == 2
            assert not serving()

    asyncio.run(stay())


def test_closing_ends_an_answer_that_hangs(capfd: pytest.CaptureFixture[str]) -> None:
    asked = threading.Event()

    def hang(body: dict[str, Any]) -> Response:
        asked.set()
        return Response(hang=1000)

    async def give_up() -> None:
        async with AsyncExitStack() as stack:
            with Endpoint(hang) as endpoint:
                client = await stack.enter_async_context(client_of(endpoint))
                asking = asyncio.create_task(ask(client))
                assert await asyncio.to_thread(asked.wait, 10)
            assert not serving()
            with pytest.raises(APIConnectionError):
                await asking

    asyncio.run(give_up())
    assert capfd.readouterr().err == ""


def test_client_that_gives_up_causes_no_output(capfd: pytest.CaptureFixture[str]) -> None:
    with Endpoint(lambda body: completion("x" * 5_000_000), delay=0.2) as endpoint, pytest.raises(APIConnectionError):
        ask_once(endpoint, timeout=0.05)
    assert capfd.readouterr().err == ""


def test_error_in_an_answer_function_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    with Endpoint(lambda body: completion(body["no such key"])) as endpoint, pytest.raises(APIConnectionError):
        ask_once(endpoint)
    assert "KeyError: 'no such key'" in capfd.readouterr().err
