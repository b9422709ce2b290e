"""Reads tasks in the form in which the paper's authors publish theirs.

They name positions of a scene where this project names rooms, leave out what the scene says (that furniture opens and
is closed, that a thing lies on the floor), give private goals that contradict the shared one, and tell agents their
goals in prose alone. `in_own_form` makes this project's fields of theirs; `completed` adds what the scene would say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeGuard

from pydantic import BaseModel, ConfigDict

from hm_agent.worlds.enacttom.tasks.mechanics import Binding, InverseState, RemoteControl, StateMirroring
from hm_agent.worlds.enacttom.tasks.pddl import PddlError, PddlProblem, Stated, TaskError, read_problem
from hm_agent.worlds.enacttom.tasks.propositions import AGENT, FURNITURE, OBJECT, OPPOSITE, Claim, Is, Proposition
from hm_agent.worlds.enacttom.tasks.task import COOPERATIVE, MIXED, TaskFile

_THEIRS = ("agent_actions", "initial_states", "message_targets", "num_agents", "pddl_domain")
"""Fields of the authors' tasks, which this project's don't have."""
_WITHOUT_MEANING = ("calibration", "golden_trajectory", "pddl_domain")
"""Fields that may have content without changing the task."""
_UNSUPPORTED = ("teams", "team_secrets", "items", "locked_containers")
_ACTIONS = frozenset({"Navigate", "Pick", "Place", "Open", "Close", "Communicate"})
"""The actions that every agent has here, besides Wait and Find."""


class _Published(BaseModel):
    """The fields of a task in the authors' form that are read otherwise here; all others are kept as they are."""

    model_config = ConfigDict(extra="allow")

    problem_pddl: str
    agent_spawns: Mapping[str, Mapping[str, Any]] = {}
    agent_actions: Mapping[str, tuple[str, ...]] = {}
    initial_states: Mapping[str, Any] = {}
    message_targets: Mapping[str, tuple[str, ...]] = {}
    mechanic_bindings: tuple[Mapping[str, Any], ...] = ()
    num_agents: int | None = None


def is_as_published(content: object) -> TypeGuard[Mapping[str, Any]]:
    """True for the JSON of a task in the authors' form: it has a field of theirs, and no `k_depth`."""
    return isinstance(content, Mapping) and "k_depth" not in content and any(name in content for name in _THEIRS)


