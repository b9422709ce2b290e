"""The mind of an EnactToM agent: what strategists ask about its partners, from the acts that it has noticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel

from hm_agent.core import Clue, Event, Interaction, Strategy
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.mind import (
    JointMindReading,
    MindOfWords,
    MindReading,
    OpponentModel,
    PlayerBelief,
    Revision,
    WrittenStrategy,
    WrittenStrategyAnswer,
)
from hm_agent.worlds.enacttom.language.partner_questions import (
    MakeHouseStrategy,
    PartnerPrediction,
    PartnerRevision,
    PredictPartner,
    ProposePartner,
    RevisePartner,
)
from hm_agent.worlds.enacttom.language.situation import HouseSituation, PartnerAct, PartnerActed, act_words

ACTS_SHOWN = 5
"""How many of the latest acts a question shows."""


@dataclass(frozen=True, slots=True)
class HouseStrategy(WrittenStrategy):
    """A strategy in words. partners: what is believed of each partner that was noticed, and its expected next act."""

    partners: tuple[PlayerBelief, ...] = ()

    def why_replan(self, before: WrittenStrategy) -> str | None:
        """As for any written strategy; another hypothesis that expects the same act is no reason."""
        if self.words != before.words:
            return "your strategy has changed"
        assert isinstance(before, HouseStrategy)
        return None if _expected_acts(self) == _expected_acts(before) else "you now expect something else"


def _expected_acts(strategy: HouseStrategy) -> Mapping[str, str]:
    return {partner.name: partner.expected for partner in strategy.partners if partner.expected is not None}


class PartnerMind(MindOfWords, MindReading, JointMindReading):
    """What strategists ask from one agent's point of view. situation: the present one, which the body sets every turn.

    An interaction is an act of a partner that the agent noticed: a message that arrived, or something done in sight.
    The behaviour to predict is the next such act, and what it is about.
    """

    first_strategy = "Do what is wanted and you can do; tell the others what is wanted and only they can do."
    asks_at_first = False

    def __init__(self, me: str, agents: Sequence[str]) -> None:
        self.players = tuple(name for name in agents if name != me)
        self.situation: HouseSituation

    def understand(self, event: Event, answer: BaseModel | None) -> PartnerAct | None:
        return event.act if isinstance(event, PartnerActed) else None

    def is_right(self, prediction: str, interaction: Interaction) -> bool | None:
        assert isinstance(interaction, PartnerAct)
        return interaction.matches(prediction)

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> ProposePartner:
        return ProposePartner(self.situation, history[-1].partner, latest_acts(history), tuple(best))

    def ask_prediction(
        self, history: Sequence[Interaction], hypotheses: Bank, clue: Clue | None = None, *, certain: bool = False
    ) -> PredictPartner:
        return self.ask_prediction_among(history, hypotheses, ())

    def ask_prediction_among(
        self, history: Sequence[Interaction], hypotheses: Bank, others: Sequence[PlayerBelief]
    ) -> PredictPartner:
        about = history[-1].partner if history else self.players[0]
        return PredictPartner(self.situation, about, latest_acts(history), tuple(hypotheses), tuple(others))

    def predicted(self, answer: BaseModel) -> Sequence[str | None]:
        assert isinstance(answer, PartnerPrediction)
        return [act.behaviour for act in answer.next]

    def ask_revision(self, opponents: Sequence[OpponentModel], about: str | None = None) -> RevisePartner:
        revised = next((opponent for opponent in opponents if opponent.player == about), None)
        return RevisePartner(
            situation=self.situation,
            about=about,
            history=latest_acts(revised.history) if revised else (),
            hypotheses=tuple(revised.hypotheses) if revised else (),
            others=tuple(opponent.belief for opponent in opponents if opponent.player != about and opponent.history),
        )

    def revised(self, answer: BaseModel) -> Sequence[Revision]:
        assert isinstance(answer, PartnerRevision)
        return [Revision(item.of, item.hypothesis, act_words(item.does, item.about)) for item in answer.hypotheses]

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> MakeHouseStrategy:
        return MakeHouseStrategy(self.situation, latest_acts(history))

    def strategy(self, answer: BaseModel, *, informed: bool) -> HouseStrategy:
        assert isinstance(answer, PartnerPrediction | PartnerRevision | WrittenStrategyAnswer)
        return HouseStrategy(answer.strategy)

    def in_view_of(self, strategy: Strategy, beliefs: Callable[[], Sequence[PlayerBelief]]) -> HouseStrategy:
        assert isinstance(strategy, HouseStrategy)
        return replace(strategy, partners=tuple(beliefs()))

    def undecided(self) -> HouseStrategy:
        return HouseStrategy("")

    def best_response(self, behaviours: Mapping[str, str | None], *, hidden: bool = False) -> HouseStrategy:
        return HouseStrategy(self.first_strategy)


def latest_acts(history: Sequence[Interaction]) -> tuple[PartnerAct, ...]:
    """The acts among the latest ACTS_SHOWN interactions."""
    return tuple(act for act in history[-ACTS_SHOWN:] if isinstance(act, PartnerAct))
