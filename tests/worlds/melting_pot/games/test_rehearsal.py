"""Which plans a cook can't carry out whatever the teammate does, and when a running plan is given up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hm_agent.worlds.melting_pot.games.cooking.counted_on import what_is_gone
from hm_agent.worlds.melting_pot.games.cooking.kitchen import Pot, Station
from hm_agent.worlds.melting_pot.games.game import PlanAnswer
from hm_agent.worlds.melting_pot.grid import Cell
from hm_agent.worlds.melting_pot.planning.subgoals import Interact, Subgoal, Wait
from tests.worlds.melting_pot.games.kitchen_examples import LOWER, PLAN_COOKING, UPPER

TOMATO, DISH, POT, OTHER, DELIVER = (
    "interact((0, 1))",
    "interact((3, 4))",
    "interact((4, 2))",
    "interact((4, 3))",
    "interact((3, 1))",
)
BARE, LADEN = "interact((2, 1))", "interact((0, 3))"
"""The calls that use a bare counter, and one with a dish on it."""
WAIT = "wait((4, 2))"


def check(*subgoals: str, hands: str | None = None, pots: tuple[Pot, ...] = PLAN_COOKING.pots) -> None:
    replace(PLAN_COOKING, hands=hands, pots=pots).check(PlanAnswer(subgoals=list(subgoals)))


def pot(cell: Cell, tomatoes: int, ready: int | None = None) -> Pot:
    return Pot(cell, tomatoes, None, PLAN_COOKING.step, is_full=tomatoes == 3, ready=ready)


@pytest.mark.parametrize(
    ("subgoals", "hands"),
    [
        ((TOMATO, OTHER, DISH, WAIT, POT, DELIVER), None),
        ((TOMATO, OTHER, TOMATO, OTHER, DISH, POT, DELIVER), None),
        ((LADEN, WAIT, POT, DELIVER), None),
        ((BARE, DISH, WAIT, POT, DELIVER, BARE, OTHER), "tomato"),
        ((DELIVER, TOMATO, OTHER), "soup"),
        ((WAIT, POT), "tomato"),
        (("wait((4, 3))", OTHER), "dish"),
    ],
)
def test_plan_that_may_work_is_accepted(subgoals: tuple[str, ...], hands: str | None) -> None:
    check(*subgoals, hands=hands)


@pytest.mark.parametrize(
    ("subgoals", "hands", "problem"),
    [
        (
            (DISH, POT, DELIVER),
            None,
            "call 2, .*: you would hold a dish then, and a pot that is not cooked takes none; wait",
        ),
        ((POT,), "dish", "call 1, .*: you hold a dish, and a pot that is not cooked takes none; wait there first"),
        ((POT,), "tomato", "call 1, .*: you hold a tomato, and a pot that is full takes none; wait there first"),
        ((POT,), None, "call 1, .*: you hold nothing, and a pot gives nothing to empty hands"),
        ((TOMATO, DELIVER), None, "call 2, .*: you would hold a tomato then, and the delivery takes only soup"),
        ((TOMATO, DISH), None, "call 2, .*: you would hold a tomato then, and a dispenser gives only into empty hands"),
        ((BARE,), None, "call 1, .*: you hold nothing, and nothing lies there"),
        ((LADEN, WAIT, POT, DELIVER, LADEN), None, "call 5, .*: you would hold nothing then, and nothing lies there"),
        ((LADEN,), "tomato", "call 1, .*: you hold a tomato, and a dish lies there already"),
        ((DISH, WAIT, POT, WAIT), None, "call 4, .*: you would hold soup then; deliver it instead of waiting"),
        ((TOMATO, OTHER, TOMATO, OTHER, TOMATO, OTHER), None, "call 6, .*: .* a pot that is full takes none"),
    ],
)
def test_call_that_cannot_work_is_refused(subgoals: tuple[str, ...], hands: str | None, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check(*subgoals, hands=hands)


def test_tomato_for_a_pot_that_is_full_and_cooks_on_arrival_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"call 2, .*: you would hold a tomato then, and a pot that is full takes none"
    ):
        check(TOMATO, POT, pots=(pot(UPPER, 3, 231), pot(LOWER, 0)))


def test_all_calls_that_cannot_work_are_named_at_once() -> None:
    with pytest.raises(
        ValueError, match=r"call 1, .* nothing lies there; call 3, .* a pot that is not cooked takes none"
    ):
        check(BARE, DISH, POT, pots=(pot(UPPER, 0), pot(LOWER, 0)))


def test_what_the_teammate_may_change_is_not_refused() -> None:
    check(TOMATO, POT, pots=(pot(UPPER, 3, 212), pot(LOWER, 3, 230)))  # it may have taken the soup by then
    check(DISH, POT, pots=(replace(pot(UPPER, 0), step=180), pot(LOWER, 0)))  # it may have filled the pot since


def test_station_not_seen_yet_may_be_a_pot_for_waits_and_uses_alike() -> None:
    check(WAIT, POT, hands="dish", pots=())
    with pytest.raises(ValueError, match="no pot stands there"):
        check("wait((2, 1))", pots=())


def stations(upper: int, *, dish: bool = True) -> dict[Cell, Station]:
    known = {
        UPPER: Station(f"pot_{upper}", UPPER, None, 0),
        LOWER: Station("pot_0", LOWER, None, 0),
        (0, 1): Station("tomato_dispenser", (0, 1), "tomato", 0),
        (3, 4): Station("dish_dispenser", (3, 4), "dish", 0),
    }
    return known | ({(0, 3): Station("counter", (0, 3), "dish", 0)} if dish else {})


FILL = (Interact((0, 1)), Interact(UPPER))
SERVE = (Interact((3, 4)), Wait(UPPER), Interact(UPPER))


@pytest.mark.parametrize(
    ("rest", "before", "now", "why"),
    [
        (FILL, stations(2), stations(3), "(4, 2) is full now, so it has no room for your tomato"),
        (SERVE, stations(3), stations(0), "the teammate has taken the soup from (4, 2)"),
        ((Wait(UPPER),), stations(3), stations(0), "the teammate has taken the soup from (4, 2)"),
        ((Interact((0, 3)),), stations(0), stations(0, dish=False), "the dish is gone from (0, 3)"),
        (FILL, stations(1), stations(2), None),
        (FILL, stations(3), stations(0), None),
        (SERVE, stations(2), stations(3), None),
        ((*SERVE, Interact((3, 1)), *FILL), stations(2), stations(3), None),
        ((Interact((0, 1)), Interact(LOWER)), stations(2), stations(3), None),
        ((Interact((3, 4)), Interact((0, 3))), stations(0), stations(0, dish=False), None),
    ],
)
def test_plan_is_given_up_when_something_it_counts_on_is_gone(
    rest: tuple[Subgoal, ...], before: dict[Cell, Station], now: dict[Cell, Station], why: str | None
) -> None:
    assert what_is_gone(rest, None, before, now, full=3) == why


def test_soup_that_the_agent_takes_itself_is_not_missed() -> None:
    rest = (Interact((3, 1)), *SERVE)
    assert what_is_gone(rest, "soup", stations(3), stations(0), full=3, own=UPPER) is None
    assert what_is_gone(rest, "soup", stations(3), stations(0), full=3) is not None
