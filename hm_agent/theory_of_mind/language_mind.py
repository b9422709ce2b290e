"""The mind of agents that think in language, in any world with a `SeatSituation`: it asks the shared questions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from hm_agent.core import Clue, Hypothesis, Interaction, Strategy
from hm_agent.questions import Asking, asking
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy
from hm_agent.theory_of_mind.hypotheses import Bank
from hm_agent.theory_of_mind.mind import (
    Foreseen,
    JointMindReading,
    MindPrompting,
    MindReading,
    MindsRead,
    PlayerBelief,
    PlayerModel,
    Revised,
    Revision,
    StrategyMaking,
)
from hm_agent.theory_of_mind.mind_questions import (
    Foresight,
    MindsReadAnswer,
    Predict,
    Prediction,
    Propose,
    ReadMinds,
    Revise,
    RevisedBeliefs,
)
from hm_agent.theory_of_mind.odds_questions import GiveChances, GiveOdds, OddsAnswer
from hm_agent.theory_of_mind.player_odds import MovesIn, PlayerOdds, TableOdds
from hm_agent.theory_of_mind.situation import NoticedInteraction, SeatSituation

SituationT = TypeVar("SituationT", bound=SeatSituation)
SituationT_co = TypeVar("SituationT_co", bound=SeatSituation, covariant=True)
StrategyT = TypeVar("StrategyT", bound=Strategy)


class Situated(Protocol[SituationT_co]):
    """Knows what one seat sees and knows now."""

    @property
    def situation(self) -> SituationT_co: ...


class LanguageMind(MindReading, JointMindReading, MindPrompting, StrategyMaking, Generic[SituationT, StrategyT]):
    """What strategists ask from one agent's point of view; a subclass says what a strategy in an answer means."""

    asks_at_first = False
    decides_apart: ClassVar[bool] = False
    """True if what to do about predictions is a question of its own (`ask_choice`)."""
    remembers: ClassVar[int | None] = None
    """How many of the latest interactions questions take in; None for all."""

    def __init__(self, players: Sequence[str], seat: Situated[SituationT]) -> None:
        self.players: Sequence[str] = tuple(players)
        self._seat = seat

    @property
    def situation(self) -> SituationT:
        return self._seat.situation

    @property
    def is_over(self) -> bool:
        return self.situation.is_over

    def situation_beside(self, told: Sequence[Interaction], about: str | None = None) -> SituationT:
        """What a question shows that itself tells these interactions; by default all of the present situation.

        about: the only player that matters to the question; None if all may.
        """
        return self.situation

    def belief(self, other: PlayerModel) -> PlayerBelief:
        """What questions show of what is believed of a player."""
        return other.belief

    def decided(self, given: Any, *, informed: bool = True) -> StrategyT:
        """The strategy that an answer gives.

        informed: False if it expects nothing of the others, since nothing is known of them or none of them is modelled.
        """
        raise NotImplementedError

    def noticed(self, history: Sequence[Interaction]) -> tuple[NoticedInteraction, ...]:
        """The interactions that questions take in; all are of the kind that the world's notes report."""
        latest = history if self.remembers is None else history[-self.remembers :]
        return tuple(latest)  # type: ignore[arg-type]  # strategists give back what was understood

    # What others are like

    def is_right(self, prediction: str, interaction: Interaction) -> bool | None:
        (noticed,) = self.noticed([interaction])
        return noticed.shows(prediction)

    def ask_hypothesis(self, history: Sequence[Interaction], best: Bank) -> Asking[str]:
        about = history[-1].partner
        question = Propose(self.situation_beside(history, about), about, self.noticed(history), tuple(best))
        return asking(question, lambda answer: answer.hypothesis)

    def ask_prediction(
        self,
        history: Sequence[Interaction],
        hypotheses: Bank,
        *,
        others: Sequence[PlayerBelief] = (),
        clue: Clue | None = None,
        decides: bool = True,
        certain: bool = False,
    ) -> Asking[Foreseen]:
        about = history[-1].partner if history else self.players[0]
        question = Predict(
            situation=self.situation_beside(history, about),
            about=about,
            history=self.noticed(history),
            hypotheses=tuple(hypotheses),
            others=tuple(others),
            strategy=self.strategy_now,
            decides=decides and not self.decides_apart,
            certain=certain,
        )
        return asking(question, partial(self._foreseen, informed=bool(history or hypotheses or clue)))

    def _foreseen(self, answer: Foresight[Any], *, informed: bool) -> Foreseen:
        decided = self.decided(answer.strategy, informed=informed) if isinstance(answer, Prediction) else None
        return Foreseen([behaviour.words for behaviour in answer.next], decided)

    def ask_revision(self, others: Sequence[PlayerModel], about: str | None) -> Asking[Revised]:
        revised = next((other for other in others if other.player == about), None)
        history = self.noticed(revised.history) if revised else ()
        question = Revise(
            situation=self.situation_beside(history),
            about=about,
            history=history,
            hypotheses=tuple(revised.hypotheses) if revised else (),
            others=tuple(self.belief(other) for other in others if other.player != about and other.history),
            strategy=self.strategy_now,
        )
        return asking(question, partial(self._revised, informed=any(each.is_known for each in others)))

    def _revised(self, answer: RevisedBeliefs[Any, Any], *, informed: bool) -> Revised:
        revisions = [Revision(each.of, each.hypothesis, each.next.words) for each in answer.hypotheses]
        return Revised(revisions, self.decided(answer.strategy, informed=informed))

    def ask_minds(self, others: Sequence[PlayerModel]) -> Asking[MindsRead]:
        history = sorted((each for other in others for each in other.history), key=lambda each: each.step)
        met = tuple(other.player for other in others if other.history)
        question = ReadMinds(self.situation_beside(history), met, self.noticed(history), self.strategy_now)
        return asking(question, partial(self._minds_read, informed=bool(met)))

    def _minds_read(self, answer: MindsReadAnswer[Any, Any], *, informed: bool) -> MindsRead:
        minds = {mind.player: Hypothesis(mind.hypothesis, prediction=mind.next.words) for mind in answer.minds}
        return MindsRead(minds, self.decided(answer.strategy, informed=informed))

    def ask_odds(self, other: PlayerModel) -> Asking[PlayerOdds]:
        history = self.noticed(other.history)
        question = GiveChances(self.situation_beside(history, other.player), other.player, history)
        return asking(question, lambda answer: answer.odds(question.things))

    # What to do

    def ask_strategy(self, history: Sequence[Interaction], best: Bank) -> Asking[StrategyT]:
        told = self.noticed(history)
        question = ChooseStrategy(self.situation_beside(told), told, self.strategy_now, best=tuple(best))
        return asking(question, lambda answer: self.decided(answer.strategy, informed=False))


def ask_table_odds(
    mind: LanguageMind[SituationT, StrategyT], other: PlayerModel, left: int, moves_in: MovesIn
) -> Asking[PlayerOdds]:
    """Asks for chances where both choose from a few actions. left: for how many more interactions there is time."""
    history = mind.noticed(other.history)
    situation = mind.situation_beside(history, other.player)

    def odds(answer: OddsAnswer) -> PlayerOdds:
        return TableOdds([rule.likely for rule in answer.rules], situation.side, left, moves_in)

    return asking(GiveOdds(situation, other.player, history), odds)
