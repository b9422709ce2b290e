"""Kitchens whose cooks share a room, or hand things over: one worked example of each rule, and short episodes."""

from __future__ import annotations

from dataclasses import replace

import pytest

import hm_agent
from hm_agent.api import Results
from hm_agent.worlds.melting_pot.facts import Beam
from hm_agent.worlds.melting_pot.games.cooking.activities import ActivityReader
from hm_agent.worlds.melting_pot.games.cooking.facts import SoupRecipe
from hm_agent.worlds.melting_pot.games.cooking.kitchen import Kitchen
from hm_agent.worlds.melting_pot.games.cooking.reasoner.beam_search import BeamSearch
from hm_agent.worlds.melting_pot.games.cooking.reasoner.teamwork import HANDLING, NEVER, Teamwork
from hm_agent.worlds.melting_pot.games.cooking.rehearsal import why_impossible
from hm_agent.worlds.melting_pot.games.cooking.roles import EVERYTHING, LOADS, SERVES, STANDS, team_strategy
from hm_agent.worlds.melting_pot.games.cooking.room_seat import KitchenRoomSeat, Teammate
from hm_agent.worlds.melting_pot.grid import Cell, Facing, Layout, Move, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap
from hm_agent.worlds.melting_pot.planning.calls import Interact, Wait
from hm_agent.worlds.melting_pot.planning.passing import STANDING, STUCK, Passing
from hm_agent.worlds.melting_pot.planning.traffic import against_traffic
from tests.worlds.melting_pot.games.kitchen_examples import KITCHEN, RING, ROOM, SHARED_ROOM

FORCED = Layout.from_ascii("  ###C#  \n  O # C  \n  O # #  \n  D # #  \n  ###T#  ", "#OTDC")
CORRIDOR = Layout.from_ascii("#####\nC   O\n#####", "#OTDC")
CROSS = Layout.from_ascii("#######\nC     O\n### ###\n#######", "#OTDC")
BEAM = Beam(length=1, radius=0, rest=1)
RECIPE = SoupRecipe(tomatoes=3, cooking_steps=21, reward=20.0)


def view(here: Pose, mark: str | None, *others: tuple[Cell, str | None]) -> TextualMap:
    """What a player sees that holds something, beside others who hold something."""
    players = tuple(
        Detection(f"player_{n}", here.offset(cell), cell, 0, held, is_player=True)
        for n, (cell, held) in enumerate(others, 1)
    )
    return TextualMap(here, True, mark, players, RING.area([cell for cell, _ in others]), 0)


def first_move(layout: Layout, target: Cell, here: Pose, mark: str | None, *others: tuple[Cell, str | None]) -> Move:
    approach = Passing(layout, BEAM).approach(target, here, view(here, mark, *others))
    assert approach is not None
    return approach.move


# Who goes where


def test_walls_on_the_left_alone_are_against_the_traffic() -> None:
    against = against_traffic(RING)
    assert ((3, 2), (3, 1)) not in against  # to the north, the counter on the right
    assert ((3, 1), (3, 2)) in against
    assert against_traffic(KITCHEN) == frozenset()  # no block of walls stands alone


def test_the_floor_outside_a_kitchen_is_no_room() -> None:
    (only,) = Kitchen(RING, RECIPE).rooms
    assert (0, 0) not in only
    assert len(only) == 8
    assert len(Kitchen(FORCED, RECIPE).rooms) == 2


def test_of_two_who_meet_who_holds_soup_goes_first() -> None:
    here, there = Pose(2, 1, Facing.EAST), (3, 1)
    for own, other, move in (
        ("soup", "dish", Move.NOOP),
        ("dish", "soup", Move.BACKWARD),
        (None, "dish", Move.BACKWARD),
    ):
        assert first_move(CORRIDOR, (4, 1), here, own, (there, other)) is move


def test_who_gives_way_steps_out_of_it_where_there_is_room() -> None:
    assert first_move(CROSS, (6, 1), Pose(3, 1, Facing.EAST), None, ((4, 1), "dish")) is Move.STEP_RIGHT


def test_who_stays_counts_as_a_wall_and_a_call_that_stays_blocked_is_given_up() -> None:
    passing, here = Passing(RING, BEAM), Pose(3, 3, Facing.NORTH)
    seen = view(here, "tomato", ((3, 2), None))
    moves = [passing.approach((5, 0), here, seen) for _ in range(STANDING + 1)]
    assert moves[0] is not None
    assert moves[0].move is Move.NOOP
    assert moves[-1] is not None
    assert moves[-1].cells[0] == (4, 3)  # the other way round
    stuck = Passing(CORRIDOR, BEAM)
    there = view(Pose(2, 1, Facing.EAST), None, ((3, 1), None))
    given_up = [(stuck.approach((4, 1), Pose(2, 1, Facing.EAST), there), stuck.gives_up())[1] for _ in range(STUCK + 2)]
    assert given_up == [False] * STUCK + [True, False]


def test_who_waits_makes_room_for_who_comes_near() -> None:
    here = Pose(5, 1, Facing.NORTH)
    alone = Passing(RING, BEAM).wait((5, 0), here, view(here, None))
    crowded = Passing(RING, BEAM).wait((5, 0), here, view(here, None, ((4, 1), "dish")))
    assert alone is not None
    assert crowded is not None
    assert (alone.move, crowded.move) == (Move.NOOP, Move.BACKWARD)


# What teammates are counted on for


def seat(**changes: object) -> KitchenRoomSeat:
    return replace(SHARED_ROOM, **changes)  # type: ignore[arg-type]  # fields by name


