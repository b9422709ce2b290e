"""Players that answer what they saw their partner take: in this life alone, or whenever it was."""

from __future__ import annotations

import random

import pytest

from hm_agent.config import ConfigError
from hm_agent.worlds.melting_pot.games.matrix.simulator.puppets import GulliblePlayer, LastSeenPlayer
from hm_agent.worlds.melting_pot.games.matrix.simulator.unseen import WATCHERS
from hm_agent.worlds.melting_pot.scenarios import scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots, bots_of, cast_of, choose_bots, is_puppet
from hm_agent.worlds.melting_pot.simulator.substrate import vision_of
from tests.worlds.melting_pot.simulator.puppet_timesteps import RWS

ROCK, PAPER, SCISSORS = range(3)


def last_seen(order: int, seed: int = 0) -> LastSeenPlayer:
    return LastSeenPlayer(RWS, vision_of(RWS.short_name, 1), random.Random(seed), order)


@pytest.mark.parametrize(("order", "answer"), [(1, PAPER), (2, ROCK), (3, SCISSORS)])
def test_an_order_more_expects_the_answer_to_the_order_below(order: int, answer: int) -> None:
    assert last_seen(order).answer(ROCK) == answer
    if order > 1:
        below = last_seen(order - 1).answer(ROCK)
        assert answer == RWS.side.best_response(RWS.side.best_response(below))


def test_what_it_last_saw_counts_across_lives_where_a_gullible_player_forgets() -> None:
    gullible = GulliblePlayer(RWS, vision_of(RWS.short_name, 1), random.Random(0))
    players = gullible, last_seen(1)
    for player in players:
        for kind in (RWS.things[ROCK], RWS.things[ROCK], RWS.things[PAPER]):
            player.collected[kind] += 1
            player.last_seen = kind
    assert [player.seen for player in players] == [RWS.things[ROCK], RWS.things[PAPER]]
    for player in players:
        player.collected.clear()
    assert [player.seen for player in players] == [None, RWS.things[PAPER]]


def test_of_nobody_seen_it_expects_nothing_and_plays_a_kind_that_it_drew() -> None:
    players = [last_seen(1, seed) for seed in range(30)]
    assert all(player.seen is None for player in players)
    assert {player.target for player in players} == {ROCK, PAPER, SCISSORS}


@pytest.mark.parametrize("name", ["rws_models_me_2", "rws_models_me_3"])
def test_such_players_have_neither_puppeteer_nor_model(name: str) -> None:
    scenario = scenario_named(name)
    (bot,) = cast_of(scenario)
    assert scenario.unseen
    assert scenario.unseen.puppeteer in WATCHERS
    assert not is_puppet(bot)
    assert bots_of(scenario.game).watches_others(bot)
    assert choose_bots(scenario, "trained", None) is Bots.TRAINED  # with its game's others, though it needs no model
    with pytest.raises(ConfigError, match="no trained bot"):
        choose_bots(scenario_named("rws_unseen_0"), "trained", None)
