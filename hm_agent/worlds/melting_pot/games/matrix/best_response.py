"""The best response to the expected opponents: whom to meet, what to collect for it, and how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from statistics import median_low
from typing import NamedTuple

from hm_agent.repeated_games.payoffs import Shares
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.facts import Timing
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, reward

TYPICAL = 6
"""The count of its main resource that a player is expected to hold before any interaction has shown it."""
MOST_COLLECTED = 12
"""The largest count of one resource that a target inventory has."""
STEPS_PER_SEARCH = 100.0
"""Steps it takes, on a large map with many players, to find a particular one whose position is unknown."""
STEPS_TO_ALIGN = 8.0
"""Steps it takes to aim the beam at a player, besides the way to where it was last seen."""
STEPS_PER_STEP_AGO = 1.0
"""Additional steps it takes to find a player for each step since it was last seen."""
WORTHWHILE = 0.0018
"""The least expected reward per step, as a share of the highest payoff, for which to interact rather than watch."""
STEPS_TO_WATCH = 31.0
"""Steps it takes to see what the only opponent takes most of: 22 an attempt, of which 7 in 10 succeed (measured)."""


def expected_inventories(rules: MatrixRules, history: Sequence[MatrixInteraction]) -> tuple[Counts, ...]:
    """The inventory an opponent will hold for each pure strategy: its median count so far, TYPICAL if it has none."""
    expected = []
    for played, name in enumerate(rules.behaviours):
        held = [interaction.other[played] for interaction in history if interaction.behaviour == name]
        expected.append(pure_inventory(rules, played, median_low(held) if held else TYPICAL))
    return tuple(expected)


def pure_inventory(rules: MatrixRules, played: int, count: int) -> Counts:
    """An inventory with a count of one resource and the initial count of all others."""
    return tuple(count if n == played else rules.initial_inventory for n in range(len(rules.behaviours)))


def best_target(
    rules: MatrixRules,
    probabilities: Shares,
    expected: Sequence[Counts],
    own: Counts | None = None,
    behaviour: int | None = None,
) -> Counts:
    """The target inventory with the highest expected reward per step; collecting it takes steps, too.

    probabilities, expected: for each pure strategy of the opponent, its probability and the inventory held for it.
    own: the agent's inventory, the initial one if None. behaviour: the pure strategy to play if that is settled; its
    resource must lead. Ties go to TYPICAL units of the first resource, which reveals most about the opponent.
    """

    def worth(target: Counts) -> tuple[float, int, int]:
        return round(_rate(rules, target, probabilities, expected, held), 9), *_typicality(target)

    held = own or _nothing_collected(rules)
    mains = range(len(rules.behaviours)) if behaviour is None else (behaviour,)
    behind = (
        rules.initial_inventory if behaviour is None else max(have for n, have in enumerate(held) if n != behaviour)
    )
    counts = range(behind + 1, max(behind + 1, MOST_COLLECTED) + 1)
    return max((raised(held, main, count) for main in mains for count in counts), key=worth)


def pays_to_watch(
    rules: MatrixRules, probabilities: Shares, expected: Sequence[Counts], own: Counts | None = None
) -> bool:
    """True if the agent should first see what its only opponent takes, and only then collect the answer to that.

    It should if the best answer to each pure strategy, begun STEPS_TO_WATCH later, is expected to give more reward per
    step than the best target now. In games that are not zero-sum a move also answers what the opponent will do later,
    so that watching is not considered there. probabilities, expected, own: as in `best_target`.
    """
    held = own or _nothing_collected(rules)
    if not (_may_watch(rules, held) and rules.players == 2 and rules.is_zero_sum):
        return False
    now = _rate(rules, best_target(rules, probabilities, expected, held), probabilities, expected, held)
    kinds = range(len(probabilities))
    certain = [tuple(float(n == kind) for n in kinds) for kind in kinds]
    later = [
        _rate(rules, best_target(rules, known, expected, held), known, expected, held, STEPS_TO_WATCH)
        for known in certain
    ]
    return bool(sum(map(mul, probabilities, later)) > now)


def _nothing_collected(rules: MatrixRules) -> Counts:
    return (rules.initial_inventory,) * len(rules.behaviours)


def _rate(
    rules: MatrixRules,
    target: Counts,
    probabilities: Shares,
    expected: Sequence[Counts],
    held: Counts,
    delay: float = 0.0,
) -> float:
    """The expected reward per step of collecting a target inventory and meeting the opponent with it.

    held: the present inventory. delay: the steps before the agent begins to collect.
    """
    gain = sum(
        share * reward(target, other, rules.payoff) for share, other in zip(probabilities, expected, strict=True)
    )
    return gain / (delay + rules.timing.steps_with(sum(target) - sum(held)))


def raised(held: Counts, main: int, count: int) -> Counts:
    """An inventory with one resource raised to at least a count."""
    return tuple(max(have, count) if n == main else have for n, have in enumerate(held))


@dataclass(frozen=True, slots=True)
class LastSeen:
    """When a player was last in view. way: its distance from the agent, in steps, ignoring walls.

    mark: over its head, which tells whether it is ready to interact.
    """

    step: int
    way: int
    mark: str | None = None


class PartnerChoice(NamedTuple):
    """The inventory to hold, the players to seek with it, and the expected reward per step."""

    target: Counts
    seek: tuple[str, ...]
    rate: float


def steps_to_find(seen: Mapping[str, LastSeen | None], step: int) -> Mapping[str, float]:
    """Estimates the steps it takes to reach each player, at most STEPS_PER_SEARCH. step: the present one."""
    steps = dict.fromkeys(seen, STEPS_PER_SEARCH)
    for player, last in seen.items():
        if last is not None:
            estimate = STEPS_TO_ALIGN + last.way + STEPS_PER_STEP_AGO * (step - last.step)
            steps[player] = min(STEPS_PER_SEARCH, estimate)
    return steps


def choose_partners(
    rules: MatrixRules,
    others: Mapping[str, Shares],
    expected: Sequence[Counts],
    own: Counts,
    search: Mapping[str, float],
    lead: int | None = None,
) -> PartnerChoice:
    """The target inventory and the players to seek that give the highest expected reward per step.

    others: the predicted distribution over behaviours, by player. expected: the inventory held for each pure strategy.
    own: the agent's inventory. search: estimated steps to find each player. lead: the pure strategy to play, if that is
    settled. Seeking fewer players takes longer; where no player promises a gain, all are sought, to learn from them.
    """
    mains = range(len(rules.behaviours)) if lead is None else (lead,)
    counts = range(rules.initial_inventory + 1, MOST_COLLECTED + 1)
    options = [
        _best_with(target, _gains(rules, others, expected, target), own, search, rules.timing)
        for target in (raised(own, main, count) for main in mains for count in counts)
    ]
    best = max(options, key=lambda choice: (choice.rate, len(choice.seek), *_typicality(choice.target)))
    far_away = _best_with(best.target, _gains(rules, others, expected, best.target), own, {}, rules.timing)
    # A near player may get away, so those that would be sought if all were far away are sought as well.
    return best._replace(seek=tuple(sorted({*best.seek, *far_away.seek})))


def _gains(
    rules: MatrixRules, others: Mapping[str, Shares], expected: Sequence[Counts], target: Counts
) -> Mapping[str, float]:
    """The expected reward of an interaction with each player while holding a target inventory."""
    paid = [reward(target, other, rules.payoff) for other in expected]
    return {player: sum(map(mul, probabilities, paid)) for player, probabilities in others.items()}


def _best_with(
    target: Counts, gains: Mapping[str, float], own: Counts, search: Mapping[str, float], timing: Timing
) -> PartnerChoice:
    """The players to seek with a target inventory: as many of the most profitable as maximise the reward per step."""
    ranked = sorted(gains, key=lambda player: -gains[player])
    steps = timing.steps_with(sum(target) - sum(own))
    # The agent interacts with the first player it finds; those that take fewer steps to find are likelier to be that.
    chances = [1 / search.get(player, STEPS_PER_SEARCH) for player in ranked]
    any_chance = list(accumulate(chances))
    gained = list(accumulate(gains[player] * chance for player, chance in zip(ranked, chances, strict=True)))
    rates = [round(gain / chance / (steps + 1 / chance), 9) for gain, chance in zip(gained, any_chance, strict=True)]
    count = max(range(len(ranked)), key=lambda n: (rates[n], n))
    return PartnerChoice(target, tuple(ranked[: count + 1]), rates[count])


def _typicality(target: Counts) -> tuple[int, int]:
    """A sort key: higher the closer a target is to TYPICAL units of the first resource."""
    return -abs(max(target) - TYPICAL), -target.index(max(target))


def is_worthwhile(rules: MatrixRules, choice: PartnerChoice, own: Counts) -> bool:
    """True if the agent should act on a choice, False if it should watch what others take first."""
    return not _may_watch(rules, own) or choice.rate >= WORTHWHILE * max(map(max, rules.payoff))


def _may_watch(rules: MatrixRules, own: Counts) -> bool:
    """True if the agent can afford to watch, and would see anything.

    Only an agent with its initial inventory may wait: nobody can interact with it, and it is free to collect any answer
    to what it sees. Without clues it would see nothing.
    """
    return rules.clues and not rules.is_armed(own)
