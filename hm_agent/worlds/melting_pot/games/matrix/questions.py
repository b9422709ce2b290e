"""The question of a matrix game that no other world asks: what the other player held.

All others that strategists ask are those of every world (`theory_of_mind/mind_questions.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from hm_agent.questions import Question
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules


class InventoryAnswer(BaseModel):
    """What the other held, by behaviour."""

    reasoning: str = ""
    inventory: dict[str, int]


@dataclass(frozen=True, slots=True)
class InferInventory(Question[InventoryAnswer]):
    """Which inventory of the partner explains the reward? (step 1, where the model infers it)"""

    template = "melting_pot/matrix/infer_inventory.j2"
    schema = InventoryAnswer
    rules: MatrixRules
    own: Counts
    reward: float

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    @property
    def count_range(self) -> tuple[int, int]:
        return self.rules.count_range

    def check(self, answer: InventoryAnswer) -> None:
        self.rules.check("inventory", answer.inventory, self.count_range)
