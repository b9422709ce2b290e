"""A strategist that models nobody: it always acts as if the others followed one rule."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.core import Strategy
from hm_agent.questions import Model
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.strategist import BaseStrategist
from hm_agent.theory_of_mind.written_mind import WrittenMind, WrittenStrategy


class FixedBelief(BaseStrategist[WrittenMind]):
    """Plans as if each other player followed a rule. rules: one for each role that others can have."""

    def __init__(self, mind: WrittenMind, model: Model, rules: Sequence[str]) -> None:
        super().__init__(mind, model)
        self._rules = rules

    async def _decide(self) -> Strategy:
        others = (PlayerBelief(player, rule, None) for player in self._mind.players for rule in self._rules)
        return WrittenStrategy("", tuple(others))
