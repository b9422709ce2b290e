from __future__ import annotations

from collections.abc import Sequence

from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Facing, Layout, Pose
from hm_agent.worlds.melting_pot.memory.entities import Disappearance, EntityMemory, PlayerSighting
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap

HALL = Layout.from_ascii("\n".join(["W" * 16, *["W" + 14 * " " + "W"] * 9, "W" * 16]))
HERE = Pose(5, 5, Facing.NORTH)


def view(in_view: Sequence[Cell], *sights: Detection, pose: Pose | None = HERE) -> TextualMap:
    return TextualMap(pose, True, None, sights, HALL.area(in_view), 0)


def box(cell: Cell | None, kind: str = "yellow_box") -> Detection:
    return Detection(kind, (0, 0), cell)


def opponent(cell: Cell) -> Detection:
    return Detection("opponent", (0, 0), cell, Facing.EAST, "ready", is_player=True)


def test_things_and_players_are_remembered_with_cell_and_the_step_they_were_last_seen_as_in_the_paper() -> None:
    memory = EntityMemory(HALL)
    memory.update(1, view([(3, 3), (7, 3)], box((3, 3)), opponent((7, 3))))
    memory.update(2, view([(9, 9), (7, 3), (7, 4)], opponent((7, 4))))
    assert memory.things == {(3, 3): ("yellow_box", 1)}
    memory.update(4, view([(3, 3)], box((3, 3))))
    assert memory.things == {(3, 3): ("yellow_box", 4)}
    assert memory.players == {"opponent": PlayerSighting((7, 4), Facing.EAST, "ready", 2)}


def test_missing_thing_is_a_disappearance_with_the_step_it_was_last_seen_and_its_site_stays() -> None:
    memory = EntityMemory(HALL)
    memory.update(1, view([(3, 3), (4, 3)], box((3, 3)), box((4, 3))))
    memory.update(7, view([(3, 3)]))
    assert memory.disappeared == [Disappearance("yellow_box", (3, 3), seen=1)]
    assert memory.kinds() == {(4, 3): "yellow_box"}
    assert memory.sites == dict.fromkeys([(3, 3), (4, 3)], "yellow_box")
    assert list(memory.emptied) == [(3, 3)]
    memory.update(8, view([(3, 3)]))
    assert memory.disappeared == []


def test_thing_taken_by_the_agent_is_no_disappearance() -> None:
    memory = EntityMemory(HALL)
    memory.update(1, view([(5, 5)], box((5, 5))))
    memory.update(2, view([HERE.cell]))
    assert memory.things == {}
    assert memory.disappeared == []


def test_another_kind_or_a_player_on_a_cell_takes_the_place_of_the_thing_that_lay_there() -> None:
    memory = EntityMemory(HALL)
    memory.update(1, view([(3, 3)], box((3, 3))))
    memory.update(2, view([(3, 3)], box((3, 3), "blue_box")))
    assert memory.kinds() == memory.sites == {(3, 3): "blue_box"}
    memory.update(3, view([(3, 3)], opponent((3, 3))))
    assert not memory.things


def test_cells_are_found_by_kind() -> None:
    memory = EntityMemory(HALL)
    memory.update(1, view([(3, 3), (4, 3), (5, 3)], box((3, 3)), box((4, 3), "blue_box"), box((5, 3))))
    assert memory.cells_of("yellow_box") == [(3, 3), (5, 3)]


def test_frame_of_unknown_pose_leaves_no_memory() -> None:
    memory = EntityMemory(HALL)
    memory.update(1, view([(3, 3)], box(None), pose=None))
    assert (memory.things, memory.sites) == ({}, {})
    assert all(memory.looked_at.of(cell) is None for cell in HALL.open_cells)


OFF_THE_MAP = TextualMap(None, False, None, (), NOWHERE, 0)


def respawned(memory: EntityMemory) -> EntityMemory:
    """The memory after two things and a player were seen, a thing was taken, and the avatar was off the map."""
    memory.update(1, view([(3, 3), (4, 3), (7, 7)], box((3, 3)), box((4, 3)), opponent((7, 7))))
    memory.update(2, view([(3, 3)]))
    memory.update(3, OFF_THE_MAP)
    memory.update(9, view([]))
    return memory


def test_after_a_respawn_in_games_for_two_all_things_are_back_and_no_sighting_of_players_is_left() -> None:
    memory = respawned(EntityMemory(HALL, all_return=True))
    assert memory.things == {(3, 3): ("yellow_box", 9), (4, 3): ("yellow_box", 9)}
    assert (memory.emptied, memory.players) == ({}, {})
    memory.update(20, view([(3, 3)]))
    assert memory.disappeared == [Disappearance("yellow_box", (3, 3), seen=9)]


def test_among_many_taken_things_stay_gone_and_the_others_stay_seen_after_a_respawn() -> None:
    memory = respawned(EntityMemory(HALL))
    assert memory.things == {(4, 3): ("yellow_box", 1)}
    assert memory.emptied == {(3, 3): 2}
    assert list(memory.players) == ["opponent"]
    memory.forget("opponent")
    assert memory.players == {}


def test_only_things_that_were_not_known_appear() -> None:
    memory = EntityMemory(HALL)
    memory.update(1, view([(3, 3)], box((3, 3))))
    assert memory.appeared == [(3, 3)]
    memory.update(2, view([(3, 3), (4, 3)], box((3, 3)), box((4, 3))))
    assert memory.appeared == [(4, 3)]
