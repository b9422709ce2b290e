"""What planning asks in a matrix game: the fields that may be used, and the form of an answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel

from hm_agent.core import Counts
from hm_agent.questions import UNSHOWN, Question
from hm_agent.worlds.melting_pot.games.game import Critique
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose
from hm_agent.worlds.melting_pot.planning.subgoals import parse_plan

SUBGOALS = ("move_to", "fire_at")
"""The functions a plan may call."""
MOST_SUBGOALS = 12
"""A longer plan is refused: it would be outdated long before its end."""


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

    strategy, target, expected: None where nobody has decided on them. things: what lies where. sites: where things were
    seen earlier and may have grown back. others: the other players, as last seen. likely: where those to be met may be
    now, with how many of them to expect in view from there. unseen: the places out of view for longest, with the step
    they were last seen, None for never. history: the interactions with everybody, for who plans without a strategy.
    critiques: what was learnt from earlier plans.
    """

    template = "melting_pot/matrix/plan_subgoals.j2"
    schema = PlanAnswer
    rules: Rules
    step: int
    pose: Pose
    inventory: Counts
    strategy: str | None
    target: Counts | None
    expected: Counts | None
    things: tuple[Place, ...]
    sites: tuple[Site, ...]
    others: tuple[Seen, ...]
    likely: tuple[tuple[Cell, float], ...]
    unseen: tuple[tuple[Cell, int | None], ...]
    history: tuple[MatrixInteraction, ...]
    critiques: tuple[str, ...]
    layout: Layout = field(metadata=UNSHOWN)

    def check(self, answer: PlanAnswer) -> None:
        if len(answer.subgoals) > MOST_SUBGOALS:
            raise ValueError(f"{len(answer.subgoals)} subgoals are too many; plan only as far as you know, at most 6")
        parse_plan(answer.subgoals, self.layout, SUBGOALS)


@dataclass(frozen=True, slots=True)
class Moment:
    """Where one was, and what one held."""

    step: int
    pose: Pose
    inventory: Counts


@dataclass(frozen=True, slots=True)
class EvaluatePlan(Question[Critique]):
    """What did a plan come to, and what to do better? (Reflexion's evaluator, appendix D.2)

    reward: all that was paid from its beginning to its end.
    """

    template = "melting_pot/matrix/evaluate_plan.j2"
    schema = Critique
    rules: Rules
    plan: tuple[str, ...]
    reward: float
    before: Moment
    after: Moment