def contents(room: KitchenRoomSeat) -> tuple[tuple[int, int], ...]:
    return Teamwork.of(room).foresee([(2, NEVER), (3, 7)])


def test_a_tomato_in_a_teammates_hands_is_counted_on_and_a_dish_takes_soup() -> None:
    for held, foreseen in (("tomato", ((3, HANDLING + 21), (3, 7))), ("dish", ((2, NEVER), (0, HANDLING + 1)))):
        mate = Teammate((5, 2), held, 209, 200, "player_1")
        assert contents(seat(role=EVERYTHING, teammates=(mate,))) == foreseen


def test_nothing_is_counted_on_of_who_is_not_expected_to_work_promptly_or_was_not_seen_for_long() -> None:
    mate = SHARED_ROOM.teammates[0]
    for room in (
        seat(role=EVERYTHING, parts={}),
        seat(role=EVERYTHING, parts={"player_1": STANDS}),
        seat(role=EVERYTHING, parts={"player_1": f"{EVERYTHING} slowly"}),
        seat(role=EVERYTHING, teammates=(replace(mate, step=150),)),
    ):
        assert contents(room) == ((2, NEVER), (3, 7))
    assert Teamwork.of(ROOM).held == ()  # where each has a room with pots


def test_who_loads_leaves_soup_to_a_teammate_that_serves_promptly() -> None:
    team = Teamwork.of(seat(teammates=()))
    assert team.filled((2, NEVER), 4) == ((0, 4 + 21 + HANDLING), 1.0)
    assert team.foresee([(3, 7)]) == ((0, 7 + HANDLING),)
    assert not Teamwork.of(seat(parts={"player_1": "serves soup slowly"})).is_served
    assert not Teamwork.of(seat(role=EVERYTHING)).is_served


def test_the_part_that_is_short_of_cooks_is_taken() -> None:
    share = 0.6
    for parts, role in (
        ((f"{LOADS} promptly", f"{LOADS} promptly"), SERVES),
        ((f"{SERVES} promptly", STANDS), LOADS),
        ((f"{LOADS} promptly", f"{SERVES} promptly", f"{LOADS} slowly"), EVERYTHING),
        ((STANDS,), EVERYTHING),
    ):
        assert team_strategy({str(n): part for n, part in enumerate(parts)}, share).role == role


def test_a_plan_uses_the_dispenser_that_nobody_stands_before() -> None:
    plan = BeamSearch(seat(role=SERVES)).best_plan()
    assert Interact((2, 2)) not in plan[:1]  # player_2 has stood there for long


# Handing over


def handing(hands: str | None, **changes: object) -> KitchenRoomSeat:
    """The cook of the room with tomatoes and dishes."""
    counters = frozenset({(4, 1), (4, 2), (4, 3)})
    own = Kitchen(FORCED, RECIPE, {"tomato_dispenser": {(2, 1), (2, 2)}, "dish_dispenser": {(2, 3)}})
    facts = {
        "rules": replace(ROOM.rules, rooms="handover"),
        "pose": Pose(3, 2, Facing.EAST),
        "hands": hands,
        "pots": tuple(replace(pot, cell=cell) for pot, cell in zip(ROOM.pots, ((5, 0), (6, 1)), strict=True)),
        "stations": tuple(own.reachable((3, 2)).values()),
        "spare": tuple(sorted(counters)),
        "floor": ((3, 1), (3, 2), (3, 3)),
        "teammates": (),
        "layout": FORCED,
        "reach": own.within_reach((3, 2)),
        "handover": own.handover,
    }
    return seat(**{**facts, "role": EVERYTHING, "parts": {}, **changes})


def test_a_cook_without_pots_hands_over_what_they_need() -> None:
    assert handing(None).handover == ((4, 1), (4, 2), (4, 3))
    full = tuple(replace(pot, tomatoes=3, is_full=True, ready=222) for pot in handing(None).pots)
    assert BeamSearch(handing("tomato")).best_plan()[0] == Interact((4, 2))
    assert BeamSearch(handing(None, pots=full)).best_plan()[:2] == [Interact((2, 3)), Interact((4, 3))]


def test_where_things_are_handed_over_one_may_wait() -> None:
    room = handing(None)
    assert why_impossible(replace(room, handover=()), [Wait((4, 2))])
    assert why_impossible(room, [Wait((4, 2))]) == []


def test_of_several_teammates_none_is_said_to_have_changed_a_pot_out_of_view() -> None:
    kitchen = Kitchen(RING, RECIPE)
    for is_only, count in ((True, 1), (False, 0)):
        reader = ActivityReader("player_1", is_only=is_only)
        done = 0
        for step, tomatoes in enumerate((0, 1)):
            here = Pose(5, 2, Facing.NORTH)
            pot = Detection(f"pot_{tomatoes}", (2, 0), (5, 0), None, None, is_player=False)
            shown = TextualMap(here, True, None, (pot,), RING.area([(5, 0)]), 0)
            kitchen.update(step, shown)
            done += len(reader.read(step, shown, kitchen, 0))
        assert done == count


# Short episodes


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Results:
    names = ("ring_selfplay", "forced_selfplay", "cramped_unseen_1")
    return hm_agent.play(
        [f"cooking_{name}" for name in names],
        "hypothetical_minds",
        max_steps=110,
        bots="scripted",
        report=False,
        progress=False,
        out=tmp_path_factory.mktemp("kitchens"),
    )


def test_soup_is_delivered_and_nobody_is_lost(played: Results) -> None:
    assert len(played.episodes) == 3
    for episode in played.episodes:
        assert episode.result.reward >= 20.0
        assert episode.result.metrics["pose_lost_steps"] <= 4
        assert episode.result.metrics["unknown_patches"] == 0
