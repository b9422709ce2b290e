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
from hm_agent.models.prompts import phrase
from hm_agent.questions import Question, Words, check_all, one_of, some_of
from hm_agent.theory_of_mind.mind import HindsightAnswer, HypothesisAnswer
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import LastSeen
from hm_agent.worlds.melting_pot.games.matrix.pickups import PickupRecord
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, check_players


class ByBehaviour:
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
class InferInventory(ByBehaviour, Question[InventoryAnswer]):
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
    """What is the opponent's strategy? (step 3)

    player: the opponent's name. best: the earlier hypotheses that predicted best, the best first.
    """

    template = "melting_pot/matrix/propose_hypothesis.j2"
    schema = HypothesisAnswer
    rules: MatrixRules
    player: str
    history: tuple[MatrixInteraction, ...]
    best: tuple[Hypothesis, ...]


class LeadAnswer(BaseModel):
    """Which behaviour's resource a player will hold most of, and its count."""

    kind: str
    count: int

    @model_validator(mode="before")
    @classmethod
    def _lead_of_inventory(cls, given: Any) -> Any:
        """Accepts a whole inventory by behaviour instead of the two fields, if one resource leads in it."""
        if not isinstance(given, dict) or given.keys() & cls.model_fields.keys():
            return given
        if not all(isinstance(count, int) for count in given.values()):
            return given
        leading = [kind for kind, count in given.items() if count == max(given.values())]
        return {"kind": leading[0], "count": given[leading[0]]} if len(leading) == 1 else given


class PredictionAnswer(BaseModel):
    """What another player will hold next by the hypothesis that is acted on, and what it will play by the others.

    others_predict: one behaviour for each of the other hypotheses, in their order.
    """

    reasoning: str = ""
    others_predict: list[str] = []
    other_next: LeadAnswer


class CounterAnswer(PredictionAnswer):
    """A prediction, what to hold against it, and how to collect that.

    watch: True to see first what the other player takes. covert: True if it must not see the agent collect.
    """

    own_next: dict[str, int]
    watch: bool = False
    covert: bool = False


def _check_prediction(rules: MatrixRules, answer: PredictionAnswer, hypotheses: Sequence[Hypothesis]) -> None:
    """Raises ValueError for predictions of unknown kinds or impossible counts, and for too few or too many of them."""
    check_all(
        lambda: _check_others(rules, answer.others_predict, max(0, len(hypotheses) - 1)),
        lambda: rules.check_lead(answer.other_next.kind, answer.other_next.count),
    )


def _check_others(rules: MatrixRules, kinds: Sequence[str], expected: int) -> None:
    if len(kinds) != expected:
        refusal = phrase("melting_pot/matrix/refusals.j2", "not_for_each", given=len(kinds), wanted=expected)
        raise ValueError(refusal)
    check_all(*(partial(rules.check_behaviour, "others_predict", kind) for kind in kinds))


def lead_forms(rules: MatrixRules) -> Mapping[str, Mapping[str, Any]]:
    """The schema keywords of a `LeadAnswer`."""
    least, most = rules.lead_range
    return {"kind": one_of(rules.behaviours), "count": {"minimum": least, "maximum": most}}


def _prediction_forms(rules: MatrixRules, hypotheses: Sequence[Hypothesis]) -> Mapping[str, Mapping[str, Any]]:
    others = max(0, len(hypotheses) - 1)
    predictions = {"items": one_of(rules.behaviours), "minItems": others, "maxItems": others}
    return {"others_predict": predictions, **lead_forms(rules)}


@dataclass(frozen=True, slots=True)
class PredictAndCounter(ByBehaviour, Question[CounterAnswer]):
    """What will the opponent play next by each hypothesis, and what to hold against it? (steps 4 and 5)

    step: the present one. hypotheses: the last one is acted on; empty before the first one. certain: True if the last
    one is known to be true. present: what the opponent was seen to take since the last interaction; own: the agent's
    inventory then. Both are None if no pickup was noticed.
    """

    template = "melting_pot/matrix/predict_and_counter.j2"
    schema = CounterAnswer
    rules: MatrixRules
    step: int
    history: tuple[MatrixInteraction, ...]
    hypotheses: tuple[Hypothesis, ...]
    certain: bool = False
    present: PickupRecord | None = None
    own: Counts | None = None

    @property
    def acted_on(self) -> str | None:
        """The words of the hypothesis that is acted on."""
        return self.hypotheses[-1].words if self.hypotheses else None

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return _prediction_forms(self.rules, self.hypotheses)

    def check(self, answer: CounterAnswer) -> None:
        check_all(
            lambda: _check_prediction(self.rules, answer, self.hypotheses),
            lambda: self.rules.check("own_next", answer.own_next),
        )


@dataclass(frozen=True, slots=True)
class PredictNext(ByBehaviour, Question[PredictionAnswer]):
    """What will one of several opponents play next by each hypothesis? (step 4, asked apart from step 5)

    player: the opponent's name. step: the present one. hypotheses: the last one is acted on.
    """

    template = "melting_pot/matrix/predict_next.j2"
    schema = PredictionAnswer
    rules: MatrixRules
    player: str
    step: int
    history: tuple[MatrixInteraction, ...]
    hypotheses: tuple[Hypothesis, ...]

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return _prediction_forms(self.rules, self.hypotheses)

    def check(self, answer: PredictionAnswer) -> None:
        _check_prediction(self.rules, answer, self.hypotheses)


