"""Our own puppeteers for matrix games of two: opponents by rules that Melting Pot's own puppeteers don't have.

Each targets one kind until an interaction, and then chooses the next from all interactions so far. Like Melting Pot's,
a puppeteer reads what both players held from INTERACTION_INVENTORIES, which bots may see, and gives its puppet a GOAL.
Kinds are the game's behaviours, e.g. `rock`; their order is the game's.

A puppeteer plays as the rule of play of its name does (`theory_of_mind` only at order 1) as long as it is clear what
was played. They part where no kind of the other's led, or where the puppet held most of another kind than it was to
collect: each class here says what it goes by then, while `RulePuppeteer` leaves the rule's state as it is, or takes
what was held for what was meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import dm_env
from meltingpot.utils.puppeteers import in_the_matrix, puppeteer

from hm_agent.repeated_games.rules_of_play import RuleOfPlay
from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.character import resources_of
from hm_agent.worlds.melting_pot.scene import held_in_interaction
from hm_agent.worlds.melting_pot.simulator.determinism import EPISODE_RANDOM


@dataclass(frozen=True, slots=True)
class KindsPlayed:
    """The kinds that the two players played in one interaction: those that they held most of.

    own: the kind that the bot targeted, if several tie in its inventory. other: None if several tie.
    """

    own: str
    other: str | None


@dataclass(frozen=True, slots=True)
class Memory:
    """A puppeteer's state: the kind to collect and play, all interactions so far, and the number of steps so far."""

    target: str
    played: tuple[KindsPlayed, ...] = ()
    step: int = 0


@dataclass(frozen=True, kw_only=True)
class MatrixPuppeteer(puppeteer.Puppeteer[Memory]):
    """Targets a kind and chooses the next after each interaction; subclasses say how.

    first: the kind to begin with; None to draw it. margin: how many more of its kind than of any other the puppet has
    to hold before it interacts.
    """

    game: MatrixFacts
    first: str | None = None
    margin: int = 5

    @property
    def named(self) -> Sequence[str]:
        """The kinds that its parameters name."""
        return () if self.first is None else (self.first,)

    def choose(self, memory: Memory) -> str:
        """The kind to play after an interaction. memory: with that interaction, and with the kind targeted so far."""
        raise NotImplementedError

    def initial_state(self) -> Memory:
        return Memory(self.first or EPISODE_RANDOM.choice(self.kinds))

    def step(self, timestep: dm_env.TimeStep, prev_state: Memory) -> tuple[dm_env.TimeStep, Memory]:
        memory = self._next_memory(timestep, prev_state)
        resource = self._resources[memory.target]
        return in_the_matrix.collect_or_interact_puppet_timestep(timestep, resource, self.margin), memory

    def _next_memory(self, timestep: dm_env.TimeStep, before: Memory) -> Memory:
        """The memory after a step, with the interaction that it began, if any, and the kind chosen after that."""
        if timestep.first():
            return self.initial_state()
        memory = replace(before, step=before.step + 1)
        held = held_in_interaction(timestep.observation)
        if held is None:
            return memory
        own, other = map(self._main_kind, held)
        memory = replace(memory, played=(*memory.played, KindsPlayed(own or memory.target, other)))
        return replace(memory, target=self.choose(memory))

    @property
    def kinds(self) -> Sequence[str]:
        return self.game.behaviours

    def _main_kind(self, inventory: Counts) -> str | None:
        """The kind that an inventory holds most of; None if several tie."""
        most = argmax(inventory)
        return None if most is None else self.kinds[most]

    def _drawn(self, weights: Sequence[float]) -> str:
        kind: str = EPISODE_RANDOM.choices(self.kinds, weights)[0]
        return kind

    @cached_property
    def _resources(self) -> Mapping[str, in_the_matrix.Resource]:
        return resources_of(self.game)

    def payoff(self, own: str, other: str) -> float:
        return self.game.payoff[self.kinds.index(own)][self.kinds.index(other)]

    def best_response(self, other: str) -> str:
        return max(self.kinds, key=lambda own: self.payoff(own, other))

    def next_kind(self, kind: str) -> str:
        """The kind after this one in the game's order; after the last, the first."""
        return self.kinds[(self.kinds.index(kind) + 1) % len(self.kinds)]


