"""A mind reader that is told chances and calculates: a model says what others may do, code what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model, ask
from hm_agent.theory_of_mind.mind import OddsReading, PlayerModel
from hm_agent.theory_of_mind.odds import RuleBeliefs, likeliest
from hm_agent.theory_of_mind.predictions import BaseRates
from hm_agent.theory_of_mind.strategist import BaseStrategist


class Calculator(BaseStrategist[OddsReading]):
    """A strategist that asks for the rules by which another player may act, with their chances, in one question.

    What to do is calculated from the answer (`RuleBeliefs`). It asks again only about what it could not expect: an
    action that is rarer than if all were drawn alike, a clue against the likeliest one, or, unless both repeat their
    actions, a next action that the answer did not tell. The question waits until the agent can act again, since the
    world may show more by then. Predictions that a constant would beat are not acted on (`BaseRates`).
    """

    needs = (OddsReading,)

    def __init__(self, mind: OddsReading, model: Model) -> None:
        super().__init__(mind, model)
        self._beliefs: dict[str, RuleBeliefs] = {}
        self._moves: dict[str, tuple[int, int]] = {}
        """The agent's action and the other's in the latest interaction with each player."""
        self._rates = BaseRates()
        self._about: str | None = mind.players[0] if len(mind.players) == 1 else None
        """The player about whom a question is due; None if about nobody."""

    @property
    def is_outdated(self) -> bool:
        return self._about is not None and self._mind.can_act and not self._mind.is_over

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        """The rules about the player of the latest interaction, the likeliest first; a value is a probability."""
        beliefs = self._beliefs.get(self.about or self._mind.players[0])
        names = self._mind.side.others
        return [
            Hypothesis(words, share, names[likeliest(chances)])
            for words, share, chances in (beliefs.ranked if beliefs else ())
        ]

    def believed_about(self, player: str) -> Hypothesis | None:
        """The likeliest rule, with the likeliest action by all rules."""
        if player not in self._beliefs:
            return None
        (words, share, _), *_ = self._beliefs[player].ranked
        return Hypothesis(words, share, self._awaited(player))

    def chances_of(self, player: str) -> Mapping[str, float] | None:
        beliefs = self._beliefs.get(player)
        return dict(zip(self._mind.side.others, beliefs.chances, strict=True)) if beliefs else None

    def _awaited(self, player: str) -> str | None:
        """The likeliest next action of a player; None if nothing is believed of it."""
        beliefs = self._beliefs.get(player)
        return self._mind.side.others[likeliest(beliefs.chances)] if beliefs else None

    async def _decide(self) -> Strategy | None:
        """Asks about the player about whom a question is due, and responds to all that is believed."""
        if self._about is not None:
            about, self._about = self._about, None
            other = PlayerModel(about, self._memory.of(about), clue=self._clues.get(about))
            if rules := await ask(self._model, self._mind.ask_odds(other)):
                self._beliefs[about] = RuleBeliefs(rules, self._mind.side, self._mind.interactions_left)
        return self._response()

    def _response(self) -> Strategy | None:
        if not self._beliefs:
            return None
        for player in self._beliefs:
            rates = self._rates.believed_of(player)
            if rates and (response := self._mind.response_to_rates(player, rates)):
                return response
        chances = {player: beliefs.chances for player, beliefs in self._beliefs.items()}
        is_only = len(self._mind.players) == 1
        return self._mind.respond(chances, self._beliefs[self._mind.players[0]].choice if is_only else None)

    async def _on_interaction(self, interaction: Interaction) -> Strategy | None:
        partner = interaction.partner
        self._clues.pop(partner, None)
        self._rates.take(partner, self._awaited(partner), interaction.behaviour)
        if (moves := self._mind.moves_in(interaction)) is None:
            return None
        beliefs, before = self._beliefs.get(partner), self._moves.get(partner)
        self._moves[partner] = moves
        if beliefs is None:
            return await self._ask_about(partner)
        is_surprised = beliefs.chances[moves[1]] < 1 / len(self._mind.side.others)
        beliefs.take(*moves)
        if is_surprised or (beliefs.is_open and moves != before):
            return await self._ask_about(partner)
        return self._response()

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        """Asks again, as the clue speaks against the likeliest action."""
        return await self._ask_about(clue.partner)

    async def _ask_about(self, player: str) -> Strategy | None:
        """Asks about a player now, or once the agent can act again."""
        self._about = player
        return await self._decide() if self._mind.can_act else None
