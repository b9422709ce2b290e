"""A language model in this process: it answers every kind of question in its form. `make test-local` runs these."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.experiment import Experiment
from hm_agent.models.answer_parsing import BadAnswer, read_answer
from hm_agent.models.chat import Message, Reply, Request, Sampling
from hm_agent.models.local import CONTEXT, LocalChat
from hm_agent.models.providers import ModelPool
from hm_agent.models.settings import ModelSettings
from hm_agent.pool.progress import Progress
from hm_agent.pool.run import run
from hm_agent.questions import Model, ModelCall, Question, answer_schema
from hm_agent.recording.result import read_result
from hm_agent.worlds.melting_pot.games import answers
from tests.worlds.enacttom.language.household_examples import HOUSE_EXAMPLES
from tests.worlds.exploretom.story_examples import STORY_EXAMPLES
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN_EXAMPLES, PLAN_COOKING, planned
from tests.worlds.melting_pot.games.matrix_examples import MATRIX_EXAMPLES
from tests.worlds.symmtom.language.language_examples import LANGUAGE_EXAMPLES

NAME = "local:smollm2"
EXAMPLES: Mapping[str, Question[Any]] = {**MATRIX_EXAMPLES, **KITCHEN_EXAMPLES}
OF_OTHER_WORLDS: Mapping[str, Question[Any]] = {**LANGUAGE_EXAMPLES, **STORY_EXAMPLES, **HOUSE_EXAMPLES}
ONE_OF_EACH_KIND = {type(one): name for name, one in [*OF_OTHER_WORLDS.items()][::-1]}.values()
BEYOND_A_SCHEMA = (r"\bcall ([2-9]|10), ", "named more than once", "needs words", "add up to 100", "then: 2 given")
"""What is wrong with the only answers that fit their schema and are refused all the same, as regular expressions."""


def request(question: Question[Any], prompt: str = "Answer in JSON.", seed: int = 7) -> Request:
    name = type(question).__name__
    return Request(NAME, (Message("user", prompt),), Sampling(), name, answer_schema(question), seed)


def problem_of(text: str, question: Question[Any]) -> str | None:
    try:
        read_answer(text, question)
    except BadAnswer as bad:
        return str(bad)
    return None


def replies(*requests: Request) -> list[Reply]:
    async def in_order() -> list[Reply]:
        chat = LocalChat(NAME)
        return [await chat.complete(one) for one in requests]

    return asyncio.run(in_order())


@asynccontextmanager
async def opened() -> AsyncIterator[Model]:
    pool = ModelPool(ModelSettings(NAME))
    pool.check([NAME])
    async with pool.model(NAME, 7, answers()) as model:
        yield model


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_reply_is_a_valid_answer_but_for_what_a_schema_can_not_say(name: str) -> None:
    (reply,) = replies(request(EXAMPLES[name]))
    assert reply.problem is None
    problem = problem_of(reply.texts[0], EXAMPLES[name])
    assert problem is None or any(re.search(reason, problem) for reason in BEYOND_A_SCHEMA), (problem, reply.texts)


def test_what_is_cancelled_ends_soon_and_leaves_the_next_reply_as_it_is() -> None:
    asked = request(next(iter(EXAMPLES.values())))

    async def cancel() -> None:
        endless = replace(asked, sampling=Sampling(completions=10_000))
        waiting = asyncio.ensure_future(LocalChat(NAME).complete(endless))
        await asyncio.sleep(2)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    before = replies(asked)
    asyncio.run(cancel())
    assert replies(asked) == before


@pytest.mark.parametrize("name", ONE_OF_EACH_KIND)
def test_every_reply_in_other_worlds_has_the_form_of_an_answer(name: str) -> None:
    schema = answer_schema(OF_OTHER_WORLDS[name])
    (reply,) = replies(request(OF_OTHER_WORLDS[name]))
    assert reply.problem is None
    answer = json.loads(reply.texts[0])
    assert answer.keys() == schema["properties"].keys()
    assert all(value in schema["properties"][key].get("enum", [value]) for key, value in answer.items())


@pytest.mark.parametrize("hands", [None, "tomato", "dish", "soup"])
def test_a_plan_in_the_kitchen_begins_with_what_the_hands_allow(hands: str | None) -> None:
    question = planned(PLAN_COOKING, hands=hands)
    for reply in replies(*(request(question, "Use the pot at (4, 2).", seed) for seed in range(3))):
        assert not re.search(r"\bcall 1, ", problem_of(reply.texts[0], question) or ""), reply.texts


def test_one_seed_gives_one_reply_whatever_was_asked_before() -> None:
    asked = request(EXAMPLES["propose_hypothesis"])
    first, _, again, other = replies(asked, request(EXAMPLES["choose_role"]), asked, replace(asked, seed=8))
    assert first == again
    assert first.texts != other.texts


def test_several_completions_are_several_samples() -> None:
    asked = replace(request(EXAMPLES["propose_hypothesis"]), sampling=Sampling(completions=2))
    (reply,) = replies(asked)
    assert len(set(reply.texts)) == 2


def test_a_prompt_that_does_not_fit_is_said_to_be_too_long() -> None:
    (reply,) = replies(request(EXAMPLES["choose_role"], "word " * 2 * CONTEXT))
    assert reply.texts == ()
    assert "does not fit" in (reply.problem or "")


def test_an_answer_that_is_cut_off_is_said_to_be() -> None:
    asked = replace(request(EXAMPLES["propose_hypothesis"]), sampling=Sampling(max_output_tokens=3))
    assert "cut off" in (replies(asked)[0].problem or "")


def test_a_question_is_answered_with_its_tokens_counted_and_for_free() -> None:
    async def ask() -> list[ModelCall]:
        calls: list[ModelCall] = []
        async with opened() as model:
            await model.answer(EXAMPLES["choose_role"], calls.append)
        return calls

    (call,) = asyncio.run(ask())
    assert (call.input_tokens or 0) > 100
    assert (call.output_tokens or 0) > 5
    assert call.cost == 0


def test_the_event_loop_goes_on_while_the_model_generates() -> None:
    async def longest_pause() -> float:
        waiting = asyncio.ensure_future(LocalChat(NAME).complete(request(EXAMPLES["read_minds"])))
        last, longest = time.monotonic(), 0.0
        while not waiting.done():
            await asyncio.sleep(0.01)
            last, longest = (now := time.monotonic()), max(longest, now - last)
        return longest

    replies(request(EXAMPLES["choose_role"]))  # loads the model
    started = time.monotonic()
    pause = asyncio.run(longest_pause())
    assert pause < (time.monotonic() - started) / 2


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_an_episode_is_played_with_it(tmp_path: Path, silence: Progress) -> None:
    options = {"bots": "scripted"}
    experiment = Experiment(
        find_scenarios(["rws_repeated_1"]), model=ModelSettings(NAME), out=tmp_path, options=options, max_steps=10
    )
    experiment.check()
    run(experiment, silence)
    (path,) = tmp_path.glob("*/*/*/*/result.json")
    found = read_result(path)
    assert found is not None
    assert (found.steps, found.model) == (10, NAME)
    assert found.questions > 0
    assert (path.parent / "replay.html").is_file()
