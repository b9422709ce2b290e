"""By which rules players take each other's coins: what agents take others to follow, and scripted players do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from hm_agent.worlds.melting_pot.games.coins.takes import Take

FOR_GOOD = 1_000_000
"""The length of a retaliation that never ends."""


@dataclass(frozen=True)
class TakingRule:
    """A rule of a player. words: as agents say it of the other player.

    is_hostile: True if the player takes any coin in a step rather than those of its own colour alone, from all takes
    before, the step, and the player's name.
    """

    words: str
    is_hostile: Callable[[Sequence[Take], int, str], bool]


def provocations(takes: Sequence[Take], player: str) -> list[int]:
    """The steps in which somebody else took a coin of a player's colour."""
    return [take.step for take in takes if take.owner == player != take.taker]


@cache
def retaliates(threshold: int, length: int, *, at_first: bool = False) -> TakingRule:
    """Takes any coin for `length` steps after it lost `threshold` coins within as many steps.

    at_first: True if it begins as after such losses.
    """

    def is_hostile(takes: Sequence[Take], step: int, player: str) -> bool:
        recent, until = list[int](), length if at_first else 0
        for lost in provocations(takes, player):
            recent = [*(earlier for earlier in recent if lost - earlier < length), lost]
            if len(recent) >= threshold:
                recent, until = [], lost + length
        return step < until

    lost = "one of its coins" if threshold == 1 else f"{threshold} of its coins"
    if at_first:
        return TakingRule(f"It takes any coin, until you took none of its own for {length} steps.", is_hostile)
    if length == FOR_GOOD:
        return TakingRule(f"It takes only its own coins, and any for good once you took {lost}.", is_hostile)
    within = "" if threshold == 1 else " within as many"
    return TakingRule(
        f"It takes only its own coins, and any for {length} steps once you took {lost}{within}.", is_hostile
    )


def _copies(takes: Sequence[Take], step: int, player: str) -> bool:
    latest = next((take for take in reversed(takes) if take.taker != player), None)
    return latest is not None and latest.owner == player


def _evens(takes: Sequence[Take], step: int, player: str) -> bool:
    taken = sum(take.taker == player != take.owner for take in takes)
    return len(provocations(takes, player)) > taken


def takes_turns(length: int) -> TakingRule:
    """Spares coins for `length` steps, then takes any for as many, and so on, whatever others do."""
    return TakingRule(
        f"It takes only its own coins for {length} steps, then any for {length}, and so on.",
        lambda takes, step, player: step // length % 2 == 1,
    )


SPARES = TakingRule("It takes only its own coins.", lambda takes, step, player: False)
TAKES_ANY = TakingRule("It takes any coin.", lambda takes, step, player: True)
NEAR_ONES = TakingRule("It takes its own coins, and yours if they are near.", lambda takes, step, player: True)
COPIES = TakingRule("It takes any coin if you took one of its coins last, else only its own.", _copies)
EVENS = TakingRule("It takes as many of your coins as you took of its own.", _evens)

LENGTHS, FIRST_LENGTHS = (50, 100, 200, FOR_GOOD), (50, 100)
"""The lengths of retaliations that minds consider."""
AGAINST_THRESHOLDS: Mapping[int, float] = {1: 0.5, 2: 1.0, 3: 1.0}
CONSIDERED: Mapping[TakingRule, float] = {
    SPARES: 0.5,
    COPIES: 2.0,
    TAKES_ANY: 3.0,
    **{
        retaliates(threshold, length): against + 0.5 * place
        for threshold, against in AGAINST_THRESHOLDS.items()
        for place, length in enumerate(LENGTHS)
    },
    **{retaliates(1, length, at_first=True): 2.0 for length in FIRST_LENGTHS},
    retaliates(2, 100): 0.0,
}
"""The rules that minds consider, with what speaks against each before anything was seen, in natural logarithms.

The likeliest makes the agent take one of the other's coins now and then, whose answer tells the others apart. Then the
harshest that explains the answer is likeliest, since it costs less to spare a coin than to be retaliated against.
"""
NAMED: Mapping[str, TakingRule] = {
    "cooperator": SPARES,
    "defector": TAKES_ANY,
    "one_strike": retaliates(1, 100),
    "three_strikes": retaliates(3, 150),
    "copies": COPIES,
    "grudges": retaliates(2, FOR_GOOD),
    "forgives": retaliates(1, 60, at_first=True),
    "takes_turns": takes_turns(80),
    "near_ones": NEAR_ONES,
    "evens": EVENS,
}
"""The rules of scripted players, by name."""
TOLD: Mapping[str, TakingRule] = {rule.words: rule for rule in (*CONSIDERED, *NAMED.values())}
"""All rules, by their words."""
