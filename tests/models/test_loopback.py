from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from openai import APIConnectionError, AsyncOpenAI, BadRequestError, NotFoundError, RateLimitError
from openai.types.chat import ChatCompletion

from hm_agent.testing.endpoint import NAME, Endpoint, Response, completion, prompt_of, refusal
from hm_agent.testing.melting_pot.text_player import answer, play
from hm_agent.theory_of_mind.by_reward import HindsightAnswer, Outcome
from hm_agent.theory_of_mind.module import HypothesisAnswer
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import (
    ChoiceAnswer,
    CounterAnswer,
    InventoryAnswer,
    MindsAnswer,
)
from hm_agent.worlds.melting_pot.games.matrix.questions.plans import PlanAnswer
from hm_agent.worlds.melting_pot.games.matrix.questions.strategies import StrategyAnswer
from tests.worlds.melting_pot.games.test_prompts import EXAMPLES

GOLDEN = sorted((Path(__file__).parents[1] / "worlds/melting_pot/games/golden").glob("*.txt"))


def golden(name: str) -> str:
    return next(path.read_text("utf-8") for path in GOLDEN if path.stem == name)


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


def test_endpoint_keeps_what_it_received_in_order() -> None:
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


def test_answer_waits_for_the_delay_and_for_hanging() -> None:
    with Endpoint(lambda body: Response(200, completion("late").body, hang=0.1), delay=0.1) as endpoint:
        started = time.monotonic()
        assert text_of(ask_once(endpoint)) == "late"
    assert time.monotonic() - started >= 0.2


def test_dropped_connection_is_a_connection_error(capfd: pytest.CaptureFixture[str]) -> None:
    with Endpoint(lambda body: Response(drop=True)) as endpoint, pytest.raises(APIConnectionError):
        ask_once(endpoint)
    assert len(endpoint.received) == 1
    assert capfd.readouterr().err == ""


def test_requests_are_answered_side_by_side() -> None:
    together = threading.Barrier(5)

    def meet(body: dict[str, Any]) -> Response:
        together.wait(timeout=10)
        return echo(body)

    async def at_once(endpoint: Endpoint) -> list[str | None]:
        async with client_of(endpoint) as client:
            return [text_of(reply) for reply in await asyncio.gather(*(ask(client, str(n)) for n in range(5)))]

    with Endpoint(meet) as endpoint:
        assert asyncio.run(at_once(endpoint)) == ["0", "1", "2", "3", "4"]


def test_connection_is_kept_for_the_next_request() -> None:
    threads: list[threading.Thread] = []

    def note(body: dict[str, Any]) -> Response:
        threads.append(threading.current_thread())
        return echo(body)

    async def in_turn(endpoint: Endpoint) -> None:
        async with client_of(endpoint) as client:
            for _ in range(3):
                await ask(client)

    with Endpoint(note) as endpoint:
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


def test_closing_wakes_an_answer_that_hangs(capfd: pytest.CaptureFixture[str]) -> None:
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


def test_client_that_gives_up_makes_no_noise(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        Endpoint(lambda body: completion("x" * 5_000_000), delay=0.2) as endpoint,
        pytest.raises(APIConnectionError),
    ):
        ask_once(endpoint, timeout=0.05)
    assert capfd.readouterr().err == ""


def test_mistake_in_an_answer_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    with Endpoint(lambda body: completion(body["no such key"])) as endpoint, pytest.raises(APIConnectionError):
        ask_once(endpoint)
    assert "KeyError: 'no such key'" in capfd.readouterr().err


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_text_player_gives_valid_answers(path: Path) -> None:
    question = EXAMPLES[path.stem]
    reply = play(path.read_text("utf-8"))
    question.check(question.schema.model_validate_json(reply))
    assert set(json.loads(reply)) <= set(question.schema.model_fields)


def test_text_player_collects_what_is_missing_then_fires() -> None:
    subgoals = PlanAnswer.model_validate_json(play(golden("plan_subgoals"))).subgoals
    assert subgoals[:2] == ["move_to((9, 6), (9, 4))", "move_to((9, 4), (13, 5))"]
    assert [subgoal.partition("(")[0] for subgoal in subgoals] == [*4 * ["move_to"], "fire_at"]


