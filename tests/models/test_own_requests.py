"""What users add to each request, the sampling seed, and the environment's say in how an endpoint is reached."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hm_agent.config import ConfigError
from hm_agent.models.budget import RunBudget
from hm_agent.models.cache import request_text
from hm_agent.models.chat import Reply, Request, Sampling
from hm_agent.models.endpoint.completion_reading import read_completion
from hm_agent.models.endpoint.endpoint_settings import EndpointSettings
from hm_agent.models.endpoint.surroundings import check_surroundings, proxy_for
from hm_agent.models.provider_kinds import EndpointProvider
from hm_agent.models.settings import ModelSettings
from hm_agent.questions import ModelUnavailable
from hm_agent.testing.endpoint import Endpoint, Response, completion, refusal
from tests.models.loopback_client import REQUEST, chat_with

SECRET = "abcdef-0123456789"
HEADERS = {"X-Api-Key": f"Bearer {SECRET}", "X-Team": "opponents"}
JSON = '{"answer": "box"}'
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
VARIABLES = (
    *PROXIES,
    *map(str.lower, PROXIES),
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "SSLKEYLOGFILE",
    "OPENAI_CUSTOM_HEADERS",
)


def ask(answer: Callable[[dict[str, Any]], Response], *requests: Request) -> tuple[list[Reply], Endpoint]:
    async def in_order(url: str) -> list[Reply]:
        async with chat_with(url, headers=HEADERS) as chat:
            return [await chat.complete(request) for request in requests]

    with Endpoint(answer) as server:
        return asyncio.run(in_order(server.base_url)), server


def test_own_parameters_and_headers_are_sent_and_no_text_shows_a_headers_value() -> None:
    own = replace(REQUEST, sampling=Sampling(extra_body='{"top_k": 20, "seed": 5}'))
    (reply,), server = ask(lambda body: completion(f"Your key is {SECRET}, opponents."), own)
    (sent,) = server.received
    assert (sent.body["top_k"], sent.body["seed"], sent.headers["x-api-key"]) == (20, 5, f"Bearer {SECRET}")
    assert reply.texts == ("Your key is [key], opponents.",)
    with pytest.raises(ModelUnavailable, match=r"Bad key \[key\]\\x1b\[2J; see --api_key_env"):
        ask(lambda body: refusal(401, f"Bad key {SECRET}\x1b[2J."), own)
    for scheme in ("bearer", "BASIC ", "Token"):
        endpoint = EndpointSettings("http://h/v1", None, 1, 0, headers={"A": f"{scheme} {SECRET}"})
        assert endpoint.hide_secrets(f"not {SECRET}") == "not [key]"
    shown = repr(
        [EndpointSettings("http://h/v1", None, 1, 0, headers=HEADERS), ModelSettings(header=(f"A: {SECRET}",))]
    )
    assert SECRET not in shown


def test_own_headers_follow_no_redirection_to_another_server() -> None:
    with Endpoint(lambda body: completion("fine")) as other:
        away = Response(307, b"", {"Location": f"{other.base_url}/chat/completions"})
        (reply,), server = ask(lambda body: away, REQUEST)
    assert reply.texts == ("fine",)
    assert SECRET in repr(server.received)
    assert SECRET not in repr(other.received)


def test_headers_of_the_environment_are_hidden_and_follow_no_redirection(monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {"OPENAI_ORG_ID": "org-0123456789", "OPENAI_PROJECT_ID": "proj-0123456789"}
    for variable, value in {**secrets, "OPENAI_CUSTOM_HEADERS": f"X-Team : red\nX-Gate: Bearer {SECRET}"}.items():
        monkeypatch.setenv(variable, value)
    said = " ".join([SECRET, *secrets.values(), "red"])
    with Endpoint(lambda body: completion(said)) as other:
        away = Response(307, b"", {"Location": f"{other.base_url}/chat/completions"})
        (reply,), server = ask(lambda body: away, REQUEST)
    assert reply.texts == ("[key] [key] [key] red",)
    with pytest.raises(ModelUnavailable, match=r"Bad \[key\] \[key\] \[key\] red"):
        ask(lambda body: refusal(401, f"Bad {said}"), REQUEST)
    for value in (SECRET, *secrets.values()):
        assert value in repr(server.received)
        assert value not in repr(other.received)


def test_each_sample_has_a_seed_of_its_own_where_the_endpoint_takes_seeds() -> None:
    requests = [replace(REQUEST, seed=2**31 + 7, sample=sample) for sample in (0, 0, 1)]
    replies, server = ask(lambda body: completion("fine"), *requests)
    assert [reply.seed for reply in replies] == [received.body["seed"] for received in server.received] == [7, 7, 8]
    for words in ("Unknown parameter: seed", "Bad request."):
        refused = refusal(400, words)

        def answer(body: dict[str, Any], refused: Response = refused) -> Response:
            return refused if "seed" in body else completion("")

        replies, server = ask(answer, *requests)
        assert [reply.seed for reply in replies] == [None] * 3
        assert "response_format" in server.received[-1].body, "which was not to blame"


def test_own_parameters_are_part_of_the_caches_key_which_else_stays_as_it_was() -> None:
    own = replace(REQUEST, sampling=Sampling(extra_body='{"top_k":20}'))
    assert "extra_body" not in request_text(REQUEST)
    assert '{\\"top_k\\": 20}' in request_text(own)


def test_what_can_be_no_parameter_or_header_is_refused_without_showing_it() -> None:
    for given in ("top_k", "[1]", '{"model": "other"}'):
        with pytest.raises(ConfigError, match=r"^--extra_body"):
            Sampling(extra_body=given)
    for header in (SECRET, f"X Y: {SECRET}", f"X: {SECRET}\n"):
        settings = ModelSettings("m", "http://127.0.0.1:1/v1", header=("A: b", header + "\x01"))
        with pytest.raises(ConfigError, match=r"^--header: the 2\. of 2") as refused:
            EndpointProvider(settings, RunBudget(), None).check()
        assert SECRET not in str(refused.value)


# What a model has written elsewhere than in its answer


def text_of(message: Mapping[str, Any], finish: str = "stop") -> str:
    (text,) = read_completion(json.dumps({"choices": [{"message": message, "finish_reason": finish}]})).texts
    return text


def test_an_answer_in_another_place_is_read_and_anything_else_is_kept() -> None:
    call = {"function": {"name": "Answer", "arguments": JSON}}
    assert text_of({"content": None, "tool_calls": [call]}) == JSON
    given = {"function": {"name": "Answer", "arguments": json.loads(JSON)}}
    assert json.loads(text_of({"content": None, "tool_calls": [given]})) == json.loads(JSON)
    assert text_of({"content": None, "tool_calls": [call, 7, call], "function_call": {}}) == f"{JSON}\n{JSON}"
    assert text_of({"content": "", "reasoning_content": f"\n{JSON}"}).strip() == JSON
    assert text_of({"content": None, "reasoning": f"Maybe {JSON}, but"}, "length") == f"<think>\nMaybe {JSON}, but"
    assert text_of({"content": None, "refusal": "I won't."}) == "I won't."
    long = text_of({"content": "<think>" + "so " * 50_000})
    assert long.startswith("<think>"), "also where the beginning is not kept"


def test_a_draft_in_thinking_whose_opening_stands_in_the_prompt_is_marked_where_the_text_was_cut_off() -> None:
    draft = f"One could say {JSON} but no, that is"
    assert text_of({"content": draft}, "length") == f"<think>\n{draft}"
    answers = (f"{JSON} And th", f"```json\n{JSON}\n```\nAnd th", f"So: {JSON}\n\n", f"So.</think> I say {JSON} And th")
    for text in (*answers, f"<think>{draft}", f"So: {JSON[:-1]}"):
        assert text_of({"content": text}, "length") == text
    assert text_of({"content": draft}) == draft, "the model said all it had to say"


def test_an_answer_that_the_endpoint_itself_refuses_is_kept_and_read() -> None:
    """As Groq's, whose check of JSON is stricter than ours."""
    said = {"message": "Failed to generate JSON.", "code": "json_validate_failed", "failed_generation": JSON}
    (reply,), _ = ask(lambda body: Response(400, {"error": said}), REQUEST)
    assert (reply.texts, reply.problem) == ((JSON,), "Failed to generate JSON.")


