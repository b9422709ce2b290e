"""The types that all parts share, and the protocols between them.

A step of an episode, in any world:

    world ─Turn─▶ the waiting agents, all at once ─Decisions─▶ world

and within the composed agent of one seat (`agents/agent.py`):

    Observation ─▶ body.perceive ─Events─▶ strategist.revise ─Strategy─▶ body.act ─▶ Action

Questions to a model are in `questions.py`. What a world provides beside its environment is in `catalogue/suite.py`.
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


# Worlds


@dataclass(frozen=True, slots=True)
class Observation(Generic[ViewT_co]):
    """What a seat receives when it is to act. reward: what it earned since it last acted."""

    step: int
    view: ViewT_co
    reward: float = 0.0


@dataclass(frozen=True, slots=True)
class Turn(Generic[ViewT_co]):
    """A world between two steps.

    step: the number of steps taken so far. observations: by seat, of the seats that are to act now; no other seat acts.
    rewards: what the latest step paid, by seat. is_over: True if the episode has ended, so that no seat acts.
    """

    step: int
    observations: Mapping[Seat, Observation[ViewT_co]]
    rewards: Mapping[Seat, float] = field(default_factory=dict)
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class LiteralQuestion:
    """A question on what somebody knows or thinks now. answer: the right one of its choices, as the world knows it."""

    words: str
    choices: Sequence[str]
    answer: str


class World(Protocol[ViewT_co, ActionT_contra]):
    """An environment with one or several seats. One seed is one episode, bit for bit, in any process.

    Subclasses must define `seats`, `reset` and `step`. is_shown: True if pictures of the steps are recorded, so that
    `scene` may tell what takes the engine time; set before `reset`. It changes nothing else.
    """

    seats: Sequence[Seat]
    is_shown: bool = False

    def reset(self, seed: int) -> Turn[ViewT_co]: ...

    def step(self, actions: Mapping[Seat, ActionT_contra]) -> Turn[ViewT_co]:
        """Takes one step with the actions of all seats that were to act; returns the turn after it."""
        ...

    def scene(self) -> object | None:
        """Returns the latest step as only a viewer may see it: the state before the actions, and what they led to."""
        return None

    def metrics(self) -> Mapping[str, float]:
        """Returns the metrics of the episode so far, which results and reports show beside the reward.

        Reports show `interactions`, in worlds that count them, in a column of its own.
        """
        return {}

    def seat_metrics(self, seat: Seat) -> Mapping[str, float]:
        """Returns the world's metrics of one seat so far; results show them together with those of the seat's agent."""
        return {}

    def literal_questions(self, seat: Seat) -> Sequence[LiteralQuestion]:
        """Returns what a seat can be asked now about what others know or think; asking changes nothing.

        By default nothing: the world can't tell what is in the minds of others.
        """
        return ()

    def background(self) -> Sequence[str]:
        """Returns the names of the policies that play inside the world, e.g. bots; agents never see them."""
        return ()

    def close(self) -> None:
        """Releases the world's resources."""
        return


# Agents


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a body saw happen and reports to the strategist; each world has its own kinds."""

    step: int

    def describe(self) -> str:
        """The event in a few words."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Clue(Event):
    """Something seen of another player that hints at its behaviour before the next interaction with it.

    suggests: the behaviour that it hints at, None if it hints at no single one. is_slight: True if a single observation
    makes the whole difference.
    """

    partner: str
    suggests: str | None
    is_slight: bool = field(default=False, kw_only=True, compare=False)


class Interaction(Protocol):
    """What happened with another player, as the agent understood it.

    behaviour: what the other player did, None if that is unknown. reward: what the interaction paid the agent.
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
    """What to do next and why: a frozen dataclass that each game defines. words: the strategy in words, or empty."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def words(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A belief about another player, in words.

    value: how well it has predicted so far, in [-c, c]. prediction: what it predicts of the next interaction, None
    until the model is asked for that. born: how many interactions had happened when it was first proposed. tested: how
    many of its predictions could be checked. right: how many of these came true.
    """

    words: str
    value: float = 0.0
    prediction: str | None = None
    born: int = 0
    right: int = 0
    tested: int = 0


@dataclass(frozen=True, slots=True)
class Thoughts:
    """A strategist's strategy and beliefs after a step.

    about: the player whom the hypotheses and the validated one concern, None before the first interaction.
    threshold: the value from which a hypothesis counts as validated, None for strategists without hypotheses.
    interactions: those that the strategist took in at this step. relied_on: for each interaction, the hypothesis about
    its partner that the agent acted on, as it was before the interaction; None if there was none. right: for each
    interaction, whether the prediction of that hypothesis came true; None if there was no prediction, or if the
    interaction doesn't show it.
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
    """An agent's action, with everything that recordings show of its reasons.

    exchanges: the questions to the model that led to it. state: what the body believes and plans, a frozen dataclass
    that the world defines.
    """

    action: ActionT_co
    events: Sequence[Event] = ()
    thoughts: Thoughts = field(default_factory=Thoughts)
    exchanges: Sequence[Exchange] = ()
    state: object | None = None


class Agent(Protocol[ViewT_contra, ActionT_co]):
    """Plays one seat through one episode."""

    async def act(self, observation: Observation[ViewT_contra]) -> Decision[ActionT_co]: ...

    @property
    def usage(self) -> Usage:
        """Counts its questions so far, with their calls, tokens and cost; by default it asks none.

        What it asks of the model of its `AgentSetup` is counted in any case, and then counts alone.
        """
        return Usage()

    def metrics(self) -> Mapping[str, float]:
        """Returns metrics of its own, e.g. the number of steps in which it did not know where it was.

        By default there are none. Each is a finite number, under a name that the world has not.
        """
        return {}


class Body(Protocol[ViewT_contra, ActionT_co, StrategyT_contra]):
    """All that lies between a view and an action of one world: perception, memory and planning of one seat."""

    def perceive(self, observation: Observation[ViewT_contra]) -> Sequence[Event]:
        """Takes in an observation; returns the events that it shows."""
        ...

    def led(self) -> ActionT_co | None:
        """Returns the action that the world takes for the seat in this step, so that there is nothing to decide.

        None in all other steps, and in most worlds always.
        """
        return None

    async def act(self, strategy: StrategyT_contra, history: Sequence[Interaction]) -> ActionT_co:
        """Decides on the action that pursues a strategy; may ask the model planning questions.

        history: the interactions so far, for agents whose planning is to draw its own conclusions; empty for others.
        """
        ...

    def state(self) -> object:
        """Returns what the body believes and plans now, as a frozen dataclass, which recordings keep."""
        ...

    def metrics(self) -> Mapping[str, float]:
        """Returns metrics of its own."""
        return {}


# The loop of an episode


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the loop, for recorders.

    turn: as it was before the actions. decisions: by seat, of the seats that acted. rewards: what the step paid.
    totals: the sum of each seat's rewards so far, this step's included. scene: `World.scene`, for viewers only.
    """

    turn: Turn[Any]
    decisions: Mapping[Seat, Decision[Any]]
    rewards: Mapping[Seat, float]
    totals: Mapping[Seat, float]
    scene: object | None = None


class Recorder(Protocol):
    """A consumer of steps: a trace, a video, a progress bar."""

    def record(self, step: Step) -> None: ...

    def close(self) -> None:
        """Is called at the end of the episode; by default there is nothing to release."""
        return


def per_capita(amounts: Iterable[float]) -> float:
    """Returns the mean over seats; for a single seat its amount, unchanged."""
    values = list(amounts)
    return values[0] if len(values) == 1 else sum(values) / len(values)
