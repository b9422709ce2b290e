from __future__ import annotations

from collections.abc import Sequence

import pytest

from hm_agent.worlds.melting_pot.games.cooking.facts import SoupRecipe
from hm_agent.worlds.melting_pot.games.cooking.kitchen import COOKED, Kitchen, Pot, Station, rooms
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Facing, Layout, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap

MAP = """
#########
O #T#O# T
#   C   #
#   C   #
###D#D###
"""
RECIPE = SoupRecipe(tomatoes=3, cooking_steps=21, reward=20.0)
LAYOUT = Layout.from_ascii(MAP, "#OTDC")
LEFT, RIGHT = (2, 2), (6, 2)
POT, OTHER_POT, TOMATOES, COUNTER = (4, 2), (4, 3), (5, 1), (6, 1)


def sight(kind: str, cell: Cell, mark: str | None = None) -> Detection:
    return Detection(kind, (0, 0), cell, mark=mark)


def view(*sights: Detection, in_view: Sequence[Cell] = (), hands: str | None = None, lost: bool = False) -> TextualMap:
    pose = None if lost else Pose(6, 2, Facing.NORTH)
    seen = {sight.cell for sight in sights if sight.cell}
    return TextualMap(pose, True, hands, sights, NOWHERE if lost else LAYOUT.area((*seen, *in_view)), 0)


def kitchen(*views: TextualMap) -> Kitchen:
    """A kitchen after these frames, one a step."""
    it = Kitchen(LAYOUT, RECIPE)
    for step, each in enumerate(views):
        it.update(step, each)
    return it


def pot_seen(kind: str, mark: str | None = None) -> Pot:
    (pot,) = kitchen(view(sight(kind, POT, mark))).pots
    return pot


def test_stations_and_no_players_are_known_with_the_step_they_were_last_seen() -> None:
    known = kitchen(view(sight("tomato_dispenser", TOMATOES, "tomato")), view())
    assert known.stations == {TOMATOES: Station("tomato_dispenser", TOMATOES, "tomato", 0)}
    known = kitchen(view(sight("pot_1", POT)), view(sight("pot_2", POT)))
    assert known.stations == {POT: Station("pot_2", POT, None, 1)}
    player = Detection("teammate", (1, 0), (3, 2), Facing.EAST, "dish", is_player=True)
    assert kitchen(view(player)).stations == {}


def test_counter_that_is_bare_again_is_no_station() -> None:
    laden = view(sight("counter", COUNTER, "dish"))
    assert kitchen(laden, view()).stations.keys() == {COUNTER}
    assert kitchen(laden, view(in_view=[COUNTER])).stations == {}


def test_frame_of_unknown_pose_updates_the_hands_only() -> None:
    known = kitchen(view(sight("pot_1", POT)), view(hands="dish", lost=True))
    assert known.hands == "dish"
    assert known.stations == {POT: Station("pot_1", POT, None, 0)}


def test_cells_in_view_are_known_to_be_looked_at() -> None:
    assert kitchen(view(in_view=[POT]), view(in_view=[COUNTER])).looked_at == {POT: 0, COUNTER: 1}


def test_pot_holds_the_tomatoes_that_its_sprite_shows_and_is_never_ready_while_it_has_room() -> None:
    for tomatoes in range(4):
        pot = pot_seen(f"pot_{tomatoes}")
        assert (pot.tomatoes, pot.is_full, pot.is_cooked) == (tomatoes, tomatoes == 3, False)
        assert pot.is_cooked_by(1000) == pot.is_full == (pot.ready is not None)


@pytest.mark.parametrize(("mark", "left"), [(None, 20), ("10%", 18), ("50%", 10), ("90%", 2), (COOKED, 0)])
def test_ready_step_follows_from_the_bar(mark: str | None, left: int) -> None:
    pot = pot_seen("pot_3", mark)
    assert pot.ready == left
    assert not pot.is_cooked_by(left - 1)
    assert pot.is_cooked_by(left)
    assert pot.is_cooked == (left == 0)


def test_pots_are_listed_by_cell_whichever_was_seen_first() -> None:
    known = kitchen(view(sight("pot_0", OTHER_POT)), view(sight("pot_1", POT)))
    assert [pot.cell for pot in known.pots] == [POT, OTHER_POT]


def test_the_two_rooms_are_separate() -> None:
    left, right = rooms(LAYOUT)
    assert LEFT in left
    assert RIGHT in right
    assert left | right == set(LAYOUT.open_cells)
    assert not left & right


def test_pots_can_be_used_from_both_rooms_dispensers_from_one_and_counters_in_corners_from_none() -> None:
    known = kitchen(view(sight("pot_0", POT), sight("tomato_dispenser", TOMATOES), sight("delivery", (3, 1))))
    assert known.reachable(LEFT).keys() == {POT, (3, 1)}
    assert known.reachable(RIGHT).keys() == {POT, TOMATOES}
    assert {POT, TOMATOES, COUNTER, (8, 1)} <= known.within_reach(RIGHT)
    assert not {(8, 0), (8, 4), (2, 1)} & known.within_reach(RIGHT)