@dataclass(frozen=True, kw_only=True)
class CyclePuppeteer(MatrixPuppeteer):
    """Plays kinds in turn, over and over, whatever the other does."""

    cycle: tuple[str, ...]

    @property
    def named(self) -> Sequence[str]:
        return self.cycle

    def initial_state(self) -> Memory:
        return Memory(self.cycle[0])

    def choose(self, memory: Memory) -> str:
        return self.cycle[len(memory.played) % len(self.cycle)]


@dataclass(frozen=True, kw_only=True)
class CounterEarlierPuppeteer(MatrixPuppeteer):
    """Best-responds to what the other played `rounds_ago` interactions ago; 1 stands for the last one."""

    rounds_ago: int

    def choose(self, memory: Memory) -> str:
        earlier = memory.played[-self.rounds_ago :]
        known = earlier[0].other if len(earlier) == self.rounds_ago else None
        return self.best_response(known) if known else memory.target


@dataclass(frozen=True, kw_only=True)
class WinStayLoseShiftPuppeteer(MatrixPuppeteer):
    """Stays with a kind that paid more than `aspiration`, else takes the next (Nowak and Sigmund, 1993)."""

    aspiration: float

    def choose(self, memory: Memory) -> str:
        last = memory.played[-1]
        if last.other is None:
            return memory.target
        return last.own if self.payoff(last.own, last.other) > self.aspiration else self.next_kind(last.own)


@dataclass(frozen=True, kw_only=True)
class RotatingMixturePuppeteer(MatrixPuppeteer):
    """Draws every kind anew by fixed weights, which move on by one kind at half time.

    weights: those of the game's kinds, in their order, before half time. half_time: in steps.
    """

    weights: tuple[float, ...]
    half_time: int

    def initial_state(self) -> Memory:
        return Memory(self._draw(0))

    def choose(self, memory: Memory) -> str:
        return self._draw(memory.step)

    def _draw(self, step: int) -> str:
        shift = 1 if step >= self.half_time else 0
        return self._drawn([self.weights[index - shift] for index in range(len(self.kinds))])


@dataclass(frozen=True, kw_only=True)
class NoisyCopyPuppeteer(MatrixPuppeteer):
    """Plays what the other played last or, with probability `noise`, any kind."""

    noise: float

    def choose(self, memory: Memory) -> str:
        if EPISODE_RANDOM.random() < self.noise:
            drawn: str = EPISODE_RANDOM.choice(self.kinds)
            return drawn
        return memory.played[-1].other or memory.target


@dataclass(frozen=True, kw_only=True)
class FictitiousPlayPuppeteer(MatrixPuppeteer):
    """Best-responds to the mixture of what the other played in the last `window` interactions (Brown, 1951).

    Of several best responses it takes its present kind, if that is among them, else the first.
    """

    window: int

    def choose(self, memory: Memory) -> str:
        others = [last.other for last in memory.played[-self.window :] if last.other is not None]
        gains = {own: sum(self.payoff(own, other) for other in others) for own in self.kinds}
        best = [own for own in self.kinds if gains[own] == max(gains.values())]
        return memory.target if memory.target in best else best[0]


@dataclass(frozen=True, kw_only=True)
class OutguessPuppeteer(MatrixPuppeteer):
    """Expects the other to best-respond to what the bot itself played last, and best-responds to that."""

    def choose(self, memory: Memory) -> str:
        return self.best_response(self.best_response(memory.played[-1].own))


@dataclass(frozen=True, kw_only=True)
class TheoryOfMindPuppeteer(MatrixPuppeteer):
    """Best-responds to what a theory of mind of some order expects of the other (after de Weerd et al., 2013).

    At order 0 it expects nothing and stays with its first kind. At order 1 it expects the other to play its last move
    again; at order 2 it also thinks that the other may expect the same of the bot, and best-respond to that; and so on.
    Of these expectations it trusts the one that has come true most often, the deepest if several have; an interaction
    counts `memory` times as much as the one after it.
    """

    order: int
    memory: float = 0.8

    def choose(self, memory: Memory) -> str:
        depths = range(1, self.order + 1)
        trusted = max(depths, key=lambda depth: (self._success(depth, memory.played), depth), default=0)
        expected = self._expected(trusted, memory.played[-1]) if trusted else None
        return self.best_response(expected) if expected else memory.target

    def _expected(self, depth: int, last: KindsPlayed) -> str | None:
        """The other's next kind: depth - 1 best responses, one to another, from its last move or the bot's own."""
        kind = last.other if depth % 2 else last.own
        for _ in range(depth - 1):
            kind = self.best_response(kind) if kind else None
        return kind

    def _success(self, depth: int, played: Sequence[KindsPlayed]) -> float:
        """How often the expectation of a depth has come true; older interactions weigh less."""
        success = 0.0
        for before, now in pairwise(played):
            success = self.memory * success + (now.other is not None and self._expected(depth, before) == now.other)
        return success


