"""The order of a rule is what it looks at; a game's order cuts the class, and nothing else changes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from hm_agent.models.prompts import render
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.best_response import pure_inventory
from hm_agent.worlds.melting_pot.games.matrix.moves import Moves
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import Mixture, OpponentStrategy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.answers import propose
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import posterior, strategy_from_words
from hm_agent.worlds.melting_pot.games.matrix.reasoner.rule_class import rule_class
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixRules
from tests.worlds.melting_pot.games.matrix_examples import (
    DILEMMA,
    HISTORY,
    HUNT,
    MATRIX_EXAMPLES,
    ROCK_PAPER_SCISSORS,
    first_hypothesis,
    interaction,
)

ORDERS = (0, 1, 2)
LONGEST, TRIES, OWN = 9, 24, 4
"""The length of histories, how many are drawn of each, and up to which length the opponent's own moves are varied."""
each_game = pytest.mark.parametrize(
    "rules", [ROCK_PAPER_SCISSORS, DILEMMA, HUNT], ids=lambda rules: "/".join(rules.behaviours)
)


def cut(rules: MatrixRules, order: int | None) -> MatrixRules:
    return replace(rules, order=order)


def rules_of(rules: MatrixRules, order: int | None = None) -> list[OpponentStrategy]:
    return [each.rule for each in rule_class(cut(rules, order).stage_game)]


def drawn(kinds: int, length: int, seed: int) -> list[Moves]:
    """Random moves; every other of the agent's is of one kind, so that it may reach any count of that."""
    rng = random.Random(seed)
    often = [*range(kinds), *[seed % kinds] * kinds]
    return [Moves(rng.choice(often), rng.randrange(kinds), rng.randrange(kinds)) for _ in range(length)]


def with_own_moves_of(history: Sequence[Moves], other: Sequence[Moves]) -> list[Moves]:
    """A history with the opponent's moves of another one."""
    return [moves._replace(other=own.other) for moves, own in zip(history, other, strict=True)]


def depends(rule: OpponentStrategy, histories: Iterable[Sequence[Moves]]) -> bool:
    """True if its prediction is not the same after all of these histories."""
    predicted = set()
    for history in histories:
        state = rule.start
        for moves in history:
            state = rule.after(state, moves)
        predicted.add(rule.chances(state))
    return len(predicted) > 1


@each_game
def test_order_tells_whose_moves_a_rule_looks_at(rules: MatrixRules) -> None:
    kinds = len(rules.behaviours)
    drawn_of = {length: [drawn(kinds, length, seed) for seed in range(TRIES)] for length in range(1, LONGEST + 1)}
    # Each set of histories differs in nothing but the opponent's own moves.
    differing_in_own = [
        [with_own_moves_of(history, other) for other in histories[:8]]
        for length, histories in drawn_of.items()
        for history in histories
        if length <= OWN
    ]
    for rule in rules_of(rules):
        looks = any(depends(rule, histories) for histories in drawn_of.values())
        looks_at_its_own = any(depends(rule, histories) for histories in differing_in_own)
        assert rule.order == (2 if looks_at_its_own else 1 if looks else 0), rule.words


@each_game
def test_each_orders_class_is_part_of_the_next_and_the_last_is_all(rules: MatrixRules) -> None:
    classes = [rules_of(rules, order) for order in ORDERS]
    for smaller, larger in pairwise(classes):
        assert {*smaller} < {*larger}
    assert classes[-1] == rules_of(rules)


@each_game
def test_class_of_order_0_holds_one_constant_for_each_behaviour(rules: MatrixRules) -> None:
    words = [rule.words for rule in rules_of(rules, 0)]
    assert words == [f"The opponent always plays {name}." for name in rules.behaviours]


def test_mixture_is_of_order_0() -> None:
    assert Mixture(("stag", "hare"), (0.5, 0.5)).order == 0


@pytest.mark.parametrize("order", ORDERS)
def test_posterior_is_spread_over_the_rules_up_to_the_order(order: int) -> None:
    found = posterior(cut(ROCK_PAPER_SCISSORS, order), HISTORY)
    assert sum(weight for _, weight in found) == pytest.approx(1)
    assert {fit.strategy.order for fit, _ in found} == {*range(order + 1)}


def test_words_of_a_rule_beyond_the_order_are_read_as_a_mixture() -> None:
    words = "The opponent plays what does best against what I played last."
    assert isinstance(strategy_from_words(words, cut(ROCK_PAPER_SCISSORS, 0), HISTORY), Mixture)
    assert strategy_from_words(words, cut(ROCK_PAPER_SCISSORS, 1), HISTORY).words == words


def test_prompts_do_not_show_the_order() -> None:
    question: Any
    for name, question in MATRIX_EXAMPLES.items():
        seat = getattr(question, "situation", None)
        if seat is None:
            other = replace(question, rules=cut(question.rules, 0))
        else:
            other = replace(question, situation=replace(seat, rules=cut(seat.rules, 0)))
        assert render(other) == render(question), name


@pytest.mark.parametrize(("order", "reacts"), [(0, False), (1, True), (2, True)])
def test_only_a_reasoner_that_knows_reactions_proposes_one(order: int, reacts: bool) -> None:
    """Twelve interactions with an opponent that best-responds to what the agent played last."""
    played = [Moves(own, (before + 1) % 3) for before, own in pairwise([0, 1, 1, 2, 0, 2, 2, 1, 0, 0, 2, 1, 2])]
    history = [
        interaction(80 * step, raised(moves.own), raised(moves.other), (0, 0, 0))
        for step, moves in enumerate(played, 1)
    ]
    answer = propose(first_hypothesis(cut(ROCK_PAPER_SCISSORS, order), *history))
    assert (answer.hypothesis == "The opponent plays what does best against what I played last.") == reacts


def raised(kind: int) -> Counts:
    return pure_inventory(ROCK_PAPER_SCISSORS, kind, 6)
