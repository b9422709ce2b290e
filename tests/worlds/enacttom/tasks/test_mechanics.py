"""Each mechanic, played in the runtime and asked of the compiled problem."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hm_agent.worlds.enacttom.house.commands import (
    IDLE,
    ON,
    WITHIN,
    HouseCommand,
    close_it,
    communicate,
    navigate,
    open_it,
    pick,
    place,
    tell,
)
from hm_agent.worlds.enacttom.house.household import Household
from hm_agent.worlds.enacttom.house.runtime import HouseRuntime
from hm_agent.worlds.enacttom.tasks.mechanics import (
    Binding,
    HouseMechanics,
    InverseState,
    LimitedBandwidth,
    RemoteControl,
    RestrictedCommunication,
    RoomRestriction,
    StateMirroring,
)
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Proposition
from hm_agent.worlds.enacttom.verification.compiler import compile_task
from hm_agent.worlds.enacttom.verification.planner import PlanResult, solve
from hm_agent.worlds.enacttom.verification.planning_problem import Variant
from tests.support.enacttom.small_house import small_task

OPEN_HALL = Proposition("is_open", ("cabinet_1",))
OPEN_KITCHEN = Proposition("is_open", ("cabinet_2",))


class Played:
    """A small house and what happened in it. agent_0 begins in hall_1, agent_1 in kitchen_1."""

    def __init__(self, goal: Sequence[str], *bindings: Binding, opened: Sequence[str] = ()) -> None:
        self.household = Household(small_task(goal, bindings, opened=opened))
        self.runtime = HouseRuntime(self.household)

    def turn(self, first: HouseCommand = IDLE, second: HouseCommand = IDLE) -> list[str]:
        """Plays a turn and says how each action went."""
        self.runtime.step([first, second])
        return [outcome.kind.value for outcome in self.runtime.outcomes if outcome]

    def said(self) -> str:
        """What agent_0 is told of its latest action."""
        outcome = self.runtime.outcomes[0]
        return outcome.words if outcome else ""

    def is_so(self, *names: Proposition | Claim) -> bool:
        return self.runtime.holds(self.household.mask(names))

    def solved(self, **conditions: bool) -> PlanResult:
        task = self.household.task
        return solve(compile_task(self.household, Variant(task.goal, **conditions)))  # type: ignore[arg-type]


def commands(result: PlanResult) -> list[str]:
    return [f"{action.agent}:{action.command}" for action in result.actions]


def test_a_restricted_room_can_not_be_entered() -> None:
    barred = RoomRestriction(restricted_rooms=("kitchen_1",), for_agents=("agent_0",))
    played = Played(["(agent_in_room agent_0 kitchen_1)"])
    assert played.turn(navigate("kitchen_1")) == ["done", "done"]
    assert played.solved().status == "solved"
    played = Played(["(is_open cabinet_2)"], barred)
    assert played.turn(navigate("cabinet_2")) == ["failed", "done"]
    assert played.said() == "You cannot enter kitchen_1."
    assert played.household.room_of(0, played.runtime.state) == "hall_1"
    assert commands(played.solved()) == ["1:Open[cabinet_2]"]


def test_bandwidth_limits_the_messages_and_one_message_says_several_things() -> None:
    goal = ["(is_open cabinet_1)", "(K agent_1 (is_open cabinet_1))", "(K agent_1 (is_on_top cup_1 table_1))"]
    barred = RoomRestriction(restricted_rooms=("hall_1",), for_agents=("agent_1",))
    played = Played(goal, LimitedBandwidth(message_limits={"agent_0": 1}), barred)
    assert played.turn(communicate("One.", ["agent_1"])) == ["done", "done"]
    assert played.turn(communicate("Two.", ["agent_1"])) == ["failed", "done"]
    assert played.said() == "Not sent: you have no message left."
    assert commands(played.solved())[-1].startswith("0:Communicate")
    assert Played(goal, LimitedBandwidth(message_limits={"agent_0": 0}), barred).solved().status == "unsolvable"


@pytest.mark.parametrize(("messages", "status"), [(1, "unsolvable"), (2, "solved")])
def test_one_message_says_what_is_known_at_one_moment_alone(messages: int, status: str) -> None:
    """agent_0 has to ask before agent_1's only message, and to report after it."""
    bindings = (
        RoomRestriction(restricted_rooms=("kitchen_1",), for_agents=("agent_0",)),
        RoomRestriction(restricted_rooms=("hall_1",), for_agents=("agent_1",)),
        LimitedBandwidth(message_limits={"agent_0": messages, "agent_1": 1}),
    )
    goal = [f"(is_open cabinet_{number})" for number in (1, 2)]
    goal += ["(K agent_0 (is_open cabinet_2))", "(K agent_1 (is_open cabinet_1))"]
    secrets = {"agent_0": ("(wanted (is_open cabinet_2))",), "agent_1": ("(wanted (is_open cabinet_1))",)}
    task = small_task(goal, bindings, secrets=secrets)
    assert solve(compile_task(Household(task), Variant(task.goal))).status == status


