"""`hm-agent browse enacttom`: a page on a set of tasks that filters them and shows each with its proofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hm_agent.recording.browsing import browse_page
from hm_agent.storage.files import write_whole
from hm_agent.worlds.enacttom.tasks.certificate import Certificate, Status
from hm_agent.worlds.enacttom.tasks.mechanics import (
    Binding,
    InverseState,
    LimitedBandwidth,
    RemoteControl,
    RestrictedCommunication,
    RoomRestriction,
    ShortMessages,
)
from hm_agent.worlds.enacttom.tasks.proofs import unproved
from hm_agent.worlds.enacttom.tasks.task import HouseholdTask
from hm_agent.worlds.enacttom.verification.verifier import is_current
from hm_agent.worlds.enacttom.viewer.plan_picture import PlanPicture
from hm_agent.worlds.enacttom.viewer.viewer import (
    PLAN_SCRIPT,
    PLAN_STYLE,
    drawn_plans,
    goal_facts,
    plan_facts,
    shapes_json,
)

TEMPLATES = Path(__file__).parent / "templates"


def write_task_page(tasks: Sequence[HouseholdTask], into: Path, title: str) -> None:
    own = (PLAN_SCRIPT, TEMPLATES / "tasks.js", PLAN_STYLE, TEMPLATES / "tasks.css")
    listed, details = [listed_task(task) for task in tasks], [task_details(task) for task in tasks]
    content = browse_page(TEMPLATES, own, listed, {"tasks": details}, title=title, tasks=len(tasks))
    into.parent.mkdir(parents=True, exist_ok=True)
    write_whole(into, content)


def listed_task(task: HouseholdTask) -> Mapping[str, Any]:
    """What the list of tasks shows and filters by. turns, messages: of the certified plan; None without one.

    unproved: why it does not count as proved; empty if it does.
    """
    certificate = task.file.certificate
    return {
        "id": task.name,
        "title": task.file.title,
        "category": task.file.category,
        "depth": task.k_depth,
        "agents": len(task.agents),
        "rooms": len(task.plan.rooms),
        "furniture": len(task.plan.furniture),
        "objects": len(task.plan.objects),
        "mechanics": list(dict.fromkeys(binding.mechanic_type for binding in task.mechanics.bindings)),
        "turns": len(certificate.plan) if certificate else None,
        "messages": certificate.messages if certificate else None,
        "unproved": list(unproved(task.file)),
    }


def task_details(task: HouseholdTask) -> Mapping[str, Any]:
    """What the page of one task shows. figures: the household at the start as shapes, by the width of the plan."""
    file, drawn = task.file, drawn_plans(task)
    start = PlanPicture(task.init)
    return {
        "house": {**plan_facts(task, drawn), "goals": goal_facts(task)},
        "figures": {name: list(map(shapes_json, plan.figures(start))) for name, plan in drawn.items()},
        "text": task.public_text,
        "secrets": {agent: list(file.agent_secrets.get(agent, ())) for agent in task.agents},
        "mechanics": [words for binding in task.mechanics.bindings for words in mechanic_words(binding)],
        "budgets": {agent: task.message_budget(agent) for agent in task.agents},
        "max_turns": task.max_turns,
        "pddl": file.problem_pddl,
        "certificate": _certificate_details(task, file.certificate) if file.certificate else None,
    }


def mechanic_words(binding: Binding) -> Iterator[str]:
    match binding:
        case RoomRestriction(restricted_rooms=rooms, for_agents=agents):
            yield f"{', '.join(agents)} cannot enter {', '.join(rooms)}."
        case LimitedBandwidth(message_limits=limits):
            for agent, limit in limits.items():
                yield f"{agent} can send {limit} message{'' if limit == 1 else 's'}."
        case RestrictedCommunication(allowed_targets=targets):
            for agent, others in targets.items():
                yield f"{agent} can message {', '.join(others) or 'nobody'}."
        case RemoteControl(trigger_object=trigger, target_object=target, target_state=state):
            yield f"Opening {trigger} sets {target} {state}."
        case InverseState(trigger_object=trigger):
            yield f"{trigger} is reversed: Open closes it and Close opens it."
        case ShortMessages(most_facts=most):
            yield f"A message says at most {most} fact{'' if most == 1 else 's'}."
        case _:
            yield f"{binding.trigger_object} and {binding.target_object} always end up in the same state."


def _certificate_details(task: HouseholdTask, certificate: Certificate) -> Mapping[str, Any]:
    return {
        "solver": certificate.solver,
        "is_current": is_current(task.file),
        "task_hash": certificate.task_hash,
        "strips_hash": certificate.strips_hash,
        "plan": [dict(turn) for turn in certificate.plan],
        "proofs": [
            {"about": about, "status": status, "wanted": wanted, "note": note}
            for about, status, wanted, note in _proofs(task, certificate)
        ],
    }


def _proofs(task: HouseholdTask, certificate: Certificate) -> Iterator[tuple[str, Status, Status | None, str]]:
    """For each question about a task: the question, its status, the status wanted (None: any), and a note."""
    figures = f"turns: {len(certificate.plan)}, messages: {certificate.messages}"
    if certificate.relay_depth is not None:
        figures += f", relay depth: {certificate.relay_depth}"
    yield "can be solved", certificate.status, "solved", figures
    for planner, status in certificate.checked_by.items():
        yield f"can be solved, says {planner}", status, certificate.status, ""
    for agent, status in certificate.without_agent.items():
        yield f"if {agent} only waits", status, "unsolvable", ""
    needed: Status | None = "unsolvable" if task.file.needs_communication else None
    yield "if nobody sends a message", certificate.without_communication, needed, ""
    if certificate.relay_depth:  # no plan reaches the physical goal with fewer messages
        yield "physical goal alone, if nobody sends a message", "unsolvable", needed, "follows from the relay depth"
    if certificate.deepest_by_sight:
        yield f"K depth {certificate.k_depth} by sight alone", certificate.deepest_by_sight, "unsolvable", ""
    used = (
        f"turns: {certificate.baseline_turns}, messages: {certificate.baseline_messages}"
        if certificate.baseline_turns
        else ""
    )
    yield "with all secrets public", certificate.baseline, "solved", used
    for agent, status in certificate.private_goals.items():
        yield f"with the private goals of {agent}", status, "solved", ""
    if certificate.all_private_goals:
        yield "with all private goals", certificate.all_private_goals, None, "unsolvable where they conflict"
