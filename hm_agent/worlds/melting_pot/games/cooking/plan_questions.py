"""The questions about plans in a kitchen, and the memory of failures that plans may not repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from hm_agent.agents.reflection import Critique
from hm_agent.models.prompts import phrase
from hm_agent.questions import UNSHOWN, Question, plan_of
from hm_agent.worlds.melting_pot.games.cooking.activities import Activity, KitchenInteraction, Pace
from hm_agent.worlds.melting_pot.games.cooking.kitchen import COOKED, POT, Kitchen, KitchenRules, Pot, Station
from hm_agent.worlds.melting_pot.games.cooking.rehearsal import RehearsalScene, why_impossible
from hm_agent.worlds.melting_pot.games.cooking.work_costs import WorkCost
from hm_agent.worlds.melting_pot.games.game import PlanAnswer, PlanQuestion
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose
from hm_agent.worlds.melting_pot.planning.subgoals import Interact, MoveTo, PreviousPlan, Subgoal, Wait, reason
from hm_agent.worlds.melting_pot.planning.written_subgoals import (
    INTERACT,
    MOVE_TO,
    WAIT,
    Functions,
    call_pattern,
    parse_plan,
)
from hm_agent.written_calls import CallError

SUBGOALS: Functions = {"interact": INTERACT, "wait": WAIT, "move_to": MOVE_TO}
"""The functions a plan may call."""
MOST_SUBGOALS = 10
"""The largest number of subgoals in a plan; a longer one would be outdated long before its end."""


@dataclass(frozen=True, slots=True)
class Teammate:
    """The teammate as last seen. hands: what it holds, by all it did since. since: when that became known."""

    cell: Cell
    hands: str | None
    step: int
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Barred:
    """A station whose use failed before in the agent's present state. why: the reason, for the error text."""

    cell: Cell
    why: str


@dataclass(frozen=True, slots=True)
class PlanCooking(PlanQuestion):
    """Which subgoals carry out the strategy? (section 3.2, subgoal module; appendix C.4)

    hands: what the agent holds. strategy, role, expected: None for an agent that plans without a strategist. pots,
    stations: those that can be used from the agent's room. spare: the bare counters there. floor: the cells of the
    room. unseen: the counters there that were never in view. recent: the teammate's latest activities. own: the cost of
    work in the agent's room. history: the latest rounds, if planning is to see them itself. critiques: the lessons from
    earlier plans. barred: the stations whose use failed before in the present state. because: why a plan is asked for,
    in words. previous: the plan before, None for the first plan.
    """

    template = "melting_pot/cooking/plan_cooking.j2"
    rules: KitchenRules
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
    own: WorkCost
    history: tuple[KitchenInteraction, ...]
    critiques: tuple[str, ...]
    barred: tuple[Barred, ...]
    because: str
    previous: PreviousPlan | None
    layout: Layout = field(metadata=UNSHOWN)
    reach: frozenset[Cell] = field(metadata=UNSHOWN)
    """All wall cells that can be used from the agent's room."""
    usable: tuple[Cell, ...] = field(init=False)
    """The cells that the first call may use: with these hands that may work, and it has not failed before."""

    def __post_init__(self) -> None:
        usable = tuple(cell for cell in self._within_reach() if not self._problems((Interact(cell),)))
        object.__setattr__(self, "usable", usable)  # the way to set a calculated field of a frozen dataclass

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        """Allows calls within reach, and as the first call only those that may work at once."""
        pots = [pot.cell for pot in self.pots if pot.cell in self.reach]
        waits = [cell for cell in pots if not self._problems((Wait(cell),))]
        calls = call_pattern(SUBGOALS, {"interact": self._within_reach(), "wait": pots, "move_to": self.floor})
        first = call_pattern(SUBGOALS, {"interact": self.usable, "wait": waits, "move_to": self.floor})
        return {"subgoals": plan_of(first, calls, MOST_SUBGOALS)}

    def _within_reach(self) -> Sequence[Cell]:
        return sorted(cell for cell in self.reach if not self.layout.is_open(cell))

    def check(self, answer: PlanAnswer) -> None:
        """Refuses calls out of reach, calls that can't work, and a first call that has failed in the present state."""
        if len(answer.subgoals) > MOST_SUBGOALS:
            raise ValueError(_refusal("too_many_subgoals", given=len(answer.subgoals), most=MOST_SUBGOALS))
        plan = parse_plan(answer.subgoals, self.layout, SUBGOALS, check=self._check_reach)
        if problems := self._problems(plan):
            raise ValueError("; ".join(problems))

    def subgoals_of(self, answer: PlanAnswer) -> tuple[Subgoal, ...]:
        return parse_plan(answer.subgoals, self.layout, SUBGOALS)

    def usable_part(self, answer: PlanAnswer) -> PlanAnswer | None:
        """The calls before the first one that can't be carried out; None if that is the first call."""
        for count in range(min(len(answer.subgoals), MOST_SUBGOALS), 0, -1):
            part = answer.model_copy(update={"subgoals": answer.subgoals[:count]})
            with suppress(ValueError):
                self.check(part)
                return part
        return None

    def _problems(self, plan: Sequence[Subgoal]) -> Sequence[str]:
        """Why calls of a plan within reach can't work, one sentence each; empty if all may."""
        barred = next((barred for barred in self.barred if plan[0] == Interact(barred.cell)), None)
        failed = [_refusal("failed_before", call=str(plan[0]), why=barred.why)] if barred else []
        return [*failed, *why_impossible(self._scene, plan)]

    @property
    def _scene(self) -> RehearsalScene:
        bare = frozenset(self.spare)
        return RehearsalScene(self.rules, self.layout, self.step, self.pose, self.hands, self.pots, self.stations, bare)

    def _check_reach(self, subgoal: Subgoal) -> None:
        if isinstance(subgoal, MoveTo) and subgoal.target not in self.floor:
            floor = sorted(self.floor)
            raise CallError(_refusal("not_in_room", call=str(subgoal), cell=subgoal.target, floor=floor))
        if isinstance(subgoal, Interact | Wait) and self.layout.is_open(subgoal.target):
            raise CallError(_refusal("bare_floor", call=str(subgoal)))
        if isinstance(subgoal, Interact | Wait) and subgoal.target not in self.reach:
            raise CallError(_refusal("out_of_reach", call=str(subgoal)))


