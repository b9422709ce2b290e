"""The questions that strategists ask a model in a matrix game, and the schemas of the answers.

Hypothetical Minds asks about the other players' strategies; Vanilla Mind Prompting asks for everything at once (section
4.5); PlanReAct (appendix D.3) and HE + HR (section 4.5, appendix E) ask for strategies of the agent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel, model_validator

from hm_agent.core import Hypothesis
from hm_agent.questions import Question, Words, check_all, one_of, some_of
from hm_agent.theory_of_mind.mind import HindsightAnswer, HypothesisAnswer
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import LastSeen
from hm_agent.worlds.melting_pot.games.matrix.pickups import PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, argmax, check_players


class _ByBehaviour:
    """A question whose answer holds mappings by behaviour."""

    __slots__ = ()
    rules: MatrixRules

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    @property
    def count_range(self) -> tuple[int, int]:
        return self.rules.count_range


class InventoryAnswer(BaseModel):
    """What the other held, by behaviour."""

    reasoning: str = ""
    inventory: dict[str, int]


@dataclass(frozen=True, slots=True)
class InferInventory(_ByBehaviour, Question[InventoryAnswer]):
    """Which inventory of the partner explains the reward? (step 1, where the model infers it)"""

    template = "melting_pot/matrix/infer_inventory.j2"
    schema = InventoryAnswer
    rules: MatrixRules
    own: Counts
    reward: float

    def check(self, answer: InventoryAnswer) -> None:
        self.rules.check("inventory", answer.inventory)


@dataclass(frozen=True, slots=True)
class ProposeHypothesis(Question[HypothesisAnswer]):
    """What is the opponent's strategy? (step 3) best: the earlier hypotheses that predicted best, the best first."""

    template = "melting_pot/matrix/propose_hypothesis.j2"
    schema = HypothesisAnswer
    rules: MatrixRules
    history: tuple[MatrixInteraction, ...]
    best: tuple[Hypothesis, ...]


def _check_lead(rules: MatrixRules, other_next: Mapping[str, int]) -> None:
    """Raises ValueError for a predicted inventory in which no resource leads."""
    if argmax(rules.counts(other_next)) is None:
        raise ValueError("other_next: no kind leads; let the one lead that you expect most")


class CounterAnswer(BaseModel):
    """What the other will hold next, what to hold against it, by behaviour, and whether it must not see one collect."""

    reasoning: str = ""
    other_next: dict[str, int]
    own_next: dict[str, int]
    covert: bool = False


@dataclass(frozen=True, slots=True)
class PredictAndCounter(_ByBehaviour, Question[CounterAnswer]):
    """What will the opponent play next given a hypothesis, and what should the agent hold against it? (steps 4 and 5)

    hypothesis: None before the first. certain: True if the hypothesis is known to be true. taken: the count of each
    resource that the opponent is known to have taken since the last interaction; own: the agent's inventory then. Both
    are None if no pickup was noticed.
    """

    template = "melting_pot/matrix/predict_and_counter.j2"
    schema = CounterAnswer
    rules: MatrixRules
    history: tuple[MatrixInteraction, ...]
    hypothesis: str | None
    certain: bool = False
    taken: Counts | None = None
    own: Counts | None = None

    def check(self, answer: CounterAnswer) -> None:
        check_all(
            lambda: self.rules.check("other_next", answer.other_next),
            lambda: self.rules.check("own_next", answer.own_next),
            lambda: _check_lead(self.rules, answer.other_next),
        )


class PredictionAnswer(BaseModel):
    """What another player will hold next, by behaviour."""

    reasoning: str = ""
    other_next: dict[str, int]


@dataclass(frozen=True, slots=True)
class PredictNext(_ByBehaviour, Question[PredictionAnswer]):
    """What will one of several opponents play next given a hypothesis? (step 4, asked apart from step 5)"""

    template = "melting_pot/matrix/predict_next.j2"
    schema = PredictionAnswer
    rules: MatrixRules
    history: tuple[MatrixInteraction, ...]
    hypothesis: str | None

    def check(self, answer: PredictionAnswer) -> None:
        check_all(
            lambda: self.rules.check("other_next", answer.other_next),
            lambda: _check_lead(self.rules, answer.other_next),
        )


@dataclass(frozen=True, slots=True)
class Opponent:
    """What the agent knows about one other player.

    hypothesis: None before the first interaction. expected: the predicted behaviour, None if unknown. present: what it
    was seen to take since it last respawned, None if nothing was seen. former: the same between its earlier respawns,
    except before its interactions with the agent. seen: when and how far away it was last in view, None if unknown.
    """

    player: str
    history: tuple[MatrixInteraction, ...]
    hypothesis: Hypothesis | None
    expected: str | None
    present: PickupRecord | None = None
    former: tuple[PickupRecord, ...] = ()
    seen: LastSeen | None = None


def _names(opponents: Sequence[Opponent]) -> list[str]:
    return [opponent.player for opponent in opponents]


