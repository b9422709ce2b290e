"""Scripted players in place of Melting Pot's bots, where a game's file says in calls of plans what they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import pytest

from hm_agent.worlds.melting_pot.games.open.calls import Call, CollectThings, KeepAway, StandStill, UseAction, WalkTo
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


def nearest_call(
    seat: OpenSeat, written: Sequence[str], having: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> Sequence[Call]:
    return list(written_rule(seat.facts, written, having).next(seat))


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


def test_of_plans_of_several_calls_the_one_that_begins_nearest_is_carried_out_from_where_the_player_is() -> None:
    x, y = HERE
    seat = seat_in("chemistry_two_cycles", {(3, 1): "ax", (1, 3): "by", (1, 2): "energy"})
    plans = ("use(io_action, by); wait(5)", f"go_to(({x}, {y})); collect(ax)")
    assert nearest_call(seat, plans) == [UseAction("io_action", (1, 3)), StandStill(5)]
    assert nearest_call(replace(seat, seen={(3, 1): ("ax", STEP)}), plans) == [CollectThings("ax")]
    assert nearest_call(seat, ("go_to((4, 4)); wait(5)", "look_around()")) == [WalkTo((4, 4)), StandStill(5)]


def test_while_it_has_a_thing_it_does_what_is_said_of_that_the_first_that_is_told() -> None:
    seat = seat_in("paintball_capture_the_flag", {(3, 1): "dropped flag red", (1, 3): "dropped flag blue"})
    having = {"blue ground": ("use(fire_zap_1)",), "carried flag blue": ("collect(dropped flag red)", "go_to((11, 2))")}
    calls = ("collect(dropped flag blue)",)
    assert nearest_call(seat, calls, having) == [CollectThings("dropped flag blue")]
    carrying = replace(seat, has={"carried flag blue": 1})
    assert nearest_call(carrying, calls, having) == [CollectThings("dropped flag red")]
    assert nearest_call(replace(carrying, seen={}), calls, having) == [WalkTo((11, 2))]
    stuck = replace(seat, has={"carried flag blue": 1, "blue ground": 1})
    assert nearest_call(stuck, calls, having) == [UseAction("fire_zap_1")]


def test_what_is_drawn_with_a_player_is_used_where_that_player_is() -> None:
    blue = PlayerSighting((1, 3), 0, "carried flag red, health 2 of the blue team", STEP)
    seat = seat_in("paintball_capture_the_flag", {}, sighted={SEVERAL: blue})
    assert nearest_call(seat, ("use(fire_zap_1, health 2 of the blue team)",)) == [UseAction("fire_zap_1", (1, 3))]
    assert nearest_call(seat, ("use(fire_zap_1, health 2 of the red team)",)) == []


def test_a_cooperator_rows_once_another_player_has_the_seat_beside() -> None:
    rowing = {"seat l": ("use(row, 20)",)}
    seat = replace(seat_in("boat_race_eight_races", {(3, 1): "seat r"}), has={"seat l": 1})
    seat = replace(seat, facts=replace(seat.facts, having={"seat l": "use(row, 20)", "seat r": "use(row, 20)"}))
    x, y = HERE
    for cell, shows, plan in (
        ((x + 1, y), "seat r", [UseAction("row", None, 20)]),
        ((x + 1, y), None, [StandStill(1)]),
        ((x + 2, y), "seat r", [StandStill(1)]),
    ):
        beside = {"player_1": PlayerSighting(cell, 0, shows, STEP)}
        assert nearest_call(replace(seat, sighted=beside), ("collect(seat r)",), rowing) == plan


@pytest.mark.parametrize(
    ("name", "intents"),
    [
        ("gift_refinements_0", {"collect(coin)"}),
        ("externality_mushrooms_dense_1", {"collect(red mushroom)"}),
        ("territory_rooms_4", {"use(fire_claim, unclaimed resource)"}),
        ("allelopathic_harvest_open_10", {"collect(ripe berry 1), collect(ripe berry 2), collect(ripe berry 3)"}),
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
    assert earned_together("coop_mining_0", 75) > earned_together("coop_mining_2", 75) > 0


def test_predators_keep_prey_from_feeding() -> None:
    """Eight scripted prey and five players who stand still, and the same with four of them that hunt."""
    unhunted, hunted = (earned_together(f"predator_prey_orchard_{number}", 100) for number in (1, 2))
    assert unhunted > 1.3 * hunted > 0


@pytest.mark.parametrize(
    ("name", "steps", "slots"),
    [
        ("boat_race_eight_races_0", 240, [1, 2, 3, 4, 5]),
        ("factory_commons_either_or_1", 120, [1, 2]),
        ("fruit_market_concentric_rivers_2", 60, range(1, 16)),
        ("paintball_capture_the_flag_0", 100, [1]),
        ("paintball_king_of_the_hill_0", 60, [1]),
        ("chemistry_two_cycles_1", 80, [4, 5, 6, 7]),
    ],
)
def test_stand_ins_earn_what_their_game_pays(name: str, steps: int, slots: Sequence[int]) -> None:
    """Agents stand still, so that all that bots earn, here in `steps` steps, is by what they do themselves."""
    world = MeltingPotWorld(scenario_named(name), Bots.SCRIPTED)
    world.reset(seed=1)
    earned = False
    while not earned and steps:
        world.step(dict.fromkeys(world.seats, 0))
        assert world.timestep
        earned, steps = any(world.timestep.reward[slot] > 0 for slot in slots), steps - 1
    world.close()
    assert earned


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
    facts = game_named("paintball_capture_the_flag", OpenFacts)
    assert facts.stand_ins
    one_team = {name: calls for name, calls in facts.stand_ins.bots.items() if name.endswith("red")}
    wrong = replace(facts.stand_ins, bots=one_team, having={"shaped_bot red": {"red ground": ("go_to((1, 1))",)}})
    told = list(file_problems(replace(facts, stand_ins=wrong), default_settings(facts.substrate)))
    assert told[0].startswith("stand_ins: having.shaped_bot red: (1, 1) is")
    assert {*told[1:]} == {"stand_ins: bots: nobody stands in for shaped_bot blue"}
