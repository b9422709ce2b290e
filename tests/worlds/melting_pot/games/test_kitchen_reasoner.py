"""The built-in reasoner in a kitchen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hm_agent.core import Hypothesis
from hm_agent.theory_of_mind.decision_questions import ChooseStrategy, Plan
from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.theory_of_mind.mind_questions import Predict, Propose
from hm_agent.worlds.melting_pot.games.cooking.failures import CritiqueInteraction
from hm_agent.worlds.melting_pot.games.cooking.kitchen import COUNTER, Pot
from hm_agent.worlds.melting_pot.games.cooking.reasoner import beam_search
from hm_agent.worlds.melting_pot.games.cooking.reasoner.beam_search import MOST_PLANNED
from hm_agent.worlds.melting_pot.games.cooking.reasoner.teammate_model import LIBRARY
from hm_agent.worlds.melting_pot.games.cooking.roles import (
    BEHAVIOURS,
    EVERYTHING,
    LOADS,
    ROLES,
    SERVES,
    STANDS,
    role_in,
)
from hm_agent.worlds.melting_pot.games.cooking.rounds import KitchenInteraction, Pace
from hm_agent.worlds.melting_pot.grid import Facing, Pose
from tests.support.melting_pot.asking import ask
from tests.worlds.melting_pot.games.kitchen_examples import (
    KITCHEN_EXAMPLES,
    LOWER,
    NEWLY_THERE,
    NOW,
    PLAN_COOKING,
    REFUSED,
    ROOM,
    TEAMMATE,
    UPPER,
    ended,
    planned,
    room_of,
)

TOMATOES, DELIVERY, DISHES = "interact((0, 1))", "interact((3, 1))", "interact((3, 4))"


def plan(question: Plan) -> list[str]:
    return ask(question).calls


def propose(history: Sequence[KitchenInteraction], best: tuple[Hypothesis, ...] = ()) -> str:
    return ask(Propose(NOW, TEAMMATE, tuple(history), best)).hypothesis


def predict(words: str | None, history: Sequence[KitchenInteraction] = (), pace: Pace = NOW.pace) -> str:
    asked = (Hypothesis(words),) if words else ()
    question = Predict(replace(NOW, pace=pace), TEAMMATE, tuple(history), asked, decides=False)
    return str(ask(question).next[-1].does)


def pot(cell: tuple[int, int], tomatoes: int, ready: int | None = None) -> Pot:
    return Pot(cell, tomatoes, None, ROOM.step, is_full=tomatoes >= 3, ready=ready)


def kitchen(upper: Pot, lower: Pot, hands: str | None, expected: str | None) -> Plan:
    return planned(PLAN_COOKING, pots=(upper, lower), hands=hands, role=None, expected=expected, pace=Pace())


def test_steady_teammate_is_predicted_from_its_rounds() -> None:
    for role in ROLES:
        history = [ended(40 * n, role, "you") for n in range(3)]
        assert role_in(predict(propose(history), history)) == role


def test_every_strategy_is_recognised_by_its_words() -> None:
    history = [ended(40, SERVES, "you")]
    for strategy in LIBRARY:
        assert role_in(predict(strategy.words, history)) == strategy.predict(history)
    assert len({strategy.words for strategy in LIBRARY}) == len(LIBRARY)


def test_rounds_without_a_role_change_no_hypothesis() -> None:
    clear = [ended(40, LOADS, "you"), ended(80, LOADS, "you")]
    assert propose([*clear, ended(120, None, "you")]) == propose(clear)


def test_teammate_that_has_changed_gets_a_new_hypothesis() -> None:
    history = [ended(40 * n, STANDS if n < 4 else SERVES, "you") for n in range(8)]
    assert role_in(predict(propose(history), history)) == SERVES


def test_hypothesis_with_a_high_value_is_proposed_again() -> None:
    history = [ended(40, LOADS, "you"), ended(80, STANDS, "you"), ended(120, LOADS, "you")]
    slow = next(each.words for each in LIBRARY if "slowly" in each.words and each.role == LOADS)
    assert propose(history, (Hypothesis(slow, 0.66, LOADS),)) == slow


def test_unknown_hypothesis_is_answered_by_the_commonest_role() -> None:
    history = [ended(40 * n, role, "you") for n, role in enumerate((LOADS, SERVES, SERVES))]
    assert role_in(predict("It dreams.", history)) == SERVES
    assert predict(None) in BEHAVIOURS


@pytest.mark.parametrize(("tomatoes", "tempo"), [(14, "promptly"), (2, "slowly")])
def test_tempo_is_predicted_from_the_measured_pace(tomatoes: int, tempo: str) -> None:
    history = [ended(40 * n, LOADS, "you") for n in range(3)]
    assert predict(propose(history), history, Pace(tomatoes, 121, 0, 0)) == f"{LOADS} {tempo}"
    slow = next(each.words for each in LIBRARY if each.tempo == "slowly" and each.role == LOADS)
    assert predict(slow, history, Pace(tomatoes, 121, 0, 0)) == f"{LOADS} slowly"


def test_every_hypothesis_gets_its_own_prediction() -> None:
    asked = tuple(Hypothesis(each.words) for each in LIBRARY)
    question = Predict(NOW, TEAMMATE, (ended(40, SERVES, "you"),), asked, decides=False)
    assert [role_in(each.does) for each in ask(question).next] == [each.role or SERVES for each in LIBRARY]


def test_chosen_role_shares_the_work() -> None:
    for expected, role in (
        ("loads pots promptly", SERVES),
        ("serves soup promptly", LOADS),
        (STANDS, EVERYTHING),
        ("does everything slowly", EVERYTHING),
        (None, EVERYTHING),
    ):
        question = ChooseStrategy(NOW, (), others=(PlayerBelief(TEAMMATE, None, expected),), is_rule=False)
        assert ask(question).strategy.role == role, expected


def test_a_cook_alone_delivers_fetches_or_fills_whichever_comes_first() -> None:
    fetched = [DISHES, "wait((4, 2))", "interact((4, 2))", DELIVERY]
    for upper, lower, hands, begins in (
        (pot(UPPER, 0), pot(LOWER, 0), "soup", [DELIVERY]),
        (pot(UPPER, 3, 200), pot(LOWER, 0), None, fetched),
        (pot(UPPER, 3, 231), pot(LOWER, 0), None, [TOMATOES, "interact((4, 3))"]),
        (pot(UPPER, 0), pot(LOWER, 0), None, [TOMATOES, "interact((4, 2))"] * 3),
    ):
        assert plan(kitchen(upper, lower, hands, STANDS))[: len(begins)] == begins


def test_a_cook_that_loads_keeps_loading_but_brings_no_tomato_to_a_full_pot() -> None:
    question = kitchen(pot(UPPER, 3, 200), pot(LOWER, 2), None, SERVES)
    assert plan(planned(question, role=LOADS))[:2] == [TOMATOES, "interact((4, 3))"]
    assert plan(REFUSED)[0] != "interact((4, 2))"


def test_cook_that_knows_no_station_explores() -> None:
    (call,) = plan(NEWLY_THERE)
    assert call in ("move_to((1, 3))", "move_to((2, 3))", "move_to((3, 3))")


def test_no_pot_is_filled_too_late_to_be_delivered() -> None:
    question = kitchen(pot(UPPER, 0), pot(LOWER, 3, 985), None, STANDS)
    assert plan(planned(question, step=984))[0] == DISHES


@pytest.mark.parametrize("name", ["critique_interaction", "critique_bare_counter"])
def test_a_failure_is_explained_by_the_rules(name: str) -> None:
    question = KITCHEN_EXAMPLES[name]
    assert isinstance(question, CritiqueInteraction)
    words = ask(question).critique
    assert ("holds 3 tomatoes already" if question.hands else "Nothing lies there") in words


CONTENTS = st.sampled_from([(0, None), (1, None), (2, None), (3, 180), (3, 214), (3, 231)])
POSES = st.sampled_from([Pose(x, y, f) for x, y in ((1, 1), (1, 2), (2, 2), (3, 2), (1, 3), (3, 3)) for f in Facing])


@given(
    CONTENTS,
    CONTENTS,
    st.sampled_from([None, "tomato", "dish", "soup"]),
    st.sampled_from([None, *ROLES]),
    POSES,
    st.integers(0, 999),
)
def test_every_plan_is_valid_and_short(
    upper: tuple[int, int | None],
    lower: tuple[int, int | None],
    hands: str | None,
    expected: str | None,
    pose: Pose,
    step: int,
) -> None:
    question = kitchen(pot(UPPER, *upper), pot(LOWER, *lower), hands, expected)
    pots = tuple(replace(each, step=step) for each in room_of(question).pots)
    calls = plan(planned(question, step=step, pose=pose, pots=pots))
    assert 1 <= len(calls) <= MOST_PLANNED


def test_earlier_searches_change_no_plan() -> None:
    bare = tuple(station for station in ROOM.stations if station.kind != COUNTER)
    pots = pot(UPPER, 2), pot(LOWER, 3, ROOM.step + 60)
    questions = [
        planned(PLAN_COOKING, pots=pots, hands=None, role=role, spare=spare, stations=stations)
        for role, spare, stations in (
            (LOADS, ROOM.spare, ROOM.stations),
            (LOADS, (), ROOM.stations),
            (LOADS, ROOM.spare, bare),
            (SERVES, ROOM.spare, ROOM.stations),
        )
    ]
    alone = []
    for question in questions:
        beam_search._states_in.cache_clear()
        alone.append(plan(question))
    assert [plan(question) for question in (*questions, *questions)] == [*alone, *alone]
