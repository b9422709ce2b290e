"""A mind reader that asks for chances: a model says what others may do, and code what to do about it, where it can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, ask
from hm_agent.theory_of_mind.mind import OddsReading, PlayerModel
from hm_agent.theory_of_mind.player_odds import PlayerOdds
from hm_agent.theory_of_mind.predictions import BaseRates
from hm_agent.theory_of_mind.strategist import BaseStrategist


class Calculator(BaseStrategist[OddsReading]):
    """A strategist that asks for the rules by which another player may act, with their chances, in one question.

    What to do about the answer the world says: it calculates that from a table of payoffs, or shows the chances to
    planning. It asks again after what the answer does not cover (`PlayerOdds.take`), and after a clue against the
    likeliest behaviour, or once the world says that it no longer holds. The question waits until the agent can act
    again, since the world may show more by then. Predictions that a constant would beat are not acted on (`BaseRates`).
    """

    needs = (OddsReading,)

    def __init__(self, mind: OddsReading, model: Model) -> None:
        super().__init__(mind, model)
        self._odds: dict[str, PlayerOdds] = {}
        self._rates = BaseRates()
        self._about: str | None = mind.players[0] if len(mind.players) == 1 else None
        """The player who calls for a question by what it did, or at first."""

    @property
    def is_outdated(self) -> bool:
        return self._due is not None and self._mind.can_act and not self._mind.is_over

    @property
    def _due(self) -> str | None:
        """The player about whom to ask; None if about nobody."""
        return self._about or self._mind.outdated

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        """The rules about the player of the latest interaction, the likeliest first; a value is a probability."""
        odds = self._odds.get(self.about or next(iter(self._mind.players), ""))
        return [Hypothesis(*rule) for rule in (odds.ranked if odds else ())]

    def believed_about(self, player: str) -> Hypothesis | None:
        """The likeliest rule, with the likeliest behaviour by all rules."""
        if (odds := self._odds.get(player)) is None:
            return None
        (words, share, _), *_ = odds.ranked
        return Hypothesis(words, share, odds.likeliest)

    def chances_of(self, player: str) -> Mapping[str, float] | None:
        odds = self._odds.get(player)
        return odds.chances if odds else None

    def _awaited(self, player: str) -> str | None:
        """The likeliest next behaviour of a player; None if nothing is believed of it."""
        odds = self._odds.get(player)
        return odds.likeliest if odds else None

    async def _decide(self) -> Strategy | None:
        """Asks about the player about whom a question is due, and responds to all that is believed."""
        if (about := self._due) is not None:
            self._about = None
            other = PlayerModel(about, self._memory.of(about), clue=self._clues.get(about))
            if odds := await ask(self._model, self._mind.ask_odds(other)):
                self._odds[about] = odds
        return self._response()

    def _response(self) -> Strategy | None:
        if by_rates := self._rates.response(self._mind, self._odds):
            return by_rates
        return self._mind.respond(self._odds) if self._odds else None

    async def _on_interaction(self, interaction: Interaction) -> Strategy | None:
        partner = interaction.partner
        self._clues.pop(partner, None)
        self._rates.take(partner, self._awaited(partner), interaction.behaviour)
        odds, (*earlier, _) = self._odds.get(partner), self._memory.of(partner)
        if odds is None or odds.take(interaction, earlier[-1] if earlier else None):
            if odds and not odds.is_lasting:
                del self._odds[partner]
            return await self._ask_about(partner)
        return self._response()

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        """Asks again, as the clue speaks against the likeliest action."""
        return await self._ask_about(clue.partner)

    async def _ask_about(self, player: str) -> Strategy | None:
        """Asks about a player now, or once the agent can act again."""
        self._about = player
        return await self._decide() if self._mind.can_act else None