class ChoiceAnswer(BaseModel):
    """Whom to meet next, anybody if nobody is named, and what to hold then, by behaviour."""

    reasoning: str = ""
    seek: list[str]
    own_next: dict[str, int]


class PatientAnswer(ChoiceAnswer):
    """The same, and whether rather to watch and to meet nobody until more is known."""

    watch: bool = False

    @model_validator(mode="before")
    @classmethod
    def _needs_no_more_to_watch(cls, given: Any) -> Any:
        """Whoever only watches seeks nobody and keeps what it holds, whether that is said or not."""
        only_watches = isinstance(given, dict) and given.get("watch") is True
        return {"seek": [], "own_next": {}} | given if only_watches else given


@dataclass(frozen=True, slots=True)
class ChooseOpponents(_ByBehaviour, Question[PatientAnswer]):
    """Which players should the agent seek, and what should it collect for them? (step 5 with several opponents)

    own: the agent's inventory. step: the present one.
    """

    template = "melting_pot/matrix/choose_opponents.j2"
    schema = PatientAnswer
    rules: MatrixRules
    opponents: tuple[Opponent, ...]
    own: Counts
    step: int

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {"seek": some_of(_names(self.opponents))}

    def check(self, answer: PatientAnswer) -> None:
        check_all(
            lambda: self.rules.check("own_next", answer.own_next),
            lambda: check_players("seek", answer.seek, _names(self.opponents)),
        )


class MindAnswer(BaseModel):
    """What is thought of one other player: a belief about its strategy, and the behaviour that this predicts."""

    player: str
    hypothesis: Words
    next: str


class MindsAnswer(BaseModel):
    """What is thought of others, whom to meet next, and what to hold then, by behaviour."""

    reasoning: str = ""
    minds: list[MindAnswer]
    seek: list[str] = []
    own_next: dict[str, int]


@dataclass(frozen=True, slots=True)
class ReadMinds(_ByBehaviour, Question[MindsAnswer]):
    """All steps in one question: hypothesise, predict, and choose what to do (Vanilla Mind Prompting, section 4.5).

    opponents: with their interactions, without hypotheses. own: the agent's inventory. step: the present one.
    """

    template = "melting_pot/matrix/read_minds.j2"
    schema = MindsAnswer
    rules: MatrixRules
    opponents: tuple[Opponent, ...]
    own: Counts
    step: int

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        names = _names(self.opponents)
        return {
            "minds": {"maxItems": len(names)},
            "player": one_of(names),
            "next": one_of(self.rules.behaviours),
            "seek": some_of(names),
        }

    def check(self, answer: MindsAnswer) -> None:
        names = _names(self.opponents)
        check_all(
            lambda: check_players("minds", [mind.player for mind in answer.minds], names),
            lambda: check_players("seek", answer.seek, names),
            lambda: check_all(*(partial(self.rules.check_behaviour, "next", mind.next) for mind in answer.minds)),
            lambda: self.rules.check("own_next", answer.own_next),
        )


class StrategyAnswer(ChoiceAnswer):
    """A strategy in words, whom to meet by it next, and what to hold then, by behaviour."""

    strategy: Words


@dataclass(frozen=True, slots=True)
class MakeStrategy(_ByBehaviour, Question[StrategyAnswer]):
    """Which strategy should the agent follow next?

    history: the interactions with all players. players: the names of the others. best: the earlier strategies that
    earned most, the best first.
    """

    template = "melting_pot/matrix/make_strategy.j2"
    schema = StrategyAnswer
    rules: MatrixRules
    history: tuple[MatrixInteraction, ...]
    players: tuple[str, ...]
    best: tuple[Hypothesis, ...] = ()

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {"seek": some_of(self.players)}

    def check(self, answer: StrategyAnswer) -> None:
        check_all(
            lambda: self.rules.check("own_next", answer.own_next),
            lambda: check_players("seek", answer.seek, self.players),
        )


@dataclass(frozen=True, slots=True)
class FollowStrategy(_ByBehaviour, Question[ChoiceAnswer]):
    """What should the agent hold next given a strategy, and which players should it seek?"""

    template = "melting_pot/matrix/follow_strategy.j2"
    schema = ChoiceAnswer
    rules: MatrixRules
    history: tuple[MatrixInteraction, ...]
    players: tuple[str, ...]
    strategy: str

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {"seek": some_of(self.players)}

    def check(self, answer: ChoiceAnswer) -> None:
        check_all(
            lambda: self.rules.check("own_next", answer.own_next),
            lambda: check_players("seek", answer.seek, self.players),
        )


@dataclass(frozen=True, slots=True)
class JudgeStrategy(Question[HindsightAnswer]):
    """What would an interaction have paid if the agent had held another inventory?"""

    template = "melting_pot/matrix/judge_strategy.j2"
    schema = HindsightAnswer
    rules: MatrixRules
    encounter: MatrixInteraction
    instead: Counts
