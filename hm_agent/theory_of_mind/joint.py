"""A mind reader that asks one question after an interaction, where Hypothetical Minds asks one a step.

The hypotheses, their values and their validation are Hypothetical Minds' (section 3.2). The question shows the
evidence and every hypothesis with its record; the answer keeps, rewords or adds hypotheses, predicts by each, and
chooses what to do in view of all, rather than by the newest alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, ask
from hm_agent.theory_of_mind.hypotheses import Bank, Hyperparameters, find, ranked, score
from hm_agent.theory_of_mind.mind import JointMindReading, Revision
from hm_agent.theory_of_mind.predictions import BaseRates
from hm_agent.theory_of_mind.strategist import HypothesisKeeper


class JointMind(HypothesisKeeper[JointMindReading]):
    """A strategist that revises its hypotheses about the latest partner and decides, in one question.

    The question waits until the agent can act again, since its answer depends on where everybody is then. Predictions
    that a constant would beat are not acted on (`BaseRates`).
    """

    needs = (JointMindReading,)

    def __init__(self, mind: JointMindReading, model: Model, parameters: Hyperparameters) -> None:
        super().__init__(mind, model, parameters)
        self._about: str | None = None
        """The player about whom something new was learned since the latest question; None if about nobody."""
        self._rates = BaseRates()
        self._answered: dict[str, str | None] = {}
        """By player, the behaviour that the latest answered strategy counts on."""

    @property
    def history(self) -> Sequence[Interaction]:
        """All interactions: planning also sees the evidence for the strategy."""
        return self._memory.all

    def believed_about(self, player: str) -> Hypothesis | None:
        """The most valuable hypothesis about a player; among equals, the one that the latest answer names last."""
        return next(iter(ranked(self._banks.get(player, ()))), None)

    async def _on_interaction(self, interaction: Interaction) -> Strategy | None:
        partner = interaction.partner
        self._rates.take(partner, self._answered.get(partner), interaction.behaviour)
        self._clues.pop(partner, None)
        bank = self._banks.get(partner, ())
        self._banks[partner] = score(
            bank, lambda prediction: self._mind.is_right(prediction, interaction), self._parameters
        )
        return await self._decide_about(partner)

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        """Decides again, as the clue contradicts the expected behaviour; a clue scores no hypothesis."""
        return await self._decide_about(clue.partner)

    async def _decide_about(self, player: str) -> Strategy | None:
        """Decides after something new about a player: now, or once the agent can act again."""
        self._about = player
        self._is_due = not self._mind.can_act
        return None if self._is_due else await self._decide()

    async def _decide(self) -> Strategy | None:
        """Asks the one question; revises the hypotheses if something is new, and returns the strategy of the answer."""
        about, self._about, self._is_due = self._about, None, False
        others = [self._player_model(player) for player in self._mind.players]
        revised = await ask(self._model, self._mind.ask_revision(others, about))
        if revised is None:
            return None
        if about is not None:
            self._revise(about, revised.revisions, revised.foreseen)
        self._answered |= {
            player: self._mind.awaited(revised.strategy, player) or self._expected.get(player)
            for player in self._mind.players
        }
        return self._rates.response(self._mind, self._mind.players) or revised.strategy

    def _revise(self, player: str, revisions: Iterable[Revision], foreseen: str | None) -> None:
        """Replaces the hypotheses about a player by those that an answer keeps, rewords or adds.

        foreseen: the behaviour that the answer expects in view of all hypotheses; None if it names none.
        """
        before = self._banks.get(player, ())
        bank: Bank = ()
        for revision in revisions:
            known = before[revision.of - 1] if 0 < revision.of <= len(before) else find(before, revision.words)
            words = revision.words or (known.words if known else "")
            if words and find(bank, words) is None:
                revised = known or Hypothesis(words, born=len(self._memory.of(player)))
                bank = (*bank, replace(revised, words=words, prediction=revision.prediction))
        top = ranked(bank)[: self._parameters.top_k]
        self._banks[player] = tuple(hypothesis for hypothesis in bank if hypothesis in top)
        clue, believed = self._clues.get(player), self.believed_about(player)
        suggested = clue.suggests if clue else None
        self._expected[player] = suggested or foreseen or (believed.prediction if believed else None)
