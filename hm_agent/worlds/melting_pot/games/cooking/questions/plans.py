"""What planning asks in a kitchen: the fields that may be used, and the form of an answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel

from hm_agent.questions import UNSHOWN, Question
from hm_agent.worlds.melting_pot.games.cooking.activities import Activity
from hm_agent.worlds.melting_pot.games.cooking.kitchen import Pot, Station
from hm_agent.worlds.melting_pot.games.cooking.pace import Pace
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction
from hm_agent.worlds.melting_pot.games.cooking.rules import Rules
from hm_agent.worlds.melting_pot.games.cooking.sides import Side
from hm_agent.worlds.melting_pot.games.game import Critique
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose
from hm_agent.worlds.melting_pot.planning.subgoals import Interact, MoveTo, Subgoal, SubgoalError, Wait, parse_plan

SUBGOALS = ("interact", "wait", "move_to")
"""The functions a plan may call."""
MOST_SUBGOALS = 10
"""A longer plan is refused: it would be outdated long before its end."""


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
    did lately. history: the latest rounds, for who plans without a strategy. critiques: what was learnt from earlier
    plans. barred: what would fail at once.
    """

    template = "melting_pot/cooking/plan_cooking.j2"
    schema = PlanAnswer
    rules: Rules
    step: int
    pose: Pose
    hands: str | None
    strategy: str | None
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
    history: tuple[KitchenInteraction, ...]
    critiques: tuple[str, ...]
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

    template = "melting_pot/cooking/critique_interaction.j2"
    schema = Critique
    rules: Rules
    target: Cell
    hands: str | None
    before: Station | None
    after: Station | None
    pots: tuple[Pot, ...]
    step: int


@dataclass(frozen=True, slots=True)
class Moment:
    """Where one was, what one held, and what was in the pots."""

    step: int
    pose: Pose
    hands: str | None
    pots: tuple[Pot, ...]


@dataclass(frozen=True, slots=True)
class EvaluateCooking(Question[Critique]):
    """What did a plan come to, and what to do better? (Reflexion's evaluator, appendix D.2)

    failed: the call that left the own hands as they were and so ended the plan; None where none did. reward: all that
    was paid from its beginning to its end.
    """

    template = "melting_pot/cooking/evaluate_cooking.j2"
    schema = Critique
    rules: Rules
    plan: tuple[str, ...]
    failed: str | None
    reward: float
    before: Moment
    after: Moment
