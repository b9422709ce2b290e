"""Small tasks for tests: a house of two rooms, and a line of rooms along which knowledge has to travel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hm_agent.worlds.enacttom.tasks.mechanics import Binding, RestrictedCommunication, RoomRestriction
from hm_agent.worlds.enacttom.tasks.pddl_writing import write_house
from hm_agent.worlds.enacttom.tasks.propositions import Claim, Is, Proposition, wanted
from hm_agent.worlds.enacttom.tasks.task import AgentSpawn, HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task

_PROBLEM = """(define (problem small_house)
  (:domain enacttom)
  (:objects agent_0 agent_1 - agent hall_1 kitchen_1 - room
    cabinet_1 table_1 cabinet_2 counter_2 - furniture cup_1 book_1 - object)
  (:init (agent_in_room agent_0 hall_1) (agent_in_room agent_1 kitchen_1)
    (is_in_room cabinet_1 hall_1) (is_in_room table_1 hall_1)
    (is_in_room cabinet_2 kitchen_1) (is_in_room counter_2 kitchen_1)
    {states}
    (is_on_top cup_1 table_1) (is_on_top book_1 table_1))
  (:goal (and {goal}))
)
"""


def small_task(
    goal: Sequence[str],
    bindings: Sequence[Binding] = (),
    *,
    opened: Sequence[str] = (),
    secrets: Mapping[str, tuple[str, ...]] | None = None,
) -> HouseholdTask:
    """Makes a task: agent_0 begins in a hall with table_1 and cabinet_1, agent_1 in a kitchen with cabinet_2.

    cup_1 and book_1 lie on table_1. goal: conjuncts in PDDL. opened: the cabinets that are open at the start. secrets:
    facts by agent; None: all goals are public.
    """
    states = " ".join(
        f"({'is_open' if cabinet in opened else 'is_closed'} {cabinet})" for cabinet in ("cabinet_1", "cabinet_2")
    )
    file = TaskFile(
        task_id="small_house",
        title="A small house",
        category="cooperative",
        task="Do what has to be done.",
        agent_spawns={"agent_0": AgentSpawn(room="hall_1"), "agent_1": AgentSpawn(room="kitchen_1")},
        active_mechanics=tuple(dict.fromkeys(binding.mechanic_type for binding in bindings)),
        mechanic_bindings=tuple(bindings),
        problem_pddl=_PROBLEM.format(states=states, goal=" ".join(goal)),
        k_depth=max(conjunct.count("(K ") for conjunct in goal),
        secret_facts=secrets,
    )
    return check_task(file)


def line_task(hops: int) -> HouseholdTask:
    """Makes a task: only agent_0 knows that cabinet_1 is to be open, only an agent `hops` messages away can open it.

    Each agent has a room of its own, and can message its neighbours only. At the end agent_0 has to know that the
    cabinet is open, by a claim as deep as there are hops.
    """
    agents = [f"agent_{number}" for number in range(hops + 1)]
    rooms = {agent: f"room_{number}" for number, agent in enumerate(agents)}
    done = Proposition(Is.OPEN, ("cabinet_1",))
    neighbours = {
        agent: tuple(agents[other] for other in (number - 1, number + 1) if 0 <= other <= hops)
        for number, agent in enumerate(agents)
    }
    bindings: list[Binding] = [
        RoomRestriction(
            restricted_rooms=tuple(room for other, room in rooms.items() if other != agent), for_agents=(agent,)
        )
        for agent in agents
    ]
    bindings.append(RestrictedCommunication(allowed_targets=neighbours))
    public = [
        Proposition(Is.CAN_COMMUNICATE, (sender, receiver))
        for sender, receivers in neighbours.items()
        for receiver in receivers
    ]
    file = TaskFile(
        task_id="line",
        title="A line of rooms",
        category="cooperative",
        task="Do what has to be done.",
        agent_spawns={agent: AgentSpawn(room=room) for agent, room in rooms.items()},
        active_mechanics=("room_restriction", "restricted_communication"),
        mechanic_bindings=tuple(bindings),
        problem_pddl=write_house(
            "line",
            spawns=rooms,
            rooms=rooms.values(),
            furniture={"cabinet_1": rooms[agents[-1]]},
            objects=(),
            state=[Proposition(Is.CLOSED, ("cabinet_1",))],
            goal=[Claim((), done), Claim((agents[0], *agents[2:]), done)],
        ),
        k_depth=hops,
        public_facts=tuple(fact.pddl for fact in public),
        secret_facts={agents[0]: (wanted(done).pddl,)},
    )
    return check_task(file)
