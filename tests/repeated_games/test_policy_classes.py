"""Classes of policies against brute force over everything that can happen, in games short enough for that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Any

import pytest

from hm_agent.repeated_games.best_play import BayesPlay
from hm_agent.repeated_games.payoffs import Side, transposed
from hm_agent.repeated_games.policy_classes import (
    Mixture,
    TooManyError,
    longest,
    myopic_value,
    open_loop_value,
    watching_value,
)
from hm_agent.repeated_games.rules_of_play import RuleOfPlay
from hm_agent.repeated_games.written_rules import rule_from
from tests.repeated_games.brute_force import PD, sequence_earns

MOD = tuple(tuple(float((own - other) % 3 == 1) - ((other - own) % 3 == 1) for other in range(3)) for own in range(3))
NUMBERS = ("one", "two", "three")
SIDE = Side(NUMBERS, NUMBERS, MOD, transposed(MOD))
ROUNDS = 4


def rule(name: str, side: Side = SIDE, **parameters: Any) -> RuleOfPlay:
    return rule_from(name, parameters, side)


MIXTURES: tuple[Mixture, ...] = (
    {rule("deeper_when_beaten", tremble=0.2): 1.0},
    {rule("deeper_when_beaten", order=3, losses=2): 0.5, rule("counter_earlier"): 0.5},
    {rule("step", step=1, tremble=0.1): 0.25, rule("deeper_when_beaten", step=1): 0.75},
    {rule("grim", PD): 0.5, rule("pure", PD, action="cooperate"): 0.5},
)


def plays(rules: Mixture, owns: Sequence[int]) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every sequence of the other's actions against a sequence of own ones, with its probability."""
    side = next(iter(rules)).side
    for others in product(range(len(side.actions)), repeat=len(owns)):
        total = 0.0
        for opponent, share in rules.items():
            state, chance = opponent.start, share
            for own, other in zip(owns, others, strict=True):
                chance *= opponent.chances(state)[other]
                state = opponent.after(state, other, own)
            total += chance
        if total:
            yield others, total


def watched(rules: Mixture, seen: tuple[int, ...]) -> int:
    """The best answer to what follows these actions of the other, over all sequences of own actions alike."""
    side = next(iter(rules)).side.opposite
    expected = [0.0] * len(side.others)
    for owns in product(range(len(side.actions)), repeat=len(seen) + 1):
        for others, chance in plays(rules, owns):
            if others[:-1] == seen:
                expected[others[-1]] += chance
    total = sum(expected) or 1.0
    paid = [round(side.expected(own, [share / total for share in expected]), 6) for own in range(len(side.actions))]
    return paid.index(max(paid))


def test_open_loop_is_the_best_of_all_sequences() -> None:
    for rules in MIXTURES:
        count = len(next(iter(rules)).side.others)
        best = max(sequence_earns(rules, owns) for owns in product(range(count), repeat=ROUNDS))
        assert open_loop_value(rules, ROUNDS) == pytest.approx(best)


def test_one_that_only_watches_answers_what_the_others_moves_alone_let_expect() -> None:
    for rules in MIXTURES:
        side, total, rounds = next(iter(rules)).side.opposite, 0.0, 3
        sequences = [product(range(len(side.others)), repeat=place) for place in range(rounds)]
        answers = {seen: watched(rules, seen) for seen in chain.from_iterable(sequences)}
        for others in product(range(len(side.others)), repeat=rounds):
            owns = [answers[others[:place]] for place in range(rounds)]
            chance = dict(plays(rules, owns)).get(others, 0.0)
            total += chance * sum(side.payoff[own][other] for own, other in zip(owns, others, strict=True))
        assert watching_value(rules, rounds) == pytest.approx(total)


def test_who_looks_at_one_round_alone_provokes_a_grim_player() -> None:
    assert myopic_value({rule("grim", PD): 1.0}, 5) == pytest.approx(5 + 4 * 1)
    assert myopic_value({rule("deeper_when_beaten"): 1.0}, 5) == pytest.approx(4)


def test_no_class_earns_more_than_the_best_play_that_is_not_told() -> None:
    for rules in MIXTURES:
        best = BayesPlay(tuple(rules), tuple(rules.values()), ROUNDS)
        for value in (open_loop_value, watching_value):
            assert value(rules, ROUNDS) <= best.value(best.prior, ROUNDS) + 1e-9


def test_what_can_not_be_calculated_is_calculated_for_fewer_rounds() -> None:
    def value(mixture: Mixture, rounds: int) -> float:
        if rounds > 3:
            raise TooManyError
        return 2.0 * rounds

    assert longest(value, MIXTURES[0], 9) == (2.0, 3)
    assert longest(value, MIXTURES[0], 2) == (2.0, 2)
