"""What to play against an expectation, and how strongly to commit to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from statistics import median_low
from typing import NamedTuple

from hm_agent.core import Counts
from hm_agent.games.matrix.payoff import reward
from hm_agent.games.matrix.rules import Encounter, Rules

Odds = tuple[float, ...]
"""How likely each behaviour is, in the game's order."""

TYPICAL = 6
"""How much of its main resource a player is expected to hold before it was ever met playing it."""
STEPS_PER_THING = 3.0
"""How long it takes to collect one thing more."""
STEPS_PER_ROUND = 50.0
"""How long everything else between two interactions takes: finding the opponent, freezing, coming back."""
STEPS_PER_SEARCH = 100.0
"""How long it takes, among many on a large map, to find a particular one that was not seen for long."""
STEPS_TO_ALIGN = 8.0
"""How long it takes to get somebody into the beam, beside the way to where it was seen."""
STEPS_PER_STEP_AGO = 1.0
"""How much longer it takes to find somebody for each step since it was seen."""
MOST = 12
"""More of one thing than this is not worth collecting."""
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


def expected_inventories(rules: Rules, history: Sequence[Encounter]) -> tuple[Counts, ...]:
    """What an opponent will hold for each pure strategy, by what it held when it played it before."""
    return tuple(_expected(rules, history, played) for played in range(len(rules.behaviours)))


def _expected(rules: Rules, history: Sequence[Encounter], played: int) -> Counts:
    name = rules.behaviours[played]
    held = [encounter.other[played] for encounter in history if encounter.behaviour == name]
    return pure_inventory(rules, played, median_low(held) if held else TYPICAL)


def pure_inventory(rules: Rules, played: int, count: int) -> Counts:
    """So much of one resource, and of the others what everybody starts with."""
    return tuple(count if n == played else rules.initial_inventory for n in range(len(rules.behaviours)))


def best_target(
    rules: Rules, odds: Odds, expected: Sequence[Counts], own: Counts | None = None, course: int | None = None
) -> Counts:
    """The inventory to aim for: what pays most per step, since collecting takes time from the next round.

    odds, expected: for each pure strategy of the opponent, how likely it is and what would be held. own: what one holds
    already, if it is more than what everybody starts with. course: the behaviour to play, where that is settled; its
    resource is to lead. Where nothing pays more than anything else, a typical commitment to the first resource, since
    it tells most about the opponent.
    """

    def worth(target: Counts) -> tuple[float, int, int]:
        gain = sum(share * reward(target, other, rules.payoff) for share, other in zip(odds, expected, strict=True))
        rate = gain / (STEPS_PER_ROUND + STEPS_PER_THING * (sum(target) - sum(held)))
        return round(rate, 9), -abs(max(target) - TYPICAL), -target.index(max(target))

    held = own or (rules.initial_inventory,) * len(rules.behaviours)
    mains = range(len(rules.behaviours)) if course is None else (course,)
    behind = rules.initial_inventory if course is None else max(have for n, have in enumerate(held) if n != course)
    counts = range(behind + 1, max(behind + 1, MOST) + 1)
    return max((_raised(held, main, count) for main in mains for count in counts), key=worth)


def steps_to_find(seen: Mapping[str, Sighting | None], step: int) -> Mapping[str, float]:
    """About how long it takes to meet each player, by where it was seen last. step: the present one."""
    return {player: _steps_to_find(sighting, step) for player, sighting in seen.items()}


def _steps_to_find(sighting: Sighting | None, step: int) -> float:
    if sighting is None:
        return STEPS_PER_SEARCH
    return min(STEPS_PER_SEARCH, STEPS_TO_ALIGN + sighting.way + STEPS_PER_STEP_AGO * (step - sighting.step))


def best_meeting(
    rules: Rules,
    others: Mapping[str, Odds],
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
            yield _raised(own, main, count)


def _gains(rules: Rules, others: Mapping[str, Odds], expected: Sequence[Counts], target: Counts) -> Mapping[str, float]:
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


def _raised(held: Counts, main: int, count: int) -> Counts:
    """What is held, with so much of one resource if it is less."""
    return tuple(max(have, count) if n == main else have for n, have in enumerate(held))
