"""The nouns that all parts share, and the seams between them.

A step of an episode, in any world:

    world ─Turn─▶ the waiting agents, all at once ─Decisions─▶ world

and within the composed agent of one seat (`agents/agent.py`):

    Observation ─▶ body.perceive ─Events─▶ strategist.revise ─Strategy─▶ body.act ─▶ Action

Questions to a model have a page of their own: `questions.py`. What a world hands out beside itself is in `suite.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from hm_agent.questions import Exchange, Usage

Seat = str
"""The name of a place that an agent plays, e.g. `player_0`."""

ViewT_co = TypeVar("ViewT_co", covariant=True)
ActionT_co = TypeVar("ActionT_co", covariant=True)
ViewT_contra = TypeVar("ViewT_contra", contravariant=True)
ActionT_contra = TypeVar("ActionT_contra", contravariant=True)
StrategyT_contra = TypeVar("StrategyT_contra", contravariant=True)


# What a world says


@dataclass(frozen=True, slots=True)
class Observation(Generic[ViewT_co]):
    """What one seat receives when it is to act. reward: what it was paid since it acted last."""

    step: int
    view: ViewT_co
    reward: float = 0.0


@dataclass(frozen=True, slots=True)
class Turn(Generic[ViewT_co]):
    """A world between two steps.

    step: how many steps were taken. observations: what the seats receive that are to act now; no other seat acts.
    rewards: what the latest step paid, by seat. is_over: True if the episode has ended, so that nobody acts.
    """

    step: int
    observations: Mapping[Seat, Observation[ViewT_co]]
    rewards: Mapping[Seat, float] = field(default_factory=dict)
    is_over: bool = False


class World(Protocol[ViewT_co, ActionT_contra]):
    """An environment with one or several seats. One seed is one episode, bit for bit, in any process.

    A class that extends it has to write `seats`, `reset` and `step`.
    """

    seats: Sequence[Seat]

    def reset(self, seed: int) -> Turn[ViewT_co]: ...

    def step(self, actions: Mapping[Seat, ActionT_contra]) -> Turn[ViewT_co]:
        """Takes one step with an action of every seat that was to act."""
        ...

    def scene(self) -> object | None:
        """The latest step as only a viewer may see it: the state that was acted on and what the actions led to."""
        return None

    def metrics(self) -> Mapping[str, float]:
        """What results and reports show of the episode so far, beside the reward.

        `interactions`, of those worlds that count them, has a column of its own in reports.
        """
        return {}

    def seat_metrics(self, seat: Seat) -> Mapping[str, float]:
        """What the world counted of one seat's play so far; results show it with what the seat's agent counted."""
        return {}

    def background(self) -> Sequence[str]:
        """The policies that play inside the world, e.g. bots; for the result, never for an agent."""
        return ()

    def close(self) -> None:
        """Releases what the world holds."""
        return


# What an agent says


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened and is worth thinking about; each world has its own kinds."""

    step: int

    def describe(self) -> str:
        """The event in a few words."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Clue(Event):
    """Something seen of another player that hints at its behaviour before the next interaction with it.

    suggests: the behaviour that it hints at, None if it hints at no single one. is_news: True if what was seen before
    did not hint at that behaviour. is_slight: True if a single thing that was seen makes the whole difference.
    """

    partner: str
    suggests: str | None
    is_news: bool = field(default=False, kw_only=True, compare=False)
    is_slight: bool = field(default=False, kw_only=True, compare=False)


class Interaction(Protocol):
    """What happened with another player, as the agent understood it.

    behaviour: what the other player did, None if that can't be told. reward: what it paid the agent.
    """

    @property
    def step(self) -> int: ...

    @property
    def partner(self) -> str: ...

    @property
    def behaviour(self) -> str | None: ...

    @property
    def reward(self) -> float: ...


class Strategy(Protocol):
    """What to do next and why: a frozen dataclass of each game's own. words: the strategy in words, maybe empty."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def words(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A belief about another player, in words.

    value: how well it has predicted so far, in [-c, c]. prediction: what it predicts of the next interaction, None
    until it is asked. born: how many interactions had happened when it was first proposed. right, tested: how many of
    its predictions came true, of how many that could be told.
    """

    words: str
    value: float = 0.0
    prediction: str | None = None
    born: int = 0
    right: int = 0
    tested: int = 0


@dataclass(frozen=True, slots=True)
class Thoughts:
    """What a strategist holds after a step.

    about: the player whom the hypotheses and the validated one concern, None before the first interaction.
    threshold: the value from which a hypothesis counts as validated, None for strategists without hypotheses.
    interactions: those that were understood in this step. relied_on: for each, the hypothesis about its player that was
    acted on, as held before it; None if there was none. right: for each, whether the prediction of that hypothesis came
    true; None without a prediction, or where the interaction doesn't tell.
    """

    strategy: Strategy | None = None
    about: str | None = None
    hypotheses: Sequence[Hypothesis] = ()
    validated: Hypothesis | None = None
    threshold: float | None = None
    interactions: Sequence[Interaction] = ()
    relied_on: Sequence[Hypothesis | None] = ()
    right: Sequence[bool | None] = ()


@dataclass(frozen=True, slots=True)
class Decision(Generic[ActionT_co]):
    """What an agent does, and all that recordings show of why.

    exchanges: the questions that were asked for it. state: what the body believes and plans, a frozen dataclass of the
    world's own.
    """

    action: ActionT_co
    events: Sequence[Event] = ()
    thoughts: Thoughts = field(default_factory=Thoughts)
    exchanges: Sequence[Exchange] = ()
    state: object | None = None


class Agent(Protocol[ViewT_contra, ActionT_co]):
    """Whoever plays one seat through one episode."""

    async def act(self, observation: Observation[ViewT_contra]) -> Decision[ActionT_co]: ...

    @property
    def usage(self) -> Usage:
        """What its questions have cost so far."""
        ...

    def metrics(self) -> Mapping[str, float]:
        """What it counted itself, e.g. the steps in which it did not know where it was."""
        ...


class Body(Protocol[ViewT_contra, ActionT_co, StrategyT_contra]):
    """All that lies between a view and an action of one world: perception, memory and planning of one seat."""

    def perceive(self, observation: Observation[ViewT_contra]) -> Sequence[Event]:
        """Takes an observation in and says what has happened."""
        ...

    async def act(self, strategy: StrategyT_contra, history: Sequence[Interaction]) -> ActionT_co:
        """Decides on the action; may ask planning questions of its own.

        history: the interactions so far, for agents that leave to planning what to make of them; else empty.
        """
        ...

    def state(self) -> object:
        """What it believes and plans now: a frozen dataclass, which recordings keep."""
        ...

    def metrics(self) -> Mapping[str, float]:
        """What it counted."""
        return {}


# What the loop says


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the loop, for recorders.

    turn: what was acted on. decisions: of the seats that acted. rewards: what followed, by seat. totals: all rewards of
    each seat so far, these included. scene: the world's, for viewers only.
    """

    turn: Turn[Any]
    decisions: Mapping[Seat, Decision[Any]]
    rewards: Mapping[Seat, float]
    totals: Mapping[Seat, float]
    scene: object | None = None


class Recorder(Protocol):
    """A consumer of steps: a trace, a video, a progress bar."""

    def record(self, step: Step) -> None: ...

    def close(self) -> None: ...


def per_capita(amounts: Iterable[float]) -> float:
    """The mean over seats; exactly the amount itself where there is one seat."""
    values = list(amounts)
    return values[0] if len(values) == 1 else sum(values) / len(values)
