"""Questions over a real HTTP server on loopback: what is sent back to the model, and what counts as an answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.models.answer_file import AnswerFile
from hm_agent.models.cache import CachedChat
from hm_agent.models.chat import Chat, Message, Reply, Request, Sampling
from hm_agent.models.prices import Price
from hm_agent.models.prompts import render, render_retry
from hm_agent.models.recorded import OtherQuestion, RecordedCall, RecordedModel, RecordedQuestion, prompt_hash
from hm_agent.models.text_model import RETRIES, TextModel
from hm_agent.models.transcript import Transcript
from hm_agent.questions import Exchange, Model, ModelCall, ModelUnavailable, Question, Unanswered, Usage, answer_schema
from hm_agent.testing.endpoint import Endpoint as Server
from hm_agent.testing.endpoint import Response, completion, prompt_of, refusal
from hm_agent.worlds.melting_pot.grid import Layout
from tests.models.loopback_client import chat_with, in_turn
from tests.worlds.melting_pot.games.matrix_examples import (
    HISTORY,
    PLAN,
    ROCK_PAPER_SCISSORS,
    against_one,
    planned,
    predict,
)
from tests.worlds.melting_pot.games.test_prompts import EXAMPLES

COUNTER = predict(against_one(ROCK_PAPER_SCISSORS, *HISTORY), Hypothesis("It always plays rock."))
WALLED = planned(PLAN, layout=Layout(23, 15, frozenset({(14, 4)})))
FORESEEN = '"player": "opponent", "next": [{"kind": "rock", "count": 6}]'
EXPECTS = '"expects": {"kind": "rock", "count": 6}'
GOOD_COUNTER = f'{{"reasoning": "Paper beats it.", {FORESEEN}, "strategy": {{{EXPECTS}, "hold": {{"paper": 6}}}}}}'
GOOD_PLAN = '{"reasoning": "", "calls": ["move_to((9, 4))", "fire_at((16, 9))"]}'
GOOD = {COUNTER: GOOD_COUNTER, WALLED: GOOD_PLAN}
PRICE = Price(input=1_000_000, output=2_000_000)
"""USD 1 for each token of input, 2 for each of output."""

BAD: dict[str, tuple[Question[Any], str, str]] = {
    "prose": (COUNTER, "I would collect paper.", "no answer found"),
    "broken_json": (COUNTER, '{"next": [{"kind": "rock",,}], "strategy": {}}', "not valid JSON"),
    "unknown_kind": (
        COUNTER,
        f'{{{FORESEEN}, "strategy": {{{EXPECTS}, "hold": {{"lizard": 6}}}}}}',
        "hold: unknown kind",
    ),
    "impossible_count": (
        COUNTER,
        f'{{{FORESEEN}, "strategy": {{{EXPECTS}, "hold": {{"rock": -1}}}}}}',
        "hold: rock -1 is not",
    ),
    "wall": (WALLED, '{"calls": ["move_to((9, 6), (14, 4))"]}', "(14, 4) is a wall"),
}


def ask(
    server: Server,
    *questions: Question[Any],
    price: Price | None = None,
    notes: list[ModelCall] | None = None,
    sampling: Sampling | None = None,
) -> list[BaseModel]:
    """The answers of one model to questions asked one after the other."""

    async def in_order() -> list[BaseModel]:
        async with chat_with(server.base_url) as chat:
            model = TextModel("some-model", chat, sampling or Sampling(), price, seed=7)
            noted = list[ModelCall]() if notes is None else notes
            return [await model.answer(question, noted.append) for question in questions]

    return asyncio.run(in_order())


def messages(server: Server, call: int) -> list[tuple[str, str]]:
    return [(turn["role"], turn["content"]) for turn in server.received[call].body["messages"]]


# What is asked


def test_every_question_starts_a_conversation_of_its_own() -> None:
    with Server(in_turn(completion("no"), completion(GOOD_COUNTER), completion(GOOD_PLAN))) as server:
        ask(server, COUNTER, WALLED)
    assert messages(server, 2) == [("user", render(WALLED))]


# What is sent back


@pytest.mark.parametrize("name", BAD)
def test_bad_answer_is_sent_back_with_what_is_wrong_and_a_good_one_counts(name: str) -> None:
    question, bad, problem = BAD[name]
    good = GOOD[question]
    with Server(in_turn(completion(bad), completion(good))) as server:
        assert ask(server, question) == [question.schema.model_validate_json(good)]
    first, second, third = messages(server, 1)
    assert [first, second] == [("user", render(question)), ("assistant", bad)]
    assert third[0] == "user"
    assert third[1].startswith("Your answer can't be used: ")
    assert problem in third[1].splitlines()[0]


def test_each_bad_answer_stays_in_the_conversation() -> None:
    texts = [BAD[name][1] for name in ("prose", "broken_json", "unknown_kind")]
    with Server(in_turn(*map(completion, texts), completion(GOOD_COUNTER))) as server:
        ask(server, COUNTER)
    assert [role for role, _ in messages(server, 3)] == ["user", "assistant"] * 3 + ["user"]
    assert [text for role, text in messages(server, 3) if role == "assistant"] == texts


def test_question_is_unanswered_after_the_last_bad_answer() -> None:
    texts = cycle(["no", '{"next": [{}]}'])
    with (
        Server(lambda body: completion(next(texts))) as server,
        pytest.raises(Unanswered, match=r"^some-model gave no valid answer to Predict: player: Field required; next"),
    ):
        ask(server, COUNTER)
    assert len(server.received) == 1 + RETRIES


def test_last_try_can_still_succeed() -> None:
    with Server(in_turn(*[completion("no")] * RETRIES, completion(GOOD_COUNTER))) as server:
        assert ask(server, COUNTER)


def plan(*calls: str) -> Response:
    return completion(json.dumps({"reasoning": "", "calls": calls}))


def test_usable_part_of_the_latest_answer_that_has_one_counts_after_the_last_try() -> None:
    question, notes = EXAMPLES["plan_cooking"], list[ModelCall]()
    tomato, other, pot = "interact((0, 1))", "interact((4, 3))", "interact((4, 2))"
    replies = plan(tomato, tomato), plan(tomato, other, pot, tomato), plan(pot), completion("no")
    with Server(in_turn(*replies)) as server:
        (answer,) = ask(server, question, notes=notes)
    assert answer.model_dump()["calls"] == [tomato, other]
    assert len(server.received) == 1 + RETRIES
    assert "call 3, interact((4, 2)): you would hold nothing then" in (notes[1].problem or "")
    assert all(call.problem for call in notes)


def test_usable_part_of_a_sample_counts_though_a_later_sample_has_none() -> None:
    tomato = "interact((0, 1))"
    usable = json.dumps({"reasoning": "", "calls": [tomato, tomato]})
    with Server(in_turn(completion(usable, "no"), completion("no"))) as server:
        (answer,) = ask(server, EXAMPLES["plan_cooking"], sampling=Sampling(completions=2))
    assert answer.model_dump()["calls"] == [tomato]


def test_usable_part_counts_where_the_conversation_grows_too_long() -> None:
    tomato, too_long = "interact((0, 1))", refusal(400, "Too long.", code="context_length_exceeded")
    with Server(in_turn(plan(tomato, tomato), too_long)) as server:
        (answer,) = ask(server, EXAMPLES["plan_cooking"])
    assert answer.model_dump()["calls"] == [tomato]
    assert len(server.received) == 2


def test_plan_without_a_usable_part_is_unanswered() -> None:
    replies = in_turn(plan("interact((4, 2))", "interact((0, 1))"))
    with Server(replies) as server, pytest.raises(Unanswered, match="call 1, "):
        ask(server, EXAMPLES["plan_cooking"])


def test_cut_off_answer_is_told_so() -> None:
    with Server(in_turn(completion(GOOD_COUNTER[:40], finish="length"), completion(GOOD_COUNTER))) as server:
        ask(server, COUNTER)
    assert messages(server, 1)[2] == ("user", render_retry("it was cut off at the token limit; be shorter"))


def test_answer_that_is_complete_counts_even_if_it_was_cut_off_after() -> None:
    with Server(in_turn(completion(f"{GOOD_COUNTER} And th", finish="length"))) as server:
        assert ask(server, COUNTER)
    assert len(server.received) == 1


@pytest.mark.parametrize("response", [completion(), completion("")], ids=["no_choice", "no_text"])
def test_empty_answer_is_told_so_and_never_sent_back_as_nothing(response: Response) -> None:
    with Server(in_turn(response, completion(GOOD_COUNTER))) as server:
        ask(server, COUNTER)
    assert messages(server, 1)[1:] == [("assistant", "(nothing)"), ("user", render_retry("it is empty"))]


def test_first_valid_completion_counts() -> None:
    other = GOOD_COUNTER.replace("Paper", "Scissors")
    with Server(in_turn(completion("no", GOOD_COUNTER, other))) as server:
        answers = ask(server, COUNTER, sampling=Sampling(completions=3))
    assert answers == [COUNTER.schema.model_validate_json(GOOD_COUNTER)]
    assert len(server.received) == 1


def test_last_of_several_bad_completions_is_sent_back() -> None:
    with Server(in_turn(completion("no", '{"next": [{}]}'), completion(GOOD_COUNTER))) as server:
        ask(server, COUNTER, sampling=Sampling(completions=2))
    assert messages(server, 1)[1] == ("assistant", '{"next": [{}]}')
    assert "strategy: Field required" in messages(server, 1)[2][1]


def test_conversation_that_grows_too_long_is_unanswered() -> None:
    too_long = refusal(400, "Too long.", code="context_length_exceeded")
    with Server(in_turn(completion("no"), too_long)) as server, pytest.raises(Unanswered, match="Too long"):
        ask(server, COUNTER)
    assert len(server.received) == 2


def test_endpoint_that_fails_is_unavailable_and_not_asked_again() -> None:
    with Server(in_turn(refusal(401, "no"))) as server, pytest.raises(ModelUnavailable):
        ask(server, COUNTER)
    assert len(server.received) == 1


# What is noted


def test_every_call_is_noted_with_its_cost() -> None:
    notes: list[ModelCall] = []
    first, second = completion("no", "neither", prompt="a prompt"), completion(GOOD_COUNTER, prompt="another prompt")
    with Server(in_turn(first, second)) as server:
        ask(server, COUNTER, price=PRICE, notes=notes)
    wrong, right = notes
    assert wrong.problem
    assert wrong.problem.startswith("no answer found")
    assert wrong == ModelCall(render(COUNTER), ("no", "neither"), wrong.problem, 2, 3, 8.0)
    tokens = len(GOOD_COUNTER) / 4
    assert right.prompt == render_retry(wrong.problem) == prompt_of(server.received[1].body)
    assert (right.replies, right.problem, right.input_tokens, right.cached) == ((GOOD_COUNTER,), None, 4, False)
    assert right.cost == 4 + 2 * (right.output_tokens or 0) == pytest.approx(4 + 2 * tokens, abs=2)


def test_cost_is_unknown_without_a_price_or_without_tokens() -> None:
    notes: list[ModelCall] = []
    with Server(in_turn(completion(GOOD_COUNTER))) as server:
        ask(server, COUNTER, notes=notes)
    with Server(in_turn(completion(GOOD_COUNTER, usage=False))) as server:
        ask(server, COUNTER, price=PRICE, notes=notes)
    assert [call.cost for call in notes] == [None, None]
    assert [call.input_tokens for call in notes] == [0, None]


# Any text at all


@dataclass
class Saying:
    """A chat that says what it was given, again and again, and keeps what it was asked."""

    replies: Sequence[Reply]
    asked: list[Request] = field(default_factory=list)

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return self.replies[(len(self.asked) - 1) % len(self.replies)]


ANSWERS = [
    GOOD_COUNTER,
    GOOD_PLAN,
    '{"reasoning": "", "inventory": {"rock": 3, "paper": 1, "scissors": 1}}',
    '{"reasoning": "", "hypothesis": "It always plays rock."}',
]
PARTS = [
    "{",
    "}",
    '"',
    "[",
    ",",
    "'",
    "\\",
    "\\ud800",
    "\ud800",
    "\x00",
    "```",
    "</think>",
    "null",
    "1e999",
    "NaN",
    "-9",
]
TEXTS = st.text(st.characters(), max_size=60) | st.lists(st.sampled_from(PARTS + ANSWERS), max_size=6).map("".join)


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """An answer with a piece of it replaced."""
    text = draw(st.sampled_from(ANSWERS))
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    return text[:start] + draw(TEXTS) + text[end:]


REPLIES = st.builds(
    Reply,
    st.lists(TEXTS | spoilt(), max_size=3).map(tuple),
    st.none() | st.just("it was cut off"),
    st.none() | st.just(1),
)


@hypothesis_settings(max_examples=60)
@given(st.sampled_from(sorted(EXAMPLES)), st.lists(REPLIES, min_size=1, max_size=4))
def test_nothing_but_a_valid_answer_comes_of_any_texts(name: str, replies: list[Reply]) -> None:
    question, chat, notes = EXAMPLES[name], Saying(replies), list[ModelCall]()
    model = TextModel("some-model", chat, Sampling(), PRICE, seed=7)
    try:
        answer = asyncio.run(model.answer(question, notes.append))
    except Unanswered:
        assert len(chat.asked) == 1 + RETRIES
        assert all(call.problem for call in notes)
    else:
        assert question.schema.model_validate_json(answer.model_dump_json()) == answer
        question.check(answer)
        is_part = bool(notes[-1].problem)
        assert [bool(call.problem) for call in notes] == [True] * (len(notes) - 1) + [is_part]
        assert len(notes) == 1 + RETRIES or not is_part
    said = [turn.content for turn in chat.asked[-1].messages if turn.role == "user"]
    assert all(content.encode() for content in said)
    assert len(notes) == len(chat.asked)


def test_requests_hold_all_that_decides_on_the_answer() -> None:
    chat, sampling = Saying([Reply((GOOD_COUNTER,))]), Sampling(0.3)
    asyncio.run(TextModel("some-model", chat, sampling, None, seed=7).answer(COUNTER))
    prompt = Message("user", render(COUNTER))
    assert chat.asked == [Request("some-model", (prompt,), sampling, "Predict", answer_schema(COUNTER), seed=7)]


# The bill


async def tell(model: Model, *questions: Question[Any]) -> None:
    for question in questions:
        try:
            await model.answer(question)
        except Unanswered:
            continue


def usage_of(chat: Chat, *questions: Question[Any]) -> tuple[Usage, Sequence[Exchange]]:
    transcript = Transcript(TextModel("some-model", chat, Sampling(), PRICE, seed=7))
    asyncio.run(tell(transcript, *questions))
    return transcript.usage, transcript.take()


def test_usage_adds_up_over_answered_and_unanswered_questions() -> None:
    bad, good = Reply(("no",), None, 10, 1), Reply((GOOD_COUNTER,), None, 20, 2)
    usage, exchanges = usage_of(Saying([bad, good, *[bad] * (1 + RETRIES), good]), COUNTER, COUNTER, COUNTER)
    assert usage == Usage(3, 1, calls=7, cached=0, input_tokens=90, output_tokens=9, cost=108.0)
    assert [len(exchange.calls) for exchange in exchanges] == [2, 4, 1]
    assert [exchange.answer is None for exchange in exchanges] == [False, True, False]


def test_usage_stays_unknown_once_a_call_s_is() -> None:
    known, unknown = Reply((GOOD_COUNTER,), None, 20, 2), Reply((GOOD_COUNTER,), None, 20, None)
    usage, _ = usage_of(Saying([known, unknown, known]), COUNTER, COUNTER, COUNTER)
    assert usage == Usage(3, 0, calls=3, cached=0, input_tokens=60, output_tokens=None, cost=None)


def test_usage_counts_calls_answered_from_a_record(tmp_path: Path) -> None:
    chat = Saying([Reply((GOOD_COUNTER,), None, 20, 2)])
    with closing(AnswerFile(tmp_path / "answers")) as record:
        usage, exchanges = usage_of(CachedChat(chat, record), COUNTER, COUNTER, COUNTER)
    assert usage == Usage(3, 0, calls=3, cached=2, input_tokens=60, output_tokens=6, cost=72.0, cached_cost=48.0)
    assert [exchange.calls[0].cached for exchange in exchanges] == [False, True, True]
    assert len(chat.asked) == 1


def test_usage_is_kept_of_an_endpoint_that_fails_under_way() -> None:
    async def until_it_fails(server: Server) -> Usage:
        async with chat_with(server.base_url) as chat:
            transcript = Transcript(TextModel("some-model", chat, Sampling(), PRICE, seed=7))
            with pytest.raises(ModelUnavailable):
                await transcript.answer(COUNTER)
            return transcript.usage

    with Server(in_turn(completion("no", prompt="a prompt"), refusal(401, "no"))) as server:
        usage = asyncio.run(until_it_fails(server))
    assert usage == Usage(1, 0, calls=1, cached=0, input_tokens=2, output_tokens=1, cost=4.0)


def test_a_record_answers_the_prompt_that_it_was_asked_and_no_other() -> None:
    def recorded(prompt: str) -> RecordedModel:
        calls = (RecordedCall(prompt_hash(prompt), (GOOD_COUNTER,)),)
        return RecordedModel("recorded", [RecordedQuestion(type(COUNTER).__name__, calls)], Sampling(), 0)

    assert asyncio.run(recorded(render(COUNTER)).answer(COUNTER)).player == "opponent"
    with pytest.raises(OtherQuestion, match="is another one than was answered"):
        asyncio.run(recorded(f"{render(COUNTER)} ").answer(COUNTER))
