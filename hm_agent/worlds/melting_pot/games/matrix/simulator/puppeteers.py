"""Our own puppeteers for matrix games of two: opponents by rules that Melting Pot's own puppeteers don't have.

Each targets one kind until an interaction, and then chooses the next from all interactions so far. Like Melting Pot's,
a puppeteer reads what both players held from INTERACTION_INVENTORIES, which bots may see, and gives its puppet a GOAL.
Kinds are the game's behaviours by their numbers, in the game's order.

A choice that has the name of a rule of play (`repeated_games/written_rules.py`) plays as that does, `theory_of_mind`
only at order 1, as long as it is clear what was played. They part where no kind of the other's led, or where the puppet
held most of another kind than it was to collect: each choice here says what it goes by then, while `by_rule` leaves the
rule's state as it is, or takes what was held for what was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from itertools import pairwise
from typing import Any

import dm_env
from meltingpot.utils.puppeteers import in_the_matrix, puppeteer

from hm_agent.repeated_games.mind_rules import expected
from hm_agent.repeated_games.payoffs import Side
from hm_agent.repeated_games.rules_of_play import RuleOfPlay
from hm_agent.worlds.melting_pot.facts import argmax
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.simulator.character import resources_of
from hm_agent.worlds.melting_pot.scene import held_in_interaction
from hm_agent.worlds.melting_pot.simulator.determinism import EPISODE_RANDOM


@dataclass(frozen=True, slots=True)
class KindsPlayed:
    """The kinds that the two players played in one interaction: those that they held most of.

    own: the kind that the bot targeted, if several tie in its inventory. other: None if several tie.
    """

    own: int
    other: int | None


@dataclass(frozen=True, slots=True)
class Memory:
    """A puppeteer's state: the kind to collect and play, all interactions so far, and the number of steps so far."""

    target: int = 0
    played: tuple[KindsPlayed, ...] = ()
    step: int = 0


Choice = Callable[..., int]
"""The kind to play next by a memory, or first where that is empty, from the side and parameters of its own."""


@dataclass(frozen=True, kw_only=True)
class MatrixPuppeteer(puppeteer.Puppeteer[Memory]):
    """Targets a kind and chooses the next after each interaction.

    first: the kind to begin with; None to choose it. margin: how many more of its kind than of any other the puppet has
    to hold before it interacts.
    """

    game: MatrixFacts
    choose: Choice
    first: int | None = None
    margin: int = 5

    def initial_state(self) -> Memory:
        return Memory(self.choose(self.game.side, Memory()) if self.first is None else self.first)

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
        own, other = map(argmax, held)
        played = KindsPlayed(memory.target if own is None else own, other)
        memory = replace(memory, played=(*memory.played, played))
        return replace(memory, target=self.choose(self.game.side, memory))

    @cached_property
    def _resources(self) -> Sequence[in_the_matrix.Resource]:
        return tuple(resources_of(self.game).values())


def drawn_first(choose: Choice) -> Choice:
    """The choice that draws the first kind, all alike."""

    @wraps(choose)
    def choice(side: Side, memory: Memory, **parameters: Any) -> int:
        return choose(side, memory, **parameters) if memory.played else _any_kind(side)

    return choice


def _any_kind(side: Side) -> int:
    kind: int = EPISODE_RANDOM.choice(range(len(side.actions)))
    return kind


def _drawn(weights: Sequence[float]) -> int:
    kind: int = EPISODE_RANDOM.choices(range(len(weights)), weights)[0]
    return kind


def by_rule(side: Side, memory: Memory, *, rule: RuleOfPlay) -> int:
    """Plays by a rule of play; an interaction in which no kind of the other's led leaves the rule's state as it is."""
    state = rule.start
    for last in memory.played:
        state = state if last.other is None else rule.after(state, last.own, last.other)
    return _drawn(rule.chances(state))


def cycle(side: Side, memory: Memory, *, cycle: tuple[int, ...]) -> int:
    """Plays kinds in turn, over and over, whatever the other does."""
    return cycle[len(memory.played) % len(cycle)]


def rotating_mixture(side: Side, memory: Memory, *, weights: tuple[float, ...], half_time: int) -> int:
    """Draws every kind anew by fixed weights, which move on by one kind at half time. half_time: in steps."""
    shift = 1 if memory.step >= half_time else 0
    return _drawn([weights[kind - shift] for kind in range(len(weights))])


@drawn_first
def counter_earlier(side: Side, memory: Memory, *, rounds_ago: int) -> int:
    """Best-responds to what the other played `rounds_ago` interactions ago; 1 stands for the last one."""
    earlier = memory.played[-rounds_ago:]
    known = earlier[0].other if len(earlier) == rounds_ago else None
    return memory.target if known is None else side.best_response(known)


@drawn_first
def win_stay_lose_shift(side: Side, memory: Memory, *, aspiration: float) -> int:
    """Stays with a kind that paid more than `aspiration`, else takes the next (Nowak and Sigmund, 1993)."""
    last = memory.played[-1]
    if last.other is None:
        return memory.target
    return last.own if side.payoff[last.own][last.other] > aspiration else (last.own + 1) % len(side.actions)


