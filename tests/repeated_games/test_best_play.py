"""Best play against the brute force over all plans, in games short enough for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import pytest

from hm_agent.repeated_games.best_play import BayesPlay, BestResponse
from hm_agent.repeated_games.payoffs import Side, transposed
from hm_agent.repeated_games.rules_of_play import RULES_OF_PLAY, MixtureRule, PureRule, RuleOfPlay
from hm_agent.repeated_games.written_rules import rule_from

ROCK_PAPER_SCISSORS = ((0.0, -10.0, 10.0), (10.0, 0.0, -10.0), (-10.0, 10.0, 0.0))
DILEMMA = ((3.0, 0.0), (5.0, 1.0))
RPS = Side(
    ("rock", "paper", "scissors"), ("rock", "paper", "scissors"), ROCK_PAPER_SCISSORS, transposed(ROCK_PAPER_SCISSORS)
)
PD = Side(("cooperate", "defect"), ("cooperate", "defect"), DILEMMA, transposed(DILEMMA))
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


def earned(
    plan: Mapping[tuple[int, ...], int], rule: RuleOfPlay, rounds: int, history: tuple[int, ...] = (), state: Any = ...
) -> float:
    """The expected sum of payoffs of a plan against a rule."""
    if len(history) == rounds:
        return 0.0
    state, own, side = rule.start if state is ... else state, plan[history], rule.side.opposite
    return sum(
        chance
        * (side.payoff[own][other] + earned(plan, rule, rounds, (*history, other), rule.after(state, other, own)))
        for other, chance in enumerate(rule.chances(state))
        if chance
    )


def open_loop(rule: RuleOfPlay, actions: Sequence[int], state: Any = ...) -> float:
    """The expected sum of payoffs of a sequence of actions, whatever the other plays."""
    state = rule.start if state is ... else state
    if not actions:
        return 0.0
    own, *later = actions
    return sum(
        chance * (rule.side.opposite.payoff[own][other] + open_loop(rule, later, rule.after(state, other, own)))
        for other, chance in enumerate(rule.chances(state))
        if chance
    )


def test_best_response_equals_brute_force_over_all_plans() -> None:
    for rule in rules(PD):
        best = max(earned(plan, rule, 3) for plan in plans(PD, 3))
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
            best = max(open_loop(rule, actions) for actions in product(range(count), repeat=6))
            assert BestResponse(rule, 6).total == pytest.approx(best), rule


def test_following_the_best_response_earns_its_value() -> None:
    for rule in rules(RPS):
        response = BestResponse(rule, ROUNDS)

        def follow(state: Any, left: int, rule: RuleOfPlay = rule, response: BestResponse = response) -> float:
            if left == 0:
                return 0.0
            own = response.action(state, left)
            return sum(
                chance * (RPS.payoff[own][other] + follow(rule.after(state, other, own), left - 1))
                for other, chance in enumerate(rule.chances(state))
                if chance
            )

        assert follow(rule.start, ROUNDS) == pytest.approx(response.total), rule


MIXTURES = (
    ("grim", "pure_defect", "copy"),
    ("tit_for_two_tats", "win_stay_lose_shift", "mixture"),
    ("suspicious_tit_for_tat", "generous_tit_for_tat"),
)


def mixture(names: Sequence[str]) -> list[RuleOfPlay]:
    return [
        PureRule(PD, 1) if name == "pure_defect" else rule_from(name, PARAMETERS.get(name, {}), PD) for name in names
    ]


@pytest.mark.parametrize("names", MIXTURES)
def test_bayes_equals_brute_force_over_all_plans(names: Sequence[str]) -> None:
    opponents = mixture(names)
    prior = [(number + 1) / sum(range(1, len(names) + 1)) for number in range(len(names))]
    best = max(
        sum(share * earned(plan, rule, 3) for share, rule in zip(prior, opponents, strict=True))
        for plan in plans(PD, 3)
    )
    play = BayesPlay(opponents, prior, 3)
    assert play.value(play.prior, 3) == pytest.approx(best)


def followed(play: BayesPlay, rules_of_play: Sequence[RuleOfPlay], prior: Sequence[float], rounds: int) -> float:
    """The expected sum of payoffs of following `play`."""

    def follow(rule: RuleOfPlay, state: Any, beliefs: Any, left: int) -> float:
        if left == 0:
            return 0.0
        own = play.action(beliefs, left)
        return sum(
            chance
            * (
                rule.side.opposite.payoff[own][other]
                + follow(rule, rule.after(state, other, own), play.updated(beliefs, own, other), left - 1)
            )
            for other, chance in enumerate(rule.chances(state))
            if chance
        )

    return sum(
        share * follow(rule, rule.start, play.prior, rounds) for share, rule in zip(prior, rules_of_play, strict=True)
    )


def test_what_bayes_earns_lies_between_short_lookahead_and_its_bound() -> None:
    for names in MIXTURES:
        opponents, prior = mixture(names), [1 / len(names)] * len(names)
        exact, short = BayesPlay(opponents, prior, 6), BayesPlay(opponents, prior, 6, lookahead=2)
        optimum = exact.value(exact.prior, 6)
        assert followed(exact, opponents, prior, 6) == pytest.approx(optimum)
        assert followed(short, opponents, prior, 6) <= optimum + 1e-9 <= short.value(short.prior, 6) + 2e-9
        told = sum(BestResponse(rule, 6).total for rule in opponents) / len(opponents)
        assert optimum <= told + 1e-9


def test_rounding_beliefs_to_thousandths_costs_next_to_nothing() -> None:
    for names in MIXTURES:
        opponents, prior = mixture(names), [1 / len(names)] * len(names)
        exact, rounded = BayesPlay(opponents, prior, 6), BayesPlay(opponents, prior, 6, digits=3)
        assert followed(rounded, opponents, prior, 6) >= exact.value(exact.prior, 6) - 0.01
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
        fixed = sum(open_loop(rule, [action] * ROUNDS) for rule in opponents) / len(opponents)
        assert fixed <= play.value(play.prior, ROUNDS) + 1e-9
