"""What is asked of a model about a matrix game: the fields it may use, and the form of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from hm_agent.asking import UNSHOWN, Question
from hm_agent.core import Counts, Hypothesis
from hm_agent.games.matrix.clues import Life
from hm_agent.games.matrix.payoff import argmax
from hm_agent.games.matrix.rules import Encounter, Rules
from hm_agent.grid import Cell, Layout, Pose
from hm_agent.planning.subgoals import parse_plan
from hm_agent.theory_of_mind.module import HypothesisAnswer

SUBGOALS = ("move_to", "fire_at")
"""The functions a plan may call."""
MOST_SUBGOALS = 12
"""A longer plan is refused: it would be outdated long before its end."""


class InventoryAnswer(BaseModel):
    """What the other held, by behaviour."""

    reasoning: str = ""
    inventory: dict[str, int]


@dataclass(frozen=True, slots=True)
class InferInventory(Question[InventoryAnswer]):
    """Which inventory of the other explains the reward? (step 1, where it is left to the model)"""

    template = "matrix/infer_inventory.j2"
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

    template = "matrix/propose_hypothesis.j2"
    schema = HypothesisAnswer
    rules: Rules
    history: tuple[Encounter, ...]
    best: tuple[Hypothesis, ...]


def _check_lead(rules: Rules, other_next: Mapping[str, int]) -> None:
    """Raises ValueError where an inventory predicts nothing."""
    if argmax(rules.counts(other_next)) is None:
        raise ValueError("other_next: no kind leads; let the one lead that you expect most")


class CounterAnswer(BaseModel):
    """What the other will hold next, and what to hold against it, by behaviour."""

    reasoning: str = ""
    other_next: dict[str, int]
    own_next: dict[str, int]


@dataclass(frozen=True, slots=True)
class PredictAndCounter(Question[CounterAnswer]):
    """What will the other play next by this hypothesis, and what to play against it? (steps 4 and 5)

    hypothesis is None before anything is known. certain: whether it is known to be true. taken: how much of each
    resource the other is known to have taken since the last encounter, own: what one holds oneself by now; None where
    nothing was noticed.
    """

    template = "matrix/predict_and_counter.j2"
    schema = CounterAnswer
    rules: Rules
    history: tuple[Encounter, ...]
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

    template = "matrix/predict_next.j2"
    schema = PredictionAnswer
    rules: Rules
    history: tuple[Encounter, ...]
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
    of the times between its earlier interactions, but for those that ended in meeting it.
    """

    player: str
    history: tuple[Encounter, ...]
    hypothesis: Hypothesis | None
    expected: str | None
    present: Life | None = None
    former: tuple[Life, ...] = ()


class ChoiceAnswer(BaseModel):
    """Whom to meet next, and what to hold then, by behaviour."""

    reasoning: str = ""
    seek: list[str]
    own_next: dict[str, int]


@dataclass(frozen=True, slots=True)
class ChooseOpponents(Question[ChoiceAnswer]):
    """Whom to seek out, and what to collect for it? (step 5 among many)

    step: the present one. own: what one holds already.
    """

    template = "matrix/choose_opponents.j2"
    schema = ChoiceAnswer
    rules: Rules
    opponents: tuple[Opponent, ...]
    own: Counts
    step: int

    @property
    def keys(self) -> tuple[str, ...]:
        return self.rules.behaviours

    def check(self, answer: ChoiceAnswer) -> None:
        self.rules.check("own_next", answer.own_next)
        names = [opponent.player for opponent in self.opponents]
        unknown = next((name for name in answer.seek if name not in names), None)
        if unknown is not None:
            raise ValueError(f"seek: unknown player {unknown[:20]!r}; there are {', '.join(names)}")


@dataclass(frozen=True, slots=True)
class Place:
    """A thing on the map and the step it was last seen. in_view: whether it is seen right now."""

    kind: str
    cell: Cell
    step: int
    in_view: bool


@dataclass(frozen=True, slots=True)
class Site:
    """Where a thing was once and is not known to be now.

    emptied: the step it was last seen empty, None if not since one came to the map.
    """

    kind: str
    cell: Cell
    emptied: int | None


@dataclass(frozen=True, slots=True)
class Seen:
    """Where and when another player was last seen. sought: whether it is to be met."""

    player: str
    cell: Cell
    step: int
    sought: bool


class PlanAnswer(BaseModel):
    """A few subgoals in order, each a function call."""

    reasoning: str = ""
    subgoals: list[str]


@dataclass(frozen=True, slots=True)
class PlanSubgoals(Question[PlanAnswer]):
    """How to reach the target inventory and then meet another? (section 3.2, subgoal module; appendix C.4)

    sites: where things were seen earlier and may have grown back. others: the other players, as last seen. likely:
    where those to be met may be now, with how many of them to expect in view from there. unseen: the places out of view
    for longest, with the step they were last seen, None for never.
    """

    template = "matrix/plan_subgoals.j2"
    schema = PlanAnswer
    rules: Rules
    step: int
    pose: Pose
    inventory: Counts
    strategy: str
    target: Counts
    expected: Counts | None
    things: tuple[Place, ...]
    sites: tuple[Site, ...]
    others: tuple[Seen, ...]
    likely: tuple[tuple[Cell, float], ...]
    unseen: tuple[tuple[Cell, int | None], ...]
    layout: Layout = field(metadata=UNSHOWN)

    def check(self, answer: PlanAnswer) -> None:
        if len(answer.subgoals) > MOST_SUBGOALS:
            raise ValueError(f"{len(answer.subgoals)} subgoals are too many; plan only as far as you know, at most 6")
        parse_plan(answer.subgoals, self.layout, SUBGOALS)