def test_messages_reach_permitted_targets_alone() -> None:
    silent = RestrictedCommunication(allowed_targets={"agent_0": ()})
    barred = RoomRestriction(restricted_rooms=("hall_1",), for_agents=("agent_1",))
    played = Played(["(is_open cabinet_1)", "(K agent_1 (is_open cabinet_1))"], silent, barred)
    assert played.turn(communicate("Hello.", ["agent_1"])) == ["failed", "done"]
    assert played.runtime.inbox[1] == []
    assert played.runtime.messages_left[0] == 10
    assert played.solved().status == "unsolvable"


def test_a_remote_control_sets_its_target_elsewhere_and_its_actor_does_not_see_it() -> None:
    control = RemoteControl(trigger_object="cabinet_1", target_object="cabinet_2", target_state="open")
    barred = RoomRestriction(restricted_rooms=("kitchen_1",), for_agents=("agent_0",))
    played = Played(["(is_open cabinet_2)", "(K agent_0 (is_open cabinet_2))"], control, barred)
    assert not played.is_so(OPEN_KITCHEN)
    assert played.turn(open_it("cabinet_1")) == ["done", "done"]
    assert played.is_so(OPEN_HALL, OPEN_KITCHEN, Claim(("agent_1",), OPEN_KITCHEN))
    assert not played.is_so(Claim(("agent_0",), OPEN_KITCHEN))
    played.turn(close_it("cabinet_1"))
    assert played.is_so(OPEN_KITCHEN)
    assert played.solved(is_silent=True).status == "unsolvable"
    alone = Played(["(is_open cabinet_2)"], control, barred)
    only = Variant(alone.household.task.goal, idle=frozenset(["agent_1"]))
    assert commands(solve(compile_task(alone.household, only))) == ["0:Open[cabinet_1]"]


def test_mirrored_furniture_is_always_in_one_state() -> None:
    played = Played(["(is_open cabinet_1)"], StateMirroring(trigger_object="cabinet_1", target_object="cabinet_2"))
    for command in (open_it("cabinet_1"), close_it("cabinet_1"), open_it("cabinet_1")):
        played.turn(command)
        assert played.is_so(OPEN_HALL) == played.is_so(OPEN_KITCHEN)
    played.turn(IDLE, close_it("cabinet_2"))
    assert not played.is_so(OPEN_HALL)
    apart = Played(
        ["(is_open cabinet_1)", "(is_closed cabinet_2)"],
        StateMirroring(trigger_object="cabinet_1", target_object="cabinet_2"),
    )
    assert apart.solved().status == "unsolvable"


def test_an_inverse_handle_does_the_opposite() -> None:
    played = Played(["(is_open cabinet_1)"], InverseState(trigger_object="cabinet_1"))
    assert played.turn(open_it("cabinet_1")) == ["failed", "done"]
    assert played.said() == "Nothing happens to cabinet_1."
    assert commands(played.solved()) == ["0:Close[cabinet_1]"]
    played.turn(close_it("cabinet_1"))
    assert played.is_so(OPEN_HALL)


def test_an_inverse_handle_drives_mirrors_and_controls_by_the_state_it_sets() -> None:
    mechanics = HouseMechanics(
        ("agent_0",),
        (
            InverseState(trigger_object="a"),
            StateMirroring(trigger_object="a", target_object="b"),
            RemoteControl(trigger_object="b", target_object="c", target_state="closed"),
        ),
    )
    assert mechanics.settings("a", mechanics.state_after("a", opens=False)) == {"a": "open", "b": "open", "c": "closed"}
    assert mechanics.settings("a", mechanics.state_after("a", opens=True)) == {"a": "closed", "b": "closed"}


