"""An endpoint that drips, floods, lies about its usage or refuses `n`: time, memory and money keep their bounds."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
import threading
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hm_agent.bounds import LARGE_BODY, MAX_BODY, MAX_LARGE_BODIES, MAX_SAMPLE, MAX_SCRUBBED, MAX_SENT_BACK, MAX_TEXT
from hm_agent.models.answer_file import AnswerFile
from hm_agent.models.answer_parsing import read_answer
from hm_agent.models.budget import BudgetedChat, BudgetSpent, RunBudget
from hm_agent.models.cache import CachedChat
from hm_agent.models.chat import Refused, Reply, Request, Sampling
from hm_agent.models.endpoint import completion_reading
from hm_agent.models.endpoint.completion_reading import read_completion, read_count
from hm_agent.models.endpoint.endpoint_settings import EndpointSettings
from hm_agent.models.endpoint.openai_chat import _BoundedClient
from hm_agent.models.endpoint.outage import Outage
from hm_agent.models.endpoint.refusals import read_error
from hm_agent.models.text_model import TextModel
from hm_agent.questions import ModelCall, ModelUnavailable, Unanswered
from hm_agent.testing.endpoint import Endpoint as Server
from hm_agent.testing.endpoint import Response, completion, refusal
from hm_agent.theory_of_mind.mind_questions import Propose
from tests.models.loopback_client import ANSWER, PRICE, REQUEST, chat_with, cost
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN_EXAMPLES

ONE = Sampling()
QUESTION = next(iter(KITCHEN_EXAMPLES.values()))
PROPOSAL = next(one for one in KITCHEN_EXAMPLES.values() if isinstance(one, Propose))


def ask(base_url: str, request: Request = REQUEST, timeout: float = 20, retries: int = 0) -> Reply:
    async def once() -> Reply:
        async with chat_with(base_url, timeout, retries) as chat:
            return await chat.complete(request)

    return asyncio.run(once())


# Time


@contextmanager
def dripping(head: bytes, drop: bytes) -> Iterator[str]:
    """An endpoint that sends a beginning and then one drop again and again, each a while after the other."""
    server, is_over = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
                with connection:
                    connection.recv(1 << 20)
                    connection.sendall(head)
                    while not is_over.wait(0.02):
                        connection.sendall(drop)
            except OSError:
                if is_over.is_set():
                    return

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"
    finally:
        is_over.set()
        server.shutdown(socket.SHUT_RDWR)
        thread.join(5)
        server.close()


@pytest.mark.parametrize(
    ("head", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n", b" "),
        (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        (b"", b"H"),
    ],
    ids=["body", "headers", "status"],
)
def test_an_endpoint_that_drips_is_given_up_at_the_deadline(head: bytes, drop: bytes) -> None:
    with dripping(head, drop) as base_url, pytest.raises(ModelUnavailable, match=r"within 0\.3 s|can't be reached"):
        ask(base_url, timeout=0.3)


# Bounds


def test_a_flood_is_not_read_to_its_end_and_counts_as_an_answer() -> None:
    flood = json.dumps({"choices": [{"message": {"content": "x" * (MAX_BODY + 10)}}]}).encode()
    with Server(lambda body: Response(body=flood)) as server:
        reply = ask(server.base_url)
        assert (reply.texts, reply.input_tokens) == ((), None)
        assert reply.problem == completion_reading.TOO_LONG
        assert len(server.received) == 1


def test_of_a_long_error_only_the_beginning_is_read_and_searched_for_keys() -> None:
    async def error_of(server: Server) -> int:
        async with _BoundedClient(settings) as client:
            return len((await client.post(f"{server.base_url}/chat/completions", json={})).content)

    settings = EndpointSettings("http://127.0.0.1/v1", "0123456789", 20, 0)
    with Server(lambda body: Response(401, body=b"x" * MAX_BODY)) as server:
        assert asyncio.run(error_of(server)) == LARGE_BODY
    assert settings.told(f"no: 0123456789.{' ' * MAX_SCRUBBED} too late") == "no: [key]."


def test_long_samples_are_kept_and_sent_back_in_part() -> None:
    long = "y" * 10 * MAX_SAMPLE + "the end"
    refused = json.dumps({"error": {"message": "no", "failed_generation": long}})
    assert len(read_error(400, refused).generated or "") == MAX_SAMPLE
    assert read_completion(json.dumps({"choices": [{"message": {"content": long}}]})).texts[0] == long[-MAX_SAMPLE:]
    with Server(lambda body: completion(long)) as server:
        with pytest.raises(Unanswered):
            answers(server)
        sent_back = server.received[-1].body["messages"][1]["content"]
    assert sent_back == long[-MAX_SENT_BACK:]


def test_large_bodies_are_read_a_few_at_a_time() -> None:
    flood = b" " * MAX_BODY

    async def ask_often() -> None:
        async with chat_with(server.base_url, 60.0) as chat:
            asked = (chat.complete(replace(REQUEST, seed=number)) for number in range(4 * MAX_LARGE_BODIES))
            replies = await asyncio.gather(*asked)
        assert {reply.problem for reply in replies} == {completion_reading.TOO_LONG}

    with Server(lambda body: Response(body=flood)) as server:
        tracemalloc.start()
        try:
            asyncio.run(ask_often())
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    # The server's connections have a buffer of 1 MB each; without the bound, 16 bodies would stand in memory.
    assert peak < 2.5 * MAX_LARGE_BODIES * MAX_BODY


@pytest.mark.parametrize("form", ["text", "list of texts"])
def test_a_hypothesis_swells_no_later_prompt(form: str) -> None:
    long = "word " * 10_000
    reply = json.dumps({"hypothesis": long if form == "text" else [long, long]})
    answer = read_answer(reply, PROPOSAL)
    assert len(answer.hypothesis) == MAX_TEXT
    assert answer.hypothesis.startswith("word word")


# What is said of tokens and in which form


ODD_COUNTS: list[Any] = [-1, 10**9 + 1, 1e300, 1.5, "many", "nan", "inf", True, None, [], {}, 10**400]


@pytest.mark.parametrize(
    ("said", "read"),
    [*[(12, 12), (12.0, 12), ("12", 12), (0, 0), (10**9, 10**9)], *[(odd, None) for odd in ODD_COUNTS]],
    ids=str,
)
def test_tokens_that_can_not_be_are_unknown(said: Any, read: int | None) -> None:
    assert read_count(said) == read


@pytest.mark.parametrize("usage", ["none", 7, [], {"prompt_tokens": "a lot"}, {"prompt_tokens": {"text": 1}}], ids=str)
def test_odd_usage_costs_no_answer(usage: Any) -> None:
    body = {"choices": [{"message": {"content": "fine"}}], "usage": usage}
    assert read_completion(json.dumps(body)) == Reply(("fine",))


def test_a_text_may_come_in_parts() -> None:
    parts = [{"type": "text", "text": "fi"}, {"type": "image"}, "n", {"type": "text", "text": "e"}]
    assert read_completion(json.dumps({"choices": [{"message": {"content": parts}}]})).texts == ("fine",)


@pytest.mark.parametrize("charset", ["utf-16", "latin-1", "zlib", "rot13", "undefined", "nonsense"])
def test_json_is_read_as_utf_8_whatever_its_headers_say(charset: str) -> None:
    body = json.dumps(completion("fünf").body, ensure_ascii=False).encode()
    with Server(lambda _: Response(200, body, {"Content-Type": f"application/json; charset={charset}"})) as server:
        assert ask(server.base_url).texts == ("fünf",)


def test_a_redirection_to_nowhere_is_a_failure_like_others() -> None:
    for place in (
        "http://127.0.0.1:99999/v1",
        "ftp://127.0.0.1/v1",
        "javascript:1",
        "/v1/chat/completions",
    ):
        away = Response(307, b"", {"Location": place})
        with Server(lambda body, away=away: away) as server, pytest.raises(Outage, match="can't be reached"):  # type: ignore[misc]
            ask(server.base_url)


def test_a_byte_order_mark_spoils_no_answer_and_no_refusal() -> None:
    with Server(lambda body: Response(200, b"\xef\xbb\xbf" + json.dumps(ANSWER.body).encode())) as server:
        assert ask(server.base_url).texts == ("fine",)
    marked = b'\xef\xbb\xbf{"error": {"message": "No.", "code": "context_length_exceeded"}}'
    with Server(lambda body: Response(400, marked)) as server, pytest.raises(Refused, match=r"^No\.$"):
        ask(server.base_url)


def test_headers_beyond_ascii_spoil_no_answer_and_no_refusal() -> None:
    odd = {"X-Region": "Zürich", "Content-Type": "application/json; charset=ÿ"}
    with Server(lambda body: Response(200, ANSWER.body, odd)) as server:
        assert ask(server.base_url).texts == ("fine",)
    with (
        Server(lambda body: refusal(429, "slow down", headers={"Retry-After": "²"})) as server,
        pytest.raises(Outage, match="slow down"),
    ):
        ask(server.base_url)


# Money


def answers(
    server: Server, sampling: Sampling = ONE, budget: RunBudget | None = None, cache: AnswerFile | None = None
) -> list[ModelCall]:
    """The calls for one question."""
    notes: list[ModelCall] = []

    async def once() -> None:
        async with chat_with(server.base_url) as client:
            chat: Any = BudgetedChat(client, budget or RunBudget(), cost)
            chat = CachedChat(chat, cache) if cache else chat
            await TextModel("m", chat, sampling, PRICE, 1).answer(QUESTION, notes.append)

    with suppress(BudgetSpent):
        asyncio.run(once())
    return notes


def one_at_a_time(body: dict[str, Any]) -> Response:
    return refusal(400, "no", param="n") if "n" in body else completion("no answer", prompt="a prompt")


def test_single_samples_are_counted_kept_and_noted_one_by_one(tmp_path: Path) -> None:
    budget = RunBudget(max_calls=5)
    with Server(one_at_a_time) as server, closing(AnswerFile(tmp_path / "answers")) as cache:
        notes = answers(server, Sampling(completions=10), budget, cache)
        assert len(notes) == budget.calls == budget.paid == 5
        assert len(server.received) == 6, "the one with `n` was refused"
        assert [call.replies for call in notes] == [("no answer",)] * 5
        again = answers(server, Sampling(completions=10), RunBudget(max_calls=0), cache)
        assert again == [replace(call, cached=True) for call in notes]
        assert len(server.received) == 6


def test_the_first_valid_single_sample_ends_the_drawing() -> None:
    with Server(one_at_a_time) as server, pytest.raises(Unanswered):
        answers(server, Sampling(completions=2))
    assert len(server.received) == 1 + 2 * 4, "two samples for each of four tries"


def test_an_answer_of_unknown_cost_is_kept_though_it_ends_the_run(tmp_path: Path) -> None:
    with (
        Server(lambda body: completion("fine", usage=False)) as server,
        closing(AnswerFile(tmp_path / "answers")) as cache,
    ):
        assert len(answers(server, budget=RunBudget(max_cost=1), cache=cache)) == 1
        assert len(server.received) == 1
    with closing(sqlite3.connect(tmp_path / "answers")) as file:
        assert file.execute("SELECT count(*) FROM answers").fetchone() == (1,)


# Rate limits


def test_a_rate_limit_slows_all_requests_down_and_none_is_lost() -> None:
    window: list[float] = []

    def answer(body: dict[str, Any]) -> Response:
        now = time.monotonic()
        window[:] = [at for at in window if now - at < 0.2]
        if len(window) >= 5:
            return refusal(429, "slow down", headers={"retry-after-ms": "100"})
        window.append(now)
        return ANSWER

    async def together(server: Server) -> list[Reply]:
        async with chat_with(server.base_url, retries=50) as chat:
            return await asyncio.gather(*(chat.complete(REQUEST) for _ in range(30)))

    with Server(answer) as server:
        replies = asyncio.run(together(server))
        refused = len(server.received) - 30
    assert [reply.texts for reply in replies] == [("fine",)] * 30
    assert refused < 120, "without a pace it would be several hundred"
