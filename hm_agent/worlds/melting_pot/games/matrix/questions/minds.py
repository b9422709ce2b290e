"""What the Theory of Mind asks in a matrix game: the fields that may be used, and the form of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from hm_agent.core import Counts, Hypothesis
from hm_agent.questions import Question, Words
from hm_agent.theory_of_mind.module import HypothesisAnswer
from hm_agent.worlds.melting_pot.games.matrix.partner_choice import Sighting
from hm_agent.worlds.melting_pot.games.matrix.payoff import argmax
from hm_agent.worlds.melting_pot.games.matrix.pickups import Life
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules, check_players


class InventoryAnswer(BaseModel):
    """What the other held, by behaviour."""

    reasoning: str = ""
    inventory: dict[str, int]


@dataclass(frozen=True, slots=True)
class InferInventory(Question[InventoryAnswer]):
    """Which inventory of the other explains the reward? (step 1, where it is left to the model)"""

    template = "melting_pot/matrix/infer_inventory.j2"
    schema = InventoryAnswer
    rules: Rules
    own: Counts
    reward: float

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    def check(self, answer: InventoryAnswer) -> None:
        self.rules.check("inventory", answer.inventory)


@dataclass(frozen=True, slots=True)
class ProposeHypothesis(Question[HypothesisAnswer]):
    """What is the other's strategy? (step 3) best: the earlier hypotheses that predicted well, the best first."""

    template = "melting_pot/matrix/propose_hypothesis.j2"
    schema = HypothesisAnswer
    rules: Rules
    history: tuple[MatrixInteraction, ...]
    best: tuple[Hypothesis, ...]


def _check_lead(rules: Rules, other_next: Mapping[str, int]) -> None:
    """Raises ValueError where an inventory predicts nothing."""
    if argmax(rules.counts(other_next)) is None:
        raise ValueError("other_next: no kind leads; let the one lead that you expect most")


class CounterAnswer(BaseModel):
    """What the other will hold next, what to hold against it, by behaviour, and whether it must not see one collect."""

    reasoning: str = ""
    other_next: dict[str, int]
    own_next: dict[str, int]
    covert: bool = False


@dataclass(frozen=True, slots=True)
class PredictAndCounter(Question[CounterAnswer]):
    """What will the other play next by this hypothesis, and what to play against it? (steps 4 and 5)

    hypothesis is None before anything is known. certain: whether it is known to be true. taken: how much of each
    resource the other is known to have taken since the last encounter, own: what one holds oneself by now; None where
    nothing was noticed.
    """

    template = "melting_pot/matrix/predict_and_counter.j2"
    schema = CounterAnswer
    rules: Rules
    history: tuple[MatrixInteraction, ...]
    hypothesis: str | None
    certain: bool = False
    taken: Counts | None = None
    own: Counts | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    def check(self, answer: CounterAnswer) -> None:
        self.rules.check("other_next", answer.other_next)
        self.rules.check("own_next", answer.own_next)
        _check_lead(self.rules, answer.other_next)


class PredictionAnswer(BaseModel):
    """What another player will hold next, by behaviour."""

    reasoning: str = ""
    other_next: dict[str, int]


@dataclass(frozen=True, slots=True)
class PredictNext(Question[PredictionAnswer]):
    """What will one of several others play next by this hypothesis? (step 4, asked apart from step 5)"""

    template = "melting_pot/matrix/predict_next.j2"
    schema = PredictionAnswer
    rules: Rules
    history: tuple[MatrixInteraction, ...]
    hypothesis: str | None

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    def check(self, answer: PredictionAnswer) -> None:
        self.rules.check("other_next", answer.other_next)
        _check_lead(self.rules, answer.other_next)


@dataclass(frozen=True, slots=True)
class Opponent:
    """What is thought of one of several others.

    hypothesis: with its value; None before it was met. expected: the behaviour that is expected next, None where
    nothing tells. present: what it was seen to take since its latest interaction, None if it was not. former: the same
    of the times between its earlier interactions, but for those that ended in meeting it. seen: when and how far away
    it was in view last, None where nothing tells.
    """

    player: str
    history: tuple[MatrixInteraction, ...]
    hypothesis: Hypothesis | None
    expected: str | None
    present: Life | None = None
    former: tuple[Life, ...] = ()
    seen: Sighting | None = None


class ChoiceAnswer(BaseModel):
    """Whom to meet next, anybody if nobody is named, and what to hold then, by behaviour."""

    reasoning: str = ""
    seek: list[str]
    own_next: dict[str, int]


class PatientAnswer(ChoiceAnswer):
    """The same, and whether rather to watch and to meet nobody until more is known."""

    watch: bool = False


@dataclass(frozen=True, slots=True)
class ChooseOpponents(Question[PatientAnswer]):
    """Whom to seek out, and what to collect for it? (step 5 among many)

    step: the present one. own: what one holds already.
    """

    template = "melting_pot/matrix/choose_opponents.j2"
    schema = PatientAnswer
    rules: Rules
    opponents: tuple[Opponent, ...]
    own: Counts
    step: int

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    def check(self, answer: PatientAnswer) -> None:
        self.rules.check("own_next", answer.own_next)
        check_players("seek", answer.seek, [opponent.player for opponent in self.opponents])


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
class ReadMinds(Question[MindsAnswer]):
    """All steps at once: hypothesise, predict, and choose what to do (Vanilla Mind Prompting, section 4.5).

    opponents: with what happened, and nothing thought of them. own: what one holds already. step: the present one.
    """

    template = "melting_pot/matrix/read_minds.j2"
    schema = MindsAnswer
    rules: Rules
    opponents: tuple[Opponent, ...]
    own: Counts
    step: int

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    def check(self, answer: MindsAnswer) -> None:
        names = [opponent.player for opponent in self.opponents]
        check_players("minds", [mind.player for mind in answer.minds], names)
        check_players("seek", answer.seek, names)
        for mind in answer.minds:
            self.rules.check_behaviour("next", mind.next)
        self.rules.check("own_next", answer.own_next)