def test_text_player_explores_where_nothing_is_known() -> None:
    assert PlanAnswer.model_validate_json(play(golden("plan_knowing_nothing"))).subgoals == ["move_to((1, 4), (1, 9))"]


def test_text_player_predicts_by_the_hypothesis_and_counters() -> None:
    reply = CounterAnswer.model_validate_json(play(golden("predict_and_counter")))
    assert (reply.other_next["scissors"], reply.own_next["rock"]) == (6, 6)


def test_text_player_heeds_a_clue_and_builds_on_what_it_holds() -> None:
    told = golden("predict_after_a_clue").replace("rock 2, scissors 1. You hold", "scissors 2. You hold")
    reply = CounterAnswer.model_validate_json(play(told))
    assert (reply.other_next["scissors"], reply.own_next) == (6, {"rock": 9, "paper": 4, "scissors": 1})


def test_text_player_seeks_those_whom_one_inventory_beats() -> None:
    reply = ChoiceAnswer.model_validate_json(play(golden("choose_opponents")))
    assert "player_4" in reply.seek
    assert len(reply.seek) < 4
    assert max(reply.own_next.values()) > 5


def test_text_player_infers_what_explains_the_reward() -> None:
    held = InventoryAnswer.model_validate_json(play(golden("infer_inventory"))).inventory
    assert 6.25 * (held["rock"] - held["scissors"]) / sum(held.values()) == pytest.approx(3.125)


def test_text_player_decides_what_to_hold_where_nobody_has() -> None:
    """It copies me by the interactions, or else goes on with scissors: rock beats that."""
    subgoals = PlanAnswer.model_validate_json(play(golden("plan_undecided"))).subgoals
    assert subgoals == ["move_to((9, 6), (8, 4))", "move_to((8, 4), (8, 3))", "move_to((8, 3), (15, 11))"]


def test_text_player_reads_every_mind_that_it_has_met() -> None:
    reply = MindsAnswer.model_validate_json(play(golden("read_many_minds")))
    assert {mind.player: mind.next for mind in reply.minds} == {"player_1": "scissors", "player_2": "scissors"}
    assert reply.seek == ["player_1", "player_2", "player_4"]
    assert reply.own_next == {"rock": 7, "paper": 2, "scissors": 1}


@pytest.mark.parametrize("made", ["make_strategy", "make_strategy_among_many"])
def test_text_player_follows_the_strategy_that_it_made(made: str) -> None:
    reply = StrategyAnswer.model_validate_json(play(golden(made)))
    followed = golden(made.replace("make", "follow"))
    own_words = next(line for line in followed.splitlines() if line.startswith("I "))
    same = ChoiceAnswer.model_validate_json(play(followed.replace(own_words, reply.strategy)))
    assert same.own_next == reply.own_next


@pytest.mark.parametrize(
    ("instead", "outcome"),
    [
        ("rock 1, paper 1, scissors 6", Outcome.POSITIVE),
        ("rock 1, paper 6, scissors 1", Outcome.NEUTRAL),
        ("rock 9, paper 1, scissors 1", Outcome.NEGATIVE),
    ],
)
def test_text_player_works_out_what_another_inventory_would_have_paid(instead: str, outcome: Outcome) -> None:
    prompt = golden("judge_strategy").replace("rock 1, paper 1, scissors 6 instead", f"{instead} instead")
    assert HindsightAnswer.model_validate_json(play(prompt)).outcome is outcome


def test_text_cook_goes_by_its_strategy_and_judges_by_the_work_that_is_done() -> None:
    named = golden("follow_cooking_strategy").replace("Keep all pots full.", "I am the one who loads pots.")
    assert json.loads(play(named))["role"] == "loads pots"
    judged = golden("judge_cooking_strategy")
    assert json.loads(play(judged))["outcome"] == "positive"
    assert json.loads(play(judged.replace("the one who serves soup", "the one who loads pots")))["outcome"] == "neutral"


def test_text_player_refuses_a_prompt_that_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="no prompt that is known"):
        play("Tell me a story.")


def test_text_player_answers_behind_an_endpoint() -> None:
    with Endpoint(answer) as endpoint:
        reply = ask_once(endpoint, golden("propose_first_hypothesis"), n=2)
    first, second = (HypothesisAnswer.model_validate_json(choice.message.content or "") for choice in reply.choices)
    assert first == second
    assert first.hypothesis == "It always plays paper."
