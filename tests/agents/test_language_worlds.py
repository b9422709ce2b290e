"""What every world says of itself to agents that think in language, and what agents need of a world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.agents.agent import Recipe
from hm_agent.agents.baselines import EvaluatedStrategies
from hm_agent.agents.reflection import NoReflection
from hm_agent.agents.registry import AGENTS
from hm_agent.catalogue.casting import check_agent
from hm_agent.catalogue.finding import find_scenarios
from hm_agent.catalogue.registry import register_strategist, suites
from hm_agent.config import ConfigError, data_folder
from hm_agent.core import Hypothesis
from hm_agent.extensions import ADDED
from hm_agent.models.prompts import environment, render
from hm_agent.questions import Question, answer_schema
from hm_agent.testing.episodes import set_up
from hm_agent.testing.scripted_model import ScriptedModel
from hm_agent.theory_of_mind import decision_questions, mind_questions, odds_questions
from hm_agent.theory_of_mind.decision_questions import FollowStrategy, JudgeStrategy, Plan, ReviewPlan
from hm_agent.theory_of_mind.hypotheses import TABLE_2
from hm_agent.theory_of_mind.mind_questions import AskProbes, Propose
from hm_agent.theory_of_mind.odds_questions import GiveChances, GiveOdds
from tests.fitting_answers import values
from tests.worlds.enacttom.language.household_examples import SHARED_EXAMPLES
from tests.worlds.exploretom.story_examples import STORY_EXAMPLES
from tests.worlds.matrix_games.round_examples import ROUND_EXAMPLES
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN_EXAMPLES
from tests.worlds.melting_pot.games.matrix_examples import MATRIX_EXAMPLES
from tests.worlds.symmtom.language.language_examples import LANGUAGE_EXAMPLES


def about_situations(examples: Mapping[str, Question[Any]]) -> Mapping[str, Question[Any]]:
    """The examples without those of questions that a world asks beside the shared ones."""
    return {name: each for name, each in examples.items() if hasattr(each, "situation")}


EXAMPLES: Mapping[str, Mapping[str, Question[Any]]] = {
    "symmtom": LANGUAGE_EXAMPLES,
    "enacttom": SHARED_EXAMPLES,
    "matrix_games": ROUND_EXAMPLES,
    "melting_pot/cooking": about_situations(KITCHEN_EXAMPLES),
    "melting_pot/matrix": about_situations(MATRIX_EXAMPLES),
}
BLOCKS = {"behaviour", "behaviour_example", "noticed", "now", "rules", "strategy_is"}
PLAN_BLOCKS = {"calls", "calls_example", "noticed", "now", "rules", "since"}
"""The blocks that questions about plans name."""
SCENARIOS = {
    "melting_pot": "rws_repeated_1",
    "symmtom": "symmtom_w6_n3_c3",
    "enacttom": "enacttom_far_handle",
    "matrix_games": "mg_pd_grim",
}
PLANS = [(world, name) for world, examples in EXAMPLES.items() for name, each in examples.items() if type(each) is Plan]


@pytest.mark.parametrize("world", EXAMPLES)
def test_a_world_fills_every_block_and_asks_nothing_in_words_of_its_own(world: str) -> None:
    for each in EXAMPLES[world].values():
        situation = each.situation  # type: ignore[attr-defined]
        blocks = environment().get_template(situation.blocks).module
        wanted = PLAN_BLOCKS if isinstance(each, Plan | ReviewPlan) else BLOCKS
        wanted = wanted | {"first_strategy"} if situation.writes_strategy else wanted
        assert {name for name in wanted if callable(getattr(blocks, name, None))} == wanted
    for file in (data_folder("prompts") / world).glob("*.j2"):
        if file.stem.endswith("blocks") or file.stem == "messages":
            assert "# What is asked" not in file.read_text("utf-8")
            assert "# Answer" not in file.read_text("utf-8")


@pytest.mark.parametrize("examples", EXAMPLES.values(), ids=EXAMPLES)
def test_every_question_of_a_world_has_its_words_from_the_shared_skeletons(
    examples: Mapping[str, Question[Any]],
) -> None:
    assert {question.template.partition("/")[0] for question in examples.values()} == {"agent"}


def test_readers_of_stories_are_shown_earlier_hypotheses_in_the_same_words() -> None:
    best = (Hypothesis("Anne goes by what she saw.", value=0.3, right=1, tested=1),)
    proposals = [each for examples in EXAMPLES.values() for each in examples.values() if type(each) is Propose]
    prompts = [render(replace(each, best=best)) for each in (*proposals, STORY_EXAMPLES["revise_perspective"])]  # type: ignore[type-var]
    assert len({prompt.split("# Your best")[1].split("# What is asked")[0] for prompt in prompts}) == 1


def shared_questions() -> set[type[Question[Any]]]:
    names = {**vars(mind_questions), **vars(decision_questions), **vars(odds_questions)}
    shared = (value for value in names.values() if isinstance(value, type))
    return {kind for kind in shared if issubclass(kind, Question) and hasattr(kind, "template")}


UNASKED: Mapping[str, set[type[Question[Any]]]] = {
    "symmtom": {FollowStrategy, JudgeStrategy, GiveOdds},
    "enacttom": {FollowStrategy, JudgeStrategy, GiveOdds},
    "matrix_games": {FollowStrategy, JudgeStrategy, AskProbes, GiveChances},  # nobody in it holds a belief to ask about
    "melting_pot/cooking": {AskProbes, GiveOdds, GiveChances},
    "melting_pot/matrix": {GiveChances},
}
"""The shared questions that a world does not ask.

