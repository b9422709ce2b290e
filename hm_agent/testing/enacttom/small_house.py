"""A house of two rooms and two agents, with what a test wants of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hm_agent.worlds.enacttom.mechanics import Binding
from hm_agent.worlds.enacttom.task import AgentSpawn, HouseholdTask, TaskFile, check_task

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
    """agent_0 begins in the hall with cup_1 and book_1 on table_1 and cabinet_1, agent_1 in the kitchen with cabinet_2.

    goal: conjuncts in PDDL. opened: cabinets that begin open. secrets: facts by agent; None: all goals are public.
    """
    states = " ".join(f"({'is_open' if one in opened else 'is_closed'} {one})" for one in ("cabinet_1", "cabinet_2"))
    file = TaskFile(
        task_id="small_house",
        title="A small house",
        category="cooperative",
        task="Do what has to be done.",
        agent_spawns={"agent_0": AgentSpawn(room="hall_1"), "agent_1": AgentSpawn(room="kitchen_1")},
        active_mechanics=tuple(dict.fromkeys(one.mechanic_type for one in bindings)),
        mechanic_bindings=tuple(bindings),
        problem_pddl=_PROBLEM.format(states=states, goal=" ".join(goal)),
        k_depth=max(one.count("(K ") for one in goal),
        secret_facts=secrets,
    )
    return check_task(file)
