"""Scripted players in place of Melting Pot's bots, where a game's file says in calls of plans what they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hm_agent.worlds.melting_pot.games.open.calls import Call, CollectThings, KeepAway, StandStill, UseAction
from hm_agent.worlds.melting_pot.games.open.greedy import REST
from hm_agent.worlds.melting_pot.games.open.grid_view import SEVERAL
from hm_agent.worlds.melting_pot.games.open.open_facts import OpenFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.games.open.simulator.game_file import file_problems
from hm_agent.worlds.melting_pot.games.open.simulator.stand_ins import CLOSE, written_rule
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.scenarios import game_named, scenario_named
from hm_agent.worlds.melting_pot.simulator.bots.casting import Bots
from hm_agent.worlds.melting_pot.simulator.substrate import default_settings
from hm_agent.worlds.melting_pot.simulator.world import MeltingPotWorld
from tests.worlds.melting_pot.games.test_open_reasoner import HERE, STEP, seat_in

FORAGE = ("collect(coin)", "use(consume_tokens)")
GIVE = ("use(refine_and_gift, player)",)


def nearest_call(seat: OpenSeat, written: Sequence[str]) -> Sequence[Call]:
    return written_rule(seat.facts, written).next(seat)


def test_of_several_calls_the_one_is_carried_out_whose_thing_is_nearest() -> None:
    calls = ("use(mine, gold raw)", "use(mine, iron raw)")
    far, near = {(4, 4): "gold raw"}, {(1, 2): "iron raw"}
    assert nearest_call(seat_in("coop_mining", {**far, **near}), calls) == [UseAction("mine", (1, 2))]
    assert nearest_call(seat_in("coop_mining", far), calls) == [UseAction("mine", (4, 4))]
    assert nearest_call(seat_in("coop_mining", {}), calls) == []


def test_what_needs_no_thing_is_done_where_no_thing_is_known() -> None:
    calls = ("use(mine, gold raw)", "use(mine)")
    assert nearest_call(seat_in("coop_mining", {(4, 4): "gold raw"}), calls) == [UseAction("mine", (4, 4))]
    assert nearest_call(seat_in("coop_mining", {}), calls) == [UseAction("mine")]


def test_a_player_is_the_nearest_one_in_view() -> None:
    sighted = {f"player_{n}": PlayerSighting((n, 4), 0, None, STEP) for n in (1, 3)}
    seat = seat_in("gift_refinements", {}, sighted=sighted)
    assert nearest_call(seat, GIVE) == [UseAction("refine_and_gift", "player_1")]
    gone = {name: replace(seen, step=STEP - 1) for name, seen in sighted.items()}
    assert nearest_call(replace(seat, sighted=gone), GIVE) == []


def test_what_it_holds_is_used_first_if_its_calls_say_so() -> None:
    seat = replace(seat_in("gift_refinements", {(3, 1): "coin"}), has={"raw token": 1})
    assert nearest_call(seat, FORAGE) == [UseAction("consume_tokens")]
    assert nearest_call(seat, ("collect(coin)",)) == [CollectThings("coin")]
    assert nearest_call(replace(seat, has={}), FORAGE) == [CollectThings("coin")]
    assert nearest_call(replace(seat, has={}, seen={}), FORAGE) == []


def test_prey_flees_from_predators_that_are_close_then_rests_then_feeds() -> None:
    calls = ("keep_away(a player, 3)", "collect(apple)")
    x, y = HERE
    close, far = ({SEVERAL: PlayerSighting((x + away, y), 0, None, STEP)} for away in (CLOSE, CLOSE + 1))
    tired, rested = (("stamina", "0.6"),), (("stamina", "0.8"),)
    seat = seat_in("predator_prey_orchard", {(3, 1): "apple"}, sighted=close)
    assert nearest_call(replace(seat, told=tired), calls) == [KeepAway(SEVERAL, 3)]
    assert nearest_call(replace(seat, sighted=far, told=tired), calls) == [StandStill(REST)]
    assert nearest_call(replace(seat, sighted=far, told=rested), calls) == [CollectThings("apple")]
    assert nearest_call(replace(seat, sighted={"player_7": close[SEVERAL]}), calls) == [CollectThings("apple")]


def test_predators_hunt_no_predator() -> None:
    facts = game_named("predator_prey_orchard", OpenFacts).as_role("predator")
    sighted = {SEVERAL: PlayerSighting((1, 2), 0, None, STEP), "player_7": PlayerSighting((3, 4), 0, None, STEP)}
    seat = replace(seat_in("predator_prey_orchard", {}, sighted=sighted), facts=facts)
    assert nearest_call(seat, ("use(interact, player)",)) == [UseAction("interact", "player_7")]


def test_of_what_players_own_only_others_things_are_taken_and_not_what_a_beam_covers() -> None:
    things = {(1, 2): "color1 resource", (4, 4): "color3 resource"}
    seat = seat_in("territory_open", things)
    assert seat.own_name == "player_0"
    assert nearest_call(seat, ("use(fire_claim, others' things)",)) == [UseAction("fire_claim", (4, 4))]
    assert seat.pose
    ahead = seat.pose.place(1, 0)
    before = replace(seat, seen={ahead: ("unclaimed resource", STEP - 1)})
    assert nearest_call(before, ("use(fire_claim, unclaimed resource)",)) == []
    assert nearest_call(
        replace(seat, seen={ahead: ("unclaimed resource", STEP)}), ("use(fire_claim, unclaimed resource)",)
    )


@pytest.mark.parametrize(
    ("name", "intents"),
    [
        ("gift_refinements_0", {"collect(coin)"}),
        ("externality_mushrooms_dense_1", {"collect(red mushroom)"}),
        ("territory_rooms_4", {"use(fire_claim, unclaimed resource)"}),
        (
            "allelopathic_harvest_open_10",
            {"collect(ripe berry 1), collect(ripe berry 2), collect(ripe berry 3)"},
        ),
    ],
)
def test_puppets_do_from_the_first_step_on_what_their_puppeteer_says(name: str, intents: set[str]) -> None:
    world = MeltingPotWorld(scenario_named(name), Bots.SCRIPTED)
    world.reset(seed=1)
    world.step(dict.fromkeys(world.seats, 0))
    assert {each.behaviour for each in world.intents(world.seats[0]) if each.is_known} == intents
    world.close()


def earned_together(name: str, steps: int) -> float:
    """What all players of a scenario earn in its first steps if the agents stand still."""
    world = MeltingPotWorld(scenario_named(name), Bots.SCRIPTED)
    world.reset(seed=1)
    turns = (world.step(dict.fromkeys(world.seats, 0)) for _ in range(steps))
    earned = sum(float(turn.observations["player_0"].view["COLLECTIVE_REWARD"]) for turn in turns)
    world.close()
    return earned


def test_who_extracts_gold_together_earns_more_than_who_mines_iron() -> None:
    """Five bots: 8 for gold and each who mined it, 1 for iron."""
    assert earned_together("coop_mining_0", 150) > earned_together("coop_mining_2", 150) > 0


def test_predators_keep_prey_from_feeding() -> None:
    """Eight scripted prey and five players who stand still, and the same with four of them that hunt."""
    unhunted, hunted = (earned_together(f"predator_prey_orchard_{number}", 100) for number in (1, 2))
    assert unhunted > 1.3 * hunted > 0


def test_a_file_whose_stand_ins_do_not_fit_is_told_what_is_wrong() -> None:
    facts = game_named("allelopathic_harvest_open", OpenFacts)
    assert facts.stand_ins
    settings = default_settings(facts.substrate)
    *goals, _ = facts.stand_ins.goals
    wrong = replace(facts.stand_ins, goals=tuple(goals), bots={"bot_that_supports_red": ("collect(ripe bery 1)",)})
    told = list(file_problems(replace(facts, stand_ins=wrong), settings))
    assert told[0].startswith("stand_ins: bot_that_supports_red: unknown thing 'ripe bery 1'")
    assert "stand_ins: bots: nobody stands in for bot_that_supports_green" in told
    follower = "allelopathic_harvest__open__puppet_convention_follower_0"
    assert f"stand_ins: goals: there are 5, but the puppeteer of {follower} gives 6" in told
