"""What the opponent takes, as it is found out."""

from __future__ import annotations

from hm_agent.games.matrix.clues import Gathering, GatheringReader
from hm_agent.memory.entities import Loss

OWN = (1, 3)
THINGS, BEHAVIOURS = ("yellow_box", "purple_box"), ("rock", "paper")


def reader() -> GatheringReader:
    return GatheringReader(THINGS, BEHAVIOURS, 1, "opponent")


def gone(kind: str, seen: int) -> Loss:
    return Loss(kind, (3, 3), seen)


def test_losses_add_up_and_point_to_the_kind_that_leads() -> None:
    reading = reader()
    assert reading.read(5, [gone("yellow_box", 1)], OWN) == (Gathering(5, "opponent", "rock", (1, 0), OWN),)
    assert reading.read(6, [gone("purple_box", 2)], OWN) == (Gathering(6, "opponent", None, (1, 1), OWN),)
    assert reading.read(9, [gone("purple_box", 2)] * 2, OWN) == (Gathering(9, "opponent", "paper", (1, 3), OWN),)


def test_nothing_gone_is_no_clue() -> None:
    assert reader().read(5, [], OWN) == ()


def test_the_count_starts_anew_with_each_interaction() -> None:
    reading = reader()
    reading.read(5, [gone("yellow_box", 1)], OWN)
    reading.met(20, held=(4, 1))
    assert reading.read(30, [gone("purple_box", 25)], OWN) == (Gathering(30, "opponent", "paper", (0, 1), OWN),)


def test_what_the_opponent_may_have_brought_to_an_interaction_tells_nothing_of_the_next() -> None:
    reading = reader()
    reading.met(20, held=(4, 1))
    assert reading.read(30, [gone("yellow_box", 10)], OWN) == ()


def test_what_it_did_not_bring_was_taken_since() -> None:
    reading = reader()
    reading.met(20, held=(4, 1))
    assert reading.read(30, [gone("purple_box", 10)], OWN) == (Gathering(30, "opponent", "paper", (0, 1), OWN),)
