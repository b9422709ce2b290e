"""The client of OpenAI-compatible endpoints, against a real HTTP server on loopback."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from hm_agent.models.chat import Message, Refused, Reply, Request, Sampling
from hm_agent.questions import ModelUnavailable, Question, answer_schema
from hm_agent.testing.endpoint import Answer, Response, completion, prompt_of, refusal
from hm_agent.testing.endpoint import Endpoint as Server
from tests.models.loopback_client import REQUEST, SCHEMA, chat_with, finished, in_turn
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN_EXAMPLES

WARM = replace(REQUEST, sampling=Sampling(temperature=0.1))
SHORT = replace(REQUEST, sampling=Sampling(max_output_tokens=50))
THREE = replace(REQUEST, sampling=Sampling(completions=3))
SOON = {"retry-after-ms": "1"}
"""Without it, the `openai` package waits half a second before it tries again."""
BAD_REQUEST = refusal(400, "Bad request.")
OF_SCHEMA = "json_object with a schema"
BOUNDED = {
    "type": "object",
    "properties": {
        "words": {"type": "string", "pattern": "^[a-z]{1,9}$"},
        "plan": {
            "type": "array",
            "prefixItems": [{"type": "string", "pattern": "^go$"}],
            "items": {"type": "string", "pattern": "^(go|stop)$"},
            "maxItems": 3,
        },
        "reasoning": {"type": "string", "maxLength": 99},
        "maxLength": {"type": "integer", "minimum": 1, "maximum": 3},
    },
    "required": ["words", "plan", "reasoning", "maxLength"],
    "additionalProperties": False,
}


def ask(base_url: str, *requests: Request, retries: int = 0, timeout: float = 20) -> list[Reply]:
    """The replies of one client to requests made one after the other."""

    async def in_order() -> list[Reply]:
        async with chat_with(base_url, timeout, retries) as chat:
            return [await chat.complete(request) for request in requests]

    return asyncio.run(in_order())


def ask_in_vain(answer: Response, why: str | None = None, *, retries: int = 0, timeout: float = 20) -> Server:
    """The server, which gives this answer alone; checks that the model then is unavailable. why: a pattern."""
    with Server(in_turn(answer)) as server, pytest.raises(ModelUnavailable, match=why):
        ask(server.base_url, REQUEST, retries=retries, timeout=timeout)
    return server


def ask_at_once(base_url: str, requests: Sequence[Request]) -> list[Reply]:
    async def together() -> list[Reply]:
        async with chat_with(base_url) as chat:
            return await asyncio.gather(*map(chat.complete, requests))

    return asyncio.run(together())


def refusing(parameter: str, refused: Response) -> Answer:
    return lambda body: refused if parameter in body else completion("fine")


def bodies(server: Server) -> list[dict[str, Any]]:
    return [received.body for received in server.received]


def form_of(body: dict[str, Any]) -> str | None:
    if "response_format" not in body:
        return None
    asked = body["response_format"]
    return f"{asked['type']} with a schema" if "schema" in asked else str(asked["type"])


# What is sent


def test_nothing_that_is_not_set_is_sent() -> None:
    with Server(lambda body: completion("fine")) as server:
        ask(server.base_url, REQUEST)
    assert set(bodies(server)[0]) == {"model", "messages", "response_format", "seed"}


def test_model_and_conversation_are_sent_as_they_are() -> None:
    turns = Message("user", "first"), Message("assistant", "reply"), Message("user", "äλ🙂\x00")
    with Server(lambda body: completion("fine")) as server:
        ask(server.base_url, replace(REQUEST, messages=turns))
    (body,) = bodies(server)
    assert body["model"] == "some-model"
    assert body["messages"] == [{"role": turn.role, "content": turn.content} for turn in turns]


def test_all_that_is_set_is_sent() -> None:
    sampling = Sampling(0.0, 0.9, max_output_tokens=50, completions=2, reasoning_effort="low")
    with Server(lambda body: completion("one", "two")) as server:
        ask(server.base_url, replace(REQUEST, sampling=sampling))
    sent = {name: value for name, value in bodies(server)[0].items() if name not in {"model", "messages"}}
    del sent["response_format"]
    given = {"temperature": 0.0, "top_p": 0.9, "max_tokens": 50, "n": 2, "reasoning_effort": "low"}
    assert sent == given | {"seed": 0}


def test_form_of_the_answer_is_sent_as_a_strict_schema() -> None:
    with Server(lambda body: completion("fine")) as server:
        ask(server.base_url, REQUEST)
    inner = {"name": "Answer", "strict": True, "schema": SCHEMA}
    assert bodies(server)[0]["response_format"] == {"type": "json_schema", "json_schema": inner}


# What an endpoint refuses

TEMPERATURE = "'temperature' does not support 0.1 with this model. Only the default (1) value is supported."
REFUSALS = {
    "openai": refusal(400, f"Unsupported value: {TEMPERATURE}", code="unsupported_value", param="temperature"),
    "named_in_the_message": refusal(400, f"Unsupported value: {TEMPERATURE}"),
    "flat": Response(400, {"object": "error", "message": "temperature must be 1", "param": None, "code": 400}),
    "path": refusal(422, "no", param="temperature.value"),
    "detail": Response(422, {"detail": [{"loc": ["body", "temperature"], "msg": "extra fields not permitted"}]}),
    "list_for_a_parameter": Response(400, {"error": {"message": "bad temperature", "param": ["body", "temperature"]}}),
    "text": Response(500, b"temperature is not supported", {"Content-Type": "text/plain"}),
}


@pytest.mark.parametrize("refused", REFUSALS.values(), ids=REFUSALS)
def test_refused_parameter_is_left_out_at_once_and_for_good(refused: Response) -> None:
    with Server(refusing("temperature", refused)) as server:
        replies = ask(server.base_url, WARM, WARM, WARM)
    assert [reply.texts for reply in replies] == [("fine",)] * 3
    assert ["temperature" in body for body in bodies(server)] == [True, False, False, False]
    assert {form_of(body) for body in bodies(server)} == {"json_schema"}


def test_refused_max_tokens_is_renamed() -> None:
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    refused = refusal(400, words, code="unsupported_parameter", param="max_tokens")
    with Server(refusing("max_tokens", refused)) as server:
        ask(server.base_url, SHORT, SHORT)
    assert [body.get("max_tokens") for body in bodies(server)] == [50, None, None]
    assert [body.get("max_completion_tokens") for body in bodies(server)] == [None, 50, 50]


def test_token_limit_is_left_out_where_both_names_are_refused() -> None:
    def refuse(body: dict[str, Any]) -> Response:
        named = next((name for name in ("max_tokens", "max_completion_tokens") if name in body), None)
        return refusal(400, f"Unknown parameter: {named}") if named else completion("fine")

    with Server(refuse) as server:
        assert ask(server.base_url, SHORT)[0].texts == ("fine",)
    assert len(bodies(server)) == 3


@pytest.mark.parametrize(
    ("accepted", "tried"),
    [
        ([OF_SCHEMA, "json_object", None], ["json_schema", OF_SCHEMA, OF_SCHEMA]),
        (["json_object", None], ["json_schema", OF_SCHEMA, "json_object", "json_object"]),
        ([None], ["json_schema", OF_SCHEMA, "json_object", None, None]),
    ],
)
@pytest.mark.parametrize(
    "refused",
    [
        refusal(400, "Invalid parameter: 'response_format' of this type is not supported.", param="response_format"),
        refusal(400, "Invalid schema", param="response_format.json_schema"),
        refusal(500, "failed to parse grammar"),
        BAD_REQUEST,
        Response(400, b"<html>Bad Request</html>", {"Content-Type": "text/html"}),
        Response(400, b"[1]"),
    ],
    ids=["param", "path", "grammar", "generic", "html", "list"],
)
def test_refused_form_gives_way_to_a_looser_one(
    accepted: list[str | None], tried: list[str | None], refused: Response
) -> None:
    with Server(lambda body: completion("fine") if form_of(body) in accepted else refused) as server:
        ask(server.base_url, REQUEST, REQUEST)
    assert [form_of(body) for body in bodies(server)] == tried


def schemas_sent(server: Server) -> list[dict[str, Any]]:
    """The properties of the schema in each request."""
    formats = [body["response_format"] for body in bodies(server)]
    schemas = [asked["schema"] if "schema" in asked else asked["json_schema"]["schema"] for asked in formats]
    return [schema["properties"] for schema in schemas]


@pytest.mark.parametrize(
    ("refused", "kept"),
    [
        ("prefixItems", {"pattern", "minimum", "maximum", "maxItems", "maxLength"}),
        ("maxLength", {"pattern", "minimum", "maximum", "maxItems"}),
        ("pattern", set()),
    ],
)
def test_bounds_that_an_endpoint_refuses_are_left_out_of_the_schema(refused: str, kept: set[str]) -> None:
    def refuse(body: dict[str, Any]) -> Response:
        fields = body["response_format"]["json_schema"]["schema"]["properties"].values()
        words = f"Invalid schema for response_format: '{refused}' is not permitted."
        return refusal(400, words) if any(refused in field for field in fields) else completion("fine")

    request = replace(REQUEST, schema=BOUNDED)
    with Server(refuse) as server:
        ask(server.base_url, request, request)
    first, *_, last = schemas_sent(server)
    assert first == BOUNDED["properties"]
    assert {name for field in last.values() for name in field} == {"type", "items"} | kept
    assert list(last) == list(first)
    assert {form_of(body) for body in bodies(server)} == {"json_schema"}


@pytest.mark.parametrize(
    "words", ["Invalid schema for response_format: 'prefixItems' is not permitted.", "Bad request."]
)
def test_first_items_with_a_form_of_their_own_are_given_up_for_good_where_an_endpoint_refuses_them(words: str) -> None:
    def refuse(body: dict[str, Any]) -> Response:
        return refusal(400, words) if "prefixItems" in json.dumps(body) else completion("fine")

    def properties(question: Question[Any]) -> Any:
        return json.loads(json.dumps(answer_schema(question)["properties"]))

    role, plan = (KITCHEN_EXAMPLES[name] for name in ("choose_role", "plan_cooking"))
    requests = [replace(REQUEST, schema=answer_schema(question)) for question in (role, plan, plan, role)]
    with Server(refuse) as server:
        ask(server.base_url, *requests)
    plain = properties(plan)
    del plain["calls"]["prefixItems"]
    assert schemas_sent(server) == [properties(role), properties(plan), plain, plain, properties(role)]


def test_server_of_llama_cpp_python_is_asked_in_its_own_form() -> None:
    detail = [{"type": "literal_error", "loc": ["body", "response_format", "type"], "msg": "Input should be 'text'"}]

    def refuse(body: dict[str, Any]) -> Response:
        is_known = body["response_format"]["type"] in ("text", "json_object")
        return completion("fine") if is_known else Response(422, {"detail": detail})

    request = replace(REQUEST, schema=BOUNDED)
    with Server(refuse) as server:
        ask(server.base_url, request, request)
    assert [form_of(body) for body in bodies(server)] == ["json_schema"] * 4 + [OF_SCHEMA] * 2
    listed = {"type": "integer", "enum": [1, 2, 3]}
    assert schemas_sent(server)[-1] == BOUNDED["properties"] | {"maxLength": listed}  # type: ignore[operator]


def test_endpoint_that_refuses_everything_is_given_up() -> None:
    server = ask_in_vain(BAD_REQUEST, r"^127\.0\.0\.1:.* Bad request")
    forms = ["json_schema", OF_SCHEMA, "json_object", None]
    assert [form_of(body) for body in bodies(server)] == 2 * forms, "with the seed, and without it"


def test_generic_refusal_is_not_blamed_on_a_form_that_was_understood_before() -> None:
    with Server(in_turn(completion("fine"), BAD_REQUEST)) as server, pytest.raises(Refused, match=r"^Bad request\.$"):
        ask(server.base_url, REQUEST, REQUEST)
    assert len(bodies(server)) == 2


def test_several_refusals_are_learnt_one_after_the_other() -> None:
    def refuse(body: dict[str, Any]) -> Response:
        named = next((name for name in ("top_p", "temperature", "reasoning_effort") if name in body), None)
        return refusal(400, f"Unsupported: {named}") if named else completion("fine")

    request = replace(REQUEST, sampling=Sampling(0.1, 0.9, reasoning_effort="low"))
    with Server(refuse) as server:
        ask(server.base_url, request, request)
    assert len(bodies(server)) == 5


@pytest.mark.parametrize("refused", [BAD_REQUEST, refusal(400, "no", param="response_format")])
def test_all_requests_that_are_refused_at_once_are_served(refused: Response) -> None:
    together = threading.Barrier(8)

    def refuse(body: dict[str, Any]) -> Response:
        if form_of(body) == "json_schema":
            together.wait(timeout=10)
            return refused
        return completion(prompt_of(body))

    requests = [replace(REQUEST, messages=(Message("user", str(n)),)) for n in range(8)]
    with Server(refuse) as server:
        replies = ask_at_once(server.base_url, requests)
    assert [reply.texts for reply in replies] == [(str(n),) for n in range(8)]
    assert [form_of(body) for body in bodies(server)].count(OF_SCHEMA) == 8


def test_refusal_that_comes_after_another_request_has_succeeded_is_still_learnt_from() -> None:
    first, served = threading.Lock(), threading.Event()

    def refuse(body: dict[str, Any]) -> Response:
        if form_of(body) != "json_schema":
            served.set()
            return completion("fine")
        if first.acquire(blocking=False):
            return BAD_REQUEST
        assert served.wait(timeout=10)
        return replace(BAD_REQUEST, hang=0.1)

    with Server(refuse) as server:
        replies = ask_at_once(server.base_url, [REQUEST, REQUEST])
    assert [reply.texts for reply in replies] == [("fine",), ("fine",)]


# Several completions


@pytest.mark.parametrize(
    "refused",
    [
        refusal(400, "Unsupported value", code="unsupported_value", param="n"),
        refusal(400, "'n' must be 1"),
        refusal(400, "Only one completion choice is allowed: n > 1 is not supported"),
    ],
    ids=["param", "named", "condition"],
)
def test_reply_says_so_where_n_is_refused(refused: Response) -> None:
    with Server(lambda body: refused if body.get("n", 1) > 1 else completion("four", prompt="a prompt")) as server:
        first, second = ask(server.base_url, THREE, THREE)
    reply = Reply(("four",), None, input_tokens=2, output_tokens=1, is_single=True, served="loopback", seed=0)
    assert first == second == reply
    assert [body.get("n") for body in bodies(server)] == [3, None, None]


def test_fewer_completions_than_asked_for_are_enough() -> None:
    with Server(lambda body: completion("one")) as server:
        assert ask(server.base_url, THREE)[0].texts == ("one",)
    assert len(bodies(server)) == 1


# Failures that pass, and failures that stay


@pytest.mark.parametrize("headers", [{"Retry-After": "0.05"}, {"retry-after-ms": "50"}])
def test_rate_limit_is_waited_for_as_told(headers: dict[str, str]) -> None:
    limited = refusal(429, "Slow down.", code="rate_limit_exceeded", headers=headers)
    with Server(in_turn(limited, completion("fine"))) as server:
        started = time.monotonic()
        assert ask(server.base_url, REQUEST, retries=1)[0].texts == ("fine",)
    assert time.monotonic() - started >= 0.05
    assert bodies(server)[0] == bodies(server)[1]


def test_rate_limit_for_ever_is_unavailable() -> None:
    server = ask_in_vain(refusal(429, "Slow down.", headers=SOON), "Slow down", retries=2)
    assert len(bodies(server)) == 3


@pytest.mark.parametrize("status", [500, 502, 503])
def test_failure_of_the_server_is_tried_again_with_the_same_request(status: int) -> None:
    with Server(in_turn(refusal(status, "Oops.", headers=SOON), completion("fine"))) as server:
        assert ask(server.base_url, WARM, retries=1)[0].texts == ("fine",)
    assert bodies(server)[0] == bodies(server)[1]


def test_overload_for_ever_is_not_blamed_on_the_form() -> None:
    server = ask_in_vain(refusal(503, "Overloaded.", headers=SOON), "Overloaded", retries=1)
    assert [form_of(body) for body in bodies(server)] == ["json_schema"] * 2


def test_endpoint_that_does_not_answer_in_time_is_unavailable() -> None:
    started = time.monotonic()
    server = ask_in_vain(Response(hang=1000), r"did not answer within 0\.2 s", timeout=0.2)
    assert time.monotonic() - started < 5
    assert len(bodies(server)) == 1


def test_late_answer_is_asked_for_again() -> None:
    with Server(in_turn(Response(hang=1000), completion("fine"))) as server:
        assert ask(server.base_url, REQUEST, timeout=1, retries=1)[0].texts == ("fine",)


def test_dropped_connection_is_made_again() -> None:
    with Server(in_turn(Response(drop=True), completion("fine"))) as server:
        assert ask(server.base_url, REQUEST, retries=1)[0].texts == ("fine",)


def test_connection_that_is_always_dropped_is_unavailable() -> None:
    ask_in_vain(Response(drop=True), "can't be reached")


def test_port_where_nobody_listens_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = "{}:{}".format(*free.getsockname())
        with pytest.raises(ModelUnavailable, match=f"^{host} can't be reached"):
            ask(f"http://{host}/v1", REQUEST)


@pytest.mark.parametrize("status", [401, 403])
def test_refused_key_names_the_flag_and_is_not_tried_again(status: int) -> None:
    why = r"Incorrect API key.*--api_key_env"
    server = ask_in_vain(refusal(status, "Incorrect API key provided."), why, retries=3)
    assert len(bodies(server)) == 1


def test_refusal_without_a_word_is_told_as_such() -> None:
    for status, words in ((403, r"403\): it gives no reason$"), (404, r"404\): it gives no reason; see --base_url")):
        with Server(in_turn(Response(status, b""))) as server, pytest.raises(ModelUnavailable, match=words):
            ask(server.base_url, REQUEST)


def test_page_instead_of_an_error_is_passed_on_in_part() -> None:
    page = Response(404, b"<html>not here" + b"." * 100_000, {"Content-Type": "text/html"})
    with (
        Server(in_turn(page)) as server,
        pytest.raises(ModelUnavailable, match=r"404\): <html>not here") as unavailable,
    ):
        ask(server.base_url, REQUEST)
    assert len(str(unavailable.value)) < 1000


def test_wrong_path_is_unavailable() -> None:
    with Server(in_turn(completion("fine"))) as server, pytest.raises(ModelUnavailable, match="404"):
        ask(f"{server.base_url}/else", REQUEST)


NO_COMPLETIONS = {
    "empty": Response(body=b""),
    "html": Response(body=b"<html>hello</html>", headers={"Content-Type": "text/html"}),
    "cut_off": Response(body=b'{"choices": [{"mess'),
    "list": Response(body=b"[1]"),
    "other_form": Response(body={"result": "fine"}),
    "error_with_status_200": Response(body={"error": {"message": "Provider returned error", "code": 502}}),
    "null_choices": Response(body={"choices": None}),
    "choice_of_another_form": Response(body={"choices": [1]}),
    "choice_without_message": Response(body={"choices": [{}]}),
    "not_unicode": Response(body=b'{"choices": "\xff"}'),
    "nested_deeply": Response(body=b"[" * 200_000),
    "not_compressed": Response(body=b"fine", headers={"Content-Encoding": "gzip", **SOON}),
}


@pytest.mark.parametrize("body", [body for name, body in NO_COMPLETIONS.items() if name != "not_compressed"])
def test_answer_that_is_no_completion_is_asked_for_again(body: Response) -> None:
    with Server(in_turn(body, completion("fine"))) as server:
        assert ask(server.base_url, REQUEST, retries=1)[0].texts == ("fine",)


@pytest.mark.parametrize("name", NO_COMPLETIONS)
def test_answers_that_never_are_completions_are_unavailable(name: str) -> None:
    assert len(bodies(ask_in_vain(NO_COMPLETIONS[name]))) == 1


def test_other_answers_than_completions_put_the_base_url_in_question() -> None:
    assert len(bodies(ask_in_vain(Response(body={"result": 1}), "--base_url", retries=2))) == 3


# What the endpoint itself says of a completion


@pytest.mark.parametrize(
    ("response", "problem"),
    [
        (finished("stop", content="fine"), None),
        (finished(None, content="fine"), None),
        (finished("length", content="cut o"), "it was cut off at the token limit; be shorter"),
        (finished("length", content=None), "it was cut off at the token limit; be shorter"),
        (finished("content_filter", content=""), "it was withheld"),
        (finished("stop", content=None, refusal="I won't."), "it is a refusal"),
        (finished("stop", content=None), "it is empty"),
        (finished("stop", content=""), "it is empty"),
        (finished("tool_calls"), "it is empty"),
    ],
)
def test_problem_of_a_completion_is_told(response: Response, problem: str | None) -> None:
    with Server(in_turn(response)) as server:
        (reply,) = ask(server.base_url, REQUEST)
    assert (reply.problem, len(reply.texts)) == (problem, 1)


def test_reply_without_choices_is_empty_and_not_asked_for_twice() -> None:
    with Server(in_turn(completion())) as server:
        (reply,) = ask(server.base_url, REQUEST)
    assert (reply.texts, reply.problem) == ((), "it is empty")
    assert len(bodies(server)) == 1


@pytest.mark.parametrize("usage", [{}, {"usage": None}, {"usage": {}}, {"usage": {"prompt_tokens": None}}])
def test_tokens_are_unknown_where_usage_is_missing(usage: dict[str, Any]) -> None:
    choices = [{"message": {"content": "fine"}, "finish_reason": "stop"}]
    with Server(in_turn(Response(body={"choices": choices, **usage}))) as server:
        (reply,) = ask(server.base_url, REQUEST)
    assert (reply.texts, reply.input_tokens, reply.output_tokens) == (("fine",), None, None)


def test_half_an_emoji_can_be_sent_back() -> None:
    with Server(in_turn(completion("cut \ud83d", finish="length"))) as server:
        (reply,) = ask(server.base_url, REQUEST)
        ask(server.base_url, replace(REQUEST, messages=(Message("assistant", reply.texts[0]), *REQUEST.messages)))
    assert reply.texts == ("cut ?",)
