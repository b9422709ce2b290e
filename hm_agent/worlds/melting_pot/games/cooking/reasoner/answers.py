"""The built-in reasoner in a kitchen: which calculation answers which question."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from hm_agent.questions import Question
from hm_agent.worlds.melting_pot.games.cooking.questions.minds import (
    ChooseRole,
    PredictTeammate,
    ProposeTeammate,
    ReadTeammate,
)
from hm_agent.worlds.melting_pot.games.cooking.questions.plans import CritiqueInteraction, EvaluateCooking, PlanCooking
from hm_agent.worlds.melting_pot.games.cooking.questions.strategies import (
    FollowCookingStrategy,
    JudgeCookingStrategy,
    MakeCookingStrategy,
)
from hm_agent.worlds.melting_pot.games.cooking.reasoner.minds import choose, predict, propose, read_teammate
from hm_agent.worlds.melting_pot.games.cooking.reasoner.plans import criticise, evaluate, plan
from hm_agent.worlds.melting_pot.games.cooking.reasoner.strategies import follow_strategy, judge_strategy, make_strategy

ANSWERS: Mapping[type[Question[Any]], Callable[[Any], BaseModel]] = {
    ProposeTeammate: propose,
    PredictTeammate: predict,
    ChooseRole: choose,
    ReadTeammate: read_teammate,
    MakeCookingStrategy: make_strategy,
    FollowCookingStrategy: follow_strategy,
    JudgeCookingStrategy: judge_strategy,
    PlanCooking: plan,
    CritiqueInteraction: criticise,
    EvaluateCooking: evaluate,
}
