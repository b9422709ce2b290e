"""A small house with characters, for tests: a cup in a cabinet, which somebody is to bring to a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hm_agent.worlds.enacttom.tasks.characters import CharacterRule
from hm_agent.worlds.enacttom.tasks.mechanics import LimitedBandwidth, RoomRestriction, ShortMessages
from hm_agent.worlds.enacttom.tasks.task import AgentSpawn, HouseholdTask, TaskFile
from hm_agent.worlds.enacttom.tasks.task_checks import check_task

CUP, BOOK = "(is_inside cup_1 cabinet_1)", "(is_inside book_1 cabinet_2)"
GOAL = "(is_on_top cup_1 table_1)"
_PROBLEM = """(define (problem hard_house)
  (:domain enacttom)
  (:objects {agents} - agent hall_1 kitchen_1 study_1 - room
    cabinet_1 cabinet_2 cabinet_3 table_1 - furniture cup_1 book_1 - object)
  (:init {spawns}
    (is_in_room cabinet_1 kitchen_1) (is_in_room cabinet_2 study_1) (is_in_room cabinet_3 {spare_room})
    (is_in_room table_1 study_1) (is_closed cabinet_1) (is_closed cabinet_2) (is_closed cabinet_3)
    (is_inside cup_1 cabinet_1) (is_inside book_1 cabinet_2))
  (:goal (and {goal}))
)
"""


def hard_file(
    characters: Mapping[str, CharacterRule],
    *,
    known: Mapping[str, Sequence[str]] | None = None,
    goal: Sequence[str] = (GOAL,),
    turns: int = 8,
    messages: int = 1,
    most_facts: int = 1,
    spare_room: str = "kitchen_1",
    more: Mapping[str, object] | None = None,
) -> TaskFile:
    """Makes a file: agent_0 is under test, stays in the hall, and knows where things are; all begin in the hall.

    known: what characters know. spare_room: where cabinet_3 is, which is empty. more: other fields of the file.
    """
    agents = ["agent_0", *characters]
    wanted = [f"(wanted {conjunct})" for conjunct in goal if "(K " not in conjunct]
    secrets = {"agent_0": (*wanted, CUP, BOOK), **{agent: tuple(facts) for agent, facts in (known or {}).items()}}
    bindings = (
        RoomRestriction(restricted_rooms=("kitchen_1", "study_1"), for_agents=("agent_0",)),
        LimitedBandwidth(message_limits={"agent_0": messages}),
        ShortMessages(most_facts=most_facts),
    )
    spawns = " ".join(f"(agent_in_room {agent} hall_1)" for agent in agents)
    return TaskFile.model_validate(
        {
            "task_id": "hard_house",
            "title": "A hard house",
            "category": "cooperative",
            "task": "The cup is to be on the table.",
            "agent_spawns": {agent: AgentSpawn(room="hall_1") for agent in agents},
            "active_mechanics": tuple(binding.mechanic_type for binding in bindings),
            "mechanic_bindings": bindings,
            "problem_pddl": _PROBLEM.format(
                agents=" ".join(agents), spawns=spawns, goal=" ".join(goal), spare_room=spare_room
            ),
            "k_depth": 0,
            "secret_facts": secrets,
            "max_turns": turns,
            "characters": dict(characters),
            "needs_order": 1,
            **(more or {}),
        }
    )


def hard_task(characters: Mapping[str, CharacterRule], **options: object) -> HouseholdTask:
    """Makes the task of `hard_file`."""
    return check_task(hard_file(characters, **options))  # type: ignore[arg-type]
