"""The questions about other players: what they are like, do next and know; the same in every world.

Steps are those of Hypothetical Minds' appendix C.3. Every template is in prompts/agent/.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

from pydantic import BaseModel

from hm_agent.core import Hypothesis
from hm_agent.models.prompts import phrase
from hm_agent.questions import Forms, Question, Remark, Words, check_all, one_of
from hm_agent.theory_of_mind.mind import MOST_HYPOTHESES, PlayerBelief
from hm_agent.theory_of_mind.seat_question import (
    BehaviourT,
    History,
    SeatQuestion,
    StrategyT,
    answer_about,
    answer_deciding,
    check_name,
    check_one_for_each,
    one_for_each,
)
from hm_agent.theory_of_mind.situation import SeatSituation

SOME, ANY, NONE = range(1, MOST_HYPOTHESES + 1), range(MOST_HYPOTHESES + 1), range(1)
"""How many hypotheses an answer may have: after new evidence, before there is evidence, and if nothing new is known."""
_refusal = partial(phrase, "agent/messages.j2")


class HypothesisAnswer(BaseModel):
    """A belief about another player's strategy."""

    reasoning: str = ""
    hypothesis: Words


@dataclass(frozen=True, slots=True)
class Propose(Question[HypothesisAnswer]):
    """By which rule does another player act? (step 3)

    history: the latest interactions with it. best: the earlier hypotheses that predicted best, the best first.
    """

    template = "agent/propose.j2"
    schema = HypothesisAnswer
    situation: SeatSituation
    about: str
    history: History
    best: tuple[Hypothesis, ...]


class Foresight(BaseModel, Generic[BehaviourT]):
    """What another player does next by each hypothesis, in their order; one behaviour without any."""

    reasoning: str = ""
    player: str
    next: list[BehaviourT]


class Prediction(Foresight[BehaviourT], Generic[BehaviourT, StrategyT]):
    """The same, and what to do about it; a strategy in words that is empty leaves the present one as it is."""

    strategy: StrategyT


@dataclass(frozen=True, slots=True)
class Predict(SeatQuestion[Foresight[Any]]):
    """What will another player do by each hypothesis (step 4), and what to do about it (step 5)?

    The last hypothesis is acted on. others: what is believed of the other players. strategy: the present one; None
    before the first. decides: False if no strategy is asked for, since more is to be predicted before, or since that is
    a question of its own. certain: True if the last hypothesis is known to be true.
    """

    template = "agent/predict.j2"
    situation: SeatSituation
    about: str
    history: History
    hypotheses: tuple[Hypothesis, ...]
    others: tuple[PlayerBelief, ...] = ()
    strategy: str | None = None
    decides: bool = True
    certain: bool = False

    @property
    def schema(self) -> type[BaseModel]:
        if self.decides:
            return answer_deciding(Prediction, self.situation)
        return answer_about(Foresight, self.situation)

    @property
    def forms(self) -> Forms:
        forms = {"player": one_of([self.about]), "next": one_for_each(self.hypotheses)}
        decided = self.situation.strategy_forms(self.strategy) if self.decides else {}
        return {**self.situation.behaviour_forms(self.about), **forms, **decided}

    def check(self, answer: Foresight[Any]) -> None:
        check_all(
            lambda: check_one_for_each("next", answer.next, self.hypotheses),
            lambda: check_name("player", answer.player, [self.about]),
            *(partial(self.situation.check_behaviour, self.about, given) for given in answer.next),
            lambda: self._check_strategy(answer),
        )

    def _check_strategy(self, answer: Any) -> None:
        if self.decides:
            self.situation.check_strategy(answer.strategy, self.strategy)


class RevisedMind(BaseModel, Generic[BehaviourT]):
    """One hypothesis about another player, kept, reworded or new, and what it predicts.

    of: its number in the question, from 1; 0 for a new one. hypothesis: empty if it is kept as it is.
    """

    of: int = 0
    hypothesis: Remark = ""
    next: BehaviourT


class RevisedBeliefs(BaseModel, Generic[BehaviourT, StrategyT]):
    """The hypotheses about one player with what each predicts, and what to do in view of all players."""

    reasoning: str = ""
    hypotheses: list[RevisedMind[BehaviourT]]
    strategy: StrategyT


