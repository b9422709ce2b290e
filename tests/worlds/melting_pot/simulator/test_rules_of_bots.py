"""The rules of Melting Pot's own puppeteers, as `oracle` is told them."""

from __future__ import annotations

import pytest

from hm_agent.worlds.melting_pot.games.matrix.facts import MatrixFacts
from hm_agent.worlds.melting_pot.games.matrix.reasoner.rule_class import rules_by_words
from hm_agent.worlds.melting_pot.games.matrix.rules import StageGame
from hm_agent.worlds.melting_pot.scenarios import Scenario, all_scenarios, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import bots_of, cast_of

RULES = {
    "pd_repeated_2": None,
    "pd_repeated_3": "cooperate until I have played defect once",
    "pd_repeated_4": "cooperate until I have played defect 2 times",
    "pd_repeated_5": "the same as what I played last",
    "pd_repeated_6": "the same as what I played last",
    "pd_repeated_7": None,
    "pd_repeated_8": "defect until I have played defect 3 times; from then on it plays the same as what I played last",
    "rws_repeated_1": None,
    "rws_repeated_5": None,
}


@pytest.mark.parametrize("name", RULES)
def test_rules_of_bots_are_worded_as_strategies_that_the_reasoner_knows(name: str) -> None:
    scenario = scenario_named(name)
    for bot in cast_of(scenario):
        rule = bots_of(scenario.game).rule_of(bot)
        assert (rule is None) == (RULES[name] is None)
        if rule is not None:
            assert str(RULES[name]) in rule
            assert rule.casefold() in rules_by_words(game_of(scenario))


def game_of(scenario: Scenario) -> StageGame:
    facts = scenario.game
    assert isinstance(facts, MatrixFacts)
    return StageGame(facts.side)


def test_rules_of_unseen_opponents_are_worded_as_strategies_that_the_reasoner_knows() -> None:
    told = [scenario for scenario in all_scenarios() if scenario.unseen and scenario.unseen.rule]
    assert len(told) == 7
    for scenario in told:
        assert str(scenario.unseen and scenario.unseen.rule).casefold() in rules_by_words(game_of(scenario))
