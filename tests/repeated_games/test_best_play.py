"""Best play against the brute force over all plans, in games short enough for that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import product
from typing import Any

import pytest

from hm_agent.repeated_games.best_play import BayesPlay, BestResponse
from hm_agent.repeated_games.payoffs import Side
from hm_agent.repeated_games.rules_of_play import MixtureRule, PureRule, RuleOfPlay
from hm_agent.repeated_games.written_rules import RULES_OF_PLAY, rule_from
from tests.repeated_games.brute_force import PD, RPS, Played, earned, sequence_earns

PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "mixture": {"weights": [0.7, 0.3]},
    "cycle": {"cycle": ["cooperate", "cooperate", "defect"]},
    "flip": {"first": "cooperate", "then": "defect", "rounds": 2},
    "copy": {"tremble": 0.2},
    "corrigible": {"times": 2, "tremble": 0.2},
    "generous_tit_for_tat": {"generosity": 0.3},
    "theory_of_mind": {"order": 2},
    "win_stay_lose_shift": {"aspiration": 2},
}
ROUNDS = 4


def rules(side: Side) -> Iterator[RuleOfPlay]:
    for name in RULES_OF_PLAY:
        parameters = PARAMETERS.get(name, {})
        if side is PD or not (parameters or name in ("grim", "corrigible", "gradual")):
            try:
                yield rule_from(name, parameters, side)
            except ValueError:
                assert side is RPS


def plans(side: Side, rounds: int) -> Iterator[Mapping[tuple[int, ...], int]]:
    """Every way to choose an action after each sequence of the other player's actions."""
    known = [history for length in range(rounds) for history in product(range(len(side.others)), repeat=length)]
    for chosen in product(range(len(side.actions)), repeat=len(known)):
        yield dict(zip(known, chosen, strict=True))


def by_plan(plan: Mapping[tuple[int, ...], int]) -> Callable[[Played], int]:
    return lambda played: plan[tuple(other for _, other in played)]


def state_after(rule: RuleOfPlay, played: Played) -> Any:
    return reduce(lambda state, both: rule.after(state, both[1], both[0]), played, rule.start)


def test_best_response_equals_brute_force_over_all_plans() -> None:
    for rule in rules(PD):
        best = max(earned(rule, 3, by_plan(plan)) for plan in plans(PD, 3))
        assert BestResponse(rule, 3).total == pytest.approx(best), rule


def test_best_response_to_a_certain_rule_equals_brute_force_over_all_sequences() -> None:
    for rule in [*rules(PD), rule_from("cycle", {"cycle": ["rock", "rock", "paper"]}, RPS)]:
        states = {rule.start}
        for _ in range(6):
            states |= {
                rule.after(s, b, a) for s in states for a in range(2) for b, p in enumerate(rule.chances(s)) if p
            }
        if all(max(rule.chances(state)) == 1 for state in states):
            count = len(rule.side.others)
            best = max(sequence_earns({rule: 1}, actions) for actions in product(range(count), repeat=6))
            assert BestResponse(rule, 6).total == pytest.approx(best), rule


def test_following_the_best_response_earns_its_value() -> None:
    for rule in rules(RPS):
        response = BestResponse(rule, ROUNDS)

        def choose(played: Played, rule: RuleOfPlay = rule, response: BestResponse = response) -> int:
            return response.action(state_after(rule, played), ROUNDS - len(played))

        assert earned(rule, ROUNDS, choose) == pytest.approx(response.total), rule


MIXTURES = (
    ("grim", "pure_defect", "copy"),
    ("tit_for_two_tats", "win_stay_lose_shift", "mixture"),
    ("suspicious_tit_for_tat", "generous_tit_for_tat"),
)


def mixture(names: Sequence[str]) -> list[RuleOfPlay]:
    return [
        PureRule(PD, 1) if name == "pure_defect" else rule_from(name, PARAMETERS.get(name, {}), PD) for name in names
    ]


def test_bayes_equals_brute_force_over_all_plans() -> None:
    for names in MIXTURES:
        opponents = mixture(names)
        prior = [(number + 1) / sum(range(1, len(names) + 1)) for number in range(len(names))]
        best = max(
            sum(share * earned(rule, 3, by_plan(plan)) for share, rule in zip(prior, opponents, strict=True))
            for plan in plans(PD, 3)
        )
        play = BayesPlay(opponents, prior, 3)
        assert play.value(play.prior, 3) == pytest.approx(best)


def followed(play: BayesPlay, prior: Sequence[float], rounds: int) -> float:
    """The expected sum of payoffs of following `play`."""

    @cache
    def believed(played: Played) -> Any:
        return play.updated(believed(played[:-1]), *played[-1]) if played else play.prior

    def choose(played: Played) -> int:
        return play.action(believed(played), rounds - len(played))

    return sum(share * earned(rule, rounds, choose) for share, rule in zip(prior, play.rules, strict=True))


def test_what_bayes_earns_lies_between_short_lookahead_and_its_bound() -> None:
    for names in MIXTURES:
        opponents, prior = mixture(names), [1 / len(names)] * len(names)
        exact, short = BayesPlay(opponents, prior, 6), BayesPlay(opponents, prior, 6, lookahead=2)
        optimum = exact.value(exact.prior, 6)
        assert followed(exact, prior, 6) == pytest.approx(optimum)
        assert followed(short, prior, 6) <= optimum + 1e-9 <= short.value(short.prior, 6) + 2e-9
        told = sum(BestResponse(rule, 6).total for rule in opponents) / len(opponents)
        assert optimum <= told + 1e-9


def test_rounding_beliefs_to_thousandths_costs_next_to_nothing() -> None:
    for names in MIXTURES:
        opponents, prior = mixture(names), [1 / len(names)] * len(names)
        exact, rounded = BayesPlay(opponents, prior, 6), BayesPlay(opponents, prior, 6, digits=3)
        assert followed(rounded, prior, 6) >= exact.value(exact.prior, 6) - 0.01
        assert len(rounded.prior) == len(exact.prior)


def test_what_bayes_believes_is_what_the_actions_tell() -> None:
    always, tit_for_tat = PureRule(PD, 0), rule_from("copy", {"first": "cooperate"}, PD)
    play = BayesPlay([always, tit_for_tat], [0.5, 0.5], ROUNDS)
    undecided = play.updated(play.prior, 1, 0)
    assert [(number, share) for number, _, share in undecided] == [(0, 0.5), (1, 0.5)]
    assert play.chances(undecided) == [0.5, 0.5]
    assert [number for number, *_ in play.updated(undecided, 1, 1)] == [1]


def test_bayes_beats_each_action_played_throughout() -> None:
    opponents = [MixtureRule(RPS, (0.6, 0.2, 0.2)), PureRule(RPS, 1), *rules(RPS)][:5]
    prior = [1 / len(opponents)] * len(opponents)
    play = BayesPlay(opponents, prior, ROUNDS)
    for action in range(3):
        fixed = sequence_earns(dict(zip(opponents, prior, strict=True)), [action] * ROUNDS)
        assert fixed <= play.value(play.prior, ROUNDS) + 1e-9
