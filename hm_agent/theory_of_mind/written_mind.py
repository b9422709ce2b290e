"""The mind of agents whose strategies are words, in any world with a `SeatSituation`: what to ask about the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from hm_agent.core import Clue, Event, Interaction, Strategy
from hm_agent.models.prompts import phrase
from hm_agent.questions import Asking, asking
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.language_questions import (
    ChooseStrategy,
    Foresight,
    History,
    Predict,
    Prediction,
    Propose,
    Revise,
    RevisedBeliefs,
)
from hm_agent.theory_of_mind.mind import (
    Foreseen,
    JointMindReading,
    MindReading,
    OpponentModel,
    PlayerBelief,
    Revised,
    Revision,
    StrategyMaking,
)
from hm_agent.theory_of_mind.situation import InteractionSeen, NoticedInteraction, SeatSituation

SHOWN_INTERACTIONS = 5
"""How many of the latest interactions a question shows."""


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
            return phrase("agent/reasons.j2", "strategy_changed")
        return phrase("agent/reasons.j2", "expects_otherwise") if self._expected != before._expected else None

    @property
    def _expected(self) -> Mapping[str, str]:
        return {other.name: other.expected for other in self.others if other.expected is not None}


class Situated(Protocol):
    """Knows what one seat sees and knows now."""

    @property
    def situation(self) -> SeatSituation: ...


class WrittenMind(MindReading, JointMindReading, StrategyMaking):
    """What strategists ask from one agent's point of view.

    players: the others' names. strategy_now: what the agent has followed up to now, which questions show; None before
    the first.
    """

    asks_at_first = False

    def __init__(self, players: Sequence[str], seat: Situated, strategy_now: str | None = None) -> None:
        self.players, self._seat, self.strategy_now = tuple(players), seat, strategy_now

    @property
    def situation(self) -> SeatSituation:
        return self._seat.situation

    @property
    def is_over(self) -> bool:
        return self.situation.is_over

    def is_interaction(self, event: Event) -> bool:
        return isinstance(event, InteractionSeen)

    def understand(self, event: Event) -> NoticedInteraction | None:
        return event.interaction if isinstance(event, InteractionSeen) else None

    def is_right(self, prediction: str, interaction: Interaction) -> bool | None:
        (noticed,) = latest([interaction])
        return noticed.shows(prediction)

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

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> Asking[str]:
        question = Propose(self.situation, history[-1].partner, latest(history), tuple(best))
        return asking(question, lambda answer: answer.hypothesis)

    def ask_prediction(
        self, history: Sequence[Interaction], hypotheses: Bank, clue: Clue | None = None, *, certain: bool = False
    ) -> Asking[Foreseen]:
        return self.ask_prediction_among(history, hypotheses, ())

    def ask_prediction_among(
        self, history: Sequence[Interaction], hypotheses: Bank, others: Sequence[PlayerBelief], *, decides: bool = True
    ) -> Asking[Foreseen]:
        question = Predict(
            situation=self.situation,
            about=history[-1].partner if history else self.players[0],
            history=latest(history),
            hypotheses=tuple(hypotheses),
            others=tuple(others),
            strategy=self.strategy_now,
            decides=decides,
        )
        return asking(question, self._foreseen)

    def _foreseen(self, answer: Foresight[Any]) -> Foreseen:
        decided = self._decided(answer.strategy) if isinstance(answer, Prediction) else None
        return Foreseen([behaviour.words for behaviour in answer.next], decided)

    def _decided(self, words: str) -> WrittenStrategy:
        """The strategy in an answer; the present one if the answer leaves it empty."""
        return WrittenStrategy(words or self.strategy_now or self._first)

    def ask_revision(self, opponents: Sequence[OpponentModel], about: str | None = None) -> Asking[Revised]:
        revised = next((opponent for opponent in opponents if opponent.player == about), None)
        question = Revise(
            situation=self.situation,
            about=about,
            history=latest(revised.history) if revised else (),
            hypotheses=tuple(revised.hypotheses) if revised else (),
            others=tuple(opponent.belief for opponent in opponents if opponent.player != about and opponent.history),
            strategy=self.strategy_now,
        )
        return asking(question, self._revised)

    def _revised(self, answer: RevisedBeliefs[Any]) -> Revised:
        revisions = [Revision(each.of, each.hypothesis, each.next.words) for each in answer.hypotheses]
        return Revised(revisions, self._decided(answer.strategy))

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> Asking[WrittenStrategy]:
        question = ChooseStrategy(self.situation, latest(history), self.strategy_now)
        return asking(question, lambda answer: WrittenStrategy(answer.strategy))

    def in_view_of(self, strategy: Strategy, beliefs: Callable[[], Sequence[PlayerBelief]]) -> WrittenStrategy:
        assert isinstance(strategy, WrittenStrategy)
        return replace(strategy, others=tuple(beliefs()))

    def undecided(self) -> WrittenStrategy:
        return WrittenStrategy("")

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> WrittenStrategy:
        """The strategy before a model has decided, with the behaviours that are known, which planning is shown."""
        known = [PlayerBelief(player, None, expected) for player, expected in behaviours.items() if expected]
        return WrittenStrategy(self._first, tuple(known))

    @property
    def _first(self) -> str:
        return phrase(self.situation.blocks, "first_strategy")


def latest(history: Sequence[Interaction]) -> History:
    """The latest `SHOWN_INTERACTIONS` interactions; all are of the kind that the world's notes report."""
    return tuple(history[-SHOWN_INTERACTIONS:])  # type: ignore[arg-type]  # strategists give back what was understood
