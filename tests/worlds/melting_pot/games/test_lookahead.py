"""How the built-in reasoner plays against opponents that reward and punish."""

from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.moves import PastMove, moves_in
from hm_agent.worlds.melting_pot.games.matrix.opponent_rules import Answer, Constant, Rule, Until, relations
from hm_agent.worlds.melting_pot.games.matrix.reasoner.inference import likeliest_strategy
from hm_agent.worlds.melting_pot.games.matrix.reasoner.lookahead import best_behaviour
from hm_agent.worlds.melting_pot.games.matrix.rules import MatrixInteraction, MatrixRules
from hm_agent.worlds.melting_pot.scenarios import game_named
from tests.worlds.melting_pot.games.matrix_examples import pure_interaction

FACTS = game_named("pd_repeated", MatrixFacts)
NAMES = FACTS.behaviours
RULES = MatrixRules(
    NAMES, FACTS.things, FACTS.payoff, 1, 23, 15, FACTS.length, FACTS.beam, FACTS.regrowth, FACTS.timing
)
COOPERATE, DEFECT = 0, 1
PLAYED = {"C": "cooperate", "D": "defect"}
PACE = 55


def history(own: str, other: str) -> list[MatrixInteraction]:
    """Interactions from letters: `own` and `other` as `CCD` and `CCC`."""
    pairs = enumerate(zip(own, other, strict=True), start=1)
    return [pure_interaction(RULES, PLAYED[mine], PLAYED[theirs], step=PACE * n) for n, (mine, theirs) in pairs]


def move_after(own: str, other: str) -> int:
    met = history(own, other)
    return best_behaviour(RULES, met, likeliest_strategy(RULES, met, ()) if met else None)


@pytest.mark.parametrize(
    ("own", "other", "move"),
    [
        ("", "", COOPERATE),
        # A cooperator is not tested by a defection, since it may bear a grudge.
        *(("C" * times, "C" * times, COOPERATE) for times in (1, 2, 8, 30)),
        # It is exploited once it has not retaliated.
        ("C" * 26 + "DDDD", "C" * 30, DEFECT),
        # A defection that was answered is followed by cooperation, and a single one is forgiven.
        ("C" * 20 + "DC", "C" * 21 + "D", COOPERATE),
        ("CCCCCCCC", "CCCCCCCD", COOPERATE),
        # An opponent that defects for good is answered by defection.
        ("CCCCCCC", "CCCDDDD", DEFECT),
    ],
)
def test_the_move_follows_from_what_both_did(own: str, other: str, move: int) -> None:
    assert move_after(own, other) == move


def test_unconditional_defector_is_mostly_answered_by_defection() -> None:
    own = ""
    for played in range(40):
        own += "CD"[move_after(own, "D" * played)]
    assert own.count("D") >= 32
    assert own[30:].count("D") >= 9


def test_opponent_that_cooperates_after_punishment_is_punished_and_then_rewarded() -> None:
    own, other = "", ""
    for _ in range(40):
        move = "CD"[move_after(own, other)]
        turned = own.count("D") - (own[-1:] == "D" and own.count("D") == 3) >= 3
        reply = own[-1] if turned else "C" if own.count("D") == 3 else "D"
        own, other = own + move, other + reply
    assert list(zip(own, other, strict=True))[20:].count(("C", "C")) >= 15


@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.parametrize("rounds", [0, 5, 30])
def test_known_grim_trigger_is_never_set_off(after: int, rounds: int) -> None:
    grudge = Until(NAMES, COOPERATE, DEFECT, after, Constant(NAMES, DEFECT))
    met = history("C" * rounds, "C" * rounds)
    for _ in range(10):
        own = "CD"[best_behaviour(RULES, met, grudge, certain=True)]
        met += history(own, "CD"[reply_of(grudge, met)])
    assert reply_of(grudge, met) == COOPERATE


def reply_of(rule: Rule, met: list[MatrixInteraction]) -> int:
    state = rule.start
    for moves in moves_in(NAMES, met):
        state = rule.after(state, moves)
    return rule.reply(state)


COPYING = Answer.by_relation(NAMES, relations(FACTS.payoff)[0], PastMove(is_own=True, ago=1))


@pytest.mark.parametrize(("rule", "move"), [(Constant(NAMES, COOPERATE), DEFECT), (COPYING, COOPERATE)])
def test_certain_rule_is_answered_from_the_first_round(rule: Rule, move: int) -> None:
    assert best_behaviour(RULES, (), rule, certain=True) == move


def test_opponent_that_copies_after_enough_punishment_does_so_from_then_on() -> None:
    corrigible = Until(NAMES, DEFECT, DEFECT, 3, COPYING)
    replies = ["CD"[reply_of(corrigible, history("CDDDCCD"[:n], "D" * n))] for n in range(8)]
    assert "".join(replies) == "DDDDDCCD"[:4] + "".join("DCCD")