def test_of_contradicting_settings_the_first_stays_and_circles_end() -> None:
    mechanics = HouseMechanics(
        ("agent_0",),
        (
            StateMirroring(trigger_object="a", target_object="b"),
            StateMirroring(trigger_object="b", target_object="c"),
            RemoteControl(trigger_object="c", target_object="a", target_state="closed"),
        ),
    )
    assert mechanics.settings("a", "open") == {"a": "open", "b": "open", "c": "open"}


def test_a_secret_goal_has_to_be_told_to_whoever_can_reach_it() -> None:
    barred = RoomRestriction(restricted_rooms=("kitchen_1",), for_agents=("agent_0",))
    task = small_task(["(is_open cabinet_2)"], [barred], secrets={"agent_0": ("(wanted (is_open cabinet_2))",)})
    household = Household(task)
    plan = solve(compile_task(household, Variant(task.goal)))
    assert [action.command.verb for action in plan.actions] == ["Communicate", "Open"]
    assert solve(compile_task(household, Variant(task.goal, is_silent=True))).status == "unsolvable"
    assert solve(compile_task(household, Variant(task.goal, is_silent=True, is_public=True))).status == "solved"


def test_a_hand_holds_one_object_and_closed_furniture_hides_what_is_in_it() -> None:
    played = Played(["(is_inside cup_1 cabinet_1)"])
    assert played.turn(pick("cup_1")) == ["done", "done"]
    assert played.turn(pick("book_1")) == ["failed", "done"]
    assert played.turn(place("cup_1", WITHIN, "cabinet_1")) == ["failed", "done"]
    played.turn(open_it("cabinet_1"))
    assert played.turn(place("cup_1", WITHIN, "cabinet_1")) == ["done", "done"]
    inside = played.household.bits[Proposition("is_inside", ("cup_1", "cabinet_1"))]
    assert played.runtime.visible(0) & played.runtime.state & inside
    played.turn(close_it("cabinet_1"))
    assert not played.runtime.visible(0) & inside
    assert played.turn(pick("cup_1")) == ["failed", "done"]
    assert played.turn(place("book_1", ON, "table_1")) == ["failed", "done"]
    assert len(commands(played.solved())) == 3


def test_who_is_in_one_room_sees_together_and_knows_that_others_saw() -> None:
    goal = ["(is_open cabinet_1)", "(K agent_0 (K agent_1 (K agent_0 (is_open cabinet_1))))"]
    played = Played(goal)
    played.turn(open_it("cabinet_1"))
    deepest = played.household.task.goal[-1]
    assert not played.is_so(deepest)
    played.turn(IDLE, navigate("hall_1"))
    assert played.is_so(deepest)
    assert played.solved(is_silent=True).status == "solved"


def test_telling_teaches_what_follows_from_it_and_nothing_to_others() -> None:
    goal = [
        "(is_open cabinet_1)",
        "(K agent_1 (K agent_0 (is_open cabinet_1)))",
        "(K agent_0 (K agent_1 (is_open cabinet_1)))",
    ]
    played = Played(goal)
    played.turn(open_it("cabinet_1"))
    said = tell([Claim((), OPEN_HALL)], ["agent_1"])
    assert not any(played.is_so(one) for one in played.household.task.goal[1:])
    played.turn(said)
    assert all(played.is_so(one) for one in played.household.task.goal[1:])
    assert played.runtime.sent[0].taught
    played.turn(close_it("cabinet_1"))
    assert not any(played.is_so(one) for one in played.household.task.goal[1:])
    played.turn(open_it("cabinet_1"))
    assert played.is_so(Claim(("agent_0",), OPEN_HALL))
    assert not played.is_so(Claim(("agent_1",), OPEN_HALL))


def test_nobody_learns_from_a_message_of_one_who_does_not_know() -> None:
    played = Played(["(is_open cabinet_1)", "(K agent_1 (is_open cabinet_1))"])
    played.turn(IDLE, navigate("hall_1"))
    played.turn(open_it("cabinet_1"), navigate("kitchen_1"))
    played.turn(close_it("cabinet_1"))
    played.turn(tell([Claim((), OPEN_HALL)], ["agent_1"]))
    assert not played.is_so(Claim(("agent_1",), OPEN_HALL))
    assert played.runtime.sent[0].taught == ()
