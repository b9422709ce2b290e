"""Rules of thumb that model no mind, against their definitions."""

from __future__ import annotations

import pytest

from hm_agent.testing.scripted_model import ScriptedModel
from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.kind import PAIR_SHORTCUTS, SHORTCUTS
from hm_agent.worlds.melting_pot.games.matrix.rules_of_thumb import CHOICES, WINDOW, RuleOfThumb
from hm_agent.worlds.melting_pot.games.matrix.strategy import MatrixStrategy
from hm_agent.worlds.melting_pot.scenarios import game_named
from hm_agent.worlds.melting_pot.suite import SUITE
from tests.strategists import PAPERS, ROCKS, RWS, SCISSORS, begin, dyad, interact, see_pickup

KINDS = "rps"


def thumb(name: str, facts: MatrixFacts = RWS) -> RuleOfThumb:
    return RuleOfThumb(dyad(facts).mind, ScriptedModel({}), CHOICES[name])


def led(strategy: MatrixStrategy | None) -> str:
    """The first letter of the kind that a strategy lets lead; `=` if none does."""
    assert strategy is not None
    assert strategy.target is not None
    most = max(strategy.target)
    return KINDS[strategy.target.index(most)] if strategy.target.count(most) == 1 else "="


def answers(name: str, others: str) -> str:
    """What a rule of thumb lets lead after each interaction in which the other held a kind."""
    strategist = thumb(name)
    begin(strategist)
    held: dict[str, Counts] = dict(zip(KINDS, (ROCKS, PAPERS, SCISSORS), strict=True))
    return "".join(led(interact(strategist, 50 * (n + 1), held[kind])) for n, kind in enumerate(others))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("constant_0", "rrrrr"),
        ("constant_1", "ppppp"),
        ("constant_2", "sssss"),
        ("tit_for_tat", "rpprs"),
        ("counter_last", "pssp" + "r"),
        ("counter_commonest", "ps" + "ss" + "r"),
        ("explore_backward", "sssss"),
        ("habit_any", "prsrs"),
    ],
)
def test_rules_of_thumb_answer_what_was_played(name: str, expected: str) -> None:
    # Of the latest three, the commonest are r; p, r; p; p; and, all of them being as common, the latest.
    # How far the other has gone most often, of several the latest, is 0, 1, 0, 2 and 2: r, s, p, s and p are expected.
    assert answers(name, "rpprs") == expected
    assert WINDOW == 3


def test_eyes_answer_what_they_see_now_and_remember_nothing() -> None:
    eyes = thumb("eyes")
    assert begin(eyes).watch_first
    seen = see_pickup(eyes, 20, "scissors", (0, 0, 2))
    assert led(seen) == "r"
    after = interact(eyes, 50, SCISSORS)
    assert after is not None
    assert after.watch_first, "what it played last counts for nothing"


def test_tit_for_tat_begins_with_what_pays_both_the_most() -> None:
    dilemma = game_named("pd_repeated", MatrixFacts)
    target = begin(thumb("tit_for_tat", dilemma)).target
    assert target == (6, 1)


def test_shortcuts_play_matrix_games_of_two_with_a_kind_for_each_constant() -> None:
    assert {*SHORTCUTS, *PAIR_SHORTCUTS} == {*CHOICES} <= {*SUITE.shortcuts}
    playable = {
        name: {info.short_name for info in SUITE.scenarios if SUITE.own_agents[name].plays(info)} for name in SHORTCUTS
    }
    assert {"rws_repeated_0", "pd_repeated_0", "rws_models_me_0"} <= playable["eyes"]
    assert not {"rws_arena_0", "rws_repeated_selfplay", "cooking_asymmetric_0"} & playable["eyes"]
    assert "rws_repeated_0" in playable["constant_2"]
    assert "pd_repeated_0" not in playable["constant_2"]
