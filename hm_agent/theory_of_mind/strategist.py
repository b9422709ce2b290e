"""Strategists decide on the strategy: what an agent needs of them, and what all kinds share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from hm_agent.core import Clue, Event, Hypothesis, Interaction, Strategy, Thoughts
from hm_agent.questions import Model, answer_or_none
from hm_agent.theory_of_mind.hypotheses import Bank, Hyperparameters, validated
from hm_agent.theory_of_mind.mind import BasicMind, PlayerBelief
from hm_agent.theory_of_mind.predictions import PredictionRecord


class Strategist(Protocol):
    """Whoever decides on the strategy of an agent."""

    async def revise(self, events: Sequence[Event]) -> Strategy:
        """Takes in what has happened in a step and returns the strategy to follow now."""
        ...

    @property
    def history(self) -> Sequence[Interaction]:
        """The interactions that planning is to see itself; empty for strategists that decide."""
        ...

    def thoughts(self) -> Thoughts: ...

    def metrics(self) -> Mapping[str, float]:
        """What it counted."""
        return {}


class InteractionMemory:
    """All interactions as they were understood, the first one first (Hypothetical Minds, appendix C.2)."""

    def __init__(self) -> None:
        self.all: tuple[Interaction, ...] = ()

    @property
    def latest(self) -> Interaction | None:
        return self.all[-1] if self.all else None

    def add(self, interaction: Interaction) -> None:
        self.all = (*self.all, interaction)

    def of(self, partner: str) -> tuple[Interaction, ...]:
        """The interactions with one other player, the first one first."""
        return tuple(interaction for interaction in self.all if interaction.partner == partner)


MindT = TypeVar("MindT", bound=BasicMind)


class BaseStrategist(Generic[MindT]):
    """Remembers interactions and revises the strategy after each event; subclasses say how."""

    threshold: float | None = None
    """The value from which a hypothesis counts as validated; None without hypotheses."""

    def __init__(self, mind: MindT, model: Model) -> None:
        self._mind, self._model = mind, model
        self._memory = InteractionMemory()
        self._predictions = PredictionRecord(mind.is_right)
        self._clues: dict[str, Clue] = {}
        """The latest clue about each player since the last interaction with it."""
        self._strategy: Strategy | None = None
        self._understood: tuple[tuple[Interaction, Hypothesis | None, bool | None], ...] = ()
        """The interactions of this step, each with the hypothesis that was acted on, and whether it predicted it."""

    @property
    def is_outdated(self) -> bool:
        """True if the strategy must be revised although nothing has happened."""
        return False

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        """About the player of the latest interaction."""
        return ()

    @property
    def validated(self) -> Hypothesis | None:
        return None

    @property
    def history(self) -> Sequence[Interaction]:
        return ()

    @property
    def about(self) -> str | None:
        """The player of the latest interaction."""
        return self._memory.latest.partner if self._memory.latest else None

    def believed_about(self, player: str) -> Hypothesis | None:
        """The hypothesis about a player that is acted on now."""
        return None

    def thoughts(self) -> Thoughts:
        return Thoughts(
            strategy=self._strategy,
            about=self.about,
            hypotheses=self.hypotheses,
            validated=self.validated,
            threshold=self.threshold,
            interactions=tuple(interaction for interaction, _, _ in self._understood),
            relied_on=tuple(believed for _, believed, _ in self._understood),
            right=tuple(right for _, _, right in self._understood),
        )

    def metrics(self) -> Mapping[str, float]:
        return self._predictions.metrics()

    async def revise(self, events: Sequence[Event]) -> Strategy:
        self._understood = ()
        # Each question shows all that was seen in a step, whichever event it is asked for.
        self._clues |= {event.partner: event for event in events if isinstance(event, Clue)}
        if self._strategy is None or self.is_outdated:
            self._strategy = await self.begin()
        for event in events:
            self._strategy = await self.consider(event) or self._strategy
        return self._strategy

    async def begin(self) -> Strategy:
        """A strategy for the present situation; without a valid answer the one so far, calculated if there is none."""
        return await self._decide() or self._strategy or self._mind.best_response({})

    async def consider(self, event: Event) -> Strategy | None:
        """Takes one event in; returns the new strategy, or None to keep the present one."""
        if isinstance(event, Clue):
            self._clues[event.partner] = event
            return None if self._mind.is_over else await self._on_clue(event)
        question = self._mind.ask_behaviour(event)
        answer = await answer_or_none(self._model, question) if question else None
        interaction = self._mind.understand(event, answer)
        if interaction is None:
            return None
        self._memory.add(interaction)
        believed = self.believed_about(interaction.partner)
        right = self._predictions.judge(believed.prediction if believed else None, interaction)
        self._understood = (*self._understood, (interaction, believed, right))
        return None if self._mind.is_over else await self._on_interaction(interaction)

    async def _decide(self) -> Strategy | None:
        """A strategy for what is known now; None if the model gives no valid answer."""
        raise NotImplementedError

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        """What a clue changes: nothing, for strategists that model nobody."""
        return None

    async def _on_interaction(self, interaction: Interaction) -> Strategy | None:
        """What an interaction changes, once it is in the memory."""
        return await self._decide()


class HypothesisKeeper(BaseStrategist[MindT]):
    """A strategist that keeps hypotheses about each other player; subclasses say how they change."""

    def __init__(self, mind: MindT, model: Model, parameters: Hyperparameters) -> None:
        super().__init__(mind, model)
        self._parameters = parameters
        self.threshold = parameters.threshold
        self._banks: dict[str, Bank] = {}
        self._expected: dict[str, str | None] = {}
        """The behaviour that the present strategy answers, by player."""
        self._is_due = False
        """Whether a decision waits until the agent can act again."""

    async def revise(self, events: Sequence[Event]) -> Strategy:
        self._strategy = self._mind.in_view_of(await super().revise(events), self._beliefs)
        return self._strategy

    def _beliefs(self, but: str | None = None) -> tuple[PlayerBelief, ...]:
        """What is believed of each other player that was met, except for one."""
        met = (player for player in self._mind.players if player != but and self._memory.of(player))
        return tuple(self._belief(player) for player in met)

    def _belief(self, player: str) -> PlayerBelief:
        hypothesis = self.believed_about(player)
        return PlayerBelief(player, hypothesis.words if hypothesis else None, self._expected.get(player))

    @property
    def is_outdated(self) -> bool:
        return self._is_due and self._mind.can_act and not self._mind.is_over

    @property
    def hypotheses(self) -> Bank:
        return self._banks.get(self.about, ()) if self.about else ()

    @property
    def validated(self) -> Hypothesis | None:
        return validated(self.hypotheses, self._parameters)