A strategy in words alone is neither applied nor judged, and chances are asked for by a table of payoffs where there is
one.
"""


@pytest.mark.parametrize("world", EXAMPLES)
def test_every_question_has_an_example_a_template_and_an_answer_by_the_reasoner(world: str) -> None:
    asked, answers = shared_questions() - UNASKED[world], suites()[world.partition("/")[0]].answers()
    assert {type(example) for example in EXAMPLES[world].values()} == asked
    assert asked <= set(answers)
    assert all((data_folder("prompts") / kind.template).is_file() for kind in asked)


@pytest.mark.parametrize(("world", "name"), PLANS)
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_a_plan_that_is_written_again_is_read_as_the_same(world: str, name: str, data: st.DataObject) -> None:
    question = EXAMPLES[world][name]
    assert isinstance(question, Plan)
    answer = data.draw(values(answer_schema(question)))
    try:
        plan = question.situation.read_plan(answer["calls"], None)
    except ValueError:
        return  # what no schema expresses, e.g. more messages than are left
    assert question.situation.read_plan(list(map(str, plan)), None) == plan


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(ADDED, "agents", dict(ADDED.agents))


@pytest.mark.parametrize("world", SCENARIOS)
def test_a_worlds_minds_offer_what_its_suite_says(world: str) -> None:
    (scenario,) = find_scenarios([SCENARIOS[world]])
    kept: list[object] = []

    def build(mind: object, model: Any, parameters: Any) -> Any:
        kept.append(mind)
        return AGENTS["react"].strategist(mind, model, parameters)

    register_strategist("keeps_its_mind", build)
    set_up(scenario, "keeps_its_mind")
    offers = suites()[world].offers
    assert offers
    assert set(offers) <= set(type(kept[0]).__mro__)


def test_a_strategist_that_needs_what_a_world_lacks_is_refused_in_one_line() -> None:
    """HE + HR under another name, which says what it needs or leaves that to its class."""
    (scenario,) = find_scenarios([SCENARIOS["symmtom"]])
    register_strategist(
        "my_he_hr",
        lambda mind, model, parameters: EvaluatedStrategies(mind, model, parameters.by_reward),
        needs=EvaluatedStrategies.needs,
    )
    with pytest.raises(
        ConfigError, match=r"my_he_hr can't play .* \(it needs StrategyValuing, which symmtom does not offer there\)"
    ):
        check_agent("my_he_hr", scenario, "builtin")
    hidden = Recipe("mine", lambda mind, model, _: EvaluatedStrategies(mind, model, TABLE_2), NoReflection)
    body = set_up(scenario, "react")[1]["player_0"]._body  # type: ignore[attr-defined]
    with pytest.raises(ConfigError, match="mine: it needs StrategyValuing, which this world does not offer"):
        hidden.build(lambda model, reflector: body, ScriptedModel({}), None)  # type: ignore[arg-type]
