"""Whoever decides on the strategy: what the agent needs of it, and what all kinds share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from hm_agent.core import Clue, Event, Hypothesis, Interaction, Strategy
from hm_agent.questions import Model
from hm_agent.theory_of_mind.memory import InteractionMemory


class Strategist(Protocol):
    """Whoever decides on the strategy."""

    @property
    def latest(self) -> Interaction | None:
        """The interaction understood last; the hypotheses are about its partner."""
        ...

    @property
    def hypotheses(self) -> Sequence[Hypothesis]: ...

    @property
    def validated(self) -> Hypothesis | None: ...

    @property
    def outdated(self) -> bool:
        """Whether the strategy must be thought over even if nothing has happened."""
        ...

    @property
    def history(self) -> Sequence[Interaction]:
        """What happened with others, where planning is to make of it what it can; else nothing."""
        ...

    async def open(self) -> Strategy:
        """A strategy out of nothing but the present."""
        ...

    async def revise(self, event: Event) -> Strategy | None:
        """The strategy after an event; None to keep the present one."""
        ...


class Understanding(Protocol):
    """What a game tells every strategist. players: the names of the others."""

    @property
    def players(self) -> Sequence[str]: ...

    async def understand(self, event: Event, model: Model) -> Interaction | None:
        """What the other did; None for events that say nothing of anybody."""
        ...

    def strategy(self, answer: BaseModel, *, informed: bool) -> Strategy:
        """What an answer decides to do. informed: whether anything was known of the others."""
        ...

    def answer_to(self, told: Mapping[str, str | None]) -> Strategy:
        """The best strategy where each player's behaviour is known for certain; None or left out if it is not."""
        ...


GameT = TypeVar("GameT", bound=Understanding)


class BaseStrategist(Generic[GameT]):
    """A strategist that remembers what happens with others and thinks it over; each kind says how."""

    def __init__(self, game: GameT, model: Model, memory: InteractionMemory) -> None:
        self._game, self._model, self._memory = game, model, memory

    @property
    def outdated(self) -> bool:
        return False

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        return ()

    @property
    def validated(self) -> Hypothesis | None:
        return None

    @property
    def history(self) -> Sequence[Interaction]:
        return ()

    @property
    def latest(self) -> Interaction | None:
        return self._memory.latest

    @property
    def about(self) -> str | None:
        """The player met last."""
        return self._memory.latest.partner if self._memory.latest else None

    async def open(self) -> Strategy:
        """A first strategy, before anything is known of anybody; by calculation where no answer comes."""
        return await self._think() or self._game.answer_to({})

    async def revise(self, event: Event) -> Strategy | None:
        """Takes in an event; returns the new strategy, or None where there is no reason for one."""
        if isinstance(event, Clue):
            return await self._follow(event)
        evidence = await self._game.understand(event, self._model)
        if evidence is None:
            return None
        self._memory.add(evidence)
        return await self._digest(evidence)

    async def _think(self) -> Strategy | None:
        """A strategy for what is known by now; None where no answer came."""
        raise NotImplementedError

    async def _follow(self, clue: Clue) -> Strategy | None:
        """What a clue changes: nothing for who reads no minds."""
        return None

    async def _digest(self, evidence: Interaction) -> Strategy | None:
        """What an interaction changes, now that it is remembered."""
        return await self._think()
