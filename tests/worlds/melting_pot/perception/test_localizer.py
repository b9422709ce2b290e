from __future__ import annotations

from hm_agent.worlds.melting_pot.grid import Facing, Layout, Move, Pose, Window
from hm_agent.worlds.melting_pot.perception.localizer import LIKELY, UNDECIDED, UNLIKELY, Localizer, WallPatterns

# Wide enough that its inner cells look alike from every side.
HALL = Layout.from_ascii("\n".join(["WWWWWWWWW", *["W       W"] * 6, "WWWWWWWWW"]))
PATTERNS = WallPatterns(HALL, Window(left=1, right=1, forward=1, backward=1))


def look(
    localizer: Localizer, pose: Pose, *, move: int = Move.NOOP, stayed: float = 0.0, compass: bool = True
) -> Pose | None:
    """Shows the walls as seen from a pose; a wall in view shows the facing too, unless there is no compass."""
    walls = PATTERNS.wall_sets[PATTERNS.number[pose]]
    return localizer.update(walls, 0, pose.facing if walls and compass else None, move, stayed)


def test_corner_is_known_at_first_sight() -> None:
    corner = Pose(1, 1, Facing.NORTH)
    assert look(Localizer(PATTERNS), corner) == corner


def test_corners_are_told_apart_by_the_compass_only() -> None:
    corner = Pose(1, 1, Facing.NORTH)
    localizer = Localizer(PATTERNS)
    assert look(localizer, corner, compass=False) is None
    assert {pose.cell for pose in localizer.candidates} == {(1, 1), (7, 1), (1, 6), (7, 6)}


def test_pose_is_unknown_where_many_look_alike() -> None:
    localizer = Localizer(PATTERNS)
    assert look(localizer, Pose(4, 3, Facing.NORTH)) is None
    assert {pose.cell for pose in localizer.candidates} == {(x, y) for x in range(2, 7) for y in range(2, 6)}


def test_dead_reckoning_keeps_the_pose_where_many_look_alike() -> None:
    localizer, pose = Localizer(PATTERNS), Pose(1, 1, Facing.SOUTH)
    look(localizer, pose)
    for move in (Move.FORWARD, Move.STEP_LEFT, Move.STEP_LEFT, Move.TURN_RIGHT, Move.BACKWARD):
        pose = pose.after(move)
        assert look(localizer, pose, move=move) == pose


def test_walls_that_come_into_view_settle_the_pose() -> None:
    localizer, pose = Localizer(PATTERNS), Pose(2, 2, Facing.WEST)
    assert look(localizer, pose) is None
    pose = pose.after(Move.FORWARD)
    assert look(localizer, pose, move=Move.FORWARD) is None
    pose = pose.after(Move.STEP_RIGHT)
    assert look(localizer, pose, move=Move.STEP_RIGHT) == pose


def test_step_into_a_wall_changes_nothing() -> None:
    localizer, corner = Localizer(PATTERNS), Pose(1, 1, Facing.NORTH)
    look(localizer, corner)
    assert look(localizer, corner, move=Move.FORWARD) == corner


def after_doubtful_step(stayed: float) -> Localizer:
    """A localizer certain of (3, 2) before a step forward that failed with probability `stayed`."""
    localizer, pose = Localizer(PATTERNS), Pose(1, 1, Facing.EAST)
    look(localizer, pose)
    for move in (Move.STEP_RIGHT, Move.FORWARD, Move.FORWARD):
        pose = pose.after(move)
        assert look(localizer, pose, move=move) == pose
    look(localizer, pose, move=Move.FORWARD, stayed=stayed)
    return localizer


def test_after_a_step_that_may_have_failed_both_poses_are_possible_the_likelier_first() -> None:
    stayed, moved = Pose(3, 2, Facing.EAST), Pose(4, 2, Facing.EAST)
    assert after_doubtful_step(UNDECIDED).candidates == after_doubtful_step(LIKELY).candidates == (stayed, moved)
    assert after_doubtful_step(UNLIKELY).candidates == (moved, stayed)


def test_wall_that_fails_to_appear_corrects_a_wrong_guess() -> None:
    localizer = after_doubtful_step(UNLIKELY)  # it failed all the same
    look(localizer, Pose(4, 2, Facing.EAST), move=Move.FORWARD)
    assert look(localizer, Pose(5, 2, Facing.EAST), move=Move.FORWARD) == Pose(6, 2, Facing.EAST)
    assert look(localizer, Pose(6, 2, Facing.EAST), move=Move.FORWARD) == Pose(6, 2, Facing.EAST)


def test_hidden_cells_are_not_compared() -> None:
    corner = Pose(1, 1, Facing.NORTH)
    walls = PATTERNS.wall_sets[PATTERNS.number[corner]]
    covered = 0b001  # ahead to the left, where the corner's own stone is
    assert Localizer(PATTERNS).update(walls & ~covered, 0, corner.facing, Move.NOOP, 0.0) is None
    assert Localizer(PATTERNS).update(walls & ~covered, covered, corner.facing, Move.NOOP, 0.0) == corner


def test_hidden_cells_contradict_no_belief() -> None:
    localizer, pose = Localizer(PATTERNS), Pose(1, 3, Facing.NORTH)
    for start in (Pose(1, 1, Facing.SOUTH), Pose(1, 2, Facing.SOUTH), Pose(1, 3, Facing.SOUTH)):
        look(localizer, start, move=Move.NOOP if start.y == 1 else Move.FORWARD)
    facing_north = [pose.after(Move.TURN_RIGHT).after(Move.TURN_RIGHT) for pose in (Pose(1, 3, Facing.SOUTH),)]
    assert facing_north == [pose]
    look(localizer, Pose(1, 3, Facing.WEST), move=Move.TURN_RIGHT)
    walls = PATTERNS.wall_sets[PATTERNS.number[pose]]
    covered = walls & -walls  # one of the wall's stones along which all cells look alike
    assert localizer.update(walls & ~covered, covered, Facing.NORTH, Move.TURN_RIGHT, 0.0) == pose


def test_after_a_removal_or_a_view_that_contradicts_all_beliefs_every_pose_is_possible_again() -> None:
    for is_removed in (True, False):
        localizer, elsewhere = Localizer(PATTERNS), Pose(7, 6, Facing.SOUTH)
        look(localizer, Pose(1, 1, Facing.NORTH))
        if is_removed:
            localizer.reset()
        assert bool(localizer.candidates) != is_removed
        assert look(localizer, elsewhere) == elsewhere


def test_view_that_no_pose_shows_has_no_pose() -> None:
    assert Localizer(PATTERNS).update(0b010101010, 0, None, Move.NOOP, 0.0) is None
