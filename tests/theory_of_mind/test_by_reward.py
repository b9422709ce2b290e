"""Strategies that are evaluated by reward (HE + HR), with a model that answers as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest

from hm_agent.core import Strategy
from hm_agent.theory_of_mind.by_reward import TABLE_3, EvaluatedStrategies, HindsightAnswer, Outcome
from hm_agent.theory_of_mind.hypotheses import Hyperparameters
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.worlds.melting_pot.games.cooking.kitchen import LOADS, SERVES
from hm_agent.worlds.melting_pot.games.cooking.questions.strategies import (
    CookingStrategyAnswer,
    FollowCookingStrategy,
    JudgeCookingStrategy,
    MakeCookingStrategy,
    PartAnswer,
)
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import ChoiceAnswer
from hm_agent.worlds.melting_pot.games.matrix.questions.strategies import (
    FollowStrategy,
    JudgeStrategy,
    MakeStrategy,
    StrategyAnswer,
)
from tests.strategists import ROCKS, ScriptedModel, arena, deliver, dyad, each, find_gone, kitchen, meet

HELD = {"rocky": {"rock": 6}, "papery": {"paper": 6}, "scissory": {"scissors": 6}}
"""What strategies come to, by their words."""
INVENTORIES = {"rocky": (6, 1, 1), "papery": (1, 6, 1), "scissory": (1, 1, 6)}


def model_making(*words: str, outcomes: Mapping[str, Outcome] | None = None) -> ScriptedModel:
    """Makes these strategies. outcomes: what those not in use would have brought; neutral if not said."""
    by_inventory = {INVENTORIES[said]: outcome for said, outcome in (outcomes or {}).items()}
    made = [StrategyAnswer(strategy=said, seek=[], own_next=HELD[said]) for said in words]
    return ScriptedModel(
        {
            MakeStrategy: each(made),
            FollowStrategy: lambda question: ChoiceAnswer(seek=[], own_next=HELD[question.strategy]),
            JudgeStrategy: lambda question: HindsightAnswer(
                outcome=by_inventory.get(question.instead, Outcome.NEUTRAL)
            ),
        }
    )


def opened(model: ScriptedModel, parameters: Hyperparameters = TABLE_3) -> EvaluatedStrategies:
    strategist = EvaluatedStrategies(parameters, dyad().mind, model, InteractionMemory())
    asyncio.run(strategist.open())
    return strategist


def values(strategist: EvaluatedStrategies) -> dict[str, float]:
    return {hypothesis.words: round(hypothesis.value, 9) for hypothesis in strategist.hypotheses}


def test_the_papers_parameters_are_those_of_table_3() -> None:
    assert (TABLE_3.learning_rate, TABLE_3.reward, TABLE_3.threshold, TABLE_3.top_k) == (0.3, 3.0, 3.0, 5)


def test_the_strategy_in_use_is_valued_by_what_it_is_paid() -> None:
    strategist = opened(model_making("rocky", "rocky", "rocky"))
    meet(strategist, 0, paid=2.0)
    assert values(strategist) == {"rocky": 0.6}
    meet(strategist, 1, paid=-1.0)
    assert values(strategist) == {"rocky": round(0.6 + 0.3 * (-1.0 - 0.6), 9)} == {"rocky": 0.12}


@pytest.mark.parametrize(
    ("outcome", "value"), [(Outcome.POSITIVE, 1.32), (Outcome.NEUTRAL, 0.42), (Outcome.NEGATIVE, -0.48)]
)
def test_the_others_are_valued_by_what_they_would_have_brought(outcome: Outcome, value: float) -> None:
    """From 0.6 by 0.3 towards 3, 0 or -3."""
    strategist = opened(model_making("rocky", "papery", "scissory", outcomes={"rocky": outcome}))
    meet(strategist, 0, paid=2.0)
    meet(strategist, 1, paid=1.0)
    assert values(strategist) == {"rocky": value, "papery": 0.3, "scissory": 0.0}


def test_what_the_others_come_to_is_asked_before_and_judged_after_an_interaction() -> None:
    model = model_making("rocky", "papery", "scissory")
    strategist = opened(model)
    assert model.kinds() == [MakeStrategy]
    meet(strategist, 0, paid=1.0)
    assert model.kinds() == [MakeStrategy, FollowStrategy]
    meet(strategist, 1, ROCKS, paid=1.0)
    (judged,), (*_, followed) = model.of(JudgeStrategy), model.of(FollowStrategy)
    assert (judged.encounter.step, judged.instead) == (1, INVENTORIES["rocky"])
    assert followed.strategy == "papery"
    assert model.kinds() == [JudgeStrategy, MakeStrategy, FollowStrategy, FollowStrategy]


def test_a_strategy_that_could_not_be_judged_keeps_its_value() -> None:
    model = model_making("rocky", "papery", "scissory")
    model.replies[JudgeStrategy] = lambda question: None
    strategist = opened(model)
    meet(strategist, 0, paid=2.0)
    meet(strategist, 1, paid=1.0)
    assert values(strategist)["rocky"] == 0.6


def test_a_strategy_of_which_is_not_known_what_it_comes_to_keeps_its_value() -> None:
    model = model_making("rocky", "papery", "scissory")
    model.replies[FollowStrategy] = lambda question: None
    strategist = opened(model)
    meet(strategist, 0, paid=2.0)
    model.asked.clear()
    meet(strategist, 1, paid=1.0)
    assert values(strategist)["rocky"] == 0.6
    assert not model.of(JudgeStrategy)


@pytest.mark.parametrize(("paid", "is_proven"), [(10.0, True), (9.9, False)])
def test_a_strategy_is_validated_from_a_value_of_3(paid: float, is_proven: bool) -> None:
    strategist = opened(model_making("rocky", "papery"))
    meet(strategist, 0, paid=paid)
    assert (strategist.validated is not None) is is_proven


def test_a_validated_strategy_is_followed_and_nothing_else_is_asked() -> None:
    model = model_making("papery", "rocky", "scissory")
    strategist = opened(model)
    meet(strategist, 0, paid=2.0)
    strategy = meet(strategist, 1, paid=10.0)
    assert strategy is not None
    assert (strategy.words, strategy.target) == ("rocky", INVENTORIES["rocky"])
    model.asked.clear()
    meet(strategist, 2, paid=4.0)
    assert model.kinds() == [FollowStrategy]
    assert values(strategist) == {"papery": 0.42, "rocky": 3.3}


def test_where_validation_is_lost_a_new_strategy_is_made_in_view_of_the_best() -> None:
    model = model_making("papery", "rocky", "scissory")
    strategist = opened(model)
    meet(strategist, 0, paid=2.0)
    meet(strategist, 1, paid=10.0)
    model.asked.clear()
    strategy = meet(strategist, 2, paid=0.0)
    assert strategy is not None
    assert strategy.words == "scissory"
    (question,) = model.of(MakeStrategy)
    assert [(best.words, round(best.value, 9)) for best in question.best] == [("rocky", 2.1), ("papery", 0.42)]


def test_strategies_that_lost_are_not_shown() -> None:
    model = model_making("rocky", "papery")
    strategist = opened(model)
    meet(strategist, 0, paid=-2.0)
    assert model.of(MakeStrategy)[-1].best == ()
    assert [met.step for met in model.of(MakeStrategy)[-1].history] == [0]


def test_without_a_new_strategy_the_present_one_goes_on_and_is_paid() -> None:
    strategist = opened(model_making("rocky"))
    assert meet(strategist, 0, paid=1.0) is None
    assert meet(strategist, 1, paid=2.0) is None
    assert values(strategist) == {"rocky": round(0.3 + 0.3 * 1.7, 9)}


def test_a_validated_strategy_of_which_is_not_known_what_it_comes_to_takes_no_credit_for_another() -> None:
    model = model_making("papery", "rocky", outcomes={"papery": Outcome.POSITIVE})
    strategist = opened(model, replace(TABLE_3, threshold=1.0))
    meet(strategist, 0, paid=2.0)
    model.replies[FollowStrategy] = lambda question: None
    assert meet(strategist, 1, paid=2.0) is None
    assert strategist.validated is not None
    assert values(strategist) == {"papery": 1.32, "rocky": 0.6}
    meet(strategist, 2, paid=-4.0)
    assert values(strategist) == {"papery": 1.32, "rocky": -0.78}


def test_without_any_answer_the_first_strategy_is_calculated() -> None:
    model = model_making()
    strategist = EvaluatedStrategies(TABLE_3, dyad().mind, model, InteractionMemory())
    assert asyncio.run(strategist.open()).target is not None
    assert strategist.hypotheses == ()
    assert meet(strategist, 0, paid=5.0) is None


def test_clues_are_none_to_who_reads_no_minds() -> None:
    model = model_making("rocky", "papery")
    strategist = opened(model)
    meet(strategist, 0, paid=1.0)
    model.asked.clear()
    assert find_gone(strategist, 5, "paper") is None
    assert not model.asked


def test_among_many_a_strategy_says_whom_to_seek() -> None:
    answer = StrategyAnswer(strategy="papery", seek=["player_2"], own_next=HELD["papery"])
    model = ScriptedModel({MakeStrategy: lambda question: answer})
    game = arena()
    strategy = asyncio.run(EvaluatedStrategies(TABLE_3, game.mind, model, InteractionMemory()).open())
    assert strategy == Strategy("papery", INVENTORIES["papery"], seek=("player_2",))
    assert model.of(MakeStrategy)[0].players == game.players


def test_in_a_kitchen_a_strategy_comes_to_a_role_and_is_paid_for_soups() -> None:
    game = kitchen()
    made = [CookingStrategyAnswer(strategy=words, role=role) for words, role in (("load", LOADS), ("serve", SERVES))]
    model = ScriptedModel(
        {
            MakeCookingStrategy: each(made),
            FollowCookingStrategy: lambda question: PartAnswer(role=LOADS),
            JudgeCookingStrategy: lambda question: HindsightAnswer(outcome=Outcome.NEGATIVE),
        }
    )
    strategist = EvaluatedStrategies(TABLE_3, game.mind, model, InteractionMemory())
    assert asyncio.run(strategist.open()) == Strategy("load", role=LOADS)
    assert deliver(strategist, 40, SERVES, game.players[0]) == Strategy("load", role=LOADS)
    assert values(strategist) == {"load": 6.0}
    assert model.kinds() == [MakeCookingStrategy, FollowCookingStrategy]
