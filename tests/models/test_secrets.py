"""The key: it goes to the endpoint, in one header, and appears nowhere else, whatever the endpoint does with it."""

from __future__ import annotations

import asyncio
import logging
import socket
import traceback
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from hm_agent.config import ConfigError
from hm_agent.models.budget import RunBudget
from hm_agent.models.endpoint.endpoint_settings import EndpointSettings
from hm_agent.models.endpoint.openai_chat import OpenAIChat
from hm_agent.models.endpoint.parameter_support import ParameterSupport
from hm_agent.models.provider_kinds import EndpointProvider
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import ModelSettings
from hm_agent.models.transcript import Transcript
from hm_agent.questions import ModelCall, ModelUnavailable, Unanswered
from hm_agent.testing.endpoint import Endpoint as Server
from hm_agent.testing.endpoint import Response, completion, refusal
from tests.models.loopback_client import finished
from tests.worlds.melting_pot.games.matrix_examples import against_one, predict
from tests.worlds.melting_pot.games.test_prompts import RULES

NAME = "some-model"
KEY = "sk-test-0123456789abcdef"
VARIABLE = "KEY_OF_A_TEST"
QUESTION = predict(against_one(RULES, step=0))
ANSWER = (
    '{"reasoning": "%s", "player": "opponent", "next": [{"kind": "rock", "count": 6}], '
    '"strategy": {"expects": {"kind": "rock", "count": 6}, "hold": {"scissors": 6, "%s": 2}}}'
)
LOGGERS = ("openai", "httpx2")
"""What lies below them, httpcore2, logs whatever an endpoint sends in its headers, at DEBUG."""


def echo(status: int, **more: Any) -> Response:
    return refusal(status, f"Incorrect API key provided: {KEY}.", headers={"retry-after-ms": "1"}, **more)


