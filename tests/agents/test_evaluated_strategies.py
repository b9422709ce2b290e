"""Strategies that are evaluated by reward (HE + HR), with a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from hm_agent.agents.baselines import EvaluatedStrategies
from hm_agent.testing.scripted_model import ScriptedModel, each
from hm_agent.theory_of_mind.decision_questions import (
    ChooseStrategy,
    FollowStrategy,
    HindsightAnswer,
    JudgeStrategy,
    StrategyAnswer,
)
from hm_agent.theory_of_mind.hypotheses import TABLE_3, Hyperparameters
from hm_agent.theory_of_mind.mind import Outcome
from hm_agent.worlds.melting_pot.games.cooking.roles import LOADS, SERVES, STANDS, KitchenStrategy
from hm_agent.worlds.melting_pot.games.cooking.seat import SharedWork
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from tests.strategists import ROCKS, against, among, arena, begin, deliver, dyad, interact, kitchen, see_pickup

HELD = {"rocky": {"rock": 6}, "papery": {"paper": 6}, "scissory": {"scissors": 6}}
"""The inventory that each strategy in words amounts to."""
INVENTORIES = {"rocky": (6, 1, 1), "papery": (1, 6, 1), "scissory": (1, 1, 6)}


def model_making(*words: str, outcomes: Mapping[str, Outcome] | None = None) -> ScriptedModel:
    """Makes these strategies. outcomes: what each would have paid while it was not in use; neutral by default."""
    by_inventory = {INVENTORIES[said]: outcome for said, outcome in (outcomes or {}).items()}
    made = [StrategyAnswer(strategy=against("rock", HELD[said], words=said)) for said in words]
    return ScriptedModel(
        {
            ChooseStrategy: each(made),
            FollowStrategy: lambda question: StrategyAnswer(strategy=against("rock", HELD[question.strategy])),
            JudgeStrategy: lambda question: HindsightAnswer(
                outcome=by_inventory.get(question.instead, Outcome.NEUTRAL)
            ),
        }
    )


def opened(model: ScriptedModel, parameters: Hyperparameters = TABLE_3) -> EvaluatedStrategies:
    strategist = EvaluatedStrategies(dyad().mind, model, parameters)
    begin(strategist)
    return strategist


def values(strategist: EvaluatedStrategies) -> dict[str, float]:
    return {hypothesis.words: round(hypothesis.value, 9) for hypothesis in strategist.hypotheses}


def test_the_papers_parameters_are_those_of_table_3() -> None:
    assert (TABLE_3.learning_rate, TABLE_3.reward, TABLE_3.threshold, TABLE_3.top_k) == (0.3, 3.0, 3.0, 5)


def test_the_strategy_in_use_is_valued_by_the_reward_it_earned() -> None:
    strategist = opened(model_making("rocky", "rocky", "rocky"))
    interact(strategist, 0, paid=2.0)
    assert values(strategist) == {"rocky": 0.6}
    interact(strategist, 1, paid=-1.0)
    assert values(strategist) == {"rocky": round(0.6 + 0.3 * (-1.0 - 0.6), 9)} == {"rocky": 0.12}


@pytest.mark.parametrize(
    ("outcome", "value"), [(Outcome.POSITIVE, 1.32), (Outcome.NEUTRAL, 0.42), (Outcome.NEGATIVE, -0.48)]
)
def test_strategies_not_in_use_are_valued_by_what_they_would_have_paid(outcome: Outcome, value: float) -> None:
    """From 0.6, a step of rate 0.3 towards 3, 0 or -3."""
    strategist = opened(model_making("rocky", "papery", "scissory", outcomes={"rocky": outcome}))
    interact(strategist, 0, paid=2.0)
    interact(strategist, 1, paid=1.0)
    assert values(strategist) == {"rocky": value, "papery": 0.3, "scissory": 0.0}


def test_strategies_not_in_use_are_applied_before_an_interaction_and_judged_after_it() -> None:
    model = model_making("rocky", "papery", "scissory")
    strategist = opened(model)
    assert model.kinds() == [ChooseStrategy]
    interact(strategist, 0, paid=1.0)
    assert model.kinds() == [ChooseStrategy, FollowStrategy]
    interact(strategist, 1, ROCKS, paid=1.0)
    (judged,), (*_, followed) = model.of(JudgeStrategy), model.of(FollowStrategy)
    assert (judged.interaction.step, judged.instead) == (1, INVENTORIES["rocky"])
    assert followed.strategy == "papery"
    assert model.kinds() == [JudgeStrategy, ChooseStrategy, FollowStrategy, FollowStrategy]


def test_a_strategy_without_a_judgement_keeps_its_value() -> None:
    model = model_making("rocky", "papery", "scissory")
    model.replies[JudgeStrategy] = lambda question: None
    strategist = opened(model)
    interact(strategist, 0, paid=2.0)
    interact(strategist, 1, paid=1.0)
    assert values(strategist)["rocky"] == 0.6


def test_a_strategy_without_an_application_is_not_judged_and_keeps_its_value() -> None:
    model = model_making("rocky", "papery", "scissory")
    model.replies[FollowStrategy] = lambda question: None
    strategist = opened(model)
    interact(strategist, 0, paid=2.0)
    model.asked.clear()
    interact(strategist, 1, paid=1.0)
    assert values(strategist)["rocky"] == 0.6
    assert not model.of(JudgeStrategy)


@pytest.mark.parametrize(("paid", "is_proven"), [(10.0, True), (9.9, False)])
def test_a_strategy_is_validated_from_a_value_of_3_on(paid: float, is_proven: bool) -> None:
    strategist = opened(model_making("rocky", "papery"))
    interact(strategist, 0, paid=paid)
    assert (strategist.validated is not None) is is_proven


def test_a_validated_strategy_is_followed_and_nothing_else_is_asked() -> None:
    model = model_making("papery", "rocky", "scissory")
    strategist = opened(model)
    interact(strategist, 0, paid=2.0)
    strategy = interact(strategist, 1, paid=10.0)
    assert strategy is not None
    assert (strategy.words, strategy.target) == ("rocky", INVENTORIES["rocky"])
    model.asked.clear()
    interact(strategist, 2, paid=4.0)
    assert model.kinds() == [FollowStrategy]
    assert values(strategist) == {"papery": 0.42, "rocky": 3.3}


def test_after_validation_is_lost_a_new_strategy_is_made_in_view_of_the_best() -> None:
    model = model_making("papery", "rocky", "scissory")
    strategist = opened(model)
    interact(strategist, 0, paid=2.0)
    interact(strategist, 1, paid=10.0)
    model.asked.clear()
    strategy = interact(strategist, 2, paid=0.0)
    assert strategy is not None
    assert strategy.words == "scissory"
    (question,) = model.of(ChooseStrategy)
    assert [(best.words, round(best.value, 9)) for best in question.best] == [("rocky", 2.1), ("papery", 0.42)]


def test_strategies_with_negative_values_are_not_shown() -> None:
    model = model_making("rocky", "papery")
    strategist = opened(model)
    interact(strategist, 0, paid=-2.0)
    assert model.of(ChooseStrategy)[-1].best == ()
    assert [met.step for met in model.of(ChooseStrategy)[-1].history] == [0]


def test_without_a_new_strategy_the_present_one_stays_in_use_and_is_valued() -> None:
    strategist = opened(model_making("rocky"))
    assert interact(strategist, 0, paid=1.0) is None
    assert interact(strategist, 1, paid=2.0) is None
    assert values(strategist) == {"rocky": round(0.3 + 0.3 * 1.7, 9)}


def test_a_validated_strategy_without_an_application_earns_no_reward_of_the_one_in_use() -> None:
    model = model_making("papery", "rocky", outcomes={"papery": Outcome.POSITIVE})
    strategist = opened(model, replace(TABLE_3, threshold=1.0))
    interact(strategist, 0, paid=2.0)
    model.replies[FollowStrategy] = lambda question: None
    assert interact(strategist, 1, paid=2.0) is None
    assert strategist.validated is not None
    assert values(strategist) == {"papery": 1.32, "rocky": 0.6}
    interact(strategist, 2, paid=-4.0)
    assert values(strategist) == {"papery": 1.32, "rocky": -0.78}


def test_without_an_answer_the_first_strategy_is_calculated() -> None:
    model = model_making()
    strategist = EvaluatedStrategies(dyad().mind, model, TABLE_3)
    assert begin(strategist).target is not None
    assert strategist.hypotheses == ()
    assert interact(strategist, 0, paid=5.0) is None


def test_after_a_clue_that_is_not_slight_it_asks_what_the_strategy_in_use_amounts_to_and_values_nothing() -> None:
    model = model_making("rocky", "papery")
    strategist = opened(model)
    interact(strategist, 0, paid=1.0)
    before = strategist.hypotheses
    model.asked.clear()
    assert see_pickup(strategist, 5, "paper", is_slight=True) is None
    assert not model.asked
    assert see_pickup(strategist, 6, "paper") == MatrixStrategy("papery", target=INVENTORIES["papery"], awaits="rock")
    assert see_pickup(strategist, 7, "paper") is None
    assert [question.strategy for question in model.of(FollowStrategy)] == ["papery"]
    assert strategist.hypotheses == before


def test_among_several_players_a_strategy_says_whom_to_seek() -> None:
    answer = StrategyAnswer(strategy=among(HELD["papery"], "player_2", words="papery"))
    model = ScriptedModel({ChooseStrategy: lambda question: answer})
    strategy = begin(EvaluatedStrategies(arena().mind, model, TABLE_3))
    assert strategy == MatrixStrategy("papery", seek=("player_2",), target=INVENTORIES["papery"])


def test_in_a_kitchen_a_strategy_amounts_to_a_role_and_is_valued_by_soups() -> None:
    game = kitchen()
    answer = StrategyAnswer[SharedWork]
    made = [SharedWork(words=words, expects=STANDS, role=role) for words, role in (("load", LOADS), ("serve", SERVES))]
    applied = SharedWork(expects=STANDS, role=LOADS)
    model = ScriptedModel(
        {
            ChooseStrategy: each([answer(strategy=strategy) for strategy in made]),
            FollowStrategy: lambda question: answer(strategy=applied),
        }
    )
    strategist = EvaluatedStrategies(game.mind, model, TABLE_3)
    assert asyncio.run(strategist.begin()) == KitchenStrategy("load", role=LOADS)
    assert deliver(strategist, 40, SERVES, game.players[0]) == KitchenStrategy("load", role=LOADS)
    assert values(strategist) == {"load": 6.0}
    assert model.kinds() == [ChooseStrategy, FollowStrategy]


def test_a_strategy_repeated_in_other_spelling_is_still_the_one_in_use() -> None:
    own, other = (StrategyAnswer(strategy=against("rock", HELD["rocky"], words=words)) for words in ("Rocky.", "rocky"))
    model = ScriptedModel({ChooseStrategy: each([own, other, own])})
    strategist = opened(model)
    interact(strategist, 0, paid=1.0)
    interact(strategist, 1, paid=1.0)
    assert values(strategist) == {"Rocky.": 0.51}
    assert not model.of(FollowStrategy)
    assert not model.of(JudgeStrategy)
