"""Stories as a world: who reads them, how answers are counted, and what the command line refuses."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import suites
from hm_agent.catalogue.suite import Setting
from hm_agent.config import ConfigError
from hm_agent.models.prompts import render
from hm_agent.testing.episodes import SeatLog, play_out, set_up, settled
from hm_agent.worlds.exploretom.questions.story_questions import UNNAMED
from hm_agent.worlds.exploretom.random_stories.action_sets import ACTION_SETS
from hm_agent.worlds.exploretom.readers.readers import WEAK_RULES
from hm_agent.worlds.exploretom.readers.reading import AnswerFromPerspective, TakePerspective
from hm_agent.worlds.exploretom.world import READER, StoryWorld

SCENARIOS = tuple(f"exploretom_{name}" for name in ACTION_SETS)


def accuracy(scenario: str, agent: str, seed: int, **options: Setting) -> float:
    world, agents = set_up(find_scenarios([scenario])[0], agent, model=None, seed=0, **options)
    play_out(world, agents, seed=seed)
    return world.metrics()["accuracy"]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_reasoner_answers_everything_from_the_text_alone(scenario: str) -> None:
    for seed in range(5):
        assert accuracy(scenario, "reader", seed) == 1
    assert accuracy(scenario, "reader", 0, choices="free") == 1


@pytest.mark.parametrize("agent", ["reader_cot", "perspective"])
def test_other_readers_answer_with_the_reasoner(agent: str) -> None:
    assert accuracy("exploretom_a5_asymmetric", agent, 3) == 1


@cache
def shares(scenario: str, agent: str, stories: int = 30) -> dict[str, float]:
    """Right answers of all, by kind, over some stories."""
    counted: dict[str, list[float]] = {}
    for seed in range(stories):
        world, agents = set_up(find_scenarios([scenario])[0], agent)
        play_out(world, agents, seed=seed)
        for name, value in world.metrics().items():
            counted.setdefault(name, []).append(value)
    return {name: sum(values) / len(values) for name, values in counted.items()}


def test_each_weak_reader_fails_where_it_is_blind() -> None:
    assert shares("exploretom_a3", "reality").get("accuracy_false_belief") == 0
    assert shares("exploretom_a3", "reality")["accuracy_order_0"] == 1
    first_order = shares("exploretom_a8_asymmetric", "first_order")
    assert first_order["accuracy_order_1"] == 1 > first_order["accuracy_order_2"]
    assert shares("exploretom_a8", "no_distraction")["accuracy"] == 1
    assert shares("exploretom_a8_asymmetric", "no_distraction")["accuracy"] < 1
    assert shares("exploretom_a1", "last_mention")["accuracy_order_0"] < 1
    assert 0 < shares("exploretom_a1", "first_choice")["accuracy"] < 1


@pytest.mark.parametrize("agent", WEAK_RULES)
def test_weak_readers_answer_without_choices(agent: str) -> None:
    assert 0 < accuracy("exploretom_a6_asymmetric", agent, 1, choices="free") <= 1


def test_reward_and_metrics_count_right_answers() -> None:
    scenario = find_scenarios(["exploretom_a1"])[0]
    world = suites()["exploretom"].open(scenario, settled(scenario))
    assert isinstance(world, StoryWorld)
    turn = world.reset(1)
    rewards = []
    while not turn.is_over:
        turn = world.step({READER: "a word that means nothing" if turn.step == 0 else _right(world, turn.step)})
        rewards.append(turn.rewards[READER])
    metrics = world.metrics()
    assert rewards == [0.0, *[1.0] * (len(rewards) - 1)]
    assert metrics["accuracy"] == pytest.approx(1 - 1 / len(rewards))
    assert metrics["all_right"] == 0
    assert 0 < metrics["sets_right"] < 1
    assert metrics["questions"] == len(rewards)


def test_chance_counts_no_choice_that_is_never_right() -> None:
    scenario = find_scenarios(["exploretom_a1"])[0]
    world = suites()["exploretom"].open(scenario, settled(scenario))
    assert isinstance(world, StoryWorld)
    turn, lots = world.reset(1), Random(0)
    drawn = []
    while not turn.is_over:
        named = [choice for choice in world.questions[turn.step].choices if choice != UNNAMED]
        drawn.append(sum(lots.choice(named) == _right(world, turn.step) for _ in range(400)) / 400)
        turn = world.step({READER: named[0]})
    assert any(UNNAMED in question.choices for question in world.questions)
    assert world.metrics()["chance"] == pytest.approx(sum(drawn) / len(drawn), abs=0.02)


def test_an_answer_that_is_no_text_is_refused() -> None:
    scenario = find_scenarios(["exploretom_a1"])[0]
    world = suites()["exploretom"].open(scenario, settled(scenario))
    world.reset(0)
    with pytest.raises(ValueError, match=r"^3 is no answer: say it as text$"):
        world.step({READER: 3})


def _right(world: StoryWorld, step: int) -> str:
    return world.questions[step].answer


def test_number_of_questions_is_bounded() -> None:
    scenario = find_scenarios(["exploretom_a3"])[0]
    world, agents = set_up(scenario, "reader", questions="4")
    log = SeatLog(READER)
    play_out(world, agents, seed=2, recorders=[log])
    assert len(log.steps) == 4
    with pytest.raises(ConfigError, match="--questions=0: say how many, from 1, or all"):
        settled(scenario, questions="0")
    with pytest.raises(ConfigError, match="no such file"):
        settled(scenario, cast="/nowhere.toml")


def test_perspective_is_asked_once_a_person_and_holds_no_more() -> None:
    world, agents = set_up(find_scenarios(["exploretom_a8"])[0], "perspective")
    log = SeatLog(READER)
    play_out(world, agents, seed=1, recorders=[log])
    asked = [exchange.question for step in log.steps for exchange in step.decision.exchanges]
    taken = [question for question in asked if isinstance(question, TakePerspective)]
    assert len({question.person for question in taken}) == len(taken) > 1
    for question in asked:
        if isinstance(question, AnswerFromPerspective):
            (perspective,) = question.perspectives
            assert perspective in render(question)
            assert all(line in question.story for line in perspective.splitlines())
