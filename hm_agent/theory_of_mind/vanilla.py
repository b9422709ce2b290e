"""Vanilla Mind Prompting: all steps of the Theory of Mind in one question, nothing kept or scored (section 4.5)."""

from __future__ import annotations

from collections.abc import Sequence

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, answer_or_none
from hm_agent.theory_of_mind.mind import MindPrompting, OpponentModel
from hm_agent.theory_of_mind.strategist import BaseStrategist


class VanillaMindPrompting(BaseStrategist[MindPrompting]):
    """A strategist that asks one question after every event and keeps no hypothesis beyond the next."""

    def __init__(self, mind: MindPrompting, model: Model) -> None:
        super().__init__(mind, model)
        self._minds: dict[str, Hypothesis] = {}
        self._expected: dict[str, str | None] = {}
        """The behaviour that the present strategy answers, by player."""
        self._clues: dict[str, Clue] = {}

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        return (self._minds[self.about],) if self.about in self._minds else ()

    async def _on_interaction(self, interaction: Interaction) -> Strategy | None:
        self._clues.pop(interaction.partner, None)
        self._expected.pop(interaction.partner, None)
        return await self._decide()

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        """Asks again if a clue contradicts what is expected."""
        self._clues[clue.partner] = clue
        if clue.suggests in (None, self._expected.get(clue.partner)):
            return None
        self._expected[clue.partner] = clue.suggests
        return await self._decide()

    async def _decide(self) -> Strategy | None:
        opponents = [
            OpponentModel(player, self._memory.of(player), clue=self._clues.get(player))
            for player in self._mind.players
        ]
        answer = await answer_or_none(self._model, self._mind.ask_minds(opponents))
        if answer is None:
            return None
        minds = self._mind.minds(answer)
        self._minds |= minds
        self._expected |= {player: mind.prediction for player, mind in minds.items()}
        return self._mind.strategy(answer, informed=bool(self._memory.all or self._clues))
