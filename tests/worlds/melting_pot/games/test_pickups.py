"""What the opponent takes, as it is found out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.worlds.melting_pot.facts import Counts
from hm_agent.worlds.melting_pot.games.matrix.facts import INTERACTING, READY
from hm_agent.worlds.melting_pot.games.matrix.pickups import (
    RESPAWN_GAP,
    Gathering,
    GatheringReader,
    Pickup,
    PickupRecord,
)
from hm_agent.worlds.melting_pot.grid import NOWHERE, Cell, Pose
from hm_agent.worlds.melting_pot.memory.entities import Disappearance
from hm_agent.worlds.melting_pot.perception.textual_map import Detection, TextualMap

OWN = (1, 3)
THINGS, BEHAVIOURS = ("yellow_box", "purple_box"), ("rock", "paper")


def reader() -> GatheringReader:
    return GatheringReader(THINGS, BEHAVIOURS, 1, ("opponent",))


def seeing(**players: tuple[Cell, str | None]) -> TextualMap:
    """A frame that shows these players, each at a cell and with a mark."""
    sights = tuple(Detection(name, (1, 0), cell, 0, mark, is_player=True) for name, (cell, mark) in players.items())
    return TextualMap(Pose(1, 1, 0), True, None, sights, NOWHERE, 0)


NOBODY = seeing()


def gone(kind: str, seen: int) -> Disappearance:
    return Disappearance(kind, (3, 3), seen)


def test_pickups_add_up_and_suggest_the_leading_kind() -> None:
    reading = reader()
    assert reading.read(5, NOBODY, [gone("yellow_box", 1)], OWN) == (Gathering(5, "opponent", "rock", (1, 0), OWN),)
    assert reading.read(6, NOBODY, [gone("purple_box", 2)], OWN) == (Gathering(6, "opponent", None, (1, 1), OWN),)
    assert reading.read(9, NOBODY, [gone("purple_box", 2)] * 2, OWN) == (
        Gathering(9, "opponent", "paper", (1, 3), OWN),
    )


def test_a_thing_that_vanishes_in_view_was_taken_only_by_who_stands_there() -> None:
    reading = reader()
    assert reading.read(5, NOBODY, [gone("yellow_box", 4)], OWN) == ()
    (clue,) = reading.read(6, seeing(opponent=((3, 3), READY)), [gone("yellow_box", 5)], OWN)
    assert clue.taken == (1, 0)


def test_no_disappearance_is_no_clue() -> None:
    assert reader().read(5, NOBODY, [], OWN) == ()


@pytest.mark.parametrize(
    ("lost", "taken"),
    [
        (gone("purple_box", 25), [(0, 1)]),
        (gone("yellow_box", 10), []),  # it may have been part of what was held in the interaction
        (gone("purple_box", 10), [(0, 1)]),  # of a kind not held there: it was taken after it
    ],
)
def test_the_count_starts_anew_with_each_interaction(lost: Disappearance, taken: list[Counts]) -> None:
    reading = reader()
    reading.read(5, NOBODY, [gone("yellow_box", 1)], OWN)
    reading.reset_partner("opponent", 20, held=(4, 1))
    assert [clue.taken for clue in reading.read(30, NOBODY, [lost], OWN)] == taken


def test_a_clue_suggests_what_leads_and_nothing_in_a_tie() -> None:
    reading = among_many()
    kinds = ["purple_box", "purple_box", "yellow_box", "yellow_box", "yellow_box"]
    suggested = [clue.suggests for step, kind in enumerate(kinds, 5) for clue in taking(reading, step, kind)]
    assert suggested == ["paper", "paper", "paper", None, "rock"]


def test_a_lead_of_one_pickup_is_a_slight_clue_of_the_only_other_player() -> None:
    kinds = ["purple_box", "purple_box", "yellow_box", "yellow_box", "yellow_box"]
    reading, crowd = reader(), among_many()
    alone = [reading.read(step, NOBODY, [gone(kind, 1)], OWN) for step, kind in enumerate(kinds, 5)]
    assert [clue.is_slight for clues in alone for clue in clues] == [True, False, True, True, True]
    assert not any(clue.is_slight for step, kind in enumerate(kinds, 5) for clue in taking(crowd, step, kind))


def test_a_lead_is_clear_once_it_is_more_than_a_slight_clue() -> None:
    alone, crowd = reader(), among_many()
    assert not alone.has_clear_lead("opponent")
    alone.read(5, NOBODY, [gone("purple_box", 1)], OWN)
    assert not alone.has_clear_lead("opponent")
    alone.read(6, NOBODY, [gone("purple_box", 1)], OWN)
    assert alone.has_clear_lead("opponent")
    taking(crowd, 5, "purple_box")
    assert crowd.has_clear_lead("second")
    assert not crowd.has_clear_lead("first")


def among_many() -> GatheringReader:
    return GatheringReader(THINGS, BEHAVIOURS, 1, ("first", "second"))


def test_player_on_the_cell_of_a_disappeared_thing_has_taken_it() -> None:
    view = seeing(first=((5, 5), None), second=((3, 3), READY))
    assert among_many().read(5, view, [gone("purple_box", 4)], OWN) == (Gathering(5, "second", "paper", (0, 1), OWN),)


def test_disappearance_away_from_all_players_is_attributed_to_none() -> None:
    assert among_many().read(5, seeing(first=((5, 5), None)), [gone("purple_box", 4)], OWN) == ()


def taking(reading: GatheringReader, step: int, kind: str) -> tuple[Gathering, ...]:
    """The second player takes a thing in view."""
    return reading.read(step, seeing(second=((3, 3), READY)), [gone(kind, step - 1)], OWN)


@pytest.mark.parametrize("mark", [INTERACTING, None])
def test_interaction_or_missing_ready_mark_resets_a_players_pickups(mark: str | None) -> None:
    reading = among_many()
    taking(reading, 5, "purple_box")
    over = Gathering(9, "second", None, (0, 0), OWN)
    assert reading.read(9, seeing(second=((3, 4), mark)), [], OWN) == (over,)
    assert reading.read(10, seeing(second=((3, 4), mark)), [], OWN) == ()
    assert taking(reading, 12, "yellow_box") == (Gathering(12, "second", "rock", (1, 0), OWN),)
    assert reading.former_records("second") == (PickupRecord(5, (0, 1)),)


def test_long_gap_between_pickups_means_a_respawn() -> None:
    reading = among_many()
    taking(reading, 5, "purple_box")
    taking(reading, 5 + RESPAWN_GAP - 1, "purple_box")
    assert reading.former_records("second") == ()
    assert taking(reading, 200, "yellow_box") == (Gathering(200, "second", "rock", (1, 0), OWN),)
    assert reading.former_records("second") == (PickupRecord(5 + RESPAWN_GAP - 1, (0, 2)),)


def test_long_gap_means_no_respawn_of_a_single_opponent() -> None:
    reading = reader()
    reading.read(5, NOBODY, [gone("purple_box", 2)], OWN)
    assert reading.read(300, NOBODY, [gone("purple_box", 290)], OWN)[0].taken == (0, 2)


def test_life_that_ends_in_an_interaction_with_the_agent_is_no_former_one() -> None:
    reading = among_many()
    taking(reading, 5, "purple_box")
    facing = replace(seeing(second=((3, 4), INTERACTING)), mark=INTERACTING)
    assert reading.read(9, facing, [], OWN) == ()
    reading.reset_partner("second", 25, held=(1, 2))
    assert reading.former_records("second") == ()


def test_single_pickups_tell_where_and_when_and_whether_the_player_was_seen_taking_them() -> None:
    reading = reader()
    reading.read(5, NOBODY, [gone("yellow_box", 1)], OWN)
    (clue,) = reading.read(8, seeing(opponent=((3, 3), READY)), [gone("purple_box", 7)], OWN)
    assert clue.pickups == (Pickup(5, "rock", (3, 3), False), Pickup(8, "paper", (3, 3), True))
    assert reading.leading("opponent") is None
    reading.read(9, NOBODY, [gone("purple_box", 7)], OWN)
    assert reading.leading("opponent") == "paper"


def test_nothing_is_a_clue_while_the_agent_interacts_with_the_only_other_player() -> None:
    frozen = replace(NOBODY, mark=INTERACTING)
    assert reader().read(5, frozen, [gone("yellow_box", 1)], OWN) == ()


def test_a_gap_as_long_as_a_respawn_ends_a_life_and_the_records_of_all_lives_stay() -> None:
    reading, steps = among_many(), [5 + life * RESPAWN_GAP for life in range(3)]
    for step in steps:
        taking(reading, step, "purple_box")
    assert reading.former_records("second") == tuple(PickupRecord(step, (0, 1)) for step in steps[:2])


def test_the_present_record_is_of_the_step_of_its_latest_pickup() -> None:
    reading = among_many()
    taking(reading, 5, "purple_box")
    taking(reading, 9, "purple_box")
    assert reading.present_record("second") == PickupRecord(9, (0, 2))


def test_while_the_agent_interacts_with_one_of_many_it_still_sees_what_others_take() -> None:
    view = replace(seeing(second=((3, 3), READY)), mark=INTERACTING)
    assert among_many().read(5, view, [gone("purple_box", 4)], OWN) == (Gathering(5, "second", "paper", (0, 1), OWN),)


def test_what_was_seen_once_an_interaction_was_over_was_in_no_inventory_of_it() -> None:
    reading = reader()
    reading.reset_partner("opponent", 20, held=(4, 1))
    reading.reset_partner("opponent", 40, held=(1, 4))
    assert reading.read(50, NOBODY, [gone("yellow_box", 19), gone("purple_box", 39)], OWN) == ()
    assert [clue.taken for clue in reading.read(51, NOBODY, [gone("yellow_box", 20)], OWN)] == [(1, 0)]
