"""Hypothetical Minds as a reader: what it asks, and how answers score its hypotheses."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from math import log
from statistics import mean

import pytest

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.core import Decision, Observation
from hm_agent.questions import Model
from hm_agent.testing.episodes import SeatLog, play_out, set_up
from hm_agent.testing.scripted_model import ScriptedModel, each
from hm_agent.theory_of_mind.calculating import Calculator
from hm_agent.theory_of_mind.hypotheses import TABLE_2
from hm_agent.theory_of_mind.module import TheoryOfMind
from hm_agent.theory_of_mind.predictions import LOG_LOSS, PREDICTED, RIGHT
from hm_agent.worlds.exploretom.questions.functional import person_asked_about
from hm_agent.worlds.exploretom.readers.hypothesis_reader import HypothesisReader, StoryMind
from hm_agent.worlds.exploretom.readers.reading import (
    AnswerFromPerspective,
    AnswerQuestion,
    AnswersInOrder,
    ChosenAnswer,
    LikelyAnswer,
    Perspective,
    StoryAnswer,
    TakePerspective,
    WeighAnswers,
    WeighedAnswers,
)
from hm_agent.worlds.exploretom.world import READER, StoryView, StoryWorld
from tests.worlds.exploretom.story_examples import FALSE_BELIEF

BETH = "In which container will Beth search for the apple?"
NOW = "In which container is the apple now?"
BAD, GOOD = "Beth saw everything.", "Beth saw the apple go into the box."


def hypothetical_minds(mind: StoryMind, model: Model) -> TheoryOfMind:
    return TheoryOfMind(mind, model, TABLE_2)


def model() -> ScriptedModel:
    """Takes Beth to have seen everything, until told that this was wrong."""

    def answer(question: AnswerFromPerspective) -> StoryAnswer:
        answers = ["box" if perspective == GOOD else "bin" for perspective in question.perspectives]
        return ChosenAnswer(answer=answers[0]) if len(answers) == 1 else AnswersInOrder(answers=answers)

    return ScriptedModel(
        {
            TakePerspective: lambda question: Perspective(perspective=BAD if question.mistaken is None else GOOD),
            AnswerFromPerspective: answer,
            AnswerQuestion: lambda _: ChosenAnswer(answer="bin"),
        }
    )


def ask(reader: HypothesisReader, *asked: tuple[str, str]) -> list[Decision[str]]:
    """Asks questions in turn, each with its right answer, and pays for right answers."""
    found: list[Decision[str]] = []
    reward = 0.0

    async def all_of_them() -> None:
        nonlocal reward
        for number, (question, right) in enumerate(asked, 1):
            view = StoryView(FALSE_BELIEF, question, ("bin", "box"), False, number, len(asked))
            found.append(await reader.act(Observation(number - 1, view, reward)))
            reward = float(found[-1].action == right)

    asyncio.run(all_of_them())
    return found


def test_a_wrong_answer_lowers_its_hypothesis_and_brings_a_new_one() -> None:
    told = model()
    decisions = ask(HypothesisReader(told, hypothetical_minds), (BETH, "box"), (BETH, "box"))
    assert [one.action for one in decisions] == ["bin", "box"]
    assert told.kinds() == [TakePerspective, AnswerFromPerspective] * 2
    assert {one.words: one.value for one in decisions[1].thoughts.hypotheses} == {BAD: pytest.approx(-0.3), GOOD: 0}


def test_the_mistake_is_shown_to_the_model() -> None:
    told = model()
    ask(HypothesisReader(told, hypothetical_minds), (BETH, "box"), (NOW, "bin"), (BETH, "box"))
    _, revised = told.of(TakePerspective)
    assert (revised.question, revised.answer, revised.mistaken, revised.best) == (BETH, "bin", BAD, ())


def test_four_right_answers_validate_a_hypothesis_which_then_answers_alone() -> None:
    told = model()
    decisions = ask(HypothesisReader(told, hypothetical_minds), *[(BETH, "box")] * 7)
    values = [{one.words: one.value for one in decision.thoughts.hypotheses}.get(GOOD) for decision in decisions]
    assert values[1:6] == [pytest.approx(value) for value in (0, 0.3, 0.51, 0.657, 0.7599)]
    assert decisions[5].thoughts.validated is not None
    assert told.kinds()[-2:] == [AnswerFromPerspective] * 2
    [asked] = [one.question for one in decisions[6].exchanges]
    assert isinstance(asked, AnswerFromPerspective)
    assert asked.perspectives == (GOOD,)


def test_without_a_valid_perspective_it_answers_as_a_reader_does_and_asks_for_one_again() -> None:
    told = model()
    told.replies[TakePerspective] = lambda _: None
    decisions = ask(HypothesisReader(told, hypothetical_minds), (BETH, "box"), (BETH, "box"))
    assert told.kinds() == [TakePerspective, AnswerQuestion] * 2
    assert [one.action for one in decisions] == ["bin", "bin"]
    assert decisions[1].thoughts.hypotheses == ()


def test_questions_about_what_is_so_concern_no_mind() -> None:
    told = model()
    decisions = ask(HypothesisReader(told, hypothetical_minds), (NOW, "box"), (BETH, "box"))
    assert told.kinds() == [AnswerQuestion, TakePerspective, AnswerFromPerspective]
    assert decisions[0].thoughts.hypotheses == ()
    assert [one.value for one in decisions[1].thoughts.hypotheses] == [0]


def play_functional(answers_literal: str) -> tuple[list[Observation[StoryView]], list[float]]:
    """What a reader of functional items observes, and what its literal answers earn."""
    world, _ = set_up(find_scenarios(["exploretom_functional_a5_asymmetric"])[0], "hypothetical_minds")
    assert isinstance(world, StoryWorld)
    turn, seen, earned = world.reset(3), [], []
    while not turn.is_over:
        seen.append(turn.observations[READER])
        question = world.questions[turn.step]
        is_right = question.kind.is_functional or answers_literal == "right"
        turn = world.step({READER: question.answer if is_right else "a word that means nothing"})
        earned.append(turn.rewards[READER])
    return seen, earned


def test_no_grade_is_told_where_functional_items_are_asked() -> None:
    (seen, earned), (seen_wrong, earned_wrong) = play_functional("right"), play_functional("wrong")
    assert seen == seen_wrong
    assert sum(earned) == len(earned) > sum(earned_wrong) > 0
    assert not seen[0].view.tells_grades


def test_grades_that_are_not_told_score_no_hypothesis() -> None:
    told = model()
    reader = HypothesisReader(told, hypothetical_minds)
    view = StoryView(FALSE_BELIEF, BETH, ("bin", "box"), False, 1, 2, tells_grades=False)

    async def both() -> list[Decision[str]]:
        return [await reader.act(Observation(step, view, reward)) for step, reward in enumerate((0.0, 0.0))]

    decisions = asyncio.run(both())
    assert told.kinds() == [TakePerspective, AnswerFromPerspective, AnswerFromPerspective]
    assert [one.value for one in decisions[1].thoughts.hypotheses] == [0]


def test_it_is_the_agent_of_that_name_and_right_with_the_reasoner() -> None:
    scenario = find_scenarios(["exploretom_a5_asymmetric"])[0]
    world, agents = set_up(scenario, "hypothetical_minds")
    assert isinstance(agents[READER], HypothesisReader)
    log = SeatLog(READER)
    play_out(world, agents, seed=3, recorders=[log])
    assert world.metrics()["accuracy"] == 1
    assert max(one.value for step in log.steps for one in step.decision.thoughts.hypotheses) > 0.5


def in_the_bin(question: AnswerQuestion) -> ChosenAnswer:
    return ChosenAnswer(answer="bin")


def weighed(chances: Mapping[str, int]) -> WeighedAnswers:
    return WeighedAnswers(chances=[LikelyAnswer(answer=answer, chance=chance) for answer, chance in chances.items()])


def test_who_asks_for_chances_gives_the_likeliest_answer_and_asks_anew_each_time() -> None:
    told = ScriptedModel({WeighAnswers: each([weighed({"bin": 30, "box": 60}), None]), AnswerQuestion: in_the_bin})
    decisions = ask(HypothesisReader(told, Calculator), (BETH, "box"), (BETH, "box"), (NOW, "bin"))
    assert [one.action for one in decisions] == ["box", "bin", "bin"]
    assert told.kinds() == [WeighAnswers, WeighAnswers, AnswerQuestion, AnswerQuestion]
    believed = {one.words: one.value for one in decisions[0].thoughts.hypotheses}
    assert believed == pytest.approx({"box": 2 / 3, "bin": 1 / 3})


def test_chances_are_scored_by_the_right_answers_which_no_reader_sees() -> None:
    (scenario,) = find_scenarios(["exploretom_functional_a1"])
    model = ScriptedModel(
        {
            WeighAnswers: lambda question: weighed({question.choices[0]: 75, question.choices[-1]: 25}),
            AnswerQuestion: lambda question: ChosenAnswer(answer=question.choices[0]),
        }
    )
    world, agents = set_up(scenario, "hm_odds", model=model)
    play_out(world, agents, seed=0)
    assert isinstance(world, StoryWorld)
    metrics = agents[READER].metrics()
    about_people = [graded for graded in world.graded if person_asked_about(graded.question.text)]
    assert metrics[PREDICTED] == len(about_people) > 0
    assert metrics[RIGHT] == pytest.approx(mean(graded.is_right for graded in about_people))
    given = [
        {graded.question.choices[0]: 0.75, graded.question.choices[-1]: 0.25}.get(graded.question.answer, 0.01)
        for graded in about_people
    ]
    assert metrics[LOG_LOSS] == pytest.approx(-mean(map(log, given)))


def test_that_one_answer_is_wrong_speaks_for_no_other_hypothesis() -> None:
    """The second answer, by the newer hypothesis, is wrong, too; the older one's would have been another."""
    decisions = ask(HypothesisReader(model(), hypothetical_minds), (BETH, "box"), (BETH, "tin"), (BETH, "tin"))
    assert [one.action for one in decisions[:2]] == ["bin", "box"]
    values = {one.words: one.value for one in decisions[2].thoughts.hypotheses}
    assert values == {BAD: pytest.approx(-0.3), GOOD: pytest.approx(-0.3)}
