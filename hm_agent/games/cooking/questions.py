"""What is asked of a model about a kitchen: the fields it may use, and the form of its answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel

from hm_agent.asking import UNSHOWN, Question
from hm_agent.core import Hypothesis
from hm_agent.games.cooking.activities import Activity
from hm_agent.games.cooking.kitchen import ROLES, Pot, Station
from hm_agent.games.cooking.pace import Pace
from hm_agent.games.cooking.rounds import Round
from hm_agent.games.game import Critique
from hm_agent.grid import Cell, Layout, Pose
from hm_agent.planning.subgoals import Interact, MoveTo, Subgoal, SubgoalError, Wait, parse_plan
from hm_agent.theory_of_mind.module import HypothesisAnswer

SUBGOALS = ("interact", "wait", "move_to")
"""The functions a plan may call."""
MOST_SUBGOALS = 10
"""A longer plan is refused: it would be outdated long before its end."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The kitchen as its cooks know it. steps: how long an episode lasts."""

    width: int
    height: int
    tomatoes: int
    cooking_steps: int
    reward: float
    steps: int
    roles: tuple[str, ...] = ROLES

    def check(self, name: str, role: str) -> None:
        """Raises ValueError for what is no role. name: of the field, for the error."""
        if role not in self.roles:
            raise ValueError(f"{name}: unknown role {role[:20]!r}; there are {', '.join(map(repr, self.roles))}")


@dataclass(frozen=True, slots=True)
class ProposeTeammate(Question[HypothesisAnswer]):
    """What is the teammate's strategy? (step 3) best: the earlier hypotheses that predicted well, the best first."""

    template = "cooking/propose_teammate.j2"
    schema = HypothesisAnswer
    rules: Rules
    history: tuple[Round, ...]
    best: tuple[Hypothesis, ...]


class BehaviourAnswer(BaseModel):
    """What the teammate will do next."""

    reasoning: str = ""
    behaviour: str


@dataclass(frozen=True, slots=True)
class PredictTeammate(Question[BehaviourAnswer]):
    """Which role will the teammate play in the next round, by this hypothesis? (step 4)"""

    template = "cooking/predict_teammate.j2"
    schema = BehaviourAnswer
    rules: Rules
    history: tuple[Round, ...]
    hypothesis: str | None

    def check(self, answer: BehaviourAnswer) -> None:
        self.rules.check("behaviour", answer.behaviour)


@dataclass(frozen=True, slots=True)
class Side:
    """What work costs in one's own room, in steps; None while it is not known where things stand.

    loading: to fetch a tomato, put it into a pot and be back. serving: to fetch a dish, take a soup and deliver it.
    """

    loading: int | None
    serving: int | None


class RoleAnswer(BaseModel):
    """What the teammate is expected to do, and which role to play oneself."""

    reasoning: str = ""
    teammate: str
    role: str
    strategy: str


@dataclass(frozen=True, slots=True)
class ChooseRole(Question[RoleAnswer]):
    """Which role to play? (step 5) history: the latest rounds. expected: what the hypothesis predicts."""

    template = "cooking/choose_role.j2"
    schema = RoleAnswer
    rules: Rules
    history: tuple[Round, ...]
    hypothesis: str | None
    expected: str | None
    pace: Pace
    own: Side
    other: Side

    def check(self, answer: RoleAnswer) -> None:
        self.rules.check("teammate", answer.teammate)
        self.rules.check("role", answer.role)


@dataclass(frozen=True, slots=True)
class Teammate:
    """Where and how the teammate was last seen."""

    cell: Cell
    hands: str | None
    step: int


@dataclass(frozen=True, slots=True)
class Barred:
    """Something that came to nothing before, in the state that one is in now."""

    cell: Cell
    why: str


class PlanAnswer(BaseModel):
    """A few subgoals in order, each a function call."""

    reasoning: str = ""
    subgoals: list[str]


@dataclass(frozen=True, slots=True)
class PlanCooking(Question[PlanAnswer]):
    """How to carry out the strategy from here? (section 3.2, subgoal module; appendix C.4)

    hands: what one holds. stations: what can be used in one's own room, but for pots. spare: counters there to put
    something down on. floor: where one can walk. unseen: the counters that were never seen. recent: what the teammate
    did lately. critique: what was learnt from the plan before. barred: what would fail at once.
    """

    template = "cooking/plan_cooking.j2"
    schema = PlanAnswer
    rules: Rules
    step: int
    pose: Pose
    hands: str | None
    strategy: str
    role: str | None
    expected: str | None
    pots: tuple[Pot, ...]
    stations: tuple[Station, ...]
    spare: tuple[Cell, ...]
    floor: tuple[Cell, ...]
    unseen: tuple[Cell, ...]
    teammate: Teammate | None
    recent: tuple[Activity, ...]
    pace: Pace
    own: Side
    critique: str | None
    barred: tuple[Barred, ...]
    layout: Layout = field(metadata=UNSHOWN)
    reach: frozenset[Cell] = field(metadata=UNSHOWN)
    """All that can be used from one's own room."""

    def check(self, answer: PlanAnswer) -> None:
        if len(answer.subgoals) > MOST_SUBGOALS:
            raise ValueError(f"{len(answer.subgoals)} subgoals are too many; plan only as far as you know, at most 10")
        plan = parse_plan(answer.subgoals, self.layout, SUBGOALS)
        for subgoal in plan:
            self._check_reach(subgoal)
        first = next((subgoal for subgoal in plan if isinstance(subgoal, Interact)), None)
        for barred in self.barred:
            if first == plan[0] and first.target == barred.cell:
                raise SubgoalError(f"{first}: it came to nothing before with the same in your hands: {barred.why}")

    def _check_reach(self, subgoal: Subgoal) -> None:
        if isinstance(subgoal, MoveTo) and subgoal.target not in self.floor:
            raise SubgoalError(f"{subgoal}: {subgoal.target} is not in your room; its floor is {sorted(self.floor)}")
        if isinstance(subgoal, Wait) and all(pot.cell != subgoal.target for pot in self.pots):
            raise SubgoalError(f"{subgoal}: no pot stands there; pots are at {[pot.cell for pot in self.pots]}")
        if isinstance(subgoal, Interact) and self.layout.is_open(subgoal.target):
            raise SubgoalError(f"{subgoal}: that is bare floor; name a station, a pot or a counter")
        if isinstance(subgoal, Interact | Wait) and subgoal.target not in self.reach:
            raise SubgoalError(f"{subgoal}: out of your reach; use what is named in your room")


@dataclass(frozen=True, slots=True)
class CritiqueInteraction(Question[Critique]):
    """Why did using something leave the own hands as they were, and what to do instead? (appendix C.6)

    before, after: what was used, as it looked before and looks now; None where nothing was known to be there.
    """

    template = "cooking/critique_interaction.j2"
    schema = Critique
    rules: Rules
    target: Cell
    hands: str | None
    before: Station | None
    after: Station | None
    pots: tuple[Pot, ...]
    step: int
