from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hm_agent.worlds.melting_pot.facts import Counts, argmax
from hm_agent.worlds.melting_pot.games.matrix.rules import (
    UNLIKELY,
    PartnerEvidence,
    consistent_inventories,
    infer_inventory,
    is_lead_open,
    reward,
)

RWS = ((0.0, -10.0, 10.0), (10.0, 0.0, -10.0), (-10.0, 10.0, 0.0))
DILEMMA = ((3.0, 0.0), (5.0, 1.0))
ONE_EACH = PartnerEvidence(initial=1)


@st.composite
def committed(draw: st.DrawFn, least: int = 1, most: int = 12, stray: int = 0) -> Counts:
    """An inventory that one resource leads by `least` to `most`. stray: the most collected of each other."""
    inventory = [1 + draw(st.integers(0, stray)) for _ in range(3)]
    main = draw(st.integers(0, 2))
    inventory[main] = max(inventory) + draw(st.integers(least, most))
    return tuple(inventory)


@pytest.mark.parametrize(
    ("own", "other", "received"),
    [
        ((1, 5, 1), (6, 1, 1), 200 / 56),
        ((6, 1, 1), (1, 5, 1), -200 / 56),
        ((1, 6, 1), (1, 6, 1), 0.0),
        ((0, 1, 0), (1, 0, 0), 10.0),
    ],
)
def test_reward_is_the_matrix_over_normalised_inventories(own: Counts, other: Counts, received: float) -> None:
    assert reward(own, other, RWS) == pytest.approx(received)


def test_rows_of_the_payoff_are_the_agents_own_strategies() -> None:
    assert reward((0, 1), (1, 0), DILEMMA) == 5.0
    assert reward((1, 0), (0, 1), DILEMMA) == 0.0


def test_the_largest_count_is_the_main_resource_unless_several_tie() -> None:
    assert (argmax((1, 2, 7)), argmax((4, 4, 1))) == (2, None)


@given(own=committed(stray=3), other=committed(stray=3))
def test_inventories_that_explain_a_reward_hold_the_true_one_with_chances_that_sum_to_one(
    own: Counts, other: Counts
) -> None:
    received = reward(own, other, RWS)
    inventory, _ = infer_inventory(own, received, RWS, ONE_EACH)
    assert reward(own, inventory, RWS) == pytest.approx(received, abs=1e-5)
    fits = consistent_inventories(own, received, RWS, ONE_EACH)
    assert other in [inventory for inventory, _ in fits]
    assert sum(probability for _, probability in fits) == pytest.approx(1.0)


@given(own=committed(least=2), other=committed(least=3))
@settings(max_examples=40)
def test_pure_strategy_is_inferred_with_a_committed_inventory_and_none_with_an_even_one(
    own: Counts, other: Counts
) -> None:
    for held, inferred in ((own, argmax(other)), ((2, 2, 2), None)):
        _, main = infer_inventory(held, reward(held, other, RWS), RWS, ONE_EACH)
        assert main == inferred


@given(own=committed(stray=3), other=committed(stray=3))
def test_what_nobody_else_can_have_taken_was_held(own: Counts, other: Counts) -> None:
    evidence = PartnerEvidence(1, tuple(count - 1 for count in other), is_alone=True)
    received = reward(own, other, RWS)
    fits = consistent_inventories(own, received, RWS, evidence)
    likely = [held for held, probability in fits if probability >= UNLIKELY]
    for held in (*likely, infer_inventory(own, received, RWS, evidence)[0]):
        assert all(count >= known for count, known in zip(held, other, strict=True))


@pytest.mark.parametrize(("own", "other", "is_open"), [((1, 6, 1), (7, 1, 1), False), ((1, 1, 5), (2, 2, 1), True)])
def test_a_reward_tells_which_resource_led_unless_others_would_have_paid_the_same(
    own: Counts, other: Counts, is_open: bool
) -> None:
    assert is_lead_open(own, reward(own, other, RWS), RWS, ONE_EACH) is is_open


def test_among_many_what_was_taken_tells_less() -> None:
    evidence = PartnerEvidence(1, (0, 6, 0))
    received = reward((1, 6, 1), (7, 1, 1), RWS)

    def doubt(evidence: PartnerEvidence) -> float:
        """The probability that the partner did not hold what it was seen to take."""
        fits = consistent_inventories((1, 6, 1), received, RWS, evidence)
        return sum(probability for held, probability in fits if held[1] < 7)

    assert doubt(replace(evidence, is_alone=True)) < UNLIKELY < doubt(evidence)


def test_inexplicable_reward_is_explained_by_the_closest_inventory() -> None:
    _, main = infer_inventory((1, 6, 1), 99.0, RWS, ONE_EACH)
    assert main == 0
