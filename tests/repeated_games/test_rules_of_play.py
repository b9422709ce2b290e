"""The rules of opponents, against their definitions: the other's actions in, the rule's own out."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest

from hm_agent.config import ConfigError
from hm_agent.repeated_games.mind_rules import expected
from hm_agent.repeated_games.payoffs import Side, transposed
from hm_agent.repeated_games.rules_of_play import RuleOfPlay
from hm_agent.repeated_games.written_rules import RULES_OF_PLAY, rule_from, rule_in_words
from hm_agent.worlds.melting_pot.games.matrix.simulator.puppeteers import CHOICES, KindsPlayed, Memory
from tests.worlds.melting_pot.simulator.puppet_timesteps import PD as PD_GAME
from tests.worlds.melting_pot.simulator.puppet_timesteps import RWS as RPS_GAME


def symmetric(game: Any) -> Side:
    return Side(tuple(game.behaviours), tuple(game.behaviours), game.payoff, transposed(game.payoff))


RPS, PD = symmetric(RPS_GAME), symmetric(PD_GAME)
LETTERS = {action[0]: action for side in (RPS, PD) for action in side.actions}


def moves(rule: RuleOfPlay, others: str) -> str:
    """What a rule plays at first and after each round, by first letters: the likeliest action, `?` for a draw."""
    state, played = rule.start, ""
    for letter in [*others, None]:
        chances = rule.chances(state)
        own = chances.index(max(chances))
        played += "?" if len(set(chances)) == 1 else rule.side.actions[own][0]
        if letter is not None:
            state = rule.after(state, own, rule.side.others.index(LETTERS[letter]))
    return played


KNOWN: tuple[tuple[str, Mapping[str, Any], str, str], ...] = (
    ("pure", {"action": "paper"}, "rps", "pppp"),
    ("mixture", {"weights": [0.7, 0.2, 0.1], "half_time": 2}, "rrr", "rrpp"),
    ("mixture", {"weights": [0.1, 0.2, 0.7]}, "rrr", "ssss"),
    ("cycle", {"cycle": ["rock", "rock", "paper"]}, "srsr", "rrprr"),
    ("flip", {"first": "rock", "then": "paper", "rounds": 2}, "sss", "rrpp"),
    ("usual", {}, "rrr", "?rrr"),
    ("copy", {"first": "rock"}, "psr", "rpsr"),
    ("copy", {"first": "cooperate", "tremble": 0.15}, "dc", "cdc"),
    ("counter_earlier", {"first": "rock"}, "pspr", "rsrsp"),
    ("counter_earlier", {"first": "rock", "rounds_ago": 2}, "pspr", "rrsrs"),
    ("win_stay_lose_shift", {"first": "rock"}, "rsr", "rpsr"),
    ("win_stay_lose_shift", {"first": "cooperate", "aspiration": 2}, "cdcdd", "ccddcd"),
    ("switch_after_losses", {"first": "rock"}, "prpprr", "rrrrppp"),
    ("fictitious_play", {"first": "rock", "window": 3}, "pprr", "rsssp"),
    ("theory_of_mind", {"first": "rock"}, "pprr", "rsspp"),
    ("outguess", {"first": "rock"}, "rrr", "rspr"),
    ("step", {"first": "rock"}, "rrrr", "rpsrp"),
    ("step", {"first": "rock", "step": 0}, "rr", "rrr"),
    ("step", {"first": "rock", "rounds_ago": 3}, "rrrrrr", "rrrppps"),
    # Stays with rock; beaten, it beats the answers to its own last actions; beaten again, it stays once more.
    ("deeper_when_beaten", {"first": "rock"}, "rpprp", "rrsprr"),
    # Beats the other's last action; beaten twice in a row, it beats what beats that, which here copies; then as before.
    ("deeper_when_beaten", {"first": "rock", "order": 3, "losses": 2}, "prps", "rsrpr"),
    ("level", {}, "rp", "rrr"),
    ("level", {"order": 3}, "rp", "sss"),
    ("grim", {}, "cdcc", "ccddd"),
    ("grim", {"times": 2}, "dcdc", "cccdd"),
    ("corrigible", {"times": 2}, "dcdcd", "dddccd"),
    ("tit_for_two_tats", {}, "dcddd", "ccccdd"),
    ("generous_tit_for_tat", {"generosity": 0.3}, "cdc", "ccdc"),
    ("gradual", {}, "dcccdccccc", "cdcccddcccc"),
    ("suspicious_tit_for_tat", {"patience": 2}, "ddcd", "ddccd"),
)


def test_each_rule_plays_by_its_definition() -> None:
    for name, parameters, others, played in KNOWN:
        side = PD if set(others) <= set("cd") else RPS
        assert moves(rule_from(name, parameters, side), others) == played, name


def test_every_rule_has_a_definition_above() -> None:
    assert {name for name, *_ in KNOWN} == set(RULES_OF_PLAY)


def test_rules_that_draw_their_first_action_draw_it_evenly() -> None:
    for name in ("pure", "copy", "counter_earlier", "win_stay_lose_shift", "fictitious_play", "outguess"):
        assert moves(rule_from(name, {}, RPS), "")[0] == "?", name


def test_chances_add_up_to_one_and_tremble_as_they_say() -> None:
    copy = rule_from("copy", {"first": "rock", "tremble": 0.2}, RPS)
    assert copy.chances(copy.start) == pytest.approx((0.8, 0.1, 0.1))
    generous = rule_from("generous_tit_for_tat", {"generosity": 0.3}, PD)
    assert generous.chances(True) == pytest.approx((0.3, 0.7))
    corrigible = rule_from("corrigible", {"times": 1, "tremble": 0.15}, PD)
    assert corrigible.chances(corrigible.start) == (0.0, 1.0)
    assert corrigible.chances(corrigible.after(corrigible.start, 1, 1)) == pytest.approx((0.85, 0.15))


SAME: tuple[tuple[str, Mapping[str, Any], Side], ...] = (
    ("cycle", {"cycle": (0, 0, 1)}, RPS),
    ("counter_earlier", {"rounds_ago": 2, "first": 0}, RPS),
    ("win_stay_lose_shift", {"aspiration": 0, "first": 0}, RPS),
    ("win_stay_lose_shift", {"aspiration": 2, "first": 0}, PD),
    ("fictitious_play", {"window": 5, "first": 1}, RPS),
    ("outguess", {"first": 0}, RPS),
    ("theory_of_mind", {"order": 1, "first": 0}, RPS),
    ("switch_after_losses", {"losses": 2, "first": 0}, RPS),
    ("tit_for_two_tats", {"cooperate": 0, "defect": 1}, PD),
    ("gradual", {"cooperate": 0, "defect": 1}, PD),
    ("suspicious_tit_for_tat", {"patience": 3, "cooperate": 0, "defect": 1}, PD),
)
"""Rules, and choices of Melting Pot's puppeteers by the same name and parameters, that draw nothing."""


