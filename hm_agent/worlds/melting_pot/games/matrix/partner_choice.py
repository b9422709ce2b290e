"""Whom to meet among many, and what to hold for it; or to wait until somebody gives itself away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from hm_agent.core import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import (
    MOST,
    STEPS_PER_ROUND,
    STEPS_PER_THING,
    TYPICAL,
    Distribution,
    raised,
)
from hm_agent.worlds.melting_pot.games.matrix.payoff import reward
from hm_agent.worlds.melting_pot.games.matrix.rules import Rules

STEPS_PER_SEARCH = 100.0
"""How long it takes, among many on a large map, to find a particular one that was not seen for long."""
STEPS_TO_ALIGN = 8.0
"""How long it takes to get somebody into the beam, beside the way to where it was seen."""
STEPS_PER_STEP_AGO = 1.0
"""How much longer it takes to find somebody for each step since it was seen."""
WORTHWHILE = 0.0018
"""What a meeting is to bring per step, as a share of the highest payoff; else one had better watch what others take."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """When a player was in view last, and how far from here that was, in steps as the crow flies."""

    step: int
    way: int


class Meeting(NamedTuple):
    """What to hold, whom to meet with it, and the reward per step which that promises."""

    target: Counts
    seek: tuple[str, ...]
    rate: float


def steps_to_find(seen: Mapping[str, Sighting | None], step: int) -> Mapping[str, float]:
    """About how long it takes to meet each player, by where it was seen last. step: the present one."""
    return {player: _steps_to_find(sighting, step) for player, sighting in seen.items()}


def _steps_to_find(sighting: Sighting | None, step: int) -> float:
    if sighting is None:
        return STEPS_PER_SEARCH
    return min(STEPS_PER_SEARCH, STEPS_TO_ALIGN + sighting.way + STEPS_PER_STEP_AGO * (step - sighting.step))


def best_meeting(
    rules: Rules,
    others: Mapping[str, Distribution],
    expected: Sequence[Counts],
    own: Counts,
    search: Mapping[str, float],
    lead: int | None = None,
) -> Meeting:
    """The inventory to aim for among many, and whom to meet with it: what pays most per step.

    others: how likely each behaviour is, by player. expected: what would be held for each pure strategy. search: about
    how many steps it takes to find each player. The fewer one seeks, the longer it takes to find one of them; where
    nobody promises anything, anybody is met, to learn from it. lead: the behaviour to play, where that is settled.
    """
    options = [
        _best_with(target, _gains(rules, others, expected, target), own, search)
        for target in _targets(rules, own, lead)
    ]
    best = max(options, key=lambda meeting: (meeting.rate, len(meeting.seek), *_plainness(meeting.target)))
    lost = _best_with(best.target, _gains(rules, others, expected, best.target), own, {})
    # Who is near now may get away: whom one would seek then is met as well.
    return best._replace(seek=tuple(sorted({*best.seek, *lost.seek})))


def _targets(rules: Rules, own: Counts, lead: int | None) -> Iterator[Counts]:
    for main in range(len(rules.behaviours)) if lead is None else (lead,):
        for count in range(rules.initial_inventory + 1, MOST + 1):
            yield raised(own, main, count)


def _gains(
    rules: Rules, others: Mapping[str, Distribution], expected: Sequence[Counts], target: Counts
) -> Mapping[str, float]:
    """What to expect of meeting each player with a target inventory."""
    paid = [reward(target, other, rules.payoff) for other in expected]
    return {player: sum(map(mul, odds, paid)) for player, odds in others.items()}


def _best_with(target: Counts, gains: Mapping[str, float], own: Counts, search: Mapping[str, float]) -> Meeting:
    """Whom to meet with a target inventory: those that promise most, as many as it pays to look for at a time."""
    ranked = sorted(gains, key=lambda player: -gains[player])
    steps = STEPS_PER_ROUND + STEPS_PER_THING * (sum(target) - sum(own))
    # Whoever is found first is met: the less long it takes to find a player, the likelier it is the one.
    chances = [1 / search.get(player, STEPS_PER_SEARCH) for player in ranked]
    found = list(accumulate(chances))
    gained = list(accumulate(gains[player] * chance for player, chance in zip(ranked, chances, strict=True)))
    rates = [round(gain / chance / (steps + 1 / chance), 9) for gain, chance in zip(gained, found, strict=True)]
    count = max(range(len(ranked)), key=lambda n: (rates[n], n))
    return Meeting(target, tuple(ranked[: count + 1]), rates[count])


def _plainness(target: Counts) -> tuple[int, int]:
    """The higher, the more a target is like what players hold who know nothing of each other."""
    return -abs(max(target) - TYPICAL), -target.index(max(target))


def is_worthwhile(rules: Rules, meeting: Meeting, own: Counts) -> bool:
    """Whether to go for it, rather than to watch until somebody gives itself away.

    Only who holds nothing yet may wait: it can't be met meanwhile, and whatever it sees, it can collect the answer.
    """
    return max(own) > rules.initial_inventory or meeting.rate >= WORTHWHILE * max(map(max, rules.payoff))
