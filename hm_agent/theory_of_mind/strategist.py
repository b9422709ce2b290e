"""The protocol of strategists, which decide on an agent's strategy, and the base classes that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Generic, Protocol, TypeVar

from hm_agent.core import Clue, Event, Hypothesis, Interaction, Strategy, Thoughts
from hm_agent.questions import Model, ask
from hm_agent.theory_of_mind.hypotheses import Bank, Hyperparameters, validated
from hm_agent.theory_of_mind.mind import BasicMind, PlayerBelief, PlayerModel
from hm_agent.theory_of_mind.predictions import PredictionRecord


class Strategist(Protocol):
    """Decides on the strategy of an agent."""

    async def revise(self, events: Sequence[Event]) -> Strategy:
        """Takes in the events of a step and returns the strategy to follow now."""
        ...

    @property
    def history(self) -> Sequence[Interaction]:
        """The interactions that planning is shown beside the strategy; empty if it is shown none."""
        ...

    def thoughts(self) -> Thoughts: ...

    def metrics(self) -> Mapping[str, float]:
        """What the strategist counted, by the metric's name."""
        return {}


class InteractionMemory:
    """All interactions as they were understood, the oldest first (Hypothetical Minds, appendix C.2)."""

    def __init__(self) -> None:
        self.all: tuple[Interaction, ...] = ()

    @property
    def latest(self) -> Interaction | None:
        return self.all[-1] if self.all else None

    def add(self, interaction: Interaction) -> None:
        self.all = (*self.all, interaction)

    def of(self, partner: str) -> tuple[Interaction, ...]:
        """The interactions with one other player, the oldest first."""
        return tuple(interaction for interaction in self.all if interaction.partner == partner)


MindT = TypeVar("MindT", bound=BasicMind)


