"""What a way to play earns against a rule, by adding up all that can happen; and two games to play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hm_agent.repeated_games.payoffs import Side, transposed
from hm_agent.repeated_games.rules_of_play import RuleOfPlay

Played = tuple[tuple[int, int], ...]
"""The rounds so far: the numbers of the own action and of the other's."""
DILEMMA = ((3.0, 0.0), (5.0, 1.0))
PD = Side(("cooperate", "defect"), ("cooperate", "defect"), DILEMMA, transposed(DILEMMA))
ROCK_PAPER_SCISSORS = ((0.0, -10.0, 10.0), (10.0, 0.0, -10.0), (-10.0, 10.0, 0.0))
KINDS = ("rock", "paper", "scissors")
RPS = Side(KINDS, KINDS, ROCK_PAPER_SCISSORS, transposed(ROCK_PAPER_SCISSORS))


def earned(rule: RuleOfPlay, rounds: int, choose: Callable[[Played], int]) -> float:
    """The expected sum of payoffs of one who chooses its action by the rounds so far."""
    payoff = rule.side.opposite.payoff

    def later(state: object, played: Played) -> float:
        if len(played) == rounds:
            return 0.0
        own = choose(played)
        return sum(
            chance * (payoff[own][other] + later(rule.after(state, other, own), (*played, (own, other))))
            for other, chance in enumerate(rule.chances(state))
            if chance
        )

    return later(rule.start, ())


def sequence_earns(mixture: Mapping[RuleOfPlay, float], owns: Sequence[int]) -> float:
    """The expected sum of payoffs of a sequence of actions, whatever the others play."""
    return sum(share * earned(rule, len(owns), lambda played: owns[len(played)]) for rule, share in mixture.items())
