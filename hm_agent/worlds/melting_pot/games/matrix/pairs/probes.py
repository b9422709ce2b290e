"""The literal question of matched pairs: what does the opponent play? It is asked for the metrics alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hm_agent.agents.planning_body import LiteralProbes
from hm_agent.models.prompts import phrase
from hm_agent.questions import Model
from hm_agent.theory_of_mind.language_mind import Situated
from hm_agent.theory_of_mind.predictions import BASE_RATE, RIGHT
from hm_agent.theory_of_mind.situation import SeatSituation
from hm_agent.worlds.melting_pot.games.matrix.seat import MatrixSeat
from hm_agent.worlds.melting_pot.grid import Move

EITHER_BOARD = 0.5
"""The share that always the same kind is right on: the opponents of both boards play different ones."""


class PairProbes(LiteralProbes[SeatSituation, Move]):
    """Asks once, at the first free step, and scores the answer by the truth, which the agent never gets."""

    def __init__(self, senses: Situated[MatrixSeat], truth: Callable[[], str]) -> None:
        """truth: the kind that the opponent plays."""
        self._senses, self._truth = senses, truth
        self.choices = senses.situation.keys
        self._is_right: bool | None = None

    def due(self, situation: SeatSituation) -> Sequence[str]:
        (other,) = self._senses.situation.players
        return (
            (phrase("melting_pot/matrix/messages.j2", "what_it_plays", player=other),) if self._is_right is None else ()
        )

    async def ask(self, model: Model, situation: SeatSituation) -> Move | None:
        return await super().ask(model, self._senses.situation)

    def take(self, answers: Sequence[str] | None) -> None:
        self._is_right = answers is not None and answers[0] == self._truth()

    def metrics(self) -> Mapping[str, float]:
        """Whether the answer was right, as of a prediction; empty if none was asked for."""
        return {} if self._is_right is None else {RIGHT: float(self._is_right), BASE_RATE: EITHER_BOARD}
