"""What is asked of a model about a matrix game: the fields it may use, and the form of its answer."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel

from hm_agent.core import Counts, Hypothesis, Question
from hm_agent.games.matrix.payoff import Payoff
from hm_agent.grid import Cell, Pose
from hm_agent.theory_of_mind.module import HypothesisAnswer


@dataclass(frozen=True, slots=True)
class Rules:
    """The game as its players know it. payoff: row the own pure strategy, column the other's."""

    behaviours: tuple[str, ...]
    things: tuple[str, ...]
    payoff: Payoff
    initial_inventory: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Encounter:
    """An interaction as understood: both inventories, the other's by inference.

    behaviour: the pure strategy the other played, None where that can't be told. own_behaviour: the same of oneself.
    shown: how much of each resource one was seen to collect by the other before.
    """

    step: int
    partner: str
    own: Counts
    reward: float
    other: Counts
    behaviour: str | None
    own_behaviour: str | None
    shown: Counts


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


@dataclass(frozen=True, slots=True)
class ProposeHypothesis(Question[HypothesisAnswer]):
    """What is the other's strategy? (step 3) best: the earlier hypotheses that predicted well, the best first."""

    template = "matrix/propose_hypothesis.j2"
    schema = HypothesisAnswer
    rules: Rules
    history: tuple[Encounter, ...]
    best: tuple[Hypothesis, ...]


class CounterAnswer(BaseModel):
    """What the other will hold next, and what to hold against it, by behaviour."""

    reasoning: str = ""
    other_next: dict[str, int]
    own_next: dict[str, int]


@dataclass(frozen=True, slots=True)
class PredictAndCounter(Question[CounterAnswer]):
    """What will the other play next by this hypothesis, and what to play against it? (steps 4 and 5)

    hypothesis is None before anything is known. taken: how much of each resource the other is known to have taken since
    the last encounter, own: what one holds oneself by now; None where nothing was noticed.
    """

    template = "matrix/predict_and_counter.j2"
    schema = CounterAnswer
    rules: Rules
    history: tuple[Encounter, ...]
    hypothesis: str | None
    taken: Counts | None = None
    own: Counts | None = None


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


class PlanAnswer(BaseModel):
    """A few subgoals in order, each a function call."""

    reasoning: str = ""
    subgoals: list[str]


@dataclass(frozen=True, slots=True)
class PlanSubgoals(Question[PlanAnswer]):
    """How to reach the target inventory and then meet the other? (section 3.2, subgoal module; appendix C.4)

    sites: where things were seen earlier and may have grown back.
    opponent: (cell, step) of the last sighting. likely: where it may be now, with the probability of seeing it
    from there. unseen: the places out of view for longest, with the step they were
    last seen, None for never. error: what was wrong with the last plan.
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
    opponent: tuple[Cell, int] | None
    likely: tuple[tuple[Cell, float], ...]
    unseen: tuple[tuple[Cell, int | None], ...]
    error: str | None = None
