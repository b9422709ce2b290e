from __future__ import annotations

from hm_agent.worlds.melting_pot.grid import NOWHERE, Facing, Pose
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap

OPPONENT = Detection("opponent", (2, 0), (4, 3), Facing.WEST, "ready", is_player=True)
BOXES = (Detection("yellow_box", (1, 0), (4, 4)), Detection("yellow_box", (1, 1), (5, 4)))


def textual_map(pose: Pose | None, *sights: Detection, present: bool = True) -> TextualMap:
    return TextualMap(pose, present, None, sights, NOWHERE, 0)


def test_map_is_described_in_the_papers_form_with_the_marks_of_players() -> None:
    view = textual_map(Pose(4, 5, Facing.NORTH), *BOXES, OPPONENT)
    assert view.describe(["yellow_box", "blue_box"]).splitlines() == [
        "Player position: (4, 5), facing north",
        "Observable yellow_box locations: [(4, 4), (5, 4)]",
        "Observable blue_box locations: []",
        "Observable opponent locations: [(4, 3) ready]",
    ]


def test_a_player_that_is_lost_or_off_the_map_is_told_no_locations() -> None:
    assert textual_map(None, *BOXES).describe(["yellow_box"]) == "Player position: unknown"
    assert textual_map(None, present=False).describe(["yellow_box"]) == "Player position: off the map"


def test_players_are_told_from_things() -> None:
    view = textual_map(None, *BOXES, OPPONENT)
    assert (view.players, view.things) == ((OPPONENT,), BOXES)
