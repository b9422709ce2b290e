from __future__ import annotations

import numpy as np

from hm_agent.catalogue.finding import find_scenarios
from hm_agent.core import Decision, Observation, Step, Turn
from hm_agent.matched_pairs import BOARDS
from hm_agent.worlds.melting_pot.games.game import LED
from hm_agent.worlds.melting_pot.scenarios import all_scenarios, scenario_named
from hm_agent.worlds.melting_pot.scene import Scene
from hm_agent.worlds.melting_pot.viewer.viewer import MeltingPotViewer

FRAME = np.zeros((8, 8, 3), np.uint8)


def seen(inventory: tuple[int, int, int]) -> dict[str, np.ndarray]:
    """What a player with this inventory observes, beside the map."""
    return {"WORLD.RGB": FRAME, "INVENTORY": np.array(inventory, float)}


def step(seats: tuple[str, ...], scene: Scene) -> Step:
    """A step in which every seat sees the same and thinks nothing."""
    observations = {seat: Observation(0, {"RGB": FRAME}) for seat in seats}
    rewards = dict.fromkeys(seats, 0.0)
    return Step(Turn(0, observations), dict.fromkeys(seats, Decision(0)), rewards, rewards, scene)


def test_every_scenario_can_be_shown() -> None:
    for scenario in all_scenarios():
        (info,) = find_scenarios([scenario.short_name])
        viewer = MeltingPotViewer(scenario)
        assert all(path.is_file() for path in viewer.scripts)
        named = [held["name"] for held in viewer.facts(info)["holdings"]]
        assert named == [held.name for held in scenario.game.holdings]
        frames = viewer.frames(step(info.seats, Scene(info.seats, [{"WORLD.RGB": FRAME}], ())))
        assert list(frames) == ["world", *info.seats], scenario.short_name


def test_an_agent_without_a_body_has_its_inventory_and_the_names_of_its_actions() -> None:
    scenario = scenario_named("rws_repeated_1")
    viewer, scene = MeltingPotViewer(scenario), Scene(scenario.seats, [seen((2, 0, 1)), seen((3, 1, 1))], ())
    shown = viewer.shown(step(scenario.seats, scene), "player_0")
    assert (shown["inventory"], shown["cell"]) == ((2, 0, 1), None)
    for colour, cell in ((9, (4, 7)), (0, None)):  # the view of a player off the map is black
        told = {**seen((2, 0, 1)), "POSITION": np.array((4, 7)), "RGB": np.full((88, 88, 3), colour)}
        told_of = step(scenario.seats, Scene(scenario.seats, [told, seen((3, 1, 1))], ()))
        assert viewer.shown(told_of, "player_0")["cell"] == cell
    (info,) = find_scenarios(["rws_repeated_1"])
    assert viewer.facts(info)["actions"][5:] == ["turn_left", "turn_right", "interact"]


def test_each_seat_is_shown_what_is_hidden_from_it() -> None:
    scenario = scenario_named("rws_arena_selfplay")
    before = [seen((slot, 1, 1)) for slot in range(len(scenario.seats))]
    after = [{"INTERACTION_INVENTORIES": np.zeros((2, 3))} for _ in scenario.seats]
    after[2]["INTERACTION_INVENTORIES"] = np.array([(2.0, 1, 1), (5, 1, 1)])
    scene = Scene(scenario.seats, before, after)
    for slot, seat in enumerate(scenario.seats):
        shown = MeltingPotViewer(scenario).shown(step(scenario.seats, scene), seat)
        others = [other for other in scenario.seats if other != seat]
        assert [other["name"] for other in shown["others"]] == [other["seat"] for other in shown["others"]] == others
        assert (slot, 1, 1) not in shown["inventories"]
        assert shown["held"] == (((2, 1, 1), (5, 1, 1)) if seat == "player_2" else None)


def test_a_board_of_a_pair_has_its_place_and_says_while_the_world_moves_the_player() -> None:
    viewer = MeltingPotViewer(scenario_named("rws_pairs_order_1_even"))
    scene = Scene(("player_0",), [seen((1, 1, 1)), seen((3, 1, 1))], ())
    views = [Observation(0, {"RGB": FRAME, LED: np.array(1)}), Observation(0, {"RGB": FRAME})]
    nothing = dict.fromkeys(BOARDS, 0.0)
    turn, decided = Turn(0, dict(zip(BOARDS, views, strict=True))), dict.fromkeys(BOARDS, Decision(0))
    both = Step(turn, decided, nothing, nothing, dict.fromkeys(BOARDS, scene))
    shown = [viewer.shown(both, seat) for seat in BOARDS]
    assert [(board["below"], board["is_led"]) for board in shown] == [(0, True), (1, None)]


def test_a_bot_is_shown_by_its_policy() -> None:
    scenario = scenario_named("rws_repeated_1")
    scene = Scene(scenario.seats, [seen((1, 1, 1)), seen((3, 1, 1))], (), [("a_bot", "rock", "a rule")])
    shown = MeltingPotViewer(scenario).shown(step(scenario.seats, scene), "player_0")
    (other,) = shown["others"]
    assert other == {"name": "opponent", "seat": None, "policy": "a_bot", "rule": "a rule"}
    assert (shown["aims"], shown["inventories"]) == (["rock"], [(3, 1, 1)])
