"""Hypothetical Minds as a reader: what it asks, and how answers score its hypotheses."""

from __future__ import annotations

import asyncio

import pytest

from hm_agent.core import Decision, Observation
from hm_agent.registry import find_scenarios
from hm_agent.testing.episodes import SeatLog, play_out, set_up
from hm_agent.testing.scripted_model import ScriptedModel
from hm_agent.worlds.exploretom.readers.hypothesis_reader import HypothesisReader
from hm_agent.worlds.exploretom.readers.reading import (
    AnswerFromPerspective,
    AnswerQuestion,
    AnswersInOrder,
    ChosenAnswer,
    Perspective,
    StoryAnswer,
    TakePerspective,
)
from hm_agent.worlds.exploretom.world import READER, StoryView, StoryWorld
from tests.worlds.exploretom.story_examples import FALSE_BELIEF

BETH = "In which container will Beth search for the apple?"
NOW = "In which container is the apple now?"
BAD, GOOD = "Beth saw everything.", "Beth saw the apple go into the box."


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
    decisions = ask(HypothesisReader(told), (BETH, "box"), (BETH, "box"))
    assert [one.action for one in decisions] == ["bin", "box"]
    assert told.kinds() == [TakePerspective, AnswerFromPerspective] * 2
    assert {one.words: one.value for one in decisions[1].thoughts.hypotheses} == {BAD: pytest.approx(-0.3), GOOD: 0}


def test_the_mistake_is_shown_to_the_model() -> None:
    told = model()
    ask(HypothesisReader(told), (BETH, "box"), (NOW, "bin"), (BETH, "box"))
    _, revised = told.of(TakePerspective)
    assert (revised.question, revised.answer, revised.mistaken, revised.best) == (BETH, "bin", BAD, ())


def test_four_right_answers_validate_a_hypothesis_which_then_answers_alone() -> None:
    told = model()
    decisions = ask(HypothesisReader(told), *[(BETH, "box")] * 7)
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
    decisions = ask(HypothesisReader(told), (BETH, "box"), (BETH, "box"))
    assert told.kinds() == [TakePerspective, AnswerQuestion] * 2
    assert [one.action for one in decisions] == ["bin", "bin"]
    assert decisions[1].thoughts.hypotheses == ()


def test_questions_about_what_is_so_concern_no_mind() -> None:
    told = model()
    decisions = ask(HypothesisReader(told), (NOW, "box"), (BETH, "box"))
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
    reader = HypothesisReader(told)
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


def test_that_one_answer_is_wrong_speaks_for_no_other_hypothesis() -> None:
    """The second answer, by the newer hypothesis, is wrong, too; the older one's would have been another."""
    decisions = ask(HypothesisReader(model()), (BETH, "box"), (BETH, "tin"), (BETH, "tin"))
    assert [one.action for one in decisions[:2]] == ["bin", "box"]
    values = {one.words: one.value for one in decisions[2].thoughts.hypotheses}
    assert values == {BAD: pytest.approx(-0.3), GOOD: pytest.approx(-0.3)}