# The environment


def test_proxies_and_certificates_are_checked_before_anything_is_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refused(url: str = "https://api.x.org/v1", **variables: str) -> str:
        with monkeypatch.context() as patched:
            for name in VARIABLES:
                patched.delenv(name, raising=False)
            for name, value in variables.items():
                patched.setenv(name, value)
            try:
                check_surroundings(url)
            except ConfigError as error:
                return str(error)
            return proxy_for(url) or ""

    (tmp_path / "empty.pem").touch()
    local, proxy = "http://127.0.0.1:8000/v1", "http://me:secret@proxy.x.org:3128"
    assert refused() == refused(local) == ""
    assert refused(HTTPS_PROXY=proxy) == "HTTPS_PROXY=http://proxy.x.org:3128"
    assert "HTTP_PROXY=http://proxy.x.org:3128 stands between" in refused(local, HTTP_PROXY=proxy)
    assert refused(local, HTTP_PROXY=proxy, NO_PROXY="localhost,127.0.0.1") == ""
    assert "HTTP_PROXY=localhost:8080" in refused(local, HTTP_PROXY="localhost:8080"), "may be meant"
    assert "no proxy" in refused(HTTPS_PROXY="ftp://proxy")
    assert "socksio" in refused(ALL_PROXY="socks5://proxy:1080")
    assert "SSL_CERT_FILE=/no/such.pem of the environment: No such file" in refused(SSL_CERT_FILE="/no/such.pem")
    assert "empty.pem of the environment: " in refused(SSL_CERT_FILE=str(tmp_path / "empty.pem"))
    os.mkfifo(tmp_path / "pipe")
    for variable in ("SSL_CERT_FILE", "SSLKEYLOGFILE"):
        assert f"{variable}={tmp_path}/pipe of the environment: it is no file" in refused(
            **{variable: str(tmp_path / "pipe")}
        )
    assert "SSLKEYLOGFILE=/no/such/log of the environment: No such file" in refused(SSLKEYLOGFILE="/no/such/log")
    assert refused(SSLKEYLOGFILE=str(tmp_path / "log")) == refused(OPENAI_CUSTOM_HEADERS="X-A: a\nX-B: b") == ""
    told = refused(OPENAI_CUSTOM_HEADERS=f"X-Key: {SECRET}\nX-B: ö")
    assert told == "OPENAI_CUSTOM_HEADERS of the environment has characters that no header can hold"