def _refusal(name: str, **details: object) -> str:
    """A refusal in words, of prompts/melting_pot/cooking/refusals.j2."""
    return phrase("melting_pot/cooking/refusals.j2", name, **details)


@dataclass(frozen=True, slots=True)
class CritiqueInteraction(Question[Critique]):
    """Why did using a station leave the agent's hands unchanged, and what should it do instead? (appendix C.6)

    before, after: the station before its use and now; None if none was known at the target. teammate: as last seen.
    """

    template = "melting_pot/cooking/critique_interaction.j2"
    schema = Critique
    rules: KitchenRules
    target: Cell
    hands: str | None
    before: Station | None
    after: Station | None
    pots: tuple[Pot, ...]
    step: int
    teammate: Teammate | None


@dataclass(frozen=True, slots=True)
class KitchenMoment:
    """The agent's pose, what it held, the pots and the teammate at one step."""

    step: int
    pose: Pose
    hands: str | None
    pots: tuple[Pot, ...]
    teammate: Teammate | None


@dataclass(frozen=True, slots=True)
class EvaluateCooking(Question[Critique]):
    """How well did a plan do, and what should the agent do better? (Reflexion's evaluator, appendix D.2)

    done: how many of its calls were carried out. because: why it ended, in words. failed: the call whose failure ended
    it, None if none failed. reward: the sum from the plan's beginning to its end. did: the teammate's activities
    meanwhile.
    """

    template = "melting_pot/cooking/evaluate_cooking.j2"
    schema = Critique
    rules: KitchenRules
    plan: tuple[str, ...]
    done: int
    because: str
    failed: str | None
    reward: float
    before: KitchenMoment
    after: KitchenMoment
    did: tuple[Activity, ...]


@dataclass(frozen=True, slots=True)
class FailureState:
    """What decides whether an interaction works: the agent's hands and the station, without a pot's growing bar."""

    cell: Cell
    hands: str | None
    kind: str | None
    mark: str | None


def state_of(cell: Cell, hands: str | None, station: Station | None) -> FailureState:
    """The state of an interaction. station: what was last seen on the cell, None for a bare counter."""
    if station is None:
        return FailureState(cell, hands, None, None)
    is_growing = station.kind.startswith(POT) and station.mark != COOKED
    return FailureState(cell, hands, station.kind, None if is_growing else station.mark)


class Failures:
    """The states in which an interaction failed, each with the reason if it is known."""

    def __init__(self) -> None:
        self._why: dict[FailureState, str | None] = {}

    def add(self, state: FailureState, why: str | None) -> None:
        """Remembers a failure; keeps the reason already known if none is given."""
        self._why[state] = why or self._why.get(state)

    def is_explained(self, state: FailureState) -> bool:
        return self._why.get(state) is not None

    def barred(self, kitchen: Kitchen, cells: Iterable[Cell]) -> tuple[Barred, ...]:
        """Which of these cells hold a station whose use failed before in the present state."""
        now = (state_of(cell, kitchen.hands, kitchen.stations.get(cell)) for cell in sorted(cells))
        unexplained = reason("hands_unchanged")
        return tuple(Barred(state.cell, self._why[state] or unexplained) for state in now if state in self._why)