@dataclass(frozen=True, slots=True)
class Opponent:
    """What the agent knows about one other player.

    hypothesis: the one to act on, None before the first interaction. hypotheses: all that are kept. expected: the
    predicted behaviour, None if unknown. present: what it was seen to take since it last respawned, None if nothing was
    seen. former: the same between its earlier respawns, except before its interactions with the agent. seen: when and
    how far away it was last in view, None if unknown.
    """

    player: str
    history: tuple[MatrixInteraction, ...]
    hypothesis: Hypothesis | None
    expected: str | None
    present: PickupRecord | None = None
    former: tuple[PickupRecord, ...] = ()
    seen: LastSeen | None = None
    hypotheses: tuple[Hypothesis, ...] = ()


def names_of(opponents: Sequence[Opponent]) -> list[str]:
    return [opponent.player for opponent in opponents]


class ChoiceAnswer(BaseModel):
    """Whom to meet next, anybody if nobody is named, and what to hold then, by behaviour.

    watch: True to watch the others and meet nobody until more is known; in a game for two, to see first what the other
    player takes. covert: True if the others must not see the agent collect.
    """

    reasoning: str = ""
    seek: list[str]
    own_next: dict[str, int]
    watch: bool = False
    covert: bool = False

    @model_validator(mode="before")
    @classmethod
    def _complete_if_watching(cls, given: Any) -> Any:
        """Lets an answer that only watches leave out whom to seek and what to hold."""
        only_watches = isinstance(given, dict) and given.get("watch") is True
        return {"seek": [], "own_next": {}} | given if only_watches else given


class _ByChoice(ByBehaviour):
    """A question whose answer chooses whom to meet, and what to hold then."""

    __slots__ = ()
    opponents: tuple[Opponent, ...]

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        return {"seek": some_of(names_of(self.opponents))}

    def check(self, answer: ChoiceAnswer) -> None:
        check_all(
            lambda: self.rules.check("own_next", answer.own_next),
            lambda: check_players("seek", answer.seek, names_of(self.opponents)),
        )


@dataclass(frozen=True, slots=True)
class ChooseOpponents(_ByChoice, Question[ChoiceAnswer]):
    """Which players should the agent seek, and what should it collect for them? (step 5 with several opponents)

    own: the agent's inventory. step: the present one.
    """

    template = "melting_pot/matrix/choose_opponents.j2"
    schema = ChoiceAnswer
    rules: MatrixRules
    opponents: tuple[Opponent, ...]
    own: Counts
    step: int


class MindAnswer(BaseModel):
    """A hypothesis about another player's strategy, and the behaviour that it predicts."""

    player: str
    hypothesis: Words
    next: str


class MindsAnswer(BaseModel):
    """Hypotheses about the other players, whom to meet next, and what to hold then, by behaviour."""

    reasoning: str = ""
    minds: list[MindAnswer]
    seek: list[str] = []
    own_next: dict[str, int]
    watch: bool = False
    covert: bool = False


@dataclass(frozen=True, slots=True)
class ReadMinds(ByBehaviour, Question[MindsAnswer]):
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
        names = names_of(self.opponents)
        return {
            "minds": {"maxItems": len(names)},
            "player": one_of(names),
            "next": one_of(self.rules.behaviours),
            "seek": some_of(names),
        }

    def check(self, answer: MindsAnswer) -> None:
        names = names_of(self.opponents)
        check_all(
            lambda: check_players("minds", [mind.player for mind in answer.minds], names),
            lambda: check_players("seek", answer.seek, names),
            lambda: check_all(*(partial(self.rules.check_behaviour, "next", mind.next) for mind in answer.minds)),
            lambda: self.rules.check("own_next", answer.own_next),
        )


class StrategyAnswer(ChoiceAnswer):
    """A strategy in words, and by it whom to meet next and what to hold then, by behaviour."""

    strategy: Words


@dataclass(frozen=True, slots=True)
class MakeStrategy(_ByChoice, Question[StrategyAnswer]):
    """Which strategy should the agent follow next?

    history: the interactions with all players. opponents: what was seen of each of them, without hypotheses. own: the
    agent's inventory. step: the present one. best: the earlier strategies that earned most, the best first.
    """

    template = "melting_pot/matrix/make_strategy.j2"
    schema = StrategyAnswer
    rules: MatrixRules
    history: tuple[MatrixInteraction, ...]
    opponents: tuple[Opponent, ...]
    own: Counts
    step: int
    best: tuple[Hypothesis, ...] = ()


@dataclass(frozen=True, slots=True)
class FollowStrategy(_ByChoice, Question[ChoiceAnswer]):
    """What should the agent hold next given a strategy, and which players should it seek?

    opponents, own, step: as in `MakeStrategy`.
    """

    template = "melting_pot/matrix/follow_strategy.j2"
    schema = ChoiceAnswer
    rules: MatrixRules
    history: tuple[MatrixInteraction, ...]
    opponents: tuple[Opponent, ...]
    own: Counts
    step: int
    strategy: str


@dataclass(frozen=True, slots=True)
class JudgeStrategy(Question[HindsightAnswer]):
    """What would an interaction have paid if the agent had held another inventory?"""

    template = "melting_pot/matrix/judge_strategy.j2"
    schema = HindsightAnswer
    rules: MatrixRules
    encounter: MatrixInteraction
    instead: Counts
