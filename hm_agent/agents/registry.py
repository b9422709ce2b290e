"""The agents by name: each a composition of the same parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hm_agent.agents.baselines import HighLevelPlanner, Reactive
from hm_agent.agents.reference import NoopAgent, RandomAgent, ToldStrategist
from hm_agent.agents.reflection import FailureReflector, PlanReflector, Reflector, Thoughtless
from hm_agent.core import Agent, OpponentIntent
from hm_agent.models.transcript import Transcript
from hm_agent.questions import Model
from hm_agent.theory_of_mind.by_reward import TABLE_3, EvaluatedStrategies
from hm_agent.theory_of_mind.hypotheses import Hyperparameters
from hm_agent.theory_of_mind.memory import InteractionMemory
from hm_agent.theory_of_mind.module import Parts, TheoryOfMind
from hm_agent.theory_of_mind.strategist import Strategist
from hm_agent.theory_of_mind.vanilla import VanillaMind
from hm_agent.worlds.melting_pot.agent import ComposedAgent
from hm_agent.worlds.melting_pot.facts import GameFacts
from hm_agent.worlds.melting_pot.games import build_game
from hm_agent.worlds.melting_pot.games.game import Game, Inference, Mind
from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision
from hm_agent.worlds.melting_pot.planning.action_planner import ActionPlanner


@dataclass(frozen=True)
class Ingredients:
    """What an agent is made of.

    tell: what the others are after; only the agent that is told may use it. parameters: of hypotheses that are scored
    by their predictions. by_reward: of those that are by reward.
    """

    facts: GameFacts
    eyes: SubstrateVision
    model: Model
    seed: int
    tell: Callable[[], Sequence[OpponentIntent]]
    parameters: Hyperparameters = field(default_factory=Hyperparameters)
    by_reward: Hyperparameters = TABLE_3
    inference: Inference = Inference.EXACT


Building = Callable[[Ingredients], Agent]
"""Builds a player for one episode."""


def _composed(
    strategist: Callable[[Ingredients, Mind, Model, InteractionMemory], Strategist],
    reflector: Callable[[Game, Model], Reflector],
) -> Building:
    def build(ingredients: Ingredients) -> ComposedAgent:
        game = build_game(ingredients.facts, ingredients.eyes, ingredients.inference)
        model = Transcript(ingredients.model)
        planner = ActionPlanner(game.layout, ingredients.facts.beam, ingredients.eyes.window, game.ready_mark)
        decides = strategist(ingredients, game.mind, model, InteractionMemory())
        return ComposedAgent(game, ingredients.eyes, planner, decides, reflector(game, model), model)

    return build


def _mindreader(parts: Parts) -> Building:
    return _composed(
        lambda given, mind, model, memory: TheoryOfMind(mind, model, memory, given.parameters, parts), FailureReflector
    )


AGENTS: Mapping[str, Building] = {
    "hypothetical_minds": _mindreader(Parts()),
    "react": _composed(lambda given, *parts: Reactive(*parts), lambda *_: Thoughtless()),
    "reflexion": _composed(lambda given, *parts: Reactive(*parts), PlanReflector),
    "plan_react": _composed(lambda given, *parts: HighLevelPlanner(*parts), lambda *_: Thoughtless()),
    "vmp": _composed(lambda given, *parts: VanillaMind(*parts), FailureReflector),
    "mmp": _mindreader(Parts(evaluation=False, refinement=False)),
    "mmp_he": _mindreader(Parts(refinement=False)),
    "he_hr": _composed(lambda given, *parts: EvaluatedStrategies(given.by_reward, *parts), FailureReflector),
    "oracle": _composed(lambda given, *parts: ToldStrategist(given.tell, *parts), FailureReflector),
    "random": lambda given: RandomAgent(given.seed),
    "noop": lambda given: NoopAgent(),
}

ABOUT: Mapping[str, str] = {
    "hypothetical_minds": "the full agent: perception, memory, Theory of Mind, subgoals, A*",
    "react": "subgoals alone, planned on the history of interactions (ReAct)",
    "reflexion": "the same, and every plan is evaluated once it is over (Reflexion)",
    "plan_react": "a high-level plan after every interaction, then subgoals (PlanReAct)",
    "vmp": "ablation: the Theory of Mind in one question, nothing scored (Vanilla Mind Prompting)",
    "mmp": "ablation: a question a step, no evaluation, no refinement (Modular Mind Prompting)",
    "mmp_he": "ablation: a question a step and evaluation, no refinement",
    "he_hr": "ablation: strategies of one's own, evaluated by reward, instead of mind prompting",
    "oracle": "told what the others are after, or their rule; same perception and planning; marks the ceiling",
    "random": "any move, each as likely; marks the floor",
    "noop": "stands still",
}
