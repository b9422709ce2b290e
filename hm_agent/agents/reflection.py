"""Learning from what was done (Hypothetical Minds, appendices C.6 and D.2)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from hm_agent.questions import Model, answer_or_none
from hm_agent.worlds.melting_pot.games.game import Game, PlanContext, PlanOutcome

KEPT = 3
"""So many evaluations are borne in mind, the latest ones."""


class Reflector(Protocol):
    """Whoever learns from what was done."""

    async def reflect(self, briefing: PlanContext, attempt: PlanOutcome) -> Sequence[str]:
        """What to bear in mind in the next plan, after what came of the latest one."""
        ...


class Thoughtless:
    """Learns nothing."""

    async def reflect(self, briefing: PlanContext, attempt: PlanOutcome) -> Sequence[str]:
        return ()


class FailureReflector:
    """Asks what the game has to ask about a failure; where it has nothing, nothing is learnt (appendix C.6)."""

    def __init__(self, game: Game, model: Model) -> None:
        self._game, self._model = game, model

    async def reflect(self, briefing: PlanContext, attempt: PlanOutcome) -> Sequence[str]:
        question = self._game.ask_critique(briefing, attempt.failed) if attempt.failed else None
        answer = await answer_or_none(self._model, question) if question else None
        return (answer.critique,) if answer else ()


class PlanReflector:
    """Evaluates every plan, as Reflexion does (appendix D.2)."""

    def __init__(self, game: Game, model: Model) -> None:
        self._game, self._model = game, model
        self._critiques: deque[str] = deque(maxlen=KEPT)

    async def reflect(self, briefing: PlanContext, attempt: PlanOutcome) -> Sequence[str]:
        answer = await answer_or_none(self._model, self._game.ask_evaluation(briefing, attempt))
        if answer is not None:
            self._critiques.append(answer.critique)
        return tuple(self._critiques)