ECHOES = {
    "valid_answer": completion(ANSWER % (KEY, "paper")),
    "invalid_answer": completion(ANSWER % ("", KEY)),
    "broken_answer": completion(f'{{"next": {KEY}'),
    "prose": completion(f"Your key is {KEY}."),
    "finish": finished(KEY, content="no"),
    "refusal": finished("stop", content=None, refusal=f"I won't take {KEY}."),
    "other_form": Response(body={"error": KEY}),
    "html": Response(body=f"<html>{KEY}</html>".encode()),
    "header": Response(200, completion(ANSWER % ("", "paper")).body, {"X-Echo": KEY}),
    "too_long": echo(400, code="context_length_exceeded"),
    "400": echo(400),
    "400_parameter": echo(400, param=KEY, code=KEY),
    "400_text": Response(400, f"Bad key {KEY}".encode(), {"Content-Type": "text/plain"}),
    "400_long_text": Response(400, ("." * 460 + KEY * 9).encode(), {"Content-Type": "text/plain"}),
    "401": echo(401),
    "404": echo(404),
    "422_detail": Response(422, {"detail": [{"input": KEY}]}),
    "429": echo(429),
    "500": echo(500),
    "500_header": Response(500, b"", {"X-Echo": KEY, "retry-after-ms": "1"}),
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture(autouse=True)
def talkative(caplog: pytest.LogCaptureFixture) -> None:
    for name in LOGGERS:
        caplog.set_level(logging.DEBUG, logger=name)


def settings(base_url: str, cache: Path | None = None) -> ModelSettings:
    return ModelSettings(NAME, base_url, VARIABLE, timeout=20, retries=0, cache=cache)


def traces(base_url: str, cache: Path) -> Iterator[str]:
    """All that remains of asking a question: what is raised, noted, represented and kept."""
    calls: list[ModelCall] = []

    async def ask(models: ModelPool) -> str:
        async with models.model(NAME, 7, {}) as model:
            transcript = Transcript(model)
            try:
                return repr(await transcript.answer(QUESTION, calls.append))
            finally:
                calls.extend(call for exchange in transcript.take() for call in exchange.calls)

    budget = RunBudget()
    with closing(ModelPool(settings(base_url, cache), budget)) as models:
        models.check([NAME])
        try:
            yield asyncio.run(ask(models))
        except (Unanswered, ModelUnavailable) as error:
            yield from (str(error), repr(error), *traceback.format_exception(error))
        yield repr((calls, models, budget))
        # Before it is closed, so that what is not yet in the file itself is there to be read.
        yield from (path.read_bytes().decode("latin-1") for path in cache.parent.iterdir())


@pytest.mark.parametrize("name", ECHOES)
def test_key_that_an_endpoint_gives_back_appears_nowhere(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with Server(lambda body: ECHOES[name]) as server:
        remains = [*traces(server.base_url, tmp_path / "answers")]
    assert len(remains) >= 3
    for text in (*remains, *capfd.readouterr(), *map(repr, (request.body for request in server.received))):
        assert KEY not in text
        assert KEY[:-4] not in text
    assert {record.name.partition(".")[0] for record in caplog.records} == set(LOGGERS)
    assert not any(KEY in f"{record.getMessage()} {record.__dict__}" for record in caplog.records)


def test_key_is_sent_in_one_header_only(tmp_path: Path) -> None:
    with Server(lambda body: completion("no")) as server:
        list(traces(server.base_url, tmp_path / "answers"))
    assert server.received
    for request in server.received:
        assert [name for name, value in request.headers.items() if KEY in value] == ["authorization"]
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert KEY not in repr(request.body)


def test_answer_is_kept_with_a_mark_where_the_key_was(tmp_path: Path) -> None:
    with Server(lambda body: ECHOES["valid_answer"]) as server:
        answer, *_, kept = traces(server.base_url, tmp_path / "answers")
    assert "reasoning='[key]'" in answer
    assert any("[key]" in path.read_bytes().decode("latin-1") for path in tmp_path.iterdir()), kept


def test_key_is_hidden_however_it_is_escaped() -> None:
    endpoint = EndpointSettings(None, KEY, timeout=1, retries=0)
    forms = {
        "in a URL": "".join(f"%{ord(sign):02X}" for sign in KEY),
        "in a URL, partly": KEY.replace("-", "%2d"),
        "in a URL, twice": KEY.replace("-", "%252D"),
        "in JSON": KEY.replace("s", r"\u0073").replace("a", r"\u0061"),
        "in JSON of JSON": "".join(rf"\\u{ord(sign):04X}" for sign in KEY),
        "in a string of Python": KEY.replace("k", r"\x6b"),
        "in HTML": KEY.replace("-", "&#45;").replace("t", "&#x74;"),
        "in a shell": KEY.replace("-", r"\-"),
    }
    hidden = {name: endpoint.hide_secrets(f"no {form}, %2D") for name, form in forms.items()}
    assert hidden == dict.fromkeys(forms, "no [key], %2D")


def test_key_does_not_follow_a_redirection_to_another_server(tmp_path: Path) -> None:
    with Server(lambda body: completion("no")) as other:
        away = Response(307, b"", {"Location": f"{other.base_url}/chat/completions"})
        with Server(lambda body: away) as server:
            list(traces(server.base_url, tmp_path / "answers"))
    assert not any(KEY in repr(request) for request in other.received)


def test_key_does_not_appear_where_nobody_answers(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = "http://{}:{}/v1".format(*free.getsockname())
        assert not any(KEY in text for text in traces(url, tmp_path / "answers"))


def test_without_a_key_a_server_of_one_s_own_gets_none_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server(lambda body: completion("no")) as server:
        list(traces(server.base_url, tmp_path / "answers"))
    assert server.received
    assert not any(KEY in repr(request) for request in server.received)


@pytest.mark.parametrize(
    "key", ["sk-test\n0123456789", "sk-test\r0123456789", "sk-test-é0123456789", "sk-test-\x010123456789"]
)
def test_key_that_no_header_can_hold_is_refused_without_showing_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, key)
    with pytest.raises(ConfigError, match=f"^--api_key_env={VARIABLE}: ") as refused:
        EndpointProvider(settings("http://127.0.0.1:1/v1"), RunBudget(), None).check()
    assert not any(part in "".join(traceback.format_exception(refused.value)) for part in ("0123", "sk-test"))


def test_missing_key_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, " \n")
    with pytest.raises(ConfigError, match=VARIABLE):
        EndpointProvider(ModelSettings(NAME, api_key_env=VARIABLE), RunBudget(), None).check()


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8000", "me:password@host/v1", "http://", "ftp://me:password@host", "http://[x", "http://h:99999"],
)
def test_url_that_is_none_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError, match=r"^--base_url ") as refused:
        EndpointProvider(settings(url), RunBudget(), None).check()
    assert "password" not in str(refused.value)


@pytest.mark.parametrize("response", [echo(401), echo(404), Response(body=b"no"), Response(drop=True)])
def test_password_in_the_url_appears_in_no_message(response: Response, tmp_path: Path) -> None:
    with Server(lambda body: response) as server:
        url = server.base_url.replace("://", "://me:password@")
        assert not any("password" in text for text in traces(url, tmp_path / "answers"))


def test_password_that_an_endpoint_gives_back_is_hidden(tmp_path: Path) -> None:
    sent: list[str] = []

    def echo_all(body: dict[str, Any]) -> Response:
        sent[:] = [server.received[-1].headers["authorization"]]
        return completion(f"{sent} is me:pass-word%0123")

    with Server(echo_all) as server:
        url = server.base_url.replace("://", "://me:pass-word%250123@")
        remains = [*traces(url, tmp_path / "answers")]
    assert sent[0].startswith("Basic ")
    assert not any(secret in text for text in remains for secret in ("pass-word", sent[0].removeprefix("Basic ")))


def test_representations_do_not_show_the_key() -> None:
    endpoint = EndpointSettings("http://127.0.0.1:1/v1", KEY, 1.0, 0)
    provider = EndpointProvider(settings("http://127.0.0.1:1/v1"), RunBudget(), None)
    shown = [endpoint, OpenAIChat(endpoint, ParameterSupport()), provider, provider.model(7, {})]
    assert KEY not in repr(shown)
    assert "127.0.0.1" in repr(endpoint)


def test_word_in_the_place_of_a_key_stays_in_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, "EMPTY")
    with Server(lambda body: completion(ANSWER % ("The map is EMPTY.", "paper"))) as server:
        answer, *_ = traces(server.base_url, tmp_path / "answers")
    assert "The map is EMPTY." in answer
