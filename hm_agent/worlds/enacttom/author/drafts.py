"""The parts of a drawn task before it is written as a task file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hm_agent.worlds.enacttom.tasks.mechanics import Binding, Channels
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.tasks.task import COOPERATIVE, MIXED

CATEGORIES = (COOPERATIVE, MIXED)
DEEPEST = 3
LEAST_AGENTS, MOST_AGENTS = 2, 4


def least_agents(k_depth: int) -> int:
    """The fewest agents for a K depth: knowledge that travels so many hops needs one agent more."""
    return max(LEAST_AGENTS, k_depth + 1)


@dataclass(frozen=True)
class TaskRequest:
    """The kind of task to make; `checked_plan` refuses kinds that can't be made."""

    category: str
    k_depth: int
    agents: int

    @property
    def cell(self) -> str:
        """Category and K depth as the beginning of the task's id, e.g. `mixed_k2`."""
        return f"{self.category}_k{self.k_depth}"


@dataclass(frozen=True)
class GoalDraft:
    """A physical conjunct and how it can come about.

    holder: the one agent that knows of it at first. path: the agents from the holder to the nearest that can bring it
    about, both included. secrets: further facts, each with the agent that is told it: where a thing is, what a handle
    does. opened: furniture that may be opened on the way. is_visible: False if nobody can be where the result is seen.
    """

    goal: Proposition
    holder: str
    path: tuple[str, ...]
    secrets: tuple[tuple[str, Proposition], ...] = ()
    opened: tuple[str, ...] = ()
    is_visible: bool = True

    @property
    def hops(self) -> int:
        return len(self.path) - 1


@dataclass
class HouseDraft:
    """A household as it is drawn, piece by piece.

    entrants: the agents that may enter each room. furniture: the room of each piece. is_open: the state of each piece
    that opens. places: where each object is. free: the furniture that opens and the objects that no goal is about yet.
    """

    request: TaskRequest
    agents: tuple[str, ...]
    channels: Channels
    entrants: dict[str, tuple[str, ...]] = field(default_factory=dict)
    spawns: dict[str, str] = field(default_factory=dict)
    furniture: dict[str, str] = field(default_factory=dict)
    is_open: dict[str, bool] = field(default_factory=dict)
    places: dict[str, Proposition] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)
    handles: list[Binding] = field(default_factory=list)

    def in_room(self, room: str) -> list[str]:
        return [piece for piece, place in self.furniture.items() if place == room]

    def free_doors(self, room: str) -> list[str]:
        """The furniture of a room that opens and that no goal is about yet."""
        return [piece for piece in self.in_room(room) if piece in self.is_open and piece in self.free]


@dataclass(frozen=True)
class TaskDraft:
    """A task without its texts.

    goals: the shared physical conjuncts. known: the K conjuncts. wishes: private goals by owner. limits: messages by
    agent; empty if their number is not limited. theme: the number of the story that its public text tells.
    """

    house: HouseDraft
    goals: Sequence[GoalDraft]
    known: Sequence[Claim]
    wishes: Mapping[str, Sequence[GoalDraft]]
    limits: Mapping[str, int]
    theme: int