@dataclass(frozen=True, slots=True)
class Revise(SeatQuestion[RevisedBeliefs[Any, Any]]):
    """Which hypotheses about a player to keep, reword or add, what does each predict, and what to do in view of all?

    about: None if nothing new is known of anybody, so that no hypothesis is wanted. hypotheses: all that are kept about
    it, the oldest first. others, strategy: as in `Predict`.
    """

    template = "agent/revise.j2"
    situation: SeatSituation
    about: str | None
    history: History
    hypotheses: tuple[Hypothesis, ...]
    others: tuple[PlayerBelief, ...]
    strategy: str | None = None

    @property
    def schema(self) -> type[BaseModel]:
        return answer_deciding(RevisedBeliefs, self.situation)

    @property
    def _counts(self) -> range:
        """How many hypotheses are wanted: before the first interaction there may be none."""
        if self.about is None:
            return NONE
        return SOME if self.history else ANY

    @property
    def forms(self) -> Forms:
        return {
            **self.situation.behaviour_forms(self.about),
            "hypotheses": {"minItems": self._counts[0], "maxItems": self._counts[-1]},
            "of": {"minimum": 0, "maximum": len(self.hypotheses)},
            **self.situation.strategy_forms(self.strategy),
        }

    def check(self, answer: RevisedBeliefs[Any, Any]) -> None:
        checks: list[Callable[[], None]] = []
        if self.about is not None:
            foreseen = (revised.next for revised in answer.hypotheses)
            checks = [partial(self.situation.check_behaviour, self.about, given) for given in foreseen]
        check_all(
            lambda: self._check_revisions(answer.hypotheses),
            *checks,
            lambda: self.situation.check_strategy(answer.strategy, self.strategy),
        )

    def _check_revisions(self, given: Sequence[RevisedMind[Any]]) -> None:
        numbers = [revised.of for revised in given]
        check_all(
            lambda: _check_count(len(given), self._counts),
            *(partial(_check_revised, revised, numbers, len(self.hypotheses)) for revised in given),
        )


def _check_count(given: int, counts: range) -> None:
    if given and counts == NONE:
        raise ValueError(_refusal("nothing_new"))
    if given not in counts:
        raise ValueError(_refusal("too_many_or_few", given=given, least=counts[0], most=counts[-1]))


def _check_revised(revised: RevisedMind[Any], numbers: Sequence[int], count: int) -> None:
    """Raises ValueError for a revision that can't be used. numbers: of all. count: the hypotheses in the question."""
    if not 0 <= revised.of <= count:
        raise ValueError(_refusal("no_hypothesis", number=revised.of))
    if revised.of and numbers.count(revised.of) > 1:
        raise ValueError(_refusal("named_twice", number=revised.of))
    if not revised.of and not revised.hypothesis:
        raise ValueError(_refusal("no_words"))


class MindRead(BaseModel, Generic[BehaviourT]):
    """A hypothesis about another player, and what it predicts."""

    player: str
    hypothesis: Words
    next: BehaviourT


class MindsReadAnswer(BaseModel, Generic[BehaviourT, StrategyT]):
    """A hypothesis about each player that was met, and what to do about them."""

    reasoning: str = ""
    minds: list[MindRead[BehaviourT]]
    strategy: StrategyT


@dataclass(frozen=True, slots=True)
class ReadMinds(SeatQuestion[MindsReadAnswer[Any, Any]]):
    """By which rule does each player act, what does it do next, and what to do about it? (Vanilla Mind Prompting)

    All steps in one question (section 4.5). players: those that the agent has met, whose minds are read. history: the
    latest interactions with them. strategy: as in `Predict`.
    """

    template = "agent/read_minds.j2"
    situation: SeatSituation
    players: tuple[str, ...]
    history: History
    strategy: str | None = None

    @property
    def schema(self) -> type[BaseModel]:
        return answer_deciding(MindsReadAnswer, self.situation)

    @property
    def forms(self) -> Forms:
        return {
            **self.situation.behaviour_forms(None),
            "minds": {"maxItems": len(self.players)},
            "player": one_of(self.players),
            **self.situation.strategy_forms(self.strategy),
        }

    def check(self, answer: MindsReadAnswer[Any, Any]) -> None:
        check_all(
            *(partial(check_name, "player", mind.player, self.players) for mind in answer.minds),
            *(partial(self.situation.check_behaviour, mind.player, mind.next) for mind in answer.minds),
            lambda: self.situation.check_strategy(answer.strategy, self.strategy),
        )


class ProbesAnswer(BaseModel):
    """An answer to each claim, in their order."""

    reasoning: str = ""
    answers: list[str]


@dataclass(frozen=True, slots=True)
class AskProbes(Question[ProbesAnswer]):
    """Does each claim about what somebody knows hold? Asked for the metrics alone (literal Theory of Mind).

    claims: the questions in words, e.g. `Does player_1 know 2 now?`. choices: the possible answers.
    """

    template = "agent/probe.j2"
    schema = ProbesAnswer
    situation: SeatSituation
    claims: tuple[str, ...]
    choices: tuple[str, ...]

    @property
    def forms(self) -> Forms:
        count = len(self.claims)
        return {"answers": {"items": one_of(self.choices), "minItems": count, "maxItems": count}}

    def check(self, answer: ProbesAnswer) -> None:
        count, given = len(self.claims), len(answer.answers)
        if given != count:
            raise ValueError(phrase("agent/messages.j2", "answers_wanted", given=given, wanted=count))
        for choice in answer.answers:
            check_name("answers", choice, self.choices)