def test_a_puppeteer_plays_as_the_rule_of_its_name_where_all_is_clear() -> None:
    for name, parameters, side in SAME:
        rule = RULES_OF_PLAY[name](side, **parameters)
        choose = partial(CHOICES[name], side, **{key: parameters[key] for key in parameters if key != "first"})
        first = parameters["first"] if "first" in parameters else choose(Memory())
        for seed in range(20):
            rng, state, memory = random.Random(seed), rule.start, Memory(first)
            for _ in range(40):
                own, other = rule.reply(state), rng.randrange(len(side.others))
                assert own == memory.target, name
                state, played = rule.after(state, own, other), (*memory.played, KindsPlayed(own, other))
                memory = Memory(choose(Memory(own, played)), played)


def test_where_payoffs_differ_each_is_expected_to_answer_by_its_own() -> None:
    """The other wants to be met, the player to be missed: at depth 2 the other is expected to come."""
    side = Side(("a", "b"), ("a", "b"), ((0, 1), (1, 0)), ((1, 0), (0, 1)))
    assert [expected(side, depth, 0) for depth in (1, 2, 3)] == [0, 0, 1]
    for name, parameters in (("outguess", {}), ("theory_of_mind", {"order": 2})):
        assert CHOICES[name](side, Memory(0, (KindsPlayed(0, 1),)), **parameters) == 1, name


WRONG: tuple[tuple[str, Mapping[str, Any], str], ...] = (
    ("tit_for_tat", {}, "rule: no rule 'tit_for_tat': .*there are pure, mixture"),
    ("copy", {"tremor": 0.1}, "copy: no parameter 'tremor': there is first, tremble"),
    ("copy", {"tremble": 1.5}, "tremble: say a number from 0 to 1, not 1.5"),
    ("pure", {"action": "lizard"}, "action: no action 'lizard': there is rock, paper, scissors"),
    ("cycle", {"cycle": "rock"}, "cycle: say a list of actions"),
    ("cycle", {}, "cycle: a parameter is missing: say cycle"),
    ("step", {"step": 3}, "step: say a whole number from 0 to 2, not 3"),
    ("deeper_when_beaten", {"order": 4}, "order: say 2 or 3, not 4"),
    ("mixture", {"weights": [0.5, 0.5]}, "weights: say 3 shares"),
    ("level", {"naive": "bold"}, "naive: say average, boldest, safest, not 'bold'"),
    ("fictitious_play", {"window": 30}, "window: say a whole number from 1 to 6, not 30"),
    ("switch_after_losses", {"losses": 0}, "losses: say a whole number from 1 to 100, not 0"),
)


def test_wrong_rules_are_refused_with_what_would_be_right() -> None:
    for name, parameters, message in WRONG:
        with pytest.raises(ConfigError, match=message):
            rule_from(name, parameters, RPS)


def test_a_rule_that_copies_needs_the_same_actions_on_both_sides() -> None:
    side = Side(("left", "right"), ("up", "down"), ((1, 0), (0, 1)), ((0, 1), (1, 0)))
    with pytest.raises(ConfigError, match="copy: both players need the same actions"):
        rule_from("copy", {}, side)
    assert rule_from("counter_earlier", {}, side).reply((0, (1,))) == 1


def test_rules_are_said_with_the_names_of_their_actions() -> None:
    said: Mapping[str, tuple[str, Mapping[str, Any]]] = {
        "copy first=rock tremble=0.25": ("copy", {"first": "rock", "tremble": 0.25}),
        "cycle cycle=rock,rock,paper": ("cycle", {"cycle": ["rock", "rock", "paper"]}),
        "mixture weights=0.7,0.2,0.1": ("mixture", {"weights": [0.7, 0.2, 0.1]}),
        "outguess": ("outguess", {}),
    }
    for words, (name, parameters) in said.items():
        assert rule_in_words(rule_from(name, parameters, RPS)) == words