class BaseStrategist(Generic[MindT]):
    """Remembers interactions and revises the strategy after each event; subclasses define how."""

    needs: ClassVar[Sequence[type[BasicMind]]] = ()
    """What it asks of a world's mind beyond `BasicMind`, e.g. `(MindReading,)`: a world that lacks it is refused."""
    threshold: float | None = None
    """The value from which a hypothesis counts as validated; None without hypotheses."""

    def __init__(self, mind: MindT, model: Model) -> None:
        self._mind, self._model = mind, model
        self._memory = InteractionMemory()
        self._predictions = PredictionRecord(mind.is_right)
        self._clues: dict[str, Clue] = {}
        """The latest clue about each player since the last interaction with it."""
        self._expected: dict[str, str | None] = {}
        """The behaviour that the present strategy answers, by player."""
        self._heard: dict[str, tuple[str, bool]] = {}
        """By player, what the latest clue since the last interaction suggested, and whether that was slight."""
        self._strategy: Strategy | None = None
        self._is_last = True
        """False while interactions of the same step are still to be considered, after which the strategy is decided."""
        self._understood: tuple[tuple[Interaction, Hypothesis | None, bool | None], ...] = ()
        """This step's interactions, each with the hypothesis that was acted on and whether its prediction came true."""

    @property
    def is_outdated(self) -> bool:
        """True if the strategy must be revised although nothing has happened."""
        return False

    @property
    def hypotheses(self) -> Sequence[Hypothesis]:
        """The hypotheses about the player of the latest interaction."""
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

    def chances_of(self, player: str) -> Mapping[str, float] | None:
        """The chances of what a player does next, by the behaviour's name; None if only the likeliest is predicted."""
        return None

    def thoughts(self) -> Thoughts:
        interactions, relied_on, right = zip(*self._understood, strict=True) if self._understood else ((), (), ())
        return Thoughts(
            strategy=self._strategy,
            about=self.about,
            hypotheses=self.hypotheses,
            validated=self.validated,
            threshold=self.threshold,
            interactions=interactions,
            relied_on=relied_on,
            right=right,
        )

    def metrics(self) -> Mapping[str, float]:
        return self._predictions.metrics()

    async def revise(self, events: Sequence[Event]) -> Strategy:
        self._understood = ()
        # A question shows all clues of the step, whichever event it is asked for.
        self._clues |= {event.partner: event for event in events if isinstance(event, Clue)}
        if self._strategy is None or self.is_outdated:
            self._strategy = await self.begin()
        for place, event in enumerate(events):
            self._is_last = not any(map(self._mind.is_interaction, events[place + 1 :]))
            self._strategy = await self.consider(event) or self._strategy
        return self._strategy

    async def begin(self) -> Strategy:
        """Decides on a strategy; without a valid answer keeps the present one, or calculates one if there is none."""
        return await self._decide() or self._strategy or self._mind.best_response({})

    async def consider(self, event: Event) -> Strategy | None:
        """Takes in one event; returns a new strategy, or None to keep the present one."""
        if isinstance(event, Clue):
            self._clues[event.partner] = event
            if self._mind.is_over or self._is_outweighed(event) or not self._is_news(event):
                return None
            return await self._on_clue(event)
        asked = self._mind.ask_behaviour(event)
        interaction = await ask(self._model, asked) if asked else None
        interaction = interaction or self._mind.understand(event)
        if interaction is None:
            return None
        self._memory.add(interaction)
        self._heard.pop(interaction.partner, None)
        believed = self.believed_about(interaction.partner)
        prediction = believed.prediction if believed else None
        right = self._predictions.judge(prediction, interaction, self.chances_of(interaction.partner))
        self._understood = (*self._understood, (interaction, believed, right))
        return None if self._mind.is_over else await self._on_interaction(interaction)

    async def _decide(self) -> Strategy | None:
        """Decides on a strategy by all that is known now; None if the model gives no valid answer."""
        raise NotImplementedError

    async def _on_clue(self, clue: Clue) -> Strategy | None:
        """Returns a new strategy after a clue that is news, or None to keep the present one."""
        return None

    def _is_outweighed(self, clue: Clue) -> bool:
        """True if a clue suggests something slight: that does not contradict what interactions have taught."""
        return clue.is_slight and clue.suggests is not None and bool(self._memory.of(clue.partner))

    def _is_news(self, clue: Clue) -> bool:
        """True if a clue suggests neither what is expected anyway nor what the latest clue about the player suggested.

        One that is no longer slight is news all the same. One that suggests nothing means that all is open again.
        """
        player, suggests = clue.partner, clue.suggests
        before = self._heard.pop(player, None)
        if suggests is None:
            return False
        is_repeated = before in ((suggests, False), (suggests, clue.is_slight))
        self._heard[player] = suggests, clue.is_slight and before != (suggests, False)
        return not is_repeated and suggests != self._awaited(player)

    def _awaited(self, player: str) -> str | None:
        """The behaviour that the present strategy counts on, or that is expected of a player; None if none is."""
        awaited = self._mind.awaited(self._strategy, player) if self._strategy else None
        return awaited or self._expected.get(player)

    async def _on_interaction(self, interaction: Interaction) -> Strategy | None:
        """Returns a new strategy after an interaction that is now in the memory, or None to keep the present one."""
        return await self._decide()


class HypothesisKeeper(BaseStrategist[MindT]):
    """A strategist that keeps hypotheses about each other player; subclasses define how they change."""

    def __init__(self, mind: MindT, model: Model, parameters: Hyperparameters) -> None:
        super().__init__(mind, model)
        self._parameters = parameters
        self.threshold = parameters.threshold
        self._banks: dict[str, Bank] = {}
        self._is_due = False
        """True while a decision waits until the agent can act again."""

    async def revise(self, events: Sequence[Event]) -> Strategy:
        self._strategy = self._mind.in_view_of(await super().revise(events), self._beliefs)
        return self._strategy

    def _beliefs(self, excluded: str | None = None) -> tuple[PlayerBelief, ...]:
        """The beliefs about all other players that the agent has interacted with, but for the excluded one."""
        others = (self._player_model(player) for player in self._mind.players if player != excluded)
        return tuple(other.belief for other in others if other.history)

    def _player_model(self, player: str) -> PlayerModel:
        """All that is known and believed of another player."""
        return PlayerModel(
            player=player,
            history=self._memory.of(player),
            hypothesis=self.believed_about(player),
            expected=self._expected.get(player),
            clue=self._clues.get(player),
            hypotheses=self._banks.get(player, ()),
        )

    @property
    def is_outdated(self) -> bool:
        return self._is_due and self._mind.can_act and not self._mind.is_over

    @property
    def hypotheses(self) -> Bank:
        return self._banks.get(self.about, ()) if self.about else ()

    @property
    def validated(self) -> Hypothesis | None:
        return validated(self.hypotheses, self._parameters)