@drawn_first
def noisy_copy(side: Side, memory: Memory, *, noise: float) -> int:
    """Plays what the other played last or, with probability `noise`, any kind."""
    if EPISODE_RANDOM.random() < noise:
        return _any_kind(side)
    other = memory.played[-1].other
    return memory.target if other is None else other


@drawn_first
def fictitious_play(side: Side, memory: Memory, *, window: int) -> int:
    """Best-responds to the mixture of what the other played in the last `window` interactions (Brown, 1951).

    Of several best responses it takes its present kind, if that is among them, else the first.
    """
    others = [last.other for last in memory.played[-window:] if last.other is not None]
    gains = [sum(row[other] for other in others) for row in side.payoff]
    return memory.target if gains[memory.target] == max(gains) else gains.index(max(gains))


@drawn_first
def outguess(side: Side, memory: Memory) -> int:
    """Expects the other to best-respond to what the bot itself played last, and best-responds to that."""
    return side.outguessing(memory.played[-1].own)


@drawn_first
def theory_of_mind(side: Side, memory: Memory, *, order: int, fading: float = 0.8) -> int:
    """Best-responds to what a theory of mind of some order expects of the other (after de Weerd et al., 2013).

    At order 0 it expects nothing and stays with its first kind. At order 1 it expects the other to play its last move
    again; at order 2 it also thinks that the other may expect the same of the bot, and best-respond to that; and so on.
    Of these expectations it trusts the one that has come true most often, the deepest if several have; an interaction
    counts `fading` times as much as the one after it.
    """
    depths, played = range(1, order + 1), memory.played
    trusted = max(depths, key=lambda depth: (_success(side, depth, played, fading), depth), default=0)
    kind = _expected(side, trusted, played[-1]) if trusted else None
    return memory.target if kind is None else side.best_response(kind)


def _expected(side: Side, depth: int, last: KindsPlayed) -> int | None:
    """The other's next kind; None if that depends on its last move and no kind of its led there."""
    kind = last.other if depth % 2 else last.own
    return None if kind is None else expected(side, depth, kind)


def _success(side: Side, depth: int, played: Sequence[KindsPlayed], fading: float) -> float:
    """How often the expectation of a depth has come true; older interactions weigh less."""
    success = 0.0
    for before, now in pairwise(played):
        success = fading * success + (now.other is not None and _expected(side, depth, before) == now.other)
    return success


@drawn_first
def switch_after_losses(side: Side, memory: Memory, *, losses: int) -> int:
    """Stays with a kind until its payoff has been below 0 `losses` times in a row; then takes the next."""

    def lost(last: KindsPlayed) -> bool:
        return last.own == memory.target and last.other is not None and side.payoff[last.own][last.other] < 0

    latest = memory.played[-losses:]
    has_failed = len(latest) == losses and all(map(lost, latest))
    return (memory.target + 1) % len(side.actions) if has_failed else memory.target


# Players who cooperate or defect: the numbers of these kinds are parameters


def tit_for_two_tats(side: Side, memory: Memory, *, cooperate: int, defect: int) -> int:
    """Cooperates, but defects after two defections in a row (Axelrod, 1984)."""
    latest = memory.played[-2:]
    return defect if len(latest) == 2 and all(last.other == defect for last in latest) else cooperate


def generous_tit_for_tat(side: Side, memory: Memory, *, generosity: float, cooperate: int, defect: int) -> int:
    """Cooperates first and copies the other, but forgives each defection by chance (Nowak and Sigmund, 1992)."""
    if not memory.played:
        return cooperate
    other = memory.played[-1].other
    if other is None:
        return memory.target
    return defect if other == defect and EPISODE_RANDOM.random() >= generosity else cooperate


def gradual(side: Side, memory: Memory, *, cooperate: int, defect: int) -> int:
    """Answers the n-th defection by n defections and then two cooperations (Beaufils, Delahaye and Mathieu, 1996).

    What the other does meanwhile provokes nothing.
    """
    offences = punishments = apologies = 0
    for last in memory.played:
        if punishments:
            punishments -= 1
        elif apologies:
            apologies -= 1
        elif last.other == defect:
            offences += 1
            punishments, apologies = offences, 2
    return defect if punishments else cooperate


def suspicious_tit_for_tat(side: Side, memory: Memory, *, cooperate: int, defect: int, patience: int = 3) -> int:
    """Begins with defection, copies the other, and cooperates after `patience` mutual defections in a row."""
    latest = memory.played[-patience:]
    if not latest:
        return defect
    if len(latest) == patience and all((last.own, last.other) == (defect, defect) for last in latest):
        return cooperate
    other = latest[-1].other
    return memory.target if other is None else defect if other == defect else cooperate


CHOICES: Mapping[str, Choice] = {
    "cycle": cycle,
    "counter_earlier": counter_earlier,
    "win_stay_lose_shift": win_stay_lose_shift,
    "rotating_mixture": rotating_mixture,
    "noisy_copy": noisy_copy,
    "fictitious_play": fictitious_play,
    "outguess": outguess,
    "theory_of_mind": theory_of_mind,
    "switch_after_losses": switch_after_losses,
    "tit_for_two_tats": tit_for_two_tats,
    "generous_tit_for_tat": generous_tit_for_tat,
    "gradual": gradual,
    "suspicious_tit_for_tat": suspicious_tit_for_tat,
}
"""The choices by the names of puppeteers in the files of scenarios/; any other name there is that of a rule of play."""
