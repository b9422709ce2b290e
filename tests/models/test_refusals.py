"""What servers are known to say when they refuse, and what comes of it, over a real HTTP server on loopback."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hm_agent.models.chat import Message, Refused, Request, Sampling
from hm_agent.models.endpoint.openai_chat import OpenAIChat
from hm_agent.models.endpoint.outage import Outage
from hm_agent.models.endpoint.refusals import MOST_FORBIDDEN, About, judge, read_error
from hm_agent.questions import ModelUnavailable
from hm_agent.testing.endpoint import Endpoint, Response, completion, prompt_of
from tests.models.loopback_client import SCHEMA, chat_with

SAMPLING = Sampling(temperature=0.1, max_output_tokens=4000, reasoning_effort="low", extra_body='{"top_k": 20}')
REQUEST = Request("some-model", (Message("user", "fine"),), SAMPLING, "Answer", SCHEMA)
KNOWN: Mapping[str, Mapping[str, tuple[int, str]]] = tomllib.loads(
    Path(__file__).with_name("known_refusals.toml").read_text("utf-8")
)
"""Status and body by what an error is about, and by who says it."""
RAISED: Mapping[About, type[Exception]] = {
    About.REQUEST: Refused,
    About.SETTING: ModelUnavailable,
    About.ACCESS: ModelUnavailable,
    About.SERVER: ModelUnavailable,
    About.OUTAGE: Outage,
}


def test_what_servers_are_known_to_say_has_the_known_consequence_and_is_told() -> None:
    """All by one client, which has been answered before and is afterwards: no refusal has changed what is sent."""
    rows = {f"{about.value}, {who}": (about, *row) for about in RAISED for who, row in KNOWN[about.value].items()}

    def answer(body: dict[str, Any]) -> Response:
        if prompt_of(body) not in rows:
            return completion("fine")
        _, status, said = rows[prompt_of(body)]
        return Response(status, said.encode())

    async def ask_all(server: Endpoint) -> None:
        async with chat_with(server.base_url) as chat:
            await chat.complete(REQUEST)
            for name, (about, _, said) in rows.items():
                with pytest.raises(RAISED[about]) as raised:
                    await chat.complete(replace(REQUEST, messages=(Message("user", name),)))
                assert type(raised.value) is RAISED[about], (name, raised.value)
                assert message_in(said)[:40].rstrip(".") in str(raised.value), name
            await chat.complete(REQUEST)

    with Endpoint(answer) as server:
        asyncio.run(ask_all(server))
        first, *_, last = (received.body for received in server.received)
    assert first == last


def test_what_is_about_a_request_or_the_key_is_no_reason_to_leave_anything_out() -> None:
    """Also where nothing has been answered yet, so that nothing is known of what the server takes."""
    rows = {**KNOWN[About.REQUEST.value], **KNOWN[About.ACCESS.value]}
    rows = {who: row for who, row in rows.items() if who != "anybody who has answered before"}

    async def ask_once(server: Endpoint) -> None:
        async with chat_with(server.base_url) as chat:
            with pytest.raises((Refused, ModelUnavailable)):
                await chat.complete(REQUEST)

    for who, (status, said) in rows.items():
        refused = Response(status, said.encode())
        with Endpoint(lambda body, refused=refused: refused) as server:  # type: ignore[misc]
            asyncio.run(ask_once(server))
        assert len(server.received) == 1, who


def test_refusals_without_a_clear_reason_end_the_run_if_nothing_or_nothing_more_is_answered() -> None:
    said = {"fine": completion("fine"), "no": Response(403, b"<html>403 Forbidden</html>")}

    async def ask(chat: OpenAIChat, prompt: str) -> str:
        try:
            await chat.complete(replace(REQUEST, messages=(Message("user", prompt),)))
        except Refused:
            return "refused"
        except ModelUnavailable as error:
            return str(error)
        return "answered"

    async def ask_all(url: str) -> list[str]:
        async with chat_with(url) as chat:
            return [await ask(chat, prompt) for prompt in ["no", *["fine", *["no"] * MOST_FORBIDDEN] * 2, "no"]]

    with Endpoint(lambda body: said[prompt_of(body)]) as server:
        first, *others, last = asyncio.run(ask_all(server.base_url))
    assert others == ["answered", *["refused"] * MOST_FORBIDDEN] * 2
    assert first == last == f"{server.base_url[7:-3]} (status 403): <html>403 Forbidden</html>"
    assert len(server.received) == len(others) + 2, "no schema is to blame"


def message_in(body: Any) -> str:
    """The message of an error: its body's text if that is no JSON."""
    match body:
        case str(text):
            return (
                message_in(json.loads(text)) if text[0] in "[{" else text.removeprefix("<html>").removesuffix("</html>")
            )
        case {"message": str(message)} | {"base_resp": {"status_msg": str(message)}}:
            return message
        case {"error": inner} | {"choices": [inner]} | [inner]:
            return inner if isinstance(inner, str) else message_in(inner)
    raise AssertionError(f"no message in {body}")


def test_parameters_that_are_refused_are_told_apart() -> None:
    sent = {"temperature": 0.1, "max_tokens": 4000, "reasoning_effort": "low", "seed": 7, "response_format": {}}
    refused = ["max_tokens", "seed", "seed", "reasoning_effort", "reasoning_effort", "response_format"]
    for name, (who, (status, body)) in zip(refused, KNOWN[About.PARAMETER.value].items(), strict=True):
        assert judge(read_error(status, body), sent) == (About.PARAMETER, name), who
