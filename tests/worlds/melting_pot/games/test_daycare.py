"""Daycare: what is seen of hands and fruit, against the engine's rewards, and what is best against each rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hm_agent.theory_of_mind.mind import PlayerBelief
from hm_agent.worlds.melting_pot.games.daycare import DaycareKind
from hm_agent.worlds.melting_pot.games.daycare.care import (
    ATTENDS,
    FORAGES,
    PARENTS,
    POINTS,
    REFUSES,
    child_calls,
    parent_calls,
)
from hm_agent.worlds.melting_pot.games.daycare.daycare_facts import CHILD, PARENT, DaycareFacts
from hm_agent.worlds.melting_pot.games.daycare.daycare_mind import best_calls
from hm_agent.worlds.melting_pot.games.daycare.daycare_seat import DaycareFollower, DaycareNotes, DaycareSeat
from hm_agent.worlds.melting_pot.games.daycare.hands import EATS, FruitKnown
from hm_agent.worlds.melting_pot.games.open.calls import UseAction
from hm_agent.worlds.melting_pot.games.open.conduct import ConductSeen
from hm_agent.worlds.melting_pot.games.open.greedy import believed_rule
from hm_agent.worlds.melting_pot.grid import Move
from hm_agent.worlds.melting_pot.scenarios import game_named, scenario_named
from hm_agent.worlds.melting_pot.simulator.substrate import actions_of
from hm_agent.worlds.melting_pot.simulator.world import SelfPlayWorld

STEPS = 52


@pytest.fixture(scope="module")
def played() -> tuple[float, DaycareSeat, DaycareSeat, Sequence[ConductSeen]]:
    """A parent that forages beside a child that turns: its reward, both seats at the end, what the child saw."""
    facts, actions = game_named("daycare", DaycareFacts), actions_of("daycare")
    player = DaycareKind().bots(facts)._player(facts, 0, 1, ["forages"])
    watching = DaycareNotes(facts, 0)
    world = SelfPlayWorld(scenario_named("daycare_selfplay"))
    turn, reward, seen = world.reset(seed=3), 0.0, list[ConductSeen]()
    for _ in range(STEPS):
        seen += [event for event in watching.read(turn.observations[CHILD]) if isinstance(event, ConductSeen)]
        watching.note_action(actions(Move.TURN_RIGHT))
        move = player.act(turn.observations[PARENT].view, turn.rewards.get(PARENT, 0.0))
        turn = world.step({CHILD: Move.TURN_RIGHT, PARENT: move})
        reward += turn.rewards[PARENT]
    world.close()
    child, parent = watching.situation, player._notes.situation
    assert isinstance(child, DaycareSeat)
    assert isinstance(parent, DaycareSeat)
    return reward, parent, child, seen


def test_each_fruit_that_a_parent_eats_beside_its_child_pays_one(
    played: tuple[float, DaycareSeat, object, object],
) -> None:
    reward, parent, _, _ = played
    taken = [each for each in parent.fruit if each.is_own_reach]
    assert reward >= 5
    assert len(taken) - 1 <= reward <= len(taken) + 1  # one may be in the hand, one may have been eaten twice


def test_a_child_sees_that_its_parent_eats_the_fruit_itself(
    played: tuple[float, DaycareSeat, DaycareSeat, Sequence[ConductSeen]],
) -> None:
    _, _, child, seen = played
    assert {event.interaction.behaviour for event in seen} <= set(child.behaviours)
    assert any(event.interaction.behaviour == EATS for event in seen)


def test_a_parent_brings_what_its_child_points_at_once_that_gets_hungry(
    played: tuple[float, DaycareSeat, object, object],
) -> None:
    _, parent, _, _ = played
    cell = parent.cells_of(("apple in tree",))[-1]
    wanted = FruitKnown(cell, other=4, when=parent.step - 5)
    hungry = replace(
        parent,
        held=None,
        grown=None,
        fruit=(wanted,),
        step=150,
        sighted={CHILD: replace(*parent.sighted.values(), step=149)},
    )
    assert parent_calls(hungry, POINTS)[0] == UseAction("grasp", cell)
    assert UseAction("grasp", cell) not in parent_calls(replace(hungry, child_ate=140), POINTS)
    for rule in (None, REFUSES):
        assert parent_calls(hungry, rule)[0] == parent_calls(replace(hungry, fruit=()), rule)[0]


def test_a_child_without_help_prefers_fruit_that_it_could_take_before(
    played: tuple[float, object, DaycareSeat, object],
) -> None:
    _, _, child, _ = played
    near, far = (child.here[0] + 1, child.here[1]), (child.here[0] + 4, child.here[1])
    bananas = {near: ("banana in shrub", 0), far: ("banana in shrub", 0)}
    tried = FruitKnown(near, own=6), FruitKnown(far, is_own_reach=True)
    seat = replace(child, seen=bananas, fruit=tried, held=None, sighted={})
    assert child_calls(seat, FORAGES)[0] == UseAction("grasp", far)
    assert child_calls(replace(seat, fruit=()), FORAGES)[0] == UseAction("grasp", near)


def test_a_child_looks_after_itself_whatever_its_parent_does(played: tuple[float, object, DaycareSeat, object]) -> None:
    _, _, child, _ = played
    bananas = {(child.here[0] + x, child.here[1]): ("banana in shrub", 0) for x in (1, 4)}
    seat = replace(child, seen=bananas, held=None, other_held="apple")
    assert best_calls(seat, ATTENDS) == best_calls(seat, FORAGES) != child_calls(seat, ATTENDS)


def test_a_plan_answers_the_rule_that_is_believed_or_known(played: tuple[float, object, DaycareSeat, object]) -> None:
    _, _, child, _ = played
    assert believed_rule([PlayerBelief(PARENT, ATTENDS, None)], PARENTS) == ATTENDS
    assert believed_rule([PlayerBelief(PARENT, None, FORAGES)], PARENTS) == FORAGES
    assert believed_rule([PlayerBelief(PARENT, "It sings.", None)], PARENTS) is None
    assert best_calls(replace(child, held="apple"), None) == [UseAction("eat")]


def test_each_grasp_is_made_though_one_right_after_another_waits_a_step(
    played: tuple[float, DaycareSeat, DaycareSeat, object],
) -> None:
    _, parent, _, _ = played
    notes = DaycareNotes(parent.facts, 1)
    for plan in ([UseAction("grasp", None, 3)], [UseAction("grasp")] * 3):
        follower = DaycareFollower(notes)
        follower.follow(plan)
        actions = [follower.next_action(parent) for _ in range(6)]
        assert actions == [*(notes.actions[name] for name in ("GRASP", "NOOP", "GRASP", "NOOP", "GRASP")), None]
