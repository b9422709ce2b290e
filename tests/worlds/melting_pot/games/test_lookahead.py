"""How the built-in reasoner treats those who reward and punish."""

from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import (
    Always,
    Corrigible,
    Grudge,
    Strategy,
    tit_for_tat,
)
from hm_agent.worlds.melting_pot.games.matrix.payoff import reward
from hm_agent.worlds.melting_pot.games.matrix.reasoner.evidence import likeliest
from hm_agent.worlds.melting_pot.games.matrix.reasoner.lookahead import best_course
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, Rules
from hm_agent.worlds.melting_pot.scenarios import game_named

FACTS = game_named("pd_repeated", MatrixFacts)
NAMES = FACTS.behaviours
RULES = Rules(NAMES, FACTS.things, FACTS.payoff, 1, 23, 15, FACTS.length)
COOPERATE, DEFECT = 0, 1
HELD = {"C": (6, 1), "D": (1, 6)}
PLAYED = {"C": "cooperate", "D": "defect"}
PACE = 55


def history(own: str, other: str) -> list[MatrixInteraction]:
    """Encounters from letters, e.g. what one played `CCD` against `CCC`."""
    return [
        MatrixInteraction(
            step=PACE * (number + 1),
            partner="opponent",
            own=HELD[mine],
            reward=reward(HELD[mine], HELD[theirs], FACTS.payoff),
            other=HELD[theirs],
            behaviour=PLAYED[theirs],
            own_behaviour=PLAYED[mine],
            shown=(0, 0),
        )
        for number, (mine, theirs) in enumerate(zip(own, other, strict=True))
    ]


def course(own: str, other: str) -> int:
    met = history(own, other)
    return best_course(RULES, met, likeliest(RULES, met, ()) if met else None)


def test_it_begins_nicely() -> None:
    assert course("", "") == COOPERATE


def test_who_cooperates_is_not_tested_while_much_could_be_lost() -> None:
    assert course("CC", "CC") == COOPERATE
    assert course("C" * 8, "C" * 8) == COOPERATE


def test_who_has_cooperated_for_long_is_tested_once() -> None:
    assert course("C" * 30, "C" * 30) == DEFECT


def test_a_pushover_is_exploited_once_it_let_itself_be() -> None:
    assert course("C" * 26 + "DDDD", "C" * 30) == DEFECT


def test_a_test_that_was_answered_is_made_up_for() -> None:
    assert course("C" * 20 + "DC", "C" * 21 + "D") == COOPERATE


def test_an_unconditional_defector_is_not_served() -> None:
    assert course("CDDD", "DDDD") == DEFECT
    assert course("CDDDDDDDC", "DDDDDDDDD") == DEFECT


def test_who_may_be_corrected_is_punished_and_then_rewarded() -> None:
    assert course("CDD", "DDD") == DEFECT
    assert course("CDDD", "DDDD") == DEFECT
    assert course("CDDDD", "DDDDC") == COOPERATE


def test_a_tremble_is_forgiven() -> None:
    assert course("CCCCCCCC", "CCCCCCCD") == COOPERATE


def test_who_has_turned_for_good_gets_the_same() -> None:
    assert course("CCCCCCC", "CCCDDDD") == DEFECT


@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.parametrize("rounds", [0, 5, 30])
def test_a_grudge_that_is_known_of_is_never_roused_for_good(after: int, rounds: int) -> None:
    grudge = Grudge(NAMES, "cooperate", "defect", after)
    met = history("C" * rounds, "C" * rounds)
    for _ in range(10):
        own = "CD"[best_course(RULES, met, grudge, certain=True)]
        other = "CD"[grudge.predict(met).index(1.0)]
        met += history(own, other)
    assert grudge.predict(met) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("strategy", "move"), [(Always(NAMES, "cooperate"), DEFECT), (tit_for_tat(NAMES, "cooperate"), COOPERATE)]
)
def test_what_is_known_for_certain_is_acted_on_from_the_first_round(strategy: Strategy, move: int) -> None:
    known = Always(NAMES, "cooperate", prior=-0.7) if isinstance(strategy, Always) else strategy
    assert best_course(RULES, (), known, certain=True) == move


def test_a_corrigible_opponent_copies_once_it_was_punished_enough() -> None:
    corrigible = Corrigible(NAMES, "defect", "cooperate", 3)
    played = ["CD"[corrigible.predict(history("CDDDDCD"[:n], "D" * n)).index(1.0)] for n in range(8)]
    assert "".join(played) == "DDDDCDCD"
