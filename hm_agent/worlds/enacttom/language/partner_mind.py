"""What strategists ask about an agent's partners, from what it has noticed of them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel

from hm_agent.core import Clue, Event, Interaction
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.mind import (
    JointMindReading,
    MindOfWords,
    MindReading,
    OpponentModel,
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
from hm_agent.worlds.enacttom.language.situation import HouseSituation, PartnerAct, PartnerActed, act_of

TOLD = 5
"""How many of the latest acts questions show."""


class PartnerMind(MindOfWords, MindReading, JointMindReading):
    """What strategists ask of one agent's point of view. situation: the present one, which the body sets every turn.

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
        return interaction.fits(prediction)

    def repeats(self, history: Sequence[Interaction], *, validated: bool = False) -> bool:
        """True if the partner did the same as the time before, with nothing new in words."""
        latest = acts(history)[-2:]
        return len(latest) == 2 and (latest[0].behaviour, latest[0].text) == (latest[1].behaviour, latest[1].text)

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> ProposePartner:
        return ProposePartner(self.situation, history[-1].partner, acts(history), tuple(best))

    def ask_prediction(
        self, history: Sequence[Interaction], hypotheses: Bank, clue: Clue | None = None, *, certain: bool = False
    ) -> PredictPartner:
        about = history[-1].partner if history else self.players[0]
        return PredictPartner(self.situation, about, acts(history), tuple(hypotheses))

    def predicted(self, answer: BaseModel) -> Sequence[str | None]:
        assert isinstance(answer, PartnerPrediction)
        return [each.behaviour for each in answer.next]

    def ask_revision(self, opponents: Sequence[OpponentModel], about: str | None = None) -> RevisePartner:
        asked = next((opponent for opponent in opponents if opponent.player == about), None)
        return RevisePartner(
            situation=self.situation,
            about=about,
            history=acts(asked.history) if asked else (),
            hypotheses=tuple(asked.hypotheses) if asked else (),
            others=tuple(opponent.belief for opponent in opponents if opponent.player != about and opponent.history),
        )

    def revised(self, answer: BaseModel) -> Sequence[Revision]:
        assert isinstance(answer, PartnerRevision)
        return [Revision(each.of, each.hypothesis, act_of(each.does, each.about)) for each in answer.hypotheses]

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> MakeHouseStrategy:
        return MakeHouseStrategy(self.situation, acts(history))

    def strategy(self, answer: BaseModel, *, informed: bool) -> WrittenStrategy:
        if isinstance(answer, PartnerPrediction):
            return WrittenStrategy(answer.strategy, f"{answer.partner} {answer.next[-1].behaviour}")
        assert isinstance(answer, PartnerRevision | WrittenStrategyAnswer)
        return WrittenStrategy(answer.strategy)


def acts(history: Sequence[Interaction]) -> tuple[PartnerAct, ...]:
    """The latest acts among what happened."""
    return tuple(one for one in history[-TOLD:] if isinstance(one, PartnerAct))
