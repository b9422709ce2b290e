"""The agents that can play any world with a body, by name. A world's own agents are in its suite."""

from __future__ import annotations

from collections.abc import Mapping

from hm_agent.agents.agent import Recipe
from hm_agent.agents.baselines import EvaluatedStrategies, HighLevelPlanner, Reactive, VanillaMindPrompting
from hm_agent.agents.reflection import FailureReflector, PlanReflector
from hm_agent.theory_of_mind.calculating import Calculator
from hm_agent.theory_of_mind.hypotheses import BY_PREDICTION, BY_REWARD
from hm_agent.theory_of_mind.joint import JointMind
from hm_agent.theory_of_mind.module import Parts, TheoryOfMind

FULL = "hypothetical_minds"


def _mind_reader(about: str, parts: Parts, ablation_of: str = "") -> Recipe:
    return Recipe(
        about,
        lambda mind, model, parameters: TheoryOfMind(mind, model, parameters.by_prediction, parts),
        FailureReflector,
        TheoryOfMind.needs,
        ablation_of,
        uses=BY_PREDICTION,
    )


AGENTS: Mapping[str, Recipe] = {
    FULL: _mind_reader("the full agent: hypotheses about the others, scored and refined", Parts()),
    "hm_joint": Recipe(
        "ours: the same hypotheses, revised, predicted by and weighed in one question after an interaction",
        lambda mind, model, parameters: JointMind(mind, model, parameters.by_prediction),
        FailureReflector,
        JointMind.needs,
        uses=BY_PREDICTION,
    ),
    "hm_odds": Recipe(
        "ours: a model gives the chances of what others do, and code calculates what to do about it",
        lambda mind, model, parameters: Calculator(mind, model),
        FailureReflector,
        Calculator.needs,
        uses=(),
    ),
    "react": Recipe(
        "no strategy: plans from the history of interactions (ReAct)",
        lambda mind, model, parameters: Reactive(mind, model),
        uses=(),
    ),
    "reflexion": Recipe(
        "the same, and every plan is evaluated once it is over (Reflexion)",
        lambda mind, model, parameters: Reactive(mind, model),
        PlanReflector,
        uses=(),
    ),
    "plan_react": Recipe(
        "a high-level plan after every interaction (PlanReAct)",
        lambda mind, model, parameters: HighLevelPlanner(mind, model),
        needs=HighLevelPlanner.needs,
        uses=(),
    ),
    "vmp": Recipe(
        "ablation: the Theory of Mind in one question, nothing scored (Vanilla Mind Prompting)",
        lambda mind, model, parameters: VanillaMindPrompting(mind, model),
        FailureReflector,
        VanillaMindPrompting.needs,
        FULL,
        uses=(),
    ),
    "mmp": _mind_reader(
        "ablation: a question a step, no evaluation, no refinement (Modular Mind Prompting)",
        Parts(evaluation=False, refinement=False),
        FULL,
    ),
    "mmp_he": _mind_reader("ablation: a question a step and evaluation, no refinement", Parts(refinement=False), FULL),
    "he_hr": Recipe(
        "ablation: the agent's own strategies, evaluated by reward, instead of mind prompting",
        lambda mind, model, parameters: EvaluatedStrategies(mind, model, parameters.by_reward),
        FailureReflector,
        EvaluatedStrategies.needs,
        FULL,
        uses=BY_REWARD,
    ),
}
