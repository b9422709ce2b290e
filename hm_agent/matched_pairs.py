"""What matched pairs of all worlds share: two situations that look alike and have different right answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from hm_agent.catalogue.scenario import ScenarioInfo
from hm_agent.core import LiteralQuestion, Seat, Turn, World
from hm_agent.metrics import SHARE, Metric

HALVES = ("even", "odd")
"""The halves of the pairs: anything may be chosen by results on the even ones, nothing by results on the odd ones."""
PAIRS = 30
"""How many pairs of boards of each kind and half a world has."""
BOARDS = ("board_0", "board_1")
"""The seats of a pair of boards."""
BOTH_BOARDS = "both_boards"
"""The metric of a pair of boards: 1 if both were passed, else 0."""
COIN = 0.25
"""The share of pairs that a coin between the two right answers passes: half of the situations, twice."""

ViewT = TypeVar("ViewT")
ActionT = TypeVar("ActionT")
FactsT = TypeVar("FactsT")


@dataclass(frozen=True)
class HalfOfKind(Generic[FactsT]):
    """What one scenario has of a kind of episodes: those of one half. kind: its name. facts: what describes it."""

    kind: str
    half: str
    facts: FactsT

    @property
    def is_held_out(self) -> bool:
        return self.half == HALVES[1]


def in_halves(prefix: str, kinds: Mapping[str, FactsT]) -> Mapping[str, HalfOfKind[FactsT]]:
    """Both halves of each kind, by the names of their scenarios, PREFIX and then KIND_HALF."""
    return {f"{prefix}{kind}_{half}": HalfOfKind(kind, half, facts) for kind, facts in kinds.items() for half in HALVES}


def pairs_metric(name: str, share: str, order: int, floor: str | None = None) -> Metric:
    """The metric of pairs that need an order, whose agent is the ceiling by proof. share: what it is, in words."""
    return Metric(
        name,
        f"{share} (.25 by guessing)",
        floor=floor,
        ceiling=f"order_{order}",
        digits=3,
        guessing=COIN,
        is_ceiling_told=False,
        bounds=SHARE,
    )


def boards_info(world: str, title: str, name: str, pairs: HalfOfKind[Any], asked_by: str) -> ScenarioInfo:
    """A scenario of pairs of boards. title: of what is played. asked_by: as in `ScenarioInfo`.

    pairs: its facts have an `order` and a `prelude`, and say what they are `about`.
    """
    order = pairs.facts.order
    return ScenarioInfo(
        world=world,
        name=name,
        short_name=name,
        group=f"{title}, matched pairs of order {order}",
        about=f"{pairs.facts.about} ({pairs.half} half)",
        seats=BOARDS,
        metric=pairs_metric(BOTH_BOARDS, "share of pairs with both boards passed", order),
        asked_by=asked_by,
        held_out=pairs.is_held_out,
        needs_order=order,
        is_of_one_mind=True,
        prelude=pairs.facts.prelude,
    )


class MatchedPairWorld(World[ViewT, ActionT]):
    """Two worlds of one seat each, played by agents that see and hear nothing of each other.

    worlds: by the name of the seat in the pair. passes: the metric that is 1 where a world was passed. both: the
    metrics that are 1 if both were passed, else 0.
    """

    def __init__(self, worlds: Mapping[Seat, World[ViewT, ActionT]], passes: str, both: Sequence[str]) -> None:
        self.seats, self.worlds, self._passes, self._both = tuple(worlds), worlds, passes, both
        self._turns: dict[Seat, Turn[ViewT]] = {}

    def reset(self, seed: int) -> Turn[ViewT]:
        self._turns = {seat: world.reset(seed) for seat, world in self.worlds.items()}
        return self._turn()

    def step(self, actions: Mapping[Seat, ActionT]) -> Turn[ViewT]:
        for seat, action in actions.items():
            world = self.worlds[seat]
            self._turns[seat] = world.step({world.seats[0]: action})
        rewards = {seat: next(iter(self._turns[seat].rewards.values())) for seat in actions}
        return self._turn(rewards)

    def _turn(self, rewards: Mapping[Seat, float] | None = None) -> Turn[ViewT]:
        waiting = {seat: turn.observations for seat, turn in self._turns.items() if not turn.is_over}
        observations = {seat: next(iter(seen.values())) for seat, seen in waiting.items()}
        step = max(turn.step for turn in self._turns.values())
        return Turn(step, observations, rewards or {}, not waiting)

    def scene(self) -> Mapping[Seat, Any]:
        return {seat: world.scene() for seat, world in self.worlds.items()}

    def metrics(self) -> Mapping[str, float]:
        are_passed = all(world.metrics().get(self._passes) == 1 for world in self.worlds.values())
        return dict.fromkeys(self._both, float(are_passed))

    def seat_metrics(self, seat: Seat) -> Mapping[str, float]:
        return self.worlds[seat].metrics()

    def literal_questions(self, seat: Seat) -> Sequence[LiteralQuestion]:
        world = self.worlds[seat]
        return world.literal_questions(world.seats[0])

    def close(self) -> None:
        for world in self.worlds.values():
            world.close()
