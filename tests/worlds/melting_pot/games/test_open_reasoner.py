"""What the built-in reasoner does in open games: each of its rules by an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hm_agent.worlds.melting_pot.games.open.calls import UseAction, WalkTo
from hm_agent.worlds.melting_pot.games.open.deeds import Deed
from hm_agent.worlds.melting_pot.games.open.follower import SLOW_STEPS, OpenFollower
from hm_agent.worlds.melting_pot.games.open.greedy import REST, best_calls, worth
from hm_agent.worlds.melting_pot.games.open.notes import OpenNotes, role_of
from hm_agent.worlds.melting_pot.games.open.open_facts import SubstrateFacts
from hm_agent.worlds.melting_pot.games.open.seat import OpenSeat
from hm_agent.worlds.melting_pot.games.open.seeing import FrameSeen
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Layout, Move, Pose
from hm_agent.worlds.melting_pot.memory.entities import PlayerSighting
from hm_agent.worlds.melting_pot.memory.view_times import ViewTimes
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.scenarios import game_named
from tests.worlds.melting_pot.games.test_open_prompts import seated

STEP, HERE = 100, (1, 1)
ROOM = Layout(5, 5, frozenset())
ALL_SEEN = ViewTimes(ROOM)
ALL_SEEN.update(STEP, ROOM.area(ROOM.open_cells))
TWO_ROOMS = Layout.from_ascii("""
WWWWWWWW
W  W   W
W  W   W
W  W   W
W      W
WWWWWWWW
""")


def seat_in(
    name: str,
    things: Mapping[Cell, str | tuple[str, int]],
    layout: Layout = ROOM,
    *,
    slot: int = 0,
    role: str = "",
    solid: Sequence[str] = (),
    **known: object,
) -> OpenSeat:
    """A seat at HERE, facing north, of which all is in view. things: their kinds, with the step if not seen now."""
    facts = game_named(name, SubstrateFacts).as_role(role)
    where = {"step": STEP, "pose": Pose(*HERE, 0), "looked_at": ALL_SEEN, "sighted": {}}
    named = {
        "own_name": f"player_{slot}",
        "actions": tuple(dict.fromkeys((*facts.uses, *facts.kept_back))),
        "layout": layout,
        "seen": {cell: (thing, STEP) if isinstance(thing, str) else thing for cell, thing in things.items()},
        "blocking": frozenset(solid),
    }
    return seated(OpenSeat, facts, **{**where, **named, **known})


def test_what_a_player_has_is_used_before_all_else_and_its_action_for_nothing_else() -> None:
    seat = seat_in("gift_refinements", {(3, 1): "coin"})
    assert best_calls(replace(seat, has={"refined token": 5})) == ["use(consume_tokens)"]
    assert best_calls(seat) == ["collect(coin)"]
    assert best_calls(replace(seat, seen={})) == ["look_around()"]


def test_a_thing_that_was_got_is_as_good_as_what_was_hoped_of_it() -> None:
    deeds = (Deed("collect(coin)", 4, 0.0, got=4), Deed("use(consume_tokens)", 9, 0.0))
    seat = seat_in("gift_refinements", {}, deeds=deeds)
    assert worth(seat, "collect(coin)", 1.0) == 1.0
    assert worth(seat, "use(consume_tokens)", 1.0) == 0.1


def test_a_tired_player_rests_before_it_goes_on() -> None:
    seat = seat_in("predator_prey_open", {(3, 1): "apple"}, role="prey", has={"acorn": 1})
    assert best_calls(replace(seat, told=(("stamina", "0.5"),))) == [f"wait({REST})"]
    assert best_calls(replace(seat, told=(("stamina", "0.8"),))) == ["use(interact)"]


def test_predators_hunt_prey_alone_and_leave_food_to_it() -> None:
    sighted = {"a player": PlayerSighting((1, 2), 0, None, STEP), "player_7": PlayerSighting((4, 4), 0, None, STEP)}
    seat = seat_in("predator_prey_open", {(2, 1): "apple"}, role="predator", sighted=sighted)
    assert best_calls(seat) == ["use(interact, player_7)"]
    assert best_calls(seat_in("predator_prey_open", {(2, 1): "apple"}, role="prey", sighted=sighted)) == [
        "collect(apple)"
    ]


def test_the_file_or_the_scenario_says_which_role_a_slot_has() -> None:
    game = game_named("predator_prey_open", SubstrateFacts)
    assert [role_of(game, slot) for slot in (0, 2, 3)] == ["predator", "predator", "prey"]
    assert role_of(game.played_by(2, ("prey", "predator")), 0) == "prey"
    assert role_of(game_named("gift_refinements", SubstrateFacts), 0) == ""


def test_what_is_a_players_own_is_not_claimed_again_and_late_pay_discourages_nobody() -> None:
    deeds = (Deed("use(fire_claim, color2 resource)", 50, 0.0),)
    seat = seat_in("territory_open", {(1, 0): "color1 resource", (4, 1): "color2 resource"}, deeds=deeds)
    assert best_calls(seat) == ["use(fire_claim, color2 resource)"]
    assert best_calls(replace(seat, own_name="player_1")) == ["use(fire_claim, color1 resource)"]


def test_what_is_used_where_it_lies_is_walked_onto_first() -> None:
    notes, follower = followed("chemistry_two_cycles")
    seat = seat_in("chemistry_two_cycles", {(2, 1): "food1", (1, 4): "food1"})
    assert best_calls(seat) == ["use(io_action, food1)"]
    follower.follow((UseAction("io_action", "food1"),))
    assert follower.next_action(seat) == Move.STEP_RIGHT
    there = replace(seat, pose=Pose(2, 1, 0), seen={(1, 4): ("food1", STEP)}, own=("bx vesicle", "food1"))
    assert best_calls(there) == ["use(io_action, food1)"]
    assert follower.next_action(there) == notes.actions["IO_ACTION"]
    assert follower.next_action(there) is None, "it is done"
    assert best_calls(replace(there, has={"ax vesicle": 1})) == ["collect(bx)"]


def test_what_a_beam_covers_is_not_shot_at_again_before_it_shows() -> None:
    seat = seat_in("territory_open", {(1, 0): ("unclaimed resource", STEP - 1), (4, 1): "unclaimed resource"})
    assert best_calls(seat) == ["go_to((3, 1))", "use(fire_claim, (4, 1))"]
    shown = replace(seat, seen={**seat.seen, (1, 0): ("unclaimed resource", STEP)})
    assert best_calls(shown) == ["use(fire_claim, unclaimed resource)"]


def test_the_nearest_thing_is_that_to_which_the_known_way_is_shortest() -> None:
    seat = seat_in("predator_prey_open", {(4, 1): "apple", (1, 3): "apple"}, TWO_ROOMS, role="prey")
    assert (seat.ways[4, 1], seat.ways[1, 3]) == (9, 2)
    assert best_calls(seat) == ["collect(apple)"]
    behind_the_wall = replace(seat, seen={(4, 1): ("apple", STEP), (2, 4): ("apple", STEP)})
    assert best_calls(behind_the_wall) == ["go_to((2, 4))"]


def test_on_a_torus_the_nearest_way_may_lead_over_the_edge() -> None:
    berry, walls = "unripe berry 2", {(2, 1), (3, 0), (3, 2), (4, 1), (5, 3), (6, 2), (6, 4)}
    bare, walled = (Layout(7, 7, frozenset(own), is_torus=True) for own in ((), walls))
    seat = seat_in("allelopathic_harvest_open", {(6, 1): berry, (1, 4): berry}, bare)
    assert best_calls(seat) == [f"use(fire_3, {berry})"]
    seat = seat_in("allelopathic_harvest_open", {(6, 3): berry, (3, 1): berry}, walled)
    assert best_calls(seat) == ["go_to((0, 3))", "use(fire_3, (6, 3))"]


def test_ways_end_at_what_blocks_and_at_players_and_on_an_own_map_where_nothing_was_seen() -> None:
    wall = {(2, 4): "unclaimed resource"}
    seat = seat_in("territory_open", wall, TWO_ROOMS, solid=["unclaimed resource"])
    assert seat.ways[2, 4] == 4
    assert (3, 4) not in seat.ways
    barred = seat_in("territory_open", {}, TWO_ROOMS, sighted={"player_1": PlayerSighting((2, 4), 0, None, STEP)})
    assert (3, 4) not in barred.ways
    seen = ViewTimes(TWO_ROOMS)
    seen.update(STEP, TWO_ROOMS.area([HERE, (1, 2)]))
    unknown = seat_in("territory_open", {}, TWO_ROOMS, is_own_map=True, looked_at=seen)
    assert unknown.ways == {HERE: 0, (2, 1): 1, (1, 2): 1, (2, 2): 2, (1, 3): 2}
    assert best_calls(unknown)[0] in {f"go_to({cell})" for cell in unknown.ways}


def followed(name: str) -> tuple[OpenNotes, OpenFollower]:
    game = game_named(name, SubstrateFacts)
    notes = OpenNotes(game, 0)
    seen = TextualMap(None, present=True, mark=None, detections=(), in_view=NOWHERE, unknown_patches=0)
    notes.sight = FrameSeen(seen, (), ())
    return notes, OpenFollower(notes)


def test_a_rower_rows_on_while_its_boat_carries_it_to_where_it_does_not_know() -> None:
    notes, follower = followed("boat_race_eight_races")
    lost = seat_in("boat_race_eight_races", {}, pose=None)
    follower.follow((UseAction("flail", None, 2),))
    rowing = [follower.reflex(replace(lost, has={"seat l": 1})) for _ in range(3)]
    assert rowing == [notes.actions["FLAIL"]] * 3
    assert follower.reflex(lost) in {Move.FORWARD, Move.TURN_RIGHT}


def test_what_is_held_ahead_stops_nobody_but_has_to_find_room() -> None:
    things = {(1, 0): "blue cube", (2, 0): "blue cube"}
    seat = seat_in("factory_commons_either_or", things, solid=["blue cube"])
    holding = replace(seat, has={"blue cube": 1})
    assert {*seat.solid} == {(1, 0), (2, 0)}
    assert seat.held_at is None
    assert {*holding.solid} == {(2, 0)}
    assert holding.held_at == (1, 0)
    for each, step in ((seat, Move.STEP_RIGHT), (holding, Move.BACKWARD)):
        _, follower = followed("factory_commons_either_or")
        follower.follow((WalkTo((4, 1)),))
        assert follower.next_action(each) == step


def test_a_hand_shows_what_is_held_a_step_after_it_has_grasped_or_let_go() -> None:
    game = replace(game_named("factory_commons_either_or", SubstrateFacts), having={"blue cube": "use(grasp)"})
    notes = OpenNotes(game, 0)
    cube = Detection("blue cube", (1, 0), (1, 0), None, None, is_player=False)
    seen = TextualMap(Pose(*HERE, 0), present=True, mark=None, detections=(cube,), in_view=NOWHERE, unknown_patches=0)
    hand = (((1, 0), "hand 2"),)
    for action, effects, has in (
        ("NOOP", (), False),
        ("GRASP", (), True),
        ("NOOP", hand, True),
        ("GRASP", hand, False),
    ):
        notes.note_action(notes.actions[action])
        notes.sight = FrameSeen(seen, effects, ())
        assert bool(notes._having()) == has, (action, effects)


def test_where_all_ground_shows_scripted_players_look_no_further() -> None:
    seat = seat_in("chemistry_two_cycles", {(1, 1): "empty", (3, 2): "ax"}, is_own_map=True, looked_at=ViewTimes(ROOM))

    def shown(cell: Cell) -> bool:
        return 1 <= cell[0] <= 3 and 1 <= cell[1] <= 2

    assert seat.unseen_inside
    assert all(map(shown, seat.unseen_inside))
    for elsewhere in (replace(seat, is_own_map=False), replace(seat, seen={})):
        assert not all(map(shown, elsewhere.unseen_inside))


def test_where_players_tire_a_step_that_fails_once_says_not_yet_that_the_way_is_blocked() -> None:
    for name, patience in (("predator_prey_open", SLOW_STEPS), ("coop_mining", 1)):
        _, follower = followed(name)
        seat = seat_in(name, {}, told=(("stamina", "1"),) if patience > 1 else ())
        follower.follow((WalkTo((1, 4)),))
        steps = [follower.next_action(replace(seat, step=STEP + step)) for step in range(patience + 1)]
        assert steps[:patience] == [Move.BACKWARD] * patience
        assert steps[patience] != Move.BACKWARD
