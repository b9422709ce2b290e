"""The nouns all parts share, and the seams between them.

One step of an agent reads from left to right; nothing flows back:

    world ─Observation─▶ perception ─▶ memory ─▶ theory of mind ─Strategy─▶ planning ─Decision─▶ world

Questions to a model have a page of their own: `asking.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy.typing as npt

from hm_agent.questions import Exchange, Usage
from hm_agent.worlds.melting_pot.grid import Cell, Pose

Counts = tuple[int, ...]
"""How much of each resource, in the game's order."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a player is permitted to receive after a step of a world.

    fields: the permitted observations by name, e.g. RGB (H, W, 3) uint8. reward: of the step that led here.
    last: whether the episode ended here, so that no further action counts.
    """

    step: int
    fields: Mapping[str, npt.NDArray[Any]]
    reward: float = 0.0
    last: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened and is worth thinking about; each game has its own kinds.

    is_interaction: whether results count it as one.
    """

    is_interaction: ClassVar[bool] = False
    step: int

    def describe(self) -> str:
        """The event in a few words."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Clue(Event):
    """Something seen of another player that hints at what it is up to, before anything has come of it.

    suggests: the behaviour it points to, None where it points to no single one.
    """

    partner: str
    suggests: str | None


class Interaction(Protocol):
    """An interaction as understood. behaviour: what the other did in it, None where that can't be told."""

    @property
    def step(self) -> int: ...

    @property
    def partner(self) -> str: ...

    @property
    def behaviour(self) -> str | None: ...

    @property
    def own(self) -> Counts:
        """What was held oneself."""
        ...

    @property
    def other(self) -> Counts | None:
        """What the other held, as inferred; None where the game has no inventories."""
        ...

    @property
    def reward(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Strategy:
    """What to do next and why, as handed from the strategist to planning.

    target: the own inventory to reach before meeting another, where the game has one. expected: what the other is
    expected to hold then. seek: whom to meet; anybody if None, nobody yet if empty. covert: whether nobody is to see
    what one collects. role: the part to play, where the game has parts. expected_role: the part another is expected to
    play.
    """

    words: str
    target: Counts | None = None
    expected: Counts | None = None
    seek: tuple[str, ...] | None = None
    covert: bool = False
    role: str | None = None
    expected_role: str | None = None


def is_sought(player: str, seek: Sequence[str] | None) -> bool:
    """Whether a player is to be met by a strategy that seeks these, or anybody."""
    return seek is None or player in seek


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A belief about another player, in words.

    value: how well it has predicted so far, in [-c, c]. prediction: the behaviour it predicts for the next event, None
    while it has not been asked. born: after how many events it was first thought of.
    """

    words: str
    value: float = 0.0
    prediction: str | None = None
    born: int = 0


class AgentSnapshot(Protocol):
    """What an agent sees, remembers and means to do: worked out only for who asks, and true until it acts again."""

    @property
    def scene(self) -> str:
        """What is in view, as text."""
        ...

    @property
    def present(self) -> bool:
        """Whether its avatar is on the map."""
        ...

    @property
    def remembered(self) -> Iterable[tuple[str, Cell, int]]:
        """The things and players that are known of: kind or name, and where and when each was last seen."""
        ...

    @property
    def plan(self) -> Sequence[str]:
        """The latest plan's subgoals, with those that are done."""
        ...

    @property
    def place(self) -> int:
        """Which of them is being followed; how many there are when all are done or given up."""
        ...

    @property
    def route(self) -> Sequence[Cell]:
        """The cells it is about to walk through, the nearest first."""
        ...

    @property
    def failed(self) -> str | None:
        """The subgoal that has just come to nothing and so ended the plan before."""
        ...


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent does, with what it saw, held and thought: all that recordings show of it.

    about: whom the hypotheses, the validated one and other_inventory are about; None before anybody was met.
    understood: of the events, the interactions as the strategist took them. insight: for recordings that show more.
    """

    action: int
    pose: Pose | None = None
    inventory: Counts | None = None
    other_inventory: Counts | None = None
    subgoal: str | None = None
    strategy: Strategy | None = None
    about: str | None = None
    hypotheses: Sequence[Hypothesis] = ()
    validated: Hypothesis | None = None
    events: Sequence[Event] = ()
    understood: Sequence[Interaction] = ()
    exchanges: Sequence[Exchange] = ()
    insight: AgentSnapshot | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class EpisodeStats:
    """An agent's own account of an episode, for its result."""

    usage: Usage = field(default_factory=Usage)
    interactions: int = 0
    unknown_patches: int = 0
    pose_lost_steps: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the loop. reward: what followed the decision. total: all rewards so far, this one included."""

    observation: Observation
    decision: Decision
    reward: float
    total: float


@dataclass(frozen=True, slots=True)
class OpponentIntent:
    """What only the reference agent `oracle` is told of another player.

    behaviour: what it is after just now. rule: in words, how it answers what is done to it, where it rewards and
    punishes. None where nobody can say.
    """

    behaviour: str | None
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class OpponentState:
    """What only a recording is shown of another player, never an agent.

    policy: its name. behaviour: what it is after just now, rule: how it answers what is done to it; None where nobody
    can say. inventory: what it holds, None in a game without inventories.
    """

    policy: str
    behaviour: str | None = None
    rule: str | None = None
    inventory: Counts | None = None


class World(Protocol):
    """An environment as one focal player meets it; episodes with one seed are bit-exact."""

    def reset(self, seed: int) -> Observation: ...

    def step(self, action: int) -> Observation: ...

    def background(self) -> Sequence[str]:
        """The names of the other players' policies; for the result, never for an agent."""
        ...

    def close(self) -> None: ...


class Agent(Protocol):
    """A player."""

    async def act(self, observation: Observation) -> Decision: ...

    def vitals(self) -> EpisodeStats: ...


class Recorder(Protocol):
    """A consumer of steps: a trace, a video."""

    def record(self, step: Step) -> None: ...

    def close(self) -> None: ...