def in_own_form(content: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a `TaskFile` for those of a task in the authors' form.

    Raises TaskError for what would make it another task: teams, states that can't be read, agents without some action;
    ValidationError for a field of a wrong type.
    """
    if unsupported := next((name for name in _UNSUPPORTED if content.get(name)), None):
        raise TaskError(f"{unsupported}: is not supported")
    task = _Published.model_validate({name: value for name, value in content.items() if value is not None})
    pddl = _with_states(task.problem_pddl, task.initial_states)
    problem = read_problem(pddl)
    _check_agents(task, problem)
    bindings = list(_bindings(task))
    own = set(TaskFile.model_fields) | {*_THEIRS, *_UNSUPPORTED, *_WITHOUT_MEANING}
    return {
        **{name: value for name, value in content.items() if name in TaskFile.model_fields and value is not None},
        "task_id": re.sub(r"[^A-Za-z0-9_-]", "_", str(content.get("task_id", problem.name))),
        "title": content.get("title") or problem.name,
        "category": content.get("category") or (MIXED if problem.owned else COOPERATIVE),
        "agent_spawns": _spawns(task.agent_spawns, problem),
        "active_mechanics": sorted({str(binding.get("mechanic_type")) for binding in bindings}),
        "mechanic_bindings": bindings,
        "problem_pddl": pddl,
        "k_depth": max((conjunct.claim.depth for conjunct in problem.goal), default=0),
        "as_published": {"unread": [name for name, value in content.items() if value and name not in own]},
    }


def _with_states(pddl: str, states: Mapping[str, Any]) -> str:
    """Adds states such as {"cabinet_1": {"is_open": true}} to :init, on its first line, so that lines keep numbers."""
    facts = []
    for name, state in states.items():
        if not isinstance(state, Mapping) or not all(
            key in Is.STATES and isinstance(state[key], bool) for key in state
        ):
            raise TaskError(f'initial_states: {name}: {json.dumps(state)} can\'t be read: say {{"{Is.OPEN}": true}}')
        for key, is_so in state.items():
            facts.append(f"({key if is_so else OPPOSITE[key]} {name})")
    return re.sub(r"\(:init\b", lambda found: " ".join((found[0], *facts)), pddl, count=1, flags=re.IGNORECASE)


def _check_agents(task: _Published, problem: PddlProblem) -> None:
    """Raises TaskError if another number of agents is stated, or an agent lacks an action that all have here."""
    agents = [name for name, kind in problem.objects.items() if kind == AGENT]
    if task.num_agents not in (None, len(agents)):
        raise TaskError(f"num_agents: is {task.num_agents}, but :objects has {len(agents)} agents")
    for agent, actions in task.agent_actions.items():
        if lacking := sorted(_ACTIONS.difference(actions)):
            raise TaskError(f"agent_actions: {agent} lacks {', '.join(lacking)}: every agent has all actions here")


def _spawns(spawns: Mapping[str, Mapping[str, Any]], problem: PddlProblem) -> dict[str, Any]:
    """The room of each agent by :init, with its position in the scene, which has no meaning here."""
    facts = [stated.claim.proposition for stated in problem.init]
    rooms = _rooms(facts, Is.AGENT_IN_ROOM)
    agents = [name for name, kind in problem.objects.items() if kind == AGENT]
    if homeless := next((agent for agent in agents if agent not in rooms), None):
        raise TaskError(f"{homeless} is in no room: state (agent_in_room {homeless} ROOM) in :init")
    if unknown := next((name for name in spawns if name not in agents), None):
        raise TaskError(f"agent_spawns: {unknown} is no agent of :objects")
    positions = {agent: spawns.get(agent, {}).get("position") for agent in agents}
    return {agent: {"room": rooms[agent], "position": positions[agent]} for agent in agents}


def _rooms(facts: Iterable[Proposition], predicate: str) -> dict[str, str]:
    """The room of each agent, or of each thing, by the predicate that states it."""
    return {fact.arguments[0]: fact.arguments[1] for fact in facts if fact.predicate == predicate}


def _bindings(task: _Published) -> Iterator[dict[str, Any]]:
    """The bindings without fields that are null, and message_targets as one where no binding restricts messages."""
    for binding in task.mechanic_bindings:
        yield {name: value for name, value in binding.items() if value is not None}
    kind = "restricted_communication"
    if task.message_targets and all(binding.get("mechanic_type") != kind for binding in task.mechanic_bindings):
        yield {"mechanic_type": kind, "allowed_targets": task.message_targets}


def completed(problem: PddlProblem, bindings: Iterable[Binding]) -> PddlProblem:
    """Adds to :init what a scene would say, and leaves out goals that always hold.

    Furniture that goals, mechanics or :init treat as something that opens is closed unless its state is stated, and so
    is all other furniture of its kind, since the floor plan, which everyone is shown, would otherwise tell the goals. A
    thing of which only the room is stated lies on the floor. Raises PddlError for a goal that furniture is elsewhere.
    """
    facts = {stated.claim.proposition: stated.line for stated in problem.init}
    rooms = _rooms(facts, Is.IN_ROOM)
    kinds = set(map(_kind, _opening(problem, bindings)))
    closed = [name for name, of in problem.objects.items() if of == FURNITURE and _kind(name) in kinds]
    has_state = {fact.arguments[0] for fact in facts if fact.predicate in Is.STATES}
    has_place = {fact.arguments[0] for fact in facts if fact.predicate in Is.PLACES}
    lying = [name for name, kind in problem.objects.items() if kind == OBJECT and name in rooms]
    added = [Proposition(Is.CLOSED, (name,)) for name in closed if name not in has_state]
    added += [Proposition(Is.ON_FLOOR, (name,)) for name in lying if name not in has_place]
    owned = {agent: tuple(_changeable(claims, problem, rooms)) for agent, claims in problem.owned.items()}
    return replace(
        problem,
        init=(*problem.init, *(Stated(Claim((), fact), 1) for fact in added)),
        goal=tuple(_changeable(problem.goal, problem, rooms)),
        owned={agent: claims for agent, claims in owned.items() if claims},
    )


def _kind(furniture: str) -> str:
    """What a piece of furniture is: its name without the number."""
    return furniture.rstrip("0123456789").rstrip("_")


def _opening(problem: PddlProblem, bindings: Iterable[Binding]) -> Iterator[str]:
    """The furniture that a task treats as something that opens."""
    goals = (*problem.goal, *(stated for claims in problem.owned.values() for stated in claims))
    for stated in (*problem.init, *goals):
        proposition = stated.claim.proposition
        if proposition.predicate in (*Is.STATES, Is.INSIDE):
            yield proposition.arguments[-1]
    for binding in bindings:
        if isinstance(binding, InverseState | RemoteControl | StateMirroring):
            pieces = (binding.trigger_object, getattr(binding, "target_object", binding.trigger_object))
            yield from (piece for piece in pieces if problem.objects.get(piece) == FURNITURE)


def _changeable(goal: Iterable[Stated], problem: PddlProblem, rooms: Mapping[str, str]) -> Iterator[Stated]:
    """The conjuncts without those on where furniture stands, which always hold."""
    for stated in goal:
        proposition = stated.claim.proposition
        if proposition.predicate != Is.IN_ROOM or problem.objects[proposition.arguments[0]] != FURNITURE:
            yield stated
        elif rooms.get(proposition.arguments[0]) != proposition.arguments[1]:
            raise PddlError(stated.line, f"{proposition.pddl} is no goal: furniture does not move")
