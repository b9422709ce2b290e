"""The built-in reasoner in a matrix game: which calculation answers which question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from hm_agent.questions import Question
from hm_agent.worlds.melting_pot.games.matrix.questions.minds import (
    ChooseOpponents,
    InferInventory,
    PredictAndCounter,
    PredictNext,
    ProposeHypothesis,
    ReadMinds,
)
from hm_agent.worlds.melting_pot.games.matrix.questions.plans import EvaluatePlan, PlanSubgoals
from hm_agent.worlds.melting_pot.games.matrix.questions.strategies import FollowStrategy, JudgeStrategy, MakeStrategy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.minds import choose, counter, infer, predict, propose, read_minds
from hm_agent.worlds.melting_pot.games.matrix.reasoner.plans import evaluate_plan, plan
from hm_agent.worlds.melting_pot.games.matrix.reasoner.strategies import follow_strategy, judge_strategy, make_strategy

ANSWERS: Mapping[type[Question[Any]], Callable[[Any], BaseModel]] = {
    InferInventory: infer,
    ProposeHypothesis: propose,
    PredictAndCounter: counter,
    PredictNext: predict,
    ChooseOpponents: choose,
    PlanSubgoals: plan,
    ReadMinds: read_minds,
    MakeStrategy: make_strategy,
    FollowStrategy: follow_strategy,
    JudgeStrategy: judge_strategy,
    EvaluatePlan: evaluate_plan,
}
