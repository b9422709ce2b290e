"""The questions about plans that the agent asks a model in a matrix game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, pass_environment
from jinja2.filters import make_attrgetter

from hm_agent.agents.reflection import Critique
from hm_agent.models.prompts import phrase, register_filter
from hm_agent.questions import UNSHOWN, Question
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.game import PlanAnswer, PlanQuestion
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules
from hm_agent.worlds.melting_pot.games.matrix.seat import OtherPlayer
from hm_agent.worlds.melting_pot.grid import Cell, Layout, Pose, distance
from hm_agent.worlds.melting_pot.planning.subgoals import PreviousPlan, Subgoal
from hm_agent.worlds.melting_pot.planning.written_subgoals import (
    COLLECT_UNSEEN,
    FIRE_AT,
    FIRE_ON_SIGHT,
    MOVE_TO,
    PAUSE,
    SHADOW,
    Functions,
    Names,
    call_pattern,
    parse_plan,
)

SUBGOALS: Functions = {
    "move_to": MOVE_TO,
    "fire_at": FIRE_AT,
    "fire_on_sight": FIRE_ON_SIGHT,
    "collect_unseen": COLLECT_UNSEEN,
    "shadow": SHADOW,
    "wait": PAUSE,
}
"""The functions a plan may call."""
MOST_SUBGOALS = 12
"""The largest number of subgoals in a plan; a longer one would be outdated long before its end."""


@dataclass(frozen=True, slots=True)
class Place:
    """A resource on the map. step: when it was last seen. in_view: True if its cell is in view now."""

    kind: str
    cell: Cell
    step: int
    in_view: bool


@dataclass(frozen=True, slots=True)
class Site:
    """A cell where a resource was seen earlier and is not known to be now.

    emptied: the step at which the cell was last seen empty, None if the agent has not seen it empty since it respawned.
    """

    kind: str
    cell: Cell
    emptied: int | None


@dataclass(frozen=True, slots=True)
class Seen:
    """Where and when another player was last seen. sought: True if the strategy is to interact with it.

    mark: over its head, which tells whether it is ready to interact. taken: what it is known to have taken since its
    respawn; taken_until: the step of the last of these pickups, None if there is none.
    """

    player: str
    cell: Cell
    step: int
    sought: bool
    mark: str | None = None
    taken: Counts = ()
    taken_until: int | None = None


@dataclass(frozen=True, slots=True)
class PlanSubgoals(PlanQuestion):
    """Which subgoals lead to the target inventory, then an interaction? (section 3.2, subgoal module; appendix C.4)

    strategy, target, expected: None for an agent that plans without a strategist. is_watching: True if the strategy is
    to meet nobody yet. things: the resources as last seen. sites: where resources were seen earlier and may have grown
    back. others: the other players as last seen. missing: the players to seek who are not among them. likely: cells
    where the sought players may be, each with the expected number of them in view from there. unseen: the cells that
    were out of view for longest, each with the step it was last seen, None for never. history: the interactions with
    all players, if planning is to see them itself. opponents: what was seen of each other player apart from
    interactions, for an agent that plans without a strategist. critiques: the lessons from earlier plans. because: why
    a plan is asked for, in words. previous: the plan before, None at first and after an interaction. players: the names
    of the others.
    """

    template = "melting_pot/matrix/plan_subgoals.j2"
    rules: MatrixRules
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
    opponents: tuple[OtherPlayer, ...] = ()
    is_watching: bool = False
    because: str = ""
    previous: PreviousPlan | None = None
    players: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    layout: Layout = field(kw_only=True, metadata=UNSHOWN)

    def names(self) -> Names:
        """The names that calls may hold."""
        return Names(self.players, self.rules.behaviours)

    @property
    def forms(self) -> Mapping[str, Mapping[str, Any]]:
        """Allows calls with the agent's own cell and the cells that the prompt names, any open one if it names none."""
        named = {place.cell for place in self.things} | {site.cell for site in self.sites}
        named |= {other.cell for other in self.others} | {cell for cell, _ in (*self.likely, *self.unseen)}
        cells = sorted(filter(self.layout.is_open, {self.pose.cell, *(named or self.layout.open_cells)}))
        calls = {"pattern": call_pattern(SUBGOALS, dict.fromkeys(SUBGOALS, cells), self.names())}
        return {"subgoals": {"items": calls, "minItems": 1, "maxItems": MOST_SUBGOALS}}

    def check(self, answer: PlanAnswer) -> None:
        given = len(answer.subgoals)
        if given > MOST_SUBGOALS:
            refusal = phrase("melting_pot/matrix/refusals.j2", "too_many_calls", given=given, most=MOST_SUBGOALS)
            raise ValueError(refusal)
        self.subgoals_of(answer)

    def subgoals_of(self, answer: PlanAnswer) -> tuple[Subgoal, ...]:
        return parse_plan(answer.subgoals, self.layout, SUBGOALS, self.names())


@dataclass(frozen=True, slots=True)
class MatrixMoment:
    """The agent's pose and inventory at one step."""

    step: int
    pose: Pose
    inventory: Counts


@dataclass(frozen=True, slots=True)
class EvaluatePlan(Question[Critique]):
    """How well did a plan do, and what should the agent do better? (Reflexion's evaluator, appendix D.2)

    because: why the plan is over, in words. reward: the sum from the plan's beginning to its end. met: the interactions
    meanwhile. others: the other players as last seen.
    """

    template = "melting_pot/matrix/evaluate_plan.j2"
    schema = Critique
    rules: MatrixRules
    plan: PreviousPlan
    because: str
    reward: float
    before: MatrixMoment
    after: MatrixMoment
    met: tuple[MatrixInteraction, ...]
    others: tuple[Seen, ...]


@pass_environment
def nearest(environment: Environment, items: Iterable[Any], start: Cell, attribute: str | int) -> list[Any]:
    """Sorts items by their distance from a start, then by cell.

    attribute: where an item holds its cell, as in Jinja2's `sort`.
    """
    cell_of = make_attrgetter(environment, attribute)
    return sorted(items, key=lambda item: (distance(start, cell_of(item)), cell_of(item)))


register_filter("nearest", nearest)
register_filter("argmax", argmax)
