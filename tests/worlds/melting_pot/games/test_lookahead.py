"""How the built-in reasoner plays against opponents that reward and punish."""

from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.opponent_strategies import (
    Always,
    Corrigible,
    GrimTrigger,
    OpponentStrategy,
    tit_for_tat,
)
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import likeliest_strategy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.lookahead import best_behaviour
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules, reward
from hm_agent.worlds.melting_pot.scenarios import game_named

FACTS = game_named("pd_repeated", MatrixFacts)
NAMES = FACTS.behaviours
RULES = MatrixRules(
    NAMES, FACTS.things, FACTS.payoff, 1, 23, 15, FACTS.length, FACTS.beam, FACTS.regrowth, FACTS.timing
)
COOPERATE, DEFECT = 0, 1
HELD = {"C": (6, 1), "D": (1, 6)}
PLAYED = {"C": "cooperate", "D": "defect"}
PACE = 55


def history(own: str, other: str) -> list[MatrixInteraction]:
    """Interactions from letters: `own` and `other` as `CCD` and `CCC`."""
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


def move_after(own: str, other: str) -> int:
    met = history(own, other)
    return best_behaviour(RULES, met, likeliest_strategy(RULES, met, ()) if met else None)


def test_first_move_is_to_cooperate() -> None:
    assert move_after("", "") == COOPERATE


def test_cooperator_is_not_tested_while_much_could_be_lost() -> None:
    assert move_after("CC", "CC") == COOPERATE
    assert move_after("C" * 8, "C" * 8) == COOPERATE


def test_long_cooperator_is_tested_by_a_defection() -> None:
    assert move_after("C" * 30, "C" * 30) == DEFECT


def test_unconditional_cooperator_is_exploited_once_it_has_not_retaliated() -> None:
    assert move_after("C" * 26 + "DDDD", "C" * 30) == DEFECT


def test_defection_that_was_answered_is_followed_by_cooperation() -> None:
    assert move_after("C" * 20 + "DC", "C" * 21 + "D") == COOPERATE


def test_unconditional_defector_is_answered_by_defection() -> None:
    assert move_after("CDDD", "DDDD") == DEFECT
    assert move_after("CDDDDDDDC", "DDDDDDDDD") == DEFECT


def test_corrigible_opponent_is_punished_and_then_rewarded() -> None:
    assert move_after("CDD", "DDD") == DEFECT
    assert move_after("CDDD", "DDDD") == DEFECT
    assert move_after("CDDDD", "DDDDC") == COOPERATE


def test_single_defection_is_forgiven() -> None:
    assert move_after("CCCCCCCC", "CCCCCCCD") == COOPERATE


def test_opponent_that_defects_for_good_is_answered_by_defection() -> None:
    assert move_after("CCCCCCC", "CCCDDDD") == DEFECT


@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.parametrize("rounds", [0, 5, 30])
def test_known_grim_trigger_is_never_set_off(after: int, rounds: int) -> None:
    grudge = GrimTrigger(NAMES, "cooperate", "defect", after)
    met = history("C" * rounds, "C" * rounds)
    for _ in range(10):
        own = "CD"[best_behaviour(RULES, met, grudge, certain=True)]
        other = "CD"[grudge.predict(met).index(1.0)]
        met += history(own, other)
    assert grudge.predict(met) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("strategy", "move"), [(Always(NAMES, "cooperate"), DEFECT), (tit_for_tat(NAMES, "cooperate"), COOPERATE)]
)
def test_certain_strategy_is_answered_from_the_first_round(strategy: OpponentStrategy, move: int) -> None:
    known = Always(NAMES, "cooperate", prior=-0.7) if isinstance(strategy, Always) else strategy
    assert best_behaviour(RULES, (), known, certain=True) == move


def test_corrigible_opponent_copies_after_enough_punishment() -> None:
    corrigible = Corrigible(NAMES, "defect", "cooperate", 3)
    played = ["CD"[corrigible.predict(history("CDDDDCD"[:n], "D" * n)).index(1.0)] for n in range(8)]
    assert "".join(played) == "DDDDCDCD"
