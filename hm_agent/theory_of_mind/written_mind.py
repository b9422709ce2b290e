"""The mind of agents whose strategies are words, in any world with a `SeatSituation`: what to ask about the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hm_agent.core import Event, Interaction, Strategy
from hm_agent.models.prompts import phrase
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.language_mind import LanguageMind
from hm_agent.theory_of_mind.mind import MindsRead, OddsReading, PlayerBelief
from hm_agent.theory_of_mind.mind_questions import MindsReadAnswer
from hm_agent.theory_of_mind.player_odds import PlayerOdds
from hm_agent.theory_of_mind.situation import InteractionSeen, NoticedInteraction, SeatSituation

SHOWN_INTERACTIONS = 5
"""How many of the latest interactions a question shows."""

MOST_SHOWN = 4
"""How many of the likeliest next behaviours of a player a question shows with their chances."""


@dataclass(frozen=True, slots=True)
class WrittenStrategy:
    """A strategy in words; empty if none is decided on. others: what is believed of each player that was noticed."""

    words: str
    others: tuple[PlayerBelief, ...] = ()

    def why_replan(self, before: WrittenStrategy) -> str | None:
        """Says why a plan made for the strategy `before` can't go on; None if it can.

        Another hypothesis that expects the same behaviour is no reason.
        """
        if self.words != before.words:
            return phrase("agent/messages.j2", "strategy_changed")
        return phrase("agent/messages.j2", "expects_otherwise") if self._expected != before._expected else None

    @property
    def _expected(self) -> Mapping[str, str]:
        return {other.name: other.expected for other in self.others if other.expected is not None}


class WrittenMind(LanguageMind[SeatSituation, WrittenStrategy], OddsReading):
    """What strategists ask where a strategy is words, from one agent's point of view."""

    remembers = SHOWN_INTERACTIONS

    def is_interaction(self, event: Event) -> bool:
        return isinstance(event, InteractionSeen)

    def understand(self, event: Event) -> NoticedInteraction | None:
        return event.interaction if isinstance(event, InteractionSeen) else None

    def repeats(self, history: Sequence[Interaction], *, validated: bool = False) -> bool:
        """True if the latest two interactions show the same behaviour."""
        behaviours = [interaction.behaviour for interaction in history[-2:]]
        return len(behaviours) == 2 and behaviours[0] == behaviours[1]

    def explains(self, hypotheses: Bank, history: Sequence[Interaction]) -> bool:
        """True if a hypothesis has foreseen the latest interaction, or if the player has done the same before."""
        *earlier, latest_one = history
        foreseen = [hypothesis.prediction for hypothesis in hypotheses if hypothesis.prediction is not None]
        is_known = latest_one.behaviour in [interaction.behaviour for interaction in earlier]
        return bool(hypotheses) and (is_known or any(self.is_right(each, latest_one) for each in foreseen))

    def decided(self, given: str, *, informed: bool = True) -> WrittenStrategy:
        """The strategy in an answer; the present one if the answer leaves it empty."""
        return WrittenStrategy(given or self.strategy_now or self._first)

    def _minds_read(self, answer: MindsReadAnswer[Any, Any], *, informed: bool) -> MindsRead:
        """Planning is shown the minds that were read beside the strategy."""
        read = super()._minds_read(answer, informed=informed)
        others = tuple(PlayerBelief(name, it.words, it.prediction) for name, it in read.hypotheses.items())
        return replace(read, strategy=replace(self.decided(answer.strategy), others=others))

    def in_view_of(self, strategy: Strategy, beliefs: Callable[[], Sequence[PlayerBelief]]) -> WrittenStrategy:
        assert isinstance(strategy, WrittenStrategy)
        return replace(strategy, others=tuple(beliefs()))

    def undecided(self) -> WrittenStrategy:
        return WrittenStrategy("")

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> WrittenStrategy:
        """The strategy before a model has decided, with the behaviours that are known, which planning is shown."""
        known = [PlayerBelief(player, None, expected) for player, expected in behaviours.items() if expected]
        return WrittenStrategy(self._first, tuple(known))

    def respond(self, odds: Mapping[str, PlayerOdds]) -> WrittenStrategy:
        """Leaves what to do to planning, which is shown the chances."""
        return WrittenStrategy("", tuple(_belief_of(player, each) for player, each in odds.items()))

    @property
    def _first(self) -> str:
        return phrase(self.situation.blocks, "first_strategy")


def _belief_of(player: str, odds: PlayerOdds) -> PlayerBelief:
    """What questions show of chances: the likeliest rule, and the chances in whole percents."""
    (words, _, _), *_ = odds.ranked
    likeliest = sorted(_percents(odds.chances), key=lambda pair: -pair[1])[:MOST_SHOWN]
    return PlayerBelief(player, words, odds.likeliest, odds=tuple(likeliest), knows=_percents(odds.knows))


def _percents(chances: Mapping[str, float]) -> tuple[tuple[str, int], ...]:
    return tuple((name, round(100 * chance)) for name, chance in chances.items())
