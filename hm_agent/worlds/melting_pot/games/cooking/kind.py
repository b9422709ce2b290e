"""Kitchens as the rest of the wing knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.models.builtin import ReasonerTable
from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import PLANNING
from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts
from hm_agent.worlds.melting_pot.games.kind import STEPS, Kind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.cooking.game import CookingGame
    from hm_agent.worlds.melting_pot.games.cooking.seat import KitchenSeat
    from hm_agent.worlds.melting_pot.games.cooking.simulator.bots import KitchenBots
    from hm_agent.worlds.melting_pot.games.options import AgentOptions
    from hm_agent.worlds.melting_pot.perception.perceiver import SubstrateVision


class CookingKind(Kind[KitchenFacts]):
    """Two cooks make and deliver soup together, and all are paid for each. An interaction is a soup delivered."""

    facts = KitchenFacts
    actions = (*STEPS, "interact")
    script = Path(__file__).with_name("cooking.js")

    def game(self, facts: KitchenFacts, vision: SubstrateVision, options: AgentOptions, slot: int) -> CookingGame:
        from hm_agent.worlds.melting_pot.games.cooking.game import CookingGame

        return CookingGame(facts, vision, options, slot)

    def situation(self) -> type[KitchenSeat]:
        from hm_agent.worlds.melting_pot.games.cooking.seat import KitchenSeat

        return KitchenSeat

    def answers(self) -> ReasonerTable:
        from hm_agent.worlds.melting_pot.games.cooking.reasoner.answers import ANSWERS

        return ANSWERS

    def planning_questions(self) -> Sequence[type[Question[Any]]]:
        from hm_agent.worlds.melting_pot.games.cooking.failures import CritiqueInteraction

        return *PLANNING, CritiqueInteraction

    def bots(self, facts: KitchenFacts) -> KitchenBots:
        from hm_agent.worlds.melting_pot.games.cooking.simulator.bots import KitchenBots

        return KitchenBots(facts)

    def count_interactions(self, facts: KitchenFacts, observation: Mapping[str, Any], reward: float) -> int:
        return round(reward / facts.recipe.reward)
