"""Learning from what was done (Hypothetical Minds, appendix C.6)."""

from __future__ import annotations

from typing import Protocol

from hm_agent.asking import Model, Unanswered
from hm_agent.games.game import Briefing, Game
from hm_agent.planning.subgoals import Subgoal


class Reflector(Protocol):
    """Whoever learns from what was done."""

    async def reflect(self, briefing: Briefing, failed: Subgoal) -> str | None:
        """What to bear in mind in the next plan, after a subgoal came to nothing."""
        ...


class GamesOwnReflector:
    """Asks what the game has to ask about a failure; where it has nothing, nothing is learnt."""

    def __init__(self, game: Game, model: Model) -> None:
        self._game, self._model = game, model

    async def reflect(self, briefing: Briefing, failed: Subgoal) -> str | None:
        question = self._game.ask_critique(briefing, failed)
        if question is None:
            return None
        try:
            return (await self._model.answer(question)).critique
        except Unanswered:
            return None
