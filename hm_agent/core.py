"""The nouns all parts share, and the seams between them.

One step of an agent reads from left to right; nothing flows back:

    world ─Observation─▶ perception ─▶ memory ─▶ theory of mind ─Strategy─▶ planning ─Decision─▶ world

All questions to a model go through one door, `Model.answer`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy.typing as npt
from pydantic import BaseModel

from hm_agent.grid import Pose

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


class Evidence(Protocol):
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

    target: the own inventory to reach before meeting the other, where the game has one. expected: what the other is
    expected to hold then.
    """

    words: str
    target: Counts | None = None
    expected: Counts | None = None


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


AnswerT = TypeVar("AnswerT", bound=BaseModel)


class Question(Generic[AnswerT]):
    """Something to ask of a model: a dataclass whose fields are all that may be shown.

    template: the prompt's file in prompts/. schema: the form of a valid answer. keys: those of the mappings in it.
    """

    __slots__ = ()
    template: ClassVar[str]
    schema: ClassVar[type[BaseModel]]

    @property
    def keys(self) -> Sequence[str]:
        return ()

    def check(self, answer: AnswerT) -> None:
        """Raises ValueError where an answer of the right form can't be used, with what would be right."""


UNSHOWN: Mapping[str, Any] = {"shown": False}
"""Metadata of a field that prompts and recordings leave out: it serves to check an answer, or differs between runs."""


def shown_fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by name, without those that are not to be shown."""
    return {field.name: getattr(value, field.name) for field in fields(value) if field.metadata.get("shown", True)}


class Unanswered(Exception):
    """A model gave no valid answer to one question; the asker goes on as it defines."""


class ModelUnavailable(Exception):
    """A model can't be asked at all any more; it ends the episode. status: what the episode's result then says."""

    status: ClassVar[str] = "model_unavailable"


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a language model.

    prompt: its last message. replies: the completions as they came. problem: why none of them could be used. tokens,
    cost (USD): None where they are not known. cached: whether it was answered from a record of earlier runs.
    """

    prompt: str
    replies: tuple[str, ...] = ()
    problem: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cached: bool = field(default=False, metadata=UNSHOWN)


def ignore(call: Call) -> None:
    """For those who need no account of calls."""


class Model(Protocol):
    """Whoever answers questions: a language model, or the built-in reasoner."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: Question[AnswerT], note: Callable[[Call], None] = ignore) -> AnswerT:
        """Answers, or raises `Unanswered` or `ModelUnavailable`. note: is told of every call this takes."""
        ...


@dataclass(frozen=True, slots=True)
class Usage:
    """What asking has cost so far.

    calls: requests to a language model, those answered from a record included. input_tokens, output_tokens, cost (USD):
    None where a call's are not known.
    """

    questions: int = 0
    unanswered: int = 0
    calls: int = 0
    cached: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost: float | None = 0.0

    @classmethod
    def of(cls, call: Call) -> Usage:
        """What one call has cost."""
        return cls(0, 0, 1, int(call.cached), call.input_tokens, call.output_tokens, call.cost)

    def __add__(self, more: Usage) -> Usage:
        return Usage(
            questions=self.questions + more.questions,
            unanswered=self.unanswered + more.unanswered,
            calls=self.calls + more.calls,
            cached=self.cached + more.cached,
            input_tokens=_sum(self.input_tokens, more.input_tokens),
            output_tokens=_sum(self.output_tokens, more.output_tokens),
            cost=_sum(self.cost, more.cost),
        )


NumberT = TypeVar("NumberT", int, float)


def _sum(total: NumberT | None, more: NumberT | None) -> NumberT | None:
    return None if total is None or more is None else total + more


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question, the calls it took and what came of them; answer is None where nothing valid did."""

    question: Question[Any]
    answer: BaseModel | None
    seconds: float
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What an agent does, with what it saw, held and thought: all that recordings show of it."""

    action: int
    pose: Pose | None = None
    inventory: Counts | None = None
    other_inventory: Counts | None = None
    subgoal: str | None = None
    strategy: Strategy | None = None
    hypotheses: Sequence[Hypothesis] = ()
    validated: Hypothesis | None = None
    events: Sequence[Event] = ()
    exchanges: Sequence[Exchange] = ()


@dataclass(frozen=True, slots=True)
class Vitals:
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
class Told:
    """What only the reference agent `oracle` is told of another player.

    behaviour: what it is after just now. rule: in words, how it answers what is done to it, where it rewards and
    punishes. None where nobody can say.
    """

    behaviour: str | None
    rule: str | None = None


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

    def vitals(self) -> Vitals: ...


class Recorder(Protocol):
    """A consumer of steps: a trace, a video."""

    def record(self, step: Step) -> None: ...

    def close(self) -> None: ...