@dataclass(frozen=True, kw_only=True)
class SwitchAfterLossesPuppeteer(MatrixPuppeteer):
    """Stays with a kind until its payoff has been below 0 `losses` times in a row; then takes the next."""

    losses: int

    def choose(self, memory: Memory) -> str:
        latest = memory.played[-self.losses :]
        has_failed = len(latest) == self.losses and all(self._lost(last, memory.target) for last in latest)
        return self.next_kind(memory.target) if has_failed else memory.target

    def _lost(self, last: KindsPlayed, target: str) -> bool:
        return last.own == target and last.other is not None and self.payoff(last.own, last.other) < 0


@dataclass(frozen=True, kw_only=True)
class ReciprocalPuppeteer(MatrixPuppeteer):
    """Begins with `first`, by default to cooperate, and then answers what the other does; subclasses say how."""

    first: str | None = "cooperate"
    cooperate: str = "cooperate"
    defect: str = "defect"

    @property
    def named(self) -> Sequence[str]:
        return *super().named, self.cooperate, self.defect

    def choose(self, memory: Memory) -> str:
        return self.defect if self.defects(memory) else self.cooperate

    def defects(self, memory: Memory) -> bool:
        """True if the bot is to defect next."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class TitForTwoTatsPuppeteer(ReciprocalPuppeteer):
    """Defects after two defections in a row (Axelrod, 1984)."""

    def defects(self, memory: Memory) -> bool:
        latest = memory.played[-2:]
        return len(latest) == 2 and all(last.other == self.defect for last in latest)


@dataclass(frozen=True, kw_only=True)
class GenerousTitForTatPuppeteer(ReciprocalPuppeteer):
    """Copies the other, but forgives each defection with a fixed probability (Nowak and Sigmund, 1992)."""

    generosity: float

    def defects(self, memory: Memory) -> bool:
        if memory.played[-1].other is None:
            return memory.target == self.defect
        return memory.played[-1].other == self.defect and EPISODE_RANDOM.random() >= self.generosity


@dataclass(frozen=True, kw_only=True)
class GradualPuppeteer(ReciprocalPuppeteer):
    """Answers the n-th defection by n defections and then two cooperations (Beaufils, Delahaye and Mathieu, 1996).

    What the other does meanwhile provokes nothing.
    """

    def defects(self, memory: Memory) -> bool:
        offences = punishments = apologies = 0
        for last in memory.played:
            if punishments:
                punishments -= 1
            elif apologies:
                apologies -= 1
            elif last.other == self.defect:
                offences += 1
                punishments, apologies = offences, 2
        return punishments > 0


@dataclass(frozen=True, kw_only=True)
class SuspiciousTitForTatPuppeteer(ReciprocalPuppeteer):
    """Begins with defection, copies the other, and cooperates after `patience` mutual defections in a row."""

    first: str | None = "defect"
    patience: int = 3

    def defects(self, memory: Memory) -> bool:
        latest, other = memory.played[-self.patience :], memory.played[-1].other
        if len(latest) == self.patience and all((last.own, last.other) == (self.defect,) * 2 for last in latest):
            return False
        return memory.target == self.defect if other is None else other == self.defect


@dataclass(frozen=True, kw_only=True)
class RulePuppeteer(MatrixPuppeteer):
    """Plays by a rule of play; an interaction in which no kind of the other's led leaves the rule's state as it is."""

    rule: RuleOfPlay

    def initial_state(self) -> Memory:
        return Memory(self._drawn(self.rule.chances(self.rule.start)))

    def choose(self, memory: Memory) -> str:
        state = self.rule.start
        for own, other in ((self.kinds.index(last.own), last.other) for last in memory.played):
            state = state if other is None else self.rule.after(state, own, self.kinds.index(other))
        return self._drawn(self.rule.chances(state))
