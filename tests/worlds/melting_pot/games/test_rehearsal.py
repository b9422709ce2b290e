"""Which plans a cook can't carry out whatever the teammate does, and when a running plan is given up."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hm_agent.questions import answer_schema
from hm_agent.theory_of_mind.decision_questions import CallsAnswer, Plan
from hm_agent.worlds.melting_pot.games.cooking.counted_on import what_is_gone
from hm_agent.worlds.melting_pot.games.cooking.kitchen import COUNTER, Pot, Station
from hm_agent.worlds.melting_pot.games.cooking.room_seat import Barred
from hm_agent.worlds.melting_pot.grid import Cell, Pose
from hm_agent.worlds.melting_pot.planning.calls import Call, Interact, Wait
from tests.worlds.melting_pot.games.kitchen_examples import LOWER, PLAN_COOKING, ROOM, UPPER, planned, room_of

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
CALLS = answer_schema(PLAN_COOKING)["properties"]["calls"]["items"]
"""The form of any call but the first."""


def check(*calls: str, hands: str | None = None, pots: tuple[Pot, ...] = ROOM.pots) -> None:
    planned(PLAN_COOKING, hands=hands, pots=pots).check(CallsAnswer(calls=list(calls)))


def pot(cell: Cell, tomatoes: int, ready: int | None = None) -> Pot:
    return Pot(cell, tomatoes, None, ROOM.step, is_full=tomatoes == 3, ready=ready)


@pytest.mark.parametrize(
    ("calls", "hands"),
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
def test_plan_that_may_work_is_accepted(calls: tuple[str, ...], hands: str | None) -> None:
    check(*calls, hands=hands)


@pytest.mark.parametrize(
    ("calls", "hands", "problem"),
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
def test_call_that_cannot_work_is_refused(calls: tuple[str, ...], hands: str | None, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check(*calls, hands=hands)


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


# What a plan may begin with

THINGS = st.sampled_from([None, "tomato", "dish"])
HANDS = st.sampled_from([None, "tomato", "dish", "soup"])


@st.composite
def pots_now(draw: st.DrawFn, cell: Cell) -> Pot:
    """A pot with any content, in view or seen some time ago."""
    tomatoes, step = draw(st.integers(0, 3)), ROOM.step - draw(st.integers(0, 30))
    ready = step + draw(st.integers(-5, 20)) if tomatoes == 3 else None
    mark = None if ready is None else "cooked" if ready <= step else "40%"
    return Pot(cell, tomatoes, mark, step, is_full=tomatoes == 3, ready=ready)


@st.composite
def moments(draw: st.DrawFn) -> Plan:
    """A question about a plan in any state of hands, pots and a counter, with a station that is barred or none."""
    thing, pose = draw(THINGS), Pose(*draw(st.sampled_from(ROOM.floor)), draw(st.integers(0, 3)))
    others = tuple(station for station in ROOM.stations if station.kind != COUNTER)
    counter = (Station(COUNTER, (0, 3), thing, 180),) if thing else ()
    barred = draw(st.none() | st.sampled_from(sorted(ROOM.reach)))
    return planned(
        PLAN_COOKING,
        hands=draw(HANDS),
        pose=pose,
        pots=(draw(pots_now(UPPER)), draw(pots_now(LOWER))),
        stations=(*others, *counter),
        spare=(*ROOM.spare, *(() if thing else ((0, 3),))),
        barred=(Barred(barred, "it gave nothing"),) if barred else (),
    )


def is_refused(question: Plan, *calls: str) -> bool:
    try:
        question.check(CallsAnswer(calls=list(calls)))
    except ValueError:
        return True
    return False


@given(moments())
def test_the_form_of_the_first_call_allows_what_the_check_accepts_and_nothing_else(question: Plan) -> None:
    (first,) = answer_schema(question)["properties"]["calls"]["prefixItems"]
    cells = [(x, y) for x in range(9) for y in range(5)]
    calls = [f"{name}({cell})" for name in ("interact", "move_to", "wait") for cell in cells]
    used = [call for call in calls if not call.startswith("wait") or call in (WAIT, "wait((4, 3))")]
    allowed = [call for call in used if re.search(first["pattern"], call)]
    assert allowed == [call for call in used if not is_refused(question, call)]
    assert [f"interact({cell})" for cell in room_of(question).usable] == [
        call for call in allowed if call.startswith("interact")
    ]


@given(moments())
def test_the_form_of_later_calls_does_not_depend_on_the_hands(question: Plan) -> None:
    assert answer_schema(question)["properties"]["calls"]["items"] == CALLS


def test_a_plan_asked_for_with_other_hands_begins_with_other_calls() -> None:
    assert ROOM.usable == ((0, 1), (0, 3), (3, 4))
    assert replace(ROOM, hands="soup").usable == ((0, 2), (1, 0), (1, 4), (2, 1), (2, 4), (3, 1))


@given(moments(), st.lists(st.from_regex(CALLS["pattern"], fullmatch=True), min_size=1, max_size=10))
def test_the_usable_part_of_a_plan_ends_where_the_plan_fails(question: Plan, calls: list[str]) -> None:
    part = question.usable_part(CallsAnswer(reasoning="why", calls=calls))
    count = len(part.calls) if part else 0
    assert part in (None, CallsAnswer(reasoning="why", calls=calls[:count]))
    assert count == 0 or not is_refused(question, *calls[:count])
    assert count == len(calls) or is_refused(question, *calls[: count + 1])


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
    rest: tuple[Call, ...], before: dict[Cell, Station], now: dict[Cell, Station], why: str | None
) -> None:
    assert what_is_gone(rest, None, before, now, full=3) == why


def test_soup_that_the_agent_takes_itself_is_not_missed() -> None:
    rest = (Interact((3, 1)), *SERVE)
    assert what_is_gone(rest, "soup", stations(3), stations(0), full=3, own=UPPER) is None
    assert what_is_gone(rest, "soup", stations(3), stations(0), full=3) is not None
