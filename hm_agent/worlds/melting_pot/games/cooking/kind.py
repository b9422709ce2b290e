"""Kitchens as the rest of the wing knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hm_agent.questions import Question
from hm_agent.theory_of_mind.decision_questions import PLANNING
from hm_agent.worlds.melting_pot.games.kind import STEPS, Kind

if TYPE_CHECKING:
    from hm_agent.worlds.melting_pot.games.cooking.facts import KitchenFacts


class CookingKind(Kind["KitchenFacts"]):
    """Two cooks make and deliver soup together, and all are paid for each. An interaction is a soup delivered."""

    facts_at = "games.cooking.facts:KitchenFacts"
    actions = (*STEPS, "interact")
    script = Path(__file__).with_name("cooking.js")
    game_at = "games.cooking.game:CookingGame"
    situation_at = "games.cooking.seat:KitchenSeat"
    answers_at = "games.cooking.reasoner.answers:ANSWERS"
    bots_at = "games.cooking.simulator.bots:KitchenBots"

    def planning_questions(self) -> Sequence[type[Question[Any]]]:
        from hm_agent.worlds.melting_pot.games.cooking.failures import CritiqueInteraction

        return *PLANNING, CritiqueInteraction

    def count_interactions(self, facts: KitchenFacts, observation: Mapping[str, Any], reward: float) -> int:
        return round(reward / facts.recipe.reward)
